// SPDX-License-Identifier: MIT
// Reads what is in a data set, whoever wrote it: each line is held to its shape first.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>

#include "core/support/error.h"
#include "core/synth/statistics.h"

namespace workbench::synth {

// Gives each record of the whole shards to `take`. bad_input: there is no data set, or a line is no record;
// the sentence names the file and the line.
Result<void> for_each_record(const std::filesystem::path& folder,
                             const std::function<Result<void>(const nlohmann::json& record)>& take,
                             const std::stop_token& stop = {});

// Calls the visitor likewise for what was rejected.
Result<void> for_each_rejected(const std::filesystem::path& folder,
                               const std::function<Result<void>(const nlohmann::json& rejected)>& take,
                               const std::stop_token& stop = {});

// Returns the record with an id. bad_argument: no record has it.
Result<nlohmann::json> find_record(const std::filesystem::path& folder, const std::string& id,
                                   const std::stop_token& stop = {});

// Counts what the whole shards have.
Result<Statistics> read_statistics(const std::filesystem::path& folder, const std::stop_token& stop = {});

}  // namespace workbench::synth
