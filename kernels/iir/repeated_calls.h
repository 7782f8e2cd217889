// SPDX-License-Identifier: MIT
// Keeps what the last small call of each thread was made into: training and previews call with the same
// parameters again and again, and to read, check and plan them takes as long as to filter 64 x 64 samples.
#pragma once

#include <memory>

#include "iir2d/iir2d_filter.h"
#include "kernels/iir/cpu.h"
#include "kernels/iir/filter_params.h"

namespace iir2d::iir {

// Holds a checked forward call, ready to run by static's rules on one thread.
struct PreparedCall {
    FilterCall call;
    CpuJob job;
};

// Returns the last call that this thread kept, if it had these parameters; else null. `params` is not null,
// and of its memory only its size is read unless that is this version's.
std::shared_ptr<const PreparedCall> repeated_call(const IIR2D_FilterParams* params);

// Returns whether a call is so small that it is worth keeping, and kept in little memory. `params` are what
// it was read from, here and below.
bool is_worth_keeping(const IIR2D_FilterParams* params, const FilterCall& call);

// Keeps a call for the next one of this thread, in place of the one before, and returns it. `params` are what
// it was read from.
std::shared_ptr<const PreparedCall> keep_call(const IIR2D_FilterParams* params, FilterCall call);

}  // namespace iir2d::iir
