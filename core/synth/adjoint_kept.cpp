// SPDX-License-Identifier: MIT
// What the forward sweep keeps for the reverse sweep: in locals, in arrays, and on the tape, whose size
// follows from how often loops run.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/synth/adjoint_maker.h"

namespace workbench::synth {

namespace {

// Returns whether a symbol stands in an expression.
bool has_symbol(const Tree& tree, Id expr, Id symbol) {
    const Expr& e = tree.exprs[expr];
    return (e.op == Op::symbol && e.symbol == symbol) ||
           std::any_of(e.args.begin(), e.args.begin() + e.count,
                       [&](Id argument) { return has_symbol(tree, argument, symbol); });
}

}  // namespace

// Whether an expression is below m, or m itself: m, m - LITERAL, the variable of a loop that ends there, and
// that + 1.
bool AdjointMaker::is_below_m(Id id) const {
    const Expr& e = f.exprs[id];
    const auto is_one_up = [&](Id literal) {
        return f.exprs[literal].op == Op::literal && literal_value(f.exprs[literal]) == 1;
    };
    switch (e.op) {
        case Op::symbol: {
            if (f.symbols[e.symbol].kind == SymbolKind::m) return true;
            if (f.symbols[e.symbol].kind != SymbolKind::loop) return false;
            return std::ranges::any_of(f.stmts, [&](const Stmt& s) {
                return s.kind == StmtKind::for_loop && s.symbol == e.symbol && trips_of(s).times == 1 &&
                       trips_of(s).by_m == 1;
            });
        }
        case Op::sub:
            return is_below_m(e.args[0]) && f.exprs[e.args[1]].op == Op::literal &&
                   literal_value(f.exprs[e.args[1]]) >= 0;
        case Op::add:
            return f.exprs[e.args[0]].op == Op::symbol &&
                   f.symbols[f.exprs[e.args[0]].symbol].kind == SymbolKind::loop && is_below_m(e.args[0]) &&
                   is_one_up(e.args[1]);
        default:
            return false;
    }
}

// Whether an expression is never below 0.
bool AdjointMaker::is_from_zero(Id id) const {
    const Expr& e = f.exprs[id];
    if (e.op == Op::literal) return literal_value(e) >= 0;
    if (e.op == Op::symbol) {
        const SymbolKind kind = f.symbols[e.symbol].kind;
        return kind == SymbolKind::index || kind == SymbolKind::n || kind == SymbolKind::m;
    }
    return e.op == Op::bit_and && is_from_zero(e.args[1]);
}

AdjointMaker::Trips AdjointMaker::trips_of(const Stmt& s) const {
    constexpr Trips unknown{.times = 0};
    if (s.kind != StmtKind::for_loop || s.step == 0 || has_symbol(f, s.index, s.symbol)) return unknown;
    const Expr &first = f.exprs[s.value], &last = f.exprs[s.index];
    if (first.op == Op::literal && last.op == Op::literal) {
        const double way = s.step > 0 ? literal_value(last) - literal_value(first)
                                      : literal_value(first) - literal_value(last) + 1;
        const double trips = std::max(0.0, std::ceil(way / std::abs(static_cast<double>(s.step))));
        constexpr double most = 1 << 16;
        return trips <= most ? Trips{.times = std::max(1U, static_cast<std::uint32_t>(trips))} : unknown;
    }
    // From m - 1 at most down to 0 at least, or from 0 at least to what is below m.
    const bool is_bounded = s.step > 0
                                ? is_from_zero(s.value) && is_below_m(s.index)
                                : is_from_zero(s.index) && first.op == Op::sub && is_below_m(s.value) &&
                                      literal_value(f.exprs[first.args[1]]) >= 1;
    return is_bounded ? Trips{.by_m = 1} : unknown;
}

void AdjointMaker::in_loop(const Stmt& loop, const std::function<void()>& body) {
    const Trips before = m_nest, own = trips_of(loop);
    constexpr std::uint32_t most = 1U << 20;
    m_nest = {.times = before.times * std::min(own.times, most / std::max(1U, before.times)),
              .by_m = static_cast<std::uint8_t>(before.by_m + own.by_m)};
    body();
    m_nest = before;
}

void AdjointMaker::find_deepest(const std::vector<Id>& list) {
    for (const Id id : list) {
        const Stmt& s = f.stmts[id];
        const auto inside = [&] {
            find_deepest(s.body);
            find_deepest(s.otherwise);
        };
        if (s.kind == StmtKind::for_loop || s.kind == StmtKind::while_loop)
            in_loop(s, inside);
        else
            inside();
        if (m_nest.times > 0) m_deepest = std::max(m_deepest, m_nest.by_m);
    }
}

AdjointMaker::Kept AdjointMaker::keep(const std::string& name, Type type, int loops) {
    Kept made{.local = local("kept_" + name, type)};
    if (loops == 0) return made;
    const bool fits = is_scalar(type) && type != Type::i64 && type != Type::u64;
    if (m_is_taped && fits && m_nest.times > 0 && m_nest.by_m > 0) {
        made.tape = m_tape;
        made.before = m_entries;
        m_entries += m_nest.times;
    } else {
        const Type stored = type == Type::boolean ? Type::i32 : type;
        made.tape =
            b.add_symbol(fresh("tape_" + name), stored, SymbolKind::array, {loops == 1 ? 64U : 256U, 0, 0});
        m_adjoint.resize(b.tree().symbols.size(), nothing);
        const auto list = b.inside([&] { b.declare(made.tape); });
        m_head.insert(m_head.end(), list.begin(), list.end());
    }
    made.top = local("top_" + name, Type::i32);
    return made;
}

// In the new tree; nothing: the kernel has none.
Id AdjointMaker::forward_symbol(SymbolKind kind) const {
    for (Id id = 0; id < f.symbols.size(); ++id) {
        if (f.symbols[id].kind == kind) return m_forward[id];
    }
    return nothing;
}

// Where its next entry stands: on the tape (i * entries + before) * m^deepest + top.
Id AdjointMaker::place_on(const Kept& kept) {
    if (kept.tape != m_tape) return b.symbol(kept.top);
    const Id entries = number(Type::i32, 1);
    m_entry_counts.push_back(entries);
    Id place = times(b.symbol(forward_symbol(SymbolKind::index)), entries);
    place = b.binary(Op::add, place, number(Type::i32, kept.before));
    for (int k = 0; k < m_deepest; ++k) place = times(place, b.symbol(forward_symbol(SymbolKind::m)));
    return b.binary(Op::add, place, b.symbol(kept.top));
}

// The tape has its size, or goes where nothing is on it.
void AdjointMaker::finish_tape() {
    if (m_tape == nothing) return;
    for (const Id id : m_entry_counts) b.tree().exprs[id].bits = bits_of(Type::i32, m_entries);
    b.tree().symbols[m_tape].extent = {m_entries, 1, m_deepest};
    if (m_entries == 0) std::erase(b.tree().kernel.parameters, m_tape);
}

void AdjointMaker::push(const Kept& kept, Id value) {
    if (kept.tape == nothing) {
        b.assign(kept.local, value);
        return;
    }
    const bool is_bool = b.type(value) == Type::boolean;
    const Id stored = is_bool ? b.cast(Type::i32, value) : value;
    b.store(kept.tape, place_on(kept), kept.tape == m_tape ? b.cast(Type::f64, stored) : stored);
    b.assign(kept.top, b.binary(Op::add, b.symbol(kept.top), number(Type::i32, 1)));
}

// The value is in kept.local afterwards.
void AdjointMaker::pop(const Kept& kept) {
    if (kept.tape == nothing) return;
    b.assign(kept.top, b.binary(Op::sub, b.symbol(kept.top), number(Type::i32, 1)));
    const Id value = b.load(kept.tape, place_on(kept));
    const Type type = b.tree().symbols[kept.local].type;
    const bool is_bool = type == Type::boolean;
    const Id zero_of = is_bool ? number(b.type(value), 0) : nothing;
    b.assign(kept.local, is_bool ? b.binary(Op::ne, value, zero_of) : b.cast(type, value));
}

}  // namespace workbench::synth
