// SPDX-License-Identifier: MIT
// The members of a duel's record: duel.json is written and read by this table.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <tuple>

#include "core/duel/duel_record.h"
#include "core/record/layout.h"
#include "core/record/record_layout.h"
#include "core/support/text.h"

namespace workbench::layout {

template <>
struct Words<DuelVerdict> {
    static constexpr std::array values = {DuelVerdict::undecided, DuelVerdict::same,      DuelVerdict::faster,
                                          DuelVerdict::slower,    DuelVerdict::ambiguous, DuelVerdict::wrong,
                                          DuelVerdict::failed};
    static std::string_view name(DuelVerdict verdict) { return name_of(verdict); }
};

template <>
struct Layout<LibraryFile> {
    static constexpr auto rows = std::tuple{
        member("given", &LibraryFile::given, a_name),
        computed(
            "path", [](const LibraryFile& l) { return utf8_path(l.path); },
            [](LibraryFile& l, std::string path) {
                l.path = std::filesystem::path(std::move(path));
                return true;
            },
            a_name),
        member("sha256", &LibraryFile::sha256, a_sha256),
        nullable("version", &LibraryFile::version, says("no worker has opened it"), a_name),
        nullable("build_fingerprint", &LibraryFile::fingerprint, says("the library does not say"), a_name)};
};
template <>
struct Layout<DuelRule> {
    static constexpr auto rows =
        std::tuple{member("margin", &DuelRule::margin, {.least = 0, .most = 1}),
                   member("alpha", &DuelRule::alpha, {.least = 0.05, .most = 0.05}),
                   member("least_pairs", &DuelRule::least_pairs, positive),
                   member("most_pairs", &DuelRule::most_pairs, {.least = 1, .most = most_duel_pairs}),
                   member("resamples", &DuelRule::resamples, {.least = 300, .most = 300}),
                   member("seed", &DuelRule::seed)};
};
template <>
struct Layout<RatioEstimate> {
    static constexpr auto rows = std::tuple{member("ratio", &RatioEstimate::ratio, not_negative),
                                            member("interval", &RatioEstimate::interval),
                                            member("log_error", &RatioEstimate::log_error, not_negative),
                                            member("pairs", &RatioEstimate::pairs, not_negative),
                                            member("launches", &RatioEstimate::launches, not_negative)};
};
template <>
struct Layout<DuelLook> {
    static constexpr auto rows = std::tuple{member("fraction", &DuelLook::fraction, {.least = 0, .most = 1}),
                                            member("alpha", &DuelLook::alpha, {.least = 0, .most = 1}),
                                            member("effect", &DuelLook::effect),
                                            member("control", &DuelLook::control),
                                            member("verdict", &DuelLook::verdict),
                                            member("reason", &DuelLook::reason)};
};
inline constexpr Limits one_a_participant = {
    .least = 0, .fewest_items = participant_count, .most_items = participant_count};
template <>
struct Layout<DuelRound> {
    static constexpr auto rows = std::tuple{member("order", &DuelRound::order, a_name),
                                            member("ms", &DuelRound::ms, one_a_participant),
                                            member("preempted", &DuelRound::preempted, one_a_participant)};
};
template <>
struct Layout<DuelLaunch> {
    static constexpr auto rows =
        std::tuple{member("alignment", &DuelLaunch::alignment, {.least = 0, .most = 4096}),
                   member("processors", &DuelLaunch::processors, {.least = 0, .most_items = 1024}),
                   member("rounds", &DuelLaunch::rounds, {.fewest_items = 2, .most_items = 1000})};
};
template <>
struct Layout<DuelOutputs> {
    static constexpr auto rows =
        std::tuple{member("equal_bits", &DuelOutputs::equal_bits),
                   finite_number("max_abs_error", &DuelOutputs::max_abs_error,
                                 says("only one of them is a NaN or an infinity somewhere"), not_negative),
                   member("max_ulp", &DuelOutputs::max_ulp, not_negative),
                   member("bound", &DuelOutputs::bound, not_negative),
                   member("bound_is_relative", &DuelOutputs::bound_is_relative),
                   member("base_sha256", &DuelOutputs::base_sha256, a_sha256),
                   member("new_sha256", &DuelOutputs::now_sha256, a_sha256)};
};
template <>
struct Layout<DuelCase> {
    static constexpr auto rows =
        std::tuple{Position{"index"},
                   merged(&DuelCase::what),
                   member("started_utc", &DuelCase::started_utc, a_utc),
                   member("seconds", &DuelCase::seconds, not_negative),
                   member("verdict", &DuelCase::verdict),
                   member("reason", &DuelCase::reason),
                   nullable("outputs", &DuelCase::outputs, says("no results were compared")),
                   member("calls_per_sample", &DuelCase::calls_per_sample, positive),
                   member("looks", &DuelCase::looks, {.most_items = 100}),
                   member("launches", &DuelCase::launches, {.most_items = most_duel_launches})};
};

template <class T>
constexpr auto of_duel(T Duel::*place) {
    return [place](auto& record) -> auto& {
        return record.duel.*place;
    };
}
template <class T>
constexpr auto of_duel_settings(T DuelSettings::*place) {
    return [place](auto& record) -> auto& {
        return record.duel.settings.*place;
    };
}
template <>
struct Layout<DuelRecord> {
    static constexpr auto rows = std::tuple{
        constant("schema", "iir2d-workbench/duel"),
        constant("schema_version", duel_schema_version),
        member(seal_name, &DuelRecord::record_id, a_sha256),
        member("command_line", &DuelRecord::command_line),
        member("started_utc", of_duel(&Duel::started_utc), a_utc),
        member("finished_utc", of_duel(&Duel::finished_utc), a_utc),
        member("cancelled", of_duel(&Duel::cancelled)),
        member("case_total", of_duel(&Duel::case_total), positive),
        member("base", of_duel(&Duel::base)),
        member("new", of_duel(&Duel::now)),
        member("threads", of_duel(&Duel::threads), positive),
        member("matrix", of_duel_settings(&DuelSettings::matrix)),
        group("rule", merged(of_duel_settings(&DuelSettings::rule)),
              member("launches", of_duel_settings(&DuelSettings::launches), {.least = 2, .most = 1000}),
              member("budget_seconds", of_duel_settings(&DuelSettings::budget_seconds), not_negative),
              member("longest_call_seconds", of_duel_settings(&DuelSettings::longest_call_seconds),
                     not_negative)),
        nullable("max_regression", &DuelRecord::max_regression, says("no case may be SLOWER"), not_negative),
        member("environment", &DuelRecord::environment),
        group("program", constant("name", "iir2d-workbench"),
              derived(
                  "version", [](const DuelRecord& r) { return r.environment.version; }, true)),
        member("cases", of_duel(&Duel::cases), {.fewest_items = 1})};
};

}  // namespace workbench::layout
