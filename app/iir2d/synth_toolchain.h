// SPDX-License-Identifier: MIT
// Data sets' compilers: those of the compiler process, the executor of PTX and the host's JIT.
#pragma once

#include "core/compile/compiler.h"
#include "core/synth/toolchain.h"

namespace app {

// What a data set says of a target, and how its texts are run.
workbench::synth::Target data_set_target(const workbench::compile::TargetState& state);

workbench::Result<std::unique_ptr<workbench::synth::Toolchain>> make_toolchain();

}  // namespace app
