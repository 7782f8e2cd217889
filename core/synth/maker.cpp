// SPDX-License-Identifier: MIT
#include "core/synth/maker.h"

#include <algorithm>
#include <cmath>

#include "core/synth/canonical.h"

namespace workbench::synth {

namespace {

constexpr std::array<std::string_view, categories> names{
    "arithmetic",   "math",   "array",  "control_flow", "combined",
    "vector",       "matrix", "atomic", "nested_loop",  "multi_conditional",
    "scalar_param", "block",  "iir",    "pool"};

// Marks the symbols that expressions of the statements read, and variables that are written again.
void mark_used(const Tree& tree, const std::vector<Id>& list, std::vector<bool>& used) {
    const auto mark = [&](auto self, Id id) -> void {
        if (id == nothing) return;
        const Expr& e = tree.exprs[id];
        if (e.op == Op::symbol || e.op == Op::load) used[e.symbol] = true;
        for (std::size_t k = 0; k < e.count; ++k) self(self, e.args[k]);
    };
    for (const Id id : list) {
        const Stmt& s = tree.stmts[id];
        mark(mark, s.value);
        mark(mark, s.index);
        if (s.kind == StmtKind::assign) used[s.symbol] = true;
        mark_used(tree, s.body, used);
        mark_used(tree, s.otherwise, used);
    }
}

bool drop_unused(Tree& tree, std::vector<Id>& list, const std::vector<bool>& used) {
    const auto is_unused = [&](Id id) {
        return tree.stmts[id].kind == StmtKind::let && !used[tree.stmts[id].symbol];
    };
    bool any = std::erase_if(list, is_unused) > 0;
    for (const Id id : list) {
        any = drop_unused(tree, tree.stmts[id].body, used) || any;
        any = drop_unused(tree, tree.stmts[id].otherwise, used) || any;
    }
    return any;
}

}  // namespace

std::string_view name_of(Category category) {
    return names[static_cast<std::size_t>(category)];
}
std::optional<Category> category_from_name(std::string_view name) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) return std::nullopt;
    return static_cast<Category>(at - names.begin());
}

Candidate generate(Category category, std::uint64_t seed, std::uint64_t number) {
    // Not by the version: what a new one leaves alone stays as it was.
    Draw mixed(seed * 0x2545f4914f6cdd1dU + 1);
    Draw own(mixed.next() ^ (number * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(category)));
    return Maker(category, own.next()).run();
}

Candidate Maker::run() {
    constexpr std::array<void (Maker::*)(), categories> makers{
        &Maker::arithmetic,   &Maker::math,   &Maker::array,  &Maker::control_flow, &Maker::combined,
        &Maker::vector,       &Maker::matrix, &Maker::atomic, &Maker::nested_loop,  &Maker::multi_conditional,
        &Maker::scalar_param, &Maker::block,  &Maker::iir,    &Maker::pool};
    (this->*makers[static_cast<std::size_t>(m_category)])();
    // Values that were drawn and then not asked for.
    for (bool any = true; any;) {
        std::vector<bool> used(b.tree().symbols.size(), false);
        mark_used(b.tree(), b.list(), used);
        any = drop_unused(b.tree(), b.list(), used);
    }
    Candidate made{.category = m_category, .tree = b.take()};
    made.canonical = canonical_hash(made.tree);
    made.skeleton = skeleton_hash(made.tree);
    const std::string ending = "_" + made.canonical.substr(0, 8);
    made.tree.kernel.name = m_words + ending;
    for (Function& helper : made.tree.helpers) helper.name += ending;
    for (std::string& op : ops_of(made.tree)) m_ops.insert(std::move(op));
    made.ops.assign(m_ops.begin(), m_ops.end());
    return made;
}

// ---- Names and parameters

std::string Maker::fresh_name(const std::string& name) {
    std::string made = name;
    for (int k = 2; !m_names.insert(made).second; ++k) made = name + std::to_string(k);
    return made;
}

std::string Maker::name(std::initializer_list<std::string_view> candidates) {
    for (int k = 0; k < 4; ++k) {
        const std::string made(m_draw.of(candidates));
        if (m_names.insert(made).second) return made;
    }
    return fresh_name(std::string(m_draw.of(candidates)));
}

