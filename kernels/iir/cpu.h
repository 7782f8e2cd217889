// SPDX-License-Identifier: MIT
// Filters on the CPU: sweeps over filter data, never over a filter id. Bands of rows go through the passes of
// their own axis and at once through the first of the columns' (cpu_rows.h); what is left of the columns'
// passes follows in strips of columns, in place (cpu_columns.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "iir2d/config.h"
#include "iir2d/device.h"
#include "iir2d/error.h"
#include "iir2d/plan.h"
#include "iir2d/tensor.h"
#include "kernels/iir/pass_end.h"
#include "kernels/iir/passes.h"
#include "kernels/iir/start_state.h"
#include "kernels/iir/sweeps.h"
#include "kernels/support/cpu_caches.h"

namespace iir2d::iir {

struct CpuPass {
    Pass pass;
    PassStart start;
    PassEnd end = {};  // of a transposed pass
};

// The work of a plan, immutable.
struct CpuJob {
    std::vector<CpuPass> horizontal;
    std::vector<CpuPass> vertical;
    Precision precision = Precision::f32;
    int threads = 1;
    // Rows are filtered from the last one to the first, and `vertical` is as that sees them.
    bool upside_down = false;
    // Few and long rows, of which a band would need a line: each row is swept alone.
    bool rows_alone = false;
    // The part of the columns' first step that bands of rows do.
    Downward downward = Downward::none;
    support::CpuCaches caches = support::cpu_caches();
    // Where it says auto, static's rules below decide.
    Config config = {};
};

CpuJob make_cpu_job(const FilterDesc& desc, const FilterData& data, int threads);

// Chooses how the passes of a job for planes of this shape are run, when they are made.
void choose_schedule(CpuJob& job, const Shape& shape);

// Threads for that many samples: below some, starting them costs more than it saves.
constexpr int threads_worth(int threads, std::int64_t samples) {
    return samples < (std::int64_t{1} << 16) ? 1 : threads;
}
constexpr int threads_of(const Config& config, int threads, std::int64_t samples) {
    return config.threads != 0 ? config.threads : threads_worth(threads, samples);
}
// Returns whether each thread takes planes of its own, of so many samples: with planes enough for all of
// them, or, of small ones, where no more than a quarter of the threads' time is idle at the end. Threads that
// share a small plane wait for each other longer than that.
constexpr bool deals_planes(const Config& config, int threads, std::int64_t planes, std::int64_t samples) {
    constexpr std::int64_t most_small = std::int64_t{1} << 20;
    if (config.share != 0) return config.share == share_planes;
    if (planes >= std::int64_t{4} * threads) return true;
    const std::int64_t turns = (planes + threads - 1) / threads;
    return samples <= most_small && 4 * planes >= 3 * turns * threads;
}
// Returns a config's `stores` where the knob is valid. In f64 the sweeps for one kind of stores and for the
// other leave another sign where two NaNs meet (GCC 12, AVX2, filter 4), so static's rule stays.
inline std::int32_t stores_of(const CpuJob& job) {
    return job.precision == Precision::f64 ? 0 : job.config.stores;
}
// Returns the columns of a strip, of planes with `across` columns.
std::int64_t strip_width(const Config& config, std::int64_t across, int threads);
// Returns whether anything is left for strips of columns when bands of rows are done.
bool has_strips(const CpuJob& job);

// Calls f<Sample, Arithmetic>() with the types that a precision stores and computes in.
template <class F>
auto with_types(Precision precision, F&& f) {
    switch (precision) {
        case Precision::f32:
            return f.template operator()<float, float>();
        case Precision::mixed:
            return f.template operator()<float, double>();
        case Precision::f64:
            break;
    }
    return f.template operator()<double, double>();
}

// Views are checked, strides resolved, types those of the precision. x and y are the same memory or disjoint.
// std::bad_alloc leaves through it.
Result<void> forward_cpu(const CpuJob& job, const ConstTensorView& x, const TensorView& y,
                         const RunControl& control);

}  // namespace iir2d::iir
