// SPDX-License-Identifier: MIT
// Exports data sets in other formats.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <stop_token>
#include <string>

#include "core/support/error.h"

namespace workbench::synth {

struct ExportOptions {
    std::filesystem::path folder;
    std::filesystem::path out;
    enum class Form {
        pairs,     // a file of JSON lines
        seed_jax,  // a folder with a JSON file for each kernel
        seed_warp,
    } form = Form::pairs;
    std::string target;    // empty: all; of seed_jax the first of the run
    std::string split;     // empty: all
    std::string category;  // empty: all
};

// Returns whether a record is of the split and category that are asked for.
bool is_chosen(const nlohmann::json& record, const ExportOptions& options);

// Writes what the options ask for, whole or not at all, and returns how many pairs or kernels that are.
// bad_argument: the data set has no such target, nothing fits, or, of a folder, there is one of that name.
Result<std::uint64_t> export_data_set(const ExportOptions& options, const std::stop_token& stop = {});

}  // namespace workbench::synth
