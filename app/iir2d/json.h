// SPDX-License-Identifier: MIT
// JSON on standard output.
#pragma once

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "core/support/hex.h"

namespace app {

using Json = nlohmann::ordered_json;

inline void print_json(const Json& json) {
    const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    // The dump escapes the control characters below U+0020. Those from U+007F to U+009F can only be within
    // its strings, and a terminal may obey them too.
    std::string safe;
    safe.reserve(text.size());
    const auto escape = [&](unsigned code) { safe += "\\u" + workbench::to_hex(code, 4); };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
        if (byte(i) == 0x7F) {
            escape(0x7F);
        } else if (byte(i) == 0xC2 && i + 1 < text.size() && byte(i + 1) < 0xA0) {
            escape(byte(++i));
        } else {
            safe += text[i];
        }
    }
    std::fwrite(safe.data(), 1, safe.size(), stdout);
}

// JSON has no infinity and no NaN.
inline Json number_or_null(double value) {
    return std::isfinite(value) ? Json(value) : Json();
}

}  // namespace app
