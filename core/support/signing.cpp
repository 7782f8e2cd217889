// SPDX-License-Identifier: MIT
#include "core/support/signing.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "core/support/atomic_file.h"
#include "core/support/file_handle.h"
#include "core/support/files.h"
#include "core/support/hex.h"
#include "core/support/private_file.h"
#include "core/support/text.h"
#include "core/support/try.h"

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace workbench {

namespace fs = std::filesystem;

namespace {

using Key = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;
using Bio = std::unique_ptr<BIO, int (*)(BIO*)>;
using Digest = std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)>;

constexpr std::size_t largest_key_file = std::size_t{1} << 16;

// OpenSSL would ask on the terminal.
int no_passphrase(char*, int, int, void*) {
    return -1;
}

Bio memory_of(std::string_view text) {
    return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free};
}

std::string text_of(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return {data, static_cast<std::size_t>(std::max(size, 0L))};
}

bool is_ed25519(const EVP_PKEY* key) {
    return key != nullptr && EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519;
}

const auto* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

// A number of 32 bytes, the least significant first, as RFC 8032 writes those of Ed25519.
using Number = std::array<unsigned char, 32>;

// `first`, `middle` 30 times, `last`.
constexpr Number number_of(unsigned char first, unsigned char middle, unsigned char last) {
    Number number{};
    number.fill(middle);
    number.front() = first;
    number.back() = last;
    return number;
}

