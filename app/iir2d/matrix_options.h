// SPDX-License-Identifier: MIT
// What bench and parity run: the cases, on which images, and how they are measured.
#pragma once

#include <string>
#include <vector>

#include "app/iir2d/options.h"
#include "app/iir2d/pool_options.h"
#include "core/support/task.h"

namespace app {

struct MatrixOptions {
    std::vector<std::string> sizes;
    std::vector<std::string> filter_ids;
    std::vector<std::string> borders;
    std::vector<std::string> precisions;
    std::vector<std::string> pool_ops;
    std::vector<std::string> pool_dtypes;
    std::vector<std::string> pool_passes;
    PoolOptions pool{.window = "2x2"};
    std::string recipe;
    std::string image;
    std::string seed = "1";

    std::string warmup = "10";
    std::string iterations = "50";
    std::string until;  // empty: a fixed number of iterations
    std::string min_iterations = "20";
    std::string max_iterations = "1000";
    std::string max_seconds = "60";
    std::string most_disturbed = "50%";
    bool cold = false;

    DeviceOptions device;
    bool quiet = false;
    bool json = false;

    // Which cases, on which images. The options that were added.
    std::vector<CLI::Option*> add_what_to(CLI::App& command);
    // Adds how they are measured. Returns the options that were added.
    std::vector<CLI::Option*> add_how_to(CLI::App& command);
    // The device, and what is printed.
    void add_shared_to(CLI::App& command);

    // Reads the recipe and the image. bad_argument names the option.
    Result<workbench::BenchmarkMatrix> matrix(const workbench::TaskControl& control) const;

    // Pins --config for every case. bad_argument names the first case that it is not valid for.
    Result<void> pin_config(workbench::BenchmarkMatrix& m) const;

  private:
    Result<void> fill_cases(workbench::BenchmarkMatrix& m) const;
    Result<void> fill_pools(workbench::BenchmarkMatrix& m) const;
    Result<void> fill_counts(workbench::BenchmarkMatrix& m) const;
    Result<void> fill_stopping(workbench::BenchmarkMatrix& m) const;
};

}  // namespace app
