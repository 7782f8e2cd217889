// SPDX-License-Identifier: MIT
#include "core/synth/export_jax.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "core/support/files.h"
#include "core/support/hex.h"
#include "core/support/try.h"
#include "core/synth/canonical.h"
#include "core/synth/data_set_reader.h"
#include "core/synth/expect.h"
#include "core/synth/parse.h"
#include "core/synth/print_jax.h"

namespace workbench::synth {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kernels_of_process = 200;
constexpr std::size_t most_answer_bytes = std::size_t{1} << 30;
constexpr int most_in_vain = 10;  // processes in a row that answer nothing: then it is no kernel's fault

// A kernel that is compared with what the interpreter expects.
struct Lowered {
    std::string id;
    Tree tree;
    Expected expected;
};

std::string hex_of(const std::vector<std::byte>& bytes) {
    return to_hex(std::span(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

Json shape_of(const Symbol& symbol, const Argument& argument) {
    if (!is_array_parameter(symbol.kind)) return Json::array();
    const auto parts = static_cast<std::size_t>(info(symbol.type).components);
    Json made = Json::array({argument.slots.size() / parts});
    if (is_vector(symbol.type) || is_matrix(symbol.type)) made.push_back(rank(symbol.type));
    if (is_matrix(symbol.type)) made.push_back(rank(symbol.type));
    return made;
}

Json request_of(const Lowered& one) {
    Json made{{"file", one.id + ".py"}, {"name", one.tree.kernel.name}, {"sets", Json::array()}};
    for (const ExpectedSet& set : one.expected.sets) {
        Json arguments = Json::array();
        for (std::size_t p = 0; p < set.inputs.size(); ++p) {
            const Symbol& symbol = one.tree.symbols[one.tree.kernel.parameters[p]];
            const Argument& argument = set.inputs[p];
            if (symbol.kind == SymbolKind::n || symbol.kind == SymbolKind::m)
                made[symbol.kind == SymbolKind::n ? "n" : "m"] = argument.slots[0];
            else if (symbol.kind != SymbolKind::output)
                arguments.push_back({{"type", info(symbol.type).name},
                                     {"shape", shape_of(symbol, argument)},
                                     {"hex", hex_of(bytes_of(argument))}});
        }
        made["sets"].push_back(std::move(arguments));
    }
    return made;
}

// What is wrong with an answer; empty: nothing.
std::string compared(const Lowered& one, const Json& answer) {
    if (answer.contains("error")) return answer["error"].get<std::string>();
    const Json& sets = answer.at("sets");
    if (sets.size() != one.expected.sets.size()) return "it answered for other inputs";
    for (std::size_t k = 0; k < sets.size(); ++k) {
        std::vector<Argument> got = one.expected.sets[k].inputs;
        std::size_t next = 0;
        for (std::size_t p = 0; p < got.size(); ++p) {
            const Symbol& symbol = one.tree.symbols[one.tree.kernel.parameters[p]];
            if (!is_written(symbol.kind)) continue;
            std::vector<std::byte> bytes = bytes_of(got[p]);
            const std::string hex = next < sets[k].size() ? sets[k][next++].get<std::string>() : "";
            if (!from_hex(hex, std::span(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size())))
                return symbol.name + " has another type or size";
            take_bytes(got[p], bytes.data());
        }
        const Agreement agreement = agree(one.tree, one.expected.sets[k].outputs, got, false);
        if (agreement.first) return "set " + std::to_string(k) + ", " + agreement.first->text();
    }
    return "";
}

class Export {
  public:
    Export(const ExportOptions& options, const RunPython& python) : m_options(options), m_python(python) {}

    Result<void> take(const fs::path& folder, const Json& record) {
        if (!is_chosen(record, m_options)) return {};
        const auto category = record["category"].get<std::string>();
        const auto id = record["id"].get<std::string>();
        m_fits = true;
        if (category == "atomic" || category == "block") return leave_out(category);
        IIR2D_TRY(Tree tree, parse(record["source"]["cuda"].get<std::string>()));
        const auto source = print_jax(tree);
        if (!source) return leave_out(source.error().message);
        std::optional<Lowered> lowered;
        if (m_python) {
            Expectation wanted = expect(tree, canonical_hash(tree), {.loose = true});
            if (!wanted.error.empty()) return leave_out("a branch or conversion that rounding decides");
            lowered = Lowered{id, std::move(tree), std::move(wanted.expected)};
        }
        IIR2D_RETURN_IF_ERROR(write_file_atomically(folder / (id + ".py"), *source));
        ++m_made.kernels;
        if (!lowered) return {};
        m_waiting.push_back(*std::move(lowered));
        return m_waiting.size() == kernels_of_process ? lower(folder) : Result<void>{};
    }

    // Lowers what waits, and goes on behind a kernel that ends Python.
    Result<void> lower(const fs::path& folder) {
        std::span<const Lowered> rest = m_waiting;
        while (!rest.empty()) {
            IIR2D_TRY(const std::size_t done, lower_first_of(rest, folder));
            rest = rest.subspan(done);
        }
        m_waiting.clear();
        return {};
    }

    bool fits() const { return m_fits; }
    JaxExport made() { return std::move(m_made); }

  private:
    // Gives all of them to one process. Returns how many are done, the one that ended it among them.
    Result<std::size_t> lower_first_of(std::span<const Lowered> all, const fs::path& folder) {
        const fs::path requests = folder / "requests.jsonl", answers = folder / "answers.jsonl";
        std::string lines;
        for (const Lowered& one : all) lines += request_of(one).dump() + "\n";
        IIR2D_RETURN_IF_ERROR(write_file_atomically(requests, lines));
        IIR2D_TRY(const std::string ended, m_python(requests, answers));
        IIR2D_TRY(const std::string text, read_file(answers, most_answer_bytes));
        std::error_code ignored;
        fs::remove(requests, ignored);
        fs::remove(answers, ignored);
        std::size_t answered = 0;
        std::size_t at = 0;
        // What does not end a line was not written to its end.
        for (std::size_t end = text.find('\n'); answered < all.size() && end != std::string::npos;
             end = text.find('\n', at)) {
            IIR2D_RETURN_IF_ERROR(take_answer(folder, all[answered++], text.substr(at, end - at)));
            at = end + 1;
        }
        m_in_vain = answered > 0 ? 0 : m_in_vain + 1;
        if (answered == all.size()) return answered;
        const std::string how = ended.empty() ? "did not answer" : ended;
        if (m_in_vain == most_in_vain)
            return fail(ErrorKind::device_failure, std::to_string(most_in_vain) +
                                                       " processes of Python in a row lowered nothing: the "
                                                       "last " +
                                                       how);
        drop(folder, all[answered], "it ended Python, which " + how);
        return answered + 1;
    }

    Result<void> leave_out(const std::string& why) {
        ++m_made.left_out[why];
        return {};
    }

    Result<void> take_answer(const fs::path& folder, const Lowered& one, const std::string& line) {
        std::string what, text;
        try {
            const Json answer = Json::parse(line);
            what = compared(one, answer);
            if (what.empty()) text = answer.at("stablehlo").get<std::string>();
        } catch (const Json::exception&) {
            what = "Python answered what is not understood";
        }
        if (what.empty()) return write_file_atomically(folder / (one.id + ".mlir"), text);
        drop(folder, one, what);
        return {};
    }

    void drop(const fs::path& folder, const Lowered& one, const std::string& why) {
        std::error_code ignored;
        fs::remove(folder / (one.id + ".py"), ignored);
        --m_made.kernels;
        m_made.failures.push_back(one.id + ": " + why);
    }

    const ExportOptions& m_options;
    const RunPython& m_python;
    std::vector<Lowered> m_waiting;
    JaxExport m_made;
    int m_in_vain = 0;  // processes in a row that answered nothing
    bool m_fits = false;
};

}  // namespace

Result<JaxExport> export_jax(const ExportOptions& options, const RunPython& python,
                             const std::stop_token& stop) {
    std::error_code ignored;
    if (fs::exists(options.out, ignored))
        return fail(ErrorKind::bad_argument, options.out.string() + " is there already: name a new folder");
    Export made(options, python);
    IIR2D_RETURN_IF_ERROR(write_directory_atomically(options.out, [&](const fs::path& folder) {
        auto done = for_each_record(
            options.folder, [&](const Json& record) { return made.take(folder, record); }, stop);
        if (done) done = made.lower(folder);
        if (done && !made.fits())
            return Result<void>(fail(ErrorKind::bad_argument, "there is nothing in the data set that fits"));
        return done;
    }));
    return made.made();
}

}  // namespace workbench::synth
