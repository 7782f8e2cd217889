// SPDX-License-Identifier: MIT
#include "core/support/shell.h"

namespace workbench {

namespace {

// What a shell takes as it is, anywhere in a word.
constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_+=:,./-";
// A single quote within single quotes: they end, it follows escaped, they begin again.
constexpr std::string_view quote_within_quotes = "'\\''";

bool is_plain(std::string_view text) {
    return !text.empty() && text.find_first_not_of(plain) == std::string_view::npos;
}

}  // namespace

std::string shell_quoted(std::string_view text) {
    if (is_plain(text)) return std::string(text);
    std::string word = "'";
    for (const char c : text) {
        if (c == '\'') {
            word += quote_within_quotes;
        } else {
            word += c;
        }
    }
    return word + "'";
}

bool is_shell_quoted(std::string_view word) {
    if (is_plain(word)) return true;
    if (word.size() < 2 || !word.starts_with('\'') || !word.ends_with('\'')) return false;
    word = word.substr(1, word.size() - 2);
    for (auto quote = word.find('\''); quote != std::string_view::npos; quote = word.find('\'')) {
        if (!word.substr(quote).starts_with(quote_within_quotes)) return false;
        word.remove_prefix(quote + quote_within_quotes.size());
    }
    return true;
}

}  // namespace workbench
