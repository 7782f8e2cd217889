// SPDX-License-Identifier: MIT
// Vectors and matrices, as prelude.cpp prints them.
#include <algorithm>

#include "core/synth/lanes.h"

namespace workbench::synth {

void Lanes::put(Value& to, int component, const Value& from) {
    const auto at = static_cast<std::size_t>(component) * lanes;
    std::copy_n(from.slots, lanes, to.slots + at);
    if (from.extra && !to.extra) {
        const auto count = static_cast<std::size_t>(info(to.type).components) * lanes;
        to.extra = m_store.extras(count);
        std::fill_n(to.extra, count, 0.0);
    }
    if (from.extra) std::copy_n(from.extra, lanes, to.extra + at);
}

Value Lanes::product(Mask mask, const Value& a, int i, const Value& b, int j) {
    return operate(Op::mul, mask, a.at(i, Type::f32), b.at(j, Type::f32));
}

Value Lanes::sum_of_products(Mask mask, const Value& a, int at_a, int step_a, const Value& b, int at_b,
                             int step_b, int count) {
    Value made = product(mask, a, at_a, b, at_b);
    for (int k = 1; k < count; ++k)
        made = operate(Op::add, mask, made, product(mask, a, at_a + k * step_a, b, at_b + k * step_b));
    return made;
}

Value Lanes::determinant(Mask mask, const Value& a, int r) {
    const auto cofactor = [&](int i, int j, int k, int l) {
        return operate(Op::sub, mask, product(mask, a, i, a, j), product(mask, a, k, a, l));
    };
    // By the row `row`, of the columns c: the next two rows follow it.
    const auto third = [&](int row, int c0, int c1, int c2) {
        const int n = row * r, p = n + r, q = p + r;
        const auto term = [&](int x, int y, int z) {
            return operate(Op::mul, mask, a.at(n + x, Type::f32), cofactor(p + y, q + z, p + z, q + y));
        };
        const Value difference = operate(Op::sub, mask, term(c0, c1, c2), term(c1, c0, c2));
        return operate(Op::add, mask, difference, term(c2, c0, c1));
    };
    if (r == 2) return cofactor(0, 3, 1, 2);
    if (r == 3) return third(0, 0, 1, 2);
    Value made = fill_number(Type::f32, 0);
    constexpr int columns[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    for (int c = 0; c < 4; ++c) {
        const auto& [x, y, z] = columns[c];
        const Value term = operate(Op::mul, mask, a.at(c, Type::f32), third(1, x, y, z));
        made = operate(c % 2 ? Op::sub : Op::add, mask, made, term);
    }
    return made;
}

Value Lanes::wide_operate(Op op, Mask mask, const Value& a, const Value& b, Type result) {
    const int r = rank(a.type);
    const int count = info(a.type).components;
    if (op == Op::determinant) return determinant(mask, a, r);
    if (op == Op::dot) return sum_of_products(mask, a, 0, 1, b, 0, 1, r);
    if (op == Op::length) return operate(Op::sqrt, mask, sum_of_products(mask, a, 0, 1, a, 0, 1, r));
    Value made = fresh(result);
    switch (op) {
        case Op::cross:
            for (int k = 0; k < 3; ++k) {
                const int i = (k + 1) % 3, j = (k + 2) % 3;
                put(made, k, operate(Op::sub, mask, product(mask, a, i, b, j), product(mask, a, j, b, i)));
            }
            break;
        case Op::normalize: {
            const Value s = operate(Op::sqrt, mask, sum_of_products(mask, a, 0, 1, a, 0, 1, r));
            for (int k = 0; k < r; ++k) put(made, k, operate(Op::div, mask, a.at(k, Type::f32), s));
            break;
        }
        case Op::matvec:
            for (int k = 0; k < r; ++k) put(made, k, sum_of_products(mask, a, k * r, 1, b, 0, 1, r));
            break;
        case Op::matmat:
            for (int k = 0; k < r * r; ++k) {
                Value s = fill_number(Type::f32, 0);
                for (int j = 0; j < r; ++j)
                    s = operate(Op::add, mask, s, product(mask, a, k / r * r + j, b, j * r + k % r));
                put(made, k, s);
            }
            break;
        case Op::transpose:
            for (int k = 0; k < r * r; ++k) put(made, k, a.at(k % r * r + k / r, Type::f32));
            break;
        case Op::outer:
            for (int k = 0; k < r * r; ++k) put(made, k, product(mask, a, k / r, b, k % r));
            break;
        default:  // element-wise
            for (int k = 0; k < count; ++k) {
                const Value x = a.at(k, Type::f32);
                if (!b.slots)
                    put(made, k, operate(op, mask, x));
                else
                    put(made, k, operate(op, mask, x, is_scalar(b.type) ? b : b.at(k, Type::f32)));
            }
    }
    return made;
}

}  // namespace workbench::synth
