// SPDX-License-Identifier: MIT
#include "core/inspect/mismatch.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/support/files.h"
#include "core/support/try.h"
#include "core/synth/adjoint.h"
#include "core/synth/canonical.h"
#include "core/synth/data_set_reader.h"
#include "core/synth/expect.h"
#include "core/synth/lanes.h"
#include "core/synth/parse.h"
#include "core/synth/print.h"

namespace workbench::inspect {

namespace {

using nlohmann::json;
using synth::Id;
using synth::StmtKind;
using synth::SymbolKind;
using synth::Tree;

const synth::Symbol& parameter(const Tree& tree, std::size_t number) {
    return tree.symbols[tree.kernel.parameters[number]];
}

Result<json> find_rejected(const std::filesystem::path& folder, std::uint64_t index,
                           const std::stop_token& stop) {
    std::optional<json> found;
    IIR2D_RETURN_IF_ERROR(synth::for_each_rejected(
        folder,
        [&](const json& rejected) -> Result<void> {
            if (!found && rejected.at("index") == index && rejected.at("reason") == "mismatch")
                found = rejected;
            return {};
        },
        stop));
    if (!found)
        return fail(ErrorKind::bad_argument,
                    folder.string() + " has no mismatch of candidate " + std::to_string(index));
    return *std::move(found);
}

std::string inputs_of(const Tree& tree, const std::vector<synth::Argument>& inputs, std::size_t element) {
    std::string made;
    for (std::size_t p = 0; p < inputs.size(); ++p) {
        const synth::Symbol& symbol = parameter(tree, p);
        if (symbol.kind == SymbolKind::output) continue;
        const auto components = static_cast<std::size_t>(synth::info(symbol.type).components);
        const std::size_t from = synth::is_array_parameter(symbol.kind) ? element * components : 0;
        if (from + components > inputs[p].slots.size()) continue;
        made += (made.empty() ? "" : ", ") + symbol.name + " = ";
        for (std::size_t k = 0; k < components; ++k)
            made += (k == 0 ? "" : " ") + format_number(inputs[p].number(from + k));
    }
    return made;
}

void add_elements(Mismatch& made, const Tree& tree, std::size_t set, const synth::ExpectedSet& expected,
                  const std::vector<synth::Argument>& got, bool exactly) {
    for (std::size_t p = 0; p < got.size(); ++p) {
        const synth::Symbol& symbol = parameter(tree, p);
        if (!synth::is_written(symbol.kind)) continue;
        synth::for_each_difference(expected.outputs[p], got[p], exactly, [&](const synth::Difference& one) {
            if (one.is_within() || ++made.total > most_mismatch_elements) return;
            const std::size_t element =
                one.slot / static_cast<std::size_t>(synth::info(symbol.type).components);
            const double ulps = synth::is_float(symbol.type)
                                    ? one.off() / synth::ulp(synth::element(symbol.type), one.expected)
                                    : one.off();
            made.elements.push_back({.set = set,
                                     .parameter = symbol.name,
                                     .element = element,
                                     .inputs = inputs_of(tree, expected.inputs, element),
                                     .expected = one.expected,
                                     .got = one.got,
                                     .ulp = ulps,
                                     .bound = one.bound});
        });
    }
}

// One run of a text on the sets that are expected. Empty: it ran, and `sets` has what came out.
Result<std::string> run(synth::Toolchain& toolchain, const synth::Target& target, const Tree& tree,
                        const std::string& text, std::vector<std::vector<synth::Argument>>& sets) {
    std::vector<synth::Execution> runs{{.tree = &tree, .text = &text, .sets = sets}};
    IIR2D_TRY(const auto said, toolchain.run(target, runs));
    sets = std::move(runs[0].sets);
    return said[0];
}

std::string source_for(const synth::Target& target, const Tree& tree) {
    return target.takes_cuda ? synth::print_cuda(tree) : synth::print_cpp(tree);
}

// A kernel that also stores what one statement computes, at the thread's number.
struct Probe {
    Tree tree;
    std::size_t parameter = 0;  // the number of the one that it stores to
    std::string name;
    bool before = false;  // it stores before the statement
};

class Probes {
  public:
    explicit Probes(const Tree& tree) : m_tree(tree) { walk(m_tree.kernel.body, {}); }
    std::vector<Probe>& made() { return m_made; }

  private:
    using Path = std::vector<std::pair<Id, bool>>;  // statements around, and whether in their otherwise

    static std::vector<Id>& list_at(Tree& tree, const Path& path) {
        std::vector<Id>* list = &tree.kernel.body;
        for (const auto& [id, otherwise] : path)
            list = otherwise ? &tree.stmts[id].otherwise : &tree.stmts[id].body;
        return *list;
    }

    void walk(const std::vector<Id>& list, const Path& path) {
        for (std::size_t k = 0; k < list.size(); ++k) {
            const synth::Stmt& stmt = m_tree.stmts[list[k]];
            if (stmt.kind == StmtKind::let || stmt.kind == StmtKind::assign)
                add(path, k, stmt.symbol, synth::nothing);
            if (stmt.kind == StmtKind::store || stmt.kind == StmtKind::atomic)
                add(path, k, synth::nothing, stmt.value);
            for (const bool otherwise : {false, true}) {
                const auto& inner = otherwise ? stmt.otherwise : stmt.body;
                if (inner.empty()) continue;
                Path below = path;
                below.emplace_back(list[k], otherwise);
                walk(inner, below);
            }
        }
    }

