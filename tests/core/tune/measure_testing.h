// SPDX-License-Identifier: MIT
// What the tests of measuring share: a device, a problem for it, and a config.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/tune/problem.h"

namespace workbench::tune {

inline const iir2d::Device two_threads = *iir2d::Device::cpu(2);

inline NamedProblem one_problem(const std::string& spec) {
    auto problem = problem_from_spec(spec);
    EXPECT_TRUE(problem) << spec;
    auto made = named(*problem, two_threads, "test");
    EXPECT_TRUE(made) << spec;
    return *made;
}

inline iir2d::Config threads(int count) {
    return {.threads = count};
}

}  // namespace workbench::tune
