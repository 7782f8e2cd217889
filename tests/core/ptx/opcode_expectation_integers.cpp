// SPDX-License-Identifier: MIT
// What opcodes of integers and bits are to give.
#include <array>
#include <map>

#include "tests/core/ptx/expectation_parts.h"

namespace ptx_test {

std::optional<Expectation> of_integers(const std::vector<std::string>& p) {
    const std::string base = p[0], type = p.back();
    if (type[0] != 'u' && type[0] != 's') return std::nullopt;
    const unsigned w = width_of(type);
    const auto binary = [&](std::function<Big(Big, Big)> f) {
        return Expectation{w,
                           {w, w},
                           "",
                           "",
                           [=](const Sources& s) { return cut(f(integer(s[0], type), integer(s[1], type)), w); },
                           ""};
    };
    const bool sat = has_piece(p, "sat");
    const auto limited = [=](Big value) { return sat ? std::clamp(value, least(type), most(type)) : value; };
    // The carry flag is clear before its first use: chains have a test of their own.
    if (base == "add" || base == "addc") return binary([=](Big a, Big b) { return limited(a + b); });
    if (base == "sub" || base == "subc") return binary([=](Big a, Big b) { return limited(a - b); });
    if (base == "min") return binary([](Big a, Big b) { return std::min(a, b); });
    if (base == "max") return binary([](Big a, Big b) { return std::max(a, b); });
    if (base == "div") return binary([](Big a, Big b) { return b == 0 ? Big{-1} : a / b; });
    if (base == "rem") return binary([](Big a, Big b) { return b == 0 ? Big{-1} : a % b; });
    if (base == "neg" || base == "abs")
        return Expectation{w,
                           {w},
                           "",
                           "",
                           [=](const Sources& s) {
                               const Big a = integer(s[0], type);
                               return cut(base == "neg" || a < 0 ? -a : a, w);
                           },
                           ""};
    if (base == "sad")
        return Expectation{w,
                           {w, w, w},
                           "",
                           "",
                           [=](const Sources& s) {
                               const Big a = integer(s[0], type), b = integer(s[1], type);
                               return cut((a < b ? b - a : a - b) + integer(s[2], type), w);
                           },
                           ""};
    if (base == "mul" || base == "mad" || base == "madc") {
        const bool wide = has_piece(p, "wide"), high = has_piece(p, "hi"), adds = base != "mul";
        const unsigned result = wide ? 2 * w : w;
        std::vector<unsigned> sources{w, w};
        if (adds) sources.push_back(result);
        return Expectation{
            result,
            sources,
            "",
            "",
            [=](const Sources& s) {
                Big product = 0;
                if (type[0] == 's')
                    product = integer(s[0], type) * integer(s[1], type);
                else
                    product = static_cast<Big>(static_cast<Wide128>(cut(static_cast<Big>(s[0]), w)) *
                                               cut(static_cast<Big>(s[1]), w));
                if (high)
                    product =
                        type[0] == 's' ? product >> w : static_cast<Big>(static_cast<Wide128>(product) >> w);
                // Modulo 2^128: of 64 bits and .wide the sum may be more than it holds.
                const Big added = sat ? integer(s[2], type) : static_cast<Big>(s[2]);
                if (adds)
                    product = limited(
                        static_cast<Big>(static_cast<Wide128>(product) + static_cast<Wide128>(added)));
                return cut(product, result);
            },
            ""};
    }
    return std::nullopt;
}

std::optional<Expectation> of_bits(const std::vector<std::string>& p) {
    const std::string base = p[0], type = p.back();
    if (base == "lop3")
        return Expectation{32,
                           {32, 32, 32},
                           "0xE8",
                           "",
                           [](const Sources& s) { return (s[0] & s[1]) | (s[0] & s[2]) | (s[1] & s[2]); },
                           ""};
    if (base == "shf") {
        const bool left = p[1] == "l", wraps = p[2] == "wrap";
        return Expectation{32,
                           {32, 32, 32},
                           "",
                           "",
                           [=](const Sources& s) {
                               const std::uint64_t by = wraps ? s[2] % 32 : std::min<std::uint64_t>(s[2], 32);
                               const Wide128 both = (static_cast<Wide128>(s[1]) << 32U) | s[0];
                               return static_cast<std::uint64_t>(left ? (both << by) >> 32U : both >> by) &
                                      0xffffffffU;
                           },
                           ""};
    }
    if (base == "prmt") {
        const std::string mode = p.size() > 2 ? p.back() : "";
        return Expectation{32,
                           {32, 32, 32},
                           "",
                           "",
                           [=](const Sources& s) {
                               static const std::map<std::string, std::array<std::array<int, 4>, 4>> tables{
                                   {"f4e", {{{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}}}},
                                   {"b4e", {{{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}}}},
                                   {"rc8", {{{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}}},
                                   {"ecl", {{{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}}}},
                                   {"ecr", {{{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}}},
                                   {"rc16", {{{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}}}};
                               const std::uint64_t bytes = s[0] | (s[1] << 32U);
                               std::uint64_t made = 0;
                               for (unsigned k = 0; k < 4; ++k) {
                                   const auto control = static_cast<unsigned>((s[2] >> (4 * k)) & 15U);
                                   const unsigned at =
                                       mode.empty() ? control & 7U
                                                    : static_cast<unsigned>(tables.at(mode)[s[2] & 3U][k]);
                                   std::uint64_t byte = (bytes >> (8 * at)) & 0xffU;
                                   if (mode.empty() && control >= 8) byte = byte >= 128 ? 255 : 0;
                                   made |= byte << (8 * k);
                               }
                               return made;
                           },
                           ""};
    }
    if (base == "dp4a" || base == "dp2a") {
        const std::string a_type = p[p.size() - 2], b_type = p.back();
        const bool two = base == "dp2a";
        const unsigned first = p[1] == "hi" ? 2 : 0;
        return Expectation{32,
                           {32, 32, 32},
                           "",
                           "",
                           [=](const Sources& s) {
                               Big sum = static_cast<Big>(s[2]);
                               for (unsigned k = 0; k < (two ? 2U : 4U); ++k)
                                   sum += integer(s[0] >> (two ? 16 * k : 8 * k),
                                                  a_type.substr(0, 1) + (two ? "16" : "8")) *
                                          integer(s[1] >> (8 * (k + first)), b_type.substr(0, 1) + "8");
                               return cut(sum, 32);
                           },
                           ""};
    }
    if (base == "testp" || base == "cvta" || base == "isspacep") return std::nullopt;
    if (type != "pred" && type[0] != 'b' && type[0] != 'u' && type[0] != 's') return std::nullopt;
    if (type.starts_with("bf")) return std::nullopt;
    const unsigned w = width_of(type);
    const std::string as_unsigned = "u" + std::to_string(w);
    const auto simple = [&](std::vector<unsigned> sources, unsigned result,
                            std::function<std::uint64_t(const Sources&)> f) {
        return Expectation{result,
                           std::move(sources),
                           "",
                           "",
                           [=](const Sources& s) { return cut(static_cast<Big>(f(s)), result); },
                           ""};
    };
    if (base == "and") return simple({w, w}, w, [](const Sources& s) { return s[0] & s[1]; });
    if (base == "or") return simple({w, w}, w, [](const Sources& s) { return s[0] | s[1]; });
    if (base == "xor") return simple({w, w}, w, [](const Sources& s) { return s[0] ^ s[1]; });
    if (base == "not") return simple({w}, w, [](const Sources& s) { return ~s[0]; });
    if (base == "cnot") return simple({w}, w, [](const Sources& s) { return s[0] == 0 ? 1U : 0U; });
    if (base == "shl")
        return simple({w, 32}, w, [=](const Sources& s) { return s[1] >= w ? 0 : s[0] << s[1]; });
    if (base == "shr")
        return simple({w, 32}, w, [=](const Sources& s) {
            return static_cast<std::uint64_t>(integer(s[0], type[0] == 's' ? type : as_unsigned) >>
                                              std::min<std::uint64_t>(s[1], 127));
        });
    if (base == "popc")
        return simple({w}, 32, [](const Sources& s) {
            std::uint64_t n = 0;
            for (std::uint64_t v = s[0]; v != 0; v >>= 1U) n += v & 1U;
            return n;
        });
    if (base == "clz")
        return simple({w}, 32, [=](const Sources& s) {
            std::uint64_t n = 0;
            while (n < w && ((s[0] >> (w - 1 - n)) & 1U) == 0) ++n;
            return n;
        });
    if (base == "brev")
        return simple({w}, w, [=](const Sources& s) {
            std::uint64_t made = 0;
            for (unsigned k = 0; k < w; ++k) made |= ((s[0] >> k) & 1U) << (w - 1 - k);
            return made;
        });
    if (base == "bfind") {
        const bool shift = has_piece(p, "shiftamt");
        return simple({w}, 32, [=](const Sources& s) -> std::uint64_t {
            const std::uint64_t bits =
                type[0] == 's' && integer(s[0], type) < 0 ? cut(static_cast<Big>(~s[0]), w) : s[0];
            for (unsigned k = w; k-- > 0;) {
                if (((bits >> k) & 1U) != 0) return shift ? w - 1 - k : k;
            }
            return 0xffffffffU;
        });
    }
    if (base == "bfe")
        return simple({w, 32, 32}, w, [=](const Sources& s) {
            const unsigned at = s[1] & 255U, length = s[2] & 255U, top = w - 1;
            const std::uint64_t fill =
                type[0] == 'u' || length == 0 ? 0 : (s[0] >> std::min(at + length - 1, top)) & 1U;
            std::uint64_t made = 0;
            for (unsigned k = 0; k < w; ++k)
                made |= (k < length && at + k <= top ? (s[0] >> (at + k)) & 1U : fill) << k;
            return made;
        });
    if (base == "bfi")
        return simple({w, w, 32, 32}, w, [=](const Sources& s) {
            const unsigned at = s[2] & 255U, length = s[3] & 255U;
            std::uint64_t made = s[1];
            for (unsigned k = 0; k < length && at + k < w; ++k)
                made = (made & ~(std::uint64_t{1} << (at + k))) | (((s[0] >> k) & 1U) << (at + k));
            return made;
        });
    return std::nullopt;
}

}  // namespace ptx_test
