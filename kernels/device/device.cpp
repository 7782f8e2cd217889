// SPDX-License-Identifier: MIT
#include "iir2d/device.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "iir2d/try.h"
#include "kernels/device/cpu_info.h"
#include "kernels/device/cuda/context.h"
#include "kernels/device/cuda/cuda_info.h"
#include "kernels/support/parallel.h"

namespace iir2d {

Result<Device> Device::cpu(int threads) {
    IIR2D_RETURN_IF_ERROR(support::check_threads(threads));
    if (!support::has_threads()) return Device(Backend::cpu, 0, 1);
    const int available = support::available_threads();
    return Device(Backend::cpu, 0, threads == 0 ? available : std::min(threads, available));
}

std::string Device::id() const {
    return m_backend == Backend::cpu ? "cpu" : "cuda:" + std::to_string(m_index);
}

std::string Device::name() const {
    if (m_backend == Backend::cpu) return device::cpu_name();
    const auto driver = cuda::driver();
    if (!driver) return id();
    const auto facts = cuda::facts_of(**driver, m_index);
    return facts ? facts->name : id();
}

Result<Device> Device::cuda(int index) {
    if (auto usable = cuda::check_usable(index); !usable) {
        Error error = usable.error();
        error.message = "device cuda:" + std::to_string(index) + " cannot be used: " + error.message;
        return std::unexpected(std::move(error));
    }
    return Device(Backend::cuda, index, 1);
}

Result<double> time_device_copy(const Device& device, std::size_t bytes) {
    if (device.backend() != Backend::cuda) {
        return std::unexpected(Error{ErrorCode::invalid_argument,
                                     "device " + device.id() + " is no GPU: its copy is not timed so"});
    }
    const auto context = cuda::Context::get(device.index());
    if (!context) return std::unexpected(context.error());
    cuda::Context& gpu = **context;
    const auto stream = gpu.make_stream();
    const auto begin = gpu.make_event();
    const auto end = gpu.make_event();
    for (const auto* made : {stream ? nullptr : &stream.error(), begin ? nullptr : &begin.error(),
                             end ? nullptr : &end.error()}) {
        if (made != nullptr) return std::unexpected(*made);
    }
    const auto from = gpu.allocate(bytes, stream->get());
    if (!from) return std::unexpected(from.error());
    const auto to = gpu.allocate(bytes, stream->get());
    if (!to) return std::unexpected(to.error());
    IIR2D_RETURN_IF_ERROR(gpu.record(begin->get(), stream->get()));
    IIR2D_RETURN_IF_ERROR(gpu.copy(stream->get(), to->get(), from->get(), bytes));
    IIR2D_RETURN_IF_ERROR(gpu.record(end->get(), stream->get()));
    return gpu.milliseconds_between(begin->get(), end->get());
}

namespace {

// The first GPU that can be used; the error is that of the driver, or of the last GPU.
Result<Device> first_gpu() {
    const auto driver = cuda::driver();
    if (!driver) return std::unexpected(driver.error());
    Result<void> usable;
    for (int i = 0; i < (*driver)->device_count; ++i) {
        usable = cuda::check_usable(i);
        if (usable) return Device::cuda(i);
    }
    return std::unexpected(usable.error());
}

std::unexpected<Error> unknown_device(std::string_view spec) {
    return std::unexpected(
        Error{ErrorCode::invalid_argument,
              "device \"" + std::string(spec) + "\" is unknown: use auto, cpu, cuda or cuda:N"});
}

}  // namespace

Result<DeviceChoice> choose_device(std::string_view spec, int threads) {
    if (spec == "auto") {
        const auto gpu = first_gpu();
        if (gpu) return DeviceChoice{*gpu, "the first GPU that can be used"};
        const auto cpu = Device::cpu(threads);
        if (!cpu) return std::unexpected(cpu.error());
        return DeviceChoice{*cpu, "no GPU can be used (" + gpu.error().message + "), so the CPU computes"};
    }
    if (spec == "cpu") {
        const auto cpu = Device::cpu(threads);
        if (!cpu) return std::unexpected(cpu.error());
        return DeviceChoice{*cpu, "the CPU was asked for"};
    }
    if (spec == "cuda") {
        const auto gpu = first_gpu();
        if (gpu) return DeviceChoice{*gpu, "the first GPU that can be used was asked for"};
        Error error = gpu.error();
        error.message = "device cuda cannot be used: " + error.message + "; use auto or cpu";
        return std::unexpected(std::move(error));
    }
    if (!spec.starts_with("cuda:")) return unknown_device(spec);
    const std::string_view digits = spec.substr(std::string_view("cuda:").size());
    int index = -1;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (failure != std::errc() || end != digits.data() + digits.size() || index < 0)
        return unknown_device(spec);
    const auto gpu = Device::cuda(index);
    if (!gpu) {
        Error error = gpu.error();
        error.message += "; use auto or cpu";
        return std::unexpected(std::move(error));
    }
    return DeviceChoice{*gpu, "this GPU was asked for"};
}

DeviceState sample_device(const Device& device) noexcept {
    try {
        if (device.backend() == Backend::cuda) return cuda::gpu_state(device.index());
        return {.reason = "device " + device.id() + " is no GPU"};
    } catch (...) {  // of the standard library: no room for a string. This one needs none.
        DeviceState state;
        state.reason = "out of memory";
        return state;
    }
}

std::vector<DeviceInfo> list_devices() {
    std::vector<DeviceInfo> devices{device::cpu_info()};
    for (DeviceInfo& gpu : cuda::list_gpus()) devices.push_back(std::move(gpu));
    return devices;
}

}  // namespace iir2d