Id Maker::input(Type type, Extent extent) {
    const Id id = b.parameter(name({"x", "y", "a", "b", "u", "v", "w", "input", "values", "samples", "data",
                                    "left", "right", "source", "p", "q", "signal", "weights"}),
                              type, SymbolKind::input, extent);
    if (extent == Extent{1, 1, 0}) m_inputs.push_back(id);
    return id;
}
Id Maker::output(Type type, Extent extent) {
    return b.parameter(name({"out", "result", "output", "z", "target", "dst", "r"}), type, SymbolKind::output,
                       extent);
}
Id Maker::scalar(Type type) {
    const Id id = is_float(type)
                      ? b.parameter(name({"alpha", "beta", "gamma", "scale", "offset", "bias", "threshold",
                                          "gain", "rate", "dt", "weight", "shift"}),
                                    type, SymbolKind::scalar)
                      : b.parameter(name({"count", "limit", "key", "step", "mask", "level", "order"}), type,
                                    SymbolKind::scalar);
    m_scalars.push_back(id);
    return id;
}
void Maker::extents() {
    m_n = b.parameter("n", Type::i32, SymbolKind::n);
    m_m = b.parameter("m", Type::i32, SymbolKind::m);
    m_i = b.add_symbol("i", Type::i32, SymbolKind::index);
}

Type Maker::element_type() {
    const int k = m_draw.below(100);
    if (k < 70) return Type::f32;
    if (k < 85) return Type::f64;
    return m_draw.of({Type::i32, Type::i32, Type::u32, Type::i64, Type::u64});
}

// ---- Values

Id Maker::constant(Type type) {
    if (is_float(type)) {
        const double digits = m_draw.of({1.0, 2.0, 4.0, 10.0, 100.0});
        const double value = m_draw.between(1, static_cast<int>(std::min(3 * digits, 250.0))) / digits;
        return b.literal(type, m_draw.chance(25) ? -value : value);
    }
    const int value = m_draw.chance(70) ? m_draw.between(1, 16) : m_draw.between(17, 4096);
    return b.literal(type, is_signed(type) && m_draw.chance(25) ? -value : value);
}

Id Maker::element_index() {
    if (!m_neighbours || m_draw.chance(85)) return i();
    return b.binary({Op::rem, b.binary({Op::add, i(), whole(m_draw.between(1, 5))}), n()});
}

Id Maker::leaf(Type type) {
    std::vector<int> kinds;
    std::vector<Id> locals, arrays, scalars;
    const auto of_type = [&](const std::vector<Id>& from, std::vector<Id>& to) {
        for (const Id id : from) {
            if (b.tree().symbols[id].type == type) to.push_back(id);
        }
    };
    of_type(m_values, locals);
    of_type(m_inputs, arrays);
    of_type(m_scalars, scalars);
    const int k = m_draw.below(100);
    if (!locals.empty() && k < 45) return read(m_draw.of(locals));
    if (!arrays.empty() && k < (locals.empty() ? 65 : 72))
        return b.load({m_draw.of(arrays), element_index()});
    if (!scalars.empty() && k < 86) return read(m_draw.of(scalars));
    if (k < 40 || (locals.empty() && arrays.empty())) {
        if (!arrays.empty()) return b.load({m_draw.of(arrays), element_index()});
        if (!locals.empty()) return read(m_draw.of(locals));
    }
    return constant(type);
}

Id Maker::variable(Type type) {
    for (int k = 0; k < 6; ++k) {
        const Id made = leaf(type);
        if (b.expr(made).op != Op::literal) return made;
    }
    return leaf(type);
}

// ---- Expressions

Id Maker::combine(const Builder::Infix& e) {
    const auto [op, left, right] = varied(e);
    const Type type = b.type(left);
    if (!is_signed(type)) return b.binary({op, left, right});
    const Type u = type == Type::i32 ? Type::u32 : Type::u64;
    return b.cast(type, b.binary({op, b.cast(u, left), b.cast(u, right)}));
}

Id Maker::away_from_zero(const Offset& of) {
    const auto [value, by] = of;
    return b.binary({Op::add, absolute(value), b.literal(b.type(value), by)});
}

Id Maker::quotient(const Pair& of) {
    const Builder::Infix operands = varied({Op::div, of.left, of.right});
    const Id left = operands.left, right = operands.right;
    const Type type = b.type(left);
    if (is_float(type)) {
        if (m_category == Category::control_flow || m_draw.chance(30))
            return b.binary({Op::div, left, constant(type)});
        return b.binary({Op::div, left, away_from_zero({right, m_draw.of({0.5, 1.0, 2.0})})});
    }
    const Op op = m_draw.chance(60) ? Op::div : Op::rem;
    if (m_draw.chance(40)) return b.binary({op, left, b.literal(type, m_draw.between(2, 31))});
    const Id safe =
        b.binary({Op::add, b.binary({Op::bit_and, right, b.literal(type, 7)}), b.literal(type, 1)});
    return b.binary({op, left, safe});
}

