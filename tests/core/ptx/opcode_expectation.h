// SPDX-License-Identifier: MIT
// What an opcode that computes is to give, for one lane: worked out from its name, in plain scalar code that
// shares nothing with the executor.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ptx_test {

// A lane's sources, as bits; a predicate is 0 or 1.
using Sources = std::array<std::uint64_t, 4>;

struct Expectation {
    // Widths in bits of the registers: 1 of a predicate. `immediate`: the last operand, where it is a
    // literal.
    unsigned destination = 32;
    std::vector<unsigned> sources;
    std::string immediate;
    std::string floats;  // the type of the sources whose values are to be floats: "f32", ...; "" integers
    // The result, and for a float result whether it is one: then any NaN is as good as any.
    std::function<std::uint64_t(const Sources&)> value;
    std::string result_float;
};

// Nothing for an opcode that does not compute: memory and control have tests of their own.
std::optional<Expectation> expectation_of(const std::string& opcode);

// Splits at dots.
std::vector<std::string> pieces_of(const std::string& opcode);
bool has_piece(const std::vector<std::string>& pieces, const std::string& piece);

}  // namespace ptx_test
