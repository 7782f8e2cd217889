// SPDX-License-Identifier: MIT
#include "core/record/record_results.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <limits>

#include "core/record/record_json.h"
#include "core/record/record_matrix.h"

namespace workbench {

namespace {

using nlohmann::json;

double number_or(const json& fact, double otherwise) {
    const json& value = value_of(fact);
    return value.is_number() ? value.get<double>() : otherwise;
}

std::string text_of(const json& fact) {
    return cell_text(value_of(fact));
}

void read_operation(const json& operation, BenchmarkCase& what) {
    const std::string kind = cell_text(operation.at("kind"));
    if (kind == "filter") {
        what.filter_id = operation.at("filter_id").get<int>();
        what.border = iir2d::border_from_name(cell_text(operation.at("border"))).value();
        what.precision = iir2d::precision_from_name(cell_text(operation.at("precision"))).value();
    } else if (kind == "pool") {
        what.pool = pool_of(operation.at("pool")).value();
        what.element = element_of(cell_text(operation.at("element"))).value();
        what.pass = pool_pass_from_name(cell_text(operation.at("pass"))).value();
    } else {
        what.recipe = recipe_from_json(operation.at("recipe").dump()).value();
    }
}

iir2d::KernelIdentity kernel_of(const json& fact) {
    const json& kernel = value_of(fact);
    if (kernel.is_null()) return {};
    return {.backend = kernel.at("backend") == "cuda" ? iir2d::Backend::cuda : iir2d::Backend::cpu,
            .name = cell_text(kernel.at("name")),
            .variant = cell_text(kernel.at("variant")),
            .element = element_of(cell_text(kernel.at("element"))).value(),
            .architecture = cell_text(kernel.at("architecture"))};
}

Parity parity_of(const json& p) {
    constexpr double none = std::numeric_limits<double>::infinity();
    return {.passed = p.at("passed").get<bool>(),
            .max_abs_error = number_or(p.at("max_abs_error"), none),
            .mean_abs_error = number_or(p.at("mean_abs_error"), none),
            .max_ulp = p.at("max_ulp").get<std::int64_t>(),
            .bound = p.at("bound").get<double>(),
            .bound_is_relative = p.at("bound_is_relative").get<bool>(),
            .max_relative_error = p.at("max_relative_error").get<double>(),
            .worst_error = number_or(p.at("worst_error"), none),
            .worst_x = p.at("worst_x").get<std::int64_t>(),
            .worst_y = p.at("worst_y").get<std::int64_t>(),
            .worst_channel = p.at("worst_channel").get<int>()};
}

// The samples, and at which positions the process was preempted.
std::vector<TimedSample> samples_of(const json& values, const json& preempted) {
    std::vector<TimedSample> samples;
    for (const json& value : values) samples.push_back({.latency_ms = value.get<double>()});
    for (const json& position : preempted) samples.at(position.get<std::size_t>()).preempted = true;
    return samples;
}

SampleStatistics statistics_of(const json& s) {
    return {.count = s.at("count").get<std::size_t>(),
            .min = s.at("min").get<double>(),
            .p5 = s.at("p5").get<double>(),
            .p50 = s.at("p50").get<double>(),
            .p95 = s.at("p95").get<double>(),
            .p99 = s.at("p99").get<double>(),
            .max = s.at("max").get<double>(),
            .mean = s.at("mean").get<double>(),
            .standard_deviation = s.at("standard_deviation").get<double>(),
            .median_absolute_deviation = s.at("median_absolute_deviation").get<double>()};
}

StopReason stop_reason_of(const std::string& name) {
    using enum StopReason;
    for (const StopReason reason : {iterations, precision, most_samples, most_time}) {
        if (name == name_of(reason)) return reason;
    }
    return iterations;
}

void read_timing(const json& t, CaseResult& r) {
    r.samples = samples_of(t.at("samples_ms"), t.at("preempted"));
    r.latency = statistics_of(t.at("latency_ms"));
    const json& interval = t.at("latency_p50_interval_ms");
    r.latency_p50_interval = {interval.at("low").get<double>(), interval.at("high").get<double>()};
    r.stop_reason = stop_reason_of(cell_text(t.at("stop_reason")));
    r.inconclusive = text_of(t.at("inconclusive"));
    r.copy_samples = samples_of(t.at("copy_samples_ms"), t.at("copy_preempted"));
    r.copy_latency = statistics_of(t.at("copy_ms"));
    r.memcpy_samples = samples_of(t.at("memcpy_samples_ms"), t.at("memcpy_preempted"));
    r.memcpy_ms_p50 = t.at("memcpy_ms_p50").get<double>();
    r.bytes_moved = t.at("bytes_moved").get<std::uint64_t>();
    r.ratio_to_copy = number_or(t.at("ratio_to_copy"), 0);
    r.throughput_mpix_per_s_p50 = number_or(t.at("throughput_mpix_per_s_p50"), 0);
    r.throughput_gb_per_s_p50 = number_or(t.at("throughput_gb_per_s_p50"), 0);
    if (const json& transfer = value_of(t.at("transfer_ms_p50")); transfer.is_number())
        r.transfer_ms_p50 = transfer.get<double>();
}

// The bits that iir2d::throttle_words() makes these words of.
std::uint64_t throttle_bits(const json& words) {
    std::uint64_t bits = 0;
    for (const json& word : words) {
        const std::string text = cell_text(word);
        constexpr std::string_view other = "reason 0x";
        if (text.starts_with(other)) {
            std::uint64_t value = 0;
            std::from_chars(text.data() + other.size(), text.data() + text.size(), value, 16);
            bits |= value;
            continue;
        }
        for (int bit = 0; bit < 64; ++bit) {
            const auto named = iir2d::throttle_words(std::uint64_t{1} << bit);
            if (std::ranges::find(named, text) != named.end()) bits |= std::uint64_t{1} << bit;
        }
    }
    return bits;
}

std::optional<GpuStates> gpu_of(const json& fact) {
    const json& state = value_of(fact);
    if (state.is_null()) return std::nullopt;
    GpuStates gpu{.samples = state.at("samples").get<int>(),
                  .sm_clock_mhz = {},
                  .temperature_c = {},
                  .power_w = {},
                  .throttle_reasons = {},
                  .reason = {}};
    const auto course = [&](const char* name, std::vector<double>& into) {
        const json& values = value_of(state.at(name));
        if (values.is_null()) {
            gpu.reason = cell_text(state.at(name).at("reason"));
        } else {
            into = values.at("samples").get<std::vector<double>>();
        }
    };
    course("sm_clock_mhz", gpu.sm_clock_mhz);
    course("temperature_c", gpu.temperature_c);
    course("power_w", gpu.power_w);
    if (const json& words = value_of(state.at("throttle_reasons")); !words.is_null())
        gpu.throttle_reasons = throttle_bits(words);
    return gpu;
}

CaseResult result_of(const json& one) {
    CaseResult r;
    r.what.key = cell_text(one.at("key"));
    r.what.label = cell_text(one.at("label"));
    r.what.width = one.at("width").get<std::int64_t>();
    r.what.height = one.at("height").get<std::int64_t>();
    r.what.channels = one.at("channels").get<int>();
    read_operation(one.at("operation"), r.what);
    r.started_utc = cell_text(one.at("started_utc"));
    r.kernel = kernel_of(one.at("kernel"));
    r.input_sha256 = text_of(one.at("input_sha256"));
    r.output_sha256 = text_of(one.at("output_sha256"));
    if (const json& parity = value_of(one.at("parity")); !parity.is_null()) r.parity = parity_of(parity);
    if (const json& timing = value_of(one.at("timing")); !timing.is_null()) {
        read_timing(timing, r);
    } else {
        r.failure = cell_text(one.at("timing").at("reason"));
    }
    r.gpu = gpu_of(one.at("gpu_state"));
    return r;
}

}  // namespace

Result<std::vector<CaseResult>> results_of_record(const json& record) {
    std::vector<CaseResult> results;
    try {
        for (const json& one : record.at("cases")) results.push_back(result_of(one));
    } catch (const std::exception& error) {
        return fail(ErrorKind::bad_input, "case " + std::to_string(results.size() + 1) +
                                              " of the record cannot be read: " + error.what());
    }
    return results;
}

}  // namespace workbench
