// SPDX-License-Identifier: MIT
#include "app/iir2d/ptx_values.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "core/ptx/half.h"

namespace app {

Json json_float(double value, bool single) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    if (!single) return value;
    // The shortest text that reads back as the float, as a number.
    char text[64];
    const auto [end, error] = std::to_chars(text, text + sizeof text, static_cast<float>(value));
    double shortest = 0;
    std::from_chars(text, end, shortest);
    return shortest;
}

Json json_values(const PtxArgument& argument) {
    Json made = Json::array();
    const std::size_t size = argument.value_bytes();
    for (std::size_t at = 0; at + size <= argument.bytes.size(); at += size) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, argument.bytes.data() + at, size);
        switch (argument.type) {
            case PtxArgument::Type::f64:
                made.push_back(json_float(std::bit_cast<double>(bits), false));
                break;
            case PtxArgument::Type::f32:
                made.push_back(json_float(
                    static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))), true));
                break;
            case PtxArgument::Type::f16:
            case PtxArgument::Type::bf16:
                made.push_back(json_float(workbench::ptx::widened(static_cast<std::uint32_t>(bits),
                                                                  argument.type == PtxArgument::Type::f16
                                                                      ? workbench::ptx::format_f16
                                                                      : workbench::ptx::format_bf16),
                                          true));
                break;
            default: {
                const std::size_t shift = 64 - 8 * size;
                if (argument.has_sign())
                    made.push_back(static_cast<std::int64_t>(bits << shift) >> shift);
                else
                    made.push_back(bits);
                break;
            }
        }
    }
    return made;
}

}  // namespace app