Id Maker::clamp(const Limits& of) {
    const auto [value, low, high] = of;
    op("clamp");
    return b.function({Op::max, {b.function({Op::min, {value, high}}), low}});
}

// NaN becomes the upper limit.
Id Maker::to_integer(Id value, double low, double high) {
    const Type type = b.type(value);
    return b.cast(
        Type::i32,
        b.function({Op::max, {b.function({Op::min, {value, b.literal(type, high)}}), b.literal(type, low)}}));
}

Id Maker::integer_binary(Op op, Id left, Id right) {
    const Type type = b.type(left);
    if (op == Op::shl || op == Op::shr) {
        const int most = info(type).bytes == 4 ? 31 : 63;
        const Id count = m_draw.chance(60) ? b.literal(type, m_draw.between(1, 12))
                                           : b.binary({Op::bit_and, right, b.literal(type, most)});
        if (op == Op::shl && is_signed(type)) {
            const Type u = type == Type::i32 ? Type::u32 : Type::u64;
            return b.cast(type, b.binary({op, b.cast(u, left), count}));
        }
        return b.binary({op, left, count});
    }
    return b.binary({op, left, right});
}

Id Maker::plain(Type type, int depth) {
    if (depth <= 0) return leaf(type);
    const auto next = [&] { return plain(type, depth - 1 - m_draw.below(2)); };
    const int k = m_draw.below(100);
    if (!is_float(type)) {
        if (k < 55) return combine({m_draw.of({Op::add, Op::sub, Op::mul}), next(), next()});
        if (k < 65) return quotient({next(), next()});
        if (k < 78) return b.function({m_draw.of({Op::min, Op::max}), {varied(next()), next()}});
        // One after the other, the last first: the order of a call's arguments is the compiler's.
        const Id right = next(), left = next();
        return integer_binary(m_draw.of({Op::bit_and, Op::bit_or, Op::bit_xor, Op::shl, Op::shr}), left,
                              right);
    }
    if (k < 60)
        return b.binary(varied({m_draw.of({Op::add, Op::sub, Op::mul, Op::mul, Op::add}), next(), next()}));
    if (k < 70) return quotient({next(), next()});
    if (k < 80) return b.function({m_draw.of({Op::min, Op::max}), {varied(next()), next()}});
    // Of control flow a magnitude would be a function.
    if (k < (m_category == Category::control_flow ? 92 : 86)) return b.unary(Op::neg, varied(next()));
    if (k < 92) return absolute(next());
    return b.function({Op::fma, {varied(next()), next(), next()}});
}

Id Maker::function_of(Type type, int depth) {
    const auto next = [&] { return varied(with_functions(type, depth - 1 - m_draw.below(2))); };
    const auto l = [&](double v) { return b.literal(type, v); };
    const Op op = m_draw.of({Op::sin,   Op::cos,   Op::tan,   Op::exp,   Op::exp2,  Op::log, Op::log2,
                             Op::log1p, Op::tanh,  Op::sqrt,  Op::rsqrt, Op::cbrt,  Op::pow, Op::atan2,
                             Op::erf,   Op::hypot, Op::floor, Op::ceil,  Op::trunc, Op::abs, Op::fmod,
                             Op::sin,   Op::cos,   Op::exp,   Op::tanh,  Op::sqrt,  Op::log});
    switch (op) {
        case Op::tan:
            return b.function({op, {b.binary({Op::mul, variable(type), l(m_draw.of({0.25, 0.125, 0.3}))})}});
        case Op::exp:
        case Op::exp2:
            if (m_draw.chance(40)) return b.function({op, {b.unary(Op::neg, absolute(next()))}});
            return b.function({op, {b.function({Op::min, {next(), l(m_draw.between(1, 6))}})}});
        case Op::log:
        case Op::log2:
        case Op::rsqrt:
            return b.function({op, {away_from_zero({next(), m_draw.of({0.25, 0.5, 1.0})})}});
        case Op::log1p:
        case Op::sqrt:
            return b.function({op, {absolute(next())}});
        case Op::cbrt:
            return b.function({op, {variable(type)}});
        case Op::pow:
            return b.function({op,
                               {away_from_zero({variable(type), 0.5}),
                                m_draw.chance(50) ? constant(type) : variable(type)}});
        case Op::atan2:
            return b.function({op, {next(), away_from_zero({next(), 0.5})}});
        case Op::hypot:
            return b.function({op, {next(), next()}});
        case Op::floor:
        case Op::ceil:
        case Op::trunc:
            return b.function({op, {b.binary({Op::mul, variable(type), l(m_draw.between(1, 5))})}});
        case Op::fmod:
            return b.function({op, {variable(type), away_from_zero({variable(type), 1.0})}});
        default:
            return b.function({op, {next()}});
    }
}

