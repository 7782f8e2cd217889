// SPDX-License-Identifier: MIT
// Errors as statuses of the C interface.
#pragma once

#include "iir2d/error.h"
#include "iir2d/iir2d_core.h"

namespace iir2d::support {

// The status of a C function in which an exception was thrown.
inline constexpr int no_memory = IIR2D_STATUS_WORKSPACE_ERROR;

inline int status_of(ErrorCode code) {
    return code == ErrorCode::cancelled ? static_cast<int>(IIR2D_STATUS_INVALID_ARGUMENT)
                                        : static_cast<int>(code);
}

inline int status_of(const Result<void>& done) {
    return done ? static_cast<int>(IIR2D_STATUS_OK) : status_of(done.error().code);
}

}  // namespace iir2d::support
