// SPDX-License-Identifier: MIT
#include "iir2d/iir2d_core.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <string>

#include "iir2d/device.h"
#include "iir2d/iir2d_tune.h"
#include "iir2d/plan.h"
#include "iir2d/try.h"
#include "iir2d_build_info.h"
#include "kernels/device/cuda/context.h"
#include "kernels/device/cuda/kernel_library.h"
#include "kernels/iir/configs.h"
#include "kernels/iir/cpu_planes.h"
#include "kernels/iir/cuda.h"
#include "kernels/iir/plan_checks.h"
#include "kernels/support/c_call.h"
#include "kernels/support/c_struct.h"
#include "kernels/support/cpu_target.h"
#include "kernels/support/guard.h"
#include "kernels/tune/c_config.h"

namespace {

using namespace iir2d;
using support::c_call;
using support::null_pointer;

// The contract's order: null pointers, dimensions, filter id, border mode, precision.
Result<void> check_pointers(const void* in, const void* out, const IIR2D_Params* params) {
    if (in == nullptr) return null_pointer("in");
    if (out == nullptr) return null_pointer("out");
    if (params == nullptr) return null_pointer("params");
    return {};
}

FilterDesc desc_of(const IIR2D_Params& params) {
    return {.shape = {.n = 1, .c = 1, .h = params.height, .w = params.width},
            .filter = {.id = params.filter_id},
            .border = static_cast<Border>(params.border_mode),
            .border_const = params.border_const,
            .precision = static_cast<Precision>(params.precision)};
}

// By a choice where there is no config.
Result<void> forward_on_cpu(const void* in, void* out, const IIR2D_Params* params,
                            const IIR2D_Config* given) {
    if (auto good = check_pointers(in, out, params); !good) return good;
    const FilterDesc desc = desc_of(*params);
    const auto filters = iir::check_desc(desc);
    if (!filters) return std::unexpected(filters.error());
    const ElementType element = element_of(desc);
    const auto views = iir::check_views(desc, {in, element, desc.shape}, {out, element, desc.shape},
                                        {.read = "in", .written = "out"});
    if (!views) return std::unexpected(views.error());
    IIR2D_RETURN_IF_ERROR(support::cpu_target());
    if (given == nullptr) return iir::forward_by_choice(desc, *filters, 0, views->x, views->y, {});
    const auto threads = iir::threads_for(desc.shape, 0, true);
    if (!threads) return std::unexpected(threads.error());
    const auto config = tune::read_config(given);
    if (!config) return std::unexpected(config.error());
    const iir::CpuJob job = iir::make_cpu_job(desc, filters->front(), *threads);
    if (auto good = iir::FilterConfigs(desc, job, filters->front(), false, *threads).check(*config); !good)
        return good;
    return iir::forward_planes({desc, *filters, *threads, *config}, views->x, views->y, {});
}

std::string fingerprint() {
    const std::string commit = IIR2D_BUILD_COMMIT;
    std::string line = "iir2d " IIR2D_BUILD_VERSION ", commit ";
    line += commit.empty() ? "unknown" : commit;
    if (IIR2D_BUILD_DIRTY) line += " with local changes";
    line += ", " IIR2D_BUILD_COMPILER ", " IIR2D_BUILD_TYPE ", " IIR2D_BUILD_SYSTEM
            ", CPU baseline " IIR2D_CPU_BASELINE;
    const std::string toolkit = cuda::toolkit_version();
    line += ", CUDA toolkit " + (toolkit.empty() ? "none" : toolkit);
    line += ", architectures ";
    // The newest one's PTX is beside the machine code (cmake/GpuKernels.cmake).
    line += toolkit.empty() ? "none" : cuda::architectures() + std::string(" and PTX");
    return line;
}

}  // namespace

extern "C" {

int iir2d_forward_cpu(const void* in, void* out, const IIR2D_Params* params) {
    return c_call([&] { return forward_on_cpu(in, out, params, nullptr); });
}

int iir2d_forward_cpu_with(const void* in, void* out, const IIR2D_Params* params,
                           const IIR2D_Config* config) {
    return c_call([&]() -> Result<void> {
        if (config == nullptr) return null_pointer("config");
        return forward_on_cpu(in, out, params, config);
    });
}

int iir2d_forward_cuda(const void* in, void* out, const IIR2D_Params* params) {
    return c_call([&]() -> Result<void> {
        if (auto good = check_pointers(in, out, params); !good) return good;
        auto queued = iir::enqueue_on_current_context(nullptr, desc_of(*params), in, out);
        return queued ? iir::synchronize_current_context(nullptr) : queued;
    });
}

int iir2d_forward_cuda_stream(const void* in, void* out, const IIR2D_Params* params, void* stream) {
    return c_call([&]() -> Result<void> {
        if (auto good = check_pointers(in, out, params); !good) return good;
        return iir::enqueue_on_current_context(static_cast<cuda::StreamHandle>(stream), desc_of(*params), in,
                                               out);
    });
}

const char* iir2d_status_string(int status) {
    static constexpr std::array<const char*, 9> names{"ok",
                                                      "invalid_argument",
                                                      "invalid_dimension",
                                                      "invalid_filter_id",
                                                      "invalid_border_mode",
                                                      "invalid_precision",
                                                      "null_pointer",
                                                      "workspace_error",
                                                      "cuda_error"};
    if (status == IIR2D_STATUS_CANCELLED) return "cancelled";
    if (status > 0 || status < -8) return "unknown_status";
    return names[static_cast<std::size_t>(-status)];
}

const char* iir2d_last_error(void) {
    return support::last_error();
}

int iir2d_copy_to_host_cuda(void* to, const void* from, size_t bytes, void* stream) {
    return c_call([&]() -> Result<void> {
        if (to == nullptr) return null_pointer("to");
        if (from == nullptr) return null_pointer("from");
        return cuda::copy_to_host(to, reinterpret_cast<std::uintptr_t>(from), bytes,
                                  static_cast<cuda::StreamHandle>(stream));
    });
}

int iir2d_describe_devices(char* json, size_t capacity, size_t* needed) {
    return c_call([&]() -> Result<void> {
        if (needed == nullptr) return null_pointer("needed");
        if (json == nullptr && capacity > 0) return null_pointer("json");
        const std::string text = describe_devices();
        *needed = text.size() + 1;
        if (capacity == 0) return {};
        if (capacity < *needed) {
            return std::unexpected(
                Error{ErrorCode::workspace_error, "capacity is " + std::to_string(capacity) +
                                                      ": the description of the devices has " +
                                                      std::to_string(*needed) + " bytes"});
        }
        std::memcpy(json, text.c_str(), *needed);
        return {};
    });
}

int iir2d_api_version_major(void) {
    return IIR2D_API_VERSION_MAJOR;
}
int iir2d_api_version_minor(void) {
    return IIR2D_API_VERSION_MINOR;
}
int iir2d_api_version_patch(void) {
    return IIR2D_API_VERSION_PATCH;
}
int iir2d_api_version_packed(void) {
    return IIR2D_API_VERSION_MAJOR * 10000 + IIR2D_API_VERSION_MINOR * 100 + IIR2D_API_VERSION_PATCH;
}

const char* iir2d_build_fingerprint(void) {
    // Where there is no memory for the whole line; the next call may have it.
    const char* const short_line = "iir2d " IIR2D_BUILD_VERSION;
    return support::guarded(short_line, [] {
        static const std::string line = fingerprint();
        return line.c_str();
    });
}

}  // extern "C"
