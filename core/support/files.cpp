// SPDX-License-Identifier: MIT
#include "core/support/files.h"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>
#include <new>
#include <system_error>

#include "core/support/atomic_file.h"
#include "core/support/hex.h"
#include "core/support/input_file.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

using Digest = std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)>;

// Throws std::bad_alloc where OpenSSL reports a failure: for a digest that is a lack of memory.
void expect_done(int done) {
    if (done != 1) throw std::bad_alloc();
}

std::string hex_of(EVP_MD_CTX* context) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned int size = 0;
    expect_done(EVP_DigestFinal_ex(context, bytes.data(), &size));
    return to_hex(std::span(bytes).first(size));
}

}  // namespace

struct Sha256::State {
    Digest context{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

Sha256::Sha256() : m_state(std::make_unique<State>()) {
    if (!m_state->context) throw std::bad_alloc();
    expect_done(EVP_DigestInit_ex(m_state->context.get(), EVP_sha256(), nullptr));
}
Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> bytes) {
    expect_done(EVP_DigestUpdate(m_state->context.get(), bytes.data(), bytes.size()));
}

std::string Sha256::hex() {
    return hex_of(m_state->context.get());
}

std::string sha256_hex(std::span<const std::byte> bytes) {
    Sha256 digest;
    digest.add(bytes);
    return digest.hex();
}

std::string sha256_hex(std::string_view text) {
    return sha256_hex(std::as_bytes(std::span(text)));
}

Result<std::string> sha256_of_file(const fs::path& path, const std::stop_token& stop) {
    IIR2D_TRY(auto file, InputFile::open(path));
    Sha256 digest;
    std::vector<char> block(std::size_t{1} << 20);
    for (;;) {
        if (stop.stop_requested())
            return fail(ErrorKind::cancelled, "reading " + quoted(path) + " was interrupted");
        IIR2D_TRY(const auto count, file.read(block));
        if (count == 0) return digest.hex();
        digest.add(std::as_bytes(std::span(block).first(count)));
    }
}

Result<void> write_file_atomically(const fs::path& path, std::string_view content) {
    IIR2D_TRY(auto file, AtomicFile::create(path));
    errno = 0;
    if (std::fwrite(content.data(), 1, content.size(), file.handle()) != content.size()) {
        return unwritable(path, system_words(errno != 0 ? errno : EIO));
    }
    return file.commit();
}

Result<void> write_directory_atomically(const fs::path& directory,
                                        const std::function<Result<void>(const fs::path&)>& fill) {
    std::error_code error;
    const fs::path target = directory.has_filename() ? directory : directory.parent_path();
    if (fs::exists(fs::symlink_status(target, error))) {
        return fail(ErrorKind::unwritable_output, quoted(target) + " already exists: name a new directory");
    }
    remove_leftovers(target.has_parent_path() ? target.parent_path() : fs::path("."), std::chrono::hours(1));
    TemporaryFolder folder(target);
    if (folder.failure() != 0) return unwritable(target, system_words(folder.failure()));
    const fs::path& temporary = folder.path();
    IIR2D_RETURN_IF_ERROR(fill(temporary));

    using Walk = fs::recursive_directory_iterator;
    for (Walk entry(temporary, error); !error && entry != Walk(); entry.increment(error)) {
        if (const int failed = flush_to_disk(entry->path()); failed != 0)
            return unwritable(target, system_words(failed));
    }
    if (error) return unwritable(target, error.message());
    if (const int failed = flush_to_disk(temporary); failed != 0)
        return unwritable(target, system_words(failed));
    fs::rename(temporary, target, error);
    if (error) return unwritable(target, error.message());
    folder.release();
    const fs::path parent = target.parent_path();
    static_cast<void>(flush_to_disk(parent.empty() ? fs::path(".") : parent));
    return {};
}

Result<std::string> read_file(const fs::path& path, std::size_t limit) {
    IIR2D_TRY(auto file, InputFile::open(path));
    std::string content;
    std::array<char, 65536> block{};
    for (;;) {
        IIR2D_TRY(const auto count, file.read(block));
        if (count == 0) return content;
        content.append(block.data(), count);
        if (content.size() > limit) {
            return fail(ErrorKind::bad_input, quoted(path) + " could not be read: it is larger than the " +
                                                  std::to_string(limit) + " bytes that are allowed");
        }
    }
}

std::string beginning_of(const fs::path& path, std::size_t most) {
    auto file = InputFile::open(path);
    if (!file) return {};
    std::string text(most, '\0');
    std::size_t length = 0;
    while (length < text.size()) {
        const auto read = file->read(std::span(text).subspan(length));
        if (!read || *read == 0) break;
        length += *read;
    }
    text.resize(length);
    return text;
}

std::string format_number(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

}  // namespace workbench
