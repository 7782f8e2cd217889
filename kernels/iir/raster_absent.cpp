// SPDX-License-Identifier: MIT
// A build without Highway.
#include <cstdlib>

#include "kernels/iir/raster.h"

namespace iir2d::iir {

bool raster_applies(const CpuJob&, const Shape&) {
    return false;
}

Result<std::string> raster_target() {
    const char* wanted = std::getenv("IIR2D_CPU_TARGET");
    if (wanted == nullptr || *wanted == '\0') return IIR2D_CPU_BASELINE;
    return std::unexpected(Error{ErrorCode::invalid_argument,
                                 std::string("IIR2D_CPU_TARGET is \"") + wanted +
                                     "\", and this build, which has no Highway, has nothing to choose from"});
}

Result<void> forward_raster(const CpuJob& job, const ConstTensorView& x, const TensorView& y,
                            const RunControl& control) {
    return forward_cpu(job, x, y, control);
}

}  // namespace iir2d::iir
