// SPDX-License-Identifier: MIT
// Compares two texts line by line, and two data sets record by record.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/support/error.h"

namespace workbench::synth {

// Returns the differences as `diff -u` writes them, with three lines around each; empty: there is none. Where
// more than 4,096 lines of both differ, they are given as one change.
std::string unified_difference(std::string_view before, std::string_view after,
                               const std::string& before_name, const std::string& after_name);

struct InCommon {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::uint64_t both = 0;
};
struct DataSetDifference {
    InCommon records;  // by the canonical hash
    InCommon skeletons;
    InCommon pairs;  // texts of one target and direction, but for their kernel's name
};
Result<DataSetDifference> compare_data_sets(const std::filesystem::path& first,
                                            const std::filesystem::path& second,
                                            const std::stop_token& stop = {});

}  // namespace workbench::synth
