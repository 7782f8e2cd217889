// SPDX-License-Identifier: MIT
// A file opened to be read, once it is known to have an end.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>

#include "core/support/error.h"

namespace workbench {

// Only regular files: a device may never end, and opening or reading a pipe waits for whoever writes to it.
class InputFile {
  public:
    // bad_input when it is missing, not readable, a folder, or not a regular file. Never waits.
    static Result<InputFile> open(const std::filesystem::path& path);

    // Fills `block` as far as there is more; the number of bytes read, 0 at the end.
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
