// SPDX-License-Identifier: MIT
// Problems solved with kernels that have a mistake, and rates.
#pragma once

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/solve/report.h"
#include "core/solve/solve.h"
#include "core/synth/parse.h"
#include "core/synth/print.h"

namespace solve_test {

using namespace workbench::solve;  // NOLINT: what is tested
using workbench::ErrorKind;

// The interpreter, with one kernel's source changed: `what`, which it has, becomes `with`.
inline std::unique_ptr<Engine> with_mistake(const std::string& kernel, const std::string& what,
                                            const std::string& with) {
    static std::map<std::string, workbench::synth::Tree> kept;
    std::string source = print_cuda(tree_of(kernel));
    const auto at = source.find(what);
    EXPECT_NE(at, std::string::npos) << what << " is not in\n" << source;
    if (at != std::string::npos) source.replace(at, what.size(), with);
    const auto tree = workbench::synth::parse(source);
    EXPECT_TRUE(tree) << tree.error().message;
    const std::string key = kernel + what + with;
    kept[key] = *tree;
    return make_interpreter_engine([kernel, key](std::string_view name) -> const workbench::synth::Tree& {
        return name == kernel ? kept[key] : tree_of(name);
    });
}

template <class Problem>
Solved solved(const Problem& problem, Engine& engine, const Common& common = {}) {
    auto made = solve(problem, common, engine);
    EXPECT_TRUE(made) << made.error().message;
    return made ? *std::move(made) : Solved{};
}
template <class Problem>
Solved solved(const Problem& problem, const Common& common = {}) {
    const auto engine = make_compiled_engine(1);
    return solved(problem, *engine, common);
}

template <class Problem>
std::vector<Solved> refine(Problem problem, int sizes, Engine& engine, const Common& common = {}) {
    std::vector<Solved> made;
    for (int k = 0; k < sizes; ++k) {
        if (k > 0) problem = refined(problem);
        made.push_back(solved(problem, engine, common));
    }
    return made;
}
template <class Problem>
std::vector<Solved> refine(const Problem& problem, int sizes) {
    const auto engine = make_compiled_engine(2);
    return refine(problem, sizes, *engine);
}

// Whether every rate is known and within `by` of what is wanted.
inline bool are_near(const std::vector<std::optional<double>>& rates, double wanted, double by) {
    for (const auto& rate : rates) {
        if (!rate || !(std::abs(*rate - wanted) <= by)) return false;
    }
    return !rates.empty();
}
inline std::string shown(const std::vector<std::optional<double>>& rates) {
    std::string made;
    for (const auto& rate : rates) made += (rate ? std::to_string(*rate) : "none") + " ";
    return made;
}
#define EXPECT_RATES(rates, wanted, by) EXPECT_TRUE(are_near(rates, wanted, by)) << shown(rates)
#define EXPECT_NO_RATES(rates, wanted, by) EXPECT_FALSE(are_near(rates, wanted, by)) << shown(rates)

}  // namespace solve_test
