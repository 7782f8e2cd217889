// SPDX-License-Identifier: MIT
// Whole small files of formats that we read but do not write, byte by byte.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace workbench::testing {

constexpr int small_width = 8;
constexpr int small_height = 4;

std::string small_sgi();     // 3 channels of 8 bits, not compressed
std::string small_psd();     // RGB of 8 bits, with two resources
std::string small_cineon();  // 3 channels of 10 bits
// Written by OpenImageIO: "iff", "ico", "dpx" and what else it writes.
std::string small_file(const std::string& format, const std::filesystem::path& scratch);

}  // namespace workbench::testing
