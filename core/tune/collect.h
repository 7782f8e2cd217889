// SPDX-License-Identifier: MIT
// Collects measurements: visits problems in turn and keeps each visit as it ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/support/error.h"
#include "core/support/task.h"
#include "core/tune/collect_options.h"
#include "core/tune/data.h"
#include "iir2d/device.h"

namespace workbench::tune {

struct CollectOptions {
    std::filesystem::path out;
    ProblemSet set = ProblemSet::train;
    std::uint64_t seed = 1;
    Space space;
    Objective objective = Objective::both;
    int rounds_least = 5;
    int rounds_most = 25;
    int visits = 2;
    std::optional<double> budget_seconds;
};

struct Collected {
    std::size_t visits = 0;    // made now
    std::size_t missing = 0;   // not made, for want of time or because they failed
    std::size_t unstable = 0;  // of those made now
    std::size_t contended = 0;
    // Why problems could not be visited, by their specs: memory was short, or static failed.
    std::map<std::string, std::string> failed;
    // "spec: config: reason", of all visits by this machine and these kernels.
    std::vector<std::string> wrong;
    double seconds = 0;
};

// Visits every problem `visits` times, all others between, and leaves out what the database has already by
// this machine and these kernels: after a kill the same call goes on. What is found wrong is kept and in the
// result. A problem that cannot be visited is named there, and the others go on. Cancelled: the visits that
// ended are kept. check_failed: a key is in the other set, and the database is as it was.
Result<Collected> collect(const std::vector<NamedProblem>& problems, const CollectOptions& options,
                          const iir2d::Device& device, const TaskControl& control = {});

}  // namespace workbench::tune
