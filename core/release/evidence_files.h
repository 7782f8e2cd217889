// SPDX-License-Identifier: MIT
// The files that are attached to a release.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/release/state.h"
#include "core/support/error.h"
#include "core/support/files.h"

namespace workbench {

inline constexpr std::size_t largest_evidence_file = std::size_t{1} << 26;
inline constexpr std::size_t most_evidence_files = 1000;                            // in a folder
inline constexpr std::uintmax_t largest_evidence_folder = std::uintmax_t{1} << 28;  // all its files
inline constexpr std::uintmax_t largest_evidence = std::uintmax_t{1} << 30;         // of a release, in all

std::filesystem::path evidence_path(const std::filesystem::path& directory, std::string_view name);

struct EvidenceHash {
    std::string sha256;  // of a file; of a folder, of the lines "hash  name" of its files in order
    bool folder = false;
};
// Hashes a plain file, or a folder of plain files with safe names, and nothing else: links, devices, folders
// in folders and what is too large are bad_input, before anything is read. Links are never followed. `stop`
// is looked at before each file.
Result<EvidenceHash> evidence_hash(const std::filesystem::path& path, const std::stop_token& stop = {});

// Calls `use` with each file of a folder, in order, or with the one file and no name; returns the hash of
// all.
Result<EvidenceHash> read_evidence(
    const std::filesystem::path& path,
    const std::function<Result<void>(const std::string& name, const std::string& content)>& use,
    const std::stop_token& stop = {});

// Copies it whole, or not at all, to where nothing is; what is copied is what was hashed.
Result<EvidenceHash> copy_evidence(const std::filesystem::path& from, const std::filesystem::path& to,
                                   const std::stop_token& stop = {});

// Returns the bytes of a file, or of all files of a folder, as the file system says; 0 of what is neither.
std::uintmax_t evidence_size(const std::filesystem::path& path);
// Returns bad_input when what was attached, with `more`, is larger in all than `largest_evidence`. Reads
// nothing of it.
Result<void> check_evidence_size(const std::filesystem::path& directory, const ReleaseState& state,
                                 const std::filesystem::path& more = {});

// Returns the content of a file that was attached: bad_input when it is not what was attached, or missing.
Result<std::string> attached_text(const std::filesystem::path& directory, const Attachment& attachment,
                                  const std::stop_token& stop = {});

// Says how an attachment's file compares with what was attached.
enum class EvidenceState { matches, changed, missing };
struct EvidenceCheck {
    EvidenceState state = EvidenceState::matches;
    std::string problem;  // what is wrong, for a sentence; empty when it matches
};
// Hashes the file or folder again. Only `cancelled` is an error.
Result<EvidenceCheck> check_evidence(const std::filesystem::path& directory, const Attachment& attachment,
                                     const std::stop_token& stop = {});

}  // namespace workbench
