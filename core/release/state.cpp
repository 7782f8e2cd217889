// SPDX-License-Identifier: MIT
#include "core/release/state.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/support/canonical_json.h"
#include "core/support/hex.h"
#include "core/support/listed.h"
#include "core/support/strict_json.h"

namespace workbench {

namespace {

using nlohmann::json;
using Format = EvidenceKind::Format;

constexpr StageRow stage_rows[] = {
    {Stage::dev, "dev", false}, {Stage::rc, "rc", true}, {Stage::ga, "ga", true}};

// Says whether Windows takes it for a device, whatever follows the first dot.
bool is_device(std::string_view lower) {
    const auto stem = lower.substr(0, lower.find('.'));
    constexpr std::string_view devices[] = {"con", "prn", "aux", "nul"};
    if (std::ranges::find(devices, stem) != std::end(devices)) return true;
    return stem.size() == 4 && (stem.starts_with("com") || stem.starts_with("lpt")) && stem[3] >= '0' &&
           stem[3] <= '9';
}

}  // namespace

std::span<const StageRow> stages() {
    return stage_rows;
}

const StageRow& row_of(Stage stage) {
    return stage_rows[static_cast<std::size_t>(stage)];
}

std::string_view name_of(Stage stage) {
    return row_of(stage).name;
}

Result<Stage> stage_from_name(std::string_view name) {
    const auto found = std::ranges::find(stage_rows, name, &StageRow::name);
    if (found != std::end(stage_rows)) return found->stage;
    return fail(ErrorKind::bad_argument, "the stage " + shown(std::string(name)) + " is not one of " +
                                             joined(stage_rows, ", ", &StageRow::name));
}

bool is_release_role(std::string_view name) {
    return std::ranges::find(release_roles, name) != release_roles.end();
}

const std::vector<EvidenceKind>& evidence_kinds() {
    static const std::vector<EvidenceKind> kinds = {{"test-report", Format::junit, true},
                                                    {"c-api-report", Format::junit, true},
                                                    {"parity-report", Format::parity, true},
                                                    {"issues", Format::issues, true},
                                                    {"rebuild", Format::rebuild, true},
                                                    {"smoke-record", Format::record, false},
                                                    {"standard-record", Format::record, false},
                                                    {"baseline-record", Format::record, false},
                                                    {"duel-record", Format::duel, false},
                                                    {"packaging-report", Format::junit, true},
                                                    {"licence", Format::text, false},
                                                    {"notices", Format::text, false},
                                                    {"security-review", Format::security, true},
                                                    {"other", Format::text, false}};
    return kinds;
}

Result<EvidenceKind> evidence_kind_from_name(std::string_view name) {
    const auto& kinds = evidence_kinds();
    const auto found = std::ranges::find(kinds, name, &EvidenceKind::name);
    if (found != kinds.end()) return *found;
    return fail(ErrorKind::bad_argument, "the kind of evidence " + shown(std::string(name)) +
                                             " is not one of " + joined(kinds, ", ", &EvidenceKind::name));
}

std::string ReleaseState::seen() const {
    json evidence = json::array();
    for (const auto& a : attachments) {
        evidence.push_back({{"name", a.name},
                            {"kind", a.kind},
                            {"sha256", a.sha256},
                            {"folder", a.folder},
                            {"commit", a.commit}});
    }
    json waived = json::array();
    for (const auto& w : waivers) {
        waived.push_back({{"scope", w.scope}, {"risk", w.risk}, {"owner", w.owner}, {"expires", w.expires}});
    }
    return canonical_sha256({{"id", id},
                             {"stage", name_of(stage)},
                             {"commit", commit},
                             {"max_regression", max_regression},
                             {"holders", holders},
                             {"attachments", evidence},
                             {"waivers", waived}});
}

const Attachment* ReleaseState::find(std::string_view name) const {
    const auto found = std::ranges::find(attachments, name, &Attachment::name);
    return found == attachments.end() ? nullptr : &*found;
}

const Attachment* ReleaseState::find_like(std::string_view name) const {
    const auto found = std::ranges::find(attachments, lower_case(name),
                                         [](const Attachment& a) { return lower_case(a.name); });
    return found == attachments.end() ? nullptr : &*found;
}

const SignOff* ReleaseState::last_sign_off(std::string_view role) const {
    const SignOff* last = nullptr;
    for (const auto& s : sign_offs) {
        if (s.role == role) last = &s;
    }
    return last;
}

bool is_safe_name(std::string_view name) {
    constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return !name.empty() && name.size() <= 64 && name[0] != '.' && name[0] != '-' && name.back() != '.' &&
           name.find_first_not_of(allowed) == std::string_view::npos && !is_device(lower_case(name));
}

std::string lower_case(std::string_view name) {
    std::string lower(name);
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return lower;
}

bool is_commit(std::string_view text) {
    return text.size() == 40 && is_hex(text);
}

std::optional<std::chrono::sys_days> day_from(std::string_view text) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
    int parts[3] = {};
    const std::string_view fields[3] = {text.substr(0, 4), text.substr(5, 2), text.substr(8, 2)};
    for (int i = 0; i < 3; ++i) {
        const auto& f = fields[i];
        const auto [end, code] = std::from_chars(f.data(), f.data() + f.size(), parts[i]);
        if (code != std::errc{} || end != f.data() + f.size() || parts[i] < 1) return std::nullopt;
    }
    const std::chrono::year_month_day day{std::chrono::year(parts[0]),
                                          std::chrono::month(static_cast<unsigned>(parts[1])),
                                          std::chrono::day(static_cast<unsigned>(parts[2]))};
    if (!day.ok()) return std::nullopt;
    return day;
}

bool is_date(std::string_view text) {
    return day_from(text).has_value();
}

std::optional<std::chrono::sys_seconds> time_from(std::string_view text) {
    constexpr std::string_view form = "T00:00:00Z";
    if (text.size() != 10 + form.size()) return std::nullopt;
    const auto day = day_from(text.substr(0, 10));
    text.remove_prefix(10);
    for (std::size_t i = 0; i < form.size(); ++i) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (form[i] == '0' ? !digit : text[i] != form[i]) return std::nullopt;
    }
    const auto number = [text](std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
    const int hours = number(1), minutes = number(4), seconds = number(7);
    if (!day || hours > 23 || minutes > 59 || seconds > 59) return std::nullopt;
    return *day + std::chrono::hours(hours) + std::chrono::minutes(minutes) + std::chrono::seconds(seconds);
}

}  // namespace workbench
