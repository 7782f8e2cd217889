// SPDX-License-Identifier: MIT
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "iir2d/plan.h"
#include "kernels/pool/backward.h"
#include "kernels/pool/configs.h"
#include "kernels/pool/cpu.h"
#include "kernels/pool/cpu_gather.h"
#include "kernels/pool/cuda.h"
#include "kernels/pool/geometry.h"
#include "kernels/pool/gpu_plan.h"
#include "kernels/pool/images.h"
#include "kernels/pool/plan_checks.h"
#include "kernels/support/cpu_target.h"
#include "kernels/support/guard.h"
#include "kernels/tensor/device_tensor_state.h"
#include "kernels/tune/choose.h"

namespace iir2d {

struct PoolPlan::State {
    Device device;
    PoolDesc desc;  // its read_fields()
    pool::PoolGeometry geometry;
    struct OnGpu {
        pool::GpuPooling pooling;   // by the config of the forward pass
        pool::GpuPooling backward;  // by that of the backward pass
        std::string architecture;   // "sm_90"
    };
    std::variant<pool::CpuKernel, OnGpu> kernel;
    ElementType accumulator;
    Choice forward;
    Choice backward;
    std::shared_ptr<const tune::Turn> forward_turn = nullptr;
    std::shared_ptr<const tune::Turn> backward_turn = nullptr;

