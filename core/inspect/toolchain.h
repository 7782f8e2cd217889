// SPDX-License-Identifier: MIT
// Data sets' compilers: those of the compiler process, the executor of PTX and the host's JIT.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/compile/compiler.h"
#include "core/support/time_limit.h"
#include "core/synth/toolchain.h"
#include "iir2d/device.h"

namespace workbench::inspect {

// Returns what a data set says of a target, and how its texts are run.
synth::Target data_set_target(const compile::TargetState& state);

struct ChosenTargets {
    std::vector<synth::Target> targets;           // at least one
    std::vector<std::string> unavailable;         // "TARGET: why", of default targets
    std::vector<std::string> stored_unavailable;  // the same for data sets: without paths of this machine
    std::vector<compile::TargetState> states;     // of all
};
// Those named, or without names the default ones that are there. bad_argument for a name that there is not;
// device_failure for one that is not available, and where none is.
Result<ChosenTargets> choose_targets(const std::vector<std::string>& named, const std::stop_token& stop);

// device_failure: the PTX of a chosen target cannot be assembled here, as level V1 asks.
Result<void> check_assembler(const ChosenTargets& chosen);

// Its compilers end with `cancelled` when the limit's `stop` asks, whatever they are at. A deadline is for
// what somebody wrote: what is not done by then is bad_input.
Result<std::unique_ptr<synth::Toolchain>> make_toolchain(const TimeLimit& limit = {});
synth::MakeToolchain toolchains_until(const std::stop_token& stop);
// Returns ones with a GPU for what is to run on one (V4).
synth::MakeToolchain toolchain_with(iir2d::Device gpu, const std::stop_token& stop = {});

}  // namespace workbench::inspect
