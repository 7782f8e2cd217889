// SPDX-License-Identifier: MIT
// The handlers for CUDA.
#pragma once

#include "xla/ffi/api/c_api.h"

namespace iir2d_python {

struct CudaHandlers {
    XLA_FFI_Handler* filter;
    XLA_FFI_Handler* gradient;
    XLA_FFI_Handler* pool;
    XLA_FFI_Handler* pool_backward;
};
// Returns the handlers: asynchronous on XLA's stream, in its scratch memory.
CudaHandlers cuda_handlers();

}  // namespace iir2d_python