    // Of a local after the statement, or of an expression before it.
    void add(const Path& path, std::size_t at, Id local, Id value) {
        Probe probe{.tree = m_tree, .before = local == synth::nothing};
        Tree& tree = probe.tree;
        const auto expr = [&](synth::Expr one) {
            tree.exprs.push_back(one);
            return static_cast<Id>(tree.exprs.size() - 1);
        };
        const auto named = [&](SymbolKind kind) {
            const auto found = std::ranges::find(tree.symbols, kind, &synth::Symbol::kind);
            return found == tree.symbols.end() ? synth::nothing
                                               : static_cast<Id>(found - tree.symbols.begin());
        };
        const Id index = named(SymbolKind::index);
        const Id n = named(SymbolKind::n);
        if (index == synth::nothing || n == synth::nothing) return;
        if (local != synth::nothing)
            value = expr({.op = synth::Op::symbol, .type = tree.symbols[local].type, .symbol = local});
        synth::Type type = tree.exprs[value].type;
        if (type == synth::Type::none) return;
        if (type == synth::Type::boolean) {
            type = synth::Type::i32;
            const Id yes = expr({.op = synth::Op::literal, .type = type, .bits = 1});
            const Id no = expr({.op = synth::Op::literal, .type = type, .bits = 0});
            value = expr({.op = synth::Op::select, .type = type, .count = 3, .args = {value, yes, no, 0}});
        }
        probe.name = "probe";
        while (std::ranges::find(tree.symbols, probe.name, &synth::Symbol::name) != tree.symbols.end())
            probe.name += "_";
        tree.symbols.push_back({.name = probe.name,
                                .type = type,
                                .kind = SymbolKind::output,
                                .extent = {.factor = 1, .by_n = 1, .by_m = 0}});
        const Id array = static_cast<Id>(tree.symbols.size() - 1);
        std::vector<Id>& parameters = tree.kernel.parameters;
        const auto behind = std::ranges::find_if(
            parameters, [&](Id id) { return !synth::is_array_parameter(tree.symbols[id].kind); });
        probe.parameter = static_cast<std::size_t>(behind - parameters.begin());
        parameters.insert(behind, array);
        const Id thread = expr({.op = synth::Op::symbol, .type = tree.symbols[index].type, .symbol = index});
        const auto statement = [&](synth::Stmt one) {
            tree.stmts.push_back(std::move(one));
            return static_cast<Id>(tree.stmts.size() - 1);
        };
        Id stored = statement({.kind = StmtKind::store, .symbol = array, .value = value, .index = thread});
        if (tree.is_block) {  // whose threads beyond n are not gone
            const Id left =
                expr({.op = synth::Op::symbol, .type = tree.symbols[index].type, .symbol = index});
            const Id right = expr({.op = synth::Op::symbol, .type = tree.symbols[n].type, .symbol = n});
            const Id inside = expr(
                {.op = synth::Op::lt, .type = synth::Type::boolean, .count = 2, .args = {left, right, 0, 0}});
            synth::Stmt guard{.kind = StmtKind::branch, .value = inside};
            guard.body = {stored};
            stored = statement(std::move(guard));
        }
        std::vector<Id>& list = list_at(tree, path);
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(at) + (probe.before ? 0 : 1), stored);
        tree.kernel.name += "_" + std::to_string(m_made.size());
        synth::finish(tree);
        m_made.push_back(std::move(probe));
    }

    Tree m_tree;
    std::vector<Probe> m_made;
};

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> made;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        made.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return made;
}

// Finds the probed statement in the source: beside the only line that the probe added to it.
void name_statement(Mismatch& made, const Probe& probe, const synth::Target& target) {
    const auto lines = lines_of(made.source);
    const auto probed = lines_of(source_for(target, probe.tree));
    std::size_t at = 0;
    while (at < probed.size() &&
           (probed[at].starts_with("//") || probed[at].find(probe.name + "[") == std::string::npos))
        ++at;
    // A guard stands on a line of its own before.
    const std::size_t first = probe.tree.is_block && at > 0 ? at - 1 : at;
    if (at == probed.size() || first == 0) return;
    const std::size_t line = probe.before ? first : first - 1;  // in the source, from 0
    if (line >= lines.size()) return;
    made.statement_line = static_cast<int>(line) + 1;
    made.statement = lines[line].substr(std::min(lines[line].find_first_not_of(' '), lines[line].size()));
}

