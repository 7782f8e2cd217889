// SPDX-License-Identifier: MIT
// Decides what may be attached as evidence of a kind.
#pragma once

#include <filesystem>
#include <string>

#include "core/release/state.h"
#include "core/support/error.h"

namespace workbench {

// Reads what is at `path` as that kind and returns the commit that it is about: a record states it itself, of
// a report whoever attaches it does; empty where the kind has none. `sha256` is evidence_hash()'s of it.
// bad_input, or check_failed of a record that does not verify, when it cannot be evidence of the kind;
// bad_argument: a commit is needed.
Result<std::string> read_as_kind(const EvidenceKind& kind, const std::filesystem::path& path,
                                 const std::string& sha256, const std::string& stated_commit);

}  // namespace workbench
