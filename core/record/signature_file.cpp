// SPDX-License-Identifier: MIT
#include "core/record/signature_file.h"

#include "core/support/hex.h"
#include "core/support/try.h"

namespace workbench {

namespace {

// What is signed starts with what it is, so that no signature serves for something else.
std::string message_of(std::string_view sums) {
    return "iir2d record signature 1\n" + std::string(sums);
}

std::string text_of(std::string_view key, std::string_view signature) {
    return "iir2d-signature 1\nalgorithm ed25519\npublic-key " + std::string(key) + "\nsignature " +
           std::string(signature) + "\n";
}

}  // namespace

Result<std::string> signature_file_text(const SigningKey& key, std::string_view sums) {
    IIR2D_TRY(const auto signature, key.sign(message_of(sums)));
    return text_of(key.public_key().hex(), signature);
}

Result<SignatureFile> parse_signature_file(std::string_view text) {
    // Every text has its fields at the same places.
    static const std::size_t key_at = text_of("", "").find("\nsignature");
    const std::size_t signature_at = key_at + 64 + std::string_view("\nsignature ").size();
    SignatureFile file;
    const auto wrong = fail(ErrorKind::bad_input, "it is not a signature file of version 1");
    if (text.size() != text_of(std::string(64, '0'), std::string(128, '0')).size()) return wrong;
    const auto key = public_key_from_hex(text.substr(key_at, 64));
    file.signature = text.substr(signature_at, 128);
    if (!key || !is_hex(file.signature)) return wrong;
    file.key = *key;
    if (text_of(file.key.hex(), file.signature) != text) return wrong;
    return file;
}

bool signs(const SignatureFile& file, std::string_view sums) {
    return is_signature(file.key, message_of(sums), file.signature);
}

}  // namespace workbench
