// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "tests/core/ptx/expectation_parts.h"

namespace ptx_test {

namespace {

bool is_negative(std::uint64_t bits, const Layout& layout) {
    return ((bits >> (layout.fraction + layout.exponent)) & 1U) != 0;
}
double to_double(std::uint64_t bits, const Layout& layout) {
    return static_cast<double>(value_of(bits, layout));
}
Mode mode_of(const std::vector<std::string>& pieces) {
    return has_piece(pieces, "rz") || has_piece(pieces, "rzi")   ? Mode::rz
           : has_piece(pieces, "rm") || has_piece(pieces, "rmi") ? Mode::rm
           : has_piece(pieces, "rp") || has_piece(pieces, "rpi") ? Mode::rp
                                                                 : Mode::rn;
}

// One, in a layout.
std::uint64_t one_of(const Layout& layout) {
    return ((std::uint64_t{1} << (layout.exponent - 1)) - 1) << layout.fraction;
}

// The square root, rounded: a guess, moved until it is the greatest number of two more places whose square
// fits.
std::uint64_t root(std::uint64_t bits, const Layout& layout, Mode mode) {
    const Quad value = value_of(bits, layout);
    Quad guess = static_cast<Quad>(std::sqrt(static_cast<long double>(value)));
    for (int k = 0; k < 3; ++k) guess = (guess + value / guess) / 2;
    // Of 113 places the last may be wrong; none of ours lies that near a boundary but exact roots.
    const Quad error = value - guess * guess;
    const Quad narrow = value_of(rounded(guess, 0, f64_layout, Mode::rn), f64_layout);
    if (narrow * narrow == value) return rounded(narrow, 0, layout, mode);
    static_cast<void>(error);
    return rounded(guess, 0, layout, mode);
}

// add, sub, mul, fma, div, rcp, sqrt of patterns.
std::uint64_t arithmetic(const std::string& base, const Sources& s, const Layout& layout, Mode mode) {
    const std::uint64_t nan = nan_of(layout);
    const std::uint64_t sign = std::uint64_t{1} << (layout.fraction + layout.exponent);
    const std::uint64_t infinity = ((std::uint64_t{1} << layout.exponent) - 1) << layout.fraction;
    const std::uint64_t a = base == "rcp" ? one_of(layout) : s[0];
    const std::uint64_t b = base == "rcp" ? s[0] : s[1];
    const bool one = base == "sqrt";
    if (is_nan(a, layout) || (!one && is_nan(b, layout)) || (base == "fma" && is_nan(s[2], layout)))
        return nan;
    const Quad x = value_of(a, layout);
    const Quad y = one ? x : value_of(b, layout);
    const auto plain = [&](Quad sum, int rest, bool zero_negative) {
        const Wide128 bits = bits_of(sum);
        if (((bits >> 112U) & 0x7fff) == 0x7fff)
            return sum == sum ? (sum < 0 ? sign | infinity : infinity) : nan;
        if (sum == 0) return zero_negative ? sign : std::uint64_t{0};
        return rounded(sum, rest, layout, mode);
    };
    const bool negative = is_negative(a, layout) != is_negative(b, layout);
    if (base == "add" || base == "sub" || base == "fma") {
        const bool fma = base == "fma";
        Quad left = fma ? x * y : x;
        Quad right = fma ? value_of(s[2], layout) : base == "sub" ? -y : y;
        const bool left_negative = fma ? negative : is_negative(a, layout);
        const bool right_negative =
            fma ? is_negative(s[2], layout) : is_negative(b, layout) != (base == "sub");
        if (left != left) return nan;
        const Sum sum = exact_sum(left, right);
        const bool infinite =
            ((bits_of(left) >> 112U) & 0x7fff) == 0x7fff || ((bits_of(right) >> 112U) & 0x7fff) == 0x7fff;
        const bool zero_negative = left_negative == right_negative ? left_negative : mode == Mode::rm;
        return plain(sum.value, infinite ? 0 : sum.rest, zero_negative);
    }
    if (base == "mul") return plain(x * y, 0, negative);
    if (base == "div" || base == "rcp") return plain(x / y, 0, negative);
    if (is_negative(a, layout)) return x == 0 ? sign : nan;
    if (a == infinity || x == 0) return a;
    return root(a, layout, mode);
}

std::uint64_t saturated(std::uint64_t bits, const Layout& layout) {
    if (is_nan(bits, layout) || is_negative(bits, layout)) return 0;
    return value_of(bits, layout) > 1 ? one_of(layout) : bits;
}

// Applies a function of patterns to one element, or to each half of a pair.
std::uint64_t by_halves(const std::string& type, const Sources& s,
                        const std::function<std::uint64_t(const Sources&)>& f) {
    if (!type.ends_with("x2")) return f(s);
    Sources low{}, high{};
    for (std::size_t k = 0; k < s.size(); ++k) {
        low[k] = s[k] & 0xffffU;
        high[k] = (s[k] >> 16U) & 0xffffU;
    }
    return f(low) | (f(high) << 16U);
}

std::optional<Expectation> of_float_arithmetic(const std::vector<std::string>& p) {
    static const std::map<std::string, std::size_t> sources{{"add", 2}, {"sub", 2}, {"mul", 2}, {"fma", 3},
                                                            {"mad", 3}, {"div", 2}, {"rcp", 1}, {"sqrt", 1}};
    const std::string base = p[0] == "mad" ? "fma" : p[0];
    const std::string type = p.back();
    const auto row = sources.find(p[0]);
    const std::string element = type.ends_with("x2") ? type.substr(0, type.size() - 2) : type;
    if (row == sources.end() || !is_float(element)) return std::nullopt;
    const Layout layout = layout_of(type);
    const bool approx = has_piece(p, "approx") || has_piece(p, "full");
    if (base == "rcp" && approx && type == "f64") return std::nullopt;
    const bool ftz = has_piece(p, "ftz"), sat = has_piece(p, "sat"), relu = has_piece(p, "relu");
    const Mode mode = mode_of(p);
    return Expectation{width_of(type),
                       std::vector<unsigned>(row->second, width_of(type)),
                       "",
                       type,
                       [=](const Sources& all) {
                           return by_halves(type, all, [=](Sources s) {
                               if (ftz) {
                                   for (auto& bits : s) bits = flushed(bits, layout);
                               }
                               std::uint64_t made = arithmetic(base, s, layout, mode);
                               if (sat) made = saturated(made, layout);
                               if (relu && !is_nan(made, layout) && is_negative(made, layout)) made = 0;
                               return ftz ? flushed(made, layout) : made;
                           });
                       },
                       type};
}

std::optional<Expectation> of_approximation(const std::vector<std::string>& p) {
    const std::string type = p.back();
    const bool ftz = has_piece(p, "ftz");
    if (!has_piece(p, "approx")) return std::nullopt;
    if (type == "f64" && (p[0] == "rcp" || p[0] == "rsqrt") && ftz) {
        const bool root_too = p[0] == "rsqrt";
        return Expectation{
            64,
            {64},
            "",
            "f64",
            [=](const Sources& s) {
                std::uint64_t bits = s[0] & ~std::uint64_t{0xffffffffU};
                bits = flushed(bits, f64_layout);
                if (is_nan(bits, f64_layout)) return nan_of(f64_layout);
                double in = 0;
                std::memcpy(&in, &bits, 8);
                const double exact = root_too ? 1 / std::sqrt(in) : 1 / in;
                if (std::isnan(exact)) return nan_of(f64_layout);
                if (std::isinf(exact) || exact == 0) {
                    std::uint64_t made = 0;
                    std::memcpy(&made, &exact, 8);
                    return made;
                }
                const std::uint64_t made = rounded(static_cast<Quad>(exact), 0, {20, 11}, Mode::rn) << 32U;
                return flushed(made, f64_layout);
            },
            "f64"};
    }
    static const std::map<std::string, long double (*)(long double)> functions{
        {"rsqrt", [](long double x) { return 1 / std::sqrt(x); }},
        {"sin", [](long double x) { return std::sin(x); }},
        {"cos", [](long double x) { return std::cos(x); }},
        {"lg2", [](long double x) { return std::log2(x); }},
        {"ex2", [](long double x) { return std::exp2(x); }},
        {"tanh", [](long double x) { return std::tanh(x); }}};
    const auto row = functions.find(p[0]);
    if (row == functions.end()) return std::nullopt;
    const Layout layout = layout_of(type);
    const auto f = row->second;
    return Expectation{
        width_of(type),
        {width_of(type)},
        "",
        type,
        [=](const Sources& s) {
            const std::uint64_t in = ftz ? flushed(s[0], layout) : s[0];
            if (is_nan(in, layout)) return nan_of(layout);
            const long double exact = f(static_cast<long double>(value_of(in, layout)));
            if (std::isnan(exact)) return nan_of(layout);
            if (std::isinf(exact))
                return (exact < 0 ? std::uint64_t{1} << (layout.fraction + layout.exponent) : 0) |
                       (((std::uint64_t{1} << layout.exponent) - 1) << layout.fraction);
            if (exact == 0)
                return std::signbit(exact) ? std::uint64_t{1} << (layout.fraction + layout.exponent)
                                           : std::uint64_t{0};
            const std::uint64_t made = rounded(static_cast<Quad>(exact), 0, layout, Mode::rn);
            return ftz ? flushed(made, layout) : made;
        },
        type};
}

std::optional<Expectation> of_float_signs(const std::vector<std::string>& p) {
    const std::string type = p.back();
    const std::string element = type.ends_with("x2") ? type.substr(0, type.size() - 2) : type;
    if (!is_float(element)) return std::nullopt;
    const Layout layout = layout_of(type);
    const unsigned width = width_of(type);
    const std::uint64_t sign = std::uint64_t{1} << (layout.fraction + layout.exponent);
    const bool ftz = has_piece(p, "ftz"), nan_wins = has_piece(p, "NaN");
    const std::string base = p[0];
    if (base == "neg" || base == "abs")
        return Expectation{width,
                           {width},
                           "",
                           type,
                           [=](const Sources& all) {
                               return by_halves(type, all, [=](const Sources& s) {
                                   const std::uint64_t in = ftz ? flushed(s[0], layout) : s[0];
                                   return base == "neg" ? in ^ sign : in & ~sign;
                               });
                           },
                           type};
    if (base == "copysign")
        return Expectation{
            width, {width, width}, "", type, [=](const Sources& s) { return (s[0] & sign) | (s[1] & ~sign); },
            ""};
    if (base != "min" && base != "max") return std::nullopt;
    return Expectation{width,
                       {width, width},
                       "",
                       type,
                       [=](const Sources& all) {
                           return by_halves(type, all, [=](const Sources& s) {
                               const std::uint64_t a = ftz ? flushed(s[0], layout) : s[0],
                                                   b = ftz ? flushed(s[1], layout) : s[1];
                               const bool a_nan = is_nan(a, layout), b_nan = is_nan(b, layout);
                               if (a_nan && b_nan) return nan_of(layout);
                               if (a_nan || b_nan) return nan_wins ? nan_of(layout) : a_nan ? b : a;
                               // As integers that are ordered as the numbers are, -0 below +0.
                               const auto ordered = [&](std::uint64_t bits) {
                                   const auto size = static_cast<Big>(bits & ~sign);
                                   return (bits & sign) != 0 ? -size - 1 : size;
                               };
                               return (ordered(a) < ordered(b)) == (base == "min") ? a : b;
                           });
                       },
                       type};
}

bool compared(const std::string& op, std::uint64_t a, std::uint64_t b, const std::string& type, bool ftz) {
    bool unordered = false, less = false, equal = false;
    if (is_float(type)) {
        const Layout layout = layout_of(type);
        if (ftz) {
            a = flushed(a, layout);
            b = flushed(b, layout);
        }
        unordered = is_nan(a, layout) || is_nan(b, layout);
        less = !unordered && value_of(a, layout) < value_of(b, layout);
        equal = !unordered && value_of(a, layout) == value_of(b, layout);
    } else {
        less = integer(a, type) < integer(b, type);
        equal = integer(a, type) == integer(b, type);
    }
    if (op == "num") return !unordered;
    if (op == "nan") return unordered;
    if (unordered) return op.size() == 3;
    const std::string ordered = op.size() == 3 ? op.substr(0, 2) : op;
    if (ordered == "eq") return equal;
    if (ordered == "ne") return !equal;
    if (ordered == "lt" || ordered == "lo") return less;
    if (ordered == "le" || ordered == "ls") return less || equal;
    if (ordered == "gt" || ordered == "hi") return !less && !equal;
    return !less;
}

std::optional<Expectation> of_comparison(const std::vector<std::string>& p) {
    if (p[0] != "setp" && p[0] != "set") return std::nullopt;
    const std::string op = p[1], type = p.back(), to = p[0] == "set" ? p[p.size() - 2] : "pred";
    const bool ftz = has_piece(p, "ftz"), both = has_piece(p, "and"), either = has_piece(p, "or"),
               differs = has_piece(p, "xor");
    std::vector<unsigned> sources{width_of(type), width_of(type)};
    if (both || either || differs) sources.push_back(1);
    const bool pair = type.ends_with("x2");
    const std::string element = pair ? type.substr(0, type.size() - 2) : type;
    // What is written where it holds; of a pair in each half.
    const std::uint64_t yes = to == "pred"                 ? 1
                              : to == "f32"                ? 0x3f800000U
                              : to.starts_with("f16")      ? 0x3c00U
                              : to.starts_with("bf16")     ? 0x3f80U
                              : pair || to.ends_with("16") ? 0xffffU
                                                           : 0xffffffffU;
    return Expectation{to == "pred" ? 1U : width_of(to),
                       sources,
                       "",
                       is_float(element) ? type : "",
                       [=](const Sources& s) -> std::uint64_t {
                           const auto part = [&](std::uint64_t a, std::uint64_t b) -> std::uint64_t {
                               bool holds = compared(op, a, b, element, ftz);
                               const bool c = s[2] != 0;
                               if (both) holds = holds && c;
                               if (either) holds = holds || c;
                               if (differs) holds = holds != c;
                               return holds ? yes : 0;
                           };
                           if (!pair) return part(s[0], s[1]);
                           const std::uint64_t low = part(s[0] & 0xffffU, s[1] & 0xffffU);
                           return to == "pred" ? low : low | (part(s[0] >> 16U, s[1] >> 16U) << 16U);
                       },
                       ""};
}

std::optional<Expectation> of_conversion(const std::vector<std::string>& p) {
    if (p[0] != "cvt") return std::nullopt;
    const std::string from = p.back(), to = p[p.size() - 2];
    const bool ftz = has_piece(p, "ftz"), sat = has_piece(p, "sat"), relu = has_piece(p, "relu");
    const bool whole =
        has_piece(p, "rni") || has_piece(p, "rzi") || has_piece(p, "rmi") || has_piece(p, "rpi");
    const Mode mode = mode_of(p);
    if (to.ends_with("x2")) {
        return Expectation{32,
                           {32, 32},
                           "",
                           from,
                           [=](const Sources& s) {
                               const Layout layout = layout_of(to);
                               const auto half = [&](std::uint64_t bits) -> std::uint64_t {
                                   if (is_nan(bits, f32_layout)) return nan_of(layout);
                                   if (relu && is_negative(bits, f32_layout)) return 0;
                                   if (is_infinite(bits, f32_layout))
                                       return (is_negative(bits, f32_layout) ? 0x8000U : 0U) |
                                              (to == "f16x2" ? 0x7c00U : 0x7f80U);
                                   return rounded(value_of(bits, f32_layout), 0, layout, mode);
                               };
                               return (half(s[0]) << 16U) | half(s[1]);
                           },
                           to};
    }
    const unsigned to_width = std::max(width_of(to), 16U), from_width = std::max(width_of(from), 16U);
    return Expectation{
        to_width,
        {from_width},
        "",
        is_float(from) ? from : "",
        [=](const Sources& s) -> std::uint64_t {
            if (!is_float(from)) {
                Big value = integer(s[0], from);
                if (!is_float(to)) {
                    if (sat) value = std::clamp(value, least(to), most(to));
                    return cut(integer(cut(value, 64), to), to_width);
                }
                const Layout layout = layout_of(to);
                std::uint64_t made = value == 0 ? 0 : rounded(static_cast<Quad>(value), 0, layout, mode);
                return sat ? saturated(made, layout) : made;
            }
            const Layout source = layout_of(from);
            std::uint64_t bits = s[0];
            if (ftz && from == "f32") bits = flushed(bits, source);
            const bool nan = is_nan(bits, source);
            if (!is_float(to)) {
                if (nan)
                    return from != "f64" && width_of(to) != 64
                               ? 0
                               : cut(integer(std::uint64_t{1} << (width_of(to) - 1), to), to_width);
                if (is_infinite(bits, source))
                    return cut(is_negative(bits, source) ? least(to) : most(to), to_width);
                const long double value = static_cast<long double>(value_of(bits, source));
                const long double low = std::floor(value), part = value - low;
                long double made = low;
                if (mode == Mode::rp || (mode == Mode::rz && value < 0)) made = part > 0 ? low + 1 : low;
                if (mode == Mode::rn)
                    made = part > 0.5L || (part == 0.5L && std::fmod(low, 2.0L) != 0) ? low + 1 : low;
                const long double clamped =
                    std::clamp(made, static_cast<long double>(least(to)), static_cast<long double>(most(to)));
                return cut(static_cast<Big>(clamped), to_width);
            }
            const Layout layout = layout_of(to);
            const std::uint64_t sign = std::uint64_t{1} << (layout.fraction + layout.exponent);
            if (nan) return sat ? 0 : nan_of(layout);
            std::uint64_t made = 0;
            if (is_infinite(bits, source)) {
                made = (is_negative(bits, source) ? sign : 0) |
                       (((std::uint64_t{1} << layout.exponent) - 1) << layout.fraction);
            } else if (value_of(bits, source) == 0) {
                made = is_negative(bits, source) ? sign : 0;
            } else if (whole) {
                const long double value = static_cast<long double>(value_of(bits, source));
                const long double integral = mode == Mode::rz   ? std::trunc(value)
                                             : mode == Mode::rm ? std::floor(value)
                                             : mode == Mode::rp ? std::ceil(value)
                                                                : std::nearbyint(value);
                made = integral == 0 ? (is_negative(bits, source) ? sign : 0)
                                     : rounded(static_cast<Quad>(integral), 0, layout, Mode::rn);
            } else {
                made = rounded(value_of(bits, source), 0, layout, mode);
            }
            if (ftz && to == "f32") made = flushed(made, layout);
            if (relu && is_negative(made, layout)) made = 0;
            return sat ? saturated(made, layout) : made;
        },
        is_float(to) ? to : ""};
}

std::optional<Expectation> of_moves(const std::vector<std::string>& p) {
    const std::string base = p[0];
    if (base == "testp") {
        const std::string type = p.back(), what = p[1];
        const Layout layout = layout_of(type);
        return Expectation{1,
                           {width_of(type)},
                           "",
                           type,
                           [=](const Sources& s) -> std::uint64_t {
                               const double value = to_double(s[0], layout);
                               const bool small = flushed(s[0], layout) != s[0];
                               if (what == "finite") return std::isfinite(value);
                               if (what == "infinite") return is_infinite(s[0], layout);
                               if (what == "number") return !is_nan(s[0], layout);
                               if (what == "notanumber") return is_nan(s[0], layout);
                               if (what == "subnormal") return small;
                               return std::isfinite(value) && !is_nan(s[0], layout) && !small && value != 0;
                           },
                           ""};
    }
    if (base == "mov") {
        const unsigned w = width_of(p[1]);
        return Expectation{w, {w}, "", "", [](const Sources& s) { return s[0]; }, ""};
    }
    if (base == "selp") {
        const unsigned w = width_of(p[1]);
        return Expectation{w, {w, w, 1}, "", "", [](const Sources& s) { return s[2] != 0 ? s[0] : s[1]; },
                           ""};
    }
    if (base == "slct") {
        const std::string type = p[p.size() - 2], by = p.back();
        const bool ftz = has_piece(p, "ftz");
        const unsigned w = width_of(type);
        return Expectation{w,
                           {w, w, 32},
                           "",
                           by == "f32" ? "f32" : "",
                           [=](const Sources& s) {
                               const std::uint64_t c = ftz ? flushed(s[2], f32_layout) : s[2];
                               const bool first =
                                   by == "s32" ? integer(c, "s32") >= 0
                                               : !is_nan(c, f32_layout) && value_of(c, f32_layout) >= 0;
                               return first ? s[0] : s[1];
                           },
                           ""};
    }
    return std::nullopt;
}

}  // namespace

bool has_piece(const std::vector<std::string>& pieces, const std::string& piece) {
    return std::ranges::find(pieces, piece) != pieces.end();
}

std::vector<std::string> pieces_of(const std::string& opcode) {
    std::vector<std::string> made;
    std::size_t at = 0;
    while (at <= opcode.size()) {
        const std::size_t next = std::min(opcode.find('.', at), opcode.size());
        made.push_back(opcode.substr(at, next - at));
        at = next + 1;
    }
    return made;
}

std::optional<Expectation> expectation_of(const std::string& opcode) {
    const std::vector<std::string> p = pieces_of(opcode);
    static const std::vector<std::string> others{
        "ld",         "st",     "atom",  "red",  "bar",      "barrier",  "bra",   "brx",
        "call",       "ret",    "exit",  "trap", "shfl",     "vote",     "match", "redux",
        "activemask", "membar", "fence", "cvta", "isspacep", "nanosleep"};
    if (has_piece(others, p[0])) return std::nullopt;
    for (const auto find : {of_moves, of_comparison, of_conversion, of_float_arithmetic, of_approximation,
                            of_float_signs, of_integers, of_bits}) {
        if (auto found = find(p)) return found;
    }
    return std::nullopt;
}

}  // namespace ptx_test
