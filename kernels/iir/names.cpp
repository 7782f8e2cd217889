// SPDX-License-Identifier: MIT
#include <array>
#include <string>

#include "iir2d/filter.h"

namespace iir2d {

namespace {

constexpr std::array<std::string_view, 4> borders{"clamp", "mirror", "wrap", "constant"};
constexpr std::array<std::string_view, 3> precisions{"f32", "mixed", "f64"};
constexpr std::array<std::string_view, 2> starts{"truncated", "steady"};

template <class E, std::size_t N>
Result<E> from_name(std::string_view name, const std::array<std::string_view, N>& names, const char* field,
                    ErrorCode code) {
    std::string all;
    for (std::size_t i = 0; i < N; ++i) {
        if (names[i] == name) return static_cast<E>(i);
        all += (i == 0 ? "" : i + 1 == N ? " or " : ", ") + std::string(names[i]);
    }
    return std::unexpected(
        Error{code, std::string(field) + " \"" + std::string(name) + "\" is unknown: use " + all});
}

template <class E, std::size_t N>
std::string_view name_in(E value, const std::array<std::string_view, N>& names) {
    const auto index = static_cast<std::size_t>(value);
    return index < N ? names[index] : std::string_view("unknown");
}

}  // namespace

std::string_view name_of(Border border) {
    return name_in(border, borders);
}
std::string_view name_of(Precision precision) {
    return name_in(precision, precisions);
}
std::string_view name_of(Start start) {
    return name_in(start, starts);
}

Result<Border> border_from_name(std::string_view name) {
    return from_name<Border>(name, borders, "border", ErrorCode::invalid_border_mode);
}
Result<Precision> precision_from_name(std::string_view name) {
    return from_name<Precision>(name, precisions, "precision", ErrorCode::invalid_precision);
}
Result<Start> start_from_name(std::string_view name) {
    return from_name<Start>(name, starts, "start", ErrorCode::invalid_argument);
}

}  // namespace iir2d
