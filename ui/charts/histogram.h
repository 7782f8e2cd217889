// SPDX-License-Identifier: MIT
// Bins of timing samples. Pure.
#pragma once

#include <QList>
#include <QPointF>
#include <span>
#include <vector>

namespace workbench {

struct Histogram {
    double low = 0;           // the left edge of the first bin
    double width = 1;         // of each bin, above 0
    std::vector<int> counts;  // their sum is the number of samples
    int clipped = 0;          // samples beyond the last bin's right edge, counted in it
};

// Makes a histogram with bins of Freedman-Diaconis width, 5 to 60 of them. A long tail (beyond p95 + 3 (p95 -
// p5)) is gathered in the last bin, or it would leave the rest one bin wide. Precondition: not empty, all
// finite.
Histogram histogramOf(std::span<const double> samples);

// Returns the samples in another histogram's bins, so that the two can be laid over each other. What lies
// before the first bin is counted in it. Preconditions: both not empty, all finite.
Histogram histogramIn(const Histogram& bins, std::span<const double> samples);

// Returns the outline of the bins, from the floor to the floor.
QList<QPointF> outlineOf(const Histogram& histogram);

}  // namespace workbench
