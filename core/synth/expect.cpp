// SPDX-License-Identifier: MIT
#include "core/synth/expect.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/support/files.h"
#include "core/synth/lanes.h"
#include "core/synth/maker.h"

namespace workbench::synth {

namespace {

std::uint64_t number_of(std::string_view hash, std::size_t from) {
    std::uint64_t made = 0;
    for (std::size_t k = from; k < from + 16 && k < hash.size(); ++k) {
        const char digit = hash[k];
        made = made * 16 + static_cast<std::uint64_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    }
    return made;
}

std::uint64_t ordinary(Type type, Draw& draw) {
    if (is_float(type)) {
        const double unit = static_cast<double>(draw.next() >> 11) * 0x1p-53;
        return bits_of(type, 8 * unit - 4);
    }
    const std::uint64_t any = draw.next();
    const bool small = draw.chance(60);
    const auto low = static_cast<std::int64_t>(any % 201) - (is_signed(type) ? 100 : 0);
    const std::uint64_t made = small ? static_cast<std::uint64_t>(low) : any;
    return info(type).bytes == 4 ? static_cast<std::uint32_t>(made) : made;
}

std::uint64_t special(Type type, Draw& draw) {
    const int k = draw.below(16);
    if (!is_float(type)) {
        const std::uint64_t top = std::uint64_t{1} << (info(type).bytes * 8 - 1);
        const std::uint64_t list[4] = {0, ~std::uint64_t{0}, top, top - 1};
        const std::uint64_t made = k < 8 ? list[k / 2] : ordinary(type, draw);
        return info(type).bytes == 4 ? static_cast<std::uint32_t>(made) : made;
    }
    const bool narrow = type == Type::f32;
    const double least = narrow ? 0x1p-149 : 0x1p-1074, huge = narrow ? 3e38 : 1.7e308;
    const double sign = draw.chance(50) ? -1 : 1;
    switch (k) {
        case 0:
        case 1:
            return bits_of(type, sign * 0.0);
        case 2:
            return bits_of(type, sign * least);
        case 3:
            return bits_of(type, sign * least * draw.between(2, 100000));
        case 4:
        case 5:
            return bits_of(type, sign * huge);
        case 6:
        case 7:
            return bits_of(type, sign * std::numeric_limits<double>::infinity());
        case 8:
            return bits_of(type, std::numeric_limits<double>::quiet_NaN());
        case 9:
            return bits_of(type, sign);
        default:
            return ordinary(type, draw);
    }
}

}  // namespace

std::uint32_t inner_extent(std::string_view canonical) {
    return 5 + static_cast<std::uint32_t>(number_of(canonical, 32) % 8);
}

bool has_specials(const Tree& tree) {
    if (std::any_of(tree.exprs.begin(), tree.exprs.end(), [](const Expr& e) { return !is_exact(e.op); }))
        return false;
    return std::none_of(tree.stmts.begin(), tree.stmts.end(), [&](const Stmt& s) {
        return s.kind == StmtKind::atomic && is_float(tree.symbols[s.symbol].type);
    });
}

std::vector<Argument> draw_inputs(const Tree& tree, std::string_view canonical, int set, int attempt,
                                  std::uint32_t n) {
    Draw draw(number_of(canonical, 0) + static_cast<std::uint64_t>(set) * 1000 +
              static_cast<std::uint64_t>(attempt));
    const std::uint32_t m = inner_extent(canonical);
    std::vector<Argument> made;
    for (const Id id : tree.kernel.parameters) {
        const Symbol& symbol = tree.symbols[id];
        Argument argument{.type = symbol.type};
        const Type of = element(symbol.type);
        if (symbol.kind == SymbolKind::n || symbol.kind == SymbolKind::m) {
            argument.slots = {symbol.kind == SymbolKind::n ? n : m};
        } else {
            const std::size_t count =
                is_array_parameter(symbol.kind)
                    ? symbol.extent.count(n, m) * static_cast<std::size_t>(info(symbol.type).components)
                    : 1;
            argument.slots.resize(count, 0);
            if (symbol.kind != SymbolKind::output) {
                for (std::uint64_t& slot : argument.slots)
                    slot = set < ordinary_sets ? ordinary(of, draw) : special(of, draw);
            }
        }
        made.push_back(std::move(argument));
    }
    return made;
}

Expectation expect(const Tree& tree, std::string_view canonical, const Interpretation& how) {
    Expectation made;
    const int sets = ordinary_sets + (has_specials(tree) && !how.loose ? 1 : 0);
    for (int set = 0; set < sets; ++set) {
        for (int attempt = 0;; ++attempt) {
            if (attempt == most_attempts) {
                made.error = "undecided";
                return made;
            }
            ExpectedSet one{attempt, draw_inputs(tree, canonical, set, attempt), {}};
            one.outputs = one.inputs;
            const Interpreted run = interpret(tree, one.outputs, how);
            if (!run.error.empty()) {
                made.error = run.error;
                return made;
            }
            bool undecided = run.undecided;
            for (const Argument& argument : one.outputs) {
                for (const double e : argument.extra) {
                    made.expected.is_exact = made.expected.is_exact && e == 0;
                    undecided = undecided || !(e < std::numeric_limits<double>::infinity());
                }
            }
            if (undecided) continue;
            made.expected.sets.push_back(std::move(one));
            break;
        }
    }
    return made;
}

// ---- Memory

std::vector<std::byte> bytes_of(const Argument& argument) {
    const auto size = static_cast<std::size_t>(info(argument.type).bytes);
    std::vector<std::byte> made(argument.slots.size() * size);
    for (std::size_t k = 0; k < argument.slots.size(); ++k)
        std::memcpy(made.data() + k * size, &argument.slots[k], size);
    return made;
}

std::vector<std::byte> canonical_bytes_of(const Argument& argument) {
    Argument plain{argument.type, argument.slots, {}};
    for (std::size_t k = 0; k < plain.slots.size(); ++k) {
        if (is_float(plain.type) && std::isnan(plain.number(k)))
            plain.slots[k] = bits_of(element(plain.type), std::numeric_limits<double>::quiet_NaN());
    }
    return bytes_of(plain);
}

void take_bytes(Argument& argument, const std::byte* bytes) {
    const auto size = static_cast<std::size_t>(info(argument.type).bytes);
    for (std::size_t k = 0; k < argument.slots.size(); ++k) {
        argument.slots[k] = 0;
        std::memcpy(&argument.slots[k], bytes + k * size, size);
    }
}

// ---- Comparing

std::string Disagreement::text() const {
    return parameter + "[" + std::to_string(element) + "]: " + format_number(got) + " where " +
           format_number(expected) + " within " + format_number(bound) + " is expected";
}

void for_each_difference(const Argument& expected, const Argument& got, bool exactly,
                         const std::function<void(const Difference&)>& take) {
    for (std::size_t k = 0; k < expected.slots.size(); ++k) {
        if (expected.slots[k] == got.slots[k]) continue;
        const double bound = exactly || expected.extra.empty() ? 0 : expected.extra[k];
        const Difference one{k, expected.number(k), got.number(k), bound};
        if (is_float(expected.type) && std::isnan(one.expected) && std::isnan(one.got)) continue;
        take(one);
    }
}

Agreement agree(const Tree& tree, const std::vector<Argument>& expected, const std::vector<Argument>& got,
                bool exactly) {
    Agreement made;
    for (std::size_t p = 0; p < expected.size(); ++p) {
        const Symbol& symbol = tree.symbols[tree.kernel.parameters[p]];
        if (!is_written(symbol.kind)) continue;
        for_each_difference(expected[p], got[p], exactly, [&](const Difference& one) {
            if (one.is_within()) {
                made.worst_of_bound = std::max(made.worst_of_bound, one.off() / one.bound);
                // Beside an expected 0 the distance may be more units than a double can count.
                const double units = one.off() / ulp(element(symbol.type), one.expected);
                made.max_ulp = std::max(made.max_ulp, std::min(units, std::numeric_limits<double>::max()));
            } else if (!made.first) {
                made.first = Disagreement{symbol.name,
                                          one.slot / static_cast<std::size_t>(info(symbol.type).components),
                                          one.expected, one.got, one.bound};
            }
        });
    }
    return made;
}

std::string inputs_hash(const Tree& tree, const Expected& expected) {
    Sha256 hash;
    for (const ExpectedSet& set : expected.sets) {
        for (std::size_t p = 0; p < set.inputs.size(); ++p) {
            if (tree.symbols[tree.kernel.parameters[p]].kind != SymbolKind::output)
                hash.add(bytes_of(set.inputs[p]));
        }
    }
    return hash.hex();
}

std::string outputs_hash(const Tree& tree, const Expected& expected) {
    Sha256 hash;
    for (const ExpectedSet& set : expected.sets) {
        for (std::size_t p = 0; p < set.outputs.size(); ++p) {
            if (is_written(tree.symbols[tree.kernel.parameters[p]].kind))
                hash.add(canonical_bytes_of(set.outputs[p]));
        }
    }
    return hash.hex();
}

}  // namespace workbench::synth
