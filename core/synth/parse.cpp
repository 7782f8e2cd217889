// SPDX-License-Identifier: MIT
#include "core/synth/parse.h"

#include <algorithm>
#include <initializer_list>

#include "core/synth/parser.h"

namespace workbench::synth {

void Parser::expect(std::string_view text) {
    if (!accept(text))
        outside("'" + std::string(text) + "' is expected, not '" + std::string(token().text) + "'");
}

std::string Parser::name() {
    if (token().kind != TokenKind::name)
        outside("a name is expected, not '" + std::string(token().text) + "'");
    return std::string(m_tokens.tokens[m_at++].text);
}

Tree Parser::run() {
    while (token().kind != TokenKind::end) {
        if (accept("extern")) {
            if (!accept("\"C\"")) outside("'extern' stands before \"C\" alone");
        }
        accept("static");
        if (accept("__global__")) {
            // The name stands behind 'void'.
            if (m_wanted.empty() || token(1).text == m_wanted)
                function(true);
            else
                skip_function();
        } else if (accept("__device__")) {
            while (accept("__noinline__") || accept("__forceinline__") || accept("inline")) continue;
            function(false);
        } else {
            outside("'" + std::string(token().text) +
                    "' begins neither a kernel nor a function of the language");
        }
    }
    if (!m_has_kernel) outside("there is no kernel");
    return b.take();
}

void Parser::skip_function() {
    while (!is("{") && !is(";") && token().kind != TokenKind::end) ++m_at;
    int open = 0;  // none behind the name alone
    do {
        open += is("{") ? 1 : is("}") ? -1 : 0;
        ++m_at;
    } while (open > 0 && token().kind != TokenKind::end);
}

void Parser::function(bool is_kernel) {
    if (is_kernel && m_has_kernel) outside("there is another kernel");
    const std::uint32_t line = token().line;
    Function made;
    made.result = type();
    if ((made.result == Type::none) != is_kernel) outside("kernels return nothing, and functions something");
    made.name = name();
    m_result = made.result;
    m_scopes.assign(1, {});
    m_scopes.emplace_back();
    if (is_kernel) {
        b.tree().kernel.name = made.name;
        made.parameters = parameters(true);
        b.tree().kernel.parameters = made.parameters;
        extents(line);
        kernel_head();
        while (!accept("}")) statement();
        m_has_kernel = true;
        return;
    }
    if (b.tree().helpers.size() == 2) outside("a kernel has two helpers at most");
    made.parameters = parameters(false);
    if (made.parameters.size() > Expr{}.args.size()) outside("a helper has four parameters at most");
    const auto id = static_cast<Id>(b.tree().helpers.size());
    m_helpers.emplace(made.name, id);
    b.tree().helpers.push_back(made);
    expect("{");
    auto body = b.inside([&] {
        while (!accept("}")) statement();
    });
    if (!returns(body)) outside(made.name + " ends without a value");
    b.tree().helpers[id].body = std::move(body);
}

std::vector<Id> Parser::parameters(bool is_kernel) {
    std::vector<Id> made;
    expect("(");
    if (accept(")")) return made;
    do {
        const bool is_const = is("const");
        const Type of = type();
        const bool pointer = accept("*");
        accept("__restrict__");
        const std::string called = name();
        if (of == Type::none || (pointer && (!is_kernel || of == Type::boolean)))
            outside("a parameter's type is outside of the language");
        SymbolKind kind = SymbolKind::argument;
        if (pointer)
            kind = is_const ? SymbolKind::input : SymbolKind::output;
        else if (is_kernel)
            kind = of == Type::i32 && called == "n"   ? SymbolKind::n
                   : of == Type::i32 && called == "m" ? SymbolKind::m
                                                      : SymbolKind::scalar;
        if (kind == SymbolKind::scalar && !is_scalar(of)) outside("vectors and matrices come in arrays");
        made.push_back(declare(called, of, kind, pointer ? Extent{1, 1, 1} : Extent{}));
    } while (accept(","));
    expect(")");
    return made;
}

// Reads "// x[n * m], out[n]" before the kernel. An array that it does not name has n * m elements.
void Parser::extents(std::uint32_t line) {
    for (const Comment& comment : m_tokens.comments) {
        if (comment.line + 1 != line) continue;
        const Tokens parts = tokens_of(std::string_view(comment.text));
        const auto& t = parts.tokens;
        for (std::size_t k = 0; k + 1 < t.size(); ++k) {
            if (t[k].kind != TokenKind::name || t[k + 1].text != "[") continue;
            const auto symbol = m_scopes.back().find(t[k].text);
            if (symbol == m_scopes.back().end() || !is_array(b.tree().symbols[symbol->second].kind)) continue;
            Symbol& array = b.tree().symbols[symbol->second];
            array.extent = extent(t, k += 2, static_cast<std::uint64_t>(info(array.type).components));
        }
    }
}

// Reads "16 * n * m ]", from the token `at` on.
Extent Parser::extent(const std::vector<Token>& t, std::size_t& at, std::uint64_t components) const {
    constexpr std::uint64_t most = 1U << 22;  // numbers, at n = 200 and m = 12
    Extent made;
    for (;; ++at) {
        const Token& part = t[std::min(at, t.size() - 1)];
        if (part.text == "n" && made.by_n < 3)
            ++made.by_n;
        else if (part.text == "m" && made.by_m < 6)
            ++made.by_m;
        else if (part.kind == TokenKind::number && is_integer(part.type) && part.bits > 0 &&
                 part.bits <= most && made.factor * part.bits <= most)
            made.factor *= static_cast<std::uint32_t>(part.bits);
        else
            outside("an array's extent is a product of n, m and whole numbers");
        if (++at >= t.size() || (t[at].text != "*" && t[at].text != "]"))
            outside("an array's extent is a product of n, m and whole numbers");
        if (t[at].text == "]") break;
    }
    if (made.count(200, 12) * components > most) outside("an array's extent is too large");
    return made;
}

// "int i = blockIdx.x * blockDim.x + threadIdx.x;", and what keeps the threads without work from the rest:
// "if (i >= n) return;", or "if (i < n)" around all of it.
void Parser::kernel_head() {
    expect("{");
    accept("const");
    expect("int");
    const std::string index = name();
    expect("=");
    const bool thread_first = is("threadIdx");
    const auto expect_all = [this](std::initializer_list<std::string_view> texts) {
        for (const std::string_view text : texts) expect(text);
    };
    if (thread_first) expect_all({"threadIdx", ".", "x", "+"});
    if (is("blockDim"))
        expect_all({"blockDim", ".", "x", "*", "blockIdx", ".", "x"});
    else
        expect_all({"blockIdx", ".", "x", "*", "blockDim", ".", "x"});
    if (!thread_first) expect_all({"+", "threadIdx", ".", "x"});
    expect(";");
    declare(index, Type::i32, SymbolKind::index);
    b.tree().is_block = true;
    if (!is("if") || !is("(", 1) || !is(index, 2) || !is("n", 4) || !is(")", 5)) return;
    if (is(">=", 3) && is("return", 6)) {
        m_at += 7;
        expect(";");
        b.tree().is_block = false;
    } else if (is("<", 3) && is_last(6)) {
        m_at += 6;
        b.tree().is_block = false;
        if (accept("{")) {
            while (!accept("}")) statement();
        }
    }
}

// Whether the statement that begins there is the kernel's last: one in braces, or a simple one.
bool Parser::is_last(std::size_t ahead) const {
    int open = 0;
    for (const bool in_braces = is("{", ahead); token(ahead).kind != TokenKind::end; ++ahead) {
        if (is("{", ahead)) {
            ++open;
            if (!in_braces) return false;
        }
        if (is("}", ahead) && --open <= 0) return open == 0 && is("}", ahead + 1);
        if (!in_braces && is(";", ahead)) return is("}", ahead + 1);
    }
    return false;
}

std::vector<Id> Parser::block() {
    m_scopes.emplace_back();
    auto made = b.inside([&] {
        if (accept("{")) {
            while (!accept("}")) statement();
        } else {
            statement();
        }
    });
    m_scopes.pop_back();
    return made;
}

std::vector<Id> Parser::loop_body() {
    ++m_loops;
    auto made = block();
    --m_loops;
    return made;
}

// Whether no thread comes to the end of a list of a helper.
bool Parser::returns(const std::vector<Id>& list) const {
    if (list.empty()) return false;
    const Stmt& last = b.tree().stmts[list.back()];
    return last.kind == StmtKind::give ||
           (last.kind == StmtKind::branch && returns(last.body) && returns(last.otherwise));
}

void Parser::statement() {
    if (++m_depth > 100) outside("it is nested too deep");
    if (is("for")) {
        for_loop();
    } else if (accept("if")) {
        expect("(");
        Stmt made{.kind = StmtKind::branch, .value = condition(expression())};
        expect(")");
        made.body = block();
        if (accept("else")) made.otherwise = block();
        b.put(std::move(made));
    } else if (accept("while")) {
        expect("(");
        Stmt made{.kind = StmtKind::while_loop, .value = condition(expression())};
        expect(")");
        made.body = loop_body();
        b.put(std::move(made));
    } else if (accept("break")) {
        if (m_loops == 0) outside("there is no loop to leave");
        b.leave(StmtKind::break_loop);
        expect(";");
    } else if (accept("continue")) {
        if (m_loops == 0) outside("there is no loop to go on with");
        b.leave(StmtKind::continue_loop);
        expect(";");
    } else if (accept("return")) {
        if (m_result == Type::none) outside("a kernel returns at its beginning alone");
        b.give(converted(expression(), m_result));
        expect(";");
    } else if (accept("__syncthreads")) {
        expect("(");
        expect(")");
        expect(";");
        if (!is_top_level()) outside("a barrier stands at the top level of a kernel of blocks");
        b.barrier();
    } else if (accept("__shared__")) {
        if (!is_top_level()) outside("shared arrays stand at the top level of a kernel of blocks");
        declaration(true);
    } else if (at_type()) {
        declaration(false);
    } else if (token().text.starts_with("atomic")) {
        atomic();
    } else {
        write();
    }
    --m_depth;
}

void Parser::declaration(bool is_shared) {
    const Type of = type();
    const std::string called = name();
    if (accept("[")) {
        if (!is_integer(of) && !is_float(of)) outside("an array is of numbers, vectors or matrices");
        if (token().type != Type::i32 || token().bits == 0 || token().bits > 1024)
            outside("an array has between 1 and 1024 elements, by a literal");
        const auto count = static_cast<std::uint32_t>(token().bits);
        ++m_at;
        if (count * static_cast<std::uint32_t>(info(of).components) > 4096)
            outside("an array has 4096 numbers at most");
        expect("]");
        expect(";");
        b.declare(declare(called, of, is_shared ? SymbolKind::shared : SymbolKind::array, {count, 0, 0}));
        return;
    }
    if (is_shared) outside("a shared variable is an array");
    expect("=");
    const bool collects = is_top_level() && is_collective_name(token().text);
    if (collects) m_collective = m_at + 1;
    const Id given = expression();
    m_collective = 0;
    if (collects && (!is_collective(b.expr(given).op) || b.type(given) != of))
        outside("a collective is all that a declaration of its type has");
    const Id value = converted(given, of);
    expect(";");
    b.let(declare(called, of, SymbolKind::local), value);
}

void Parser::for_loop() {
    expect("for");
    expect("(");
    Stmt made{.kind = StmtKind::for_loop};
    expect("int");
    const std::string variable = name();
    expect("=");
    made.value = converted(expression(), Type::i32);
    m_scopes.emplace_back();
    made.symbol = declare(variable, Type::i32, SymbolKind::loop);
    expect(";");
    expect(variable);
    const bool rises = accept("<");
    if (!rises) expect(">=");
    made.index = converted(infix(info(Op::lt).precedence - 1), Type::i32);
    expect(";");
    if (accept(rises ? "++" : "--")) {
        expect(variable);
        made.step = 1;
    } else {
        expect(variable);
        if (accept(rises ? "++" : "--")) {
            made.step = 1;
        } else {
            expect(rises ? "+=" : "-=");
            if (token().type != Type::i32 || token().bits == 0) outside("a step is a literal");
            made.step = static_cast<std::int32_t>(token().bits);
            ++m_at;
        }
    }
    if (!rises) made.step = -made.step;
    expect(")");
    made.body = loop_body();
    m_scopes.pop_back();
    b.put(std::move(made));
}

void Parser::atomic() {
    constexpr std::array all{AtomicOp::add,     AtomicOp::min,    AtomicOp::max,
                             AtomicOp::bit_and, AtomicOp::bit_or, AtomicOp::bit_xor};
    const auto op = std::find_if(all.begin(), all.end(), [&](AtomicOp k) { return is(name_of(k)); });
    if (op == all.end()) outside(std::string(token().text) + " is outside of the language");
    ++m_at;
    expect("(");
    expect("&");
    const Id array = lookup(name());
    expect("[");
    const Type of = b.tree().symbols[array].type;
    const SymbolKind kind = b.tree().symbols[array].kind;
    if (!is_written(kind) && kind != SymbolKind::shared)
        outside("an atomic is of an element of an array that is written, or shared");
    if (!is_integer(of) && (*op != AtomicOp::add || (of != Type::f32 && of != Type::f64)))
        outside("there is no " + std::string(name_of(*op)) + " of " + std::string(info(of).spelling));
    const Id index = expression();
    if (!is_integer(b.type(index))) outside("an index is a whole number");
    expect("]");
    expect(",");
    const Id value = converted(expression(), of);
    expect(")");
    expect(";");
    b.atomic(*op, array, index, value);
}

// "x = e;", "x[k] += e;", "++x;"
void Parser::write() {
    const bool before = is("++") || is("--");
    const bool counts_up = is("++");
    if (before) ++m_at;
    const Id symbol = lookup(name());
    const Symbol& target = b.tree().symbols[symbol];
    const Type of = target.type;
    const SymbolKind kind = target.kind;
    Id index = nothing;
    if (is_array(kind)) {
        expect("[");
        index = expression();
        expect("]");
        if (!is_integer(b.type(index))) outside("an index is a whole number");
        if (kind == SymbolKind::input) outside("what is const is not written");
    } else if (kind != SymbolKind::local && kind != SymbolKind::argument) {
        outside("it is not written in the language");
    }
    const auto current = [&] { return index == nothing ? b.symbol(symbol) : b.load(symbol, index); };
    Id value = nothing;
    if (before || is("++") || is("--")) {
        const bool up = before ? counts_up : is("++");
        if (!before) ++m_at;
        const Id now = current();
        value = converted(combine(up ? Op::add : Op::sub, now, b.literal_bits(Type::i32, 1)), of);
    } else if (accept("=")) {
        value = converted(expression(), of);
    } else {
        constexpr std::array<std::pair<std::string_view, Op>, 10> signs{{{"+=", Op::add},
                                                                         {"-=", Op::sub},
                                                                         {"*=", Op::mul},
                                                                         {"/=", Op::div},
                                                                         {"%=", Op::rem},
                                                                         {"&=", Op::bit_and},
                                                                         {"|=", Op::bit_or},
                                                                         {"^=", Op::bit_xor},
                                                                         {"<<=", Op::shl},
                                                                         {">>=", Op::shr}}};
        const auto found =
            std::find_if(signs.begin(), signs.end(), [&](const auto& sign) { return is(sign.first); });
        if (found == signs.end()) outside("'" + std::string(token().text) + "' is outside of the language");
        ++m_at;
        const Id now = current();
        const Id with = expression();
        value = converted(combine(found->second, now, with), of);
    }
    expect(";");
    if (index == nothing)
        b.assign(symbol, value);
    else
        b.store(symbol, index, value);
}

Result<Tree> parse(std::string_view source, std::string_view kernel) {
    const Tokens tokens = tokens_of(source);
    if (!tokens.error.empty()) return fail(ErrorKind::bad_input, tokens.error);
    try {
        return Parser(tokens, kernel).run();
    } catch (const Outside& outside) {
        return fail(ErrorKind::bad_input, "line " + std::to_string(outside.line) + ": " + outside.what);
    }
}

}  // namespace workbench::synth
