// SPDX-License-Identifier: MIT
#include "core/support/canonical_json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/support/files.h"

namespace workbench {

namespace {

using nlohmann::json;

// ECMA-262, Number::toString: the shortest digits that read back the same, plain from 1e-6 to below 1e21.
std::string number_text(double value) {
    if (!std::isfinite(value)) return "null";
    if (value == 0) return "0";  // -0 too
    std::array<char, 40> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), std::abs(value), std::chars_format::scientific)
            .ptr;
    const std::string_view shortest(text.data(), static_cast<std::size_t>(end - text.data()));
    const auto e = shortest.find('e');
    std::string digits(1, shortest[0]);
    if (e > 2) digits += shortest.substr(2, e - 2);
    int exponent = 0;
    const char* start = shortest.data() + e + 1;
    std::from_chars(*start == '+' ? start + 1 : start, end, exponent);
    const int point = exponent + 1;  // digits before the decimal point
    const int count = static_cast<int>(digits.size());

    std::string out = value < 0 ? "-" : "";
    if (point > 21 || point <= -6) {
        out += digits[0];
        if (count > 1) out += "." + digits.substr(1);
        out += point - 1 < 0 ? "e-" : "e+";
        out += std::to_string(std::abs(point - 1));
    } else if (point >= count) {
        out += digits + std::string(static_cast<std::size_t>(point - count), '0');
    } else if (point > 0) {
        out += digits.substr(0, static_cast<std::size_t>(point)) + "." +
               digits.substr(static_cast<std::size_t>(point));
    } else {
        out += "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
    }
    return out;
}

std::string scalar_text(const json& value) {
    if (value.is_number_float()) return number_text(value.get<double>());
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void write(const json& value, std::string& out) {
    if (value.is_object()) {
        out += '{';
        bool first = true;
        for (const auto& [key, item] : value.items()) {  // a std::map: in order
            if (!std::exchange(first, false)) out += ',';
            out += scalar_text(json(key)) + ":";
            write(item, out);
        }
        out += '}';
    } else if (value.is_array()) {
        out += '[';
        bool first = true;
        for (const json& item : value) {
            if (!std::exchange(first, false)) out += ',';
            write(item, out);
        }
        out += ']';
    } else {
        out += scalar_text(value);
    }
}

}  // namespace

std::string canonical_json(const json& value) {
    std::string text;
    write(value, text);
    return text;
}

std::string canonical_sha256(const json& value) {
    const std::string text = canonical_json(value);
    return sha256_hex(text);
}

}  // namespace workbench
