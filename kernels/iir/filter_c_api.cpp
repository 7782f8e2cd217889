// SPDX-License-Identifier: MIT
#include "iir2d/iir2d_filter.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "iir2d/filter.h"
#include "iir2d/try.h"
#include "kernels/iir/configs.h"
#include "kernels/iir/cpu_planes.h"
#include "kernels/iir/cuda.h"
#include "kernels/iir/cuda_backward.h"
#include "kernels/iir/filter_params.h"
#include "kernels/iir/repeated_calls.h"
#include "kernels/support/c_call.h"
#include "kernels/support/c_poll.h"
#include "kernels/support/c_struct.h"
#include "kernels/support/cpu_target.h"
#include "kernels/support/view.h"
#include "kernels/tune/choose.h"

namespace {

using namespace iir2d;
using iir::FilterCall;
using iir::FilterPass;
using iir::GradientViews;
using support::c_call;
using support::null_pointer;

// The arguments of a backward pass, whichever device they are on.
struct Gradients {
    const void* x;
    const void* dy;
    void* dx;
    double* dp;
};

Result<void> check_pointers(const Gradients& given, const IIR2D_FilterParams* params) {
    if (given.dy == nullptr) return null_pointer("dy");
    if (params == nullptr) return null_pointer("params");
    if (given.dp != nullptr && given.x == nullptr) {
        return std::unexpected(
            Error{ErrorCode::null_pointer, "x is null: the gradient of the parameters reads it"});
    }
    return {};
}

// Filters x into y on the CPU, by run(x, y, control).
Result<void> forward_on_cpu(const FilterCall& call, const void* x, void* y, support::Poll&& poll,
                            const auto& run) {
    const auto views = iir::check_views(call.desc, call.x.at(x), call.y.at(y));
    if (!views) return std::unexpected(views.error());
    IIR2D_RETURN_IF_ERROR(support::cpu_target());
    return poll.during("the filter",
                       [&](const RunControl& control) { return run(views->x, views->y, control); });
}

// By static, for a reason that counts once the call is checked.
Result<void> forward_on_cpu(const iir::PreparedCall& prepared, TuneReason reason, const void* x, void* y,
                            const IIR2D_FilterParams* params) {
    return forward_on_cpu(prepared.call, x, y, {params->poll, params->user},
                          [&](const ConstTensorView& from, const TensorView& to, const RunControl& control) {
                              tune::count(reason);
                              return iir::forward_cpu(prepared.job, from, to, control);
                          });
}

Result<void> forward_on_cpu(const void* x, void* y, const IIR2D_FilterParams* params) {
    const auto by_static = tune::static_at_once(tune::Purpose::iir_cpu);
    if (by_static) {
        if (const auto again = iir::repeated_call(params))
            return forward_on_cpu(*again, *by_static, x, y, params);
    }
    auto call = iir::read_params(params, FilterPass::forward);
    if (!call) return std::unexpected(call.error());
    if (by_static && iir::is_worth_keeping(params, *call))
        return forward_on_cpu(*iir::keep_call(params, std::move(*call)), *by_static, x, y, params);
    return forward_on_cpu(*call, x, y, {call->poll, call->user},
                          [&](const ConstTensorView& from, const TensorView& to, const RunControl& control) {
                              return iir::forward_by_choice(call->desc, call->filters, call->threads, from,
                                                            to, control);
                          });
}

Result<void> forward_on_gpu(const FilterCall& call, const void* x, void* y, void* workspace,
                            std::size_t bytes, void* stream) {
    const auto views = iir::check_views(call.desc, call.x.at(x), call.y.at(y));
    if (!views) return std::unexpected(views.error());
    const iir::GpuJob job = iir::make_gpu_job(call.desc, call.filters);
    if (auto good = iir::check_workspace(workspace, bytes, job.workspace_bytes); !good) return good;
    const auto handle = static_cast<cuda::StreamHandle>(stream);
    return cuda::in_context_of(handle, reinterpret_cast<std::uintptr_t>(x), [&] {
        return iir::enqueue(job, views->x, views->y, reinterpret_cast<std::uintptr_t>(workspace),
                            cuda::launch_in_current_context(handle));
    });
}

// The values that a call gives for the parameters' gradients.
std::size_t gradients_of(const FilterCall& call) {
    const auto row = filter_row(call.desc.filter.id);
    return call.filters.size() * row->parameters.size();
}

Result<void> check_dp(const FilterCall& call, const GradientViews& views, const double* dp) {
    const auto wrong = [](const std::string& message) {
        return std::unexpected(Error{ErrorCode::invalid_argument, message});
    };
    const auto begin = reinterpret_cast<std::uintptr_t>(dp);
    if (begin % alignof(double) != 0) return wrong("dp: not aligned to its elements");
    const support::Bytes bytes{begin, begin + gradients_of(call) * sizeof(double)};
    struct Other {
        const char* name;
        ConstTensorView view;
    };
    for (const Other& other : {Other{"x", views.x}, Other{"dy", views.dy}, Other{"dx", views.dx}}) {
        if (support::overlap(bytes, support::bytes_of(other.view)))
            return wrong(std::string("dp overlaps ") + other.name + ": it must lie apart");
    }
    return {};
}

Result<GradientViews> check_views(const FilterCall& call, const Gradients& given) {
    auto views = iir::check_gradient_views(call.desc, call.x.at(given.x), call.dy.at(given.dy),
                                           call.dx.at(given.dx), given.dp != nullptr);
    if (!views || given.dp == nullptr) return views;
    IIR2D_RETURN_IF_ERROR(check_dp(call, *views, given.dp));
    return views;
}

Result<void> backward_on_cpu(const FilterCall& call, const Gradients& given) {
    const auto views = check_views(call, given);
    if (!views) return std::unexpected(views.error());
    const auto threads = iir::threads_for(call.desc.shape, call.threads);
    if (!threads) return std::unexpected(threads.error());
    IIR2D_RETURN_IF_ERROR(support::cpu_target());
    support::Poll poll(call.poll, call.user);
    return poll.during("the backward pass", [&](const RunControl& control) -> Result<void> {
        const iir::CpuTask task{call.desc, call.filters, *threads};
        const std::span<double> dp(given.dp, given.dp == nullptr ? 0 : gradients_of(call));
        return iir::backward_planes(task, call.specs, *views, dp, control);
    });
}

// A call's backward pass on a GPU, of which each part is as it is wanted.
struct GpuBackward {
    std::optional<iir::GpuGradientJob> gradient;
    std::optional<iir::GpuJob> adjoint;

