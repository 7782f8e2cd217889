// SPDX-License-Identifier: MIT
// Categories of kernels whose threads have a line of m elements each, or meet in one element.
#include "core/synth/maker.h"

namespace workbench::synth {

void Maker::array() {
    const Type type = element_type();
    const int kind = m_draw.below(6);
    const Id a = b.parameter(name({"a", "x", "rows", "data", "samples"}), type, SymbolKind::input, {1, 1, 1});
    const bool matrix = kind == 1;
    const Id c = matrix ? b.parameter(name({"b", "w", "weights"}), type, SymbolKind::input, {1, 0, 2})
                        : b.parameter(name({"b", "y", "right", "other"}), type, SymbolKind::input, {1, 1, 1});
    if (m_draw.chance(40)) input(type, {1, 1, 0});
    const Id out = output(type, kind == 1 || kind == 4 ? Extent{1, 1, 1} : Extent{1, 1, 0});
    if (m_draw.chance(40)) scalar(type);
    extents();
    const Id j = b.add_symbol("j", Type::i32, SymbolKind::loop);
    const Id zero = b.literal(type, 0);
    // What is taken of an element: itself, or an expression of it.
    const auto taken = [&](Id array, Id index, int percent) {
        const Id value = b.load({array, index});
        if (!m_draw.chance(percent)) return value;
        return combine({m_draw.of({Op::mul, Op::add, Op::sub}), value, plain(type, m_draw.between(0, 2))});
    };
    switch (kind) {
        case 0: {
            word("dot");
            op("dot");
            const Id total = b.let({name({"total", "sum", "acc"}), zero});
            b.loop(j, whole(0), m(), 1, [&] {
                const Id left = taken(a, row(read(j)), 50), right = taken(c, row(read(j)), 50);
                b.assign(total, combine({Op::add, read(total), combine({Op::mul, left, right})}));
            });
            b.store({out, i(),
                     m_draw.chance(30) ? read(total) : combine({Op::add, read(total), plain(type, 2)})});
            break;
        }
        case 1: {
            word("matmul");
            op("matmul");
            const Id k = b.add_symbol("k", Type::i32, SymbolKind::loop);
            const Id factor = plain(type, m_draw.between(0, 2));
            b.loop(j, whole(0), m(), 1, [&] {
                const Id total = b.let({name({"total", "sum", "acc"}), zero});
                b.loop(k, whole(0), m(), 1, [&] {
                    const Id left = taken(a, row(read(k)), 40);
                    const Id right =
                        b.load({c, b.binary({Op::add, b.binary({Op::mul, read(k), m()}), read(j)})});
                    b.assign(total, combine({Op::add, read(total), combine({Op::mul, left, right})}));
                });
                b.store({out, row(read(j)), combine({Op::mul, read(total), factor})});
            });
            break;
        }
        case 2:
        case 3: {
            const bool mean = kind == 3;
            word(mean ? "mean" : "sum");
            op(mean ? "mean" : "sum");
            const Id total = b.let({name({"total", "sum", "acc"}), m_draw.chance(50) ? zero : leaf(type)});
            m_values.push_back(total);
            b.loop(j, whole(0), m(), 1, [&] {
                const Id value = taken(m_draw.chance(50) ? a : c, row(read(j)), 85);
                b.assign(total, combine({Op::add, read(total), value}));
            });
            const Id value = mean ? b.binary({Op::div, read(total), b.cast(type, m())}) : read(total);
            const Id behind = plain(type, 2);
            b.store({out, i(),
                     m_draw.chance(40) ? value : combine({m_draw.of({Op::mul, Op::sub}), value, behind})});
            break;
        }
        case 4: {
            word("transpose");
            op("transpose");
            // Line i of the result lies across: element j of thread i stands at j * n + i.
            const Id across = b.binary({Op::add, b.binary({Op::mul, read(j), n()}), i()});
            const bool turn_output = m_draw.chance(50);
            b.loop(j, whole(0), m(), 1, [&] {
                const Id value = taken(a, turn_output ? row(read(j)) : across, 85);
                const Id more = m_draw.chance(50) ? b.load({c, row(read(j))}) : plain(type, 1);
                b.store({out, turn_output ? across : row(read(j)),
                         combine({m_draw.of({Op::add, Op::sub, Op::mul}), value, more})});
            });
            break;
        }
        default: {
            const bool least = m_draw.chance(50);
            word(least ? "smallest" : "largest");
            const Id best =
                b.let({name({"best", "extreme", "peak"}), b.load({a, b.binary({Op::mul, i(), m()})})});
            m_values.push_back(best);
            b.loop(j, whole(1), m(), 1, [&] {
                const Id value = combine({m_draw.of({Op::mul, Op::add, Op::sub}), taken(a, row(read(j)), 60),
                                          taken(c, row(read(j)), 60)});
                b.assign(best, b.function({least ? Op::min : Op::max, {read(best), value}}));
            });
            b.store(
                {out, i(), m_draw.chance(40) ? read(best) : combine({Op::add, read(best), plain(type, 2)})});
        }
    }
    word(m_draw.of<std::string_view>({"of_rows", "by_line", "along_m", "of_lines"}));
}

void Maker::nested_loop() {
    const Type type = element_type();
    const Id a = b.parameter(name({"a", "x", "rows", "grid"}), type, SymbolKind::input, {1, 1, 1});
    if (m_draw.chance(50)) input(type, {1, 1, 0});
    const Id out = output(type, {1, 1, 0});
    if (m_draw.chance(50)) scalar(type);
    extents();
    op("nested loops");
    const int deep = m_draw.chance(30) ? 3 : 2;
    word(m_draw.of<std::string_view>({"pairs", "windowed", "cumulative", "stencil", "triangle"}));
    word(deep == 3 ? "in_three_loops" : "in_two_loops");
    const Id total = b.let({name({"total", "sum", "acc", "energy"}), b.literal(type, 0)});
    const Id j = b.add_symbol("j", Type::i32, SymbolKind::loop),
             k = b.add_symbol("k", Type::i32, SymbolKind::loop);
    const Id h = b.add_symbol("h", Type::i32, SymbolKind::loop);
    const auto add = [&](Id value) {
        b.assign(total, combine({m_draw.of({Op::add, Op::sub}), read(total), value}));
    };
    const auto innermost = [&] {
        const Id wrapped = b.binary({Op::rem, b.binary({Op::add, read(j), read(k)}), m()});
        const Id left = b.load({a, row(m_draw.chance(50) ? read(j) : wrapped)});
        const Id right = m_draw.chance(50) ? b.load({a, row(wrapped)}) : plain(type, 1);
        Id value = combine({m_draw.of({Op::mul, Op::mul, Op::add, Op::sub}), left, right});
        if (m_draw.chance(40)) value = combine({m_draw.of({Op::mul, Op::sub}), value, plain(type, 1)});
        if (m_draw.chance(30)) {
            const Id yes = condition(type, 1);
            b.branch(yes, [&] { add(value); });
        } else {
            add(value);
        }
    };
    b.loop(j, whole(0), m(), 1, [&] {
        const bool inner_first = m_draw.chance(30);
        if (inner_first)
            m_values.push_back(b.let({name({"base", "held", "outer"}), b.load({a, row(read(j))})}));
        const Id to =
            m_draw.chance(30) ? b.binary({Op::add, read(j), whole(1)}) : whole(m_draw.between(2, 4));
        b.loop(k, whole(0), to, 1, [&] {
            if (deep == 3)
                b.loop(h, whole(0), whole(m_draw.between(2, 3)), 1, innermost);
            else
                innermost();
        });
        if (inner_first) m_values.pop_back();
        if (m_draw.chance(30)) add(plain(type, 1));
    });
    b.store({out, i(), m_draw.chance(50) ? read(total) : combine({Op::add, read(total), plain(type, 1)})});
}

void Maker::atomic() {
    // CUDA has no atomic minimum of floats and no addition of signed 64-bit integers.
    const bool histogram = m_draw.chance(25);
    const AtomicOp how = histogram ? AtomicOp::add
                                   : m_draw.of({AtomicOp::add, AtomicOp::add, AtomicOp::max, AtomicOp::min,
                                                AtomicOp::bit_and, AtomicOp::bit_or, AtomicOp::bit_xor});
    const Type given = how == AtomicOp::add && !histogram
                           ? m_draw.of({Type::f32, Type::f32, Type::f64, Type::i32, Type::u32, Type::u64})
                           : m_draw.of({Type::i32, Type::u32, Type::i32, Type::u32, Type::u64});
    const Type element = histogram ? m_draw.of({Type::f32, Type::f32, Type::u32}) : given;
    const Id x = input(element, {1, 1, 0});
    if (m_draw.chance(50)) input(element, {1, 1, 0});
    const int bins = m_draw.of({1, 4, 8, 16, 32, 64});
    const Type kept = histogram ? m_draw.of({Type::u32, Type::i32, Type::u64}) : given;
    const Id out = b.parameter(name({"bins", "total", "counts", "table", "result"}), kept, SymbolKind::output,
                               {static_cast<std::uint32_t>(bins), 0, 0});
    if (m_draw.chance(40)) scalar(element);
    extents();
    constexpr std::array<std::string_view, 6> words{"add", "min", "max", "and", "or", "xor"};
    const std::string_view called = words[static_cast<std::size_t>(how)];
    word(histogram ? "histogram" : "atomic_" + std::string(called));
    word(m_draw.of<std::string_view>({"of_values", "by_key", "of_samples", "into_bins"}));
    const auto of_thread = [&] { return bins == 1 ? whole(0) : b.binary({Op::rem, i(), whole(bins)}); };
    Id index = nothing;
    if (histogram) {
        op("histogram");
        if (is_float(element)) {
            const Id scaled = b.binary({Op::mul, b.binary({Op::add, b.load({x, i()}), b.literal(element, 4)}),
                                        b.literal(element, bins / 8.0)});
            index = b.let({fresh_name("bin"), to_integer(scaled, 0, bins - 1)});
        } else {
            index =
                b.let({fresh_name("bin"), b.binary({Op::rem, plain(element, 2), b.literal(element, bins)})});
        }
        index = read(index);
    }
    const auto act = [&] {
        const Id at = index != nothing ? index : of_thread();
        const Id value =
            histogram ? b.literal(kept, m_draw.between(1, 3)) : plain(kept, m_draw.between(1, 3));
        b.atomic(how, out, at, value);
    };
    if (m_draw.chance(30)) {
        const Id yes = condition(element, 2);
        b.branch(yes, act);
    } else {
        act();
    }
}

void Maker::iir() {
    const Type type = float_type();
    const Id in = b.parameter(name({"x", "input", "samples", "signal"}), type, SymbolKind::input, {1, 1, 1});
    const bool scaled = m_draw.chance(40);
    if (scaled) input(type, {1, 1, 0});
    const Id out = output(type, {1, 1, 1});
    if (m_draw.chance(50)) scalar(type);
    extents();
    const int sections = m_draw.between(1, 2);
    const bool backward = m_draw.chance(50), border = m_draw.chance(50);
    word(backward ? "anticausal" : "causal");
    word("recursive_filter");
    op("iir");
    op(border ? "clamp border" : "zero border");
    const auto l = [&](double v) { return b.literal(type, v); };
    const auto coefficient = [&](int most) { return m_draw.between(-most, most) / 128.0; };
    const Id first = backward ? b.binary({Op::sub, m(), whole(1)}) : whole(0);
    const Id edge = border ? b.let({name({"edge", "first", "begin"}), b.load({in, row(first)})}) : nothing;
    const auto start = [&] { return border ? read(edge) : l(0); };
    struct Section {
        int order;
        Id x1, y1, y2;
        double b0, b1, a1, a2;
    };
    std::vector<Section> made;
    for (int s = 0; s < sections; ++s) {
        Section section{m_draw.between(1, 2), nothing,          nothing,         nothing,
                        coefficient(128),     coefficient(100), coefficient(80), coefficient(40)};
        if (section.b0 == 0) section.b0 = 0.5;
        if (section.b1 != 0) section.x1 = b.let({fresh_name("x1"), start()});
        section.y1 = b.let({fresh_name("y1"), start()});
        if (section.order == 2) section.y2 = b.let({fresh_name("y2"), start()});
        made.push_back(section);
    }
    const Id after = m_draw.chance(60) ? plain(type, 2) : nothing;
    const Op applied = m_draw.of({Op::add, Op::mul, Op::sub});
    const bool rectified = m_draw.chance(25);
    const Id j = b.add_symbol("j", Type::i32, SymbolKind::loop);
    const auto body = [&] {
        Id value = b.let({fresh_name("value"), b.load({in, row(read(j))})});
        if (scaled && m_draw.chance(60)) b.assign(value, b.binary({Op::mul, read(value), plain(type, 1)}));
        for (const Section& s : made) {
            Id sum = b.binary({Op::mul, l(s.b0), read(value)});
            if (s.x1 != nothing) sum = b.binary({Op::add, sum, b.binary({Op::mul, l(s.b1), read(s.x1)})});
            sum = b.binary({Op::sub, sum, b.binary({Op::mul, l(s.a1), read(s.y1)})});
            if (s.order == 2) sum = b.binary({Op::sub, sum, b.binary({Op::mul, l(s.a2), read(s.y2)})});
            const Id y = b.let({fresh_name("y0"), sum});
            if (s.x1 != nothing) b.assign(s.x1, read(value));
            if (s.order == 2) b.assign(s.y2, read(s.y1));
            b.assign(s.y1, read(y));
            value = y;
        }
        Id kept = read(value);
        if (rectified) kept = absolute(kept);
        b.store({out, row(read(j)), after == nothing ? kept : b.binary({applied, kept, after})});
    };
    if (backward)
        b.loop(j, b.binary({Op::sub, m(), whole(1)}), whole(0), -1, body);
    else
        b.loop(j, whole(0), m(), 1, body);
}

void Maker::pool() {
    const Type type = m_draw.chance(85) ? float_type() : m_draw.of({Type::i32, Type::u32});
    const Id in = b.parameter(name({"x", "input", "rows", "image"}), type, SymbolKind::input, {1, 1, 1});
    if (m_draw.chance(40)) input(type, {1, 1, 0});
    const Id out = output(type, {1, 1, 1});
    if (m_draw.chance(30)) scalar(type);
    extents();
    const int size = m_draw.between(2, 5), stride = m_draw.between(1, 3), dilation = m_draw.between(1, 2);
    const int padding = m_draw.between(0, size / 2);
    const int kind = is_float(type) ? m_draw.below(4) : m_draw.below(3);  // max, min, sum, mean
    constexpr std::array<std::string_view, 4> words{"max", "min", "sum", "mean"};
    word(words[static_cast<std::size_t>(kind)]);
    word("pool");
    word(m_draw.of<std::string_view>({"rows", "lines", "windows"}));
    op("pool");
    // Windows whose first sample lies on the line: ceil(m / stride) of them.
    const Id j = b.add_symbol("j", Type::i32, SymbolKind::loop),
             k = b.add_symbol("k", Type::i32, SymbolKind::loop);
    const Id windows =
        b.let({fresh_name("windows"),
               b.binary({Op::div, b.binary({Op::add, m(), whole(stride - 1)}), whole(stride)})});
    const Id after = m_draw.chance(50) ? plain(type, 2) : nothing;
    const Op applied = m_draw.of({Op::add, Op::mul, Op::sub});
    const bool weighted = m_draw.chance(40);
    const Id weight = weighted ? b.let({fresh_name("weight"), plain(type, 1)}) : nothing;
    b.loop(j, whole(0), read(windows), 1, [&] {
        // The window's first sample starts a maximum; a sum starts at zero.
        const auto clamped = [&](Id at) {
            Id inside = b.function({Op::min, {at, b.binary({Op::sub, m(), whole(1)})}});
            if (padding > 0) inside = b.function({Op::max, {inside, whole(0)}});
            return inside;
        };
        const auto position = [&](Id tap) {
            Id at = b.binary({Op::mul, read(j), whole(stride)});
            if (tap != nothing)
                at = b.binary({Op::add, at, dilation == 1 ? tap : b.binary({Op::mul, tap, whole(dilation)})});
            return padding > 0 ? b.binary({Op::sub, at, whole(padding)}) : at;
        };
        const auto sample = [&](Id at) {
            const Id value = b.load({in, row(at)});
            return weighted ? combine({Op::mul, value, read(weight)}) : value;
        };
        const Id best =
            b.let({fresh_name("best"), kind < 2 ? sample(clamped(position(nothing))) : b.literal(type, 0)});
        b.loop(k, whole(kind < 2 ? 1 : 0), whole(size), 1, [&] {
            if (kind < 2) {
                b.assign(best, b.function({kind == 0 ? Op::max : Op::min,
                                           {read(best), sample(clamped(position(read(k))))}}));
                return;
            }
            const Id at = b.let({fresh_name("at_sample"), position(read(k))});
            Id inside = b.binary({Op::lt, read(at), m()});
            if (padding > 0)
                inside = b.binary({Op::logical_and, b.binary({Op::ge, read(at), whole(0)}), inside});
            b.branch(inside, [&] { b.assign(best, combine({Op::add, read(best), sample(read(at))})); });
        });
        Id value = kind == 3 ? b.binary({Op::div, read(best), b.literal(type, size)}) : read(best);
        if (after != nothing) value = combine({applied, value, after});
        b.store({out, row(read(j)), value});
    });
}

}  // namespace workbench::synth
