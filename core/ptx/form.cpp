// SPDX-License-Identifier: MIT
#include "core/ptx/form.h"

#include <algorithm>
#include <array>

namespace workbench::ptx {

Pieces::Pieces(std::string_view opcode) {
    m_base = opcode.substr(0, opcode.find('.'));
    std::size_t at = m_base.size();
    while (at < opcode.size()) {
        const std::size_t next = std::min(opcode.find('.', at + 1), opcode.size());
        m_pieces.push_back(opcode.substr(at + 1, next - at - 1));
        at = next;
    }
}

bool Pieces::take(std::string_view piece) {
    if (next() != piece || is_empty()) return false;
    ++m_at;
    return true;
}

Type Pieces::take_type() {
    const Type type = type_named(next());
    if (type != Type::none) ++m_at;
    return type;
}

std::string_view Pieces::take_any() {
    const std::string_view piece = next();
    if (!is_empty()) ++m_at;
    return piece;
}

std::optional<Form> form_of(std::string_view opcode) {
    constexpr std::array parts{read_integer_form, read_bit_form,    read_float_form,  read_compare_form,
                               read_convert_form, read_memory_form, read_control_form};
    for (const auto read : parts) {
        Pieces pieces(opcode);
        Form form;
        if (read(pieces, form) && pieces.is_empty()) return form;
    }
    return std::nullopt;
}

LoopKey key_of(const Form& form, unsigned width_d, unsigned width_a) {
    return {.loop = form.loop,
            .type = form.type,
            .type2 = form.type2,
            .flags = form.flags,
            .op = form.op,
            .rounding = form.rounding,
            .width_d = static_cast<std::uint8_t>(width_d),
            .width_a = static_cast<std::uint8_t>(width_a)};
}

LaneFunction find_loop(const LoopKey& key) {
    using Find = decltype(&baseline::find_integer_loop);
    static constexpr Find plain[7] = {baseline::find_integer_loop, baseline::find_bit_loop,
                                      baseline::find_float_loop,   baseline::find_half_loop,
                                      baseline::find_move_loop,    baseline::find_compare_loop,
                                      baseline::find_convert_loop};
#if defined(IIR2D_PTX_AVX2)
    static constexpr Find fast[7] = {avx2::find_integer_loop, avx2::find_bit_loop,  avx2::find_float_loop,
                                     avx2::find_half_loop,    avx2::find_move_loop, avx2::find_compare_loop,
                                     avx2::find_convert_loop};
    const Find* const from = loops_target() == "AVX2" ? fast : plain;
#else
    const Find* const from = plain;
#endif
    if (key.loop == Loop::setp || key.loop == Loop::set) return from[5](key);
    if (key.loop == Loop::cvt || key.loop == Loop::cvt_pair) return from[6](key);
    for (std::size_t k = 0; k < 5; ++k) {
        if (const LaneFunction found = from[k](key)) return found;
    }
    return nullptr;
}

}  // namespace workbench::ptx
