// SPDX-License-Identifier: MIT
// Trees evaluated, many rows in lockstep: a row's next test waits for its last one, so one row alone leaves a
// processor idle.
#include <algorithm>
#include <array>
#include <vector>

#include "iir2d/tune_model.h"

namespace iir2d {

namespace {

constexpr std::size_t lanes = 8;

}  // namespace

void predict(const TreeEnsemble& ensemble, std::span<const float> rows, std::size_t features,
             std::span<float> out) {
    std::vector<float> values(features * lanes);  // of one feature all lanes
    const std::size_t tests = ensemble.tests_of_a_tree();
    const std::size_t trees = ensemble.trees();
    for (std::size_t first = 0; first < out.size(); first += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            // The last rows are filled up with the last one.
            const std::size_t row = std::min(first + lane, out.size() - 1);
            for (std::size_t f = 0; f < features; ++f) values[f * lanes + lane] = rows[row * features + f];
        }
        std::array<float, lanes> sums;
        sums.fill(ensemble.base);
        for (std::size_t tree = 0; tree < trees; ++tree) {
            const std::uint16_t* const feature = ensemble.tests.data() + tree * tests;
            const float* const threshold = ensemble.thresholds.data() + tree * tests;
            std::array<std::uint32_t, lanes> at{};
            for (std::size_t level = 0; level < ensemble.depth; ++level) {
                for (std::size_t lane = 0; lane < lanes; ++lane) {
                    const std::uint32_t test = at[lane];
                    const bool left = values[feature[test] * lanes + lane] < threshold[test];
                    at[lane] = 2 * test + (left ? 1U : 2U);
                }
            }
            const float* const leaf = ensemble.leaves.data() + tree * ensemble.leaves_of_a_tree();
            for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += leaf[at[lane] - tests];
        }
        const std::size_t count = std::min(lanes, out.size() - first);
        std::copy_n(sums.begin(), count, out.begin() + static_cast<std::ptrdiff_t>(first));
    }
}

}  // namespace iir2d
