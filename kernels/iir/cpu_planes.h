// SPDX-License-Identifier: MIT
// Runs filters on the CPU: planes at any distances, in any element type, by one filter for all of them or by
// one for each. Planes of 16-bit elements are filtered as f32, of which no more are held than there are
// threads.
#pragma once

#include <span>

#include "iir2d/config.h"
#include "iir2d/device.h"
#include "iir2d/error.h"
#include "iir2d/plan.h"
#include "iir2d/tensor.h"
#include "kernels/iir/plan_checks.h"

namespace iir2d::iir {

// Holds a descriptor that check_desc() accepted, with the filters it gave.
struct CpuTask {
    const FilterDesc& desc;
    const Filters& filters;
    int threads = 1;
    Config config = {};  // of forward_planes()
};

// Returns how many threads a call may use that asks for so many, 0 for all: one, where more would save
// nothing, unless a config `chooses` them.
Result<int> threads_for(const Shape& shape, int asked, bool chooses = false);

// The functions below take views that are checked, with strides resolved, of the task's element type. They
// may throw std::bad_alloc.

// Filters x into y, which is x or lies apart from it.
Result<void> forward_planes(const CpuTask& task, const ConstTensorView& x, const TensorView& y,
                            const RunControl& control);

// Computes the adjoint, dx = A^T dy; dx is dy or lies apart from it.
Result<void> adjoint_planes(const CpuTask& task, const ConstTensorView& dy, const TensorView& dx,
                            const RunControl& control);

// Computes the gradient of <dy, filter(x)> with respect to the parameters of the row. One filter for all
// planes: dp has the row's parameters, each the sum over the planes. One for each of them: `specs` are
// theirs, and dp has as many sets. Nothing is written unless all of it is.
Result<void> gradient_planes(const CpuTask& task, std::span<const FilterSpec> specs, const ConstTensorView& x,
                             const ConstTensorView& dy, std::span<double> dp, const RunControl& control);

// Computes both, of which an empty dp or dx is left out. dx may take the place of dy.
Result<void> backward_planes(const CpuTask& task, std::span<const FilterSpec> specs,
                             const GradientViews& views, std::span<double> dp, const RunControl& control);

}  // namespace iir2d::iir
