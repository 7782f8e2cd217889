// SPDX-License-Identifier: MIT
// Categories of kernels whose threads have an element each.
#include "core/synth/maker.h"

namespace workbench::synth {

void Maker::arithmetic() {
    const Type type = element_type();
    for (int k = m_draw.between(1, 3); k > 0; --k) input(type, {1, 1, 0});
    const Id out = output(type, {1, 1, 0});
    if (m_draw.chance(40)) scalar(type);
    extents();
    word(m_draw.of<std::string_view>(
        {"combine", "mix", "add_up", "scale", "difference", "weighted", "product", "affine"}));
    word(m_draw.of<std::string_view>({"values", "elements", "samples", "terms", "arrays"}));
    for (int k = m_draw.below(3); k > 0; --k) {
        const Id made = b.let({name({"s", "t", "total", "part", "delta", "term", "mixed"}), plain(type, 2)});
        m_values.push_back(made);
    }
    // Two operations at least, whatever is drawn below.
    const Id first = plain(type, m_draw.between(1, 3));
    const Id second = plain(type, m_draw.between(1, 2));
    const Id third = leaf(type);
    b.store({out, i(),
             combine({m_draw.of({Op::add, Op::sub}), combine({m_draw.of({Op::mul, Op::add}), first, second}),
                      third})});
}

void Maker::math() {
    const Type type = float_type();
    for (int k = m_draw.between(1, 2); k > 0; --k) input(type, {1, 1, 0});
    const Id out = output(type, {1, 1, 0});
    if (m_draw.chance(40)) scalar(type);
    extents();
    const Id local = m_draw.chance(50)
                         ? b.let({name({"angle", "s", "phase", "e", "t"}), with_functions(type, 2)})
                         : nothing;
    if (local != nothing) m_values.push_back(local);
    const Id value = function_of(type, m_draw.between(1, 2));
    word(b.expr(value).op == Op::abs ? "magnitude" : info(b.expr(value).op).name);
    word(m_draw.of<std::string_view>({"response", "curve", "transform", "profile", "map"}));
    const int k = m_draw.below(3);
    b.store({out, i(),
             k == 0 ? value
                    : b.binary({m_draw.of({Op::add, Op::mul, Op::sub}), value, with_functions(type, 2)})});
}

void Maker::control_flow() {
    const Type type = element_type();
    const Id x = input(type, {1, 1, 0});
    if (m_draw.chance(50)) input(type, {1, 1, 0});
    const Id out = output(type, {1, 1, 0});
    if (m_draw.chance(50)) scalar(type);
    extents();
    const int kind = m_draw.below(6);
    if (kind == 0) {
        word("where");
        const Id yes = condition(type, 2), first = plain(type, 2), second = plain(type, 2);
        b.store({out, i(), b.select({yes, first, second})});
    } else if (kind == 1) {
        word("clamp");
        const Id value = plain(type, 2), low = is_signed(type) || is_float(type)
                                                   ? b.literal(type, -m_draw.between(1, 3))
                                                   : b.literal(type, m_draw.between(0, 3));
        const Id high = b.literal(type, m_draw.between(4, 20)), behind = plain(type, 1);
        b.store({out, i(), combine({Op::add, clamp({value, low, high}), behind})});
    } else if (kind == 2) {
        word("branch");
        const Id made = b.let({name({"value", "s", "chosen", "t"}), plain(type, 1)});
        m_values.push_back(made);
        const Id yes = condition(type, 2);
        if (m_draw.chance(70))
            b.branch(
                yes, [&] { b.assign(made, plain(type, 2)); }, [&] { b.assign(made, plain(type, 2)); });
        else
            b.branch(yes, [&] { b.assign(made, plain(type, 2)); });
        b.store({out, i(), m_draw.chance(50) ? read(made) : plain(type, 1)});
    } else if (kind == 3) {
        word("accumulate");
        const Id total = b.let({name({"total", "sum", "acc", "state"}), plain(type, 1)});
        m_values.push_back(total);
        const Id k = b.add_symbol(fresh_name("k"), Type::i32, SymbolKind::loop);
        b.loop(k, whole(0), whole(m_draw.between(2, 8)), 1, [&] {
            if (m_draw.chance(35))
                b.branch(condition(type, 1), [&] {
                    b.leave(m_draw.of({StmtKind::break_loop, StmtKind::continue_loop}));
                });
            const Id damped =
                is_float(type)
                    ? b.binary({Op::mul, read(total), b.literal(type, m_draw.of({0.5, 0.25, 0.75}))})
                    : read(total);
            b.assign(total, combine({m_draw.of({Op::add, Op::sub}), damped, plain(type, 2)}));
        });
        b.store({out, i(), read(total)});
    } else if (kind == 4) {
        word("while");
        op("while");
        const Id value = b.let({name({"value", "rest", "s"}), plain(type, 1)});
        m_values.push_back(value);
        const Id steps = b.let({name({"steps", "turns", "tries"}), whole(0)});
        const Id below = b.binary({Op::lt, read(steps), whole(m_draw.between(3, 12))});
        const Id going = b.binary({m_draw.of({Op::gt, Op::lt}), read(value), constant(type)});
        b.repeat(b.binary({Op::logical_and, below, going}), [&] {
            if (is_float(type))
                b.assign(value,
                         b.binary({Op::sub,
                                   b.binary({Op::mul, read(value), b.literal(type, m_draw.of({0.5, 0.75}))}),
                                   b.load({x, i()})}));
            else
                b.assign(value, combine({Op::sub, quotient({read(value), constant(type)}), plain(type, 1)}));
            b.assign(steps, b.binary({Op::add, read(steps), whole(1)}));
        });
        b.store({out, i(), combine({Op::add, read(value), plain(type, 1)})});
    } else {
        word("guarded_update");
        const Id first = plain(type, 2);
        b.store({out, i(), first});
        b.branch(condition(type, 2), [&] {
            const Id more = plain(type, 2);
            b.store({out, i(), combine({m_draw.of({Op::add, Op::sub}), b.load({out, i()}), more})});
        });
    }
    word(m_draw.of<std::string_view>({"by_sign", "by_value", "elements", "samples", "signal"}));
}

void Maker::multi_conditional() {
    const Type type = element_type();
    for (int k = m_draw.between(1, 2); k > 0; --k) input(type, {1, 1, 0});
    const Id out = output(type, {1, 1, 0});
    if (m_draw.chance(60)) scalar(type);
    extents();
    word(m_draw.of<std::string_view>({"classify", "piecewise", "tiers", "quantize", "decide", "grade"}));
    word(m_draw.of<std::string_view>({"values", "levels", "bands", "regions"}));
    const Id made = b.let({name({"level", "value", "grade", "chosen"}), plain(type, 1)});
    m_values.push_back(made);
    const bool nested = m_draw.chance(40);
    op("several branches");
    const auto set = [&] { b.assign(made, plain(type, 2)); };
    const auto chain = [&](auto self, int left) -> void {
        const Id test = condition(type, 2);
        if (left == 0) {
            b.branch(test, set, set);
        } else if (nested && m_draw.chance(60)) {
            b.branch(
                test, [&] { self(self, left - 1); }, set);
        } else {
            b.branch(test, set, [&] { self(self, left - 1); });
        }
    };
    chain(chain, m_draw.between(2, 4));
    b.store({out, i(), m_draw.chance(50) ? read(made) : plain(type, 1)});
}

void Maker::scalar_param() {
    const Type type = element_type();
    for (int k = m_draw.between(1, 2); k > 0; --k) input(type, {1, 1, 0});
    const Id out = output(type, {1, 1, 0});
    const Id own = scalar(type);
    Type other =
        is_float(type) ? m_draw.of({Type::i32, Type::u32}) : m_draw.of({Type::i32, Type::u32, Type::i64});
    if (other == type) other = type == Type::i32 ? Type::u32 : Type::i32;
    const Id second = scalar(other);
    const Id third = m_draw.chance(40) ? scalar(type) : nothing;
    extents();
    op("scalar parameters");
    word(m_draw.of<std::string_view>({"scaled", "shifted", "weighted", "biased", "affine"}));
    word(m_draw.of<std::string_view>({"values", "samples", "blend", "update", "signal"}));
    // Whole numbers are taken modulo a small one where they become floats.
    const Id bounded = b.binary({Op::bit_and, read(second), b.literal(other, m_draw.of({3, 7, 15}))});
    const Id factor = b.let({name({"factor", "repeats", "amount"}), b.cast(type, bounded)});
    m_values.push_back(factor);
    Id value = combine({m_draw.of({Op::mul, Op::add, Op::sub}), plain(type, 2), read(own)});
    value = combine({m_draw.of({Op::add, Op::sub}), value, combine({Op::mul, read(factor), plain(type, 1)})});
    if (third != nothing)
        value = is_float(type) && m_draw.chance(50) ? b.function({Op::min, {value, read(third)}})
                                                    : combine({Op::add, value, read(third)});
    b.store({out, i(), value});
}

void Maker::combined() {
    const Type type = float_type();
    const int kind = m_draw.below(8);
    const Id x = input(type, {1, 1, 0});
    const Id line = kind == 3 || kind == 6
                        ? b.parameter(fresh_name("rows"), type, SymbolKind::input, {1, 1, 1})
                        : nothing;
    if (kind == 7 || m_draw.chance(50)) input(type, {1, 1, 0});
    const Id out = output(type, kind == 3 ? Extent{1, 1, 1} : Extent{1, 1, 0});
    const Id a = scalar(type);
    if (kind == 1 || m_draw.chance(40)) scalar(type);
    // A helper comes before the kernel's own names.
    extents();
    const Id called = kind <= 1 || kind == 7 || m_draw.chance(40) ? helper(type) : nothing;
    const auto l = [&](double v) { return b.literal(type, v); };
    const Id made = b.let(
        {name({"s", "value", "y0", "response", "t"}), m_draw.chance(50) ? plain(type, 2) : b.load({x, i()})});
    m_values.push_back(made);
    const auto with_helper = [&](Id value) {
        return called == nothing
                   ? value
                   : b.binary({m_draw.of({Op::add, Op::sub}), value, call_helper(called, type)});
    };
    switch (kind) {
        case 0:
            word("linear");
            op("linear");
            b.branch(condition(type, 1), [&] { b.assign(made, function_of(type, 2)); });
            b.store(
                {out, i(),
                 with_helper(b.binary({Op::add, b.binary({Op::mul, read(a), read(made)}), plain(type, 1)}))});
            return;
        case 1: {
            word("quadratic");
            op("quadratic");
            const Id square = b.binary({Op::mul, b.binary({Op::mul, read(a), read(made)}), read(made)});
            b.branch(condition(type, 2), [&] {
                b.assign(made, b.binary({Op::mul, read(made), constant(type)}));
            });
            b.store({out, i(), with_helper(b.binary({Op::add, square, function_of(type, 2)}))});
            return;
        }
        case 2: {
            word("sigmoid");
            op("sigmoid");
            const Id gate =
                b.binary({Op::div, l(1),
                          b.binary({Op::add, l(1), b.function({Op::exp, {b.unary(Op::neg, read(made))}})})});
            const Id g = b.let({name({"gate", "g", "sigma"}), gate});
            m_values.push_back(g);
            b.branch(condition(type, 2), [&] { b.assign(g, b.binary({Op::mul, read(g), plain(type, 1)})); });
            b.store(
                {out, i(),
                 with_helper(m_draw.chance(50) ? read(g) : b.binary({Op::mul, read(g), plain(type, 2)}))});
            return;
        }
        case 3: {
            word("softmax");
            op("softmax");
            const Id most = b.let({fresh_name("most"), b.load({line, b.binary({Op::mul, i(), m()})})});
            const Id j = b.add_symbol("j", Type::i32, SymbolKind::loop),
                     k = b.add_symbol("j", Type::i32, SymbolKind::loop);
            const Id h = b.add_symbol("j", Type::i32, SymbolKind::loop);
            b.loop(j, whole(1), m(), 1, [&] {
                b.assign(most, b.function({Op::max, {read(most), b.load({line, row(read(j))})}}));
            });
            const Id total = b.let({fresh_name("total"), l(0)});
            const double sharp = m_draw.of({1.0, 0.5, 2.0});
            const auto raised = [&](Id at) {
                const Id above = b.binary({Op::sub, b.load({line, row(read(at))}), read(most)});
                return b.function({Op::exp, {sharp == 1 ? above : b.binary({Op::mul, above, l(sharp)})}});
            };
            b.loop(k, whole(0), m(), 1, [&] {
                b.assign(total, b.binary({Op::add, read(total), raised(k)}));
            });
            const Id factor = plain(type, 2);
            b.loop(h, whole(0), m(), 1, [&] {
                b.store({out, row(read(h)),
                         b.binary({Op::mul, b.binary({Op::div, raised(h), read(total)}), factor})});
            });
            return;
        }
        case 4: {
            word("relu");
            op("relu");
            b.branch(b.binary({Op::lt, read(made), l(0)}), [&] {
                b.assign(made, m_draw.chance(50) ? l(0) : b.binary({Op::mul, read(made), constant(type)}));
            });
            b.store({out, i(), with_helper(b.binary({Op::mul, read(made), function_of(type, 2)}))});
            return;
        }
        case 5: {
            word("iterated");
            const Id k = b.add_symbol("k", Type::i32, SymbolKind::loop);
            b.loop(k, whole(0), whole(m_draw.between(2, 5)), 1, [&] {
                const Id damped = b.binary({Op::mul, read(made), l(m_draw.of({0.25, 0.5}))});
                b.assign(made, b.binary({m_draw.of({Op::add, Op::sub}), damped, function_of(type, 2)}));
            });
            b.store({out, i(), with_helper(b.binary({Op::add, read(made), plain(type, 1)}))});
            return;
        }
        case 6: {
            word("mse");
            op("mse");
            const Id total = b.let({fresh_name("total"), l(0)});
            const Id j = b.add_symbol("j", Type::i32, SymbolKind::loop);
            b.loop(j, whole(0), m(), 1, [&] {
                const Id off = b.let(
                    {fresh_name("off"), b.binary({Op::sub, b.load({line, row(read(j))}), plain(type, 1)})});
                b.assign(total, b.binary({Op::add, read(total), b.binary({Op::mul, read(off), read(off)})}));
            });
            const Id mean = b.binary({Op::div, read(total), b.cast(type, m())});
            b.store({out, i(),
                     with_helper(m_draw.chance(50) ? b.function({Op::sqrt, {mean}})
                                                   : b.binary({Op::mul, mean, function_of(type, 1)}))});
            return;
        }
        default: {
            word("activation");
            const Id k = b.add_symbol("k", Type::i32, SymbolKind::loop);
            b.branch(
                condition(type, 2), [&] { b.assign(made, call_helper(called, type)); },
                [&] {
                    b.loop(k, whole(0), whole(m_draw.between(2, 4)), 1, [&] {
                        b.assign(made, b.binary({Op::add, b.binary({Op::mul, read(made), l(0.5)}),
                                                 plain(type, 1)}));
                    });
                });
            b.store(
                {out, i(),
                 m_draw.chance(50) ? read(made) : b.binary({Op::mul, read(made), with_functions(type, 1)})});
        }
    }
}

}  // namespace workbench::synth
