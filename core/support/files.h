// SPDX-License-Identifier: MIT
// Files that appear whole or not at all, their hashes, and where the program keeps things.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/error.h"

namespace workbench {

// Writes to a temporary name in the same directory, flushes to disk and renames. On failure the old file
// stays as it was and nothing is left behind.
Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content);

// Creates a temporary sibling of `directory`, calls `fill` on it, flushes and renames it to `directory`,
// which must not exist yet. When fill fails, nothing is left behind.
Result<void> write_directory_atomically(
    const std::filesystem::path& directory,
    const std::function<Result<void>(const std::filesystem::path&)>& fill);

// Returns the whole file. Refuses one that is larger than `limit` bytes or not a regular file.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 28);

// Returns the file's first `most` bytes, all of a shorter one, or what came before it could not be read on.
std::string beginning_of(const std::filesystem::path& path, std::size_t most);

// Computes the SHA-256 of what add() is given, in order. Throws std::bad_alloc where memory is short.
class Sha256 {
  public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;
    void add(std::span<const std::byte> bytes);
    std::string hex();  // lower-case; once, at the end

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

// Returns the SHA-256 in lower-case hex digits.
std::string sha256_hex(std::span<const std::byte> bytes);
std::string sha256_hex(std::string_view text);
// Returns that of a regular file; cancelled when `stop` asks.
Result<std::string> sha256_of_file(const std::filesystem::path& path, const std::stop_token& stop = {});

// Returns $XDG_CONFIG_HOME/iir2d-workbench and the like; IIR2D_CONFIG_DIR overrides (tests use it). Not
// created. Without HOME, the home that the system's list of users has. A user who has none there either gets
// a folder that cannot be made, so that nothing is kept: never one where others can put files.
std::filesystem::path config_directory();
// False for a user without a home, as above.
bool has_config_directory();
// Returns where what can be made again is kept: $XDG_CACHE_HOME/iir2d-workbench and the like; IIR2D_CACHE_DIR
// overrides. Not created; for a user without a home as above.
std::filesystem::path cache_directory();
// Returns where samples, presets and schemas are: IIR2D_RESOURCE_DIR, else beside the program, else as
// installed, else the source tree the program was built from.
std::filesystem::path resource_directory();

// Writes a number as the C locale does, in the shortest form that reads back the same. For files and command
// lines.
std::string format_number(double value);

}  // namespace workbench
