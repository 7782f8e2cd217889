// SPDX-License-Identifier: MIT
// Names of the choices that a problem has: options take them, reports and settings give them.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace workbench::solve {

// The names of an enumeration's values in their order: an array where the enumeration has names.
template <class Choice>
inline constexpr auto names_of = nullptr;

template <class Choice>
constexpr std::string_view name_of(Choice choice) {
    return names_of<Choice>[static_cast<std::size_t>(choice)];
}

}  // namespace workbench::solve
