// SPDX-License-Identifier: MIT
// Makes and runs plans: made once from a descriptor, run many times. make() validates everything and chooses
// a kernel; it computes nothing. A plan is immutable and may be run from several threads at once with
// separate workspaces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "iir2d/device.h"
#include "iir2d/device_tensor.h"
#include "iir2d/error.h"
#include "iir2d/export.h"
#include "iir2d/filter.h"
#include "iir2d/tensor.h"

namespace iir2d {

struct Config;       // config.h
struct Choice;       // tune.h
struct TuneOptions;  // tune.h

// Names the kernel that a plan chose.
struct KernelIdentity {
    Backend backend = Backend::cpu;
    std::string name;     // e.g. "iir_raster"
    std::string variant;  // e.g. "rows_2_down_1_columns_1"
    ElementType element = ElementType::f32;
    std::string architecture;  // e.g. "AVX2", "sm_90"
    // How it is executed (config.h, tune.h): what was asked for, what every knob comes to, why it was chosen,
    // and by which model; empty: none.
    std::string config = "static";
    std::string config_resolved = "static";
    std::string chosen_by = "off";
    std::string model = {};
};

struct PrecisionGuarantee {
    ElementType accumulator = ElementType::f32;
    bool bit_stable = true;     // the same bits on every run on the same device model and build
    bool deterministic = true;  // and for every number of threads
    std::optional<double>
        max_abs_error;      // against the double reference, inputs in [0, 1]; absent: not stated
    std::string statement;  // the same in one sentence
};

struct FilterDesc {
    Shape shape = {};
    FilterSpec filter = {};
    Border border = Border::mirror;
    double border_const = 0.0;
    Precision precision = Precision::f32;
    Start start = Start::truncated;
    // Any filters in place of `filter`, which is not read then: one for all planes, or n * c, one for each
    // plane, n-major. Sections are stable; every axis has a stage, every cascade a section.
    std::vector<FilterData> data = {};
    // Element type of x and y; absent: storage_type(precision). f64 goes with f64 alone. Of f16 and bf16 the
    // result has the bits of the filter on the same values in f32, rounded once, to nearest, ties to even.
    std::optional<ElementType> element = std::nullopt;
};

// Returns the element type of a precision's planes: f64 for f64, else f32.
constexpr ElementType storage_type(Precision precision) {
    return precision == Precision::f64 ? ElementType::f64 : ElementType::f32;
}
constexpr ElementType element_of(const FilterDesc& desc) {
    return desc.element.value_or(storage_type(desc.precision));
}

class IIR2D_API FilterPlan {
  public:
    // Makes a plan that is executed as choice() says: as tune_options() decide, as options of the plan's own
    // do (tune.h; out of their ranges they are static with the reason `error`), or by a config that is given:
    // an error where that is not valid. No config changes a bit of a result on the CPU. backward() is not
    // affected by it.
    static Result<FilterPlan> make(const Device& device, const FilterDesc& desc);
    static Result<FilterPlan> make(const Device& device, const FilterDesc& desc, const TuneOptions& options);
    static Result<FilterPlan> make(const Device& device, const FilterDesc& desc, const Config& config);

    const FilterDesc& desc() const;
    Choice choice() const;
    Shape output_shape() const;
    // Bytes of device memory that enqueue() needs; 0 where it needs none, and of a plan for the CPU.
    std::size_t workspace_bytes() const;
    KernelIdentity kernel() const;
    PrecisionGuarantee precision() const;

    // Filters x into y, both in host memory; y may be x itself with the same strides, else they must not
    // overlap. A shape or element type unlike the plan's is an error that names both, and nothing is written.
    // Blocks until done; a plan for a GPU uploads x, filters and downloads y.
    // ErrorCode::cancelled when control.stop asked: y is then unspecified, as after a failure of the GPU.
    Result<void> run(const ConstTensorView& x, const TensorView& y, const RunControl& control = {}) const;

    // Does the same from device memory to device memory, for a plan on a GPU: nothing is copied to or from
    // the host, and control.times gets the compute time alone. Launches that repeat on the same addresses are
    // started as one CUDA graph. y may be x. Blocks; control.stop is looked at
    // before the filter begins. DeviceTensor says what may run at once.
    Result<void> run(const DeviceTensor& x, const DeviceTensor& y, const RunControl& control = {}) const;

    // Does the same on device memory of the caller's, for a plan on a GPU: x, y and workspace are addresses
    // in the primary context of the plan's device, `workspace` at least workspace_bytes() long (null where
    // that is 0) and aligned to 16, `stream` a CUstream of that context, null its legacy default stream.
    // Asynchronous in the stream's order: returns when the launches are queued, waits for nothing and
    // allocates nothing on the device, so it may be captured in a CUDA graph. The memory must stay as it is
    // until the stream has come past.
    Result<void> enqueue(const ConstTensorView& x, const TensorView& y, void* workspace, void* stream) const;

    // Computes the gradients of a loss from its gradient dy with respect to y = run(x), which is A x + c. dx,
    // unless its data is null, takes the one with respect to x: A^T dy, exactly the filter's transpose; it
    // may be dy itself with the same strides. dp, unless it is empty, takes the ones with respect to the
    // parameters of the filter's row, in the row's order and 0 for a switch: sums over all planes, one for
    // each parameter; only then x is read, and the plan must have been made from a row, not from filters as
    // data. In double and in one order: the same bits on every run and for every number of threads, as those
    // of dx. dx is within precision()'s bound, for dy in [0, 1], times the largest of 1 and |A^T dy|; dp
    // within 1e-4 (f64: 1e-10) of norm(dy) times the norm of run()'s derivative, but for what storing x and y
    // in the plan's type rounds. Host memory; dp lies apart from the others, dx apart
    // from x. Blocks; errors and cancellation as in run(), dx and dp are then unspecified. Source:
    // docs/filters.md, "Adjoint and gradient of the parameters".
    Result<void> backward(const ConstTensorView& x, const ConstTensorView& dy, const TensorView& dx,
                          std::span<double> dp = {}, const RunControl& control = {}) const;

