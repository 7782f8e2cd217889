// SPDX-License-Identifier: MIT
// One row a case. The first csv_columns are those that readers of old results know, in their order.
#include <cmath>
#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/record/record.h"
#include "core/support/canonical_json.h"
#include "core/support/listed.h"

namespace workbench {

namespace {

std::string csv_cell(const std::string& text) {
    return text;
}
std::string csv_cell(std::string_view text) {
    return std::string(text);
}
std::string csv_cell(bool value) {
    return value ? "true" : "false";
}
std::string csv_cell(std::integral auto value) {
    return std::to_string(value);
}
// Leaves the cell empty where the value is not finite.
std::string csv_cell(double value) {
    return std::isfinite(value) ? canonical_number(value) : std::string();
}
template <class T>
std::string csv_cell(const std::optional<T>& value) {
    return value ? csv_cell(*value) : std::string();
}
template <class T>
std::string csv_cell(const Fact<T>& fact) {
    return csv_cell(fact.value);
}
std::string csv_cell(iir2d::Extent e) {
    return std::to_string(e.h) + "x" + std::to_string(e.w);
}
// Leaves out a figure that divides by a time where the clock was too coarse for it.
std::optional<double> ratio_cell(double value) {
    return value > 0 && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// What the columns of a row are made from.
struct CsvRow {
    const Record& record;
    const CaseResult& one;
    std::size_t index;  // from 1

    bool is_cuda() const { return record.run.device.backend == iir2d::Backend::cuda; }
};

struct CsvColumn {
    const char* name;
    std::string (*text)(const CsvRow&);
};

// Return an empty cell for a case that was not timed, not judged, of another kind, or not on a GPU.
template <class Of>
std::string timed(const CsvRow& r, Of of) {
    return r.one.samples.empty() ? std::string() : csv_cell(of(r.one));
}
template <class Of>
std::string judged(const CsvRow& r, Of of) {
    return r.one.parity ? csv_cell(of(*r.one.parity)) : std::string();
}
template <class Of>
std::string filtered(const CsvRow& r, Of of) {
    const FilterCase* filter = r.one.what.filter();
    return filter != nullptr ? csv_cell(of(*filter)) : std::string();
}
template <class Of>
std::string pooled(const CsvRow& r, Of of) {
    const PoolCase* pool = r.one.what.pool();
    return pool != nullptr ? csv_cell(of(*pool)) : std::string();
}
// Returns an empty cell for the other kind: adaptive operations have an output size, and read neither window
// nor stride.
template <class Of>
std::string windowed(const CsvRow& r, bool adaptive, Of of) {
    return pooled(r, [&](const PoolCase& c) {
        return is_adaptive(c.pool.op) == adaptive ? csv_cell(of(c.pool)) : std::string();
    });
}
template <class Of>
std::string on_gpu(const CsvRow& r, Of of) {
    return r.one.gpu ? csv_cell(of(*r.one.gpu)) : std::string();
}
template <class Of>
std::string course_cell(const Fact<GpuCourse>& fact, Of of) {
    return fact ? csv_cell(std::invoke(of, *fact)) : std::string();
}

// Returns a property of the device, when that is a GPU.
std::string gpu_property(const CsvRow& r, std::string_view key) {
    if (!r.is_cuda()) return {};
    for (const auto& property : r.record.run.device.properties) {
        if (property.key == key) return csv_cell(property.value);
    }
    return {};
}

std::string cuda_index(const CsvRow& r) {
    const std::string& id = r.record.run.device.id;
    return r.is_cuda() && id.starts_with("cuda:") ? id.substr(5) : std::string();
}

std::string throttle_reasons(const GpuStates& gpu) {
    if (!gpu.throttle_reasons) return {};
    const std::string text = joined(iir2d::throttle_words(*gpu.throttle_reasons), "; ");
    return text.empty() ? "none" : text;
}

// Returns how many there were; where nothing was timed, how many there were to be.
std::string timed_iterations(const CsvRow& r) {
    return r.one.samples.empty() ? csv_cell(r.record.run.matrix.iterations) : csv_cell(r.one.samples.size());
}

using R = const CsvRow&;
using C = const CaseResult&;
using P = const Parity&;

constexpr CsvColumn csv_columns[] = {
    {"timestamp_utc", [](R r) { return csv_cell(r.one.started_utc); }},
    {"host", [](R r) { return csv_cell(r.record.environment.host); }},
    {"platform", [](R r) { return csv_cell(r.record.environment.platform); }},
    {"python_version", [](R) { return std::string(); }},
    {"lib_path", [](R r) { return csv_cell(r.record.environment.library_path); }},
    {"cuda_runtime_version", [](R r) { return gpu_property(r, "cuda_runtime_version"); }},
    {"cuda_driver_version", [](R r) { return gpu_property(r, "cuda_driver_version"); }},
    {"cuda_device_id", cuda_index},
    {"gpu_name", [](R r) { return r.is_cuda() ? csv_cell(r.record.run.device.name) : std::string(); }},
    {"gpu_driver", [](R r) { return gpu_property(r, "driver_version"); }},
    {"nvcc_release", [](R r) { return gpu_property(r, "nvcc_release"); }},
    {"case_index", [](R r) { return csv_cell(r.index); }},
    {"case_total", [](R r) { return csv_cell(r.record.run.case_total); }},
    {"width", [](R r) { return csv_cell(r.one.what.width); }},
    {"height", [](R r) { return csv_cell(r.one.what.height); }},
    {"pixels", [](R r) { return csv_cell(r.one.what.width * r.one.what.height); }},
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
     [](R r) { return timed(r, [](C c) { return ratio_cell(c.throughput_mpix_per_s_p50); }); }},
    {"throughput_gb_per_s_p50",
     [](R r) { return timed(r, [](C c) { return ratio_cell(c.throughput_gb_per_s_p50); }); }},
    {"warmup_iters", [](R r) { return csv_cell(r.record.run.matrix.warmup); }},
    {"timed_iters", timed_iterations},
    // From here on: additions.
    {"case_key", [](R r) { return csv_cell(r.one.what.key); }},
    {"operation",
     [](R r) {
         return std::string(r.one.what.filter() ? "filter" : r.one.what.pool() ? "pool" : "recipe");
     }},
    {"channels", [](R r) { return csv_cell(r.one.what.channels); }},
    {"device_id", [](R r) { return csv_cell(r.record.run.device.id); }},
    {"device_name", [](R r) { return csv_cell(r.record.run.device.name); }},
    {"threads", [](R r) { return csv_cell(r.record.run.threads); }},
    {"kernel", [](R r) { return csv_cell(r.one.kernel.name); }},
    {"kernel_variant", [](R r) { return csv_cell(r.one.kernel.variant); }},
    {"kernel_architecture", [](R r) { return csv_cell(r.one.kernel.architecture); }},
    {"latency_ms_p5", [](R r) { return timed(r, [](C c) { return c.latency.p5; }); }},
    {"latency_ms_p99", [](R r) { return timed(r, [](C c) { return c.latency.p99; }); }},
    {"latency_ms_standard_deviation",
     [](R r) { return timed(r, [](C c) { return c.latency.standard_deviation; }); }},
    {"latency_ms_median_absolute_deviation",
     [](R r) { return timed(r, [](C c) { return c.latency.median_absolute_deviation; }); }},
    {"preempted_samples", [](R r) { return timed(r, [](C c) { return preempted_count(c.samples); }); }},
    {"copy_ms_p50", [](R r) { return timed(r, [](C c) { return c.copy_latency.p50; }); }},
    {"memcpy_ms_p50", [](R r) { return timed(r, [](C c) { return c.memcpy_ms_p50; }); }},
    {"ratio_to_copy", [](R r) { return timed(r, [](C c) { return ratio_cell(c.ratio_to_copy); }); }},
    {"bytes_moved", [](R r) { return timed(r, [](C c) { return c.bytes_moved; }); }},
    {"transfer_ms_p50", [](R r) { return timed(r, [](C c) { return c.transfer_ms_p50; }); }},
    {"parity_passed", [](R r) { return judged(r, [](P p) { return p.passed; }); }},
    {"parity_max_abs_error", [](R r) { return judged(r, [](P p) { return p.max_abs_error; }); }},
    {"parity_mean_abs_error", [](R r) { return judged(r, [](P p) { return p.mean_abs_error; }); }},
    {"parity_max_relative_error", [](R r) { return judged(r, [](P p) { return p.max_relative_error; }); }},
    {"parity_max_ulp", [](R r) { return judged(r, [](P p) { return p.max_ulp; }); }},
    {"parity_bound", [](R r) { return judged(r, [](P p) { return p.bound; }); }},
    {"parity_bound_is_relative", [](R r) { return judged(r, [](P p) { return p.bound_is_relative; }); }},
    {"input_sha256", [](R r) { return csv_cell(r.one.input_sha256); }},
    {"output_sha256", [](R r) { return csv_cell(r.one.output_sha256); }},
    {"failure", [](R r) { return r.one.samples.empty() ? csv_cell(r.one.failure) : std::string(); }},
    {"version", [](R r) { return csv_cell(r.record.environment.version); }},
    {"commit", [](R r) { return csv_cell(r.record.environment.commit); }},
    {"dirty", [](R r) { return csv_cell(r.record.environment.dirty); }},
    {"gpu_samples", [](R r) { return on_gpu(r, [](const GpuStates& g) { return g.samples; }); }},
    {"gpu_sm_clock_mhz_min",
     [](R r) {
         return on_gpu(r, [](const GpuStates& g) { return course_cell(g.sm_clock_mhz, &GpuCourse::min); });
     }},
    {"gpu_sm_clock_mhz_median",
     [](R r) {
         return on_gpu(r, [](const GpuStates& g) { return course_cell(g.sm_clock_mhz, &GpuCourse::median); });
     }},
    {"gpu_sm_clock_mhz_max",
     [](R r) {
         return on_gpu(r, [](const GpuStates& g) { return course_cell(g.sm_clock_mhz, &GpuCourse::max); });
     }},
    {"gpu_temperature_c_max",
     [](R r) {
         return on_gpu(r, [](const GpuStates& g) { return course_cell(g.temperature_c, &GpuCourse::max); });
     }},
    {"gpu_power_w_median",
     [](R r) {
         return on_gpu(r, [](const GpuStates& g) { return course_cell(g.power_w, &GpuCourse::median); });
     }},
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
    {"protocol", [](R r) { return csv_cell(r.record.run.matrix.protocol); }},
    {"cache", [](R r) { return std::string(r.record.run.matrix.cold_cache ? "cold" : "warm"); }},
};

// Quotes a cell where RFC 4180 asks for it, and doubles the quotes in it.
std::string csv_quoted(const std::string& text) {
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
    std::string text = joined(csv_columns, ",", &CsvColumn::name) + "\n";
    for (std::size_t i = 0; i < record.run.results.size(); ++i) {
        const CsvRow row{record, record.run.results[i], i + 1};
        const auto cell = [&row](const CsvColumn& column) { return csv_quoted(column.text(row)); };
        text += joined(csv_columns, ",", cell) + "\n";
    }
    return text;
}

}  // namespace workbench
