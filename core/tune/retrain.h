// SPDX-License-Identifier: MIT
// Does all steps at once: measures problems on this machine, trains a model for each purpose, judges it, and
// installs it where it is not worse than what decides now.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/support/error.h"
#include "core/support/task.h"
#include "iir2d/device.h"

namespace workbench::tune {

struct RetrainOptions {
    double budget_seconds = 300;  // of all; a tenth of it is left for training
    std::uint64_t seed = 1;
    std::filesystem::path database;  // made anew, and kept
};

struct RetrainedPurpose {
    std::string purpose;
    std::string version;  // of the new model
    bool is_installed = false;
    std::string why_not;                     // one sentence
    std::optional<double> to_static;         // its decisions' time over static's, on unseen problems
    std::optional<double> active_to_static;  // the same of the model that decides now; none: static does
    std::optional<double> regret;            // of its first config
    std::size_t problems = 0;                // trained on
};

struct Retrained {
    std::vector<RetrainedPurpose> purposes;
    std::size_t visits = 0;
    std::size_t contended = 0;
    double seconds = 0;
};

// Measures for nine tenths of the budget, three problems to train on for one to judge by. A model is
// installed if it may decide and its decisions are, on the latter, not slower than those of what decides now.
// An error leaves the installed models as they were.
Result<Retrained> retrain(const RetrainOptions& options, const iir2d::Device& device,
                          const TaskControl& control = {});

}  // namespace workbench::tune
