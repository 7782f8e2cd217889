// SPDX-License-Identifier: MIT
// One file in the making, beside the place it is meant for.
#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "core/support/error.h"

namespace workbench {

// Created under a new name in the target's own folder; commit() flushes it to disk and renames it to the
// target, whose permissions it keeps. Whatever else happens, the file is removed and the target stays as it
// was. A target that is a symbolic link is followed. A target that is a device or a pipe is written to
// directly, since renaming would put a file in its place.
class AtomicFile {
  public:
    // unwritable_output: a folder has that name, the file is not writable, or its folder is not.
    static Result<AtomicFile> create(const std::filesystem::path& target);

    ~AtomicFile();
    AtomicFile(AtomicFile&&) noexcept;
    AtomicFile& operator=(AtomicFile&&) noexcept;

    // Open for reading and writing until commit(). Failed writes are for the caller to notice, or for
    // commit() where stdio remembers them.
    std::FILE* handle() const { return m_file.get(); }
    // The same file, for libraries that open it themselves.
    const std::filesystem::path& path() const { return m_temporary.empty() ? m_target : m_temporary; }
    Result<void> commit();

  private:
    AtomicFile() = default;
    void discard();

    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::unique_ptr<std::FILE, Close> m_file;
    std::filesystem::path m_asked;      // as the caller named it, for sentences
    std::filesystem::path m_target;     // with links followed
    std::filesystem::path m_temporary;  // empty: written directly, or finished
};

// A name for a new file or folder beside `path` that no other call of this or another process gives.
std::filesystem::path temporary_sibling(const std::filesystem::path& path);

// Removes from the folder what processes that are gone (killed, crashed) left there under such names, files
// and folders. Where others may write too, from machines whose processes are not seen here, only what is
// `older_than` surely is nobody's.
void remove_leftovers(const std::filesystem::path& folder,
                      std::chrono::seconds older_than = std::chrono::seconds::min());

// Flushes what a file or a folder holds to the disk. 0, or the system's error number.
int flush_to_disk(const std::filesystem::path& path);

std::unexpected<Error> unwritable(const std::filesystem::path& path, const std::string& why);

// The system's words for an error number.
std::string system_words(int number);

}  // namespace workbench
