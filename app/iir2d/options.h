// SPDX-License-Identifier: MIT
// Options that several commands share, and the spelling of their values.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/iir2d/terminal.h"
#include "core/benchmark/benchmark.h"
#include "core/image/image.h"
#include "core/recipe/recipe.h"
#include "core/support/error.h"
#include "iir2d/config.h"
#include "iir2d/device.h"

namespace app {

using workbench::Result;

// A command's body: what it returns is the exit code. main() runs the one that was parsed.
using Action = std::function<Result<int>(const Interruption&)>;

// Every command registers itself on the parser and leaves its action in `chosen` when it is the one parsed.
void add_filter_command(CLI::App& parser, Action& chosen);
void add_pool_command(CLI::App& parser, Action& chosen);
void add_run_command(CLI::App& parser, Action& chosen);
void add_batch_command(CLI::App& parser, Action& chosen);
void add_info_command(CLI::App& parser, Action& chosen);
void add_compare_command(CLI::App& parser, Action& chosen);
void add_devices_command(CLI::App& parser, Action& chosen);
void add_bench_command(CLI::App& parser, Action& chosen);
void add_parity_command(CLI::App& parser, Action& chosen);
void add_verify_command(CLI::App& parser, Action& chosen);
void add_completion_command(CLI::App& parser, Action& chosen);
void add_man_command(CLI::App& parser, Action& chosen);

// --filter_ids and --filter-ids are the same option: underscores in the name of a long option become hyphens.
std::vector<std::string> with_hyphens(int argc, char** argv);

struct DeviceOptions {
    std::string device = "auto";
    std::string threads;
    std::string tune;
    std::string config;      // of commands that add it
    bool keeps_use = false;  // set by add_to(): models and what was learned decide, and it is counted
    void add_to(CLI::App& command);
    void add_config_to(CLI::App& command);
    Result<int> thread_count() const;  // 0: all
    // And sets the process's tune mode, by which its kernels are executed.
    Result<iir2d::DeviceChoice> choose() const;
    Result<std::optional<iir2d::Config>> pinned() const;
};

struct OutputOptions {
    std::string out_type;
    bool keep_alpha = false;
    void add_to(CLI::App& command);
    Result<std::optional<workbench::SampleType>> type() const;
};

// Which page or part of a file that has several.
struct PageOption {
    std::string page = "1";
    void add_to(CLI::App& command);
    Result<int> index() const;  // from 0
};

void add_quiet(CLI::App& command, bool& quiet);

// "HxW" or one number for both. `option` is named in the error.
Result<iir2d::Extent> parse_extent(std::string_view option, std::string_view text);
// "WxH".
Result<workbench::BenchmarkSize> parse_size(std::string_view option, std::string_view text);
Result<double> parse_number(std::string_view option, std::string_view text);
Result<std::int64_t> parse_integer(std::string_view option, std::string_view text);
Result<std::int64_t> parse_integer(std::string_view option, std::string_view text, std::int64_t least,
                                   std::int64_t most);
// Parses a number of which CLI11 would take "-5" for 2^64 - 5.
Result<std::uint64_t> parse_count(std::string_view option, std::string_view text, std::uint64_t least,
                                  std::uint64_t most);
Result<int> parse_filter_id(std::string_view option, std::string_view text);
std::vector<std::string> split_list(const std::vector<std::string>& texts);

Result<iir2d::Border> parse_border(std::string_view text);
Result<iir2d::Precision> parse_precision(std::string_view text);
Result<iir2d::Start> parse_start(std::string_view text);
Result<iir2d::PoolOp> parse_pool_op(std::string_view text);

}  // namespace app
