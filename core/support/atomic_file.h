// SPDX-License-Identifier: MIT
// One file in the making, beside the place it is meant for.
#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "core/support/error.h"
#include "core/support/file_handle.h"

namespace workbench {

// Marks a temporary file or folder as in use: by a lock (flock) on it, which the system gives up with the
// process. remove_leftovers() leaves what is locked alone, whichever machine, container or user the
// process belongs to, as far as the file system carries locks there (NFS does, some network file systems do
// not). Also remembered within the process, for discard_temporaries().
class TemporaryClaim {
  public:
    TemporaryClaim() = default;
    ~TemporaryClaim() { drop(); }
    TemporaryClaim(TemporaryClaim&&) noexcept;
    TemporaryClaim& operator=(TemporaryClaim&&) noexcept;

    // Called right after creating it. Returns false when it was removed as a leftover before it could be
    // claimed: create another one.
    bool take(const std::filesystem::path& temporary);
    void drop();

  private:
    std::filesystem::path m_path;
    FileHandle m_file;
};

// Created under a new name in the target's own folder; commit() flushes it to disk and renames it to the
// target, whose permissions it keeps. Whatever else happens, the file is removed and the target stays as it
// was. A target that is a symbolic link is followed. A target that is a device or a pipe is written to
// directly, since renaming would put a file in its place.
class AtomicFile {
  public:
    // unwritable_output: a folder has that name, the file is not writable, its folder is not, or it is a pipe
    // that nobody reads from.
    static Result<AtomicFile> create(const std::filesystem::path& target);

    ~AtomicFile();
    AtomicFile(AtomicFile&&) noexcept;
    AtomicFile& operator=(AtomicFile&&) noexcept;

    // Open for reading and writing until commit(). Failed writes are for the caller to notice, or for
    // commit() where stdio remembers them.
    std::FILE* handle() const { return m_file.get(); }
    // Returns the same file, for libraries that open it themselves.
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
    TemporaryClaim m_claim;             // on m_temporary, until it has its own name
};

// A new folder beside the place it is meant for: removed, with what is in it, unless it was released.
class TemporaryFolder {
  public:
    explicit TemporaryFolder(const std::filesystem::path& target);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    int failure() const { return m_failure; }  // 0, or the system's error number: there is no folder
    const std::filesystem::path& path() const { return m_path; }
    void release();  // it has its own name now

  private:
    std::filesystem::path m_path;
    TemporaryClaim m_claim;
    int m_failure = 0;
};

// Returns a name for a new file or folder beside `path` that no other call of this or another process
// returns.
std::filesystem::path temporary_sibling(const std::filesystem::path& path);

// Removes from the folder the temporary files and folders that processes left there when they were killed or
// crashed: those of a process number that is not running here, and that nobody has claimed. Where the file
// system has no locks, only what is an hour old. Where others may write too, from machines whose locks are
// not seen here, only what is `older_than` surely is nobody's.
void remove_leftovers(const std::filesystem::path& folder,
                      std::chrono::seconds older_than = std::chrono::seconds::min());

// Removes this process's temporary files and folders, for a program that ends without returning from what
// makes them. Whoever still uses one sees it fail.
void discard_temporaries() noexcept;

// Flushes what a file or a folder holds to the disk. Returns 0, or the system's error number.
int flush_to_disk(const std::filesystem::path& path);

std::unexpected<Error> unwritable(const std::filesystem::path& path, const std::string& why);

// Returns the system's words for an error number.
std::string system_words(int number);

}  // namespace workbench
