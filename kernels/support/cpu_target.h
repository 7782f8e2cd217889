// SPDX-License-Identifier: MIT
// Which instruction set the CPU kernels use.
#pragma once

#include <string>

#include "iir2d/error.h"

namespace iir2d::support {

// As Highway names it: "AVX2", "SSE4", ...; the baseline in a build without Highway. IIR2D_CPU_TARGET in the
// environment chooses another that this machine has; an error says what it names that is not one. Chosen at
// the first call, which must come before anything is dispatched: a plan for the CPU asks when it is made.
// Thread-safe.
Result<std::string> cpu_target();

}  // namespace iir2d::support
