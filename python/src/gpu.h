// SPDX-License-Identifier: MIT
// The module's functions on arrays in a GPU's memory.
#pragma once

#include <nanobind/nanobind.h>

namespace iir2d_python {

void add_gpu_array(nanobind::module_& m);
void add_gpu_functions(nanobind::module_& m);

}  // namespace iir2d_python
