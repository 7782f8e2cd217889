// SPDX-License-Identifier: MIT
// Names in a sentence.
#pragma once

#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace workbench {

// Returns "a", "a or b", "a, b or c".
inline std::string listed(const std::vector<std::string>& names, std::string_view last_word) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) text += i + 1 == names.size() ? " " + std::string(last_word) + " " : ", ";
        text += names[i];
    }
    return text;
}

// Returns "a, b, c": the names of a table's rows, in order.
template <std::ranges::input_range Rows, class Name>
std::string listed_names(const Rows& rows, Name name) {
    std::string text;
    for (const auto& row : rows) {
        if (!text.empty()) text += ", ";
        text += std::string_view(std::invoke(name, row));
    }
    return text;
}

}  // namespace workbench
