// SPDX-License-Identifier: MIT
// Chooses what a kernel is run on, and computes what it has to give.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/synth/interpret.h"

namespace workbench::synth {

constexpr std::uint32_t launch_blocks = 4;
constexpr std::uint32_t launch_n = 200;  // not a multiple of 64: the last block has a tail

// Returns the inner extent of a kernel's launch, from its canonical hash: 5 to 12.
std::uint32_t inner_extent(std::string_view canonical);

// Sets of inputs: two of ordinary numbers, and one of zeros of both signs, subnormals, huge numbers,
// infinities and NaN where every operation is exact.
constexpr int ordinary_sets = 2;
bool has_specials(const Tree& tree);

// Arguments of a launch, drawn from the canonical hash. Outputs that are not read begin as zeros. `attempt`:
// other numbers, where the first were undecided.
std::vector<Argument> draw_inputs(const Tree& tree, std::string_view canonical, int set, int attempt,
                                  std::uint32_t n = launch_n);

struct ExpectedSet {
    int attempt = 0;
    std::vector<Argument> inputs;
    std::vector<Argument> outputs;  // all arguments, with bounds, after the run
};
struct Expected {
    std::vector<ExpectedSet> sets;
    bool is_exact = true;  // no bound is above 0
};

constexpr int most_attempts = 8;
// Interprets the sets. An error says why there is nothing to expect: "undecided", or a fault of the tree's.
struct Expectation {
    Expected expected;
    std::string error;  // empty: none
};
// Computes a kernel's expected outputs and their bounds. With loose bounds there are ordinary numbers alone.
// Where the limit is over `error` is set: check the limit before you read it.
Expectation expect(const Tree& tree, std::string_view canonical, const Interpretation& how = {});

// Returns an argument's bytes as both compilers lay it out in memory; every NaN becomes the same one.
std::vector<std::byte> bytes_of(const Argument& argument);
std::vector<std::byte> canonical_bytes_of(const Argument& argument);
// Does the reverse, into an argument of the same type and count.
void take_bytes(Argument& argument, const std::byte* bytes);

// A slot whose bits are not those that are expected; any NaN equals any NaN.
struct Difference {
    std::size_t slot = 0;
    double expected = 0;
    double got = 0;
    double bound = 0;  // how far it may be off
    double off() const { return std::abs(expected - got); }
    bool is_within() const { return bound > 0 && off() <= bound; }
};
// Gives the differences of one parameter; `exactly`, no bound is above 0.
void for_each_difference(const Argument& expected, const Argument& got, bool exactly,
                         const std::function<void(const Difference&)>& take);

struct Disagreement {
    std::string parameter;
    std::size_t element = 0;
    double expected = 0;
    double got = 0;
    double bound = 0;
    std::string text() const;
};
struct Agreement {
    std::optional<Disagreement> first;
    double worst_of_bound = 0;  // the largest share of a bound that was used
    double max_ulp = 0;
};
// Compares what an implementation gave with what is expected, within the bounds or, `exactly`, bit for bit.
Agreement agree(const Tree& tree, const std::vector<Argument>& expected, const std::vector<Argument>& got,
                bool exactly);

// Return the SHA-256 of inputs and of outputs: all sets in order, raw.
std::string inputs_hash(const Tree& tree, const Expected& expected);
std::string outputs_hash(const Tree& tree, const Expected& expected);

}  // namespace workbench::synth
