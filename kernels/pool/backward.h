// SPDX-License-Identifier: MIT
// The backward pass of pooling, its vector-Jacobian product (docs/pooling.md, "Backward"): every element of
// dx is computed by one task, from the windows that contain it, in one order. On the CPU a task has rows of
// dx. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "iir2d/config.h"
#include "iir2d/device.h"
#include "iir2d/error.h"
#include "iir2d/plan.h"
#include "kernels/pool/geometry.h"

namespace iir2d::pool {

struct CpuKernel;

// The arrays that a backward pass reads and writes. Views are checked and of the plan's element type; those
// that the op does not read may be empty.
struct Backward {
    ConstTensorView x;
    ConstTensorView y;
    ConstTensorView dy;
    TensorView dx;
    const std::int64_t* argmax = nullptr;  // dense, of max
};

struct BackwardReads {
    bool x = false;
    bool y = false;
    bool argmax = false;
};
BackwardReads backward_reads(PoolOp op);

// Returns the type that gradients are summed in: f64 where the norms' quotients may leave f32 or the sums are
// long.
ElementType backward_accumulator(const PoolDesc& desc, const PoolGeometry& geometry);

// Returns whether a GPU's lp takes each pair of element and window by itself: where the gradient is no
// product of a term of the element and a sum of its windows' terms, or, of f64, the quotient of the two may
// leave its range.
constexpr bool divides_in_pairs(const PoolDesc& desc) {
    return desc.p != 1.0 && (desc.p != 2.0 || desc.element == ElementType::f64);
}

// Returns whether the CPU scatters the gradients of averages in vectors: f32, windows of neighbouring columns
// at stride 1 or 2, and few enough on an element that sums in f32 are accurate.
bool scatters_in_vectors(const PoolDesc& desc, const PoolGeometry& geometry);

// Returns whether the CPU gathers the gradients of maxima in vectors: of small windows at stride 2, whose
// rows are long, on an instruction set on which that is faster. Their sums are f32.
bool gathers_maxima(const PoolDesc& desc, const PoolGeometry& geometry);

// Returns whether the CPU makes gradients of norms from shares of windows in vectors, of any p: where those
// stay in the range of f64.
bool scatters_norms(const PoolDesc& desc);

// Returns whether the CPU writes dx by stores that may be past the caches, and whether static's are: dx is
// larger than the caches, its rows are whole vectors or very long. Rows that begin unaligned are written
// through.
bool backward_chooses_stores(const PoolDesc& desc, const PoolGeometry& geometry);
bool backward_uses_non_temporal_stores(const PoolGeometry& geometry);

// Returns the elements of dx that make a task worth its set-up.
constexpr std::int64_t backward_task_elements(const Config& config) {
    return config.task != 0 ? config.task : std::int64_t{1} << 16;
}

// Returns whether backward_cpu() finds places of maxima that it is not given: not of adaptive windows, nor
// where threads would all find those of long windows that they share.
bool finds_places(const PoolDesc& desc, const PoolGeometry& geometry, int threads);

// Throws where memory is short. Of the config it reads stores and task. `forward` is the plan's forward pass,
// which finds places that are not given.
Result<void> backward_cpu(const PoolDesc& desc, const PoolGeometry& geometry, const CpuKernel& forward,
                          const Backward& data, const Config& config, int threads, const RunControl& control);

}  // namespace iir2d::pool
