// SPDX-License-Identifier: MIT
// The functions that XLA calls for iir2d.jax's primitives, by its foreign function interface.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

namespace iir2d_python {

// How many threads a call on the CPU may use; 0: all that the process may.
void set_xla_threads(std::int32_t count);

// Name of the target -> capsule of its handler, for the platform "cpu" or "CUDA".
nanobind::dict xla_handlers(const std::string& platform);

}  // namespace iir2d_python
