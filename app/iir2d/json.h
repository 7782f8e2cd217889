// SPDX-License-Identifier: MIT
// JSON on standard output.
#pragma once

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace app {

using Json = nlohmann::ordered_json;

inline void print_json(const Json& json) {
    const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
}

// JSON has no infinity and no NaN.
inline Json number_or_null(double value) {
    return std::isfinite(value) ? Json(value) : Json();
}

}  // namespace app
