// SPDX-License-Identifier: MIT
// Lists as text.
#pragma once

#include <cstddef>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace workbench {

// Returns "a, b, c" of the items of a list, or of what `text` makes of each.
template <std::ranges::input_range Items, class Text = std::identity>
std::string joined(Items&& items, std::string_view separator, Text text = {}) {
    std::string all;
    bool first = true;
    for (auto&& item : items) {
        if (!first) all += separator;
        first = false;
        all += std::string_view(std::invoke(text, item));
    }
    return all;
}

// Returns "a", "a or b", "a, b or c".
inline std::string listed(const std::vector<std::string>& names, std::string_view last_word) {
    if (names.size() < 2) return joined(names, "");
    return joined(std::ranges::subrange(names.begin(), names.end() - 1), ", ") + " " +
           std::string(last_word) + " " + names.back();
}

// Returns " (and 3 more)", for a sentence that names the first of several; nothing where there is one.
inline std::string and_more(std::size_t count) {
    return count > 1 ? " (and " + std::to_string(count - 1) + " more)" : "";
}

}  // namespace workbench
