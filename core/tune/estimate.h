// SPDX-License-Identifier: MIT
// Figures from samples. Pure: the same samples give the same figures.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/tune/data.h"

namespace workbench::tune {

// A config's times over static's, paired within rounds.
struct Pairs {
    struct One {
        int round = 1;
        double ln_op = 0;  // ln t - (ln t_static + ln t_static#2) / 2
        double ln_use = 0;
        bool marked = false;  // any of the three samples was
    };
    std::vector<One> all;

    // Returns the rounds that count: the unmarked ones while there are five, or as many as there are rounds;
    // else all.
    std::vector<One> counted() const;
    bool are_disturbed() const;  // all count although some are marked
};
// Pairs the rounds that all three have.
Pairs pairs_of(std::span<const Sample> config, std::span<const Sample> first, std::span<const Sample> second);

struct Logs {
    double op = 0;
    double use = 0;
    // Returns what is minimised: 0 of static.
    double y(Objective objective) const;
};
// Returns medians. Precondition: not empty.
Logs medians_of(std::span<const Pairs::One> pairs);

// Holds a 95 % interval of the median of the logarithm that counts, by a seeded bootstrap. Precondition: not
// empty.
struct LogInterval {
    double low = 0;
    double high = 0;
};
LogInterval interval_of(std::span<const Pairs::One> pairs, Objective objective, std::uint64_t seed);

// Computes a config's figures. Absent where there is no round with static. Precondition: samples are not
// empty.
std::optional<Figures> figures_of(std::span<const Sample> samples, const Pairs& pairs, Objective objective,
                                  std::uint64_t seed);

}  // namespace workbench::tune