    // One after the other, in the same memory.
    std::size_t workspace_bytes() const {
        return std::max(gradient ? gradient->workspace_bytes : 0, adjoint ? adjoint->workspace_bytes : 0);
    }
};

Result<GpuBackward> make_gpu_backward(const FilterCall& call, bool with_dx, bool with_dp) {
    GpuBackward backward;
    if (with_dp) {
        auto gradient = iir::make_gpu_gradient_job(call.desc, call.filters, call.specs);
        if (!gradient) return std::unexpected(gradient.error());
        backward.gradient = std::move(*gradient);
    }
    if (with_dx) backward.adjoint = iir::make_gpu_adjoint_job(call.desc, call.filters);
    return backward;
}

Result<void> backward_on_gpu(const FilterCall& call, const Gradients& given, void* workspace,
                             std::size_t bytes, void* stream) {
    const auto views = check_views(call, given);
    if (!views) return std::unexpected(views.error());
    const auto backward = make_gpu_backward(call, given.dx != nullptr, given.dp != nullptr);
    if (!backward) return std::unexpected(backward.error());
    if (auto good = iir::check_workspace(workspace, bytes, backward->workspace_bytes()); !good) return good;
    if (given.dx == nullptr && given.dp == nullptr) return {};
    const auto handle = static_cast<cuda::StreamHandle>(stream);
    return cuda::in_context_of(handle, reinterpret_cast<std::uintptr_t>(given.dy), [&]() -> Result<void> {
        const cuda::LaunchOne launch = cuda::launch_in_current_context(handle);
        const auto memory = reinterpret_cast<std::uintptr_t>(workspace);
        // The parameters first: dx may take the place of dy.
        if (backward->gradient) {
            auto done = iir::enqueue_gradient(*backward->gradient, views->x, views->dy,
                                              reinterpret_cast<std::uintptr_t>(given.dp), memory, launch);
            if (!done) return done;
        }
        if (!backward->adjoint) return {};
        return iir::enqueue(*backward->adjoint, views->dy, views->dx, memory, launch);
    });
}

}  // namespace

