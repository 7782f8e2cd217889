// SPDX-License-Identifier: MIT
#include "ui/charts/histogram.h"

#include <algorithm>
#include <cmath>

#include "core/benchmark/statistics.h"

namespace workbench {

Histogram histogramOf(std::span<const double> samples) {
    const auto [least, greatest] = std::ranges::minmax_element(samples);
    const double p5 = percentile(samples, 5);
    const double p95 = percentile(samples, 95);
    const double low = *least;
    const double high = std::min(*greatest, p95 + 3.0 * (p95 - p5));

    Histogram histogram{.low = low};
    const double span = high - low;
    if (!(span > 0.0)) {
        // All alike, or nearly all: one bin around them.
        histogram.width = std::max(std::abs(low) * 0.01, 1e-6);
        histogram.low = low - histogram.width / 2;
        histogram.counts = {int(samples.size())};
        histogram.clipped = int(
            std::ranges::count_if(samples, [&](double s) { return s > histogram.low + histogram.width; }));
        return histogram;
    }
    const double quartiles = percentile(samples, 75) - percentile(samples, 25);
    const double wanted = 2.0 * quartiles / std::cbrt(double(samples.size()));
    const double bins = wanted > 0.0 ? std::clamp(std::ceil(span / wanted), 5.0, 60.0) : 20.0;
    histogram.width = span / bins;
    histogram.counts.assign(std::size_t(bins), 0);
    const int last = int(bins) - 1;
    for (const double sample : samples) {
        if (sample > high) ++histogram.clipped;
        const double bin = std::min(std::floor((sample - low) / histogram.width), double(last));
        ++histogram.counts[std::size_t(std::max(0.0, bin))];
    }
    return histogram;
}

Histogram histogramIn(const Histogram& bins, std::span<const double> samples) {
    Histogram histogram{.low = bins.low, .width = bins.width};
    histogram.counts.assign(bins.counts.size(), 0);
    const double last = double(bins.counts.size()) - 1.0;
    const double high = bins.low + bins.width * double(bins.counts.size());
    for (const double sample : samples) {
        if (sample > high) ++histogram.clipped;
        const double bin = std::clamp(std::floor((sample - bins.low) / bins.width), 0.0, last);
        ++histogram.counts[std::size_t(bin)];
    }
    return histogram;
}

QList<QPointF> outlineOf(const Histogram& h) {
    QList<QPointF> outline{QPointF(h.low, 0.0)};
    double edge = h.low;
    for (const int count : h.counts) {
        outline.append(QPointF(edge, count));
        edge += h.width;
        outline.append(QPointF(edge, count));
    }
    outline.append(QPointF(edge, 0.0));
    return outline;
}

}  // namespace workbench
