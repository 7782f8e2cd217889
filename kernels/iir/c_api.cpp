// SPDX-License-Identifier: MIT
#include "iir2d/iir2d_core.h"

#include <array>
#include <cstddef>
#include <string>

#include "iir2d/plan.h"
#include "iir2d_build_info.h"
#include "kernels/device/cuda/kernel_library.h"
#include "kernels/iir/cuda.h"
#include "kernels/support/c_call.h"
#include "kernels/support/c_status.h"
#include "kernels/support/guard.h"

namespace {

using iir2d::support::guarded;
using iir2d::support::no_memory;
using iir2d::support::status_of;

// The contract's order: null pointers, dimensions, filter id, border mode, precision.
int check(const void* in, const void* out, const IIR2D_Params* params) {
    if (in == nullptr || out == nullptr || params == nullptr) return IIR2D_STATUS_NULL_POINTER;
    if (params->width < 1 || params->height < 1) return IIR2D_STATUS_INVALID_DIMENSION;
    if (params->filter_id < 1 || params->filter_id > static_cast<int>(iir2d::filter_table().size()))
        return IIR2D_STATUS_INVALID_FILTER_ID;
    if (params->border_mode < IIR2D_BORDER_CLAMP || params->border_mode > IIR2D_BORDER_CONSTANT) {
        return IIR2D_STATUS_INVALID_BORDER_MODE;
    }
    if (params->precision < IIR2D_PRECISION_F32 || params->precision > IIR2D_PRECISION_F64) {
        return IIR2D_STATUS_INVALID_PRECISION;
    }
    return IIR2D_STATUS_OK;
}

iir2d::FilterDesc desc_of(const IIR2D_Params& params) {
    return {.shape = {.n = 1, .c = 1, .h = params.height, .w = params.width},
            .filter = {.id = params.filter_id},
            .border = static_cast<iir2d::Border>(params.border_mode),
            .border_const = params.border_const,
            .precision = static_cast<iir2d::Precision>(params.precision)};
}

std::string fingerprint() {
    const std::string commit = IIR2D_BUILD_COMMIT;
    std::string line = "iir2d " IIR2D_BUILD_VERSION ", commit ";
    line += commit.empty() ? "unknown" : commit;
    if (IIR2D_BUILD_DIRTY) line += " with local changes";
    line += ", " IIR2D_BUILD_COMPILER ", " IIR2D_BUILD_TYPE ", " IIR2D_BUILD_SYSTEM
            ", CPU baseline " IIR2D_CPU_BASELINE;
    const std::string toolkit = iir2d::cuda::toolkit_version();
    line += ", CUDA toolkit " + (toolkit.empty() ? "none" : toolkit);
    line += ", architectures ";
    // The newest one's PTX is beside the machine code (cmake/GpuKernels.cmake).
    line += toolkit.empty() ? "none" : iir2d::cuda::architectures() + std::string(" and PTX");
    return line;
}

}  // namespace

extern "C" {

int iir2d_forward_cpu(const void* in, void* out, const IIR2D_Params* params) {
    return guarded(no_memory, [&]() -> int {
        if (const int status = check(in, out, params); status != IIR2D_STATUS_OK) return status;
        const auto device = iir2d::Device::cpu();
        if (!device) return status_of(device.error().code);
        const auto desc = desc_of(*params);
        const auto plan = iir2d::FilterPlan::make(*device, desc);
        if (!plan) return status_of(plan.error().code);
        const auto element = iir2d::storage_type(desc.precision);
        return status_of(plan->run({in, element, desc.shape}, {out, element, desc.shape}));
    });
}

int iir2d_forward_cuda(const void* in, void* out, const IIR2D_Params* params) {
    return guarded(no_memory, [&]() -> int {
        const int status = iir2d_forward_cuda_stream(in, out, params, nullptr);
        if (status != IIR2D_STATUS_OK) return status;
        return status_of(iir2d::iir::synchronize_current_context(nullptr));
    });
}

int iir2d_forward_cuda_stream(const void* in, void* out, const IIR2D_Params* params, void* stream) {
    return guarded(no_memory, [&]() -> int {
        if (const int status = check(in, out, params); status != IIR2D_STATUS_OK) return status;
        return status_of(iir2d::iir::enqueue_on_current_context(
            static_cast<iir2d::cuda::StreamHandle>(stream), desc_of(*params), in, out));
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
    return iir2d::support::last_error();
}

int iir2d_copy_to_host_cuda(void*, const void*, size_t, void*) {
    return iir2d::support::c_call([]() -> iir2d::Result<void> {
        return std::unexpected(iir2d::Error{iir2d::ErrorCode::invalid_argument,
                                            "iir2d_copy_to_host_cuda is not in this build of the library"});
    });
}

int iir2d_describe_devices(char*, size_t, size_t*) {
    return iir2d::support::c_call([]() -> iir2d::Result<void> {
        return std::unexpected(iir2d::Error{iir2d::ErrorCode::invalid_argument,
                                            "iir2d_describe_devices is not in this build of the library"});
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
    return guarded(short_line, [] {
        static const std::string line = fingerprint();
        return line.c_str();
    });
}

}  // extern "C"
