// SPDX-License-Identifier: MIT
#include "kernels/device/cuda/driver.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <utility>

#include "iir2d/try.h"
#include "kernels/support/shared_library.h"

namespace iir2d::cuda {

namespace {

// Whose functions the table names: cuLibraryLoadData came with it.
constexpr int oldest_version = 12000;

std::unexpected<Error> refuse(std::string message) {
    return std::unexpected(Error{ErrorCode::cuda_error, std::move(message)});
}

using GetProcAddress = int(IIR2D_CUDA_CALL*)(const char* symbol, void** function, int version,
                                             std::uint64_t flags, int* status);

Result<Driver> load() {
    const support::SharedLibrary library {
#if defined(_WIN32)
        "nvcuda.dll"
#else
        "libcuda.so.1"
#endif
    };
    if (!library) return refuse("no NVIDIA driver is installed");
    const auto get = reinterpret_cast<GetProcAddress>(library.symbol("cuGetProcAddress_v2"));
    if (get == nullptr) return refuse("the NVIDIA driver is too old: update it to 580 or newer");
    Driver driver;
    const char* missing = nullptr;
    const auto find = [&](const char* name, int version, auto& pointer) {
        void* function = nullptr;
        if (get(name, &function, version, 0, nullptr) != success || function == nullptr) {
            missing = name;
            return;
        }
        pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(function);
    };
#define IIR2D_CUDA_FIND(name, version, parameters) find(#name, version, driver.name);
    IIR2D_CUDA_CALLS(IIR2D_CUDA_FIND)
#undef IIR2D_CUDA_FIND
    if (missing != nullptr)
        return refuse("the NVIDIA driver is too old, it has no " + std::string(missing) +
                      ": update it to 580 or newer");
    return driver;
}

Result<void> start(Driver& driver) {
    const int code = driver.cuInit(0);
    if (code == no_device) return refuse("there is an NVIDIA driver but no NVIDIA GPU");
    if (code == stub_library)
        return refuse("libcuda.so.1 is the toolkit's stub, not a driver: install the NVIDIA driver");
    if (code == system_driver_mismatch)
        return refuse("the NVIDIA driver's library and kernel module differ in version: restart the machine");
    if (auto done = driver.check("cuInit", code); !done) return done;
    if (auto done = IIR2D_CUDA_CHECKED(driver, cuDriverGetVersion, &driver.version); !done) return done;
    if (driver.version < oldest_version)
        return refuse("the NVIDIA driver supports CUDA " + version_text(driver.version) + ", and " +
                      version_text(oldest_version) + " is needed: update it");
    if (auto done = IIR2D_CUDA_CHECKED(driver, cuDeviceGetCount, &driver.device_count); !done) return done;
    if (driver.device_count < 1) return refuse("there is an NVIDIA driver but no NVIDIA GPU");
    return {};
}

}  // namespace

Result<void> Driver::check(const char* call, int code) const {
    if (code == success) return {};
    const char* name = nullptr;
    const char* text = nullptr;
    if (cuGetErrorName != nullptr) static_cast<void>(cuGetErrorName(code, &name));
    if (cuGetErrorString != nullptr) static_cast<void>(cuGetErrorString(code, &text));
    DriverFailure failure{.call = call,
                          .name = name != nullptr ? name : "CUDA error " + std::to_string(code),
                          .text = text != nullptr ? text : "the driver has no text for it"};
    std::string message = failure.call + " failed: " + failure.name + " (" + failure.text + ")";
    if (code == out_of_memory) message += "; close other programs that use the GPU, or take the CPU";
    return std::unexpected(Error{ErrorCode::cuda_error, std::move(message), std::move(failure)});
}

Result<const Driver*> driver() {
    static std::mutex mutex;
    static std::optional<Result<Driver>> loaded;
    static bool ready = false;
    const std::lock_guard lock(mutex);
    if (!loaded) loaded = load();
    if (!*loaded) return std::unexpected(loaded->error());
    if (!ready) {
        IIR2D_RETURN_IF_ERROR(start(**loaded));
        ready = true;
    }
    return &**loaded;
}

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

bool is_sticky(int code) {
    static constexpr std::array codes{ecc_uncorrectable,    illegal_address,    launch_timeout,
                                      context_is_destroyed, assert_failed,      hardware_stack_error,
                                      illegal_instruction,  misaligned_address, invalid_address_space,
                                      invalid_pc,           launch_failed,      unknown_error};
    return std::ranges::count(codes, code) > 0;
}

}  // namespace iir2d::cuda
