// SPDX-License-Identifier: MIT
// Inside core/synth only: the files of a data set beside its shards' lines.
#pragma once

#include "core/synth/data_set.h"

namespace workbench::synth {

std::filesystem::path shard_path(const std::filesystem::path& folder, std::size_t number, bool rejected);
// run.json: all that decides what is made.
std::string run_text(const GenerateOptions& options);
// The first member that differs of two such texts, in words.
std::string first_difference(const std::string& found, const std::string& wanted);
// Writes stats.json, stats.md, manifest.json and SHA256SUMS of the shards that are there.
Result<void> finish_files(const GenerateOptions& options, const std::map<Category, std::uint64_t>& quotas);

}  // namespace workbench::synth
