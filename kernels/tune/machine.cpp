// SPDX-License-Identifier: MIT
#include "kernels/tune/machine.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string>

#include "iir2d/tune_model.h"
#include "kernels/device/cpu_info.h"
#include "kernels/device/cuda/context.h"
#include "kernels/support/cpu_target.h"
#include "kernels/support/guard.h"
#include "kernels/tune/sha256.h"

namespace iir2d {

namespace tune {
namespace {

constexpr std::size_t id_digits = 16;

const DeviceInfo& info() {
    static const DeviceInfo all = device::cpu_info();
    return all;
}

std::optional<std::string> property(std::string_view key) {
    const auto found = std::ranges::find(info().properties, key, &DeviceProperty::key);
    return found != info().properties.end() ? found->value : std::nullopt;
}

// "2048K" as bytes.
std::int64_t bytes_of(const std::optional<std::string>& size) {
    if (!size) return 0;
    std::int64_t value = 0;
    const char* const last = size->data() + size->size();
    const auto [end, error] = std::from_chars(size->data(), last, value);
    if (error != std::errc{} || value < 0 || value > (1 << 30)) return 0;
    const char unit = end == last ? ' ' : *end;
    return unit == 'K' ? value << 10 : unit == 'M' ? value << 20 : value;
}

std::string json_string(std::string_view text) {
    std::string made = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            made += '\\';
            made += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
            made += code;
        } else {
            made += c;
        }
    }
    return made + '"';
}

}  // namespace

const Caches& caches() {
    static const Caches sizes{bytes_of(property("l2_cache")), bytes_of(property("l3_cache"))};
    return sizes;
}

const std::string& this_machine() {
    static const std::string id = machine_id().value_or("");
    return id;
}

namespace {

struct Description {
    std::optional<std::string> l1d, l2, l3, logical_cores;
    std::string name;
    std::string target;

    // Keys in order, as canonical JSON has them.
    std::string text() const {
        std::string made = "{";
        const auto add = [&](std::string_view key, const std::optional<std::string>& value) {
            made += (made.size() > 1 ? "," : "") + json_string(key) + ":" +
                    (value ? json_string(*value) : "null");
        };
        add("l1d", l1d);
        add("l2", l2);
        add("l3", l3);
        add("logical_cores", logical_cores);
        add("name", name);
        add("target", target);
        return made + "}";
    }
};

std::string id_of(const std::string& description) {
    return sha256_hex(description).substr(0, id_digits);
}

Result<cuda::Facts> facts_of(const Device& gpu) {
    const auto driver = cuda::driver();
    if (!driver) return std::unexpected(driver.error());
    return cuda::facts_of(**driver, gpu.index());
}

// A GPU has no L3, and its logical cores are its multiprocessors.
Description description_of(const cuda::Facts& facts) {
    return {
        .l1d = std::nullopt,
        .l2 = std::to_string(facts.l2_bytes),
        .l3 = std::nullopt,
        .logical_cores = std::to_string(facts.multiprocessors),
        .name = facts.name,
        .target = "sm_" + std::to_string(facts.capability_major) + std::to_string(facts.capability_minor)};
}

}  // namespace

GpuHost gpu_host(const cuda::Facts& facts) {
    const Description description = description_of(facts);
    return {.machine = id_of(description.text()),
            .target = description.target,
            .cache = static_cast<std::int64_t>(facts.l2_bytes),
            .multiprocessors = std::max(1, facts.multiprocessors)};
}

Result<GpuHost> gpu_host(const Device& gpu) {
    const auto facts = facts_of(gpu);
    if (!facts) return std::unexpected(facts.error());
    return gpu_host(*facts);
}

}  // namespace tune

Result<std::string> machine_description() {
    return support::guarded_result("the machine", []() -> Result<std::string> {
        const auto target = support::cpu_target();
        if (!target) return std::unexpected(target.error());
        return tune::Description{.l1d = tune::property("l1d_cache"),
                                 .l2 = tune::property("l2_cache"),
                                 .l3 = tune::property("l3_cache"),
                                 .logical_cores = tune::property("logical_cores"),
                                 .name = tune::info().name,
                                 .target = *target}
            .text();
    });
}

Result<std::string> machine_description(const Device& device) {
    if (device.backend() == Backend::cpu) return machine_description();
    return support::guarded_result("the machine", [&]() -> Result<std::string> {
        const auto facts = tune::facts_of(device);
        if (!facts) return std::unexpected(facts.error());
        return tune::description_of(*facts).text();
    });
}

Result<std::string> machine_id() {
    auto text = machine_description();
    if (!text) return text;
    return support::guarded_result("the machine",
                                   [&]() -> Result<std::string> { return tune::id_of(*text); });
}

Result<std::string> machine_id(const Device& device) {
    auto text = machine_description(device);
    if (!text) return text;
    return support::guarded_result("the machine",
                                   [&]() -> Result<std::string> { return tune::id_of(*text); });
}

}  // namespace iir2d
