// SPDX-License-Identifier: MIT
#include "iir2d/device.h"

#include <algorithm>
#include <string>

#include "kernels/device/cpu_info.h"
#include "kernels/support/parallel.h"

namespace iir2d {

namespace {

constexpr int most_threads = 1024;
constexpr std::string_view no_cuda = "built without CUDA kernels";

}  // namespace

Result<Device> Device::cpu(int threads) {
    if (threads < 0 || threads > most_threads) {
        return std::unexpected(Error{ErrorCode::invalid_argument, "threads is " + std::to_string(threads) +
                                                                      ": give 1 to 1024, or 0 for all"});
    }
    if (!support::has_threads()) return Device(Backend::cpu, 0, 1);
    const int available = support::available_threads();
    return Device(Backend::cpu, 0, threads == 0 ? available : std::min(threads, available));
}

std::string Device::id() const {
    return m_backend == Backend::cpu ? "cpu" : "cuda:" + std::to_string(m_index);
}

std::string Device::name() const {
    return m_backend == Backend::cpu ? device::cpu_name() : id();
}

Result<DeviceChoice> choose_device(std::string_view spec, int threads) {
    const bool cuda =
        spec == "cuda" || (spec.starts_with("cuda:") && spec.size() > 5 &&
                           std::ranges::all_of(spec.substr(5), [](char c) { return c >= '0' && c <= '9'; }));
    if (cuda) {
        return std::unexpected(Error{ErrorCode::cuda_error, "device " + std::string(spec) +
                                                                " cannot be used: " + std::string(no_cuda) +
                                                                "; use auto or cpu"});
    }
    if (spec != "auto" && spec != "cpu") {
        return std::unexpected(
            Error{ErrorCode::invalid_argument,
                  "device \"" + std::string(spec) + "\" is unknown: use auto, cpu, cuda or cuda:N"});
    }
    const auto device = Device::cpu(threads);
    if (!device) return std::unexpected(device.error());
    return DeviceChoice{
        *device, spec == "cpu" ? "the CPU was asked for"
                               : "no GPU can be used (" + std::string(no_cuda) + "), so the CPU computes"};
}

std::vector<DeviceInfo> list_devices() {
    std::vector<DeviceInfo> devices{device::cpu_info()};
    devices.push_back({.id = "cuda",
                       .name = "",
                       .backend = Backend::cuda,
                       .usable = false,
                       .why_not = std::string(no_cuda)});
    return devices;
}

}  // namespace iir2d
