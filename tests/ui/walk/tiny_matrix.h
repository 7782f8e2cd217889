// SPDX-License-Identifier: MIT
// A benchmark of two cases a size, on one thread.
#pragma once

#include "ui/benchmark/matrix_choices.h"

namespace workbench::walk {

inline MatrixChoices tinyMatrix(const QString& sizes, int iterations) {
    MatrixChoices c;
    c.sizes = {};
    c.customSizes = sizes;
    c.filterIds = {1, 4};
    c.precisions = {iir2d::Precision::f32};
    c.device = QStringLiteral("cpu");
    c.threads = 1;
    c.warmup = 0;
    c.iterations = iterations;
    return c;
}

}  // namespace workbench::walk
