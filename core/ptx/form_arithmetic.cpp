// SPDX-License-Identifier: MIT
// Opcodes that compute: integers, bits, floating point.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "core/ptx/form.h"

namespace workbench::ptx {

namespace {

bool plain(Form& form, std::initializer_list<Type> operands) {
    form.shape = Shape::plain;
    form.count = 0;
    for (const Type type : operands) form.operands[form.count++] = type;
    return form.count > 0;
}

bool is_one_of(Type type, std::initializer_list<Type> types) {
    return std::ranges::find(types, type) != types.end();
}
bool is_word(Type type) {
    return is_one_of(type, {Type::u16, Type::s16, Type::u32, Type::s32, Type::u64, Type::s64});
}
bool is_long(Type type) {
    return is_one_of(type, {Type::u32, Type::s32, Type::u64, Type::s64});
}

Type twice(Type type) {
    switch (type) {
        case Type::u16:
            return Type::u32;
        case Type::s16:
            return Type::s32;
        case Type::u32:
            return Type::u64;
        case Type::s32:
            return Type::s64;
        default:
            return Type::none;
    }
}

// mul and mad.
bool read_product(Pieces& pieces, Form& form) {
    const bool adds = pieces.base() == "mad" || pieces.base() == "madc";
    const bool carry_in = pieces.base() == "madc";
    const std::string_view part = pieces.take_any();
    const bool carry_out = adds && part != "wide" && pieces.take("cc");
    const bool saturates = adds && part == "hi" && pieces.take("sat");
    const Type type = form.type = pieces.take_type();
    form.kind = Kind::integer;
    if (part == "wide") {
        if (carry_in || twice(type) == Type::none) return false;
        form.loop = adds ? Loop::mad_wide : Loop::mul_wide;
        return adds ? plain(form, {twice(type), type, type, twice(type)})
                    : plain(form, {twice(type), type, type});
    }
    if (part != "lo" && part != "hi") return false;
    const bool low = part == "lo";
    if (!is_word(type) || (saturates && type != Type::s32)) return false;
    if (carry_in || carry_out) {
        if (!is_long(type) || saturates) return false;
        form.carries = true;
        if (carry_in)
            form.loop = low ? (carry_out ? Loop::madc_lo_cc : Loop::madc_lo)
                            : (carry_out ? Loop::madc_hi_cc : Loop::madc_hi);
        else
            form.loop = low ? Loop::mad_lo_cc : Loop::mad_hi_cc;
        return plain(form, {type, type, type, type});
    }
    if (saturates)
        form.loop = Loop::mad_hi_sat;
    else if (adds)
        form.loop = low ? Loop::mad_lo : Loop::mad_hi;
    else
        form.loop = low ? Loop::mul_lo : Loop::mul_hi;
    return adds ? plain(form, {type, type, type, type}) : plain(form, {type, type, type});
}

// add, sub, addc, subc.
bool read_sum(Pieces& pieces, Form& form) {
    const bool subtracts = pieces.base().starts_with("sub");
    const bool carry_in = pieces.base().ends_with("c");
    const bool carry_out = pieces.take("cc");
    const bool saturates = !carry_in && !carry_out && pieces.take("sat");
    const Type type = form.type = pieces.take_type();
    form.kind = Kind::integer;
    if (saturates) {
        form.loop = subtracts ? Loop::sub_sat : Loop::add_sat;
        return type == Type::s32 && plain(form, {type, type, type});
    }
    if (!carry_in && !carry_out) {
        form.loop = subtracts ? Loop::sub : Loop::add;
        return is_word(type) && plain(form, {type, type, type});
    }
    form.carries = true;
    if (carry_in && carry_out)
        form.loop = subtracts ? Loop::subc_cc : Loop::addc_cc;
    else if (carry_in)
        form.loop = subtracts ? Loop::subc : Loop::addc;
    else
        form.loop = subtracts ? Loop::sub_cc : Loop::add_cc;
    return is_long(type) && plain(form, {type, type, type});
}

struct Rounded {
    bool given = false;
    Rounding rounding = Rounding::nearest;
};
Rounded take_rounding(Pieces& pieces) {
    for (const auto& [name, rounding] :
         std::array<std::pair<std::string_view, Rounding>, 4>{{{"rn", Rounding::nearest},
                                                               {"rz", Rounding::zero},
                                                               {"rm", Rounding::minus},
                                                               {"rp", Rounding::plus}}}) {
        if (pieces.take(name)) return {true, rounding};
    }
    return {};
}

struct FloatRow {
    std::string_view base;
    Loop loop;
    int sources;
    bool needs_rounding;  // has no form without
    bool saturates;
    bool halves;
};
constexpr std::array float_rows{
    FloatRow{"add", Loop::add, 2, false, true, true},    FloatRow{"sub", Loop::sub, 2, false, true, true},
    FloatRow{"mul", Loop::mul_lo, 2, false, true, true}, FloatRow{"fma", Loop::fma, 3, true, true, true},
    FloatRow{"mad", Loop::fma, 3, false, true, false},   FloatRow{"div", Loop::div, 2, true, false, false},
    FloatRow{"rcp", Loop::rcp, 1, true, false, false},   FloatRow{"sqrt", Loop::sqrt, 1, true, false, false}};

bool with_sources(Form& form, int sources) {
    const Type t = form.type;
    return sources == 1   ? plain(form, {t, t})
           : sources == 2 ? plain(form, {t, t, t})
                          : plain(form, {t, t, t, t});
}

bool read_rounded(Pieces& pieces, Form& form, const FloatRow& row) {
    const Rounded rounded = take_rounding(pieces);
    if (pieces.take("ftz")) form.flags |= flag_ftz;
    if (row.saturates && pieces.take("sat")) form.flags |= flag_saturate;
    if (row.loop == Loop::fma && row.halves && (form.flags & flag_saturate) == 0 && pieces.take("relu"))
        form.flags |= flag_relu;
    const Type type = form.type = pieces.take_type();
    form.loop = row.loop;
    form.rounding = rounded.rounding;
    if (is_half(type)) {
        const bool brain = type == Type::bf16 || type == Type::bf16x2;
        if (!row.halves || rounded.rounding != Rounding::nearest || (row.needs_rounding && !rounded.given))
            return false;
        if (brain && (form.flags & (flag_ftz | flag_saturate)) != 0) return false;
        form.kind = Kind::half;
        return with_sources(form, row.sources);
    }
    if ((type != Type::f32 && type != Type::f64) || (form.flags & flag_relu) != 0) return false;
    if (type == Type::f64 && form.flags != 0) return false;
    if (row.needs_rounding && !rounded.given) return false;
    form.kind = type == Type::f32 ? Kind::f32 : Kind::f64;
    form.handler = rounded.rounding == Rounding::nearest ? Handler::loop : Handler::rounded_loop;
    return with_sources(form, row.sources);
}

bool read_approximate(Pieces& pieces, Form& form) {
    const std::string_view base = pieces.base();
    const bool full = base == "div" && pieces.take("full");
    if (!full && !pieces.take("approx")) return false;
    if (pieces.take("ftz")) form.flags |= flag_ftz;
    form.type = pieces.take_type();
    form.kind = Kind::special;
    const bool ftz = form.flags != 0;
    if (form.type == Type::f64) {
        if (base == "rsqrt") form.loop = ftz ? Loop::rsqrt_gross : Loop::rsqrt_approx;
        if (base == "rcp" && ftz) form.loop = Loop::rcp_gross;
        return form.loop != Loop::none && with_sources(form, 1);
    }
    if (form.type != Type::f32) return false;
    struct Row {
        std::string_view base;
        Loop loop;
    };
    constexpr std::array rows{
        Row{"div", Loop::div_approx},     Row{"rcp", Loop::rcp_approx}, Row{"sqrt", Loop::sqrt_approx},
        Row{"rsqrt", Loop::rsqrt_approx}, Row{"sin", Loop::sin_approx}, Row{"cos", Loop::cos_approx},
        Row{"lg2", Loop::lg2_approx},     Row{"ex2", Loop::ex2_approx}, Row{"tanh", Loop::tanh_approx}};
    const auto* const row = std::ranges::find(rows, base, &Row::base);
    if (row == rows.end() || (base == "tanh" && ftz)) return false;
    form.loop = row->loop;
    return with_sources(form, base == "div" ? 2 : 1);
}

// neg, abs, min, max of floating point.
bool read_sign_or_extreme(Pieces& pieces, Form& form) {
    const std::string_view base = pieces.base();
    const bool extreme = base == "min" || base == "max";
    if (pieces.take("ftz")) form.flags |= flag_ftz;
    if (extreme && pieces.take("NaN")) form.flags |= flag_nan;
    form.type = pieces.take_type();
    form.loop = base == "min" ? Loop::min : base == "max" ? Loop::max : base == "neg" ? Loop::neg : Loop::abs;
    if (is_half(form.type)) {
        const bool brain = form.type == Type::bf16 || form.type == Type::bf16x2;
        if (brain && (form.flags & flag_ftz) != 0) return false;
        form.kind = Kind::half;
    } else if (form.type == Type::f32) {
        form.kind = Kind::f32;
    } else if (form.type == Type::f64) {
        form.kind = Kind::f64;
        if (form.flags != 0) return false;
    } else {
        return false;
    }
    return with_sources(form, extreme ? 2 : 1);
}

}  // namespace

bool read_integer_form(Pieces& pieces, Form& form) {
    const std::string_view base = pieces.base();
    if (base == "add" || base == "sub" || base == "addc" || base == "subc") return read_sum(pieces, form);
    if (base == "mul" || base == "mad" || base == "madc") return read_product(pieces, form);
    struct Row {
        std::string_view base;
        Loop loop;
        int sources;
        bool signed_only;
    };
    constexpr std::array rows{Row{"div", Loop::div, 2, false}, Row{"rem", Loop::rem, 2, false},
                              Row{"min", Loop::min, 2, false}, Row{"max", Loop::max, 2, false},
                              Row{"abs", Loop::abs, 1, true},  Row{"neg", Loop::neg, 1, true},
                              Row{"sad", Loop::sad, 3, false}};
    const auto* const row = std::ranges::find(rows, base, &Row::base);
    if (row == rows.end()) return false;
    form.type = pieces.take_type();
    form.loop = row->loop;
    if (base == "div" || base == "rem") form.handler = Handler::divide;
    return is_word(form.type) && (!row->signed_only || is_signed(form.type)) &&
           with_sources(form, row->sources);
}

bool read_bit_form(Pieces& pieces, Form& form) {
    const std::string_view base = pieces.base();
    form.kind = Kind::integer;
    if (base == "shf") {
        const bool left = pieces.take("l");
        if (!left && !pieces.take("r")) return false;
        if (pieces.take("wrap"))
            form.flags |= flag_shift_wraps;
        else if (!pieces.take("clamp"))
            return false;
        form.type = pieces.take_type();
        form.loop = left ? Loop::shf_l : Loop::shf_r;
        return form.type == Type::b32 && plain(form, {Type::b32, Type::b32, Type::b32, Type::u32});
    }
    if (base == "prmt" || base == "lop3") {
        form.type = pieces.take_type();
        form.loop = base == "prmt" ? Loop::prmt : Loop::lop3;
        if (form.type != Type::b32) return false;
        if (base == "prmt") {
            constexpr std::array<std::string_view, 7> modes{"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
            for (std::size_t k = 1; k < modes.size(); ++k) {
                if (pieces.take(modes[k])) form.op = static_cast<std::uint8_t>(k);
            }
            return plain(form, {Type::b32, Type::b32, Type::b32, Type::b32});
        }
        plain(form, {Type::b32, Type::b32, Type::b32, Type::b32});
        form.shape = Shape::permute_bits;
        return true;
    }
    if (base == "dp4a" || base == "dp2a") {
        const bool two = base == "dp2a";
        const bool low = two && pieces.take("lo");
        if (two && !low && !pieces.take("hi")) return false;
        form.type = pieces.take_type();
        form.type2 = pieces.take_type();
        form.loop = !two ? Loop::dp4a : low ? Loop::dp2a_lo : Loop::dp2a_hi;
        const auto is_32 = [](Type type) { return type == Type::u32 || type == Type::s32; };
        return is_32(form.type) && is_32(form.type2) &&
               plain(form, {Type::b32, Type::b32, Type::b32, Type::b32});
    }
    if (base == "bfind" && pieces.take("shiftamt")) form.flags |= flag_weak_shift;
    const Type type = form.type = pieces.take_type();
    const bool of_bits = type == Type::b16 || type == Type::b32 || type == Type::b64;
    const bool logic = of_bits || type == Type::pred;
    struct Row {
        std::string_view base;
        Loop loop;
    };
    constexpr std::array rows{Row{"and", Loop::bit_and}, Row{"or", Loop::bit_or}, Row{"xor", Loop::bit_xor},
                              Row{"not", Loop::bit_not}, Row{"cnot", Loop::cnot}, Row{"shl", Loop::shl},
                              Row{"shr", Loop::shr},     Row{"popc", Loop::popc}, Row{"clz", Loop::clz},
                              Row{"bfind", Loop::bfind}, Row{"brev", Loop::brev}, Row{"bfe", Loop::bfe},
                              Row{"bfi", Loop::bfi}};
    const auto* const row = std::ranges::find(rows, base, &Row::base);
    if (row == rows.end()) return false;
    form.loop = row->loop;
    const bool wide_bits = type == Type::b32 || type == Type::b64;
    switch (row->loop) {
        case Loop::bit_and:
        case Loop::bit_or:
        case Loop::bit_xor:
            return logic && plain(form, {type, type, type});
        case Loop::bit_not:
            return logic && plain(form, {type, type});
        case Loop::cnot:
            return of_bits && plain(form, {type, type});
        case Loop::shl:
            return of_bits && plain(form, {type, type, Type::u32});
        case Loop::shr:
            return (of_bits || is_word(type)) && plain(form, {type, type, Type::u32});
        case Loop::popc:
        case Loop::clz:
            return wide_bits && plain(form, {Type::u32, type});
        case Loop::bfind:
            return is_long(type) && plain(form, {Type::u32, type});
        case Loop::brev:
            return wide_bits && plain(form, {type, type});
        case Loop::bfe:
            return is_long(type) && plain(form, {type, type, Type::u32, Type::u32});
        default:
            return wide_bits && plain(form, {type, type, type, Type::u32, Type::u32});
    }
}

bool read_float_form(Pieces& pieces, Form& form) {
    const std::string_view base = pieces.base();
    if (base == "copysign") {
        form.type = pieces.take_type();
        form.loop = Loop::copysign;
        form.kind = form.type == Type::f32 ? Kind::f32 : Kind::f64;
        return (form.type == Type::f32 || form.type == Type::f64) && with_sources(form, 2);
    }
    if (base == "testp") {
        constexpr std::array<std::string_view, 6> names{"finite",     "infinite", "number",
                                                        "notanumber", "normal",   "subnormal"};
        const auto* const name = std::ranges::find(names, pieces.take_any());
        if (name == names.end()) return false;
        form.op = static_cast<std::uint8_t>(name - names.begin());
        form.type = pieces.take_type();
        form.loop = Loop::testp;
        form.kind = Kind::compare;
        return (form.type == Type::f32 || form.type == Type::f64) && plain(form, {Type::pred, form.type});
    }
    if (base == "neg" || base == "abs" || base == "min" || base == "max")
        return read_sign_or_extreme(pieces, form);
    if (pieces.next() == "approx" || pieces.next() == "full") return read_approximate(pieces, form);
    const auto* const row = std::ranges::find(float_rows, base, &FloatRow::base);
    return row != float_rows.end() && read_rounded(pieces, form, *row);
}

}  // namespace workbench::ptx
