// SPDX-License-Identifier: MIT
// The list of devices as JSON text.
#include <cstddef>
#include <string>
#include <string_view>

#include "iir2d/device.h"

namespace iir2d {

namespace {

// How many bytes the UTF-8 sequence at the beginning of a text has; 0 where it is none.
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return 0;
    }
    // Too long for its value, a half of a surrogate pair, or beyond U+10FFFF.
    const unsigned char second = byte(1);
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
        return 0;
    return length;
}

// "\u001b"
std::string escaped(unsigned code) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text = "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) text += digits[code >> shift & 0xFU];
    return text;
}

// A JSON string. Control characters are escaped, those from U+007F to U+009F too, which a terminal may obey;
// a byte that is not UTF-8 becomes U+FFFD.
std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const auto code = static_cast<unsigned char>(text[i]);
        const std::size_t length = sequence_length(text.substr(i));
        const auto next = length == 2 ? static_cast<unsigned char>(text[i + 1]) : 0U;
        constexpr std::string_view plain = "\"\\\b\f\n\r\t";
        constexpr std::string_view letters = "\"\\bfnrt";
        if (const std::size_t found = plain.find(text[i]); found != std::string_view::npos) {
            out += '\\';
            out += letters[found];
        } else if (length == 0) {
            out += "\xEF\xBF\xBD";
        } else if (code < 0x20 || code == 0x7F) {
            out += escaped(code);
        } else if (code == 0xC2 && next < 0xA0) {
            out += escaped(next);
        } else {
            out += text.substr(i, length);
        }
        i += length == 0 ? 1 : length;
    }
    return out + "\"";
}

std::string quoted_or_null(bool there, std::string_view text) {
    return there ? quoted(text) : "null";
}

// A line of an object, `depth` levels deep.
void add_line(std::string& out, int depth, std::string_view text) {
    out += "\n" + std::string(static_cast<std::size_t>(2 * depth), ' ');
    out += text;
}

void add_property(std::string& out, const DeviceProperty& property) {
    add_line(out, 4, quoted(property.key) + ": {");
    const bool known = property.value.has_value();
    add_line(out, 5, "\"value\": " + quoted_or_null(known, property.value.value_or("")) + ",");
    add_line(out, 5, "\"unit\": " + quoted_or_null(!property.unit.empty(), property.unit) + ",");
    add_line(out, 5, "\"reason\": " + quoted_or_null(!known, property.reason));
    add_line(out, 4, "}");
}

void add_device(std::string& out, const DeviceInfo& device) {
    add_line(out, 2, "{");
    add_line(out, 3, "\"id\": " + quoted(device.id) + ",");
    add_line(out, 3, "\"name\": " + quoted_or_null(!device.name.empty(), device.name) + ",");
    add_line(out, 3, "\"backend\": " + quoted(device.backend == Backend::cuda ? "cuda" : "cpu") + ",");
    add_line(out, 3, std::string("\"usable\": ") + (device.usable ? "true" : "false") + ",");
    add_line(out, 3, "\"why_not\": " + quoted_or_null(!device.usable, device.why_not) + ",");
    if (device.properties.empty()) {
        add_line(out, 3, "\"properties\": {}");
    } else {
        add_line(out, 3, "\"properties\": {");
        for (std::size_t i = 0; i < device.properties.size(); ++i) {
            if (i > 0) out += ",";
            add_property(out, device.properties[i]);
        }
        add_line(out, 3, "}");
    }
    add_line(out, 2, "}");
}

}  // namespace

std::string describe_devices() {
    const auto devices = list_devices();
    std::string out = "{\n  \"devices\": [";
    for (std::size_t i = 0; i < devices.size(); ++i) {
        if (i > 0) out += ",";
        add_device(out, devices[i]);
    }
    return out + "\n  ]\n}\n";
}

}  // namespace iir2d
