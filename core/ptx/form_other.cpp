// SPDX-License-Identifier: MIT
// Opcodes that compare, convert and move, reach memory, and control.
#include <algorithm>
#include <array>
#include <string>

#include "core/ptx/form.h"

namespace workbench::ptx {

namespace {

template <std::size_t Count>
std::size_t find_name(const std::array<std::string_view, Count>& names, std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

constexpr std::array<std::string_view, 18> comparison_names{"eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                                            "lo",  "ls",  "hi",  "hs",  "equ", "neu",
                                                            "ltu", "leu", "gtu", "geu", "num", "nan"};

bool is_floating(Type type) {
    return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64;
}

// Which comparisons a type has.
bool fits(Comparison op, Type type) {
    if (op == Comparison::eq || op == Comparison::ne) return true;
    if (is_bits(type)) return false;
    if (op >= Comparison::equ) return is_floating(type) || is_half(type);
    if (op >= Comparison::lo) return is_unsigned(type);
    return true;
}

bool is_compared(Type type) {
    return is_floating(type) || is_half(type) || (bytes_of(type) >= 2 && (is_integer(type) || is_bits(type)));
}

bool read_comparison(Pieces& pieces, Form& form) {
    const std::size_t op = find_name(comparison_names, pieces.take_any());
    if (op == comparison_names.size()) return false;
    form.op = static_cast<std::uint8_t>(op);
    form.op2 = static_cast<std::uint8_t>(Combine::none);
    if (pieces.take("and"))
        form.op2 = static_cast<std::uint8_t>(Combine::bit_and);
    else if (pieces.take("or"))
        form.op2 = static_cast<std::uint8_t>(Combine::bit_or);
    else if (pieces.take("xor"))
        form.op2 = static_cast<std::uint8_t>(Combine::bit_xor);
    if (pieces.take("ftz")) form.flags |= flag_ftz;
    return true;
}

// Which results `set` has of a comparison of a type. Pairs are compared half by half.
bool is_set(Type result, Type compared) {
    const bool word = result == Type::u32 || result == Type::s32;
    if (compared == Type::f16x2 || compared == Type::bf16x2) return word || result == compared;
    if (word || result == Type::f32 || result == Type::f16 || result == Type::bf16) return true;
    return (result == Type::u16 || result == Type::s16) && is_half(compared);
}

bool read_set(Pieces& pieces, Form& form, bool to_predicate) {
    if (!read_comparison(pieces, form)) return false;
    form.kind = Kind::compare;
    form.shape = Shape::compare;
    form.loop = to_predicate ? Loop::setp : Loop::set;
    form.type = to_predicate ? Type::pred : pieces.take_type();
    form.type2 = pieces.take_type();
    if (!to_predicate && !is_set(form.type, form.type2)) return false;
    const bool flushes = form.type2 == Type::f32 || form.type2 == Type::f16 || form.type2 == Type::f16x2;
    if ((form.flags & flag_ftz) != 0 && !flushes) return false;
    return is_compared(form.type2) && fits(static_cast<Comparison>(form.op), form.type2);
}

bool read_selection(Pieces& pieces, Form& form, bool by_sign) {
    const bool ftz = by_sign && pieces.take("ftz");
    form.type = pieces.take_type();
    form.kind = Kind::move;
    form.loop = by_sign ? Loop::slct : Loop::selp;
    const Type type = form.type;
    const bool fits_width = bytes_of(type) >= 2 && !is_half(type);
    form.operands = {type, type, type, Type::pred};
    form.count = 4;
    if (!by_sign) return fits_width;
    form.type2 = pieces.take_type();
    form.operands[3] = form.type2;
    if (ftz) form.flags |= flag_ftz;
    return fits_width && (form.type2 == Type::f32 || (form.type2 == Type::s32 && !ftz));
}

bool takes_scope(Pieces& pieces) {
    return pieces.take("cta") || pieces.take("gpu") || pieces.take("sys") || pieces.take("cluster");
}

bool take_space(Pieces& pieces, Space& space) {
    struct Row {
        std::string_view name;
        Space space;
    };
    constexpr std::array rows{Row{"param", Space::param},        Row{"param::entry", Space::param},
                              Row{"param::func", Space::param},  Row{"const", Space::constant},
                              Row{"global", Space::global},      Row{"shared", Space::shared},
                              Row{"shared::cta", Space::shared}, Row{"local", Space::local}};
    const auto* const row = std::ranges::find(rows, pieces.next(), &Row::name);
    if (row == rows.end()) return false;
    static_cast<void>(pieces.take_any());
    space = row->space;
    return true;
}

bool read_load_or_store(Pieces& pieces, Form& form, bool loads) {
    form.shape = loads ? Shape::load : Shape::store;
    form.handler = loads ? Handler::load : Handler::store;
    form.kind = Kind::memory;
    const bool ordered = pieces.take("relaxed") || pieces.take(loads ? "acquire" : "release");
    if (ordered && !takes_scope(pieces)) return false;
    if (ordered) form.flags |= flag_atomic;
    const bool is_volatile = !ordered && pieces.take("volatile");
    if (!ordered && !is_volatile) static_cast<void>(pieces.take("weak"));
    static_cast<void>(take_space(pieces, form.space));
    if (!ordered && !is_volatile) {
        constexpr std::array<std::string_view, 5> of_loads{"ca", "cg", "cs", "lu", "cv"};
        constexpr std::array<std::string_view, 4> of_stores{"wb", "cg", "cs", "wt"};
        const bool cached = loads ? std::ranges::find(of_loads, pieces.next()) != of_loads.end()
                                  : std::ranges::find(of_stores, pieces.next()) != of_stores.end();
        if (cached) static_cast<void>(pieces.take_any());
        if (loads && form.space == Space::global) static_cast<void>(pieces.take("nc"));
    }
    while (pieces.next().starts_with("L1::") || pieces.next().starts_with("L2::")) {
        if (pieces.next() == "L2::cache_hint") return false;  // has another operand
        static_cast<void>(pieces.take_any());
    }
    form.vector = pieces.take("v2") ? 2 : pieces.take("v4") ? 4 : 1;
    form.type = pieces.take_type();
    const unsigned bytes = bytes_of(form.type);
    const bool is_half_type = is_half(form.type);
    if (!loads && form.space == Space::constant) return false;
    return bytes != 0 && !is_half_type && bytes * form.vector <= 16;
}

bool read_atomic(Pieces& pieces, Form& form, bool has_result) {
    form.shape = has_result ? Shape::atomic : Shape::reduction;
    form.handler = has_result ? Handler::atomic : Handler::reduction;
    form.kind = Kind::atomic;
    static_cast<void>(pieces.take("relaxed") || pieces.take("acquire") || pieces.take("release") ||
                      pieces.take("acq_rel"));
    const bool scoped = takes_scope(pieces);
    if (take_space(pieces, form.space) && form.space != Space::global && form.space != Space::shared)
        return false;
    if (!scoped) static_cast<void>(takes_scope(pieces));  // where nvcc writes it
    constexpr std::array<std::string_view, 10> names{"add", "min",  "max", "and", "or",
                                                     "xor", "exch", "cas", "inc", "dec"};
    const std::size_t op = find_name(names, pieces.take_any());
    if (op == names.size()) return false;
    form.op = static_cast<std::uint8_t>(op);
    const bool no_flush = op == 0 && pieces.take("noftz");
    const Type type = form.type = pieces.take_type();
    const bool word = type == Type::u32 || type == Type::s32 || type == Type::u64 || type == Type::s64;
    switch (static_cast<AtomicOp>(op)) {
        case AtomicOp::add:
            if (is_half(type)) return no_flush;
            return !no_flush && ((word && type != Type::s64) || type == Type::f32 || type == Type::f64);
        case AtomicOp::minimum:
        case AtomicOp::maximum:
            return word;
        case AtomicOp::bit_and:
        case AtomicOp::bit_or:
        case AtomicOp::bit_xor:
            return type == Type::b32 || type == Type::b64;
        case AtomicOp::exchange:
            return has_result && (type == Type::b32 || type == Type::b64);
        case AtomicOp::compare:
            return has_result && (type == Type::b16 || type == Type::b32 || type == Type::b64);
        case AtomicOp::increment:
        case AtomicOp::decrement:
            return type == Type::u32;
    }
    return false;
}

bool read_fence(Pieces& pieces, Form& form) {
    form.shape = Shape::fence;
    form.handler = Handler::fence;
    form.kind = Kind::sync;
    if (pieces.base() == "membar") return pieces.take("cta") || pieces.take("gl") || pieces.take("sys");
    static_cast<void>(pieces.take("sc") || pieces.take("acq_rel"));
    return takes_scope(pieces);
}

bool read_barrier(Pieces& pieces, Form& form) {
    form.shape = Shape::barrier;
    form.kind = Kind::sync;
    const bool old = pieces.base() == "bar";
    if (old && pieces.take("warp")) {
        form.shape = Shape::warp_sync;
        form.handler = Handler::warp_sync;
        return pieces.take("sync");
    }
    static_cast<void>(pieces.take("cta"));
    const std::string_view what = pieces.take_any();
    constexpr std::array<std::string_view, 3> reductions{"popc", "and", "or"};
    if (what == "red") {
        const std::size_t op = find_name(reductions, pieces.take_any());
        if (op == reductions.size()) return false;
        form.op = static_cast<std::uint8_t>(op);
    }
    if (old || pieces.take("aligned")) form.flags |= flag_aligned;
    if (what == "sync") {
        form.handler = Handler::barrier;
        return true;
    }
    if (what == "arrive") {
        form.handler = Handler::barrier_arrive;
        return true;
    }
    form.handler = Handler::barrier_reduce;
    form.type = pieces.take_type();
    return what == "red" && form.type == (form.op == 0 ? Type::u32 : Type::pred);
}

// shfl, vote, match, redux, activemask.
bool read_collective(Pieces& pieces, Form& form) {
    const std::string_view base = pieces.base();
    form.kind = Kind::sync;
    if (base == "activemask") {
        form.shape = Shape::active_mask;
        form.handler = Handler::active_mask;
        return pieces.take("b32");
    }
    if (base == "match") {
        const std::string_view mode = pieces.take_any();
        form.shape = Shape::match;
        form.handler = mode == "any" ? Handler::match_any : Handler::match_all;
        if ((mode != "any" && mode != "all") || !pieces.take("sync")) return false;
        form.type = pieces.take_type();
        return form.type == Type::b32 || form.type == Type::b64;
    }
    if (!pieces.take("sync")) return false;
    if (base == "shfl") {
        constexpr std::array<std::string_view, 4> modes{"up", "down", "bfly", "idx"};
        const std::size_t mode = find_name(modes, pieces.take_any());
        form.shape = Shape::shuffle;
        form.handler = Handler::shuffle;
        form.op = static_cast<std::uint8_t>(mode);
        form.type = Type::b32;
        return mode < modes.size() && pieces.take("b32");
    }
    if (base == "vote") {
        constexpr std::array<std::string_view, 4> modes{"all", "any", "uni", "ballot"};
        const std::size_t mode = find_name(modes, pieces.take_any());
        form.shape = Shape::vote;
        form.handler = Handler::vote;
        form.op = static_cast<std::uint8_t>(mode);
        form.type = pieces.take_type();
        return mode < modes.size() && form.type == (mode == 3 ? Type::b32 : Type::pred);
    }
    constexpr std::array<std::string_view, 6> ops{"add", "min", "max", "and", "or", "xor"};
    const std::size_t op = find_name(ops, pieces.take_any());
    form.shape = Shape::reduce_sync;
    form.handler = Handler::reduce_sync;
    form.op = static_cast<std::uint8_t>(op);
    form.type = pieces.take_type();
    const bool arithmetic = op < 3 && (form.type == Type::u32 || form.type == Type::s32);
    return op < ops.size() && (arithmetic || (op >= 3 && form.type == Type::b32));
}

}  // namespace

bool read_compare_form(Pieces& pieces, Form& form) {
    const std::string_view base = pieces.base();
    if (base == "setp") return read_set(pieces, form, true);
    if (base == "set") return read_set(pieces, form, false);
    if (base == "selp") return read_selection(pieces, form, false);
    if (base == "slct") return read_selection(pieces, form, true);
    if (base != "mov") return false;
    form.type = pieces.take_type();
    form.kind = Kind::move;
    form.shape = Shape::mov;
    form.loop = Loop::mov;
    return form.type == Type::pred || (bytes_of(form.type) >= 2 && !is_half(form.type));
}

bool read_convert_form(Pieces& pieces, Form& form) {
    const std::string_view base = pieces.base();
    if (base == "cvta" || base == "isspacep") {
        form.kind = base == "cvta" ? Kind::convert : Kind::special;
        form.shape = base == "cvta" ? Shape::to_space : Shape::is_space;
        form.handler = base == "cvta" ? Handler::to_space : Handler::is_space;
        if (base == "cvta" && pieces.take("to")) form.flags |= flag_to_space;
        if (!take_space(pieces, form.space)) return false;
        form.type = Type::u64;
        return base == "isspacep" || pieces.take("u64");
    }
    if (base != "cvt") return false;
    form.kind = Kind::convert;
    form.shape = Shape::convert;
    form.loop = Loop::cvt;
    constexpr std::array<std::string_view, 4> floats{"rn", "rz", "rm", "rp"};
    constexpr std::array<std::string_view, 4> integers{"rni", "rzi", "rmi", "rpi"};
    bool rounds = false;
    for (std::size_t k = 0; k < 4; ++k) {
        const bool whole = pieces.take(integers[k]);
        if (!whole && !pieces.take(floats[k])) continue;
        rounds = true;
        form.rounding = static_cast<Rounding>(k);
        if (whole) form.flags |= flag_integral;
        break;
    }
    const bool whole = (form.flags & flag_integral) != 0;
    if (pieces.take("relu")) form.flags |= flag_relu;
    if (pieces.take("ftz")) form.flags |= flag_ftz;
    if (pieces.take("sat")) form.flags |= flag_saturate;
    const Type to = form.type = pieces.take_type();
    const Type from = form.type2 = pieces.take_type();
    const bool relu = (form.flags & flag_relu) != 0;
    const bool ftz = (form.flags & flag_ftz) != 0;
    if (to == Type::f16x2 || to == Type::bf16x2) {
        form.loop = Loop::cvt_pair;
        const bool direct = form.rounding == Rounding::nearest || form.rounding == Rounding::zero;
        return from == Type::f32 && rounds && !whole && direct && (form.flags & ~flag_relu) == 0;
    }
    const bool to_float = is_floating(to);
    const bool from_float = is_floating(from);
    if ((!to_float && !is_integer(to)) || (!from_float && !is_integer(from))) return false;
    if (ftz && to != Type::f32 && from != Type::f32) return false;
    if (relu && ((to != Type::f16 && to != Type::bf16) || from != Type::f32 || whole || !rounds))
        return false;
    if (!to_float && !from_float) return !rounds;
    if (!to_float) return rounds && whole;
    if (!from_float) return rounds && !whole;
    const bool narrows = bytes_of(to) < bytes_of(from) || (bytes_of(to) == bytes_of(from) && to != from);
    if (whole) return to == from;
    return rounds == narrows;
}

bool read_memory_form(Pieces& pieces, Form& form) {
    const std::string_view base = pieces.base();
    if (base == "ld" || base == "st") return read_load_or_store(pieces, form, base == "ld");
    if (base == "atom" || base == "red") return read_atomic(pieces, form, base == "atom");
    return (base == "membar" || base == "fence") && read_fence(pieces, form);
}

bool read_control_form(Pieces& pieces, Form& form) {
    const std::string_view base = pieces.base();
    form.kind = Kind::control;
    if (base == "bar" || base == "barrier") return read_barrier(pieces, form);
    if (base == "shfl" || base == "vote" || base == "match" || base == "redux" || base == "activemask")
        return read_collective(pieces, form);
    if (base == "brx" && !pieces.take("idx")) return false;
    struct Row {
        std::string_view base;
        Shape shape;
        Handler handler;
    };
    constexpr std::array rows{Row{"bra", Shape::branch, Handler::branch},
                              Row{"brx", Shape::branch_indexed, Handler::branch_indexed},
                              Row{"call", Shape::call, Handler::call},
                              Row{"ret", Shape::ret, Handler::ret},
                              Row{"exit", Shape::ret, Handler::exit},
                              Row{"trap", Shape::ret, Handler::trap},
                              Row{"nanosleep", Shape::sleep, Handler::fence}};
    const auto* const row = std::ranges::find(rows, base, &Row::base);
    if (row == rows.end()) return false;
    form.shape = row->shape;
    form.handler = row->handler;
    if (base == "nanosleep") return pieces.take("u32");
    if (base != "exit" && base != "trap") static_cast<void>(pieces.take("uni"));
    return true;
}

}  // namespace workbench::ptx
