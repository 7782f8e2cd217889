// SPDX-License-Identifier: MIT
#include "core/duel/duel_record.h"

#include <utility>

#include "core/duel/duel_layout.h"
#include "core/record/command_line.h"
#include "core/record/layout_reader.h"
#include "core/record/layout_writer.h"
#include "core/support/files.h"
#include "core/support/shell.h"
#include "core/support/strict_json.h"
#include "core/support/try.h"

namespace workbench {

std::string duel_command_line(const DuelSettings& settings, const std::string& base, const std::string& now,
                              std::optional<double> max_regression) {
    const DuelSettings defaults;
    std::string text =
        "iir2d duel " + shell_quoted(base) + " " + shell_quoted(now) + case_options(settings.matrix) +
        " --margin " + format_number(settings.rule.margin) + " --launches " +
        std::to_string(settings.launches) + " --pairs " + std::to_string(settings.rule.least_pairs) + ".." +
        std::to_string(settings.rule.most_pairs) + " --budget " + format_number(settings.budget_seconds);
    if (settings.longest_call_seconds != defaults.longest_call_seconds)
        text += " --longest-call " + format_number(settings.longest_call_seconds);
    if (max_regression) text += " --max-regression " + format_number(*max_regression);
    return text;
}

std::string duel_record_to_json(const DuelRecord& record) {
    return layout::sealed_text(layout::Writer::json_of(record)).text;
}

Result<DuelRecord> duel_record_from_json(std::string_view text) {
    constexpr layout::DocumentKind kind{"the duel's record", "record of a duel", duel_schema_version};
    IIR2D_TRY(const auto document, parse_strictly(text));
    IIR2D_RETURN_IF_ERROR(layout::check_version(document, kind));
    return layout::read_sealed<DuelRecord>(text, document, kind);
}

}  // namespace workbench
