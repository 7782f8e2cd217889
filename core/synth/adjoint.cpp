// SPDX-License-Identifier: MIT
#include "core/synth/adjoint.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/synth/adjoint_maker.h"

namespace workbench::synth {

namespace {

// How an index says that only its own thread reads the element: 1: i, 2: i * m + e, 3: e * n + i, else 0.
int own_form(const Tree& tree, Id index) {
    const auto is = [&](Id id, SymbolKind kind) {
        return tree.exprs[id].op == Op::symbol && tree.symbols[tree.exprs[id].symbol].kind == kind;
    };
    if (is(index, SymbolKind::index)) return 1;
    const Expr& e = tree.exprs[index];
    if (e.op == Op::mul && is(e.args[0], SymbolKind::index) && is(e.args[1], SymbolKind::m)) return 2;
    if (e.op != Op::add) return 0;
    const Expr& left = tree.exprs[e.args[0]];
    if (left.op != Op::mul) return 0;
    if (is(left.args[0], SymbolKind::index) && is(left.args[1], SymbolKind::m)) return 2;
    return is(left.args[1], SymbolKind::n) && is(e.args[1], SymbolKind::index) ? 3 : 0;
}

// Whether it reads elements of an array, in an expression or anywhere in a statement.
bool reads(const Tree& tree, Id expr, Id array) {
    if (expr == nothing) return false;
    const Expr& e = tree.exprs[expr];
    if (e.op == Op::load && e.symbol == array) return true;
    return std::any_of(e.args.begin(), e.args.begin() + e.count,
                       [&](Id argument) { return reads(tree, argument, array); });
}
bool touches(const Tree& tree, const Stmt& s, Id array) {
    const auto in = [&](const std::vector<Id>& list) {
        return std::any_of(list.begin(), list.end(),
                           [&](Id id) { return touches(tree, tree.stmts[id], array); });
    };
    return (s.kind == StmtKind::store && s.symbol == array) || reads(tree, s.value, array) ||
           reads(tree, s.index, array) || in(s.body) || in(s.otherwise);
}

// Whether a symbol stands in an expression.
bool names(const Tree& tree, Id expr, Id symbol) {
    const Expr& e = tree.exprs[expr];
    return (e.op == Op::symbol && e.symbol == symbol) ||
           std::any_of(e.args.begin(), e.args.begin() + e.count,
                       [&](Id argument) { return names(tree, argument, symbol); });
}

// Whether a kernel writes the one element of an output that it touches before it reads it, as own_output()
// takes it.
bool begins_anew(const Tree& tree, Id output) {
    Id index = nothing;
    const auto is_other = [&](Id another) {
        if (index == nothing) index = another;
        return !is_same(tree, index, another);
    };
    for (const Expr& e : tree.exprs) {
        if (e.op == Op::load && e.symbol == output && is_other(e.args[0])) return false;
    }
    for (const Stmt& s : tree.stmts) {
        if (s.kind == StmtKind::store && s.symbol == output && is_other(s.index)) return false;
    }
    for (const Id id : tree.kernel.body) {
        const Stmt& s = tree.stmts[id];
        if (!touches(tree, s, output)) continue;
        return s.kind == StmtKind::store && s.symbol == output && !reads(tree, s.value, output);
    }
    return true;
}

}  // namespace

std::string AdjointMaker::why_not() {
    if (f.is_block) return "block";
    bool any = false;
    for (const Id id : f.kernel.parameters) {
        const Symbol& s = f.symbols[id];
        any = any || (is_float(s.type) && (s.kind == SymbolKind::input || s.kind == SymbolKind::scalar));
        if (!is_float(s.type) && is_written(s.kind)) return "integer";
    }
    if (!any) return "no float input";
    for (Id h = 0; h < f.helpers.size(); ++h) {
        for (const Id id : f.helpers[h].body) {
            const Stmt& s = f.stmts[id];
            const bool gives = s.kind == StmtKind::branch && s.otherwise.empty() && s.body.size() == 1 &&
                               f.stmts[s.body[0]].kind == StmtKind::give;
            if (s.kind != StmtKind::give && !gives) return "helper";
        }
        if (f.helpers[h].parameters.size() > 2) return "recursion";
    }
    for (const Expr& e : f.exprs) {
        if (e.op == Op::determinant && rank(f.exprs[e.args[0]].type) == 4) return "determinant of four rows";
    }
    for (const Stmt& s : f.stmts) {
        if (s.kind == StmtKind::array) return "local array";
        if (s.kind == StmtKind::atomic && (s.atomic != AtomicOp::add)) return "integer";
    }
    const bool has_atomics =
        std::any_of(f.stmts.begin(), f.stmts.end(), [](const Stmt& s) { return s.kind == StmtKind::atomic; });
    for (const Id id : f.kernel.parameters) {
        if (f.symbols[id].kind == SymbolKind::inout && !has_atomics && !begins_anew(f, id))
            return "it reads what it writes";
    }
    return "";
}

void AdjointMaker::own_output(Tree& tree) {
    for (const Id parameter : std::vector<Id>(tree.kernel.parameters)) {
        if (tree.symbols[parameter].kind != SymbolKind::inout) continue;
        if (std::any_of(tree.stmts.begin(), tree.stmts.end(),
                        [&](const Stmt& s) { return s.kind == StmtKind::atomic; }))
            continue;
        const auto held = static_cast<Id>(tree.symbols.size());
        tree.symbols.push_back(
            {"held_" + tree.symbols[parameter].name, tree.symbols[parameter].type, SymbolKind::local, {}});
        Id index = nothing;
        for (Expr& e : tree.exprs) {
            if (e.op != Op::load || e.symbol != parameter) continue;
            index = e.args[0];
            e = {.op = Op::symbol, .type = e.type, .symbol = held};
        }
        for (Stmt& s : tree.stmts) {
            if (s.kind != StmtKind::store || s.symbol != parameter) continue;
            index = s.index;
            s = {.kind = StmtKind::assign, .symbol = held, .value = s.value};
        }
        const auto add = [&](Expr e) {
            tree.exprs.push_back(e);
            return static_cast<Id>(tree.exprs.size() - 1);
        };
        const Id read = add({.op = Op::symbol, .type = tree.symbols[held].type, .symbol = held});
        const Id zero = add({.op = Op::literal, .type = tree.symbols[held].type});
        tree.stmts.push_back({.kind = StmtKind::let, .symbol = held, .value = zero});
        tree.kernel.body.insert(tree.kernel.body.begin(), static_cast<Id>(tree.stmts.size() - 1));
        tree.stmts.push_back({.kind = StmtKind::store, .symbol = parameter, .value = read, .index = index});
        tree.kernel.body.push_back(static_cast<Id>(tree.stmts.size() - 1));
    }
    finish(tree);
}

std::string AdjointMaker::fresh(const std::string& name) {
    std::string made = name;
    for (int k = 2; !m_names.insert(made).second; ++k) made = name + "_" + std::to_string(k);
    return made;
}

Id AdjointMaker::zero(Type type) {
    if (is_scalar(type)) return b.literal(type, 0);
    const std::vector<Id> zeros(static_cast<std::size_t>(rank(type)), b.literal(Type::f32, 0));
    const Id vector = b.make(vector_of(rank(type)), zeros);
    return is_vector(type) ? vector : b.function(Op::outer, {vector, vector});
}

// A local that is declared, as zero, before everything else.
Id AdjointMaker::local(const std::string& name, Type type) {
    const Id id = b.add_symbol(fresh(name), type, SymbolKind::local);
    const auto list = b.inside([&] { b.let(id, zero(type)); });
    m_head.insert(m_head.end(), list.begin(), list.end());
    m_adjoint.resize(b.tree().symbols.size(), nothing);
    return id;
}

void AdjointMaker::parameters() {
    for (const Symbol& s : f.symbols) m_names.insert(s.name);
    m_forward.assign(f.symbols.size(), nothing);
    const auto add = [&](std::string name, Type type, SymbolKind kind, Extent extent) {
        const Id id = b.parameter(std::move(name), type, kind, extent);
        m_adjoint.resize(b.tree().symbols.size(), nothing);
        return id;
    };
    const auto each = [&](auto act) {
        for (const Id id : f.kernel.parameters) act(id, f.symbols[id]);
    };
    each([&](Id id, const Symbol& s) {
        if (s.kind == SymbolKind::input) m_forward[id] = add(s.name, s.type, s.kind, s.extent);
    });
    each([&](Id id, const Symbol& s) {
        if (is_written(s.kind))
            m_forward[id] = add(fresh("adj_" + s.name), s.type, SymbolKind::input, s.extent);
    });
    each([&](Id id, const Symbol& s) {
        if (s.kind != SymbolKind::input || !is_float(s.type)) return;
        const Id made = add(fresh("adj_" + s.name), s.type, SymbolKind::inout, s.extent);
        m_adjoint[m_forward[id]] = made;
        m_wrt.push_back(s.name);
    });
    std::vector<std::pair<Id, Id>> scalars;
    each([&](Id id, const Symbol& s) {
        if (s.kind != SymbolKind::scalar || !is_float(s.type)) return;
        scalars.emplace_back(id, add(fresh("adj_" + s.name), s.type, SymbolKind::inout, {1, 0, 0}));
        m_wrt.push_back(s.name);
    });
    find_deepest(f.kernel.body);
    const bool has_index = std::ranges::count(f.symbols, SymbolKind::index, &Symbol::kind) > 0;
    m_is_taped = m_is_taped && has_index && m_deepest > 0;
    if (m_is_taped) m_tape = add(fresh("tape"), Type::f64, SymbolKind::inout, {1, 1, m_deepest});
    each([&](Id id, const Symbol& s) {
        if (!is_array_parameter(s.kind)) m_forward[id] = add(s.name, s.type, s.kind, {});
    });
    for (Id id = 0; id < f.symbols.size(); ++id) {
        if (f.symbols[id].kind == SymbolKind::index)
            m_forward[id] = b.add_symbol("i", Type::i32, SymbolKind::index);
    }
    m_adjoint.resize(b.tree().symbols.size(), nothing);
    // Who else reads an element decides how its adjoint is added to.
    m_own.assign(b.tree().symbols.size(), false);
    std::vector<int> form(f.symbols.size(), -1);
    for (const Expr& e : f.exprs) {
        if (e.op != Op::load) continue;
        const int now = own_form(f, e.args[0]);
        form[e.symbol] = form[e.symbol] == -1 || form[e.symbol] == now ? now : 0;
    }
    for (Id id = 0; id < f.symbols.size(); ++id) {
        if (f.symbols[id].kind == SymbolKind::input) m_own[m_forward[id]] = form[id] > 0;
    }
    // A scalar's adjoint is collected by each thread, and added once.
    for (const auto& [id, array] : scalars) {
        const Id own = local("own_" + f.symbols[id].name, f.symbols[id].type);
        m_adjoint[m_forward[id]] = own;
        m_adjoint[own] = array;
    }
    m_reverse = m_forward;
    for (Id id = 0; id < f.symbols.size(); ++id) {
        const Symbol& s = f.symbols[id];
        if (s.kind == SymbolKind::local) {
            m_forward[id] = m_reverse[id] = local(s.name + "_", s.type);
            if (is_float(s.type)) {
                const Id adjoint = local("adj_" + s.name, s.type);
                m_adjoint[m_forward[id]] = adjoint;
            }
        } else if (s.kind == SymbolKind::loop) {
            m_forward[id] = b.add_symbol(fresh(s.name), Type::i32, SymbolKind::loop);
            m_adjoint.resize(b.tree().symbols.size(), nothing);
            m_reverse[id] = local(s.name + "_now", Type::i32);
        }
    }
}

void AdjointMaker::normalise(std::vector<Id>& list) {
    for (std::size_t k = 0; k < list.size(); ++k) {
        const Id id = list[k];
        std::vector<Id> body = f.stmts[id].body, otherwise = f.stmts[id].otherwise;
        const bool leaves = f.stmts[id].kind == StmtKind::branch && !body.empty() &&
                            (f.stmts[body.back()].kind == StmtKind::break_loop ||
                             f.stmts[body.back()].kind == StmtKind::continue_loop);
        if (leaves) {
            otherwise.insert(otherwise.end(), list.begin() + static_cast<std::ptrdiff_t>(k) + 1, list.end());
            list.resize(k + 1);
        }
        normalise(body);
        normalise(otherwise);
        f.stmts[id].body = std::move(body);
        f.stmts[id].otherwise = std::move(otherwise);
    }
}

// ---- What is kept

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
    if (s.kind != StmtKind::for_loop || s.step == 0 || names(f, s.index, s.symbol)) return unknown;
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

template <class Body>
void AdjointMaker::in_loop(const Stmt& loop, Body body) {
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

// ---- Sweeps

void AdjointMaker::forward(const std::vector<Id>& list, int loops) {
    for (const Id id : list) {
        const Stmt& s = f.stmts[id];
        switch (s.kind) {
            case StmtKind::let:
            case StmtKind::assign: {
                const Id target = m_forward[s.symbol];
                if (loops > 0 || m_assigned[s.symbol] > 1) {
                    m_kept[id] = keep(f.symbols[s.symbol].name, f.symbols[s.symbol].type, loops);
                    push(m_kept[id], b.symbol(target));
                }
                b.assign(target, copy(s.value, m_forward));
                break;
            }
            case StmtKind::branch: {
                m_kept[id] = keep("test", Type::boolean, loops);
                const Id test = copy(s.value, m_forward);
                if (loops == 0) {
                    push(m_kept[id], test);
                } else {
                    b.assign(m_kept[id].local, test);
                    push(m_kept[id], b.symbol(m_kept[id].local));
                }
                b.branch(
                    b.symbol(m_kept[id].local), [&] { forward(s.body, loops); },
                    [&] { forward(s.otherwise, loops); });
                break;
            }
            case StmtKind::for_loop:
            case StmtKind::while_loop: {
                m_trips[id] = local("trips", Type::i32);
                b.assign(m_trips[id], number(Type::i32, 0));
                const auto body = [&] {
                    b.assign(m_trips[id], b.binary(Op::add, b.symbol(m_trips[id]), number(Type::i32, 1)));
                    in_loop(s, [&] { forward(s.body, loops + 1); });
                };
                if (s.kind == StmtKind::while_loop) {
                    b.repeat(copy(s.value, m_forward), body);
                } else {
                    const Id from = copy(s.value, m_forward);
                    b.loop(m_forward[s.symbol], from, copy(s.index, m_forward), s.step, body);
                }
                if (loops > 0) {
                    m_kept[id] = keep("trips", Type::i32, loops);
                    push(m_kept[id], b.symbol(m_trips[id]));
                }
                break;
            }
            case StmtKind::break_loop:
            case StmtKind::continue_loop:
                b.leave(s.kind);
                break;
            default:
                break;  // what is stored is not read again
        }
    }
}

void AdjointMaker::reverse_loop(Id id, const Stmt& s) {
    Id trips = m_trips[id];
    if (m_kept[id].exists()) {
        pop(m_kept[id]);
        trips = m_kept[id].local;
    }
    const Id turn = b.add_symbol(fresh("turn"), Type::i32, SymbolKind::loop);
    m_adjoint.resize(b.tree().symbols.size(), nothing);
    b.loop(turn, b.binary(Op::sub, b.symbol(trips), number(Type::i32, 1)), number(Type::i32, 0), -1, [&] {
        if (s.kind == StmtKind::for_loop) {
            const Id steps = s.step == 1 ? b.symbol(turn) : times(b.symbol(turn), number(Type::i32, s.step));
            b.assign(m_reverse[s.symbol], b.binary(Op::add, value(s.value), steps));
        }
        reverse(s.body);
    });
}

void AdjointMaker::reverse(const std::vector<Id>& list) {
    for (auto at = list.rbegin(); at != list.rend(); ++at) {
        const Id id = *at;
        const Stmt& s = f.stmts[id];
        switch (s.kind) {
            case StmtKind::let:
            case StmtKind::assign: {
                const Id target = m_reverse[s.symbol];
                if (m_kept[id].exists()) {
                    pop(m_kept[id]);
                    b.assign(target, b.symbol(m_kept[id].local));
                }
                const Id adjoint = m_adjoint[target];
                if (adjoint == nothing) break;
                const Id g = b.let(fresh("g"), b.symbol(adjoint));
                m_adjoint.resize(b.tree().symbols.size(), nothing);
                // The value that is replaced has no part in what follows.
                b.assign(adjoint, zero(b.tree().symbols[adjoint].type));
                if (is_active(s.value)) propagate(value(s.value), b.symbol(g));
                break;
            }
            case StmtKind::store:
            case StmtKind::atomic:
                if (is_active(s.value)) {
                    const Id g = b.let(fresh("g"), b.load(m_reverse[s.symbol], value(s.index)));
                    m_adjoint.resize(b.tree().symbols.size(), nothing);
                    propagate(value(s.value), b.symbol(g));
                }
                break;
            case StmtKind::branch:
                pop(m_kept[id]);
                b.branch(
                    b.symbol(m_kept[id].local), [&] { reverse(s.body); }, [&] { reverse(s.otherwise); });
                break;
            case StmtKind::for_loop:
            case StmtKind::while_loop:
                reverse_loop(id, s);
                break;
            default:
                break;
        }
    }
}

Backward AdjointMaker::run() {
    if (const std::string why = why_not(); !why.empty()) return {{}, {}, why};
    own_output(f);
    normalise(f.kernel.body);
    parameters();
    m_kept.resize(f.stmts.size());
    m_trips.resize(f.stmts.size(), nothing);
    m_assigned.assign(f.symbols.size(), 0);
    for (const Stmt& s : f.stmts) {
        if (s.kind == StmtKind::let || s.kind == StmtKind::assign) ++m_assigned[s.symbol];
    }
    std::vector<Id> body = b.inside([&] { forward(f.kernel.body, 0); });
    const std::vector<Id> back = b.inside([&] {
        reverse(f.kernel.body);
        for (Id id = 0; id < f.symbols.size(); ++id) {
            if (f.symbols[id].kind != SymbolKind::scalar || !is_float(f.symbols[id].type)) continue;
            const Id own = m_adjoint[m_forward[id]];
            b.atomic(AtomicOp::add, m_adjoint[own], number(Type::i32, 0), b.symbol(own));
        }
    });
    body.insert(body.begin(), m_head.begin(), m_head.end());
    body.insert(body.end(), back.begin(), back.end());
    b.list() = std::move(body);
    if (m_is_too_large) return {{}, {}, "size"};
    finish_tape();
    b.tree().kernel.name = f.kernel.name + "_backward";
    return {b.take(), m_wrt, ""};
}

Backward adjoint_of(const Tree& forward, LoopValues where) {
    return AdjointMaker(forward, where).run();
}

std::string explained_reason(std::string_view reason) {
    static constexpr std::pair<std::string_view, std::string_view> meanings[] = {
        {"block", "threads of a block work together, or \"if (i >= n) return;\" is missing"},
        {"integer", "its results are integers"},
        {"recursion", "a function calls itself"},
        {"helper", "a function has loops or locals"},
        {"size", "its functions become too large when they are written in place of their calls"},
        {"local array", "it keeps values on an array of one thread"}};
    for (const auto& [word, meaning] : meanings)
        if (word == reason) return std::string(reason) + " (" + std::string(meaning) + ")";
    return std::string(reason);
}

}  // namespace workbench::synth
