// SPDX-License-Identifier: MIT
#include "core/synth/mutants.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/support/files.h"
#include "core/support/try.h"
#include "core/synth/canonical.h"
#include "core/synth/data_set.h"
#include "core/synth/edits.h"
#include "core/synth/maker.h"
#include "core/synth/parse.h"
#include "core/synth/print.h"

namespace workbench::synth {

namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 17> kinds{"source operator",
                                                 "source operand order",
                                                 "source literal",
                                                 "source index",
                                                 "source comparison",
                                                 "source statement",
                                                 "source parentheses",
                                                 "ptx opcode",
                                                 "ptx register",
                                                 "ptx immediate",
                                                 "ptx predicate",
                                                 "ptx barrier",
                                                 "other ir",
                                                 "duplicate",
                                                 "split",
                                                 "hash",
                                                 "outputs"};
constexpr int most_tries = 12;  // edits, until one is inside of the language

std::string text_of_json(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// What every number of a record's text follows from.
void set_text(Json& ir, std::string text) {
    ir["sha256"] = sha256_hex(text);
    ir["bytes"] = text.size();
    ir["lines"] = std::ranges::count(text, '\n');
    ir["text"] = std::move(text);
}

std::string words_of(std::string_view text, const Edit& edit) {
    const std::size_t start = text.rfind('\n', edit.at == 0 ? 0 : edit.at - 1);
    const std::size_t from = start == std::string_view::npos ? 0 : start + 1;
    const std::string_view line = text.substr(from, text.find('\n', edit.at) - from);
    return "\"" + edit.with + "\" in place of \"" + std::string(text.substr(edit.at, edit.length)) +
           "\" in \"" + std::string(line) + "\"";
}

class MutantMaker {
  public:
    MutantMaker(const Json& record, const Json& other, const RunFacts& run, Draw& draw)
        : m_record(record), m_other(other), m_run(run), m_draw(draw) {}

    std::optional<Mutant> made(std::string_view kind) {
        m_made.kind = kind;
        m_made.id = m_record["id"].get<std::string>();
        m_made.name = m_record["name"].get<std::string>();
        const std::string_view source = "source ", ptx = "ptx ";
        const bool is_made = kind.starts_with(source) ? change_source(kind.substr(source.size()))
                             : kind.starts_with(ptx)  ? change_ptx(kind.substr(ptx.size()))
                             : kind == "other ir"     ? take_other_ir()
                             : kind == "duplicate"    ? rename()
                                                      : change_member(kind);
        if (!is_made) return std::nullopt;
        return std::move(m_made);
    }

  private:
    // A change that is inside of the language and prints another source, and what is said of it there is
    // true.
    bool change_source(std::string_view kind) {
        const auto source = m_record["source"]["cuda"].get<std::string>();
        auto edits = source_edits(kind, source);
        for (int k = 0; k < most_tries && !edits.empty(); ++k) {
            const auto at = static_cast<std::size_t>(m_draw.below(static_cast<int>(edits.size())));
            const Edit edit = edits[at];
            edits.erase(edits.begin() + static_cast<std::ptrdiff_t>(at));
            const auto tree = parse(edit.applied_to(source));
            if (!tree || print_cuda(*tree) == source) continue;
            m_made.what = words_of(source, edit);
            m_made.is_source = true;
            m_made.before = source;
            m_made.after = print_cuda(*tree);
            m_made.canonical = m_record["canonical"].get<std::string>();
            // Either the source alone, or all that follows from it but what was compiled.
            if (!m_draw.chance(65) || !put_anew(*tree)) {
                m_made.what += ", the rest as it was";
                Json changed = m_record;
                changed["source"]["cuda"] = m_made.after;
                m_made.line = text_of_json(changed);
            }
            return true;
        }
        return false;
    }

    // Makes the record of a tree, with the texts of the one that there is.
    bool put_anew(Tree tree) {
        const std::string canonical = canonical_hash(tree);
        const std::string old_ending = "_" + m_record["canonical"].get<std::string>().substr(0, 8);
        const std::string ending = "_" + canonical.substr(0, 8);
        const auto renamed = [&](const std::string& text) { return with_name(text, old_ending, ending); };
        tree.kernel.name = renamed(tree.kernel.name);
        for (Function& helper : tree.helpers) helper.name = renamed(helper.name);
        Json source = m_record;
        source["source"]["cuda"] = print_cuda(tree);
        source["ops"] = ops_of(tree);
        // Where it has another category, or no backward kernel any more, the rest cannot be true.
        const auto judged = remade(source, {.run = &m_run, .verify = nullptr, .is_drawn = false});
        if (!judged) return false;
        Judged made = *judged;
        for (Text& text : made.texts) text.text = renamed(text.text);
        m_made.after = print_cuda(tree);
        m_made.canonical = canonical;
        m_made.name = tree.kernel.name;
        m_made.line = record_line(made, judge_options(m_run));
        return true;
    }

    bool change_ptx(std::string_view kind) {
        std::vector<std::size_t> texts;
        for (std::size_t k = 0; k < m_record["ir"].size(); ++k) {
            if (m_record["ir"][k]["target"].get<std::string>().starts_with("ptx-")) texts.push_back(k);
        }
        if (texts.empty()) return false;
        const std::size_t number = m_draw.of(texts);
        Json changed = m_record;
        Json& ir = changed["ir"][number];
        const auto text = ir["text"].get<std::string>();
        const auto edits = ptx_edits(kind, text);
        if (edits.empty()) return false;
        const Edit& edit = m_draw.of(edits);
        m_made.what = words_of(text, edit);
        m_made.before = text;
        m_made.after = edit.applied_to(text);
        m_made.cuda = m_record["source"]["cuda"].get<std::string>();
        m_made.canonical = m_record["canonical"].get<std::string>();
        m_made.is_backward = ir["direction"] == "backward";
        const auto target = std::ranges::find(m_run.targets, ir["target"].get<std::string>(), &Target::name);
        if (target == m_run.targets.end()) return false;
        m_made.target = static_cast<std::size_t>(target - m_run.targets.begin());
        set_text(ir, m_made.after);
        m_made.line = text_of_json(changed);
        return true;
    }

    bool take_other_ir() {
        if (m_other.is_null() || m_record["ir"].empty()) return false;
        Json changed = m_record;
        const auto number = static_cast<std::size_t>(m_draw.below(static_cast<int>(changed["ir"].size())));
        Json& ir = changed["ir"][number];
        for (const Json& one : m_other["ir"]) {
            if (one["target"] != ir["target"] || one["direction"] != ir["direction"]) continue;
            set_text(ir, with_name(one["text"].get<std::string>(), m_other["name"].get<std::string>(),
                                   m_made.name));
            m_made.what =
                "the text of " + m_other["id"].get<std::string>() + " for " + ir["target"].get<std::string>();
            m_made.line = text_of_json(changed);
            return true;
        }
        return false;
    }

    // The same kernel once more: its first parameter has another name, and it another index.
    bool rename() {
        auto tree = parse(m_record["source"]["cuda"].get<std::string>());
        if (!tree) return false;
        tree->symbols[tree->kernel.parameters[0]].name += "_again";
        Json source = m_record;
        source["source"]["cuda"] = print_cuda(*tree);
        source["index"] = m_record["index"].get<std::uint64_t>() + 1;
        const auto judged = remade(source, {.run = &m_run, .verify = nullptr, .is_drawn = false});
        if (!judged) return false;
        m_made.line = record_line(*judged, judge_options(m_run));
        m_made.is_added = true;
        m_made.what = "with another name of a parameter";
        return true;
    }

    bool change_member(std::string_view kind) {
        Json changed = m_record;
        const auto other_digit = [](Json& hash) {
            auto text = hash.get<std::string>();
            text[20] = text[20] == '0' ? '1' : '0';
            hash = text;
        };
        if (kind == "split") {
            changed["split"] = m_record["split"] == "train" ? "test" : "train";
            m_made.what = "split";
        } else if (kind == "outputs") {
            other_digit(changed["outputs"]["sha256"]);
            m_made.what = "outputs.sha256";
        } else {
            switch (m_draw.below(changed["ir"].empty() ? 3 : 4)) {
                case 0:
                    m_made.what = "canonical";
                    other_digit(changed["canonical"]);
                    break;
                case 1:
                    m_made.what = "skeleton";
                    other_digit(changed["skeleton"]);
                    break;
                case 2:
                    m_made.what = "inputs.sha256";
                    other_digit(changed["inputs"]["sha256"]);
                    break;
                default:
                    m_made.what = "ir[0].sha256";
                    other_digit(changed["ir"][0]["sha256"]);
            }
        }
        m_made.line = text_of_json(changed);
        return true;
    }

    const Json& m_record;
    const Json& m_other;
    const RunFacts& m_run;
    Draw& m_draw;
    Mutant m_made;
};

bool are_equal(const std::vector<Argument>& a, const std::vector<Argument>& b) {
    return std::ranges::equal(a, b, [](const Argument& one, const Argument& other) {
        return one.type == other.type && canonical_bytes_of(one) == canonical_bytes_of(other);
    });
}

// Interpreted, on the same inputs.
bool are_equal_sources(const Mutant& mutant) {
    const auto before = parse(mutant.before), after = parse(mutant.after);
    if (!before || !after) return false;
    const int sets = ordinary_sets + (has_specials(*before) && has_specials(*after) ? 1 : 0);
    for (int set = 0; set < sets; ++set) {
        auto a = draw_inputs(*before, mutant.canonical, set, 0),
             b = draw_inputs(*after, mutant.canonical, set, 0);
        if (!are_equal(a, b)) return false;
        if (!interpret(*before, a).error.empty() || !interpret(*after, b).error.empty()) return false;
        if (!are_equal(a, b)) return false;
    }
    return true;
}

Result<bool> are_equal_texts(const Mutant& mutant, const RunFacts& run, Toolchain& toolchain) {
    auto tree = parse(mutant.cuda);
    if (!tree) return false;
    if (mutant.is_backward) *tree = adjoint_of(*tree).tree;
    const Expectation wanted = expect(*tree, mutant.canonical);
    if (!wanted.error.empty()) return false;
    std::vector<Execution> runs{{.tree = &*tree, .text = &mutant.before, .sets = {}},
                                {.tree = &*tree, .text = &mutant.after, .sets = {}}};
    for (Execution& one : runs) {
        for (const ExpectedSet& set : wanted.expected.sets) one.sets.push_back(set.inputs);
    }
    IIR2D_TRY(const auto found, toolchain.run(run.targets[mutant.target], runs));
    if (!found[0].empty() || !found[1].empty()) return false;
    return std::ranges::equal(runs[0].sets, runs[1].sets, are_equal);
}

}  // namespace

std::vector<Mutant> Mutation::of(const Json& record) {
    std::vector<Mutant> all;
    ++seen;
    const std::uint64_t wanted = std::max<std::uint64_t>(records, 1);
    while (made * wanted < seen * count && made < count) {
        Draw draw(made * 1'000'003 + seen);
        std::optional<Mutant> one;
        // Barriers stand in few kernels: there they come before the kind whose turn it is.
        if (record["category"] == "block" && draw.chance(50))
            one = MutantMaker(record, other, *run, draw).made("ptx barrier");
        for (std::size_t k = 0; k < kinds.size() && !one; ++k)
            one = MutantMaker(record, other, *run, draw).made(kinds[(made + k) % kinds.size()]);
        ++made;
        if (one) all.push_back(*std::move(one));
    }
    other = record;
    return all;
}

Result<bool> is_equivalent(const Mutant& mutant, const Checked& checked, const RunFacts& run,
                           Toolchain& toolchain) {
    if (mutant.is_source) return are_equal_sources(mutant);
    if (mutant.after.empty()) return false;
    // What does not give what is expected differs from the text before, which does. It need not be run again,
    // which may take as long as a launch may.
    if (std::ranges::any_of(checked.faults, [](const Fault& one) { return one.level == "V3"; })) return false;
    return are_equal_texts(mutant, run, toolchain);
}

}  // namespace workbench::synth
