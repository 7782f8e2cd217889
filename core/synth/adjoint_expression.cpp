// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "core/synth/adjoint_maker.h"

namespace workbench::synth {

Id AdjointMaker::copy(Id id, const std::vector<Id>& symbols, const std::vector<Id>* arguments) {
    const Expr& e = f.exprs[id];
    std::vector<Id> args;
    for (std::size_t k = 0; k < e.count; ++k) args.push_back(copy(e.args[k], symbols, arguments));
    switch (e.op) {
        case Op::literal:
            return b.literal_bits(e.type, e.bits);
        case Op::symbol:
            if (f.symbols[e.symbol].kind == SymbolKind::argument) {
                // In the helper that is written in place of its call.
                for (const Function& helper : f.helpers) {
                    for (std::size_t k = 0; k < helper.parameters.size(); ++k) {
                        if (helper.parameters[k] == e.symbol) return (*arguments)[k];
                    }
                }
            }
            return b.symbol(symbols[e.symbol]);
        case Op::load:
            return b.load(symbols[e.symbol], args[0]);
        case Op::component:
            return b.component(args[0], static_cast<int>(e.symbol));
        case Op::neg:
        case Op::bit_not:
        case Op::logical_not:
            return b.unary(e.op, args[0]);
        case Op::select:
            return b.select(args[0], args[1], args[2]);
        case Op::cast:
            return b.cast(e.type, args[0]);
        case Op::make:
            return b.make(e.type, args);
        case Op::call:
            return inlined(e, symbols, &args);
        default:
            if (info(e.op).form == Form::infix) return b.binary(e.op, args[0], args[1]);
            return b.function(e.op, args);
    }
}

// "if (c) return a; return b;" as c ? a : b.
Id AdjointMaker::inlined(const Expr& call, const std::vector<Id>& symbols, const std::vector<Id>* arguments) {
    const Function& helper = f.helpers[call.symbol];
    Id made = nothing;
    for (auto at = helper.body.rbegin(); at != helper.body.rend(); ++at) {
        const Stmt& s = f.stmts[*at];
        if (s.kind == StmtKind::give) {
            made = copy(s.value, symbols, arguments);
        } else {
            const Id test = copy(s.value, symbols, arguments);
            const Id given = copy(f.stmts[s.body[0]].value, symbols, arguments);
            made = b.select(test, given, made);
        }
    }
    // Calls in calls share what they are given, but are gone through, and printed, as often as it is read.
    for (std::size_t id = m_sizes.size(); id < b.tree().exprs.size(); ++id) {
        const Expr& e = b.tree().exprs[id];
        std::uint64_t size = 1;
        for (std::size_t k = 0; k < e.count; ++k) size = std::min(most_nodes + 1, size + m_sizes[e.args[k]]);
        m_sizes.push_back(size);
    }
    if (m_sizes[made] <= most_nodes) return made;
    m_is_too_large = true;
    return zero(helper.result);
}

// Of the forward tree: whether a float that can change is in it.
bool AdjointMaker::is_active(Id id) const {
    const Expr& e = f.exprs[id];
    if (!is_float(e.type)) return false;
    if (e.op == Op::symbol || e.op == Op::load) return true;
    for (std::size_t k = 0; k < e.count; ++k) {
        if (is_active(e.args[k])) return true;
    }
    return false;
}

Id AdjointMaker::named(Id value) {
    const Op op = b.expr(value).op;
    if (op == Op::symbol || op == Op::literal) return value;
    const Id made = b.let(fresh("g"), value);
    m_adjoint.resize(b.tree().symbols.size(), nothing);
    return b.symbol(made);
}

void AdjointMaker::propagate_to_load(const Expr& e, Id g) {
    const Id array = m_adjoint[e.symbol];
    if (array == nothing) return;
    if (is_own(e.symbol))
        b.store(array, e.args[0], b.binary(Op::add, b.load(array, e.args[0]), g));
    else
        b.atomic(AtomicOp::add, array, e.args[0], g);
}

// Of a divisor: whether it is above zero whatever the numbers are.
bool AdjointMaker::is_above_zero(Id id) const {
    const Expr& e = b.expr(id);
    if (e.op == Op::literal) return literal_value(e) > 0;
    if (e.op != Op::symbol) return false;
    const SymbolKind kind = b.tree().symbols[e.symbol].kind;
    return kind == SymbolKind::n || kind == SymbolKind::m;
}

// Whether the condition before it may be what keeps an index in bounds or a divisor from being zero, anywhere
// in it: i, and what is taken modulo something, are in bounds by themselves.
bool AdjointMaker::needs_guard(Id id) const {
    const Expr& e = b.expr(id);
    if (e.op == Op::load) {
        const Expr& index = b.expr(e.args[0]);
        const bool is_thread =
            index.op == Op::symbol && b.tree().symbols[index.symbol].kind == SymbolKind::index;
        if (!is_thread && index.op != Op::rem) return true;
    }
    if ((e.op == Op::div || e.op == Op::rem) && is_integer(e.type) && !is_above_zero(e.args[1])) return true;
    return std::any_of(e.args.begin(), e.args.begin() + e.count, [&](Id arg) { return needs_guard(arg); });
}

void AdjointMaker::propagate(Id id, Id seed) {
    const Expr e = b.expr(id);
    if (!is_float(e.type) || e.op == Op::literal) return;
    if (e.op == Op::symbol) {
        const Id adjoint = m_adjoint[e.symbol];
        if (adjoint != nothing) b.assign(adjoint, b.binary(Op::add, b.symbol(adjoint), seed));
        return;
    }
    const Id g = named(seed);
    if (e.op == Op::load) return propagate_to_load(e, g);
    bool vectors = !is_scalar(e.type);
    for (std::size_t k = 0; k < e.count; ++k) vectors = vectors || !is_scalar(b.type(e.args[k]));
    if (e.op == Op::select && (needs_guard(e.args[1]) || needs_guard(e.args[2]))) {
        b.branch(
            e.args[0], [&] { propagate(e.args[1], g); }, [&] { propagate(e.args[2], g); });
    } else if (e.op == Op::select) {
        const Id nought = zero(e.type);
        propagate(e.args[1], b.select(e.args[0], g, nought));
        propagate(e.args[2], b.select(e.args[0], nought, g));
    } else if (vectors) {
        propagate_vector(e, g);
    } else {
        propagate_scalar(e, g);
    }
}

void AdjointMaker::propagate_scalar(const Expr& e, Id g) {
    const Type type = e.type;
    const Id x = e.args[0], y = e.count > 1 ? e.args[1] : nothing;
    const auto l = [&](double v) { return number(type, v); };
    const auto over = [&](Id a, Id c) { return b.binary(Op::div, a, c); };
    const auto call = [&](Op op, Id a) { return b.function(op, {a}); };
    const auto plus = [&](Id a, Id c) { return b.binary(Op::add, a, c); };
    switch (e.op) {
        case Op::neg:
            return propagate(x, b.unary(Op::neg, g));
        case Op::add:
            propagate(x, g);
            return propagate(y, g);
        case Op::sub:
            propagate(x, g);
            return propagate(y, b.unary(Op::neg, g));
        case Op::mul:
            propagate(x, times(g, y));
            return propagate(y, times(g, x));
        case Op::div:
            propagate(x, over(g, y));
            return propagate(y, b.unary(Op::neg, over(times(g, x), times(y, y))));
        case Op::fma:
            propagate(x, times(g, y));
            propagate(y, times(g, x));
            return propagate(e.args[2], g);
        case Op::min:
        case Op::max: {
            const Id first = b.binary(e.op == Op::min ? Op::lt : Op::gt, x, y);
            propagate(x, b.select(first, g, l(0)));
            return propagate(y, b.select(first, l(0), g));
        }
        case Op::abs:
            return propagate(x, b.select(b.binary(Op::lt, x, l(0)), b.unary(Op::neg, g), g));
        case Op::cast:
            return is_float(b.type(x)) ? propagate(x, b.cast(b.type(x), g)) : void();
        case Op::sin:
            return propagate(x, times(g, call(Op::cos, x)));
        case Op::cos:
            return propagate(x, b.unary(Op::neg, times(g, call(Op::sin, x))));
        case Op::tan: {
            const Id t = named(call(Op::tan, x));
            return propagate(x, times(g, plus(l(1), times(t, t))));
        }
        case Op::exp:
            return propagate(x, times(g, call(Op::exp, x)));
        case Op::exp2:
            return propagate(x, times(times(g, call(Op::exp2, x)), l(std::log(2.0))));
        case Op::log:
            return propagate(x, over(g, x));
        case Op::log2:
            return propagate(x, over(g, times(x, l(std::log(2.0)))));
        case Op::log1p:
            return propagate(x, over(g, plus(l(1), x)));
        case Op::tanh: {
            const Id t = named(call(Op::tanh, x));
            return propagate(x, times(g, b.binary(Op::sub, l(1), times(t, t))));
        }
        case Op::sqrt:
            return propagate(x, over(g, times(l(2), call(Op::sqrt, x))));
        case Op::rsqrt: {
            const Id r = named(call(Op::rsqrt, x));
            return propagate(x, times(times(g, l(-0.5)), times(r, times(r, r))));
        }
        case Op::cbrt: {
            const Id r = named(call(Op::cbrt, x));
            return propagate(x, over(g, times(l(3), times(r, r))));
        }
        case Op::pow: {
            const Id lower = b.function(Op::pow, {x, b.binary(Op::sub, y, l(1))});
            propagate(x, times(g, times(y, lower)));
            return propagate(y, times(g, times(b.function(Op::pow, {x, y}), call(Op::log, x))));
        }
        case Op::atan2: {
            const Id square = named(plus(times(x, x), times(y, y)));
            propagate(x, over(times(g, y), square));
            return propagate(y, b.unary(Op::neg, over(times(g, x), square)));
        }
        case Op::erf:
            return propagate(x, times(times(g, l(2 / std::sqrt(std::acos(-1.0)))),
                                      call(Op::exp, b.unary(Op::neg, times(x, x)))));
        case Op::hypot: {
            const Id r = named(b.function(Op::hypot, {x, y}));
            propagate(x, over(times(g, x), r));
            return propagate(y, over(times(g, y), r));
        }
        case Op::fmod:
            propagate(x, g);
            return propagate(y, b.unary(Op::neg, times(g, call(Op::trunc, over(x, y)))));
        default:
            return;  // floor, ceil and trunc are flat
    }
}

// A vector of zeros but for one component.
Id AdjointMaker::unit(Type vector, int k, Id value) {
    std::vector<Id> parts;
    for (int c = 0; c < rank(vector); ++c) parts.push_back(c == k ? value : number(Type::f32, 0));
    return b.make(vector, parts);
}

Id AdjointMaker::entry(Id matrix, int row, int column) {
    const Type vector = vector_of(rank(b.type(matrix)));
    return b.component(b.function(Op::matvec, {matrix, unit(vector, column, number(Type::f32, 1))}), row);
}

// The sum of the products of two matrices' elements, or of two vectors'.
Id AdjointMaker::frobenius(Id a, Id c) {
    const Type type = b.type(a);
    if (is_vector(type)) return b.function(Op::dot, {a, c});
    Id made = nothing;
    for (int k = 0; k < rank(type); ++k) {
        const Id e = unit(vector_of(rank(type)), k, number(Type::f32, 1));
        const Id column =
            b.function(Op::dot, {b.function(Op::matvec, {a, e}), b.function(Op::matvec, {c, e})});
        made = made == nothing ? column : b.binary(Op::add, made, column);
    }
    return made;
}

void AdjointMaker::propagate_vector(const Expr& e, Id g) {
    const Id x = e.args[0], y = e.count > 1 ? e.args[1] : nothing;
    const auto call = [&](Op op, Id a, Id c = nothing) {
        return c == nothing ? b.function(op, {a}) : b.function(op, {a, c});
    };
    const auto sub = [&](Id a, Id c) { return b.binary(Op::sub, a, c); };
    switch (e.op) {
        case Op::component:
            return propagate(x, unit(b.type(x), static_cast<int>(e.symbol), g));
        case Op::make:
            for (std::size_t k = 0; k < e.count; ++k)
                propagate(e.args[k], b.component(g, static_cast<int>(k)));
            return;
        case Op::neg:
            return propagate(x, b.unary(Op::neg, g));
        case Op::add:
            propagate(x, g);
            return propagate(y, g);
        case Op::sub:
            propagate(x, g);
            return propagate(y, b.unary(Op::neg, g));
        case Op::mul:
            propagate(x, times(g, y));
            return propagate(y, is_scalar(b.type(y)) ? frobenius(g, x) : times(g, x));
        case Op::dot:
            propagate(x, times(y, g));
            return propagate(y, times(x, g));
        case Op::cross:
            propagate(x, call(Op::cross, y, g));
            return propagate(y, call(Op::cross, g, x));
        case Op::length:
            return propagate(x, times(x, b.binary(Op::div, g, call(Op::length, x))));
        case Op::normalize: {
            const Id unit_x = named(call(Op::normalize, x));
            const Id across = sub(g, times(unit_x, call(Op::dot, g, unit_x)));
            return propagate(x, times(across, b.binary(Op::div, number(Type::f32, 1), call(Op::length, x))));
        }
        case Op::matvec:
            propagate(x, call(Op::outer, g, y));
            return propagate(y, call(Op::matvec, call(Op::transpose, x), g));
        case Op::matmat:
            propagate(x, call(Op::matmat, g, call(Op::transpose, y)));
            return propagate(y, call(Op::matmat, call(Op::transpose, x), g));
        case Op::transpose:
            return propagate(x, call(Op::transpose, g));
        case Op::outer:
            propagate(x, call(Op::matvec, g, y));
            return propagate(y, call(Op::matvec, call(Op::transpose, g), x));
        case Op::determinant: {
            // The cofactors, row by row.
            const Type vector = vector_of(rank(b.type(x)));
            Id made = nothing;
            for (int k = 0; k < rank(vector); ++k) {
                Id row = nothing;
                if (vector == Type::float2) {
                    const Id one = entry(x, 1 - k, 1), other = b.unary(Op::neg, entry(x, 1 - k, 0));
                    const Id parts[2] = {k == 0 ? one : b.unary(Op::neg, one),
                                         k == 0 ? other : entry(x, 1 - k, 0)};
                    row = b.make(vector, parts);
                } else {
                    const Id turned = call(Op::transpose, x);
                    const auto row_of = [&](int r) {
                        return call(Op::matvec, turned, unit(vector, r, number(Type::f32, 1)));
                    };
                    row = call(Op::cross, row_of((k + 1) % 3), row_of((k + 2) % 3));
                }
                const Id part = call(Op::outer, unit(vector, k, g), row);
                made = made == nothing ? part : b.binary(Op::add, made, part);
            }
            return propagate(x, made);
        }
        default:
            return;
    }
}

}  // namespace workbench::synth
