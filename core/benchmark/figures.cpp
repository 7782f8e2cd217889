// SPDX-License-Identifier: MIT
// What follows from the samples of a case. The runner and the verification of records both ask here.
#include <algorithm>
#include <utility>

#include "core/benchmark/benchmark.h"

namespace workbench {

std::vector<double> latencies_of(const std::vector<TimedSample>& samples) {
    std::vector<double> values(samples.size());
    std::ranges::transform(samples, values.begin(), &TimedSample::latency_ms);
    return values;
}

std::size_t preempted_count(const std::vector<TimedSample>& samples) {
    return static_cast<std::size_t>(std::ranges::count(samples, true, &TimedSample::preempted));
}

TimingFigures figures_of(const CaseResult& result) {
    TimingFigures f;
    const auto latencies = latencies_of(result.samples);
    f.latency = summarise(latencies);
    f.latency_p50_interval = median_interval(latencies);
    f.copy_latency = summarise(latencies_of(result.copy_samples));
    f.memcpy_ms_p50 = percentile(latencies_of(result.memcpy_samples), 50);
    const double seconds = f.latency.p50 / 1e3;
    // A clock too coarse for the case leaves 0, which divides nothing.
    if (seconds > 0) {
        f.throughput_mpix_per_s_p50 =
            static_cast<double>(result.what.width) * static_cast<double>(result.what.height) / seconds / 1e6;
        f.throughput_gb_per_s_p50 = static_cast<double>(result.bytes_moved) / seconds / 1e9;
    }
    if (f.copy_latency.p50 > 0) f.ratio_to_copy = f.latency.p50 / f.copy_latency.p50;
    return f;
}

GpuCourse course_of(std::vector<double> samples) {
    GpuCourse course{.min = percentile(samples, 0),
                     .median = percentile(samples, 50),
                     .max = percentile(samples, 100),
                     .samples = {}};
    course.samples = std::move(samples);
    return course;
}

}  // namespace workbench