Id Maker::with_functions(Type type, int depth) {
    if (depth <= 0) return leaf(type);
    if (m_draw.chance(55)) return function_of(type, depth);
    const auto next = [&] { return with_functions(type, depth - 1 - m_draw.below(2)); };
    const int k = m_draw.below(10);
    if (k < 7) return b.binary(varied({m_draw.of({Op::add, Op::sub, Op::mul}), next(), next()}));
    if (k < 8) return quotient({next(), next()});
    if (k < 9) return b.function({m_draw.of({Op::min, Op::max}), {next(), next()}});
    return b.function({Op::fma, {next(), next(), next()}});
}

Id Maker::condition(Type type, int depth) {
    const auto compared = [&] {
        const Op op = m_draw.of({Op::lt, Op::le, Op::gt, Op::ge});
        if (m_draw.chance(12))
            return b.binary({m_draw.of({Op::eq, Op::ne}),
                             b.binary({Op::rem, i(), whole(m_draw.between(2, 5))}), whole(0)});
        if (!is_float(type) && m_draw.chance(25))
            return b.binary({m_draw.of({Op::eq, Op::ne}),
                             b.binary({Op::bit_and, leaf(type), b.literal(type, m_draw.of({1, 2, 3, 4}))}),
                             b.literal(type, 0)});
        return b.binary(
            {op, varied(plain(type, depth - 1)), m_draw.chance(60) ? constant(type) : leaf(type)});
    };
    const int k = m_draw.below(10);
    if (k < 7) return compared();
    if (k < 9) return b.binary({m_draw.of({Op::logical_and, Op::logical_or}), compared(), compared()});
    return b.unary(Op::logical_not, compared());
}

// A helper of two numbers, or one that calls itself a few times.
Id Maker::helper(Type type) {
    const bool recursive = m_draw.chance(30);
    Function made{recursive
                      ? std::string(m_draw.of({"unfold", "repeat", "descend"}))
                      : std::string(m_draw.of({"blend", "response", "transfer", "kernel_value", "penalty"})),
                  type,
                  {},
                  {}};
    made.name = fresh_name(made.name);
    const auto id = static_cast<Id>(b.tree().helpers.size());
    const Id x = b.add_symbol("x_", type, SymbolKind::argument),
             y = b.add_symbol("y_", type, SymbolKind::argument);
    made.parameters = {x, y};
    Id depth = nothing;
    if (recursive) {
        depth = b.add_symbol("depth", Type::i32, SymbolKind::argument);
        made.parameters.push_back(depth);
    }
    b.tree().helpers.push_back(made);
    // Only its arguments are in scope.
    const auto inputs = std::exchange(m_inputs, {}), scalars = std::exchange(m_scalars, {}),
               values = std::exchange(m_values, {x, y});
    const auto body = b.inside([&] {
        if (recursive) {
            op("recursion");
            b.branch(b.binary({Op::le, read(depth), whole(0)}), [&] { b.give(plain(type, 1)); });
            const Id args[3] = {b.binary({Op::mul, read(x), b.literal(type, m_draw.of({0.5, 0.25, 0.75}))}),
                                m_draw.chance(50) ? read(y) : b.binary({Op::add, read(y), read(x)}),
                                b.binary({Op::sub, read(depth), whole(1)})};
            b.give(b.binary({m_draw.of({Op::add, Op::sub}), plain(type, 1), b.call(id, args)}));
        } else {
            if (m_draw.chance(40))
                b.branch(b.binary({Op::gt, read(x), constant(type)}), [&] { b.give(plain(type, 2)); });
            b.give(m_draw.chance(50) ? with_functions(type, 2) : plain(type, 2));
        }
    });
    b.tree().helpers[id].body = body;
    m_inputs = inputs;
    m_scalars = scalars;
    m_values = values;
    op("helper");
    return id;
}

Id Maker::call_helper(Id helper, Type type) {
    std::vector<Id> args{plain(type, 1), plain(type, 1)};
    if (b.tree().helpers[helper].parameters.size() == 3) args.push_back(whole(m_draw.between(2, 6)));
    return b.call(helper, args);
}

}  // namespace workbench::synth
