// SPDX-License-Identifier: MIT
// The report of a duel for a person, and for the comment of a pull request.
#include <string>

#include "core/duel/duel_record.h"
#include "core/evidence/compare.h"
#include "core/support/files.h"
#include "core/support/listed.h"
#include "core/support/markdown.h"

namespace workbench {

namespace {

std::string results_text(const DuelCase& c) {
    if (!c.outputs) return "-";
    if (c.outputs->equal_bits) return "equal bits";
    return "max " + brief_number(c.outputs->max_abs_error) + ", " + std::to_string(c.outputs->max_ulp) +
           " ULP";
}

std::string figure_or_dash(const std::optional<double>& value) {
    return value ? brief_number(*value) : "-";
}

std::string row_of_case(const DuelCase& c) {
    std::string text =
        "| " + markdown_escaped(c.what.label) + " | " + std::string(name_of(c.verdict)) + " | ";
    if (const DuelLook* look = c.last()) {
        text += change_text(look->effect.ratio) + " | " + change_text(look->effect.interval) + " | " +
                change_text(look->control.interval) + " | ";
    } else {
        text += "- | - | - | ";
    }
    text += std::to_string(c.pairs()) + " | " + figure_or_dash(median_ms(c, Participant::base)) + " | " +
            figure_or_dash(median_ms(c, Participant::now)) + " | " +
            figure_or_dash(ratio_to_copy(c, Participant::now)) + " | " + results_text(c) + " |\n";
    return text;
}

std::string side_of(std::string_view name, const LibraryFile& library) {
    return "| " + std::string(name) + " | `" + library.sha256.substr(0, 12) + "` | " +
           markdown_escaped(library.fingerprint.empty() ? "not said" : library.fingerprint) + " |\n";
}

}  // namespace

std::string duel_record_to_markdown(const DuelRecord& record) {
    const Duel& duel = record.duel;
    std::string text = "# Duel: " + verdict_counts(duel) + "\n\n";
    if (duel.cancelled)
        text += "Interrupted after " + std::to_string(duel.cases.size()) + " of " +
                std::to_string(duel.case_total) + " cases.\n\n";
    const auto wrong = shortcomings(duel, record.max_regression);
    for (const auto& sentence : wrong) text += "- " + markdown_escaped(sentence) + "\n";
    if (!wrong.empty()) text += "\n";
    text += "| side | library | build |\n| --- | --- | --- |\n";
    text += side_of("base", duel.base) + side_of("new", duel.now) + "\n";
    text +=
        "| case | verdict | change | interval | control | pairs | base ms | new ms | new over copy | results "
        "|\n";
    text += "| --- | --- | --: | --- | --- | --: | --: | --: | --: | --- |\n";
    for (const DuelCase& c : duel.cases) text += row_of_case(c);
    std::string reasons;
    for (const DuelCase& c : duel.cases) {
        if (!c.reason.empty())
            reasons += "- " + markdown_escaped(c.what.key) + ": " + markdown_escaped(c.reason) + "\n";
    }
    if (!reasons.empty()) text += "\n" + reasons;
    text +=
        "\nThe change is that of the time of a call, NEW over BASE, measured in pairs by processes that take "
        "turns on the same processors. SAME: the whole interval is within " +
        percent_text(duel.settings.rule.margin) +
        ". FASTER, SLOWER: the interval leaves out 0 % and the change is beyond the margin and outside the "
        "control's interval, that of BASE against itself. All looks of a case together leave the truth out "
        "with "
        "a probability of at most " +
        percent_text(duel.settings.rule.alpha) + ".\n\n";
    const Environment& e = record.environment;
    text += "Measured " + duel.started_utc + " on " +
            markdown_escaped(e.cpu_model ? *e.cpu_model : "a processor that is not known") + ", " +
            std::to_string(duel.threads) + (duel.threads == 1 ? " thread" : " threads") + ", load " +
            (e.load_before ? brief_number(*e.load_before) : "not known") + " before.\n\n";
    text += markdown_code_block(record.command_line) + "\nrecord_id " + record.record_id + "\n";
    return text;
}

}  // namespace workbench