extern "C" {

int iir2d_filter_count(int filter_id, int32_t* parameters) {
    return c_call([&]() -> Result<void> {
        if (parameters == nullptr) return null_pointer("parameters");
        const auto row = filter_row(filter_id);
        if (!row) return std::unexpected(row.error());
        *parameters = static_cast<std::int32_t>(row->parameters.size());
        return {};
    });
}

int iir2d_filter_parameter(int filter_id, int32_t index, const char** name, double* minimum, double* maximum,
                           double* initial, int32_t* is_switch) {
    return c_call([&]() -> Result<void> {
        if (name == nullptr) return null_pointer("name");
        if (minimum == nullptr) return null_pointer("minimum");
        if (maximum == nullptr) return null_pointer("maximum");
        if (initial == nullptr) return null_pointer("initial");
        if (is_switch == nullptr) return null_pointer("is_switch");
        const auto row = filter_row(filter_id);
        if (!row) return std::unexpected(row.error());
        const auto count = static_cast<std::int32_t>(row->parameters.size());
        if (index < 0 || index >= count) {
            return std::unexpected(Error{ErrorCode::invalid_argument,
                                         "index is " + std::to_string(index) + ": filter " +
                                             std::to_string(filter_id) + " has the parameters 0 to " +
                                             std::to_string(count - 1)});
        }
        const FilterParameter& parameter = row->parameters[static_cast<std::size_t>(index)];
        *name = parameter.name.data();  // a literal, which ends with a zero
        *minimum = parameter.minimum;
        *maximum = parameter.maximum;
        *initial = parameter.default_value;
        *is_switch = parameter.is_switch ? 1 : 0;
        return {};
    });
}

const char* iir2d_filter_key(int filter_id) {
    const auto table = filter_table();
    if (filter_id < 1 || filter_id > static_cast<int>(table.size())) return nullptr;
    return table[static_cast<std::size_t>(filter_id - 1)].key.data();  // a literal likewise
}

int iir2d_filter_forward_cpu(const void* x, void* y, const IIR2D_FilterParams* params) {
    return c_call([&]() -> Result<void> {
        if (x == nullptr) return null_pointer("x");
        if (y == nullptr) return null_pointer("y");
        if (params == nullptr) return null_pointer("params");
        return forward_on_cpu(x, y, params);
    });
}

int iir2d_filter_backward_cpu(const void* x, const void* dy, void* dx, double* dp,
                              const IIR2D_FilterParams* params) {
    return c_call([&]() -> Result<void> {
        if (auto good = check_pointers({x, dy, dx, dp}, params); !good) return good;
        const auto call = iir::read_params(params, FilterPass::backward, {.x = !dp, .dx = !dx});
        if (!call) return std::unexpected(call.error());
        return backward_on_cpu(*call, {x, dy, dx, dp});
    });
}

int iir2d_filter_workspace_cuda(const IIR2D_FilterParams* params, int32_t backward, int32_t with_dp,
                                size_t* bytes) {
    return c_call([&]() -> Result<void> {
        if (params == nullptr) return null_pointer("params");
        if (bytes == nullptr) return null_pointer("bytes");
        const auto pass = backward != 0 ? FilterPass::backward : FilterPass::forward;
        const auto call = iir::read_params(params, pass, {.x = backward != 0 && with_dp == 0});
        if (!call) return std::unexpected(call.error());
        if (auto good = support::check_flag("backward", backward); !good) return good;
        if (auto good = support::check_flag("with_dp", with_dp); !good) return good;
        if (pass == FilterPass::forward) {
            *bytes = iir::make_gpu_job(call->desc, call->filters).workspace_bytes;
            return {};
        }
        const auto made = make_gpu_backward(*call, true, with_dp != 0);
        if (!made) return std::unexpected(made.error());
        *bytes = made->workspace_bytes();
        return {};
    });
}

int iir2d_filter_forward_cuda(const void* x, void* y, const IIR2D_FilterParams* params, void* workspace,
                              size_t bytes, void* stream) {
    return c_call([&]() -> Result<void> {
        if (x == nullptr) return null_pointer("x");
        if (y == nullptr) return null_pointer("y");
        if (params == nullptr) return null_pointer("params");
        const auto call = iir::read_params(params, FilterPass::forward);
        if (!call) return std::unexpected(call.error());
        return forward_on_gpu(*call, x, y, workspace, bytes, stream);
    });
}

int iir2d_filter_backward_cuda(const void* x, const void* dy, void* dx, double* dp,
                               const IIR2D_FilterParams* params, void* workspace, size_t bytes,
                               void* stream) {
    return c_call([&]() -> Result<void> {
        if (auto good = check_pointers({x, dy, dx, dp}, params); !good) return good;
        const auto call = iir::read_params(params, FilterPass::backward, {.x = !dp, .dx = !dx});
        if (!call) return std::unexpected(call.error());
        return backward_on_gpu(*call, {x, dy, dx, dp}, workspace, bytes, stream);
    });
}

}  // extern "C"
