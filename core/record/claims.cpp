// SPDX-License-Identifier: MIT
#include "core/record/claims.h"

#include <algorithm>

#include "core/record/record_json.h"
#include "core/support/markdown.h"

namespace workbench {

namespace {

using nlohmann::json;

constexpr std::size_t fewest_samples = 20;

std::string item(bool holds, const std::string& text) {
    return std::string("- [") + (holds ? "x" : " ") + "] " + text + "\n";
}

std::string stopping_text(const json& matrix) {
    const json& rule = value_of(matrix.at("stopping"));
    if (rule.is_null()) return "after " + cell_text(matrix.at("iterations")) + " samples";
    return "when the 95 % interval of the median is within " +
           brief_number(100 * rule.at("precision").get<double>()) + " % of it, after " +
           cell_text(rule.at("least")) + " to " + cell_text(rule.at("most")) + " samples and at most " +
           brief_number(rule.at("most_seconds").get<double>()) + " s";
}

std::string how(const json& record) {
    const json& matrix = record.at("matrix");
    const json& protocol = value_of(matrix.at("protocol"));
    const json& again = value_of(record.at("reproduces"));
    std::string out = "\n## How it was measured\n\n";
    out += "- record_id: " + record_id(record) + "\n";
    if (!again.is_null()) out += "- It measures again what record " + cell_text(again) + " measured.\n";
    out +=
        "- Protocol: " + (protocol.is_null() ? std::string("none") : markdown_escaped(cell_text(protocol))) +
        "\n";
    out += "- A case ends " + stopping_text(matrix) + ".\n";
    out += "- The caches are " + cell_text(matrix.at("cache")) + " when a run begins.\n";
    out += "- Transfers to and from a GPU: " + cell_text(record.at("measurement").at("transfers")) + ".\n";
    for (const json& one : record.at("cases")) {
        const json& t = value_of(one.at("timing"));
        if (t.is_null()) continue;
        const json& interval = t.at("latency_p50_interval_ms");
        out += "- " + markdown_escaped(cell_text(one.at("key"))) + ": p50 is " +
               brief_number(interval.at("low").get<double>()) + " to " +
               brief_number(interval.at("high").get<double>()) + " ms (95 %), " +
               std::to_string(t.at("samples_ms").size()) + " samples, ended by " +
               cell_text(t.at("stop_reason"));
        const json& why = value_of(t.at("inconclusive"));
        out += why.is_null() ? "\n" : "; **inconclusive**: " + markdown_escaped(cell_text(why)) + "\n";
    }
    return out;
}

template <class Holds>
bool all_cases(const json& record, Holds holds) {
    return std::ranges::all_of(record.at("cases"), holds);
}

std::string hygiene(const json& record) {
    const json& e = record.at("environment");
    const auto timing = [](const json& one) -> const json& { return value_of(one.at("timing")); };
    std::string out =
        "\n## Claim hygiene\n\nFilled in from the data. Claim nothing that an open box takes back.\n\n";
    out += item(!value_of(record.at("matrix").at("protocol")).is_null(), "It was run by a named protocol.");
    out += item(record.at("cancelled") == false, "The run was not cancelled.");
    out += item(all_cases(record, [&](const json& one) { return !timing(one).is_null(); }),
                "Every case was timed.");
    out += item(all_cases(record,
                          [](const json& one) {
                              const json& parity = value_of(one.at("parity"));
                              return parity.is_object() && parity.at("passed") == true;
                          }),
                "Every case agrees with the double-precision reference.");
    out += item(
        all_cases(record,
                  [&](const json& one) {
                      return !timing(one).is_null() && timing(one).at("samples_ms").size() >= fewest_samples;
                  }),
        "Every case has at least " + std::to_string(fewest_samples) + " samples; p50 and p95 are given.");
    out += item(all_cases(record,
                          [&](const json& one) {
                              return !timing(one).is_null() &&
                                     value_of(timing(one).at("inconclusive")).is_null();
                          }),
                "No case is inconclusive.");
    out += item(all_cases(record,
                          [](const json& one) {
                              return !value_of(one.at("input_sha256")).is_null() &&
                                     !value_of(one.at("output_sha256")).is_null();
                          }),
                "Every input and output has its hash.");
    out += item(!value_of(e.at("commit")).is_null() && value_of(e.at("dirty")) == false,
                "The commit is known and had no uncommitted changes.");
    out += item(!value_of(e.at("library_sha256")).is_null(), "The library's hash is known.");
    out += item(!cell_text(record.at("command_line")).empty(), "The exact command is given.");
    return out;
}

}  // namespace

std::string claims_sections(const json& record) {
    return how(record) + hygiene(record) +
           "\n## Approvals\n\nPending. A record approves nothing; a release's sign-offs do.\n";
}

std::string conclusive_mark(const json& one) {
    const json& t = value_of(one.at("timing"));
    if (t.is_null() || value_of(t.at("inconclusive")).is_null()) return {};
    return " (inconclusive)";
}

}  // namespace workbench
