// SPDX-License-Identifier: MIT
// Numbers with what they count, in words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace workbench {

// Returns "1 test" or "2 tests"; where an s is not enough: counted(2, "entry", "entries").
inline std::string counted(std::uint64_t count, std::string_view one, std::string_view many = {}) {
    std::string text = std::to_string(count) + " ";
    if (count == 1) return text.append(one);
    return many.empty() ? text.append(one).append("s") : text.append(many);
}

// Returns "17 MiB", rounded up.
inline std::string mebibytes(std::uint64_t bytes) {
    return std::to_string((bytes >> 20) + ((bytes & 0xFFFFFU) != 0 ? 1 : 0)) + " MiB";
}

}  // namespace workbench
