// SPDX-License-Identifier: MIT
#include "kernels/tune/machine.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string>

#include "iir2d/tune_model.h"
#include "kernels/device/cpu_info.h"
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

std::string quoted(std::string_view text) {
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

}  // namespace tune

Result<std::string> machine_description() {
    return support::guarded_result("the machine", []() -> Result<std::string> {
        const auto target = support::cpu_target();
        if (!target) return std::unexpected(target.error());
        // Keys in order, as canonical JSON has them.
        std::string text = "{";
        const auto add = [&](std::string_view key, const std::optional<std::string>& value) {
            text += (text.size() > 1 ? "," : "") + tune::quoted(key) + ":" +
                    (value ? tune::quoted(*value) : std::string("null"));
        };
        add("l1d", tune::property("l1d_cache"));
        add("l2", tune::property("l2_cache"));
        add("l3", tune::property("l3_cache"));
        add("logical_cores", tune::property("logical_cores"));
        add("name", tune::info().name);
        add("target", *target);
        return text + "}";
    });
}

Result<std::string> machine_id() {
    auto text = machine_description();
    if (!text) return text;
    return support::guarded_result("the machine", [&]() -> Result<std::string> {
        return tune::sha256_hex(*text).substr(0, tune::id_digits);
    });
}

}  // namespace iir2d
