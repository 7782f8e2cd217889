// SPDX-License-Identifier: MIT
#include "iir2d/plan.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "kernels/iir/configs.h"
#include "kernels/iir/cpu.h"
#include "kernels/iir/cpu_planes.h"
#include "kernels/iir/cuda.h"
#include "kernels/iir/cuda_backward.h"
#include "kernels/iir/plan_checks.h"
#include "kernels/support/cpu_target.h"
#include "kernels/support/guard.h"
#include "kernels/tensor/device_tensor_state.h"
#include "kernels/tune/choose.h"

namespace iir2d {

struct FilterPlan::State {
    struct OnCpu {
        iir::CpuJob first;         // of the first filter
        bool is_all_of_it = true;  // one filter, and elements of the type that it computes with
    };
    struct OnGpu {
        iir::GpuJob job;
        std::string architecture;  // "sm_90"
        std::shared_ptr<cuda::RepeatedLaunches> repeats = std::make_shared<cuda::RepeatedLaunches>();
    };
    Device device;
    FilterDesc desc;
    iir::Filters filters;
    std::variant<OnCpu, OnGpu> work;
    Choice choice;
    std::shared_ptr<const tune::Turn> turn = nullptr;

    static Result<FilterPlan> make(const Device& device, const FilterDesc& desc, const tune::Given& given);
};

namespace {

std::unexpected<Error> bad(ErrorCode code, std::string message) {
    return std::unexpected(Error{code, std::move(message)});
}

}  // namespace

Result<FilterPlan> FilterPlan::make(const Device& device, const FilterDesc& desc) {
    return State::make(device, desc, {});
}

Result<FilterPlan> FilterPlan::make(const Device& device, const FilterDesc& desc,
                                    const TuneOptions& options) {
    return State::make(device, desc, options);
}

Result<FilterPlan> FilterPlan::make(const Device& device, const FilterDesc& desc, const Config& config) {
    return State::make(device, desc, config);
}

Result<FilterPlan> FilterPlan::State::make(const Device& device, const FilterDesc& desc,
                                           const tune::Given& given) {
    return support::guarded_result("the filter", [&]() -> Result<FilterPlan> {
        auto filters = iir::check_desc(desc);
        if (!filters) return std::unexpected(filters.error());
        if (device.backend() == Backend::cpu) {
            if (const auto target = support::cpu_target(); !target) return std::unexpected(target.error());
            State::OnCpu work{iir::make_cpu_job(desc, filters->front(), device.threads()),
                              filters->size() == 1 && element_of(desc) == storage_type(desc.precision)};
            auto made = tune::choose(given, iir::FilterConfigs(desc, work.first, filters->front(),
                                                               !work.is_all_of_it, device.threads()));
            if (!made) return std::unexpected(made.error());
            work.first.config = made->choice.config;
            return FilterPlan(
                std::make_shared<const State>(State{device, desc, std::move(*filters), std::move(work),
                                                    std::move(made->choice), std::move(made->turn)}));
        }
        const auto context = cuda::Context::get(device.index());
        if (!context) return std::unexpected(context.error());
        const tune::GpuHost host = tune::gpu_host((*context)->facts());
        iir::GpuJob job = iir::make_gpu_job(desc, *filters);
        auto made = tune::choose(given, iir::GpuFilterConfigs(desc, *filters, job, host));
        if (!made) return std::unexpected(made.error());
        const Config& config = made->choice.config;
        if (config.warps != 0 || config.carry != 0)
            job = iir::make_gpu_job(desc, *filters, {.warps = config.warps, .carry = config.carry});
        job.repeats_as_graph = config.graph != graph_off;
        State::OnGpu work{std::move(job), host.target};
        return FilterPlan(std::make_shared<const State>(
            State{device, desc, std::move(*filters), std::move(work), std::move(made->choice)}));
    });
}

Choice FilterPlan::choice() const {
    return m_state->choice;
}

const FilterDesc& FilterPlan::desc() const {
    return m_state->desc;
}

Shape FilterPlan::output_shape() const {
    return m_state->desc.shape;
}

std::size_t FilterPlan::workspace_bytes() const {
    const auto* gpu = std::get_if<State::OnGpu>(&m_state->work);
    return gpu != nullptr ? gpu->job.workspace_bytes : 0;
}

KernelIdentity FilterPlan::kernel() const {
    const ElementType element = element_of(m_state->desc);
    const auto described = [&](KernelIdentity identity) {
        tune::describe(m_state->choice, identity);
        return identity;
    };
    if (const auto* gpu = std::get_if<State::OnGpu>(&m_state->work)) {
        const iir::GpuFilter& filter = gpu->job.filters.front();
        if (!filter.tilings.empty()) {
            std::string names;
            for (const iir::GpuTiling& tiling : filter.tilings) {
                const iir::GpuTileGrid& grid = tiling.tiles.grid;
                if (!names.empty()) names += " ";
                names += tiling.name + "_" + std::to_string(grid.tile_width) + "x" +
                         std::to_string(grid.tile_height) + (tiling.reversed ? "_reversed" : "");
            }
            return described({.backend = Backend::cuda,
                              .name = "iir_tiles",
                              .variant = names,
                              .element = element,
                              .architecture = gpu->architecture});
        }
        std::string passes;
        for (const iir::GpuStage& stage : filter.stages) {
            if (!passes.empty()) passes += " ";
            passes += stage.kernel + (stage.axis.passes[0].warmup >= 0 ? "_warmup" : "_carry");
        }
        return described({.backend = Backend::cuda,
                          .name = "iir_axis",
                          .variant = passes,
                          .element = element,
                          .architecture = gpu->architecture});
    }
    const iir::CpuJob& job = std::get<State::OnCpu>(m_state->work).first;
    const auto down = job.downward == iir::Downward::none ? 0U : 1U;
    return described({.backend = Backend::cpu,
                      .name = job.rows_alone ? "iir_lines" : "iir_raster",
                      .variant = "rows_" + std::to_string(job.horizontal.size()) + "_down_" +
                                 std::to_string(down) + "_columns_" +
                                 std::to_string(job.vertical.size() - down),
                      .element = element,
                      .architecture = support::cpu_target().value_or(IIR2D_CPU_BASELINE)});
}

PrecisionGuarantee FilterPlan::precision() const {
    return iir::guarantee_of(m_state->desc, m_state->filters);
}

Result<void> FilterPlan::run(const ConstTensorView& x, const TensorView& y, const RunControl& control) const {
    return support::guarded_result("the filter", [&]() -> Result<void> {
        const auto views = iir::check_views(m_state->desc, x, y);
        if (!views) return std::unexpected(views.error());
        if (const auto* gpu = std::get_if<State::OnGpu>(&m_state->work)) {
            return iir::run_cuda(m_state->device.index(), gpu->job, *gpu->repeats, views->x, views->y,
                                 control);
        }
        const auto& cpu = std::get<State::OnCpu>(m_state->work);
        tune::count_veto(m_state->choice.config, views->y, iir::first_row_multiple(views->y));
        std::optional<iir::CpuJob> other;  // by a config that is not the plan's, whose turn it is
        return tune::watched(m_state->turn, m_state->choice.config, [&](const Config& config) {
            if (cpu.is_all_of_it && config != cpu.first.config) {
                other = cpu.first;
                other->config = config;
            }
            return [&, config] {
                if (cpu.is_all_of_it)
                    return iir::forward_cpu(other ? *other : cpu.first, views->x, views->y, control);
                const iir::CpuTask task{m_state->desc, m_state->filters, m_state->device.threads(), config};
                return iir::forward_planes(task, views->x, views->y, control);
            };
        });
    });
}

Result<void> FilterPlan::run(const DeviceTensor& x, const DeviceTensor& y, const RunControl& control) const {
    return support::guarded_result("the filter", [&]() -> Result<void> {
        const auto* gpu = std::get_if<State::OnGpu>(&m_state->work);
        if (auto good = check_tensor("x", x, m_state->device); !good) return good;
        if (auto good = check_tensor("y", y, m_state->device); !good) return good;
        const auto views = iir::check_views(m_state->desc, x.state().view(), y.state().view());
        if (!views) return std::unexpected(views.error());
        return iir::run_on_device(x.state().memory->context, gpu->job, *gpu->repeats, views->x, views->y,
                                  control);
    });
}

Result<void> FilterPlan::backward(const ConstTensorView& x, const ConstTensorView& dy, const TensorView& dx,
                                  std::span<double> dp, const RunControl& control) const {
    return support::guarded_result("the filter's backward pass", [&]() -> Result<void> {
        const FilterDesc& desc = m_state->desc;
        if (!dp.empty()) {
            if (auto good = iir::check_gradients(desc, dp.size()); !good) return good;
        }
        const auto views = iir::check_gradient_views(desc, x, dy, dx, !dp.empty());
        if (!views) return std::unexpected(views.error());
        if (std::holds_alternative<State::OnGpu>(m_state->work)) {
            if (dx.data == nullptr && dp.empty()) return {};
            return iir::run_backward_cuda(m_state->device.index(), desc, m_state->filters, *views, dp,
                                          control);
        }
        const iir::CpuTask task{desc, m_state->filters, m_state->device.threads()};
        return iir::backward_planes(task, {}, *views, dp, control);
    });
}

Result<void> FilterPlan::enqueue(const ConstTensorView& x, const TensorView& y, void* workspace,
                                 void* stream) const {
    return support::guarded_result("the filter", [&]() -> Result<void> {
        const auto* gpu = std::get_if<State::OnGpu>(&m_state->work);
        if (gpu == nullptr) {
            return bad(ErrorCode::invalid_argument,
                       "device " + m_state->device.id() + ": only a plan for a GPU is enqueued, use run");
        }
        const auto views = iir::check_views(m_state->desc, x, y);
        if (!views) return std::unexpected(views.error());
        const std::size_t needed = gpu->job.workspace_bytes;
        if (auto good = iir::check_workspace(workspace, needed, needed); !good) return good;
        const auto context = cuda::Context::get(m_state->device.index());
        if (!context) return std::unexpected(context.error());
        return iir::enqueue(gpu->job, views->x, views->y, reinterpret_cast<std::uintptr_t>(workspace),
                            cuda::launch_in(**context, static_cast<cuda::StreamHandle>(stream)));
    });
}

}  // namespace iir2d
