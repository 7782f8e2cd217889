// SPDX-License-Identifier: MIT
#include "iir2d/plan.h"

#include <string>
#include <utility>
#include <variant>

#include "kernels/iir/cpu.h"
#include "kernels/iir/cuda.h"
#include "kernels/iir/gpu_plan.h"
#include "kernels/iir/plan_checks.h"
#include "kernels/support/cpu_target.h"
#include "kernels/support/guard.h"
#include "kernels/tensor/device_tensor_state.h"

namespace iir2d {

struct FilterPlan::State {
    struct OnGpu {
        iir::GpuFilter filter;
        std::string architecture;  // "sm_90"
        std::shared_ptr<cuda::RepeatedLaunches> repeats = std::make_shared<cuda::RepeatedLaunches>();
    };
    Device device;
    FilterDesc desc;
    PrecisionGuarantee guarantee;
    std::variant<iir::CpuJob, OnGpu> job;
};

namespace {

std::unexpected<Error> bad(ErrorCode code, std::string message) {
    return std::unexpected(Error{code, std::move(message)});
}

}  // namespace

Result<FilterPlan> FilterPlan::make(const Device& device, const FilterDesc& desc) {
    return support::guarded_result("the filter", [&]() -> Result<FilterPlan> {
        const auto data = iir::check_desc(desc);
        if (!data) return std::unexpected(data.error());
        const auto guarantee = iir::guarantee_of(desc, *data);
        if (device.backend() == Backend::cpu) {
            if (const auto target = support::cpu_target(); !target) return std::unexpected(target.error());
            return FilterPlan(std::make_shared<const State>(
                State{device, desc, guarantee, iir::make_cpu_job(desc, *data, device.threads())}));
        }
        const auto context = cuda::Context::get(device.index());
        if (!context) return std::unexpected(context.error());
        const cuda::Facts& facts = (*context)->facts();
        State::OnGpu job{iir::make_gpu_filter(desc, *data), "sm_" + std::to_string(facts.capability_major) +
                                                                std::to_string(facts.capability_minor)};
        return FilterPlan(std::make_shared<const State>(State{device, desc, guarantee, std::move(job)}));
    });
}

const FilterDesc& FilterPlan::desc() const {
    return m_state->desc;
}

Shape FilterPlan::output_shape() const {
    return m_state->desc.shape;
}

std::size_t FilterPlan::workspace_bytes() const {
    const auto* gpu = std::get_if<State::OnGpu>(&m_state->job);
    return gpu != nullptr ? gpu->filter.workspace_bytes : 0;
}

KernelIdentity FilterPlan::kernel() const {
    const ElementType element = storage_type(m_state->desc.precision);
    if (const auto* gpu = std::get_if<State::OnGpu>(&m_state->job)) {
        std::string passes;
        for (const iir::GpuStage& stage : gpu->filter.stages) {
            if (!passes.empty()) passes += " ";
            passes += stage.kernel + (stage.axis.passes[0].warmup >= 0 ? "_warmup" : "_carry");
        }
        return {.backend = Backend::cuda,
                .name = "iir_axis",
                .variant = passes,
                .element = element,
                .architecture = gpu->architecture};
    }
    const auto& job = std::get<iir::CpuJob>(m_state->job);
    const auto down = job.downward == iir::Downward::none ? 0U : 1U;
    return {.backend = Backend::cpu,
            .name = job.rows_alone ? "iir_lines" : "iir_raster",
            .variant = "rows_" + std::to_string(job.horizontal.size()) + "_down_" + std::to_string(down) +
                       "_columns_" + std::to_string(job.vertical.size() - down),
            .element = element,
            .architecture = support::cpu_target().value_or(IIR2D_CPU_BASELINE)};
}

PrecisionGuarantee FilterPlan::precision() const {
    return m_state->guarantee;
}

Result<void> FilterPlan::run(const ConstTensorView& x, const TensorView& y, std::span<std::byte>,
                             const RunControl& control) const {
    return support::guarded_result("the filter", [&]() -> Result<void> {
        const auto views = iir::check_views(m_state->desc, x, y);
        if (!views) return std::unexpected(views.error());
        if (const auto* gpu = std::get_if<State::OnGpu>(&m_state->job)) {
            return iir::run_cuda(m_state->device.index(), gpu->filter, *gpu->repeats, views->x, views->y,
                                 control);
        }
        return iir::forward_cpu(std::get<iir::CpuJob>(m_state->job), views->x, views->y, control);
    });
}

Result<void> FilterPlan::run(const DeviceTensor& x, const DeviceTensor& y, const RunControl& control) const {
    return support::guarded_result("the filter", [&]() -> Result<void> {
        const auto* gpu = std::get_if<State::OnGpu>(&m_state->job);
        if (auto good = check_tensor("x", x, m_state->device); !good) return good;
        if (auto good = check_tensor("y", y, m_state->device); !good) return good;
        const auto views = iir::check_views(m_state->desc, x.state().view(), y.state().view());
        if (!views) return std::unexpected(views.error());
        return iir::run_on_device(
            x.state().memory->context, gpu->filter, *gpu->repeats,
            iir::device_planes(views->x.data, {views->x.row_stride, views->x.plane_stride}),
            iir::device_planes(views->y.data, {views->y.row_stride, views->y.plane_stride}), control);
    });
}

Result<void> FilterPlan::enqueue(const ConstTensorView& x, const TensorView& y, void* workspace,
                                 void* stream) const {
    return support::guarded_result("the filter", [&]() -> Result<void> {
        const auto* gpu = std::get_if<State::OnGpu>(&m_state->job);
        if (gpu == nullptr) {
            return bad(ErrorCode::invalid_argument,
                       "device " + m_state->device.id() + ": only a plan for a GPU is enqueued, use run");
        }
        const auto views = iir::check_views(m_state->desc, x, y);
        if (!views) return std::unexpected(views.error());
        if (gpu->filter.workspace_bytes > 0 &&
            (workspace == nullptr || reinterpret_cast<std::uintptr_t>(workspace) % 16 != 0)) {
            return bad(ErrorCode::workspace_error,
                       std::string("workspace is ") + (workspace == nullptr ? "null" : "not aligned to 16") +
                           ": the plan needs " + std::to_string(gpu->filter.workspace_bytes) +
                           " bytes of device memory");
        }
        const auto context = cuda::Context::get(m_state->device.index());
        if (!context) return std::unexpected(context.error());
        return iir::enqueue(**context, static_cast<cuda::StreamHandle>(stream), gpu->filter,
                            iir::device_planes(x.data, {views->x.row_stride, views->x.plane_stride}),
                            iir::device_planes(y.data, {views->y.row_stride, views->y.plane_stride}),
                            reinterpret_cast<std::uintptr_t>(workspace));
    });
}

}  // namespace iir2d