bool is_below(const Number& a, const Number& b) {
    return std::ranges::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

// 2^255 - 19: the coordinates are numbers below it (RFC 8032, section 5.1).
constexpr Number field_prime = number_of(0xed, 0xff, 0x7f);
// The order of the group, 2^252 + 27742317777372353535851937790883648493.
constexpr Number group_order = {0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7,
                                0xa2, 0xde, 0xf9, 0xde, 0x14, 0,    0,    0,    0,    0,    0,
                                0,    0,    0,    0,    0,    0,    0,    0,    0,    0x10};
// The y of the eight points whose order divides 8: those of order 1, 2, 4, and of order 8 two. The points
// with y and -x are of the same order. Each was computed as a multiple of such a point of order 8.
constexpr std::array<Number, 5> small_order_y = {
    number_of(0x01, 0x00, 0x00), number_of(0xec, 0xff, 0x7f), number_of(0x00, 0x00, 0x00),
    Number{0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
           0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05},
    Number{0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
           0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a}};

// What is wrong with a point's 32 bytes, y with the sign of x as its highest bit; empty: nothing.
std::string weakness_of_point(Number y) {
    y.back() &= 0x7f;
    if (!is_below(y, field_prime)) return "its y is 2^255 - 19 or more, where each point has one smaller";
    if (std::ranges::find(small_order_y, y) != small_order_y.end())
        return "it is a point of small order, for which anybody can make signatures";
    return {};
}

#if !defined(_WIN32)
// The text of a private key's file. Refuses what others may read or own: a key that is not secret signs for
// anyone. What is judged is what is read, whatever its name stands for by then.
Result<std::string> read_private(const fs::path& path) {
    const auto refused = [](const std::string& why) { return fail(ErrorKind::bad_input, why); };
    const std::string name = "the private key " + quoted(path);
    const FileHandle file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (file.get() < 0 || fstat(file.get(), &status) != 0)
        return refused(quoted(path) + " could not be read: " + system_words(errno));
    if (!S_ISREG(status.st_mode)) return refused(name + " is not a plain file");
    if (status.st_uid != geteuid()) return refused(name + " belongs to another user");
    if ((status.st_mode & 077U) != 0) return refused(name + " may be read by others: chmod 600 it");
    std::string text(largest_key_file + 1, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
        const auto got = read(file.get(), text.data() + size, text.size() - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return refused(quoted(path) + " could not be read: " + system_words(errno));
        if (got == 0) break;
        size += static_cast<std::size_t>(got);
    }
    if (size > largest_key_file) return refused(name + " is too large to be one");
    text.resize(size);
    return text;
}

int write_all(int file, std::string_view content) {
    while (!content.empty()) {
        const auto written = write(file, content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return fsync(file) == 0 ? 0 : errno;
}

// Gives a finished file its name, where nothing has it.
int name_new(const fs::path& temporary, const fs::path& path) {
    if (link(temporary.c_str(), path.c_str()) == 0) return 0;
    if (errno != EPERM && errno != ENOTSUP && errno != ENOSYS) return errno;
    // A file system without links.
    std::error_code error;
    if (fs::exists(fs::symlink_status(path, error))) return EEXIST;
    return rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
}
#else
// As above, by the file's list of who may do what. What is judged is what is read.
Result<std::string> read_private(const fs::path& path) {
    const auto refused = [](const std::string& why) { return fail(ErrorKind::bad_input, why); };
    const FileHandle file(_wopen(path.c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT));
    if (!file) return refused(quoted(path) + " could not be read: " + system_words(errno));
    if (const std::string who = who_else_may_read(file.get()); !who.empty())
        return refused("the private key " + quoted(path) + " is refused: " + who +
                       ". Give it to yourself alone: icacls FILE /inheritance:r /grant:r %USERNAME%:F");
    std::string text(largest_key_file + 1, '\0');
    const int got = _read(file.get(), text.data(), static_cast<unsigned>(text.size()));
    if (got < 0) return refused(quoted(path) + " could not be read: " + system_words(errno));
    text.resize(static_cast<std::size_t>(got));
    if (text.size() > largest_key_file)
        return refused("the private key " + quoted(path) + " is too large to be one");
    return text;
}

int write_all(int file, std::string_view content) {
    const int written = _write(file, content.data(), static_cast<unsigned>(content.size()));
    if (written < 0) return errno;
    return static_cast<std::size_t>(written) == content.size() && _commit(file) == 0 ? 0 : EIO;
}
#endif

// A new file, whole or not at all, flushed; for its owner only where `secret`.
Result<void> write_new(const fs::path& path, std::string_view content, [[maybe_unused]] bool secret) {
#if defined(_WIN32)
    std::error_code error;
    if (fs::exists(fs::symlink_status(path, error)))
        return fail(ErrorKind::unwritable_output, quoted(path) + " already exists: name a new file");
    if (!secret) return write_file_atomically(path, content);
    const fs::path temporary = temporary_sibling(path);
    FileHandle file = create_private(temporary);
    if (!file) return unwritable(path, system_words(errno));
    int failed = write_all(file.get(), content);
    if (const int closed = file.close(); failed == 0) failed = closed;
    // Takes no name that is there.
    if (failed == 0 && MoveFileExW(temporary.c_str(), path.c_str(), MOVEFILE_WRITE_THROUGH) == 0)
        failed = fs::exists(fs::symlink_status(path, error)) ? EEXIST : EACCES;
    fs::remove(temporary, error);
    if (failed == EEXIST)
        return fail(ErrorKind::unwritable_output, quoted(path) + " already exists: name a new file");
    if (failed != 0) return unwritable(path, system_words(failed));
    return {};
#else
    const fs::path temporary = temporary_sibling(path);
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    FileHandle file(open(temporary.c_str(), flags, secret ? 0600 : 0644));
    if (file.get() < 0) return unwritable(path, system_words(errno));
    TemporaryClaim claim;
    if (!claim.take(temporary)) return unwritable(path, system_words(ENOENT));
    int failed = write_all(file.get(), content);
    if (const int closed = file.close(); failed == 0) failed = closed;
    if (failed == 0) failed = name_new(temporary, path);
    std::error_code ignored;
    fs::remove(temporary, ignored);
    if (failed == EEXIST)
        return fail(ErrorKind::unwritable_output, quoted(path) + " already exists: name a new file");
    if (failed != 0) return unwritable(path, system_words(failed));
    return {};
#endif
}

}  // namespace

struct SigningKey::State {
    Key key{nullptr, EVP_PKEY_free};
};

std::string PublicKey::hex() const {
    return to_hex(bytes);
}

std::string weakness_of_key(std::string_view hex) {
    PublicKey key;
    return from_hex(hex, key.bytes) ? weakness_of_point(key.bytes) : "it is not 64 lower-case hex digits";
}

std::optional<PublicKey> public_key_from_hex(std::string_view hex) {
    PublicKey key;
    if (!from_hex(hex, key.bytes) || !weakness_of_point(key.bytes).empty()) return std::nullopt;
    return key;
}

Result<PublicKey> load_public_key(const fs::path& path) {
    IIR2D_TRY(const auto text, read_file(path, largest_key_file));
    const Bio bio = memory_of(text);
    const Key key(PEM_read_bio_PUBKEY(bio.get(), nullptr, no_passphrase, nullptr), EVP_PKEY_free);
    PublicKey result;
    std::size_t size = result.bytes.size();
    if (!is_ed25519(key.get()) || EVP_PKEY_get_raw_public_key(key.get(), result.bytes.data(), &size) != 1)
        return fail(ErrorKind::bad_input, quoted(path) + " is not an Ed25519 public key (PEM)");
    if (const auto wrong = weakness_of_point(result.bytes); !wrong.empty())
        return fail(ErrorKind::bad_input, "the public key in " + quoted(path) + " is refused: " + wrong);
    return result;
}

Result<PublicKey> public_key_from(const std::string& hex_or_path) {
    PublicKey key;
    if (!from_hex(hex_or_path, key.bytes)) return load_public_key(hex_or_path);
    if (const auto wrong = weakness_of_point(key.bytes); !wrong.empty())
        return fail(ErrorKind::bad_argument, "the public key " + hex_or_path + " is refused: " + wrong);
    return key;
}

Result<SigningKey> SigningKey::generate() {
    auto state = std::make_shared<State>();
    state->key.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
    if (!state->key)
        return fail(ErrorKind::device_failure, "no key could be made: the system gave no randomness");
    return SigningKey(std::move(state));
}

Result<SigningKey> SigningKey::load(const fs::path& path) {
    IIR2D_TRY(auto text, read_private(path));
    auto state = std::make_shared<State>();
    {
        const Bio bio = memory_of(text);
        state->key.reset(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
    }
    OPENSSL_cleanse(text.data(), text.size());
    if (!is_ed25519(state->key.get())) {
        return fail(ErrorKind::bad_input,
                    quoted(path) + " is not an Ed25519 private key (PEM, not encrypted)");
    }
    return SigningKey(std::move(state));
}

Result<void> SigningKey::save(const fs::path& path) const {
    fs::path public_path = path;
    public_path += ".pub";
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    remove_leftovers(folder);  // of a killed process: one may be a secret
    std::error_code error;
    if (fs::exists(fs::symlink_status(public_path, error)))
        return fail(ErrorKind::unwritable_output, quoted(public_path) + " already exists: name a new file");
    const Bio secret(BIO_new(BIO_s_secmem()), BIO_free);
    const Bio open_part(BIO_new(BIO_s_mem()), BIO_free);
    if (PEM_write_bio_PKCS8PrivateKey(secret.get(), m_state->key.get(), nullptr, nullptr, 0, no_passphrase,
                                      nullptr) != 1 ||
        PEM_write_bio_PUBKEY(open_part.get(), m_state->key.get()) != 1) {
        return unwritable(path, "the key cannot be written as PEM");
    }
    std::string text = text_of(secret.get());
    auto written = write_new(path, text, true);
    OPENSSL_cleanse(text.data(), text.size());
    if (!written) return written;
    if (auto done = write_new(public_path, text_of(open_part.get()), false); !done) {
        fs::remove(path, error);
        return done;
    }
    static_cast<void>(flush_to_disk(folder));
    return {};
}

PublicKey SigningKey::public_key() const {
    PublicKey key;
    std::size_t size = key.bytes.size();
    EVP_PKEY_get_raw_public_key(m_state->key.get(), key.bytes.data(), &size);
    return key;
}

Result<std::string> SigningKey::sign(std::string_view message) const {
    const Digest context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    std::array<unsigned char, 64> signature{};
    std::size_t size = signature.size();
    if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, m_state->key.get()) != 1 ||
        EVP_DigestSign(context.get(), signature.data(), &size, bytes_of(message), message.size()) != 1 ||
        size != signature.size())
        return fail(ErrorKind::device_failure, "OpenSSL could not sign");
    return to_hex(signature);
}

bool is_signature(const PublicKey& key, std::string_view message, std::string_view signature) {
    std::array<unsigned char, 64> raw{};
    if (!from_hex(signature, raw) || !weakness_of_point(key.bytes).empty()) return false;
    // Its halves are a point R and a number S (RFC 8032, section 5.1.6).
    Number r{}, s{};
    std::copy_n(raw.begin(), 32, r.begin());
    std::copy_n(raw.begin() + 32, 32, s.begin());
    if (!weakness_of_point(r).empty() || !is_below(s, group_order)) return false;
    const Key known(
        EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key.bytes.data(), key.bytes.size()),
        EVP_PKEY_free);
    const Digest context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    return known && context &&
           EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, known.get()) == 1 &&
           EVP_DigestVerify(context.get(), raw.data(), raw.size(), bytes_of(message), message.size()) == 1;
}

}  // namespace workbench
