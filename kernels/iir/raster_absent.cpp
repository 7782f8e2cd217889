// SPDX-License-Identifier: MIT
// A build without Highway.
#include "kernels/iir/raster.h"

namespace iir2d::iir {

bool raster_applies(const CpuJob&, const Shape&) {
    return false;
}

Result<void> forward_raster(const CpuJob& job, const ConstTensorView& x, const TensorView& y,
                            const RunControl& control) {
    return forward_cpu(job, x, y, control);
}

}  // namespace iir2d::iir
