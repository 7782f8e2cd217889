// SPDX-License-Identifier: MIT
#include "kernels/device/cuda/kernel_library.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace iir2d::embedded {
extern const std::string_view gpu_kernels;  // a fat binary, or a placeholder
}

namespace iir2d::cuda {

namespace {

struct Loaded {
    LibraryHandle library = nullptr;
    std::map<std::string, KernelHandle, std::less<>> kernels;
};

std::unexpected<Error> explained(const Driver& driver, Error error, int code) {
    const bool built = *toolkit_version() != '\0';
    switch (code) {
        case invalid_image:
        case not_found:
            if (!built) error.message = "built without CUDA kernels";
            break;
        case unsupported_ptx_version:
            error.message = "the NVIDIA driver supports CUDA " + version_text(driver.version) +
                            " and the kernels were compiled with " + toolkit_version() +
                            ": update the driver";
            break;
        case no_binary_for_gpu:
        case invalid_ptx:
            error.message = std::string("the GPU is older than the kernels of this build") +
                            (built ? std::string(" (") + architectures() + ")" : std::string());
            break;
        default:
            break;
    }
    return std::unexpected(std::move(error));
}

}  // namespace

const char* toolkit_version() {
    return IIR2D_CUDA_TOOLKIT;
}

const char* architectures() {
    return IIR2D_CUDA_ARCHITECTURES;
}

int oldest_architecture() {
    return *architectures() == '\0' ? 0 : std::atoi(architectures() + std::string_view("sm_").size());
}

Result<KernelHandle> kernel(const Driver& driver, const char* name) {
    static std::mutex mutex;
    static Loaded loaded;
    const std::lock_guard lock(mutex);
    if (loaded.library == nullptr) {
        const int toolkit_major = std::atoi(toolkit_version());
        if (driver.version / 1000 < toolkit_major)
            return explained(driver, {ErrorCode::cuda_error, {}}, unsupported_ptx_version);
        const int code = driver.cuLibraryLoadData(&loaded.library, embedded::gpu_kernels.data(), nullptr,
                                                  nullptr, 0, nullptr, nullptr, 0);
        if (auto done = driver.check("cuLibraryLoadData", code); !done) {
            loaded.library = nullptr;
            return explained(driver, done.error(), code);
        }
    }
    if (const auto found = loaded.kernels.find(std::string_view(name)); found != loaded.kernels.end())
        return found->second;
    KernelHandle handle = nullptr;
    const int code = driver.cuLibraryGetKernel(&handle, loaded.library, name);
    if (auto done = driver.check("cuLibraryGetKernel", code); !done)
        return explained(driver, done.error(), code);
    loaded.kernels.emplace(name, handle);
    return handle;
}

}  // namespace iir2d::cuda
