// SPDX-License-Identifier: MIT
// A data set as Python for JAX, lowered to StableHLO and run there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "core/synth/export.h"

namespace workbench::synth {

// Has Python do what resources/synth/lower_jax.py says: reads a file of requests, writes one of answers, each
// when it has it. Returns what ended it before its time, "crashed (signal 11, segmentation fault)"; empty:
// nothing did.
using RunPython = std::function<Result<std::string>(const std::filesystem::path& requests,
                                                    const std::filesystem::path& answers)>;

struct JaxExport {
    std::uint64_t kernels = 0;                      // written
    std::map<std::string, std::uint64_t> left_out;  // by why they have no such form, or are not compared
    std::vector<std::string> failures;              // "ID: what", of kernels that were dropped
};

// Writes a folder with a file ID.py for each forward kernel, whole or not at all; with `python` ID.mlir too,
// of those whose results lie within the bounds that any order of operations has. A kernel that ends Python is
// dropped. bad_argument as of export_data_set(); device_failure where Python ends at one kernel after the
// other. The folder is there, empty perhaps, where all have failed.
Result<JaxExport> export_jax(const ExportOptions& options, const RunPython& python,
                             const std::stop_token& stop = {});

}  // namespace workbench::synth
