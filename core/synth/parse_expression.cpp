// SPDX-License-Identifier: MIT
#include <algorithm>

#include "core/support/counted.h"
#include "core/synth/parser.h"
#include "core/synth/print.h"

namespace workbench::synth {

namespace {

constexpr int deepest = 200;
constexpr std::uint32_t most_levels = 256;  // of a tree
constexpr std::size_t most_nodes = 1U << 16;

struct Deeper {
    int& depth;
    explicit Deeper(int& d) : depth(d) { ++depth; }
    ~Deeper() { --depth; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
};

const std::map<std::string, Op, std::less<>>& infix_signs() {
    static const auto made = [] {
        std::map<std::string, Op, std::less<>> signs;
        for (int k = 0; k < ops; ++k) {
            if (info(static_cast<Op>(k)).form == Form::infix)
                signs.emplace(info(static_cast<Op>(k)).spelling, static_cast<Op>(k));
        }
        return signs;
    }();
    return made;
}

const std::map<std::string, Op, std::less<>>& functions() {
    static const auto made = [] {
        std::map<std::string, Op, std::less<>> known{{"fmin", Op::min}, {"fmax", Op::max}};
        for (int k = 0; k < ops; ++k) {
            const Op op = static_cast<Op>(k);
            if (info(op).form != Form::function || op == Op::make) continue;
            known.emplace(info(op).spelling, op);
            if (!info(op).f32.empty()) known.emplace(info(op).f32, op);
        }
        return known;
    }();
    return made;
}

// C++'s usual conversions, for the language's types.
Type common_type(Type a, Type b) {
    const auto order = [](Type t) { return t == Type::boolean ? Type::i32 : t; };
    a = order(a);
    b = order(b);
    if (a == Type::f64 || b == Type::f64) return Type::f64;
    if (a == Type::f32 || b == Type::f32) return Type::f32;
    return std::max(a, b);  // i32 < u32 < i64 < u64
}

}  // namespace

std::optional<Type> Parser::peek_type(std::size_t& count) const {
    count = 1;
    if (is("long")) {
        if (!is("long", 1)) return std::nullopt;
        count = is("int", 2) ? 3 : 2;
        return Type::i64;
    }
    if (is("unsigned")) {
        if (is("long", 1) && is("long", 2)) {
            count = 3;
            return Type::u64;
        }
        if (is("int", 1)) count = 2;
        return Type::u32;
    }
    for (const Type type : {Type::none, Type::boolean, Type::i32, Type::f32, Type::f64, Type::float2,
                            Type::float3, Type::float4, Type::mat2, Type::mat3, Type::mat4}) {
        if (is(info(type).spelling)) return type;
    }
    return std::nullopt;
}

Type Parser::type() {
    accept("const");
    std::size_t count = 0;
    const auto made = peek_type(count);
    if (!made) outside("'" + std::string(token().text) + "' is not a type of the language");
    m_at += count;
    accept("const");
    return *made;
}

Id Parser::converted(Id value, Type type) {
    const Type from = b.type(value);
    if (from == type) return value;
    if (!is_scalar(from) || !is_scalar(type))
        outside("a " + std::string(info(from).spelling) + " stands where a " +
                std::string(info(type).spelling) + " is asked for");
    if (type == Type::boolean) return condition(value);
    return b.cast(type, value);
}

Id Parser::condition(Id value) {
    const Type type = b.type(value);
    if (type == Type::boolean) return value;
    if (!is_scalar(type)) outside("a condition is not a number");
    return b.binary(Op::ne, value, b.literal(type, 0));
}

Id Parser::combine(Op op, Id left, Id right) {
    Type a = b.type(left), c = b.type(right);
    if (op == Op::logical_and || op == Op::logical_or) {
        const Id first = condition(left);
        return b.binary(op, first, condition(right));
    }
    if (!is_scalar(a) || !is_scalar(c)) {
        const bool scales = op == Op::mul && !is_scalar(a) && is_scalar(c);
        if (op != Op::add && op != Op::sub && op != Op::mul)
            outside("vectors and matrices have no such operation");
        if (is_scalar(a) || (!scales && a != c))
            outside("a vector or matrix stands on the left, and on the right its like or a number");
        return b.binary(op, left, scales ? converted(right, Type::f32) : right);
    }
    if ((op == Op::eq || op == Op::ne) && a == Type::boolean && c == Type::boolean)
        return b.binary(op, left, right);
    if (op == Op::shl || op == Op::shr) {
        if (a == Type::boolean) left = b.cast(Type::i32, left);
        if (is_float(a) || !is_integer(c)) outside("what is shifted, and by how much, are whole numbers");
        return b.binary(op, left, right);
    }
    const Type both = common_type(a, c);
    if (is_float(both) && (op == Op::rem || (op >= Op::bit_and && op <= Op::bit_xor)))
        outside("floats have no such operation");
    const Id first = converted(left, both);
    return b.binary(op, first, converted(right, both));
}

void Parser::limit(Id value) const {
    if (b.depth(value) > most_levels) outside("it is nested too deep");
    if (b.tree().exprs.size() > most_nodes) outside("it is too large");
}

Id Parser::expression() {
    const Deeper deeper(m_depth);
    if (m_depth > deepest) outside("it is nested too deep");
    const Id first = infix(15);
    limit(first);
    if (!accept("?")) return first;
    const Id yes = expression();
    expect(":");
    const Id no = expression();
    const Id test = condition(first);
    if (b.type(yes) == b.type(no)) return b.select(test, yes, no);
    const Type both = common_type(b.type(yes), b.type(no));
    const Id left = converted(yes, both);
    return b.select(test, left, converted(no, both));
}

Id Parser::infix(int loosest) {
    Id left = prefix();
    for (;;) {
        const auto found = infix_signs().find(token().text);
        if (token().kind != TokenKind::sign || found == infix_signs().end()) return left;
        const int precedence = info(found->second).precedence;
        if (precedence > loosest) return left;
        ++m_at;
        const Id right = infix(precedence - 1);
        left = combine(found->second, left, right);
        limit(left);
    }
}

Id Parser::prefix() {
    const Deeper deeper(m_depth);
    if (m_depth > deepest) outside("it is nested too deep");
    if (accept("-")) {
        const bool is_number = token().kind == TokenKind::number;
        const Id value = prefix();
        if (b.type(value) == Type::boolean) outside("a bool has no sign");
        return is_number ? b.unary(Op::neg, value) : b.minus(value);
    }
    if (accept("!")) return b.unary(Op::logical_not, condition(prefix()));
    if (accept("~")) {
        const Id value = prefix();
        if (!is_integer(b.type(value))) outside("~ is of whole numbers");
        return b.unary(Op::bit_not, value);
    }
    if (is("(")) {
        ++m_at;
        std::size_t count = 0;
        const auto to = peek_type(count);
        if (to && is(")", count)) {
            m_at += count + 1;
            if (is_least(*to)) {
                ++m_at;
                return b.literal_bits(*to, *to == Type::i32 ? least_i32 : least_i64);
            }
            const Id value = prefix();
            if (!is_scalar(*to) || !is_scalar(b.type(value))) outside("only numbers are converted");
            return *to == Type::boolean ? condition(value) : b.cast(*to, value);
        }
        --m_at;
    }
    return postfix();
}

// Whether a number follows that literal_text() writes behind the conversion to its type, for the least of it.
bool Parser::is_least(Type type) const {
    const Token& number = token();
    if (number.kind != TokenKind::number || !number.text.starts_with("0x")) return false;
    return (type == Type::i32 && number.type == Type::u32 && number.bits == least_i32) ||
           (type == Type::i64 && number.type == Type::u64 && number.bits == least_i64);
}

Id Parser::postfix() {
    Id value = primary();
    while (is(".")) {
        ++m_at;
        const std::string part = name();
        const std::size_t k = std::string_view("xyzw").find(part);
        if (part.size() != 1 || !is_vector(b.type(value)) || static_cast<int>(k) >= rank(b.type(value)))
            outside("there is no ." + part);
        value = b.component(value, static_cast<int>(k));
    }
    return value;
}

Id Parser::primary() {
    if (token().kind == TokenKind::number) {
        const Token& number = token();
        ++m_at;
        return b.literal_bits(number.type, number.bits);
    }
    if (accept("(")) {
        const Id value = expression();
        expect(")");
        return value;
    }
    if (accept("true")) return b.literal_bits(Type::boolean, 1);
    if (accept("false")) return b.literal_bits(Type::boolean, 0);
    if (is("threadIdx") || is("blockIdx")) {
        const Op op = is("threadIdx") ? Op::thread : Op::block;
        ++m_at;
        expect(".");
        expect("x");
        return b.leaf(op);
    }
    return named(name());
}

Id Parser::named(const std::string& name) {
    if (is("(")) return call(name);
    const Id symbol = lookup(name);
    if (is_array(b.tree().symbols[symbol].kind)) {
        expect("[");
        const Id index = expression();
        expect("]");
        if (!is_integer(b.type(index))) outside("an index is a whole number");
        return b.load(symbol, index);
    }
    return b.symbol(symbol);
}

std::vector<Id> Parser::arguments() {
    std::vector<Id> made;
    expect("(");
    if (!accept(")")) {
        do made.push_back(expression());
        while (accept(","));
        expect(")");
    }
    return made;
}

bool Parser::is_collective_name(std::string_view name) {
    const auto found = functions().find(name);
    return found != functions().end() && is_collective(found->second);
}

Id Parser::call(const std::string& name) {
    const auto count = [&](const std::vector<Id>& args, std::size_t wanted) {
        if (args.size() != wanted) outside(name + " takes " + counted(wanted, "argument"));
    };
    if (const auto helper = m_helpers.find(name); helper != m_helpers.end()) {
        std::vector<Id> args = arguments();
        const std::vector<Id>& parameters = b.tree().helpers[helper->second].parameters;
        count(args, parameters.size());
        for (std::size_t k = 0; k < args.size(); ++k)
            args[k] = converted(args[k], b.tree().symbols[parameters[k]].type);
        return b.call(helper->second, args);
    }
    if (name.starts_with("make_float") && name.size() == 11 && name[10] >= '2' && name[10] <= '4') {
        std::vector<Id> args = arguments();
        count(args, static_cast<std::size_t>(name[10] - '0'));
        for (Id& arg : args) arg = converted(arg, Type::f32);
        return b.make(vector_of(name[10] - '0'), args);
    }
    if (name == "__int_as_float" || name == "__uint_as_float") return literal_of_bits(name, Type::f32);
    if (name == "__longlong_as_double") return literal_of_bits(name, Type::f64);
    const auto found = functions().find(name);
    if (found == functions().end()) outside("the function " + name + " is outside of the language");
    const Op op = found->second;
    if (is_collective(op) && m_at != m_collective)
        outside("collectives stand at the top level of a kernel of blocks, as all of a declaration");
    std::vector<Id> args = arguments();
    if (is_collective(op)) {
        count(args, static_cast<std::size_t>(info(op).arguments) + 1);
        const Expr& mask = b.expr(args[0]);
        if (mask.op != Op::literal || mask.bits != 0xffffffff)
            outside("collectives have the full mask 0xffffffffu");
        args.erase(args.begin());
        const bool votes = op >= Op::vote_any;
        if (votes) args[0] = condition(args[0]);
        if (!votes && !is_integer(b.type(args[0])) && b.type(args[0]) != Type::f32 &&
            b.type(args[0]) != Type::f64)
            outside("a shuffle is of numbers");
        if (!votes && (b.expr(args[1]).op != Op::literal || literal_value(b.expr(args[1])) < 0 ||
                       literal_value(b.expr(args[1])) > 31))
            outside("a shuffle's distance is a literal below 32");
        return b.function(op, args);
    }
    count(args, static_cast<std::size_t>(info(op).arguments));
    const Type given = b.type(args[0]);
    if (op >= Op::dot && op <= Op::outer) {
        const bool of_matrix =
            op == Op::matvec || op == Op::matmat || op == Op::transpose || op == Op::determinant;
        bool fits = of_matrix ? is_matrix(given) : is_vector(given);
        if (args.size() > 1)
            fits = fits && b.type(args[1]) == (op == Op::matvec ? vector_of(rank(given)) : given);
        if (op == Op::cross) fits = fits && given == Type::float3;
        if (!fits) outside(name + " is not of these types");
        return b.function(op, args);
    }
    if (!std::all_of(args.begin(), args.end(), [&](Id arg) { return is_scalar(b.type(arg)); }))
        outside(name + " takes numbers");
    Type type = given;
    for (const Id arg : args) type = common_type(type, b.type(arg));
    const bool is_overloaded = name == "min" || name == "max";
    if (is_overloaded && b.type(args[0]) != b.type(args[1])) outside(name + " is of two numbers of one type");
    // A whole number counts as a double, as in C++.
    if (!is_overloaded && name != info(op).f32 &&
        !std::all_of(args.begin(), args.end(), [&](Id arg) { return is_float(b.type(arg)); }))
        type = Type::f64;
    if (name == info(op).f32) type = Type::f32;
    for (Id& arg : args) arg = converted(arg, type);
    return b.function(op, args);
}

// "__uint_as_float(0x7f800000u)": a float by its bits, a number.
Id Parser::literal_of_bits(const std::string& name, Type type) {
    expect("(");
    const Token number = token();
    const bool fits = number.kind == TokenKind::number && is_integer(number.type) &&
                      (type == Type::f64 || number.bits <= 0xffffffff);
    if (!fits) outside(name + " takes the bits of a number, as a number");
    ++m_at;
    expect(")");
    return b.literal_bits(type, number.bits);
}

Id Parser::lookup(const std::string& name) const {
    for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope) {
        if (const auto found = scope->find(name); found != scope->end()) return found->second;
    }
    throw Outside{token().line, "'" + name + "' is not known, or outside of the language"};
}

Id Parser::declare(const std::string& name, Type type, SymbolKind kind, Extent extent) {
    for (const std::string_view taken :
         {"thread", "block", "lane", "at_", "given_", "made_", "threadIdx", "blockIdx"}) {
        if (name == taken) outside("the name " + name + " is taken in the host's source");
    }
    const Id id = b.add_symbol(name, type, kind, extent);
    if (!m_scopes.back().emplace(name, id).second) outside("there is a " + name + " already");
    return id;
}

}  // namespace workbench::synth
