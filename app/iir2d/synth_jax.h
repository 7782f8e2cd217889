// SPDX-License-Identifier: MIT
#pragma once

#include "app/iir2d/options.h"
#include "core/synth/export.h"

namespace app {

// Writes a data set as Python for JAX; `lower` has Python lower and run it. Returns the exit code.
workbench::Result<int> export_jax_command(const workbench::synth::ExportOptions& options, bool lower,
                                          const Interruption& interruption);

}  // namespace app
