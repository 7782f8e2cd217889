// SPDX-License-Identifier: MIT
// A file opened to be read, once it is known to have an end.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>

#include "core/support/error.h"
#include "core/support/file_handle.h"

namespace workbench {

// Why a file was not opened.
struct NotOpened {
    int error = 0;  // the system's number; 0: it is something else than a regular file, which `type` says
    std::filesystem::file_type type = std::filesystem::file_type::none;
};

// Opens a regular file to read. Anything else is refused without waiting: a device may never end, and opening
// or reading a pipe waits for whoever writes to it.
std::expected<FileHandle, NotOpened> open_regular_file(const std::filesystem::path& path);

// A regular file, read from start to end.
class InputFile {
  public:
    // bad_input when it is missing, not readable, a folder, or not a regular file. Never waits.
    static Result<InputFile> open(const std::filesystem::path& path);

    // Fills `block` as far as there is more. Returns the number of bytes read, 0 at the end.
    Result<std::size_t> read(std::span<char> block);

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    InputFile(std::FILE* file, std::filesystem::path path) : m_file(file), m_path(std::move(path)) {}
    std::unique_ptr<std::FILE, Close> m_file;
    std::filesystem::path m_path;
};

}  // namespace workbench
