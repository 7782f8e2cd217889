// SPDX-License-Identifier: MIT
// Computes where pooling windows lie. The reference, the plans and every backend take it from here, so that a
// boundary rule exists once (docs/pooling.md, "Output size" and "Windows").
#pragma once

#include <cstdint>

#include "iir2d/error.h"
#include "iir2d/plan.h"
#include "iir2d/tensor.h"
#include "kernels/pool/windows.h"

namespace iir2d::pool {

struct PoolGeometry {
    Shape input;
    Shape output;
    AxisWindows y;  // along h
    AxisWindows x;  // along w

    std::int64_t planes() const { return input.n * input.c; }
};

// Returns the descriptor with its defaults in every field that the op does not read, so that nothing which is
// made from it can depend on them (docs/pooling.md, "Operations").
PoolDesc read_fields(const PoolDesc& desc);

// Validates every field of the descriptor that does not depend on a device, and places the windows. An error
// names the field and its value.
Result<PoolGeometry> make_geometry(const PoolDesc& desc);

}  // namespace iir2d::pool
