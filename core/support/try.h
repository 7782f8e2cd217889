// SPDX-License-Identifier: MIT
// IIR2D_TRY and IIR2D_RETURN_IF_ERROR, for core's Result and whatever else is a std::expected. from_kernel()
// of core/support/error.h converts an error of the kernel library before.
#pragma once

#include "iir2d/try.h"  // IWYU pragma: export
