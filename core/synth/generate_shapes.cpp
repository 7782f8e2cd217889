// SPDX-License-Identifier: MIT
// Categories of kernels on vectors and matrices, and of threads that work together.
#include "core/synth/maker.h"

namespace workbench::synth {

void Maker::vector() {
    const int r = m_draw.between(2, 4);
    const Type type = vector_of(r);
    const Id a =
        b.parameter(name({"a", "positions", "u", "normals", "points"}), type, SymbolKind::input, {1, 1, 0});
    const Id c =
        b.parameter(name({"b", "directions", "v", "velocities"}), type, SymbolKind::input, {1, 1, 0});
    if (m_draw.chance(40)) input(Type::f32, {1, 1, 0});
    const int kind = m_draw.below(5);
    const bool scalar_out = kind == 0 || kind == 3;
    const Id out = output(scalar_out ? Type::f32 : type, {1, 1, 0});
    if (m_draw.chance(60)) scalar(Type::f32);
    extents();
    std::vector<Id> known;
    const Id p = b.let({name({"p", "left_one", "first"}), b.load({a, i()})});
    const Id q = b.let({name({"q", "right_one", "second"}), b.load({c, i()})});
    known = {p, q};
    const auto component = [&] {
        const int number = m_draw.below(r);  // before the vector: a call's arguments have no order
        return b.component(read(m_draw.of(known)), number);
    };
    // A vector: one that is known, or a sum or a multiple of such.
    const auto any = [&](auto self, int depth) -> Id {
        if (depth <= 0) return read(m_draw.of(known));
        const int k = m_draw.below(10);
        if (k < 4) {
            const Op op = m_draw.of({Op::add, Op::sub, Op::mul});
            const Id left = self(self, depth - 1), right = self(self, depth - 1);
            return b.binary({op, left, right});
        }
        if (k < 7) {
            const Id left = self(self, depth - 1), right = plain(Type::f32, 1);
            return b.binary({Op::mul, left, right});
        }
        if (k < 8) return b.unary(Op::neg, self(self, depth - 1));
        if (k < 9 && r == 3) {
            const Id left = self(self, depth - 1), right = self(self, depth - 1);
            return b.function({Op::cross, {left, right}});
        }
        std::vector<Id> parts;
        for (int k2 = 0; k2 < r; ++k2) parts.push_back(m_draw.chance(60) ? component() : plain(Type::f32, 1));
        return b.make(type, parts);
    };
    if (m_draw.chance(50)) known.push_back(b.let({name({"mixed", "moved", "h"}), any(any, 2)}));
    const auto one = [&](int depth) { return any(any, depth); };
    switch (kind) {
        case 0: {
            word("dot");
            const Id left = one(2), right = one(1), behind = plain(Type::f32, 1);
            b.store(
                {out, i(),
                 b.binary({m_draw.of({Op::add, Op::mul}), b.function({Op::dot, {left, right}}), behind})});
            break;
        }
        case 1: {
            word(r == 3 ? "cross" : "combine");
            const Id left = one(2), right = one(2);
            b.store({out, i(),
                     r == 3 ? b.function({Op::cross, {left, right}})
                            : b.binary({m_draw.of({Op::add, Op::sub, Op::mul}), left, right})});
            break;
        }
        case 2: {
            word("normalize");
            // The vector of ones, and more, is never short.
            std::vector<Id> parts;
            for (int k = 0; k < r; ++k) parts.push_back(away_from_zero({component(), 0.5}));
            const Id value = b.function({Op::normalize, {b.make(type, parts)}});
            const Id other = one(1);
            b.store({out, i(),
                     m_draw.chance(40) ? value : b.binary({m_draw.of({Op::add, Op::sub}), value, other})});
            break;
        }
        case 3: {
            word("length");
            const Id of = one(2), behind = plain(Type::f32, 2);
            b.store({out, i(),
                     b.binary({m_draw.of({Op::add, Op::sub}), b.function({Op::length, {of}}), behind})});
            break;
        }
        default: {
            word("move");
            const Id from = one(1), by = one(2), factor = plain(Type::f32, 2);
            b.store({out, i(), b.binary({Op::add, from, b.binary({Op::mul, by, factor})})});
        }
    }
    word(m_draw.of<std::string_view>({"vectors", "points", "directions"}));
}

void Maker::matrix() {
    const int r = m_draw.between(2, 4);
    const Type matrix = matrix_of(r), vector = vector_of(r);
    const int kind = m_draw.below(5);
    const Id a = b.parameter(name({"a", "transforms", "matrices"}), matrix, SymbolKind::input, {1, 1, 0});
    const Id c = b.parameter(name({"b", "bases", "others"}), matrix, SymbolKind::input, {1, 1, 0});
    const bool vectors = kind == 0 || kind == 4;
    const Id v = vectors ? b.parameter(name({"v", "points", "columns"}), vector, SymbolKind::input, {1, 1, 0})
                         : nothing;
    if (m_draw.chance(40)) input(Type::f32, {1, 1, 0});
    const Id out = output(kind == 0 ? vector : kind == 3 ? Type::f32 : matrix, {1, 1, 0});
    if (m_draw.chance(60)) scalar(Type::f32);
    extents();
    const Id p = b.let({name({"p", "first"}), b.load({a, i()})}),
             q = b.let({name({"q", "second"}), b.load({c, i()})});
    const auto any = [&](auto self, int depth) -> Id {
        if (depth <= 0) return read(m_draw.chance(50) ? p : q);
        const int k = m_draw.below(10);
        if (k < 4) {
            const Op op = m_draw.of({Op::add, Op::sub});
            const Id left = self(self, depth - 1), right = self(self, depth - 1);
            return b.binary({op, left, right});
        }
        if (k < 7) {
            const Id left = self(self, depth - 1), right = plain(Type::f32, 1);
            return b.binary({Op::mul, left, right});
        }
        if (k < 9) return b.function({Op::transpose, {self(self, depth - 1)}});
        const Id left = self(self, depth - 1), right = self(self, depth - 1);
        return b.function({Op::matmat, {left, right}});
    };
    const auto one = [&](int depth) { return any(any, depth); };
    const auto column = [&](Id of) {
        if (m_draw.chance(40)) return of;
        const Id factor = plain(Type::f32, 1);
        return b.binary({Op::mul, of, factor});
    };
    switch (kind) {
        case 0: {
            word("matvec");
            const Id left = one(2), right = column(b.load({v, i()}));
            const Id made = b.function({Op::matvec, {left, right}});
            b.store({out, i(),
                     m_draw.chance(50)
                         ? made
                         : b.binary({m_draw.of({Op::add, Op::sub}), made, column(b.load({v, i()}))})});
            break;
        }
        case 1: {
            word("matmat");
            const Id left = one(2), right = one(1);
            b.store({out, i(), b.function({Op::matmat, {left, right}})});
            break;
        }
        case 2: {
            word("transpose");
            const Id of = one(2), other = one(1);
            const Op how = m_draw.of({Op::add, Op::sub});
            b.store({out, i(), b.binary({how, b.function({Op::transpose, {of}}), other})});
            break;
        }
        case 3: {
            word("determinant");
            const Id of = one(1), behind = plain(Type::f32, 2);
            b.store({out, i(),
                     b.binary({m_draw.of({Op::add, Op::sub, Op::mul}), b.function({Op::determinant, {of}}),
                               behind})});
            break;
        }
        default: {
            word("outer");
            const Id left = column(b.load({v, i()})), right = column(b.load({v, i()})), other = one(1);
            const Op how = m_draw.of({Op::add, Op::sub});
            b.store({out, i(), b.binary({how, b.function({Op::outer, {left, right}}), other})});
        }
    }
    word(m_draw.of<std::string_view>({"small_matrices", "transforms", "frames"}));
}

void Maker::block() {
    b.tree().is_block = true;
    m_neighbours = false;
    const Type type = m_draw.chance(70) ? Type::f32 : m_draw.of({Type::f64, Type::i32, Type::u32});
    const Id x = input(type, {1, 1, 0});
    if (m_draw.chance(40)) input(type, {1, 1, 0});
    const int kind = m_draw.below(4);
    const Id out = output(type, {1, 1, 0});
    if (m_draw.chance(40)) scalar(type);
    extents();
    // Threads beyond n take part with the first element's value.
    const Id inside = b.let({fresh_name("is_inside"), b.binary({Op::lt, i(), n()})});
    const Id at = b.let({fresh_name("at_own"), b.select({read(inside), i(), whole(0)})});
    const Id own = b.let({name({"own", "value", "mine"}), b.load({x, read(at)})});
    const std::vector<Id> inputs = std::exchange(m_inputs, {});
    m_values.push_back(own);
    const Id lane = b.let({fresh_name("t"), b.cast(Type::i32, b.leaf(Op::thread))});
    Id value = b.let({name({"prepared", "given", "start"}), plain(type, 2)});
    m_values.push_back(value);
    const auto joined = [&](Id left, Id right) {
        return m_draw.chance(60) ? combine({m_draw.of({Op::add, Op::sub, Op::add}), left, right})
                                 : b.function({m_draw.of({Op::min, Op::max}), {left, right}});
    };
    Id result = nothing;
    if (kind == 0) {
        // A tree of sums or extremes in shared memory.
        word("block_reduce");
        op("shared reduction");
        const Id tile = b.add_symbol(name({"tile", "cache", "buffer"}), type, SymbolKind::shared, {64, 0, 0});
        b.declare(tile);
        b.store({tile, read(lane), read(value)});
        b.barrier();
        const bool adds = m_draw.chance(50);
        const Op extreme = m_draw.of({Op::min, Op::max});
        const int last = m_draw.of({1, 1, 4, 8});
        for (int s = 32; s >= last; s /= 2) {
            b.branch(b.binary({Op::lt, read(lane), whole(s)}), [&] {
                const Id mine = b.load({tile, read(lane)});
                const Id theirs = b.load({tile, b.binary({Op::add, read(lane), whole(s)})});
                b.store({tile, read(lane),
                         adds ? combine({Op::add, mine, theirs}) : b.function({extreme, {mine, theirs}})});
            });
            b.barrier();
        }
        result = b.load({tile, last == 1 ? whole(0) : b.binary({Op::bit_and, read(lane), whole(last - 1)})});
    } else if (kind == 1) {
        // Neighbours, by way of shared memory.
        word("tile_neighbours");
        op("shared tile");
        const Id tile = b.add_symbol(name({"tile", "cache", "buffer"}), type, SymbolKind::shared, {64, 0, 0});
        b.declare(tile);
        b.store({tile, read(lane), read(value)});
        b.barrier();
        const auto neighbour = [&] {
            return b.load(
                {tile, b.binary({Op::bit_and, b.binary({Op::add, read(lane), whole(m_draw.between(1, 63))}),
                                 whole(63)})});
        };
        const Id first = neighbour(), second = neighbour();
        result = joined(first, second);
        if (m_draw.chance(50)) {
            const Id third = neighbour();
            result = joined(result, third);
        }
    } else if (kind == 2) {
        word("warp_reduce");
        op("shuffle");
        const Op how = m_draw.of({Op::shuffle_xor, Op::shuffle_down, Op::shuffle_up});
        const bool adds = m_draw.chance(50);
        const Op extreme = m_draw.of({Op::min, Op::max});
        Id state = value;
        const int last = m_draw.of({1, 1, 2, 4});
        for (int s = m_draw.of({16, 16, 8}); s >= last; s /= 2) {
            const Id other = b.let({fresh_name("other"), b.function({how, {read(state), whole(s)}})});
            state = b.let({fresh_name("state"), adds ? combine({Op::add, read(state), read(other)})
                                                     : b.function({extreme, {read(state), read(other)}})});
        }
        result = read(state);
    } else {
        word("warp_vote");
        op("vote");
        const Op how = m_draw.of({Op::vote_any, Op::vote_all, Op::ballot});
        const Id test = condition(type, 2);
        const Id vote = b.let({fresh_name("vote"), b.function({how, {test}})});
        if (how == Op::ballot) {
            const Id bits =
                b.binary({Op::bit_and, read(vote), b.literal(Type::u32, m_draw.of({255, 15, 4095}))});
            result = combine({Op::add, b.cast(type, bits), plain(type, 1)});
        } else {
            const Id yes = plain(type, 2), no = plain(type, 2);
            result = b.select({read(vote), yes, no});
        }
    }
    word(m_draw.of<std::string_view>({"values", "samples", "of_block", "elements"}));
    const Id total = b.let({name({"total", "found", "combined"}), result});
    m_values.push_back(total);
    const Id stored = plain(type, m_draw.between(1, 2));
    b.branch(read(inside), [&] { b.store({out, i(), combine({Op::add, read(total), stored})}); });
}

}  // namespace workbench::synth
