// SPDX-License-Identifier: MIT
// Atomics: one lane after the other, from the lowest.
#include <bit>
#include <cstring>

#include "core/ptx/half.h"
#include "core/ptx/machine.h"

namespace workbench::ptx {

namespace {

float float_of(std::uint64_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

std::uint64_t half_sum(std::uint64_t a, std::uint64_t b, const Format& format) {
    return narrowed(sum_to_odd(widened(static_cast<std::uint32_t>(a & 0xffffU), format),
                               widened(static_cast<std::uint32_t>(b & 0xffffU), format)),
                    format, Rounding::nearest);
}

std::uint64_t sum(Type type, std::uint64_t a, std::uint64_t b) {
    switch (type) {
        case Type::f32: {
            const float made = float_of(a) + float_of(b);
            return made == made ? std::bit_cast<std::uint32_t>(made) : 0x7fffffffU;
        }
        case Type::f64:
            return std::bit_cast<std::uint64_t>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
        case Type::f16:
            return half_sum(a, b, format_f16);
        case Type::bf16:
            return half_sum(a, b, format_bf16);
        case Type::f16x2:
            return half_sum(a, b, format_f16) | (half_sum(a >> 16U, b >> 16U, format_f16) << 16U);
        case Type::bf16x2:
            return half_sum(a, b, format_bf16) | (half_sum(a >> 16U, b >> 16U, format_bf16) << 16U);
        default:
            return a + b;
    }
}

bool is_less(Type type, std::uint64_t a, std::uint64_t b) {
    if (type == Type::s32) return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
    if (type == Type::s64) return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
    return a < b;
}

std::uint64_t changed(const Instruction& i, std::uint64_t held, std::uint64_t b, std::uint64_t c) {
    switch (static_cast<AtomicOp>(i.op)) {
        case AtomicOp::add:
            return sum(i.type, held, b);
        case AtomicOp::minimum:
            return is_less(i.type, b, held) ? b : held;
        case AtomicOp::maximum:
            return is_less(i.type, held, b) ? b : held;
        case AtomicOp::bit_and:
            return held & b;
        case AtomicOp::bit_or:
            return held | b;
        case AtomicOp::bit_xor:
            return held ^ b;
        case AtomicOp::exchange:
            return b;
        case AtomicOp::compare:
            return held == b ? c : held;
        case AtomicOp::increment:
            return held >= b ? 0 : held + 1;
        case AtomicOp::decrement:
            return held == 0 || held > b ? b : held - 1;
    }
    return held;
}

}  // namespace

void Machine::atomic(Warp& warp, const Group& group, const Instruction& i, std::uint32_t mask) {
    const unsigned bytes = bytes_of(i.type);
    Reach at;
    reach(warp, group, i, mask, bytes, at);
    Word* const frame = group.in->frame;
    for (unsigned lane = 0; lane < lanes; ++lane) {
        if ((mask & lane_bit(lane)) == 0) continue;
        ++m_counts.atomics;
        std::uint64_t held = 0;
        const bool reached = (at.mask & lane_bit(lane)) != 0;
        const bool allowed =
            reached && (at.space_of(lane) == Space::global || at.space_of(lane) == Space::shared);
        if (reached && !allowed)
            report(FindingKind::out_of_bounds, warp, lane, i, "changes memory that has no atomics",
                   at.space_of(lane), at.address[lane]);
        if (allowed) {
            if (m_all_checks) {
                check_read(warp, i, lane, at, bytes);
                check_race(warp, i, lane, at, bytes, AccessKind::atomic, nullptr);
                mark_written(warp, lane, at, bytes);
            } else if (Allocation* const allocation = at.allocation_of(lane)) {
                allocation->fresh = false;
            }
            std::memcpy(&held, at.host[lane], bytes);
            const std::uint64_t b = read_lane(frame, i.b, bytes, lane);
            const std::uint64_t c = i.c == no_operand ? 0 : read_lane(frame, i.c, bytes, lane);
            const std::uint64_t made = changed(i, held, b, c);
            std::memcpy(at.host[lane], &made, bytes);
        }
        if (i.d != no_operand) write_lane(frame, i.d, i.width_d, lane, held);
    }
}

}  // namespace workbench::ptx
