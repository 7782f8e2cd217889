// SPDX-License-Identifier: MIT
// The library's kernels as the driver loads them. Thread-safe.
#pragma once

#include "iir2d/error.h"
#include "kernels/device/cuda/driver.h"

namespace iir2d::cuda {

// Returns the CUDA toolkit that compiled the kernels, "13.0"; empty when this build has none.
const char* toolkit_version();
// Returns the architectures they were compiled for, "sm_75 sm_80 ..."; empty when this build has none.
const char* architectures();
int oldest_architecture();  // 75 of "sm_75 sm_80"; 0 when this build has none

// Returns a kernel by name, from the image in this library, which is loaded once in a process. An error says
// in one sentence what is wrong with it on this driver.
Result<KernelHandle> kernel(const Driver& driver, const char* name);

// Names a kernel to find out with whether the image loads: where one does, all do. Defined beside the list of
// kernels, which this folder does not know.
const char* probe_kernel();

}  // namespace iir2d::cuda
