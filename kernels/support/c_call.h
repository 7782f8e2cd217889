// SPDX-License-Identifier: MIT
// The body of a C function: its Result becomes a status and the thread's last error; no exception leaves it.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>

#include "iir2d/error.h"
#include "iir2d/iir2d_core.h"
#include "kernels/support/last_error.h"

namespace iir2d::support {

// The numbers of codes are those of statuses.
static_assert(static_cast<int>(ErrorCode::cuda_error) == IIR2D_STATUS_CUDA_ERROR);
static_assert(static_cast<int>(ErrorCode::cancelled) == IIR2D_STATUS_CANCELLED);

// Returns the status of body(), a Result<void>. The standard library throws where memory is short, whichever
// thread of the run it was.
template <class Body>
int c_call(const Body& body) noexcept {
    try {
        const Result<void> done = body();
        if (done) {
            clear_last_error();
            return IIR2D_STATUS_OK;
        }
        set_last_error(done.error().message);
        return static_cast<int>(done.error().code);
    } catch (const std::bad_alloc&) {
        set_last_error_literal("there is not enough memory");
    } catch (const std::length_error&) {  // of a container that no memory could hold
        set_last_error_literal("there is not enough memory");
    } catch (...) {
        set_last_error_literal("the call failed inside the library");
    }
    return IIR2D_STATUS_WORKSPACE_ERROR;
}

}  // namespace iir2d::support
