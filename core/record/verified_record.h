// SPDX-License-Identifier: MIT
// A record that was accepted, as the one reading of it that was verified.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/support/error.h"
#include "core/support/signing.h"

namespace workbench {

struct VerifiedRecord {
    std::filesystem::path path;  // as it was asked for
    std::string text;            // record.json, byte for byte
    nlohmann::json json;         // that text, which fits its schema
    std::optional<PublicKey> signer;
};

// Verifies the record at `path` (a directory or a record.json) and keeps what was verified, so that nothing
// of it has to be read again, when it may be another. bad_input when there is none, check_failed with the
// first problem when it is not accepted.
Result<VerifiedRecord> read_verified_record(const std::filesystem::path& path);

}  // namespace workbench
