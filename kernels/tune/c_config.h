// SPDX-License-Identifier: MIT
// The C interface's config.
#pragma once

#include <cstddef>

#include "iir2d/config.h"
#include "iir2d/error.h"
#include "iir2d/iir2d_tune.h"

namespace iir2d::tune {

// Returns the struct's fields; an error names what is wrong with it.
Result<Config> read_config(const IIR2D_Config* config);

}  // namespace iir2d::tune
