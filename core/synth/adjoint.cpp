// SPDX-License-Identifier: MIT
#include "core/synth/adjoint.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

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

}  // namespace

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

}  // namespace workbench::synth
