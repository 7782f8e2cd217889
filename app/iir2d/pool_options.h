// SPDX-License-Identifier: MIT
// What a pooling operation is made of, for pool, bench and parity.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/iir2d/options.h"

namespace app {

struct PoolOptions {
    std::string window;
    std::string stride;
    std::string padding = "0x0";
    std::string dilation = "1x1";
    bool ceil_mode = false;
    std::string p = "2";
    bool count_include_pad = false;
    std::string divisor;
    std::string output_size;

    void add_to(CLI::App& command, const char* window_help);

    // Refuses what `op` needs and is not given; what it does not read is not looked at.
    Result<workbench::PoolOperation> operation(iir2d::PoolOp op) const;

    // Returns the options that are given although an operation of this kind does not read them.
    std::vector<std::string> ignored_by(iir2d::PoolOp op) const;
};

Result<iir2d::ElementType> parse_element(std::string_view option, std::string_view text);

}  // namespace app
