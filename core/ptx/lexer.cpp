// SPDX-License-Identifier: MIT
#include "core/ptx/lexer.h"

#include <bit>
#include <charconv>
#include <cstdlib>

namespace workbench::ptx {

namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool begins_word(char c) {
    return is_letter(c) || c == '_' || c == '$' || c == '%';
}
bool goes_on(char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

std::uint64_t integer_of(const Token& token, std::string_view digits, int base) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error != std::errc() || end != digits.data() + digits.size())
        throw SyntaxError(token.line, "\"" + shown(token.text) + "\" is not a number of 64 bits");
    return value;
}

}  // namespace

std::string shown(std::string_view text) {
    std::string made;
    for (const char c : text.substr(0, 80)) made += c >= ' ' && c < '\x7f' ? c : '?';
    return text.size() > 80 ? made + "..." : made;
}

Lexer::Lexer(std::string_view text) : m_text(text) {
    scan();
}

void Lexer::skip_blanks() {
    while (m_at < m_text.size()) {
        const char c = m_text[m_at];
        if (c == '\n') {
            ++m_line;
            ++m_at;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            ++m_at;
        } else if (m_text.compare(m_at, 2, "//") == 0) {
            m_at = std::min(m_text.find('\n', m_at), m_text.size());
        } else if (m_text.compare(m_at, 2, "/*") == 0) {
            const std::size_t end = m_text.find("*/", m_at + 2);
            if (end == std::string_view::npos) throw SyntaxError(m_line, "a comment has no end");
            for (; m_at < end + 2; ++m_at) m_line += m_text[m_at] == '\n' ? 1U : 0U;
        } else {
            return;
        }
    }
}

void Lexer::scan() {
    skip_blanks();
    m_next = {TokenKind::end, {}, m_line};
    if (m_at >= m_text.size()) return;
    const std::size_t begin = m_at;
    const char c = m_text[m_at];
    const auto at = [&](std::size_t index) { return index < m_text.size() ? m_text[index] : '\0'; };
    if (begins_word(c)) {
        // A dot or two colons go on where a letter or digit follows: ld.global, %tid.x, shared::cta.
        ++m_at;
        for (;;) {
            if (goes_on(at(m_at)))
                ++m_at;
            else if (at(m_at) == '.' && goes_on(at(m_at + 1)))
                m_at += 2;
            else if (at(m_at) == ':' && at(m_at + 1) == ':' && goes_on(at(m_at + 2)))
                m_at += 3;
            else
                break;
        }
        m_next.kind = TokenKind::word;
        m_next.text = m_text.substr(begin, m_at - begin);
    } else if (c == '.' && (is_letter(at(m_at + 1)) || at(m_at + 1) == '_')) {
        m_at += 2;
        while (goes_on(at(m_at)) || (at(m_at) == ':' && at(m_at + 1) == ':'))
            m_at += at(m_at) == ':' ? 2U : 1U;
        m_next.kind = TokenKind::directive;
        m_next.text = m_text.substr(begin + 1, m_at - begin - 1);
    } else if (is_digit(c)) {
        ++m_at;
        for (;;) {
            const char d = at(m_at);
            const bool sign = (d == '+' || d == '-') && (at(m_at - 1) == 'e' || at(m_at - 1) == 'E') &&
                              m_text.substr(begin, 2) != "0x" && m_text.substr(begin, 2) != "0f" &&
                              m_text.substr(begin, 2) != "0d" && m_text.substr(begin, 2) != "0X" &&
                              m_text.substr(begin, 2) != "0F" && m_text.substr(begin, 2) != "0D";
            if (!is_letter(d) && !is_digit(d) && d != '.' && !sign) break;
            ++m_at;
        }
        m_next.kind = TokenKind::number;
        m_next.text = m_text.substr(begin, m_at - begin);
    } else if (c == '"') {
        const std::size_t end = m_text.find('"', m_at + 1);
        const std::size_t line_end = m_text.find('\n', m_at);
        if (end == std::string_view::npos || line_end < end) throw SyntaxError(m_line, "a string has no end");
        m_at = end + 1;
        m_next.kind = TokenKind::string;
        m_next.text = m_text.substr(begin + 1, end - begin - 1);
    } else {
        ++m_at;
        m_next.kind = TokenKind::punctuation;
        m_next.text = m_text.substr(begin, 1);
    }
}

Token Lexer::take() {
    const Token token = m_next;
    scan();
    return token;
}

bool Lexer::take_if(std::string_view what) {
    if (!m_next.is(what)) return false;
    scan();
    return true;
}

bool Lexer::take_directive(std::string_view what) {
    if (!m_next.is_directive(what)) return false;
    scan();
    return true;
}

void Lexer::expect(std::string_view what) {
    if (!take_if(what))
        throw SyntaxError(
            m_next.line,
            "\"" + std::string(what) + "\" is missing before " +
                (m_next.kind == TokenKind::end ? "the end of the text" : "\"" + shown(m_next.text) + "\""));
}

std::string_view Lexer::expect_word(const char* what) {
    if (m_next.kind != TokenKind::word)
        throw SyntaxError(
            m_next.line,
            std::string(what) + " is missing before " +
                (m_next.kind == TokenKind::end ? "the end of the text" : "\"" + shown(m_next.text) + "\""));
    return take().text;
}

Literal literal_of(const Token& token) {
    std::string_view text = token.text;
    const std::string_view prefix = text.substr(0, 2);
    if (prefix == "0f" || prefix == "0F") {
        if (text.size() != 10)
            throw SyntaxError(token.line, "\"" + shown(text) + "\" has not the 8 digits of a 32-bit float");
        return {Literal::Kind::f32, integer_of(token, text.substr(2), 16)};
    }
    if (prefix == "0d" || prefix == "0D") {
        if (text.size() != 18)
            throw SyntaxError(token.line, "\"" + shown(text) + "\" has not the 16 digits of a 64-bit float");
        return {Literal::Kind::f64, integer_of(token, text.substr(2), 16)};
    }
    const bool hexadecimal = prefix == "0x" || prefix == "0X";
    if (!hexadecimal && text.find_first_of(".eE") != std::string_view::npos) {
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size())
            throw SyntaxError(token.line, "\"" + shown(text) + "\" is not a number");
        return {Literal::Kind::f64, std::bit_cast<std::uint64_t>(value)};
    }
    if (text.ends_with('U')) text.remove_suffix(1);
    if (hexadecimal) return {Literal::Kind::integer, integer_of(token, text.substr(2), 16)};
    if (prefix == "0b" || prefix == "0B")
        return {Literal::Kind::integer, integer_of(token, text.substr(2), 2)};
    if (text.size() > 1 && text[0] == '0') return {Literal::Kind::integer, integer_of(token, text, 8)};
    return {Literal::Kind::integer, integer_of(token, text, 10)};
}

}  // namespace workbench::ptx
