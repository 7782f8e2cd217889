// SPDX-License-Identifier: MIT
// Holds the arguments of kernels.
#pragma once

#include <cstddef>
#include <vector>

namespace workbench::compile {

// An argument of a kernel: an array, whose bytes it reads and may change, or a scalar's bytes.
struct Argument {
    std::vector<std::byte> bytes;
    bool is_array = false;
    bool is_output = false;
};

}  // namespace workbench::compile
