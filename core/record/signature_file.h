// SPDX-License-Identifier: MIT
// A detached signature as a file: four lines, one way to write them.
#pragma once

#include <string>
#include <string_view>

#include "core/support/signing.h"

namespace workbench {

inline constexpr std::string_view signature_name = "SHA256SUMS.sig";

struct SignatureFile {
    PublicKey key;
    std::string signature;  // hex
};

// Signs a record: the text of its SHA256SUMS, whose hashes cover every other file.
Result<std::string> signature_file_text(const SigningKey& key, std::string_view sums);

// bad_input unless it is byte for byte what signature_file_text() writes.
Result<SignatureFile> parse_signature_file(std::string_view text);

// Returns whether the file's signature is its key's for that text.
bool signs(const SignatureFile& file, std::string_view sums);

}  // namespace workbench
