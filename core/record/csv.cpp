// SPDX-License-Identifier: MIT
// One row a case. The first columns are those that readers of old results know, in their order.
#include <cmath>
#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/record/record.h"
#include "core/support/canonical_json.h"

namespace workbench {

namespace {

std::string cell(const std::string& text) {
    return text;
}
std::string cell(std::string_view text) {
    return std::string(text);
}
std::string cell(bool value) {
    return value ? "true" : "false";
}
std::string cell(std::integral auto value) {
    return std::to_string(value);
}
// What is not finite is absent.
std::string cell(double value) {
    return std::isfinite(value) ? canonical_number(value) : std::string();
}
template <class T>
std::string cell(const std::optional<T>& value) {
    return value ? cell(*value) : std::string();
}
template <class T>
std::string cell(const Fact<T>& fact) {
    return cell(fact.value);
}
std::string cell(iir2d::Extent e) {
    return std::to_string(e.h) + "x" + std::to_string(e.w);
}
// A figure that divides by a time, of which a clock too coarse leaves none.
std::optional<double> ratio(double value) {
    return value > 0 && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// What a cell is made from.
struct Row {
    const Record& record;
    const CaseResult& one;
    std::size_t index;  // from 1

    bool is_cuda() const { return record.run.device.backend == iir2d::Backend::cuda; }
};

struct Column {
    const char* name;
    std::string (*text)(const Row&);
};

// Nothing for a case that was not timed, not judged, of another kind, or not on a GPU.
template <class Of>
std::string timed(const Row& r, Of of) {
    return r.one.samples.empty() ? std::string() : cell(of(r.one));
}
template <class Of>
std::string judged(const Row& r, Of of) {
    return r.one.parity ? cell(of(*r.one.parity)) : std::string();
}
template <class Of>
std::string filtered(const Row& r, Of of) {
    const FilterCase* filter = r.one.what.filter();
    return filter != nullptr ? cell(of(*filter)) : std::string();
}
template <class Of>
std::string pooled(const Row& r, Of of) {
    const PoolCase* pool = r.one.what.pool();
    return pool != nullptr ? cell(of(*pool)) : std::string();
}
// Adaptive operations have an output size, and read neither window nor stride.
template <class Of>
std::string windowed(const Row& r, bool adaptive, Of of) {
    return pooled(r, [&](const PoolCase& c) {
        return is_adaptive(c.pool.op) == adaptive ? cell(of(c.pool)) : std::string();
    });
}
template <class Of>
std::string on_gpu(const Row& r, Of of) {
    return r.one.gpu ? cell(of(*r.one.gpu)) : std::string();
}
template <class Of>
std::string course(const Fact<GpuCourse>& fact, Of of) {
    return fact ? cell(std::invoke(of, *fact)) : std::string();
}

// A property of the device, when that is a GPU.
std::string gpu_property(const Row& r, std::string_view key) {
    if (!r.is_cuda()) return {};
    for (const auto& property : r.record.run.device.properties) {
        if (property.key == key) return cell(property.value);
    }
    return {};
}

std::string cuda_index(const Row& r) {
    const std::string& id = r.record.run.device.id;
    return r.is_cuda() && id.starts_with("cuda:") ? id.substr(5) : std::string();
}

std::string throttle_reasons(const GpuStates& gpu) {
    if (!gpu.throttle_reasons) return {};
    std::string text;
    for (const std::string& word : iir2d::throttle_words(*gpu.throttle_reasons))
        text += (text.empty() ? "" : "; ") + word;
    return text.empty() ? "none" : text;
}

// How many there were; where nothing was timed, how many there were to be.
std::string timed_iterations(const Row& r) {
    return r.one.samples.empty() ? cell(r.record.run.matrix.iterations) : cell(r.one.samples.size());
}

using R = const Row&;
using C = const CaseResult&;
using P = const Parity&;

constexpr Column columns[] = {
    {"timestamp_utc", [](R r) { return cell(r.one.started_utc); }},
    {"host", [](R r) { return cell(r.record.environment.host); }},
    {"platform", [](R r) { return cell(r.record.environment.platform); }},
    {"python_version", [](R) { return std::string(); }},
    {"lib_path", [](R r) { return cell(r.record.environment.library_path); }},
    {"cuda_runtime_version", [](R r) { return gpu_property(r, "cuda_runtime_version"); }},
    {"cuda_driver_version", [](R r) { return gpu_property(r, "cuda_driver_version"); }},
    {"cuda_device_id", cuda_index},
    {"gpu_name", [](R r) { return r.is_cuda() ? cell(r.record.run.device.name) : std::string(); }},
    {"gpu_driver", [](R r) { return gpu_property(r, "driver_version"); }},
    {"nvcc_release", [](R r) { return gpu_property(r, "nvcc_release"); }},
    {"case_index", [](R r) { return cell(r.index); }},
    {"case_total", [](R r) { return cell(r.record.run.case_total); }},
    {"width", [](R r) { return cell(r.one.what.width); }},
    {"height", [](R r) { return cell(r.one.what.height); }},
    {"pixels", [](R r) { return cell(r.one.what.width * r.one.what.height); }},
    {"filter_id", [](R r) { return filtered(r, [](const FilterCase& c) { return c.filter_id; }); }},
    {"border_mode",
     [](R r) { return filtered(r, [](const FilterCase& c) { return iir2d::name_of(c.border); }); }},
    {"precision",
     [](R r) { return filtered(r, [](const FilterCase& c) { return iir2d::name_of(c.precision); }); }},
    {"latency_ms_min", [](R r) { return timed(r, [](C c) { return c.latency.min; }); }},
    {"latency_ms_p50", [](R r) { return timed(r, [](C c) { return c.latency.p50; }); }},
    {"latency_ms_p95", [](R r) { return timed(r, [](C c) { return c.latency.p95; }); }},
    {"latency_ms_mean", [](R r) { return timed(r, [](C c) { return c.latency.mean; }); }},
    {"latency_ms_max", [](R r) { return timed(r, [](C c) { return c.latency.max; }); }},
    {"throughput_mpix_per_s_p50",
     [](R r) { return timed(r, [](C c) { return ratio(c.throughput_mpix_per_s_p50); }); }},
    {"throughput_gb_per_s_p50",
     [](R r) { return timed(r, [](C c) { return ratio(c.throughput_gb_per_s_p50); }); }},
    {"warmup_iters", [](R r) { return cell(r.record.run.matrix.warmup); }},
    {"timed_iters", timed_iterations},
    // From here on: additions.
    {"case_key", [](R r) { return cell(r.one.what.key); }},
    {"operation",
     [](R r) {
         return std::string(r.one.what.filter() ? "filter" : r.one.what.pool() ? "pool" : "recipe");
     }},
    {"channels", [](R r) { return cell(r.one.what.channels); }},
    {"device_id", [](R r) { return cell(r.record.run.device.id); }},
    {"device_name", [](R r) { return cell(r.record.run.device.name); }},
    {"threads", [](R r) { return cell(r.record.run.threads); }},
    {"kernel", [](R r) { return cell(r.one.kernel.name); }},
    {"kernel_variant", [](R r) { return cell(r.one.kernel.variant); }},
    {"kernel_architecture", [](R r) { return cell(r.one.kernel.architecture); }},
    {"latency_ms_p5", [](R r) { return timed(r, [](C c) { return c.latency.p5; }); }},
    {"latency_ms_p99", [](R r) { return timed(r, [](C c) { return c.latency.p99; }); }},
    {"latency_ms_standard_deviation",
     [](R r) { return timed(r, [](C c) { return c.latency.standard_deviation; }); }},
    {"latency_ms_median_absolute_deviation",
     [](R r) { return timed(r, [](C c) { return c.latency.median_absolute_deviation; }); }},
    {"preempted_samples", [](R r) { return timed(r, [](C c) { return preempted_count(c.samples); }); }},
    {"copy_ms_p50", [](R r) { return timed(r, [](C c) { return c.copy_latency.p50; }); }},
    {"memcpy_ms_p50", [](R r) { return timed(r, [](C c) { return c.memcpy_ms_p50; }); }},
    {"ratio_to_copy", [](R r) { return timed(r, [](C c) { return ratio(c.ratio_to_copy); }); }},
    {"bytes_moved", [](R r) { return timed(r, [](C c) { return c.bytes_moved; }); }},
    {"transfer_ms_p50", [](R r) { return timed(r, [](C c) { return c.transfer_ms_p50; }); }},
    {"parity_passed", [](R r) { return judged(r, [](P p) { return p.passed; }); }},
    {"parity_max_abs_error", [](R r) { return judged(r, [](P p) { return p.max_abs_error; }); }},
    {"parity_mean_abs_error", [](R r) { return judged(r, [](P p) { return p.mean_abs_error; }); }},
    {"parity_max_relative_error", [](R r) { return judged(r, [](P p) { return p.max_relative_error; }); }},
    {"parity_max_ulp", [](R r) { return judged(r, [](P p) { return p.max_ulp; }); }},
    {"parity_bound", [](R r) { return judged(r, [](P p) { return p.bound; }); }},
    {"parity_bound_is_relative", [](R r) { return judged(r, [](P p) { return p.bound_is_relative; }); }},
    {"input_sha256", [](R r) { return cell(r.one.input_sha256); }},
    {"output_sha256", [](R r) { return cell(r.one.output_sha256); }},
    {"failure", [](R r) { return r.one.samples.empty() ? cell(r.one.failure) : std::string(); }},
    {"version", [](R r) { return cell(r.record.environment.version); }},
    {"commit", [](R r) { return cell(r.record.environment.commit); }},
    {"dirty", [](R r) { return cell(r.record.environment.dirty); }},
    {"gpu_samples", [](R r) { return on_gpu(r, [](const GpuStates& g) { return g.samples; }); }},
    {"gpu_sm_clock_mhz_min",
     [](R r) {
         return on_gpu(r, [](const GpuStates& g) { return course(g.sm_clock_mhz, &GpuCourse::min); });
     }},
    {"gpu_sm_clock_mhz_median",
     [](R r) {
         return on_gpu(r, [](const GpuStates& g) { return course(g.sm_clock_mhz, &GpuCourse::median); });
     }},
    {"gpu_sm_clock_mhz_max",
     [](R r) {
         return on_gpu(r, [](const GpuStates& g) { return course(g.sm_clock_mhz, &GpuCourse::max); });
     }},
    {"gpu_temperature_c_max",
     [](R r) {
         return on_gpu(r, [](const GpuStates& g) { return course(g.temperature_c, &GpuCourse::max); });
     }},
    {"gpu_power_w_median",
     [](R r) { return on_gpu(r, [](const GpuStates& g) { return course(g.power_w, &GpuCourse::median); }); }},
    {"gpu_throttle_reasons", [](R r) { return on_gpu(r, throttle_reasons); }},
    {"pool_op", [](R r) { return pooled(r, [](const PoolCase& c) { return iir2d::name_of(c.pool.op); }); }},
    {"pool_window", [](R r) { return windowed(r, false, [](const PoolOperation& p) { return p.window; }); }},
    {"pool_stride",
     [](R r) {
         return windowed(r, false, [](const PoolOperation& p) { return p.stride.value_or(p.window); });
     }},
    {"pool_output", [](R r) { return windowed(r, true, [](const PoolOperation& p) { return p.output; }); }},
    {"pool_dtype",
     [](R r) { return pooled(r, [](const PoolCase& c) { return iir2d::name_of(c.element); }); }},
    {"pool_pass", [](R r) { return pooled(r, [](const PoolCase& c) { return name_of(c.pass); }); }},
    {"latency_ms_p50_low", [](R r) { return timed(r, [](C c) { return c.latency_p50_interval.low; }); }},
    {"latency_ms_p50_high", [](R r) { return timed(r, [](C c) { return c.latency_p50_interval.high; }); }},
    {"stop_reason", [](R r) { return timed(r, [](C c) { return name_of(c.stop_reason); }); }},
    {"inconclusive", [](R r) { return timed(r, [](C c) { return c.inconclusive; }); }},
    {"protocol", [](R r) { return cell(r.record.run.matrix.protocol); }},
    {"cache", [](R r) { return std::string(r.record.run.matrix.cold_cache ? "cold" : "warm"); }},
};

// RFC 4180: quoted when it must be, quotes doubled.
std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

}  // namespace

std::string record_to_csv(const Record& record) {
    std::string text;
    for (const Column& column : columns) text += (text.empty() ? "" : ",") + std::string(column.name);
    text += '\n';
    for (std::size_t i = 0; i < record.run.results.size(); ++i) {
        const Row row{record, record.run.results[i], i + 1};
        for (const Column& column : columns)
            text += (&column == columns ? "" : ",") + quoted(column.text(row));
        text += '\n';
    }
    return text;
}

}  // namespace workbench