Result<void> find_statement(Mismatch& made, const Tree& tree, const synth::Expected& expected,
                            const synth::Target& target, synth::Toolchain& toolchain,
                            const std::stop_token& stop) {
    IIR2D_TRY(const auto again, toolchain.compile(target, {{.name = tree.kernel.name, .text = made.source}}));
    if (!again[0].error.empty() || again[0].text != made.text) {
        made.statement_note = again[0].error.empty()
                                  ? "compiled here the source becomes another text than the stored one, so "
                                    "that its statements were not looked at"
                                  : "it does not compile here: " + again[0].error;
        return {};
    }
    Probes probes(tree);
    constexpr std::size_t of_batch = 50;
    for (std::size_t from = 0; from < probes.made().size(); from += of_batch) {
        if (stop.stop_requested()) return fail(ErrorKind::cancelled, "cancelled");
        std::vector<synth::KernelSource> sources;
        const std::size_t end = std::min(from + of_batch, probes.made().size());
        for (std::size_t k = from; k < end; ++k) {
            const Tree& one = probes.made()[k].tree;
            sources.push_back({.name = one.kernel.name, .text = source_for(target, one)});
        }
        IIR2D_TRY(const auto texts, toolchain.compile(target, sources));
        for (std::size_t k = from; k < end; ++k) {
            const Probe& probe = probes.made()[k];
            if (!texts[k - from].error.empty()) continue;
            std::vector<std::vector<synth::Argument>> wanted;
            for (const synth::ExpectedSet& set : expected.sets) {
                wanted.push_back(set.inputs);
                synth::Argument stored{.type = parameter(probe.tree, probe.parameter).type};
                stored.slots.resize(
                    synth::launch_n * static_cast<std::size_t>(synth::info(stored.type).components), 0);
                wanted.back().insert(wanted.back().begin() + static_cast<std::ptrdiff_t>(probe.parameter),
                                     stored);
            }
            auto got = wanted;
            IIR2D_TRY(const std::string said, run(toolchain, target, probe.tree, texts[k - from].text, got));
            if (!said.empty()) continue;
            bool differs = false;
            for (std::size_t set = 0; set < wanted.size() && !differs; ++set) {
                const auto done = synth::interpret(probe.tree, wanted[set], {.limit = {.stop = stop}});
                if (!done.error.empty()) break;
                synth::for_each_difference(
                    wanted[set][probe.parameter], got[set][probe.parameter], target.is_host,
                    [&](const synth::Difference& one) { differs = differs || !one.is_within(); });
            }
            if (!differs) continue;
            name_statement(made, probe, target);
            made.statement_note = "found by kernels that also store what each statement computes";
            return {};
        }
    }
    made.statement_note = "in kernels that also store what each statement computes none differs";
    return {};
}

// What one of the stored texts gives; false: what is expected.
Result<bool> try_text(Mismatch& made, const Tree& tree, const std::string& canonical,
                      const synth::Target& target, synth::Toolchain& toolchain, const std::stop_token& stop) {
    const TimeLimit limit{.stop = stop};
    const synth::Expectation wanted = synth::expect(tree, canonical, {.limit = limit});
    IIR2D_RETURN_IF_ERROR(limit.check());
    if (!wanted.error.empty()) return fail(ErrorKind::bad_input, "it cannot be run: " + wanted.error);
    std::vector<std::vector<synth::Argument>> got;
    for (const synth::ExpectedSet& set : wanted.expected.sets) got.push_back(set.inputs);
    IIR2D_TRY(made.finding, run(toolchain, target, tree, made.text, got));
    if (made.finding.empty()) {
        for (std::size_t set = 0; set < got.size(); ++set)
            add_elements(made, tree, set, wanted.expected.sets[set], got[set], target.is_host);
    }
    if (made.finding.empty() && made.total == 0) return false;
    if (made.total > 0)
        IIR2D_RETURN_IF_ERROR(find_statement(made, tree, wanted.expected, target, toolchain, stop));
    return true;
}

}  // namespace

Result<Mismatch> look_into_mismatch(const std::filesystem::path& folder, std::uint64_t index,
                                    synth::Toolchain& toolchain, const std::stop_token& stop) {
    IIR2D_TRY(const json rejected, find_rejected(folder, index, stop));
    IIR2D_TRY(const Tree forward, synth::parse(rejected.at("source").get<std::string>()));
    const std::string canonical = synth::canonical_hash(forward);
    Mismatch first{.index = index,
                   .category = rejected.at("category").get<std::string>(),
                   .detail = rejected.at("detail").get<std::string>()};
    const Mismatch none = first;
    bool is_first = true;
    for (const json& ir : rejected.at("ir")) {
        if (stop.stop_requested()) return fail(ErrorKind::cancelled, "cancelled");
        Mismatch made = none;
        made.is_backward = ir.at("direction") == "backward";
        made.target = ir.at("target").get<std::string>();
        made.text = ir.at("text").get<std::string>();
        const Tree tree = made.is_backward ? synth::adjoint_of(forward).tree : forward;
        const synth::Target target = synth::target_named(made.target);
        made.kernel = tree.kernel.name;
        made.source = source_for(target, tree);
        if (std::exchange(is_first, false)) first = made;
        if (target.level.empty()) continue;  // it is not run
        IIR2D_TRY(const bool differs, try_text(made, tree, canonical, target, toolchain, stop));
        if (differs) return made;
    }
    first.statement_note = "run again, every text gives what is expected";
    return first;
}

}  // namespace workbench::inspect
