// SPDX-License-Identifier: MIT
// Inside core/image only: what both the programs and the image module must have been built with.
#pragma once

#include "iir2d_build_info.h"

namespace workbench {

// The number after "images" changes with core/image/codec.h, for builds between two commits.
inline constexpr char module_fingerprint[] =
    "iir2d images 1, " IIR2D_BUILD_VERSION " " IIR2D_BUILD_COMMIT ", " IIR2D_BUILD_COMPILER
    ", " IIR2D_BUILD_TYPE ", " IIR2D_BUILD_SYSTEM ", " IIR2D_BUILD_SANITIZE;

}  // namespace workbench
