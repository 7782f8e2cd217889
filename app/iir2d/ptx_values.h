// SPDX-License-Identifier: MIT
// Values of `ptx run` as JSON.
#pragma once

#include "app/iir2d/json.h"
#include "core/ptx/arguments.h"

namespace app {

using PtxArgument = workbench::ptx::TextArgument;

// A float as a number, the shortest that reads back; as "nan", "inf" or "-inf" where it is none.
Json json_float(double value, bool single);
// The values of an array: numbers; a float that is none as "nan", "inf" or "-inf".
Json json_values(const PtxArgument& argument);

}  // namespace app
