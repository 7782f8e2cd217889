// SPDX-License-Identifier: MIT
// The benchmark runner: a matrix of cases, each checked against the reference before it is timed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/benchmark/statistics.h"
#include "core/benchmark/stopping.h"
#include "core/image/image.h"
#include "core/recipe/recipe.h"
#include "core/support/error.h"
#include "core/support/task.h"
#include "iir2d/device.h"
#include "iir2d/plan.h"

namespace workbench {

struct BenchmarkSize {
    std::int64_t width = 1024;
    std::int64_t height = 1024;
    friend bool operator==(const BenchmarkSize&, const BenchmarkSize&) = default;
};

enum class PoolPass { forward, backward };
constexpr std::string_view name_of(PoolPass pass) {
    return pass == PoolPass::backward ? "backward" : "forward";
}
Result<PoolPass> pool_pass_from_name(std::string_view name);

struct BenchmarkMatrix {
    std::vector<BenchmarkSize> sizes = {{1024, 1024}, {2048, 2048}};  // ignored when `image` is set
    std::vector<int> filter_ids = {1, 4, 8};
    std::vector<iir2d::Border> borders = {iir2d::Border::mirror};
    std::vector<iir2d::Precision> precisions = {iir2d::Precision::f32, iir2d::Precision::mixed};
    std::vector<PoolOperation> pools;
    std::vector<iir2d::ElementType> pool_elements = {iir2d::ElementType::f32};
    std::vector<PoolPass> pool_passes = {PoolPass::forward};
    std::optional<Recipe> recipe;  // one case, on `image` or on a synthetic plane of each size
    ImagePtr image;                // cases run on its first channel; a recipe on all of them
    std::string device = "auto";
    int threads = 0;  // 0: all
    int warmup = 10;
    int iterations = 50;
    std::uint64_t seed = 1;                // of the synthetic planes, uniform in [0, 1)
    std::optional<StoppingRule> stopping;  // instead of `iterations`, which then is at most how many
    bool cold_cache = false;               // the host's caches are emptied before each timed run, on the CPU
    double most_disturbed = 0.5;           // the part of preempted samples above which a case is inconclusive
    std::string protocol;                  // the name of the protocol that this is; empty: none
};

// What one case is; equal keys mean comparable cases.
struct BenchmarkCase {
    std::string key;    // "filter:4 border:mirror precision:f32 size:1024x1024"
    std::string label;  // short, for charts
    std::int64_t width = 0;
    std::int64_t height = 0;
    int channels = 1;
    std::optional<int> filter_id;
    std::optional<PoolOperation> pool;
    iir2d::ElementType element = iir2d::ElementType::f32;  // of pooling
    PoolPass pass = PoolPass::forward;                     // of pooling
    std::optional<Recipe> recipe;
    iir2d::Border border = iir2d::Border::mirror;
    iir2d::Precision precision = iir2d::Precision::f32;
};

struct TimedSample {
    double latency_ms = 0;
    bool preempted = false;  // involuntary context switches rose while it ran; kept and marked, never dropped
};

struct Parity {
    bool passed = false;
    double max_abs_error = 0;
    double mean_abs_error = 0;
    std::int64_t max_ulp = 0;
    double bound = 0;
    bool bound_is_relative = false;  // pooling: each sample's error over the reference there
    double max_relative_error = 0;   // over samples whose reference is not 0
    double worst_error = 0;          // at the worst place: one that is out of bounds when there is one
    std::int64_t worst_x = 0, worst_y = 0;
    int worst_channel = 0;
};

// What a GPU did while a case was timed on it, in samples that were taken between the timed runs, never
// during one. Each list holds the values that were had, in order; `reason` says why one is empty.
struct GpuStates {
    int samples = 0;
    std::vector<double> sm_clock_mhz;
    std::vector<double> temperature_c;
    std::vector<double> power_w;
    std::optional<std::uint64_t>
        throttle_reasons;  // of all samples together; iir2d::throttle_words() names them
    std::string reason;
};

struct CaseResult {
    BenchmarkCase what;
    std::string started_utc;
    iir2d::KernelIdentity kernel;  // of a recipe: its first operation's
    Parity parity;
    std::optional<std::string>
        failure;  // why it was not timed: a parity failure or an error; samples then empty
    std::vector<TimedSample> samples;
    SampleStatistics latency;       // over all samples, ms
    Interval latency_p50_interval;  // 95 %, ms
    StopReason stop_reason = StopReason::iterations;
    std::string inconclusive;  // why its samples say nothing, although they are kept; empty: they do
    // The copy of the same planes in the device's memory, interleaved in the same run, ms: on the CPU
    // non-temporal, with the same threads. Pooling: a read and a write of its Traffic.
    SampleStatistics copy_latency;
    std::vector<TimedSample> copy_samples;
    std::vector<TimedSample> memcpy_samples;  // of the input
    double memcpy_ms_p50 = 0;
    std::uint64_t bytes_moved = 0;  // its Traffic
    double ratio_to_copy = 0;       // p50 over p50
    double throughput_mpix_per_s_p50 = 0;
    double throughput_gb_per_s_p50 = 0;  // of bytes_moved
    // To and from a GPU, apart from the latency; absent where there is nothing to transfer.
    std::optional<double> transfer_ms_p50;
    std::optional<GpuStates> gpu;  // absent on the CPU and when not timed
    std::string input_sha256;      // pixel_hash
    std::string output_sha256;     // pixel_hash
};

struct BenchmarkRun {
    BenchmarkMatrix matrix;
    iir2d::DeviceInfo device;
    std::string device_reason;
    int threads = 1;
    std::string started_utc;
    std::string finished_utc;
    std::string copy_method;         // how the copy stores
    std::string preemption_counter;  // what marks samples; empty: the system has none, nothing is marked
    bool cancelled = false;          // results are those completed before
    std::int64_t case_total = 0;
    std::vector<CaseResult> results;
};

// Whether a word of iir2d::throttle_words() says that the clocks were held back: idleness does not.
bool is_throttling(std::string_view word);

// What held a GPU's clocks back while a case was timed: "power cap, thermal, software". Empty when nothing
// did or nothing is known of it.
std::string throttled_by(const CaseResult& result);

// The cases of a matrix in order, or the first thing wrong with it. Never empty.
Result<std::vector<BenchmarkCase>> expand(const BenchmarkMatrix& matrix);

// The same unchecked, for a matrix that was run elsewhere: it may ask for more than this machine has. A
// recipe's case has `recipe_channels` channels.
std::vector<BenchmarkCase> cases_of(const BenchmarkMatrix& matrix, int recipe_channels);

// A rough time for the whole, from the bytes moved; seconds. Never runs anything.
double estimated_seconds(const BenchmarkMatrix& matrix);

// Runs on the calling thread. `on_result` is called after each case. Cancelling returns what is complete with
// `cancelled` set; an error when that is nothing. A case that fails parity is kept with its failure.
Result<BenchmarkRun> run_benchmark(const BenchmarkMatrix& matrix, const TaskControl& control = {},
                                   const std::function<void(const CaseResult&)>& on_result = {});

// Parity alone, every case; nothing is timed. Cancelling is an error: on_result has had what was checked.
Result<std::vector<CaseResult>> run_parity(const BenchmarkMatrix& matrix, const TaskControl& control = {},
                                           const std::function<void(const CaseResult&)>& on_result = {});

// What an operation has to read and to write, each once; bytes.
struct Traffic {
    std::uint64_t read = 0;
    std::uint64_t written = 0;
    friend bool operator==(const Traffic&, const Traffic&) = default;
};
// Of pooling: forward reads x and writes y. Backward reads the gradient of y and what its gradient needs
// besides, of max the places of the maxima (64 bits each), of lp x and y, and writes the gradient of x.
Result<Traffic> pool_traffic(const PoolOperation& pool, iir2d::Shape input, iir2d::ElementType element,
                             PoolPass pass);

// The contract's bound for a case, for inputs in [0, 1].
double parity_bound(const BenchmarkCase& what);

}  // namespace workbench
