// SPDX-License-Identifier: MIT
#include "core/synth/machine.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace workbench::synth {

namespace {

std::uint64_t combined(AtomicOp op, Type type, std::uint64_t a, std::uint64_t b) {
    const bool narrow = info(type).bytes == 4;
    const auto is_less = [&] {
        if (type == Type::i32) return static_cast<std::int32_t>(b) < static_cast<std::int32_t>(a);
        if (type == Type::i64) return static_cast<std::int64_t>(b) < static_cast<std::int64_t>(a);
        return b < a;
    };
    switch (op) {
        case AtomicOp::add:
            return narrow ? static_cast<std::uint32_t>(a + b) : a + b;
        case AtomicOp::min:
            return is_less() ? b : a;
        case AtomicOp::max:
            return is_less() ? a : b;
        case AtomicOp::bit_and:
            return a & b;
        case AtomicOp::bit_or:
            return a | b;
        case AtomicOp::bit_xor:
            return a ^ b;
    }
    return a;
}

}  // namespace

bool MachineState::place(const Variable& array, const Symbol& symbol, const Value& index, std::size_t lane,
                         std::size_t& at) {
    std::uint64_t k = 0;
    switch (index.type) {
        case Type::i32:
            k = static_cast<std::uint64_t>(static_cast<std::int64_t>(index.of<std::int32_t>()[lane]));
            break;
        case Type::u32:
            k = index.of<std::uint32_t>()[lane];
            break;
        default:
            k = index.slots[lane];
    }
    if (k >= array.count) {
        fault("the index " + std::to_string(static_cast<std::int64_t>(k)) + " of " + symbol.name +
              " is out of bounds: it has " + std::to_string(array.count) + " elements");
        return false;
    }
    const auto components = static_cast<std::size_t>(info(symbol.type).components);
    at = (symbol.kind == SymbolKind::array ? lane * array.count + k : k) * components;
    return true;
}

Value MachineState::load(const Expr& e, const Value& index, Mask mask) {
    const Variable& array = m_variables[e.symbol];
    const Symbol& symbol = m_tree.symbols[e.symbol];
    Value made = m_lanes.fresh(e.type);
    const auto components = static_cast<std::size_t>(info(e.type).components);
    std::fill_n(made.slots, lanes * components, 0);
    double* extra = nullptr;
    const bool narrow = info(e.type).bytes == 4 && computed(element(e.type)) != Type::f64;
    each_lane(mask, [&](std::size_t k) {
        std::size_t at = 0;
        if (!place(array, symbol, index, k, at)) return;
        for (std::size_t c = 0; c < components; ++c) {
            if (narrow)
                made.of<std::uint32_t>(c)[k] = static_cast<std::uint32_t>(array.slots[at + c]);
            else
                made.of<std::uint64_t>(c)[k] = array.slots[at + c];
            const double e_at = array.extra && is_float(e.type) ? array.extra[at + c] : 0;
            if (e_at != 0) {
                if (!extra) {
                    extra = m_store.extras(lanes * components);
                    std::fill_n(extra, lanes * components, 0.0);
                }
                extra[c * lanes + k] = e_at;
            }
        }
    });
    made.extra = extra;
    return made;
}

void MachineState::write(const Stmt& s, const Value& index, const Value& value, Mask mask) {
    Variable& array = m_variables[s.symbol];
    const Symbol& symbol = m_tree.symbols[s.symbol];
    const auto components = static_cast<std::size_t>(info(symbol.type).components);
    const bool narrow = info(symbol.type).bytes == 4 && computed(element(symbol.type)) != Type::f64;
    each_lane(mask, [&](std::size_t k) {
        std::size_t at = 0;
        if (!place(array, symbol, index, k, at)) return;
        for (std::size_t c = 0; c < components; ++c) {
            const std::uint64_t bits = narrow ? value.of<std::uint32_t>(c)[k] : value.of<std::uint64_t>(c)[k];
            const double extra = value.extra ? value.extra[c * lanes + k] : 0;
            if (s.kind == StmtKind::atomic) {
                m_additions.push_back(
                    {s.symbol, s.atomic, static_cast<std::uint32_t>(k), at + c, bits, extra});
            } else {
                array.slots[at + c] = bits;
                if (array.extra) array.extra[at + c] = extra;
            }
        }
    });
}

void MachineState::add_up() {
    std::stable_sort(m_additions.begin(), m_additions.end(),
                     [](const Addition& a, const Addition& b) { return a.lane < b.lane; });
    for (const Addition& a : m_additions) {
        Variable& array = m_variables[a.array];
        const Type type = m_tree.symbols[a.array].type;
        std::uint64_t& slot = array.slots[a.index];
        if (is_float(type)) {
            count(a, type, slot);
            if (computed(type) == Type::f32)
                slot = std::bit_cast<std::uint32_t>(std::bit_cast<float>(static_cast<std::uint32_t>(slot)) +
                                                    std::bit_cast<float>(static_cast<std::uint32_t>(a.bits)));
            else
                slot =
                    std::bit_cast<std::uint64_t>(std::bit_cast<double>(slot) + std::bit_cast<double>(a.bits));
            if (array.extra) array.extra[a.index] += a.extra;
        } else {
            slot = combined(a.op, type, slot, a.bits);
        }
    }
    m_additions.clear();
}

double MachineState::as_double(Type type, std::uint64_t bits) const {
    return literal_value({.type = computed(type), .bits = bits});
}

void MachineState::count(const Addition& a, Type type, std::uint64_t before) {
    if (m_how.mode != Mode::bounds) return;
    Sums& sums = m_sums[a.array];
    if (sums.terms.empty()) {
        sums.terms.resize(m_variables[a.array].count, 0);
        sums.absolute.resize(m_variables[a.array].count, 0);
    }
    if (sums.terms[a.index] == 0) sums.absolute[a.index] = std::abs(as_double(type, before));
    sums.terms[a.index] += 1;
    sums.absolute[a.index] += std::abs(as_double(type, a.bits));
}

void MachineState::finish_sums() {
    for (Id id = 0; id < m_sums.size(); ++id) {
        const Sums& sums = m_sums[id];
        const bool narrow = m_tree.symbols[id].type == Type::f32;
        for (std::size_t k = 0; k < sums.terms.size(); ++k) {
            if (!m_variables[id].extra) continue;
            // One term is added to what is there in one way, but for its own error.
            if (sums.terms[k] < 2 && m_variables[id].extra[k] == 0) continue;
            m_variables[id].extra[k] += sums.terms[k] * ((narrow ? 0x1p-23 : 0x1p-52) * sums.absolute[k] +
                                                         (narrow ? 0x1p-126 : 0x1p-1022));
        }
    }
}

}  // namespace workbench::synth
