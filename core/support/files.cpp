// SPDX-License-Identifier: MIT
#include "core/support/files.h"

#include <openssl/evp.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <system_error>

#if defined(_WIN32)
#include <process.h>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace workbench {

namespace fs = std::filesystem;

namespace {

std::string reason(int number) {
    return std::generic_category().message(number);
}

std::unexpected<Error> unwritable(const fs::path& path, const std::string& why) {
    return fail(ErrorKind::unwritable_output, "\"" + path.string() + "\" could not be written: " + why);
}

// Flushes a file's or folder's content to the disk, so that a rename never comes before what it names.
int flush_to_disk([[maybe_unused]] const fs::path& path) {
#if !defined(_WIN32)
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    const int failed = fsync(descriptor) == 0 ? 0 : errno;
    close(descriptor);
    // Some file systems cannot flush a folder; nothing more can be done there.
    return failed == EINVAL ? 0 : failed;
#else
    return 0;
#endif
}

fs::path folder_of(const fs::path& path) {
    const fs::path parent = path.parent_path();
    return parent.empty() ? fs::path(".") : parent;
}

// Removes what a failed write left, unless it was released.
class Leftover {
  public:
    explicit Leftover(fs::path path) : m_path(std::move(path)) {}
    ~Leftover() {
        std::error_code ignored;
        if (!m_path.empty()) fs::remove_all(m_path, ignored);
    }
    Leftover(const Leftover&) = delete;
    Leftover& operator=(const Leftover&) = delete;
    void release() { m_path.clear(); }

  private:
    fs::path m_path;
};

// Why it failed; 0 when it did not.
int write_whole(const fs::path& path, std::string_view content) {
    errno = 0;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.string().c_str(), "wb"),
                                                               std::fclose);
    if (!file) return errno;
    const bool written = std::fwrite(content.data(), 1, content.size(), file.get()) == content.size();
    return written && std::fflush(file.get()) == 0 ? 0 : errno;
}

Result<void> put_in_place(const fs::path& from, const fs::path& to) {
    if (const int failed = flush_to_disk(from); failed != 0) return unwritable(to, reason(failed));
    std::error_code error;
#if !defined(_WIN32)
    // A replaced file keeps its permissions.
    struct stat old {};
    if (stat(to.c_str(), &old) == 0) static_cast<void>(chmod(from.c_str(), old.st_mode & 07777));
#endif
    fs::rename(from, to, error);
    if (error) return unwritable(to, error.message());
    static_cast<void>(flush_to_disk(folder_of(to)));
    return {};
}

using Digest = std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)>;

std::string hex_of(EVP_MD_CTX* context) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned int size = 0;
    EVP_DigestFinal_ex(context, bytes.data(), &size);
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (unsigned int i = 0; i < size; ++i) {
        text += digits[bytes[i] >> 4];
        text += digits[bytes[i] & 15];
    }
    return text;
}

}  // namespace

struct Sha256::State {
    Digest context{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

Sha256::Sha256() : m_state(std::make_unique<State>()) {
    EVP_DigestInit_ex(m_state->context.get(), EVP_sha256(), nullptr);
}
Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> bytes) {
    EVP_DigestUpdate(m_state->context.get(), bytes.data(), bytes.size());
}

std::string Sha256::hex() {
    return hex_of(m_state->context.get());
}

std::string sha256_hex(std::span<const std::byte> bytes) {
    Sha256 digest;
    digest.add(bytes);
    return digest.hex();
}

Result<std::string> sha256_of_file(const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
        return fail(ErrorKind::bad_input, "\"" + path.string() + "\" is a folder, not a file");
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return fail(ErrorKind::bad_input, "\"" + path.string() + "\" could not be read: " + reason(errno));
    }
    Sha256 digest;
    std::vector<char> block(std::size_t{1} << 20);
    while (file) {
        file.read(block.data(), static_cast<std::streamsize>(block.size()));
        digest.add(std::as_bytes(std::span(block).first(static_cast<std::size_t>(file.gcount()))));
    }
    if (file.bad()) {
        return fail(ErrorKind::bad_input, "\"" + path.string() + "\" could not be read: " + reason(errno));
    }
    return digest.hex();
}

fs::path temporary_sibling(const fs::path& path) {
    static std::atomic<unsigned> counter{0};
#if defined(_WIN32)
    const int process = _getpid();
#else
    const int process = getpid();
#endif
    // The extension stays: image writers choose their format by it.
    return folder_of(path) / ("." + path.stem().string() + ".tmp-" + std::to_string(process) + "-" +
                              std::to_string(counter++) + path.extension().string());
}

Result<void> replace_file(const fs::path& finished, const fs::path& path) {
    Leftover leftover(finished);
    std::error_code error;
    if (fs::is_directory(path, error)) return unwritable(path, "there is a folder of that name");
    if (auto placed = put_in_place(finished, path); !placed) return placed;
    leftover.release();
    return {};
}

Result<void> write_file_atomically(const fs::path& path, std::string_view content) {
    const fs::path temporary = temporary_sibling(path);
    Leftover leftover(temporary);
    if (const int failed = write_whole(temporary, content); failed != 0)
        return unwritable(path, reason(failed));
    leftover.release();
    return replace_file(temporary, path);
}

Result<void> write_directory_atomically(const fs::path& directory,
                                        const std::function<Result<void>(const fs::path&)>& fill) {
    std::error_code error;
    fs::path target = directory;
    if (!target.has_filename()) target = target.parent_path();
    if (fs::exists(fs::symlink_status(target, error))) {
        return fail(ErrorKind::unwritable_output,
                    "\"" + target.string() + "\" already exists: name a new directory");
    }
    const fs::path temporary = temporary_sibling(target);
    fs::create_directory(temporary, error);
    if (error) return unwritable(target, error.message());
    Leftover leftover(temporary);
    if (auto filled = fill(temporary); !filled) return filled;
    for (const auto& entry : fs::recursive_directory_iterator(temporary, error)) {
        if (const int failed = flush_to_disk(entry.path()); failed != 0)
            return unwritable(target, reason(failed));
    }
    if (auto placed = put_in_place(temporary, target); !placed) return placed;
    leftover.release();
    return {};
}

Result<std::string> read_file(const fs::path& path, std::size_t limit) {
    const auto unreadable = [&path](const std::string& why) {
        return fail(ErrorKind::bad_input, "\"" + path.string() + "\" could not be read: " + why);
    };
    std::error_code error;
    if (fs::is_directory(path, error)) return unreadable("it is a folder");
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) return unreadable(reason(errno));
    std::string content;
    std::array<char, 65536> block{};
    while (file) {
        file.read(block.data(), block.size());
        content.append(block.data(), static_cast<std::size_t>(file.gcount()));
        if (content.size() > limit) {
            return unreadable("it is larger than the " + std::to_string(limit) + " bytes that are allowed");
        }
    }
    if (file.bad()) return unreadable(reason(errno));
    return content;
}

std::string format_number(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

}  // namespace workbench
