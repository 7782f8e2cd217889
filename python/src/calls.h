// SPDX-License-Identifier: MIT
// Calls of the C interface on arrays: folds and copies what needs it, expands the parameters and sums their
// gradients. Knows neither Python nor XLA; throws Failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "iir2d/iir2d_filter.h"
#include "iir2d/iir2d_pool.h"
#include "python/src/planes.h"

namespace iir2d_python {

struct FilterSettings {
    std::int32_t filter_id = 1;
    std::int32_t border_mode = IIR2D_BORDER_MIRROR;
    double border_const = 0.0;
    std::int32_t precision = IIR2D_PRECISION_F32;
    std::int32_t start = IIR2D_START_TRUNCATED;
    bool normalise_gain = false;
};

// Parameters for all planes (`shape` empty) or for each: sets one after the other, each in the table's order,
// NaN for a default. No values: the defaults.
struct Parameters {
    std::span<const double> values = {};
    std::span<const std::int64_t> shape = {};
};

// How a call runs: the threads it may use, and what it asks every few milliseconds, or null.
struct Running {
    std::int32_t threads = 0;
    int (*poll)(void* user, double fraction) = nullptr;
    void* user = nullptr;
};

// What a call on x (and dy) is refused for; y is what it writes.
void check_planes(const char* name, const View& view);
void check_output(const char* name, const View& output, std::span<const std::int64_t> shape,
                  std::int32_t element);

// Each throws Failure before anything is written, or when the library fails.
void filter(const View& x, const View& y, const FilterSettings&, const Parameters&, const Running&);
void filter_adjoint(const View& dy, const View& dx, const FilterSettings&, const Parameters&, const Running&);
// `gradient` has as many values as the parameters; with no parameters given, one set.
void filter_gradient(const View& x, const View& dy, std::span<double> gradient, const FilterSettings&,
                     const Parameters&, const Running&);

// How a call runs on a GPU: device memory of the caller's, and a stream.
struct OnGpu {
    void* workspace = nullptr;
    std::size_t bytes = 0;
    void* stream = nullptr;
};

// Whether the leading dimensions of both arrays, which have the same, fold as a GPU takes them: there nothing
// is copied here. Throws Failure where y is written, does not fold and overlaps x without being x.
bool folds(const View& x, const View& y, bool y_is_written);

// What a call needs as its workspace: forward, the adjoint, or the gradient of the parameters. x and y (of
// the gradient, dy) are views of device memory that fold. Throws Failure where dy does not have x's shape and
// type.
enum class Pass { forward, adjoint, gradient };
std::size_t filter_workspace(Pass, const View& x, const View& y, const FilterSettings&, const Parameters&);
// Asynchronous on the stream: forward, or the adjoint.
void filter_on_gpu(Pass, const View& x, const View& y, const FilterSettings&, const Parameters&,
                   const OnGpu&);
// Asynchronous too. `gradient` is device memory: one set where one was given or none, else a set for each
// plane, row-major.
void filter_gradient_on_gpu(const View& x, const View& dy, double* gradient, const FilterSettings&,
                            const Parameters&, const OnGpu&);

// The parameters that the C interface takes, with everything about tensors left 0.
IIR2D_PoolParams pool_params(const IIR2D_PoolParams& settings, const View& x);
void pool_output_size(const IIR2D_PoolParams& settings, const View& x, std::int64_t& height,
                      std::int64_t& width);
// `indices` is null or dense, as many as y has elements.
void pool(const View& x, const View& y, std::int64_t* indices, const IIR2D_PoolParams& settings,
          const Running&);
// x, y and indices are null where the op does not read them. dx has the shape of the input.
void pool_backward(const View* x, const View* y, const View& dy, const View& dx, const std::int64_t* indices,
                   const IIR2D_PoolParams& settings, const Running&);
// The same on device memory, asynchronous on `stream`: x and y (of the gradient dy and dx) fold, and what the
// gradient of lp reads beside them is dense.
void pool_on_gpu(const View& x, const View& y, std::int64_t* indices, const IIR2D_PoolParams& settings,
                 void* stream);
void pool_backward_on_gpu(const View* x, const View* y, const View& dy, const View& dx,
                          const std::int64_t* indices, const IIR2D_PoolParams& settings, void* stream);

}  // namespace iir2d_python
