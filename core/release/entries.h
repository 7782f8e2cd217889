// SPDX-License-Identifier: MIT
// The rules of a release's log. Writing an entry and reading one ask the same rules, so that a log that could
// not have been written is not read as one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/release/log.h"
#include "core/release/state.h"
#include "core/support/error.h"

namespace workbench {

inline constexpr std::size_t most_entries = 2000;

// Applies the entries, one after the other, to a new state. bad_input names the first entry, by its line and
// type, that cannot follow those before it. That a release may be promoted depends on its evidence too:
// wrong_with_promotion().
Result<ReleaseState> replay(const std::vector<LogEntry>& log);

// Returns "log.jsonl: line 3 (waive): ".
std::string place_of(std::size_t line, std::string_view type);

// Returns the text that a sign-off signs: by the hash of the last entry all that is in the log, by `seen`
// what is judged, and when.
std::string sign_off_message(const ReleaseState& state, std::string_view role, std::string_view person,
                             std::string_view seen, const EntryTime& time);

// The rules: each returns a sentence that says what is wrong; empty: nothing.
// Judges a release that begins: its id, stage, commit, limit and keys.
std::string wrong_with_beginning(const ReleaseState& state);
std::string wrong_with_attachment(const ReleaseState& state, const Attachment& attachment);
// `clock` is what the clock shows when the waiver is given.
std::string wrong_with_waiver(const Waiver& waiver, std::string_view clock);
// Judges all but the signature; `key` is the key's hex digits.
std::string wrong_with_sign_off(const ReleaseState& state, std::string_view role, std::string_view person,
                                std::string_view key);

}  // namespace workbench
