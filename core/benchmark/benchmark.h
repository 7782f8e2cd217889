// SPDX-License-Identifier: MIT
// The benchmark runner: a matrix of cases, each checked against the reference before it is timed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/benchmark/statistics.h"
#include "core/benchmark/stopping.h"
#include "core/image/image.h"
#include "core/recipe/recipe.h"
#include "core/support/error.h"
#include "core/support/fact.h"
#include "core/support/task.h"
#include "iir2d/config.h"
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

// What is known of an image that was measured on when its pixels are not at hand.
struct ImageIdentity {
    std::string path;
    std::string format;
    std::int64_t width = 0;
    std::int64_t height = 0;
    int channels = 1;
    iir2d::ElementType type = iir2d::ElementType::f32;
    std::string pixel_sha256;  // pixel_hash
    friend bool operator==(const ImageIdentity&, const ImageIdentity&) = default;
};

struct CaseConfig {
    std::string key;  // the case's
    iir2d::Config config;
};

struct BenchmarkMatrix {
    std::vector<BenchmarkSize> sizes = {{1024, 1024}, {2048, 2048}};  // ignored when `image` is set
    std::vector<int> filter_ids = {1, 4, 8};
    std::vector<iir2d::Border> borders = {iir2d::Border::mirror};
    std::vector<iir2d::Precision> precisions = {iir2d::Precision::f32, iir2d::Precision::mixed};
    std::vector<PoolOperation> pools;
    std::vector<iir2d::ElementType> pool_elements = {iir2d::ElementType::f32};
    std::vector<PoolPass> pool_passes = {PoolPass::forward};
    std::optional<Recipe> recipe;                 // one case, on `image` or on a synthetic plane of each size
    ImagePtr image;                               // cases run on its first channel; a recipe on all of them
    std::optional<ImageIdentity> image_identity;  // of `image`, in the matrix of a run or record
    std::string device = "auto";
    int threads = 0;  // 0: all
    int warmup = 10;
    int iterations = 50;
    std::uint64_t seed = 1;                // of the synthetic planes, uniform in [0, 1)
    std::optional<StoppingRule> stopping;  // instead of `iterations`, which then is at most how many
    bool cold_cache = false;               // the host's caches are emptied before each timed run, on the CPU
    double most_disturbed = 0.5;           // the part of preempted samples above which a case is inconclusive
    std::string protocol;                  // the name of the protocol that this is; empty: none
    // How cases are executed; those that are not here, as the library chooses. A record has each case's with
    // its kernel.
    std::vector<CaseConfig> configs = {};

    bool has_image() const { return image != nullptr || image_identity.has_value(); }
};

struct FilterCase {
    int filter_id = 1;
    iir2d::Border border = iir2d::Border::mirror;
    iir2d::Precision precision = iir2d::Precision::f32;
    friend bool operator==(const FilterCase&, const FilterCase&) = default;
};
struct PoolCase {
    PoolOperation pool;
    iir2d::ElementType element = iir2d::ElementType::f32;
    PoolPass pass = PoolPass::forward;
    friend bool operator==(const PoolCase&, const PoolCase&) = default;
};
struct RecipeCase {
    Recipe recipe;
    friend bool operator==(const RecipeCase&, const RecipeCase&) = default;
};

// What one case is; equal keys mean comparable cases.
struct BenchmarkCase {
    std::string key;    // "filter:4 border:mirror precision:f32 size:1024x1024"
    std::string label;  // short, for charts
    std::int64_t width = 0;
    std::int64_t height = 0;
    int channels = 1;
    std::variant<FilterCase, PoolCase, RecipeCase> operation;

    // Each is null where the case is of another kind.
    const FilterCase* filter() const { return std::get_if<FilterCase>(&operation); }
    const PoolCase* pool() const { return std::get_if<PoolCase>(&operation); }
    const Recipe* recipe() const {
        const auto* one = std::get_if<RecipeCase>(&operation);
        return one == nullptr ? nullptr : &one->recipe;
    }
};

// Returns the precision that a case computes in: of a recipe the highest of its filters, of pooling f32, or
// f64 where it pools f64.
iir2d::Precision precision_of(const BenchmarkCase& what);

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

// One quantity of a GPU over time: the values that were had, in order, and their percentiles.
struct GpuCourse {
    double min = 0;
    double median = 0;
    double max = 0;
    std::vector<double> samples;
    friend bool operator==(const GpuCourse&, const GpuCourse&) = default;
};
// Precondition: not empty.
GpuCourse course_of(std::vector<double> samples);

// What a GPU did while a case was timed on it, in samples that were taken between the timed runs, never
// during one.
struct GpuStates {
    int samples = 0;
    Fact<GpuCourse> sm_clock_mhz;
    Fact<GpuCourse> temperature_c;
    Fact<GpuCourse> power_w;
    Fact<std::uint64_t> throttle_reasons;  // of all samples together; iir2d::throttle_words() names them
};

