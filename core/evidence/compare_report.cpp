// SPDX-License-Identifier: MIT
// A comparison for programs and for people.
#include <fmt/core.h>

#include <array>
#include <nlohmann/json.hpp>

#include "core/evidence/compare.h"
#include "core/support/listed.h"
#include "core/support/markdown.h"

namespace workbench {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json value_or_null(const Fact<T>& fact) {
    return fact ? Json(*fact) : Json();
}

Json json_of(const Record& r) {
    const Environment& e = r.environment;
    return {{"record_id", r.record_id},
            {"path", r.path},
            {"started_utc", r.run.started_utc},
            {"host", value_or_null(e.host)},
            {"processor", value_or_null(e.cpu_model)},
            {"device", r.run.device.id},
            {"device_name", r.run.device.name},
            {"threads", r.run.threads},
            {"version", e.version},
            {"commit", value_or_null(e.commit)},
            {"dirty", value_or_null(e.dirty)},
            {"library_sha256", value_or_null(e.library_sha256)}};
}

Json json_of(const Interval& i) {
    return Json::array({i.low, i.high});
}

Json json_of(const CaseFigures& f) {
    return {{"key", f.key},
            {"samples", f.count},
            {"p50", f.p50},
            {"p50_interval", json_of(f.p50_interval)},
            {"p95", f.p95},
            {"relative_drift", f.drift},
            {"preempted", f.preempted}};
}

Json json_of(const CaseComparison& c) {
    const bool judged = c.verdict != Verdict::not_timed;
    return {{"key", c.now.key},
            {"verdict", name_of(c.verdict)},
            {"cost_ratio", judged ? Json(c.cost_ratio) : Json()},
            {"cost_ratio_interval", judged ? json_of(c.ratio_interval) : Json()},
            {"p_value", judged ? Json(c.test.p_value) : Json()},
            {"p_value_method", c.test.exact ? "exact" : "normal approximation"},
            {"regression", c.regression},
            {"unresolved", c.unresolved},
            {"same_output", c.same_output ? Json(*c.same_output) : Json()},
            {"base", json_of(c.base)},
            {"new", json_of(c.now)},
            {"notes", c.notes}};
}

std::string commit_text(const Record& r) {
    if (!r.environment.commit) return {};
    return *r.environment.commit + (r.environment.dirty.value_or(false) ? ", with uncommitted changes" : "");
}

std::string records_table(const RecordComparison& c) {
    std::string out = "| | base | new |\n| --- | --- | --- |\n";
    const auto line = [&](const char* name, auto text) {
        const auto cell = [&](const Record& r) {
            const std::string value = text(r);
            return markdown_escaped(value.empty() ? "not known" : value);
        };
        out += markdown_row({name, cell(*c.base), cell(*c.now)});
    };
    line("Record", [](const Record& r) { return r.record_id; });
    line("Measured", [](const Record& r) { return r.run.started_utc; });
    line("Host", [](const Record& r) { return r.environment.host.value_or(""); });
    line("Processor", [](const Record& r) { return r.environment.cpu_model.value_or(""); });
    line("Device", [](const Record& r) { return r.run.device.id + ": " + r.run.device.name; });
    line("Threads", [](const Record& r) { return std::to_string(r.run.threads); });
    line("Version", [](const Record& r) { return r.environment.version; });
    line("Commit", commit_text);
    line("Library, SHA-256", [](const Record& r) { return r.environment.library_sha256.value_or(""); });
    return out;
}

std::string p_text(double p) {
    return p < 1e-4 ? "< 0.0001" : brief_number(p);
}

std::string name_of_pair(const CaseComparison& c) {
    if (c.base.key == c.now.key) return markdown_escaped(c.now.key);
    return markdown_escaped(c.now.key) + " against " + markdown_escaped(c.base.key);
}

std::string case_table(const RecordComparison& comparison) {
    const std::string unit(unit_of(comparison.settings.metric));
    std::string out = "| Case | verdict | cost ratio | 95 % interval | p | base p50 " + unit +
                      " | base p95 | new p50 | new p95 | samples |\n"
                      "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for (const auto& c : comparison.cases) {
        const std::string verdict =
            std::string(name_of(c.verdict)) + (c.regression   ? " (regression)"
                                               : c.unresolved ? " (not shown to be within the limit)"
                                                              : "");
        if (c.verdict == Verdict::not_timed) {
            out += markdown_row({name_of_pair(c), verdict, "-", "-", "-", "-", "-", "-", "-", "-"});
            continue;
        }
        out +=
            markdown_row({name_of_pair(c), verdict, brief_number(c.cost_ratio),
                          brief_number(c.ratio_interval.low) + " to " + brief_number(c.ratio_interval.high),
                          p_text(c.test.p_value), brief_number(c.base.p50), brief_number(c.base.p95),
                          brief_number(c.now.p50), brief_number(c.now.p95),
                          std::to_string(c.base.count) + ", " + std::to_string(c.now.count)});
    }
    return out;
}

