// SPDX-License-Identifier: MIT
#include <string>
#include <utility>

#include "iir2d/plan.h"
#include "kernels/pool/cpu.h"
#include "kernels/pool/geometry.h"
#include "kernels/support/describe.h"
#include "kernels/support/view.h"

namespace iir2d {

struct PoolPlan::State {
    Device device;
    PoolDesc desc;
    pool::PoolGeometry geometry;
    pool::CpuKernel kernel;
};

namespace {

// Every kernel keeps the contract's tolerance; max rounds nothing.
PrecisionGuarantee guarantee(const PoolDesc& desc, const pool::CpuKernel& kernel) {
    PrecisionGuarantee g{.accumulator = kernel.accumulator};
    const std::string bits = "The same bits on every run and for every number of threads.";
    switch (desc.op) {
        case PoolOp::max:
        case PoolOp::adaptive_max:
            g.max_abs_error = 0.0;
            g.statement = "Exact. " + bits;
            break;
        case PoolOp::avg:
        case PoolOp::adaptive_avg:
            if (!desc.divisor_override) g.max_abs_error = 2e-6;
            g.statement = "Sums in " + std::string(name_of(kernel.accumulator)) +
                          "; within 2e-6 of the double-precision reference, relative to the sum of the "
                          "window's magnitudes over the divisor. " +
                          bits;
            break;
        case PoolOp::lp:
            g.statement = "Sums in " + std::string(name_of(kernel.accumulator)) +
                          "; within 2e-6 of the double-precision reference, relative to the norm. " + bits;
            break;
    }
    return g;
}

}  // namespace

Result<PoolPlan> PoolPlan::make(const Device& device, const PoolDesc& desc) {
    const auto geometry = pool::make_geometry(desc);
    if (!geometry) return std::unexpected(geometry.error());
    if (device.backend() != Backend::cpu) {
        return std::unexpected(
            Error{ErrorCode::cuda_error, "device " + device.id() + ": pooling runs on the CPU only, so far"});
    }
    if (desc.element != ElementType::f32) {
        return std::unexpected(Error{ErrorCode::invalid_argument,
                                     "element " + std::string(name_of(desc.element)) +
                                         ": not supported yet on " + device.id() + ", only f32 is"});
    }
    return PoolPlan(std::make_shared<const State>(
        State{device, desc, *geometry, pool::choose_cpu_kernel(desc, *geometry)}));
}

const PoolDesc& PoolPlan::desc() const {
    return m_state->desc;
}

Shape PoolPlan::output_shape() const {
    return m_state->geometry.output;
}

std::size_t PoolPlan::workspace_bytes() const {
    return 0;
}

KernelIdentity PoolPlan::kernel() const {
    return {.backend = Backend::cpu,
            .name = "pool_" + std::string(name_of(m_state->desc.op)),
            .variant = m_state->kernel.variant,
            .element = m_state->desc.element,
            .architecture = IIR2D_CPU_BASELINE};
}

PrecisionGuarantee PoolPlan::precision() const {
    return guarantee(m_state->desc, m_state->kernel);
}

Result<void> PoolPlan::forward(const ConstTensorView& x, const TensorView& y, std::span<std::int64_t> argmax,
                               std::span<std::byte>, const RunControl& control) const {
    const State& state = *m_state;
    const Shape& output = state.geometry.output;
    const auto x_strides = support::check_view("x", x, state.desc.element, state.geometry.input);
    if (!x_strides) return std::unexpected(x_strides.error());
    const auto y_strides = support::check_output_view("y", y, state.desc.element, output);
    if (!y_strides) return std::unexpected(y_strides.error());
    if (support::views_overlap(x, *x_strides, y, *y_strides)) {
        return std::unexpected(
            Error{ErrorCode::invalid_argument, "y overlaps x: pooling does not run in place"});
    }
    if (!argmax.empty()) {
        if (state.desc.op != PoolOp::max) {
            return std::unexpected(
                Error{ErrorCode::invalid_argument,
                      "argmax: only max pooling has one, not " + std::string(name_of(state.desc.op))});
        }
        const auto needed = static_cast<std::size_t>(output.n * output.c * output.h * output.w);
        if (argmax.size() != needed) {
            return std::unexpected(
                Error{ErrorCode::invalid_dimension, "argmax has " + std::to_string(argmax.size()) +
                                                        " elements, the output " + support::describe(output) +
                                                        " has " + std::to_string(needed)});
        }
    }
    const ConstTensorView x_checked{x.data, x.type, x.shape, x_strides->row, x_strides->plane};
    const TensorView y_checked{y.data, y.type, y.shape, y_strides->row, y_strides->plane};
    return pool::forward_cpu(state.desc, state.geometry, state.kernel, x_checked, y_checked,
                             argmax.empty() ? nullptr : argmax.data(), state.device.threads(), control);
}

}  // namespace iir2d
