// SPDX-License-Identifier: MIT
#include "core/tune/machine.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "core/support/canonical_json.h"
#include "core/support/devices.h"
#include "core/support/files.h"
#include "core/support/package.h"
#include "core/support/try.h"
#include "core/tune/problem.h"
#include "iir2d/tune.h"
#include "iir2d/tune_model.h"

namespace workbench::tune {

namespace {

constexpr std::size_t id_digits = 16;

iir2d::DeviceInfo cpu_info() {
    return list_devices().front();
}

// Null where the system does not say.
nlohmann::json property(const iir2d::DeviceInfo& info, std::string_view key) {
    const auto found = std::ranges::find(info.properties, key, &iir2d::DeviceProperty::key);
    if (found == info.properties.end() || !found->value) return nullptr;
    return *found->value;
}

// "2048K" as bytes.
std::int64_t bytes_of(const nlohmann::json& size) {
    if (!size.is_string()) return 0;
    const auto& text = size.get_ref<const std::string&>();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || value < 0 || value > (1 << 30)) return 0;
    const char unit = end == text.data() + text.size() ? ' ' : *end;
    return unit == 'K' ? value << 10 : unit == 'M' ? value << 20 : value;
}

}  // namespace

Result<Identity> machine_of(const iir2d::Device& device) {
    IIR2D_TRY(auto json, from_kernel(iir2d::machine_description(device)));
    std::string id = sha256_hex(json).substr(0, id_digits);
    return Identity{std::move(id), std::move(json)};
}

Identity build_of_kernels(iir2d::Backend backend) {
    const std::string id(iir2d::kernels_id(backend));
    return {id, canonical_json({{"kernels", id}, {"version", library_version()}})};
}

CacheSizes cache_sizes() {
    const iir2d::DeviceInfo info = cpu_info();
    return {bytes_of(property(info, "l2_cache")), bytes_of(property(info, "l3_cache"))};
}

CacheSizes cache_sizes_of(const std::string& machine_json) {
    const auto what = nlohmann::json::parse(machine_json, nullptr, false);
    if (!what.is_object()) return {};
    const std::int64_t l2 = bytes_of(what.value("l2", nlohmann::json()));
    const bool is_gpu = what.value("target", std::string()).starts_with("sm_");
    return {l2, is_gpu ? l2 : bytes_of(what.value("l3", nlohmann::json()))};
}

bool is_whole(const Identity& machine) {
    const auto what = nlohmann::json::parse(machine.json, nullptr, false);
    return !what.is_discarded() && canonical_json(what) == machine.json &&
           canonical_sha256(what).substr(0, id_digits) == machine.id;
}

}  // namespace workbench::tune
