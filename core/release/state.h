// SPDX-License-Identifier: MIT
// The state of a release, as its log says.
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/error.h"

namespace workbench {

enum class Stage { dev, rc, ga };
struct StageRow {
    Stage stage;
    std::string_view name;
    bool needs_keys;  // one of each role
};
// Returns the rows in the order of the enumeration.
std::span<const StageRow> stages();
const StageRow& row_of(Stage stage);
std::string_view name_of(Stage stage);
Result<Stage> stage_from_name(std::string_view name);

inline constexpr std::array<std::string_view, 4> release_roles = {"kernel-engineer", "platform-engineer",
                                                                  "qa-engineer", "product-lead"};
bool is_release_role(std::string_view name);

// A kind says what an attachment is evidence of, and how it is read.
struct EvidenceKind {
    enum class Format { junit, parity, issues, rebuild, record, duel, security, text };
    std::string_view name;
    Format format;
    bool needs_commit;  // says nothing itself of the commit it is about
    // Returns whether it is a directory that says what it is about.
    bool is_record() const { return format == Format::record || format == Format::duel; }
};
const std::vector<EvidenceKind>& evidence_kinds();
Result<EvidenceKind> evidence_kind_from_name(std::string_view name);

struct Attachment {
    std::string name;
    std::string kind;
    std::string sha256;  // of a folder: of the lines "hash  name" of its files
    bool folder = false;
    std::string commit;  // that it is about; empty where the kind has none
    std::string utc;
    std::size_t line = 0;  // of log.jsonl
};

struct Waiver {
    std::string scope;  // "issue:ID" or a requirement's id
    std::string risk;
    std::string owner;
    std::string expires;  // YYYY-MM-DD, the last day on which it counts
    std::string utc;
    // The latest that the clock showed for an entry since it was given: what was seen to expire stays
    // expired.
    std::string latest_clock = {};
};

struct SignOff {
    std::string role;
    std::string person;
    std::string key;   // hex
    std::string seen;  // the hash of what was signed
    std::string signature;
    std::string utc;
};

struct ReleaseState {
    std::string id;
    Stage stage = Stage::dev;
    std::string commit;
    double max_regression = 0.25;
    std::map<std::string, std::string> holders;  // role to public key
    std::string created_utc;
    std::string changed_utc;  // the last entry's date
    std::string clock_utc;    // what the clock showed for it
    std::vector<Attachment> attachments;
    std::vector<Waiver> waivers;
    std::vector<SignOff> sign_offs;
    std::optional<std::string> promoted_utc;
    std::size_t entries = 0;
    std::string log_head;  // hash of the last entry

    // Returns the SHA-256 of everything that a sign-off is about: identity, stage, commit, limit, keys,
    // evidence, waivers. Not the sign-offs themselves.
    std::string seen() const;
    const Attachment* find(std::string_view name) const;
    // Ignores the case of letters: not every file system tells them apart.
    const Attachment* find_like(std::string_view name) const;
    const SignOff* last_sign_off(std::string_view role) const;
};

// Says whether it is a file or folder name that means the same everywhere: letters, digits, '.', '_' and '-',
// at most 64, not first '.' or '-', not last '.', and no device of Windows (CON, NUL.txt).
bool is_safe_name(std::string_view name);
std::string lower_case(std::string_view name);
bool is_commit(std::string_view text);  // 40 lower-case hex digits
// Reads YYYY-MM-DD of the calendar; nothing for any other text.
std::optional<std::chrono::sys_days> day_from(std::string_view text);
bool is_date(std::string_view text);
// Reads "2025-03-09T17:05:00Z"; nothing for any other text.
std::optional<std::chrono::sys_seconds> time_from(std::string_view text);

}  // namespace workbench
