// SPDX-License-Identifier: MIT
// Rows of 16-bit elements to arithmetic and back, with the bits of element.h, in loops that the compiler
// turns into vectors of the best instruction set that runs (cpu_target.h). Thread-safe.
#pragma once

#include <cstdint>

#include "kernels/support/element.h"

namespace iir2d {

void widen_row(const Float16* from, std::int64_t count, float* to);
void widen_row(const BFloat16* from, std::int64_t count, float* to);
void store_row(const float* from, std::int64_t count, Float16* to);
void store_row(const float* from, std::int64_t count, BFloat16* to);
void store_row(const double* from, std::int64_t count, Float16* to);
void store_row(const double* from, std::int64_t count, BFloat16* to);

}  // namespace iir2d
