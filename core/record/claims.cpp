// SPDX-License-Identifier: MIT
#include "core/record/claims.h"

#include <algorithm>

#include "core/support/canonical_json.h"
#include "core/support/counted.h"
#include "core/support/markdown.h"

namespace workbench {

namespace {

constexpr std::size_t fewest_samples = 20;

std::string item(bool holds, const std::string& text) {
    return std::string("- [") + (holds ? "x" : " ") + "] " + text + "\n";
}

std::string stopping_text(const BenchmarkMatrix& matrix) {
    if (!matrix.stopping) return "after " + counted(static_cast<std::uint64_t>(matrix.iterations), "sample");
    const StoppingRule& rule = *matrix.stopping;
    return "when the 95 % interval of the median is within " + brief_number(100 * rule.precision) +
           " % of it, after " + std::to_string(rule.least) + " to " + std::to_string(rule.most) +
           " samples and at most " + brief_number(rule.most_seconds) + " s";
}

std::string how(const Record& record) {
    const BenchmarkMatrix& matrix = record.run.matrix;
    std::string out = "\n## How it was measured\n\n";
    out += "- record_id: " + record.record_id + "\n";
    if (!record.reproduces.empty())
        out += "- It measures again what record " + record.reproduces + " measured.\n";
    out += "- Protocol: " + (matrix.protocol.empty() ? "none" : markdown_escaped(matrix.protocol)) + "\n";
    out += "- A case ends " + stopping_text(matrix) + ".\n";
    out += std::string("- The caches are ") + (matrix.cold_cache ? "cold" : "warm") + " when a run begins.\n";
    out += "- Transfers to and from a GPU: " + record.run.transfers + ".\n";
    for (const CaseResult& one : record.run.results) {
        if (one.samples.empty()) continue;
        const Interval& interval = one.latency_p50_interval;
        out += "- " + markdown_escaped(one.what.key) + ": p50 is " + brief_number(interval.low) + " to " +
               brief_number(interval.high) + " ms (95 %), " + std::to_string(one.samples.size()) +
               " samples, ended by " + std::string(name_of(one.stop_reason));
        out += one.inconclusive.empty() ? "\n"
                                        : "; **inconclusive**: " + markdown_escaped(one.inconclusive) + "\n";
    }
    return out;
}

std::string hygiene(const Record& record) {
    const Environment& e = record.environment;
    const auto every_case = [&](auto holds) { return std::ranges::all_of(record.run.results, holds); };
    const auto is_timed = [](const CaseResult& one) { return !one.samples.empty(); };
    std::string out =
        "\n## Claim hygiene\n\nFilled in from the data. Claim nothing that an open box takes back.\n\n";
    out += item(!record.run.matrix.protocol.empty(), "It was run by a named protocol.");
    out += item(!record.run.cancelled, "The run was not cancelled.");
    out += item(every_case(is_timed), "Every case was timed.");
    out += item(every_case([](const CaseResult& one) { return one.parity && one.parity->passed; }),
                "Every case agrees with the double-precision reference.");
    out += item(
        every_case([](const CaseResult& one) { return one.samples.size() >= fewest_samples; }),
        "Every case has at least " + std::to_string(fewest_samples) + " samples; p50 and p95 are given.");
    out += item(every_case([&](const CaseResult& one) { return is_timed(one) && one.inconclusive.empty(); }),
                "No case is inconclusive.");
    out += item(every_case([](const CaseResult& one) {
                    return !one.input_sha256.empty() && !one.output_sha256.empty();
                }),
                "Every input and output has its hash.");
    out += item(e.commit && e.dirty.value == false, "The commit is known and had no uncommitted changes.");
    out += item(e.library_sha256.value.has_value(), "The library's hash is known.");
    out += item(!record.command_line.empty(), "The exact command is given.");
    return out;
}

}  // namespace

std::string claims_sections(const Record& record) {
    return how(record) + hygiene(record) +
           "\n## Approvals\n\nPending. A record approves nothing; a release's sign-offs do.\n";
}

std::string conclusive_mark(const CaseResult& one) {
    return one.inconclusive.empty() ? "" : " (inconclusive)";
}

}  // namespace workbench
