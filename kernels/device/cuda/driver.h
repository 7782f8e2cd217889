// SPDX-License-Identifier: MIT
// The NVIDIA driver, opened at run time: libcuda.so.1 or nvcuda.dll. One binary runs with it and without.
// Thread-safe.
#pragma once

#include <string>

#include "iir2d/error.h"
#include "kernels/device/cuda/driver_calls.h"

namespace iir2d::cuda {

struct Driver {
#define IIR2D_CUDA_POINTER(name, version, parameters) int(IIR2D_CUDA_CALL * name) parameters = nullptr;
    IIR2D_CUDA_CALLS(IIR2D_CUDA_POINTER)
#undef IIR2D_CUDA_POINTER

    int version = 0;       // of the CUDA it supports, e.g. 13000
    int device_count = 0;  // at least 1

    // Returns an Error for a code that is not success: the call, the code's name and the driver's own
    // sentence.
    Result<void> check(const char* call, int code) const;
};

// Returns the driver, initialised, with at least one device. The error says in one sentence what is missing:
// no driver, one that is too old, no device. Tried once in a process, except that a driver without devices is
// asked again.
Result<const Driver*> driver();

// "13.0" of 13000.
std::string version_text(int version);

// Returns whether a code leaves the context unusable for good.
bool is_sticky(int code);

// A driver call that is checked: IIR2D_CUDA_CHECKED(driver, cuMemFree, pointer).
#define IIR2D_CUDA_CHECKED(driver, name, ...) (driver).check(#name, (driver).name(__VA_ARGS__))

}  // namespace iir2d::cuda
