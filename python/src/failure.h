// SPDX-License-Identifier: MIT
// Failures on their way to Python, where they become iir2d.errors' exceptions.
#pragma once

#include <string>
#include <utility>

#include "iir2d/iir2d_core.h"

namespace iir2d_python {

struct Failure {
    int status;
    std::string sentence;
};

// Throws a Failure with the library's sentence unless `status` is IIR2D_STATUS_OK. For the thread that made
// the call.
inline void check(int status) {
    if (status != IIR2D_STATUS_OK) throw Failure{status, iir2d_last_error()};
}

[[noreturn]] inline void fail(int status, std::string sentence) {
    throw Failure{status, std::move(sentence)};
}

}  // namespace iir2d_python