    int threads_of(const Config& config, PoolUse use) const {
        return pool::threads_of(config, device.threads(), desc, geometry, use);
    }
    static Result<PoolPlan> make(const Device& device, const PoolDesc& desc, const tune::Given& given_forward,
                                 const tune::Given& given_backward);
};

namespace {

// Relative to what is summed (docs/pooling.md, "Tolerance").
struct Tolerance {
    double value;
    const char* text;
};
Tolerance tolerance_of(ElementType element) {
    switch (element) {
        case ElementType::f64:
            return {1e-12, "1e-12"};
        case ElementType::f16:
            return {0x1p-10, "a unit in the last place of f16"};
        case ElementType::bf16:
            return {0x1p-7, "a unit in the last place of bf16"};
        case ElementType::f32:
            break;
    }
    return {2e-6, "2e-6"};
}

// Every kernel keeps the contract's tolerance; max rounds nothing.
PrecisionGuarantee guarantee(const PoolDesc& desc, ElementType accumulator) {
    PrecisionGuarantee g{.accumulator = accumulator};
    const std::string bits = "The same bits on every run and for every number of threads.";
    const Tolerance tolerance = tolerance_of(desc.element);
    const std::string sums = "Sums in " + std::string(name_of(accumulator)) + "; within " + tolerance.text +
                             " of the double-precision reference, relative to the ";
    switch (desc.op) {
        case PoolOp::max:
        case PoolOp::adaptive_max:
            g.max_abs_error = 0.0;
            g.statement = "Exact. " + bits;
            break;
        case PoolOp::avg:
        case PoolOp::adaptive_avg:
            if (!desc.divisor_override) g.max_abs_error = tolerance.value;
            g.statement = sums + "sum of the window's magnitudes over the divisor. " + bits;
            break;
        case PoolOp::lp:
            g.statement = sums + "norm. " + bits;
            break;
    }
    return g;
}

}  // namespace

Result<PoolPlan> PoolPlan::make(const Device& device, const PoolDesc& desc) {
    return State::make(device, desc, {}, {});
}

Result<PoolPlan> PoolPlan::make(const Device& device, const PoolDesc& desc, const TuneOptions& options) {
    return State::make(device, desc, options, options);
}

Result<PoolPlan> PoolPlan::make(const Device& device, const PoolDesc& desc, const Config& forward,
                                const Config& backward) {
    return State::make(device, desc, forward, backward);
}

Result<PoolPlan> PoolPlan::State::make(const Device& device, const PoolDesc& given,
                                       const tune::Given& given_forward, const tune::Given& given_backward) {
    return support::guarded_result("pooling", [&]() -> Result<PoolPlan> {
        const PoolDesc desc = pool::read_fields(given);
        const auto geometry = pool::make_geometry(desc);
        if (!geometry) return std::unexpected(geometry.error());
        if (device.backend() == Backend::cpu) {
            if (const auto target = support::cpu_target(); !target) return std::unexpected(target.error());
            auto kernel = pool::choose_cpu_kernel(desc, *geometry);
            const auto choose = [&](const tune::Given& how, PoolUse use) {
                return tune::choose(how, pool::PoolConfigs(desc, *geometry, kernel, use, device.threads()));
            };
            auto forward = choose(given_forward, PoolUse::forward);
            if (!forward) return std::unexpected(forward.error());
            auto backward = choose(given_backward, PoolUse::backward);
            if (!backward) return std::unexpected(backward.error());
            if (forward->choice.config != Config{})
                kernel = pool::choose_cpu_kernel(desc, *geometry, forward->choice.config);
            const ElementType accumulator = kernel.accumulator;
            return PoolPlan(std::make_shared<const State>(
                State{device, desc, *geometry, std::move(kernel), accumulator, std::move(forward->choice),
                      std::move(backward->choice), std::move(forward->turn), std::move(backward->turn)}));
        }
        const auto context = cuda::Context::get(device.index());
        if (!context) return std::unexpected(context.error());
        const tune::GpuHost host = tune::gpu_host((*context)->facts());
        const pool::GpuPooling pooling = pool::make_gpu_pooling(desc, *geometry);
        const auto choose = [&](const tune::Given& how, PoolUse use) {
            return tune::choose(how, pool::GpuPoolConfigs(desc, *geometry, pooling, use, host));
        };
        auto forward = choose(given_forward, PoolUse::forward);
        if (!forward) return std::unexpected(forward.error());
        auto backward = choose(given_backward, PoolUse::backward);
        if (!backward) return std::unexpected(backward.error());
        State::OnGpu kernel{pool::by_config(pooling, forward->choice.config),
                            pool::by_config(pooling, backward->choice.config), host.target};
        return PoolPlan(std::make_shared<const State>(State{device, desc, *geometry, std::move(kernel),
                                                            pooling.accumulator, std::move(forward->choice),
                                                            std::move(backward->choice)}));
    });
}

Choice PoolPlan::choice() const {
    return m_state->forward;
}

Choice PoolPlan::backward_choice() const {
    return m_state->backward;
}

const PoolDesc& PoolPlan::desc() const {
    return m_state->desc;
}

Shape PoolPlan::output_shape() const {
    return m_state->geometry.output;
}

KernelIdentity PoolPlan::kernel() const {
    const auto described = [&](KernelIdentity identity) {
        tune::describe(m_state->forward, identity);
        return identity;
    };
    if (const auto* gpu = std::get_if<State::OnGpu>(&m_state->kernel)) {
        const auto& pooling = gpu->pooling;
        return described(
            {.backend = Backend::cuda,
             .name = "pool_" + std::string(name_of(m_state->desc.op)),
             .variant = pooling.two_by_two_kernel.empty() ? pooling.kernel : pooling.two_by_two_kernel,
             .element = m_state->desc.element,
             .architecture = gpu->architecture});
    }
    return described({.backend = Backend::cpu,
                      .name = "pool_" + std::string(name_of(m_state->desc.op)),
                      .variant = std::get<pool::CpuKernel>(m_state->kernel).variant,
                      .element = m_state->desc.element,
                      .architecture = support::cpu_target().value_or(IIR2D_CPU_BASELINE)});
}

KernelIdentity PoolPlan::backward_kernel() const {
    KernelIdentity identity = kernel();
    identity.name += "_backward";
    tune::describe(m_state->backward, identity);
    if (const auto* gpu = std::get_if<State::OnGpu>(&m_state->kernel)) {
        identity.variant = gpu->backward.backward_kernel;
    } else {
        const ElementType sums = pool::backward_accumulator(m_state->desc, m_state->geometry);
        const bool in_vectors = pool::scatters_in_vectors(m_state->desc, m_state->geometry) ||
                                pool::scatters_norms(m_state->desc);
        identity.variant = (in_vectors ? "scatter_" : "gathered_") + std::string(name_of(sums)) + "_sum";
        if (!in_vectors && !pool::gathers_maxima(m_state->desc, m_state->geometry))
            identity.architecture = IIR2D_CPU_BASELINE;  // which the compiler vectorises for
    }
    return identity;
}

PoolWindow PoolPlan::window(std::int64_t y, std::int64_t x) const {
    const pool::WindowRule rule = pool::window_rule(m_state->desc, m_state->geometry);
    const pool::Taps rows = rule.rows.taps(y);
    const pool::Taps columns = rule.columns.taps(x);
    return {.first_row = rows.first,
            .rows = rows.count,
            .row_step = rows.step,
            .first_column = columns.first,
            .columns = columns.count,
            .column_step = columns.step,
            .divisor = m_state->desc.divisor_override && rule.has_divisor != 0
                           ? *m_state->desc.divisor_override
                           : rule.count(rule.rows, y) * rule.count(rule.columns, x)};
}

PrecisionGuarantee PoolPlan::precision() const {
    return guarantee(m_state->desc, m_state->accumulator);
}

Result<void> PoolPlan::forward(const ConstTensorView& x, const TensorView& y, std::span<std::int64_t> argmax,
                               const RunControl& control) const {
    return support::guarded_result("pooling", [&]() -> Result<void> {
        const State& state = *m_state;
        const Shape& output = state.geometry.output;
        const auto views = pool::check_forward(state.desc, state.geometry, x, y);
        if (!views) return std::unexpected(views.error());
        if (auto good = pool::check_argmax(state.desc, *views, argmax); !good) return good;
        std::int64_t* indices = argmax.empty() ? nullptr : argmax.data();
        if (const auto* gpu = std::get_if<State::OnGpu>(&state.kernel)) {
            return pool::run_cuda(state.device.index(), gpu->pooling, views->x, views->y, indices, control);
        }
        tune::count_veto(state.forward.config, views->y);
        const auto run = [&](const pool::CpuKernel& kernel, int threads) -> Result<void> {
            if (pool::planes_are_even(views->x, views->y)) {
                return pool::forward_cpu(state.desc, state.geometry, kernel, views->x, views->y, indices,
                                         threads, control);
            }
            const pool::PoolGeometry image = pool::image_of(state.geometry);
            return pool::for_each_image(output.n, control, [&](std::int64_t n, const RunControl& part) {
                return pool::forward_cpu(state.desc, image, kernel, support::image_of(views->x, n),
                                         support::image_of(views->y, n), pool::places_of(indices, output, n),
                                         threads, part);
            });
        };
        std::optional<pool::CpuKernel> other;  // by a config that is not the plan's, whose turn it is
        // The turn is of a run without places, which is another problem.
        const auto turn = indices == nullptr ? state.forward_turn : nullptr;
        return tune::watched(turn, state.forward.config, [&](const Config& config) {
            if (config != state.forward.config)
                other = pool::choose_cpu_kernel(state.desc, state.geometry, config);
            const pool::CpuKernel* kernel = other ? &*other : &std::get<pool::CpuKernel>(state.kernel);
            const int threads = state.threads_of(config, PoolUse::forward);
            return [&run, kernel, threads] { return run(*kernel, threads); };
        });
    });
}

Result<void> PoolPlan::backward(const ConstTensorView& x, const ConstTensorView& y, const ConstTensorView& dy,
                                const TensorView& dx, std::span<const std::int64_t> argmax,
                                const RunControl& control) const {
    return support::guarded_result("pooling backward", [&]() -> Result<void> {
        const State& state = *m_state;
        const Shape& output = state.geometry.output;
        auto reads = pool::backward_reads(state.desc.op);
        const bool finds_argmax = reads.argmax && argmax.empty();
        reads.x = reads.x || finds_argmax;
        auto data = pool::check_backward(state.desc, state.geometry, reads, x, y, dy, dx);
        if (!data) return std::unexpected(data.error());
        if (auto good = pool::check_argmax(state.desc, *data, argmax); !good) return good;
        data->argmax = argmax.empty() ? nullptr : argmax.data();
        const auto* gpu = std::get_if<State::OnGpu>(&state.kernel);
        std::vector<std::int64_t> found;
        std::vector<std::byte> maxima;
        const bool in_advance =
            finds_argmax && (gpu != nullptr ||
                             !pool::finds_places(state.desc, state.geometry,
                                                 state.threads_of(state.backward.config, PoolUse::backward)));
        if (in_advance) {
            found.resize(static_cast<std::size_t>(output.n * output.c * output.h * output.w));
            maxima.resize(found.size() * element_size(state.desc.element));
            // About half of the time.
            if (auto done = forward(x, {maxima.data(), state.desc.element, output}, found,
                                    pool::part_of(control, 0, 2));
                !done)
                return done;
            data->argmax = found.data();
        }
        const RunControl rest = in_advance ? pool::part_of(control, 1, 2) : control;
        if (gpu != nullptr) return pool::run_backward_cuda(state.device.index(), gpu->backward, *data, rest);
        tune::count_veto(state.backward.config, data->dx);
        const auto& kernel = std::get<pool::CpuKernel>(state.kernel);
        const auto run = [&](const Config& config) -> Result<void> {
            const int threads = state.threads_of(config, PoolUse::backward);
            if (pool::planes_are_even(*data))
                return pool::backward_cpu(state.desc, state.geometry, kernel, *data, config, threads, rest);
            const pool::PoolGeometry image = pool::image_of(state.geometry);
            return pool::for_each_image(output.n, rest, [&](std::int64_t n, const RunControl& part) {
                return pool::backward_cpu(state.desc, image, kernel, pool::image_of(*data, n), config,
                                          threads, part);
            });
        };
        // The turn is of a run with places: to find them as well is another problem.
        const auto turn = finds_argmax && !in_advance ? nullptr : state.backward_turn;
        return tune::watched(turn, state.backward.config,
                             [&](const Config& config) { return [&, config] { return run(config); }; });
    });
}

Result<void> PoolPlan::forward(const DeviceTensor& x, const DeviceTensor& y,
                               const RunControl& control) const {
    return support::guarded_result("pooling", [&]() -> Result<void> {
        const State& state = *m_state;
        const auto* gpu = std::get_if<State::OnGpu>(&state.kernel);
        if (auto good = check_tensor("x", x, state.device); !good) return good;
        if (auto good = check_tensor("y", y, state.device); !good) return good;
        const auto views =
            pool::check_forward(state.desc, state.geometry, x.state().view(), y.state().view());
        if (!views) return std::unexpected(views.error());
        return pool::run_on_device(x.state().memory->context, gpu->pooling, views->x, views->y, control);
    });
}

namespace {

std::unexpected<Error> not_on_a_gpu(const Device& device, const char* instead) {
    return std::unexpected(
        Error{ErrorCode::invalid_argument,
              "device " + device.id() + ": only a plan for a GPU is enqueued, use " + instead});
}

}  // namespace

Result<void> PoolPlan::backward(const DeviceTensor* x, const DeviceTensor* y, const DeviceTensor& dy,
                                const DeviceTensor& dx, const RunControl& control) const {
    return support::guarded_result("pooling backward", [&]() -> Result<void> {
        const State& state = *m_state;
        auto reads = pool::backward_reads(state.desc.op);
        reads.x = reads.x || reads.argmax;
        struct Given {
            const char* name;
            const DeviceTensor* tensor;
        };
        for (const Given& given : {Given{"x", reads.x ? x : nullptr}, Given{"y", reads.y ? y : nullptr},
                                   Given{"dy", &dy}, Given{"dx", &dx}}) {
            if (given.tensor == nullptr) continue;
            if (auto good = check_tensor(given.name, *given.tensor, state.device); !good) return good;
        }
        const auto view = [](const DeviceTensor* tensor) {
            return tensor != nullptr ? ConstTensorView(tensor->state().view()) : ConstTensorView();
        };
        const auto data = pool::check_backward(state.desc, state.geometry, reads, view(x), view(y), view(&dy),
                                               dx.state().view());
        if (!data) return std::unexpected(data.error());
        std::optional<pool::PlacesToFind> find;
        if (reads.argmax) find = {state.geometry.output, state.desc.element};
        const auto& gpu = std::get<State::OnGpu>(state.kernel);  // where the tensors are
        return pool::run_backward_on_device(dx.state().memory->context, gpu.backward, *data, find, control);
    });
}

Result<void> PoolPlan::enqueue(const ConstTensorView& x, const TensorView& y, std::int64_t* argmax,
                               void* stream) const {
    return support::guarded_result("pooling", [&]() -> Result<void> {
        const State& state = *m_state;
        const auto* gpu = std::get_if<State::OnGpu>(&state.kernel);
        if (gpu == nullptr) return not_on_a_gpu(state.device, "forward");
        const auto views = pool::check_forward(state.desc, state.geometry, x, y);
        if (!views) return std::unexpected(views.error());
        if (auto good = pool::check_argmax(state.desc, *views, pool::places(argmax, views->y.shape)); !good)
            return good;
        const auto context = cuda::Context::get(state.device.index());
        if (!context) return std::unexpected(context.error());
        return pool::enqueue(gpu->pooling, views->x, views->y, argmax,
                             cuda::launch_in(**context, static_cast<cuda::StreamHandle>(stream)));
    });
}

Result<void> PoolPlan::enqueue_backward(const ConstTensorView& x, const ConstTensorView& y,
                                        const ConstTensorView& dy, const TensorView& dx,
                                        const std::int64_t* argmax, void* stream) const {
    return support::guarded_result("pooling backward", [&]() -> Result<void> {
        const State& state = *m_state;
        const auto* gpu = std::get_if<State::OnGpu>(&state.kernel);
        if (gpu == nullptr) return not_on_a_gpu(state.device, "backward");
        const auto reads = pool::backward_reads(state.desc.op);
        auto data = pool::check_backward(state.desc, state.geometry, reads, x, y, dy, dx);
        if (!data) return std::unexpected(data.error());
        if (reads.argmax && argmax == nullptr) {
            return std::unexpected(
                Error{ErrorCode::null_pointer, "argmax is null: what is enqueued does not find it again"});
        }
        if (auto good = pool::check_argmax(state.desc, *data, pool::places(argmax, data->dy.shape)); !good)
            return good;
        data->argmax = argmax;
        const auto context = cuda::Context::get(state.device.index());
        if (!context) return std::unexpected(context.error());
        return pool::enqueue_backward(gpu->backward, *data,
                                      cuda::launch_in(**context, static_cast<cuda::StreamHandle>(stream)));
    });
}

}  // namespace iir2d
