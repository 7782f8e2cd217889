// SPDX-License-Identifier: MIT
// What may be attached as evidence of a kind.
#pragma once

#include <filesystem>
#include <string>

#include "core/record/record.h"
#include "core/release/state.h"
#include "core/support/error.h"

namespace workbench {

// Reads what is at `path` as that kind: the commit that it is about, stated by a record itself and of a
// report by who attaches it; empty where the kind has none. `sha256` is evidence_hash()'s of it. bad_input,
// or check_failed of a record that does not verify, when it cannot be evidence of the kind; bad_argument: a
// commit is needed.
Result<std::string> read_as_kind(const EvidenceKind& kind, const std::filesystem::path& path,
                                 const std::string& sha256, const std::string& stated_commit);

// The record in a directory whose evidence_hash() is `sha256`. Read and verified once in this process.
Result<Record> record_at(const std::filesystem::path& path, const std::string& sha256);

}  // namespace workbench