    struct State;

  private:
    explicit FilterPlan(std::shared_ptr<const State> state) : m_state(std::move(state)) {}
    std::shared_ptr<const State> m_state;
};

enum class PoolOp { max, avg, lp, adaptive_max, adaptive_avg };
constexpr bool is_max(PoolOp op) {
    return op == PoolOp::max || op == PoolOp::adaptive_max;
}
constexpr bool is_adaptive(PoolOp op) {
    return op == PoolOp::adaptive_max || op == PoolOp::adaptive_avg;
}
IIR2D_API std::string_view name_of(PoolOp);  // "max", "avg", "lp", "adaptive-max", "adaptive-avg"
IIR2D_API Result<PoolOp> pool_op_from_name(std::string_view);

struct PoolDesc {
    PoolOp op = PoolOp::max;
    Shape shape = {};
    Extent window = {2, 2};
    std::optional<Extent> stride = std::nullopt;  // absent: the window
    Extent padding = {0, 0};                      // at most half the window
    Extent dilation = {1, 1};
    bool ceil_mode = false;
    double p = 2.0;                                               // lp only: finite, above 0
    bool count_include_pad = false;                               // avg only
    std::optional<std::int64_t> divisor_override = std::nullopt;  // avg only; not 0
    Extent output = {1, 1};                                       // adaptive ops only
    ElementType element = ElementType::f32;
};

// Holds where a window reads the input: rows first_row, first_row + row_step, ... and columns likewise, only
// those inside the input; and what an average divides by.
struct PoolWindow {
    std::int64_t first_row = 0;
    std::int64_t rows = 0;
    std::int64_t row_step = 1;
    std::int64_t first_column = 0;
    std::int64_t columns = 0;
    std::int64_t column_step = 1;
    std::int64_t divisor = 1;
};

class IIR2D_API PoolPlan {
  public:
    // Makes a plan as FilterPlan::make() does. Where places of maxima are asked for and the way of `forward`
    // has a climb, the order of folds is the library's own; those that backward() finds again are found as
    // `forward` says.
    static Result<PoolPlan> make(const Device& device, const PoolDesc& desc);
    static Result<PoolPlan> make(const Device& device, const PoolDesc& desc, const TuneOptions& options);
    static Result<PoolPlan> make(const Device& device, const PoolDesc& desc, const Config& forward,
                                 const Config& backward);

    const PoolDesc& desc() const;
    Choice choice() const;           // of forward, without places
    Choice backward_choice() const;  // of backward
    Shape output_shape() const;
    KernelIdentity kernel() const;           // that forward runs
    KernelIdentity backward_kernel() const;  // that backward runs
    PrecisionGuarantee precision() const;
    // Returns the window of output (y, x), which must lie in output_shape().
    PoolWindow window(std::int64_t y, std::int64_t x) const;

    // Pools x into y (not in place). For max, `argmax`, when not empty, has as many elements as y, dense, and
    // takes the 64-bit row-major index into the input plane of each window's first maximum. Host memory;
    // errors, cancellation and GPUs as in FilterPlan::run.
    Result<void> forward(const ConstTensorView& x, const TensorView& y, std::span<std::int64_t> argmax = {},
                         const RunControl& control = {}) const;

    // Computes the gradient dx of a loss with respect to x, from its gradient dy with respect to y =
    // forward(x). lp reads x and y; max reads argmax, forward's, or where that is empty finds it again from
    // x; avg reads neither, and what an op does not read may be empty. Every element of dx is written, 0
    // where no window covers it, from its windows in one fixed order: the same bits on every run and for
    // every number of threads. dx lies apart from the others. Host memory; errors and cancellation as in
    // forward. Source: docs/pooling.md, "Backward".
    Result<void> backward(const ConstTensorView& x, const ConstTensorView& y, const ConstTensorView& dy,
                          const TensorView& dx, std::span<const std::int64_t> argmax = {},
                          const RunControl& control = {}) const;

    // Does the same from device memory to device memory, without argmax, as FilterPlan::run; y lies apart
    // from x.
    Result<void> forward(const DeviceTensor& x, const DeviceTensor& y, const RunControl& control = {}) const;

    // Runs the backward pass likewise. What the op does not read may be null; max finds its places again from
    // x, for which it allocates device memory and frees it.
    Result<void> backward(const DeviceTensor* x, const DeviceTensor* y, const DeviceTensor& dy,
                          const DeviceTensor& dx, const RunControl& control = {}) const;

    // Does the same on device memory of the caller's, as FilterPlan::enqueue. `argmax` is null or a device
    // address.
    Result<void> enqueue(const ConstTensorView& x, const TensorView& y, std::int64_t* argmax,
                         void* stream) const;

    // Enqueues the backward pass likewise: max reads the argmax that a forward pass left, at a device
    // address, and of the tensors dy alone; what an op does not read may be empty or null.
    Result<void> enqueue_backward(const ConstTensorView& x, const ConstTensorView& y,
                                  const ConstTensorView& dy, const TensorView& dx, const std::int64_t* argmax,
                                  void* stream) const;

    struct State;

  private:
    explicit PoolPlan(std::shared_ptr<const State> state) : m_state(std::move(state)) {}
    std::shared_ptr<const State> m_state;
};

}  // namespace iir2d
