// SPDX-License-Identifier: MIT
#include "core/synth/source_tokens.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>

#include "core/synth/print.h"

namespace workbench::synth {

namespace {

bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Reads a number from the beginning of `rest`; false where it is none.
bool read_number(std::string_view rest, Token& token) {
    const bool hex = rest.starts_with("0x") || rest.starts_with("0X");
    std::size_t end = 0;
    bool is_float = false;
    while (end < rest.size()) {
        const char c = rest[end];
        const bool signs =
            (c == '+' || c == '-') && end > 0 && !hex && (rest[end - 1] == 'e' || rest[end - 1] == 'E');
        if (!is_name(c) && c != '.' && !signs) break;
        is_float = is_float || c == '.' || (!hex && (c == 'e' || c == 'E'));
        ++end;
    }
    token.kind = TokenKind::number;
    token.text = rest.substr(0, end);
    std::string digits(token.text);
    const auto ends_with = [&](std::string_view suffix) {
        if (digits.size() <= suffix.size() || !digits.ends_with(suffix)) return false;
        digits.resize(digits.size() - suffix.size());
        return true;
    };
    const char* const last = digits.data() + digits.size();
    if (is_float) {
        if (ends_with("f") || ends_with("F")) {
            float value = 0;
            const auto [at, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
            token.type = Type::f32;
            token.bits = std::bit_cast<std::uint32_t>(value);
            return failed == std::errc{} && at == digits.data() + digits.size();
        }
        double value = 0;
        const auto [at, failed] = std::from_chars(digits.data(), last, value);
        token.type = Type::f64;
        token.bits = std::bit_cast<std::uint64_t>(value);
        return failed == std::errc{} && at == last;
    }
    for (char& c : digits) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool is_unsigned_long = ends_with("ull") || ends_with("llu");
    const bool is_long = !is_unsigned_long && ends_with("ll");
    const bool is_unsigned = !is_unsigned_long && !is_long && ends_with("u");
    const char* const from = digits.data() + (hex ? 2 : 0);
    const char* const to = digits.data() + digits.size();
    const auto [at, failed] = std::from_chars(from, to, token.bits, hex ? 16 : 10);
    token.type = is_unsigned_long ? Type::u64 : is_long ? Type::i64 : is_unsigned ? Type::u32 : Type::i32;
    if (token.type == Type::i32 && token.bits > 0x7fffffff)
        token.type = hex && token.bits <= 0xffffffff ? Type::u32 : Type::i64;
    if (token.type == Type::i64 && token.bits >> 63) return false;
    return failed == std::errc{} && at == to && !(token.type == Type::u32 && token.bits > 0xffffffff);
}

}  // namespace

Tokens tokens_of(std::string_view source) {
    Tokens made;
    std::uint32_t line = 1;
    std::size_t at = 0, line_end = 0;
    bool line_begins = true;
    const auto wrong = [&](std::string_view what) {
        made.error = "line " + std::to_string(line) + ": " + std::string(what);
        return made;
    };
    while (at < source.size()) {
        const char c = source[at];
        const std::string_view rest = source.substr(at);
        if (c == '\n') {
            ++line;
            ++at;
            line_begins = true;
            continue;
        }
        if (std::isspace(static_cast<unsigned char>(c))) {
            ++at;
            continue;
        }
        if (line_end <= at) line_end = std::min(source.find('\n', at), source.size());
        const std::string_view whole = rest.substr(0, line_end - at);
        if (line_begins && (whole.starts_with("#include") || is_prelude_line(whole))) {
            at += whole.size();
            continue;
        }
        if (line_begins && c == '#') return wrong("a line of the preprocessor is outside of the language");
        if (rest.starts_with("//")) {
            if (line_begins) made.comments.push_back({whole.substr(2), line});
            at += whole.size();
            continue;
        }
        if (rest.starts_with("/*")) {
            const std::size_t end = rest.find("*/");
            if (end == std::string_view::npos) return wrong("a comment has no end");
            for (const char in : rest.substr(0, end)) line += in == '\n';
            at += end + 2;
            continue;
        }
        line_begins = false;
        Token token{.line = line};
        if (std::isdigit(static_cast<unsigned char>(c)) ||
            (c == '.' && rest.size() > 1 && std::isdigit(static_cast<unsigned char>(rest[1])))) {
            if (!read_number(rest, token))
                return wrong("'" + std::string(token.text) + "' is not a number of the language");
        } else if (is_name(c)) {
            std::size_t end = 0;
            while (end < rest.size() && is_name(rest[end])) ++end;
            token.kind = TokenKind::name;
            token.text = rest.substr(0, end);
        } else if (c == '"') {
            const std::size_t end = rest.find('"', 1);
            if (end == std::string_view::npos || end > whole.size()) return wrong("a text has no end");
            token.kind = TokenKind::text;
            token.text = rest.substr(0, end + 1);
        } else {
            token.kind = TokenKind::sign;
            token.text = rest.substr(0, 1);
            for (const std::string_view two :
                 {"<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++",
                  "--",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "->", "::"}) {
                if (rest.starts_with(two)) {
                    token.text = rest.substr(0, two.size());
                    break;
                }
            }
        }
        at += token.text.size();
        made.tokens.push_back(token);
    }
    made.tokens.push_back({.kind = TokenKind::end, .text = "the end", .line = line});
    return made;
}

}  // namespace workbench::synth
