// SPDX-License-Identifier: MIT
// Splits a text into tokens, one ahead of what is read.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace workbench::ptx {

// Says what is wrong with a text, and where. Caught in Module::parse().
class SyntaxError : public std::runtime_error {
  public:
    SyntaxError(std::uint32_t at, const std::string& what) : std::runtime_error(what), line(at) {}
    std::uint32_t line;
};

enum class TokenKind : std::uint8_t { end, word, directive, number, punctuation, string };

struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text;  // a directive's without its dot
    std::uint32_t line = 1;
    bool is(std::string_view what) const {
        return text == what && (kind == TokenKind::punctuation || kind == TokenKind::word);
    }
    bool is_directive(std::string_view what) const { return kind == TokenKind::directive && text == what; }
};

class Lexer {
  public:
    explicit Lexer(std::string_view text);
    const Token& next() const { return m_next; }
    Token take();
    bool take_if(std::string_view what);
    bool take_directive(std::string_view what);
    void expect(std::string_view what);
    std::string_view expect_word(const char* what);

  private:
    void skip_blanks();
    void scan();
    std::string_view m_text;
    std::size_t m_at = 0;
    std::uint32_t m_line = 1;
    Token m_next;
};

// A number as it is written: an integer, or the bits of a float.
struct Literal {
    enum class Kind : std::uint8_t { integer, f32, f64 } kind = Kind::integer;
    std::uint64_t bits = 0;
};
Literal literal_of(const Token& token);

// Returns a word of the text in an error: at most 80 characters, nothing that a terminal would obey.
std::string shown(std::string_view text);

}  // namespace workbench::ptx
