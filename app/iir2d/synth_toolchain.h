// SPDX-License-Identifier: MIT
// Data sets' compilers: those of the compiler process, the executor of PTX and the host's JIT.
#pragma once

#include "core/compile/compiler.h"
#include "core/synth/toolchain.h"

namespace app {

// What a data set says of a target, and how its texts are run.
workbench::synth::Target data_set_target(const workbench::compile::TargetState& state);

struct ChosenTargets {
    std::vector<workbench::synth::Target> targets;        // at least one
    std::vector<std::string> unavailable;                 // "TARGET: why", of default targets
    std::vector<workbench::compile::TargetState> states;  // of all
};
// Those named, or without names the default ones that are there. bad_argument for a name that there is not;
// device_failure for one that is not available, and where none is.
workbench::Result<ChosenTargets> choose_targets(const std::vector<std::string>& named,
                                                const std::stop_token& stop);

workbench::Result<std::unique_ptr<workbench::synth::Toolchain>> make_toolchain();

}  // namespace app
