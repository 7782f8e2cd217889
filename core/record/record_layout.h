// SPDX-License-Identifier: MIT
// The members of a record: every name, where its value is, and what it may be. record.json is written and
// read by this table, its figures are compared by it, and resources/schemas/record.schema.json is made from
// it.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/benchmark/benchmark.h"
#include "core/record/environment.h"
#include "core/record/layout.h"
#include "core/record/record.h"
#include "iir2d/device.h"
#include "iir2d/filter.h"
#include "iir2d/plan.h"

namespace workbench::layout {

template <>
struct Words<iir2d::Border> {
    static constexpr std::array values = {iir2d::Border::clamp, iir2d::Border::mirror, iir2d::Border::wrap,
                                          iir2d::Border::constant};
    static std::string_view name(iir2d::Border border) { return iir2d::name_of(border); }
};
template <>
struct Words<iir2d::Precision> {
    static constexpr std::array values = {iir2d::Precision::f32, iir2d::Precision::mixed,
                                          iir2d::Precision::f64};
    static std::string_view name(iir2d::Precision precision) { return iir2d::name_of(precision); }
};
template <>
struct Words<iir2d::ElementType> {
    static constexpr std::array values = {iir2d::ElementType::f32, iir2d::ElementType::f64,
                                          iir2d::ElementType::f16, iir2d::ElementType::bf16};
    static std::string_view name(iir2d::ElementType element) { return iir2d::name_of(element); }
};
template <>
struct Words<iir2d::PoolOp> {
    static constexpr std::array values = {iir2d::PoolOp::max, iir2d::PoolOp::avg, iir2d::PoolOp::lp,
                                          iir2d::PoolOp::adaptive_max, iir2d::PoolOp::adaptive_avg};
    static std::string_view name(iir2d::PoolOp op) { return iir2d::name_of(op); }
};
template <>
struct Words<iir2d::Backend> {
    static constexpr std::array values = {iir2d::Backend::cpu, iir2d::Backend::cuda};
    static std::string_view name(iir2d::Backend backend) {
        return backend == iir2d::Backend::cuda ? "cuda" : "cpu";
    }
};
template <>
struct Words<PoolPass> {
    static constexpr std::array values = {PoolPass::forward, PoolPass::backward};
    static std::string_view name(PoolPass pass) { return name_of(pass); }
};
template <>
struct Words<StopReason> {
    static constexpr std::array values = {StopReason::iterations, StopReason::precision,
                                          StopReason::most_samples, StopReason::most_time};
    static std::string_view name(StopReason reason) { return name_of(reason); }
};
enum class CacheState { warm, cold };
template <>
struct Words<CacheState> {
    static constexpr std::array values = {CacheState::warm, CacheState::cold};
    static std::string_view name(CacheState state) { return state == CacheState::cold ? "cold" : "warm"; }
};

inline constexpr Limits a_side = {.least = 1, .most = 1 << 30};  // products of two are exact
inline constexpr Limits a_filter_id = {
    .least = 1, .most_by_table = [] { return static_cast<double>(iir2d::filter_table().back().id); }};
inline constexpr Limits a_list_of_samples = {.least = 0, .fewest_items = 1, .most_items = 1'000'000};

template <>
struct Layout<iir2d::Extent> {
    static constexpr auto rows = std::tuple{member("h", &iir2d::Extent::h, not_negative),
                                            member("w", &iir2d::Extent::w, not_negative)};
};
template <>
struct Layout<BenchmarkSize> {
    static constexpr auto rows = std::tuple{member("width", &BenchmarkSize::width, a_side),
                                            member("height", &BenchmarkSize::height, a_side)};
};
template <>
struct Layout<PoolOperation> {
    static constexpr auto rows = std::tuple{
        member("op", &PoolOperation::op),
        member("window", &PoolOperation::window),
        computed(
            "stride", [](const PoolOperation& p) { return p.stride.value_or(p.window); },
            [](PoolOperation& p, iir2d::Extent stride) {
                p.stride = stride;
                return true;
            }),
        member("padding", &PoolOperation::padding),
        member("dilation", &PoolOperation::dilation),
        member("ceil_mode", &PoolOperation::ceil_mode),
        member("p", &PoolOperation::p),
        member("count_include_pad", &PoolOperation::count_include_pad),
        nullable("divisor_override", &PoolOperation::divisor_override,
                 says("not given: the size of the window divides")),
        nullable_if([](const PoolOperation& p) { return iir2d::is_adaptive(p.op); }, "output",
                    &PoolOperation::output, says("not adaptive: the size follows from the window"))};
};
template <>
struct Layout<StoppingRule> {
    static constexpr auto rows =
        std::tuple{member("precision", &StoppingRule::precision, {.least = 0, .most = 1}),
                   member("least", &StoppingRule::least, {.least = 5, .most = 1e6}),
                   member("most", &StoppingRule::most, {.least = 5, .most = 1e6}),
                   member("most_seconds", &StoppingRule::most_seconds, {.least = 0, .most = 86'400})};
};
template <>
struct Layout<ImageIdentity> {
    static constexpr auto rows = std::tuple{member("path", &ImageIdentity::path),
                                            member("format", &ImageIdentity::format),
                                            member("width", &ImageIdentity::width, positive),
                                            member("height", &ImageIdentity::height, positive),
                                            member("channels", &ImageIdentity::channels, positive),
                                            member("type", &ImageIdentity::type),
                                            member("pixel_sha256", &ImageIdentity::pixel_sha256, a_sha256)};
};
template <>
struct Layout<BenchmarkMatrix> {
    static constexpr auto rows = std::tuple{
        member("sizes", &BenchmarkMatrix::sizes, {.fewest_items = 1}),
        member("filter_ids", &BenchmarkMatrix::filter_ids, a_filter_id),
        member("borders", &BenchmarkMatrix::borders),
        member("precisions", &BenchmarkMatrix::precisions),
        member("pools", &BenchmarkMatrix::pools),
        member("pool_elements", &BenchmarkMatrix::pool_elements),
        member("pool_passes", &BenchmarkMatrix::pool_passes),
        nullable("recipe", &BenchmarkMatrix::recipe, says("no recipe in the matrix")),
        nullable("image", &BenchmarkMatrix::image_identity, says("no image: synthetic planes")),
        member("device", &BenchmarkMatrix::device, a_name),
        member("threads", &BenchmarkMatrix::threads, not_negative),
        member("warmup", &BenchmarkMatrix::warmup, not_negative),
        member("iterations", &BenchmarkMatrix::iterations, positive),
        member("seed", &BenchmarkMatrix::seed),
        nullable("protocol", &BenchmarkMatrix::protocol, says("not run by a protocol")),
        nullable("stopping", &BenchmarkMatrix::stopping, says("a fixed number of iterations")),
        computed(
            "cache",
            [](const BenchmarkMatrix& m) { return m.cold_cache ? CacheState::cold : CacheState::warm; },
            [](BenchmarkMatrix& m, CacheState state) {
                m.cold_cache = state == CacheState::cold;
                return true;
            }),
        member("most_disturbed", &BenchmarkMatrix::most_disturbed, {.least = 0, .most = 1})};
};

template <>
struct Layout<iir2d::DeviceProperty> {
    static constexpr auto rows = std::tuple{
        member("key", &iir2d::DeviceProperty::key, a_name),
        member("label", &iir2d::DeviceProperty::label, a_name), member("unit", &iir2d::DeviceProperty::unit),
        inline_fact(&iir2d::DeviceProperty::value, &iir2d::DeviceProperty::reason)};
};
template <>
struct Layout<iir2d::DeviceInfo> {
    static constexpr auto rows = std::tuple{
        member("id", &iir2d::DeviceInfo::id, a_name), member("name", &iir2d::DeviceInfo::name, a_name),
        member("properties", &iir2d::DeviceInfo::properties, {.most_items = 1000})};
};

struct NoGpu {
    std::string operator()(const Environment& e) const { return e.gpu_reason; }
    static void keep(Environment& e, std::string reason) { e.gpu_reason = std::move(reason); }
};
template <>
struct Layout<Environment> {
    static constexpr auto rows =
        std::tuple{member("host", &Environment::host),
                   member("os", &Environment::os, a_name),
                   member("kernel", &Environment::kernel, a_name),
                   member("platform", &Environment::platform, a_name),
                   member("cpu_model", &Environment::cpu_model),
                   member("logical_cores", &Environment::logical_cores, positive),
                   member("physical_cores", &Environment::physical_cores, not_negative),
                   member("governor", &Environment::governor),
                   member("load_before", &Environment::load_before),
                   member("load_after", &Environment::load_after),
                   member("memory_total_bytes", &Environment::memory_total_bytes),
                   member("memory_available_bytes", &Environment::memory_available_bytes),
                   member("compiler", &Environment::compiler, a_name),
                   member("compile_flags", &Environment::compile_flags),
                   member("build_type", &Environment::build_type),
                   member("version", &Environment::version, a_name),
                   member("commit", &Environment::commit),
                   member("dirty", &Environment::dirty),
                   member("build_fingerprint", &Environment::build_fingerprint, a_name),
                   member("library_path", &Environment::library_path),
                   member("library_sha256", &Environment::library_sha256, a_sha256),
                   member("threads", &Environment::threads, not_negative),
                   nullable("gpus", &Environment::gpus, NoGpu{}, {.fewest_items = 1, .most_items = 64})};
};

template <>
struct Layout<FilterCase> {
    static constexpr const char* kind = "filter";
    static constexpr auto rows =
        std::tuple{member("filter_id", &FilterCase::filter_id, a_filter_id),
                   derived(
                       "filter_name",
                       [](const FilterCase& c) {
                           const auto row = iir2d::filter_row(c.filter_id);
                           return std::string(row ? row->name : "unknown filter");
                       },
                       false),
                   member("border", &FilterCase::border), member("precision", &FilterCase::precision)};
};
template <>
struct Layout<PoolCase> {
    static constexpr const char* kind = "pool";
    static constexpr auto rows =
        std::tuple{member("pool", &PoolCase::pool), member("element", &PoolCase::element),
                   member("pass", &PoolCase::pass)};
};
template <>
struct Layout<RecipeCase> {
    static constexpr const char* kind = "recipe";
    static constexpr auto rows = std::tuple{member("recipe", &RecipeCase::recipe)};
};
template <>
struct Layout<BenchmarkCase> {
    static constexpr auto rows = std::tuple{member("key", &BenchmarkCase::key, a_name),
                                            member("label", &BenchmarkCase::label, a_name),
                                            member("width", &BenchmarkCase::width, a_side),
                                            member("height", &BenchmarkCase::height, a_side),
                                            member("channels", &BenchmarkCase::channels, positive),
                                            choice("operation", &BenchmarkCase::operation)};
};

template <>
struct Layout<iir2d::KernelIdentity> {
    static constexpr auto rows =
        std::tuple{member("backend", &iir2d::KernelIdentity::backend),
                   member("name", &iir2d::KernelIdentity::name),
                   member("variant", &iir2d::KernelIdentity::variant),
                   member("element", &iir2d::KernelIdentity::element),
                   member("architecture", &iir2d::KernelIdentity::architecture),
                   member("config", &iir2d::KernelIdentity::config, a_name),
                   member("config_resolved", &iir2d::KernelIdentity::config_resolved, a_name),
                   member("chosen_by", &iir2d::KernelIdentity::chosen_by, a_name),
                   nullable("model", &iir2d::KernelIdentity::model, says("no model chose it"))};
};
template <>
struct Layout<Parity> {
    static constexpr auto infinite = says("it is not a finite number");
    static constexpr auto rows =
        std::tuple{member("passed", &Parity::passed),
                   nullable<WhenNotFinite>("max_abs_error", &Parity::max_abs_error, infinite),
                   nullable<WhenNotFinite>("mean_abs_error", &Parity::mean_abs_error, infinite),
                   finite_number("max_relative_error", &Parity::max_relative_error, infinite, not_negative),
                   member("max_ulp", &Parity::max_ulp, not_negative),
                   member("bound", &Parity::bound, not_negative),
                   member("bound_is_relative", &Parity::bound_is_relative),
                   nullable<WhenNotFinite>("worst_error", &Parity::worst_error, infinite),
                   member("worst_x", &Parity::worst_x, not_negative),
                   member("worst_y", &Parity::worst_y, not_negative),
                   member("worst_channel", &Parity::worst_channel, not_negative)};
};
template <>
struct Layout<SampleStatistics> {
    static constexpr Limits a_deviation = {.least = 0, .is_deviation = true};
    static constexpr auto rows = std::tuple{
        member("count", &SampleStatistics::count, positive),
        member("min", &SampleStatistics::min, not_negative),
        member("p5", &SampleStatistics::p5, not_negative),
        member("p50", &SampleStatistics::p50, not_negative),
        member("p95", &SampleStatistics::p95, not_negative),
        member("p99", &SampleStatistics::p99, not_negative),
        member("max", &SampleStatistics::max, not_negative),
        member("mean", &SampleStatistics::mean, not_negative),
        member("standard_deviation", &SampleStatistics::standard_deviation, a_deviation),
        member("median_absolute_deviation", &SampleStatistics::median_absolute_deviation, a_deviation)};
};
template <>
struct Layout<Interval> {
    static constexpr auto rows = std::tuple{member("low", &Interval::low, not_negative),
                                            member("high", &Interval::high, not_negative)};
};

// Figures that follow from the samples. Verifying works all of them out again by figures_of().
template <>
struct Layout<TimingFigures> {
    static constexpr auto too_short = says("the case is too short for the clock");
    static constexpr auto rows =
        std::tuple{member("latency_ms", &TimingFigures::latency),
                   member("latency_p50_interval_ms", &TimingFigures::latency_p50_interval),
                   member("copy_ms", &TimingFigures::copy_latency),
                   member("memcpy_ms_p50", &TimingFigures::memcpy_ms_p50, not_negative),
                   nullable<WhenNotPositive>("ratio_to_copy", &TimingFigures::ratio_to_copy, too_short),
                   nullable<WhenNotPositive>("throughput_mpix_per_s_p50",
                                             &TimingFigures::throughput_mpix_per_s_p50, too_short),
                   nullable<WhenNotPositive>("throughput_gb_per_s_p50",
                                             &TimingFigures::throughput_gb_per_s_p50, too_short)};
};

inline constexpr auto course_samples = member("samples", &GpuCourse::samples, a_list_of_samples);
inline constexpr auto clock_rows = std::tuple{member("min", &GpuCourse::min, not_negative),
                                              member("median", &GpuCourse::median, not_negative),
                                              member("max", &GpuCourse::max, not_negative), course_samples};
inline constexpr auto temperature_rows =
    std::tuple{member("max", &GpuCourse::max, not_negative), course_samples};
inline constexpr auto power_rows =
    std::tuple{member("median", &GpuCourse::median, not_negative), course_samples};

// Returns the bits that iir2d::throttle_words() makes these words of; others where a word is unknown or
// twice.
inline std::uint64_t throttle_bits(const std::vector<std::string>& words) {
    std::uint64_t bits = 0;
    for (const std::string& word : words) {
        constexpr std::string_view other = "reason 0x";
        std::uint64_t value = 0;
        if (word.starts_with(other))
            std::from_chars(word.data() + other.size(), word.data() + word.size(), value, 16);
        for (int bit = 0; bit < 64 && value == 0; ++bit) {
            const auto named = iir2d::throttle_words(std::uint64_t{1} << bit);
            if (!named.empty() && named.front() == word) value = std::uint64_t{1} << bit;
        }
        bits |= value;
    }
    return bits;
}

template <>
struct Layout<GpuStates> {
    static constexpr auto rows =
        std::tuple{member("samples", &GpuStates::samples, {.least = 2, .most = 1e6}),
                   member_of("sm_clock_mhz", &GpuStates::sm_clock_mhz, clock_rows),
                   member_of("temperature_c", &GpuStates::temperature_c, temperature_rows),
                   member_of("power_w", &GpuStates::power_w, power_rows),
                   computed(
                       "throttle_reasons",
                       [](const GpuStates& g) {
                           using Named = Fact<std::vector<std::string>>;
                           return g.throttle_reasons ? Named(iir2d::throttle_words(*g.throttle_reasons))
                                                     : Named::absent(g.throttle_reasons.reason);
                       },
                       [](GpuStates& g, const Fact<std::vector<std::string>>& words) {
                           g.throttle_reasons.reason = words.reason;
                           g.throttle_reasons.value.reset();
                           if (!words) return true;
                           g.throttle_reasons.value = throttle_bits(*words);
                           return iir2d::throttle_words(*g.throttle_reasons.value) == *words;
                       },
                       {.most_items = 64, .text = Text::name, .longest_name = 100})};
};

struct WhyNotTimed {
    std::string operator()(const CaseResult& r) const {
        return r.failure.value_or("the case has no samples");
    }
};
// The same, which is where the reason is.
struct KeptFailure : WhyNotTimed {
    static void keep(CaseResult& r, std::string reason) { r.failure = std::move(reason); }
};
struct FiguresOf {
    TimingFigures& operator()(CaseResult& r) const { return r; }
    const TimingFigures& operator()(const CaseResult& r) const { return r; }
};
template <>
struct Layout<CaseResult> {
    static constexpr auto timing = std::tuple{
        sample_lists("samples_ms", "preempted", &CaseResult::samples),
        sample_lists("copy_samples_ms", "copy_preempted", &CaseResult::copy_samples),
        sample_lists("memcpy_samples_ms", "memcpy_preempted", &CaseResult::memcpy_samples),
        merged(FiguresOf{}),
        member("bytes_moved", &CaseResult::bytes_moved, positive),
        member("stop_reason", &CaseResult::stop_reason),
        nullable("inconclusive", &CaseResult::inconclusive, says("nothing disturbed too many samples")),
        nullable("transfer_ms_p50", &CaseResult::transfer_ms_p50,
                 says("the device computes in the host's memory"))};
    static constexpr auto rows =
        std::tuple{Position{"index"},
                   merged(&CaseResult::what),
                   member("started_utc", &CaseResult::started_utc, a_utc),
                   nullable_if([](const CaseResult& r) { return !r.kernel.name.empty(); }, "kernel",
                               &CaseResult::kernel, WhyNotTimed{}),
                   nullable("input_sha256", &CaseResult::input_sha256, WhyNotTimed{}, a_sha256),
                   nullable("output_sha256", &CaseResult::output_sha256, WhyNotTimed{}, a_sha256),
                   nullable("parity", &CaseResult::parity, WhyNotTimed{}),
                   nullable_if([](const CaseResult& r) { return !r.samples.empty(); }, "timing", Self{},
                               KeptFailure{}, timing),
                   member("gpu_state", &CaseResult::gpu)};
};

// To a member of a record's run.
template <class T>
constexpr auto of_run(T BenchmarkRun::*place) {
    return [place](auto& record) -> auto& {
        return record.run.*place;
    };
}
template <>
struct Layout<Record> {
    static constexpr auto rows = std::tuple{
        constant("schema", "iir2d-workbench/record"),
        constant("schema_version", record_schema_version),
        member(seal_name, &Record::record_id, a_sha256),
        member("command_line", &Record::command_line),
        member("started_utc", of_run(&BenchmarkRun::started_utc), a_utc),
        member("finished_utc", of_run(&BenchmarkRun::finished_utc), a_utc),
        member("cancelled", of_run(&BenchmarkRun::cancelled)),
        member("case_total", of_run(&BenchmarkRun::case_total), positive),
        nullable("reproduces", &Record::reproduces, says("no record was to be reproduced"), a_sha256),
        member("matrix", of_run(&BenchmarkRun::matrix)),
        group("device", merged(of_run(&BenchmarkRun::device)),
              member(
                  "backend", [](auto& record) -> auto& { return record.run.device.backend; }),
              member("reason", of_run(&BenchmarkRun::device_reason)),
              member("threads", of_run(&BenchmarkRun::threads), positive)),
        group("measurement", member("clock", of_run(&BenchmarkRun::clock), a_name),
              member("copy_method", of_run(&BenchmarkRun::copy_method), a_name),
              nullable("preemption_counter", of_run(&BenchmarkRun::preemption_counter),
                       says("this system does not count involuntary context switches")),
              member("transfers", of_run(&BenchmarkRun::transfers), a_name)),
        member("environment", &Record::environment),
        group("program", constant("name", "iir2d-workbench"),
              derived(
                  "version", [](const Record& r) { return r.environment.version; }, true)),
        member("cases", of_run(&BenchmarkRun::results), {.fewest_items = 1})};
};

}  // namespace workbench::layout
