// SPDX-License-Identifier: MIT
// The parser's parts: types and expressions (parse_expression.cpp), functions and statements (parse.cpp).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/synth/builder.h"
#include "core/synth/source_tokens.h"

namespace workbench::synth {

// Says what is outside the language. Thrown inside the parser alone.
struct Outside {
    std::uint32_t line;
    std::string what;
};

class Parser {
  public:
    Parser(const Tokens& tokens, std::string_view kernel) : m_tokens(tokens), m_wanted(kernel) {}
    Tree run();

  private:
    // ---- Tokens
    const Token& token(std::size_t ahead = 0) const {
        return m_tokens.tokens[std::min(m_at + ahead, m_tokens.tokens.size() - 1)];
    }
    bool is(std::string_view text, std::size_t ahead = 0) const { return token(ahead).text == text; }
    bool accept(std::string_view text) {
        if (!is(text) || token().kind == TokenKind::end) return false;
        ++m_at;
        return true;
    }
    void expect(std::string_view text);
    std::string name();
    [[noreturn]] void outside(const std::string& what) const { throw Outside{token().line, what}; }

    // ---- Types
    std::optional<Type> peek_type(std::size_t& count) const;
    Type type();
    bool at_type() const {
        std::size_t count = 0;
        return peek_type(count).has_value() || is("const");
    }

    // ---- Functions and statements
    void function(bool is_kernel);
    void skip_function();
    std::vector<Id> parameters(bool is_kernel);
    void kernel_head();
    bool is_last(std::size_t ahead) const;
    void extents(std::uint32_t line);
    Extent extent(const std::vector<Token>& t, std::size_t& at, std::uint64_t components) const;
    std::vector<Id> block();
    std::vector<Id> loop_body();
    bool returns(const std::vector<Id>& list) const;
    // Returns whether a statement stands at the top level of a kernel whose threads work together, where
    // barriers are allowed.
    bool is_top_level() const { return m_depth == 1 && m_result == Type::none && b.tree().is_block; }
    static bool is_collective_name(std::string_view name);
    void statement();
    void declaration(bool is_shared);
    void for_loop();
    void atomic();
    void write();

    // ---- Expressions
    Id expression();
    Id infix(int loosest);
    Id prefix();
    Id postfix();
    Id primary();
    Id named(const std::string& name);
    Id call(const std::string& name);
    Id literal_of_bits(const std::string& name, Type type);
    bool is_least(Type type) const;
    std::vector<Id> arguments();
    Id combine(Op op, Id left, Id right);
    Id converted(Id value, Type type);
    void limit(Id value) const;  // of what is nested, so that walks over it end
    Id condition(Id value);
    Id lookup(const std::string& name) const;
    Id declare(const std::string& name, Type type, SymbolKind kind, Extent extent = {});

    const Tokens& m_tokens;
    std::string_view m_wanted;
    std::size_t m_at = 0;
    Builder b;
    std::vector<std::map<std::string, Id, std::less<>>> m_scopes;
    std::map<std::string, Id, std::less<>> m_helpers;
    Type m_result = Type::none;
    bool m_has_kernel = false;
    std::size_t m_collective = 0;  // the token behind the name of one that may stand there
    int m_loops = 0;               // that are open
    int m_depth = 0;               // of expressions and statements in each other
};

}  // namespace workbench::synth
