// SPDX-License-Identifier: MIT
#include "core/support/canonical_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/support/files.h"
#include "core/support/hex.h"

namespace workbench {

namespace {

using nlohmann::json;

}  // namespace

// ECMA-262, Number::toString: the shortest digits that read back the same, plain from 1e-6 to below 1e21.
std::string canonical_number(double value) {
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

namespace {

std::string scalar_text(const json& value) {
    if (value.is_number_float()) return canonical_number(value.get<double>());
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void write(const json& value, std::string& out);

void write_object(const json& object, std::optional<std::string_view> left_out, std::string& out) {
    out += '{';
    bool first = true;
    for (const auto& [key, item] : object.items()) {  // a std::map: in order
        if (key == left_out) continue;
        if (!std::exchange(first, false)) out += ',';
        out += scalar_text(json(key)) + ":";
        write(item, out);
    }
    out += '}';
}

void write(const json& value, std::string& out) {
    if (value.is_object()) {
        write_object(value, std::nullopt, out);
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

// The length of the number at the beginning of the text.
std::size_t number_length(std::string_view text) {
    return std::min(text.find_first_not_of("+-.0123456789Ee"), text.size());
}

bool is_canonical_number(std::string_view number) {
    if (number.find_first_of(".eE") == std::string_view::npos && number != "-0") {
        // Whole numbers that an integer holds are exact, whatever a double makes of them.
        std::uint64_t natural = 0;
        std::int64_t whole = 0;
        const char* const begin = number.data();
        const char* const end = begin + number.size();
        const auto read = number.starts_with('-') ? std::from_chars(begin, end, whole)
                                                  : std::from_chars(begin, end, natural);
        if (read.ec == std::errc()) return true;
    }
    double value = 0;
    std::from_chars(number.data(), number.data() + number.size(), value);
    return number == canonical_number(value);
}

// Whether the escape sequence that the text starts with is the only one for its character; sets its length.
bool is_canonical_escape(std::string_view text, std::size_t& length) {
    length = 2;
    if (std::string_view("\"\\bfnrt").find(text[1]) != std::string_view::npos) return true;
    if (text[1] != 'u') return false;
    length = 6;
    constexpr std::string_view short_forms = "89acd";  // \b \t \n \f \r
    const std::string_view digits = text.substr(2, 4);
    if (!is_hex(digits)) return false;
    return digits.starts_with("001") ||
           (digits.starts_with("000") && short_forms.find(digits[3]) == std::string_view::npos);
}

}  // namespace

std::optional<std::size_t> first_uncanonical_spelling(std::string_view text) {
    bool in_string = false;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t length = 1;
        if (text[i] == '"') {
            in_string = !in_string;
        } else if (in_string) {
            if (text[i] == '\\' && !is_canonical_escape(text.substr(i), length)) return i;
        } else if (text[i] == '-' || (text[i] >= '0' && text[i] <= '9')) {
            length = number_length(text.substr(i));
            if (!is_canonical_number(text.substr(i, length))) return i;
        }
        i += length;
    }
    return std::nullopt;
}

std::string canonical_json(const json& value) {
    std::string text;
    write(value, text);
    return text;
}

std::string canonical_sha256(const json& value) {
    const std::string text = canonical_json(value);
    return sha256_hex(text);
}

std::string canonical_sha256_without(const json& object, std::string_view left_out) {
    std::string text;
    write_object(object, left_out, text);
    return sha256_hex(text);
}

}  // namespace workbench
