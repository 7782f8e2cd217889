// SPDX-License-Identifier: MIT
// What the stand-in driver that a test has on its library path has seen.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "tests/gpu/fake_cuda/scenario.h"

namespace fake_cuda {

inline Counts counts() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    const auto ask =
        reinterpret_cast<void (*)(Counts*)>(driver != nullptr ? dlsym(driver, "fake_cuda_counts") : nullptr);
    Counts counts;
    if (ask != nullptr) {
        ask(&counts);
    } else {
        ADD_FAILURE() << "the stand-in driver is not on the library path";
    }
    return counts;
}

}  // namespace fake_cuda
