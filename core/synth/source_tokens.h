// SPDX-License-Identifier: MIT
// The tokens of a source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/synth/tree.h"

namespace workbench::synth {

enum class TokenKind : std::uint8_t { name, number, sign, text, end };

struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text;
    std::uint32_t line = 1;
    // Of a number
    Type type = Type::none;
    std::uint64_t bits = 0;
};

// A comment that stands on a line of its own.
struct Comment {
    std::string_view text;
    std::uint32_t line = 1;
};

struct Tokens {
    std::vector<Token> tokens;  // the last is an end
    std::vector<Comment> comments;
    std::string error;  // empty: none
};

// Splits a source into tokens. Lines of the printers' prelude, #include and comments are left out.
Tokens tokens_of(std::string_view source);

}  // namespace workbench::synth