// Figures that follow from a case's samples and bytes_moved; 0 where the clock is too coarse for one.
struct TimingFigures {
    SampleStatistics latency;       // over all samples, ms
    Interval latency_p50_interval;  // 95 %, ms
    SampleStatistics copy_latency;
    double memcpy_ms_p50 = 0;
    double ratio_to_copy = 0;  // p50 over p50
    double throughput_mpix_per_s_p50 = 0;
    double throughput_gb_per_s_p50 = 0;  // of bytes_moved
};

struct CaseResult : TimingFigures {
    BenchmarkCase what;
    std::string started_utc;
    iir2d::KernelIdentity kernel;  // of a recipe: its first operation's
    std::optional<Parity> parity;  // absent where it was not judged
    std::optional<std::string>
        failure;  // why it was not timed: a parity failure or an error; samples then empty
    std::vector<TimedSample> samples;
    StopReason stop_reason = StopReason::iterations;
    std::string inconclusive;  // why its samples say nothing, although they are kept; empty: they do
    // The copy of the same planes in the device's memory, interleaved in the same run, ms: on the CPU
    // non-temporal, with the same threads. Pooling: a read and a write of its Traffic.
    std::vector<TimedSample> copy_samples;
    std::vector<TimedSample> memcpy_samples;  // of the input
    std::uint64_t bytes_moved = 0;            // its Traffic
    // To and from a GPU, apart from the latency; absent where there is nothing to transfer.
    std::optional<double> transfer_ms_p50;
    Fact<GpuStates> gpu;
    std::string input_sha256;   // pixel_hash; empty: there is none, as below
    std::string output_sha256;  // pixel_hash
};

// Computes the figures. Precondition: there are samples of all three kinds.
TimingFigures figures_of(const CaseResult& result);

// Returns the samples' milliseconds.
std::vector<double> latencies_of(const std::vector<TimedSample>& samples);
std::size_t preempted_count(const std::vector<TimedSample>& samples);

struct BenchmarkRun {
    BenchmarkMatrix matrix;
    iir2d::DeviceInfo device;
    std::string device_reason;
    int threads = 1;
    std::string started_utc;
    std::string finished_utc;
    std::string clock = "std::chrono::steady_clock";
    std::string copy_method;         // how the copy stores
    std::string preemption_counter;  // what marks samples; empty: the system has none, nothing is marked
    std::string transfers = "none";  // "not in the latency" on a GPU
    bool cancelled = false;          // results are those completed before
    std::int64_t case_total = 0;
    std::vector<CaseResult> results;
};

// Puts what the image is in place of its pixels, which a result does not need.
void keep_identity_of_image(BenchmarkMatrix& matrix);

// Returns whether a word of iir2d::throttle_words() says that the clocks were held back: idleness does not.
bool is_throttling(std::string_view word);

// Names what held a GPU's clocks back during a case: "power cap, thermal, software". Empty when nothing
// did or nothing is known of it.
std::string throttled_by(const CaseResult& result);

// Returns the cases of a matrix in order, or the first thing wrong with it. Never empty.
Result<std::vector<BenchmarkCase>> expand(const BenchmarkMatrix& matrix);

// Returns an error where a config is not valid for a filter or a pooling case on a device; a recipe has
// none.
Result<void> check_case_config(const BenchmarkCase& what, const iir2d::Device& device,
                               const iir2d::Config& config);

// Returns them unchecked, for a matrix that was run elsewhere: it may ask for more than this machine has. A
// recipe's case has `recipe_channels` channels.
std::vector<BenchmarkCase> cases_of(const BenchmarkMatrix& matrix, int recipe_channels);

// Estimates the time of the whole, from the bytes moved; seconds. Never runs anything.
double estimated_seconds(const BenchmarkMatrix& matrix);

// Runs on the calling thread; the result's matrix has the identity of the image and not its pixels.
// `on_result` is called after each case. Cancelling returns what is complete with
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
// Returns that of pooling: forward reads x and writes y. Backward reads the gradient of y and what its
// gradient needs besides, of max the places of the maxima (64 bits each), of lp x and y, and writes the
// gradient of x.
Result<Traffic> pool_traffic(const PoolOperation& pool, iir2d::Shape input, iir2d::ElementType element,
                             PoolPass pass);
// Returns that of a filter or pooling case; absent for a recipe, and for pooling that is refused.
std::optional<Traffic> traffic_of(const BenchmarkCase& what);

// Returns the contract's error bound of a case, for inputs in [0, 1].
double parity_bound(const BenchmarkCase& what);

}  // namespace workbench
