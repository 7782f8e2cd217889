// SPDX-License-Identifier: MIT
// Ed25519 keys and signatures (RFC 8032), by OpenSSL. A private key never leaves its object except into its
// file.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/support/error.h"

namespace workbench {

// A key is named by its 32 bytes as 64 lower-case hex digits.
struct PublicKey {
    std::array<unsigned char, 32> bytes{};
    std::string hex() const;
    friend bool operator==(const PublicKey&, const PublicKey&) = default;
};

// Returns why these 64 lower-case hex digits must not be taken as a key; empty: no reason. Refused are the
// points of small order, for which a signature can be made that holds for any message, and the encodings of a
// point that RFC 8032 (section 5.1.3) does not allow, so that a key has one name.
std::string weakness_of_key(std::string_view hex);

// Exactly 64 lower-case hex digits of a key without weakness; nothing else is one.
std::optional<PublicKey> public_key_from_hex(std::string_view hex);

// Reads a PEM file that SigningKey::save() or openssl wrote; bad_input when it is none, of another kind, or
// weak.
Result<PublicKey> load_public_key(const std::filesystem::path& path);

// 64 hex digits, or the path of a public key file. bad_argument: the digits are those of a weak key.
Result<PublicKey> public_key_from(const std::string& hex_or_path);

class SigningKey {
  public:
    // device_failure: the system has no randomness.
    static Result<SigningKey> generate();
    // Reads a PEM file (PKCS #8, not encrypted). Refuses, as bad_input, a file that is another user's or that
    // others than its owner may read. Windows: that is not checked.
    static Result<SigningKey> load(const std::filesystem::path& path);

    // `path` with the private key, readable by its owner only (Windows: by whoever may read the folder), and
    // `path`.pub, each whole or not at all. Neither may exist: unwritable_output.
    Result<void> save(const std::filesystem::path& path) const;
    PublicKey public_key() const;
    // 128 lower-case hex digits; device_failure when OpenSSL fails.
    Result<std::string> sign(std::string_view message) const;

  private:
    struct State;
    explicit SigningKey(std::shared_ptr<const State> state) : m_state(std::move(state)) {}
    std::shared_ptr<const State> m_state;  // immutable: copies may sign on several threads
};

// Returns whether `signature` (128 lower-case hex digits) is that key's for the message. That of a weak key
// is not, nor one in another form than the one that signing gives: R of small order or not in its one
// encoding, S not below the group's order. So nobody can write a signature anew without the private key.
bool is_signature(const PublicKey& key, std::string_view message, std::string_view signature);

}  // namespace workbench
