// SPDX-License-Identifier: MIT
// Reads and checks IIR2D_FilterParams.
#pragma once

#include <vector>

#include "iir2d/error.h"
#include "iir2d/iir2d_filter.h"
#include "iir2d/plan.h"
#include "kernels/iir/plan_checks.h"
#include "kernels/support/c_tensor.h"

namespace iir2d::iir {

// Describes what a call is to do. One filter for all planes stands in desc.filter; one for each, in `specs`.
struct FilterCall {
    FilterDesc desc;
    std::vector<FilterSpec> specs;  // of each plane; empty: desc.filter is for all of them
    Filters filters;
    support::CTensor x;
    support::CTensor y;
    support::CTensor dy;
    support::CTensor dx;
    int threads = 0;
    int (*poll)(void*, double) = nullptr;
    void* user = nullptr;
};

// Says which tensors a call has.
enum class FilterPass { forward, backward };

// Names the tensors that a backward pass leaves out; strides of what is not there are not read.
struct LeftOut {
    bool x = false;
    bool dx = false;
};

// Checks every field in the order that iir2d_filter.h promises; `params` is not null.
Result<FilterCall> read_params(const IIR2D_FilterParams* params, FilterPass pass, LeftOut left_out = {});

}  // namespace iir2d::iir