std::string list_of(std::string_view title, const std::vector<std::string>& items) {
    if (items.empty()) return {};
    std::string out = "\n## " + std::string(title) + "\n\n";
    for (const auto& item : items) out += "- " + markdown_escaped(item) + "\n";
    return out;
}

std::string method(const CompareSettings& s) {
    std::string text =
        "\nThe cost ratio is the median of the new record over that of the base, turned so that above 1 is "
        "slower. The interval is a percentile bootstrap of ";
    text += std::to_string(s.bootstrap.resamples);
    text += " resamples, p is that of a two-sided Mann-Whitney U test. SAME: the whole interval is within ";
    text += percent_text(s.margin) + ". SLOWER and FASTER: the interval leaves out 1, p is below ";
    text += brief_number(s.significance);
    text +=
        " and the ratio is beyond the margin, both by the clock and beside the copy. AMBIGUOUS: none of "
        "these, or "
        "the samples drift by more than the margin, or a GPU was throttled. ";
    if (!s.max_regression) return text + "Every SLOWER case is a regression.\n";
    return text + "A SLOWER case above " + percent_text(*s.max_regression) +
           " is a regression, an AMBIGUOUS one is not shown to be within that limit.\n";
}

}  // namespace

std::string verdict_counts(const RecordComparison& c) {
    constexpr std::array verdicts = {Verdict::same, Verdict::faster, Verdict::slower, Verdict::ambiguous};
    return joined(verdicts, ", ", [&c](Verdict v) { return fmt::format("{} {}", c.count(v), name_of(v)); });
}

std::string comparison_to_json(const RecordComparison& c) {
    Json cases = Json::array();
    for (const auto& one : c.cases) cases.push_back(json_of(one));
    const auto wrong = shortcomings(c);
    const std::string duel = duel_command(c);
    const Json json{{"schema", "iir2d-workbench/comparison"},
                    {"schema_version", 1},
                    {"metric", name_of(c.settings.metric)},
                    {"unit", unit_of(c.settings.metric)},
                    {"margin", c.settings.margin},
                    {"significance", c.settings.significance},
                    {"max_regression", c.settings.max_regression ? Json(*c.settings.max_regression) : Json()},
                    {"confidence", c.settings.bootstrap.confidence},
                    {"resamples", c.settings.bootstrap.resamples},
                    {"base", json_of(*c.base)},
                    {"new", json_of(*c.now)},
                    {"allow_unlike", c.settings.allow_unlike},
                    {"unlike", c.unlike},
                    {"missing_in_new", c.missing_in_new},
                    {"missing_in_base", c.missing_in_base},
                    {"passed", wrong.empty()},
                    {"shortcomings", wrong},
                    {"duel_command", duel.empty() ? Json() : Json(duel)},
                    {"cases", cases}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string comparison_to_markdown(const RecordComparison& c) {
    std::string out = "# Comparison of two benchmark records\n\n";
    const auto wrong = shortcomings(c);
    // AMBIGUOUS is no verdict that anything passed; with a limit it is a shortcoming, or shown to be within
    // it.
    const bool doubtful = c.count(Verdict::ambiguous) > 0;
    out += !wrong.empty()              ? "**Not passed**"
           : !doubtful                 ? "**Passed**"
           : c.settings.max_regression ? "**Passed, within the limit**"
                                       : "**Undecided**";
    out += ": " + verdict_counts(c);
    if (const auto left = c.count(Verdict::not_timed); left > 0)
        out += ", " + std::to_string(left) + " NOT TIMED";
    out += ".\n";
    if (!c.unlike.empty()) {
        out +=
            "\n**The records are unlike and were compared because that was asked for. The ratios are not a "
            "change of the program alone.**\n";
    }
    out += list_of("Why it did not pass", wrong);
    out += list_of("What is unlike", c.unlike);
    out += "\n## Cases\n\n" + case_table(c) + method(c.settings);
    std::vector<std::string> notes;
    for (const auto& one : c.cases) {
        for (const auto& note : one.notes) notes.push_back(one.now.key + ": " + note);
    }
    if (const auto command = duel_command(c); !command.empty())
        notes.push_back("Measured in pairs, the ambiguous cases have an answer: " + command);
    out += list_of("Notes", notes);
    out += list_of("Cases missing in the new record", c.missing_in_new);
    out += list_of("Cases missing in the base record", c.missing_in_base);
    out += "\n## Records\n\n" + records_table(c);
    out += "\n## Commands that measured them\n\n" + markdown_code_block(c.base->command_line) + "\n" +
           markdown_code_block(c.now->command_line);
    return out;
}

}  // namespace workbench
