// SPDX-License-Identifier: MIT
// The master copy of a record. Keys are in resources/schemas/record.schema.json, meanings in
// docs/records.md.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>

#include "core/record/record.h"
#include "core/support/canonical_json.h"

namespace workbench {

namespace {

using Json = nlohmann::ordered_json;

Json present(Json value) {
    return {{"value", std::move(value)}};
}
Json absent(const std::string& reason) {
    return {{"value", nullptr}, {"reason", reason.empty() ? "the reason was not recorded" : reason}};
}

template <class T>
Json json_of(const Fact<T>& fact) {
    return fact.value ? present(*fact.value) : absent(fact.reason);
}

// JSON has no infinity.
Json finite_or_absent(double value) {
    return std::isfinite(value) ? present(value) : absent("it is not a finite number");
}

// Figures that divide by a time: a clock too coarse for the case leaves none.
Json ratio_or_absent(double value) {
    return value > 0 && std::isfinite(value) ? present(value) : absent("the case is too short for the clock");
}

Json text_or_absent(const std::string& text, const std::string& reason) {
    return text.empty() ? absent(reason) : present(text);
}

Json json_of(iir2d::Extent e) {
    return {{"h", e.h}, {"w", e.w}};
}

Json json_of(const PoolOperation& pool) {
    return {{"op", iir2d::name_of(pool.op)},
            {"window", json_of(pool.window)},
            {"stride", json_of(pool.stride.value_or(pool.window))},
            {"padding", json_of(pool.padding)},
            {"dilation", json_of(pool.dilation)},
            {"ceil_mode", pool.ceil_mode},
            {"p", pool.p},
            {"count_include_pad", pool.count_include_pad},
            {"divisor_override", pool.divisor_override ? present(*pool.divisor_override)
                                                       : absent("not given: the size of the window divides")},
            {"output", is_adaptive(pool.op) ? present(json_of(pool.output))
                                            : absent("not adaptive: the size follows from the window")}};
}

Json json_of(const Recipe& recipe) {
    return Json::parse(to_json(recipe));
}

std::string backend_name(iir2d::Backend backend) {
    return backend == iir2d::Backend::cuda ? "cuda" : "cpu";
}

Json properties_of(const iir2d::DeviceInfo& device) {
    Json list = Json::array();
    for (const auto& property : device.properties) {
        Json one{{"key", property.key}, {"label", property.label}, {"unit", property.unit}};
        one.update(property.value ? present(*property.value) : absent(property.reason));
        list.push_back(std::move(one));
    }
    return list;
}

Json json_of(const std::optional<StoppingRule>& rule) {
    if (!rule) return absent("a fixed number of iterations");
    return present({{"precision", rule->precision},
                    {"least", rule->least},
                    {"most", rule->most},
                    {"most_seconds", rule->most_seconds}});
}

Json json_of_matrix(const BenchmarkMatrix& matrix) {
    Json sizes = Json::array();
    if (matrix.image) {
        sizes.push_back({{"width", matrix.image->pixels.width()}, {"height", matrix.image->pixels.height()}});
    } else {
        for (const auto& size : matrix.sizes)
            sizes.push_back({{"width", size.width}, {"height", size.height}});
    }
    Json borders = Json::array();
    for (const auto border : matrix.borders) borders.push_back(iir2d::name_of(border));
    Json precisions = Json::array();
    for (const auto precision : matrix.precisions) precisions.push_back(iir2d::name_of(precision));
    Json pools = Json::array();
    for (const auto& pool : matrix.pools) pools.push_back(json_of(pool));
    Json pool_elements = Json::array();
    for (const auto element : matrix.pool_elements) pool_elements.push_back(iir2d::name_of(element));
    Json pool_passes = Json::array();
    for (const auto pass : matrix.pool_passes) pool_passes.push_back(name_of(pass));
    Json image = absent("no image: synthetic planes");
    if (matrix.image) {
        const auto& pixels = matrix.image->pixels;
        image = present({{"path", matrix.image->info.path.string()},
                         {"format", matrix.image->info.format},
                         {"width", pixels.width()},
                         {"height", pixels.height()},
                         {"channels", pixels.channels()},
                         {"type", iir2d::name_of(pixels.type())},
                         {"pixel_sha256", pixel_hash(pixels)}});
    }
    return {{"sizes", sizes},
            {"filter_ids", matrix.filter_ids},
            {"borders", borders},
            {"precisions", precisions},
            {"pools", pools},
            {"pool_elements", pool_elements},
            {"pool_passes", pool_passes},
            {"recipe", matrix.recipe ? present(json_of(*matrix.recipe)) : absent("no recipe in the matrix")},
            {"image", image},
            {"device", matrix.device},
            {"threads", matrix.threads},
            {"warmup", matrix.warmup},
            {"iterations", matrix.iterations},
            {"seed", matrix.seed},
            {"protocol", text_or_absent(matrix.protocol, "not run by a protocol")},
            {"stopping", json_of(matrix.stopping)},
            {"cache", matrix.cold_cache ? "cold" : "warm"},
            {"most_disturbed", matrix.most_disturbed}};
}

Json json_of_environment(const Environment& e) {
    Json gpus = Json::array();
    for (const auto& gpu : e.gpus) {
        gpus.push_back({{"id", gpu.id}, {"name", gpu.name}, {"properties", properties_of(gpu)}});
    }
    return {{"host", json_of(e.host)},
            {"os", e.os},
            {"kernel", e.kernel},
            {"platform", e.platform},
            {"cpu_model", json_of(e.cpu_model)},
            {"logical_cores", e.logical_cores},
            {"physical_cores", json_of(e.physical_cores)},
            {"governor", json_of(e.governor)},
            {"load_before", json_of(e.load_before)},
            {"load_after", json_of(e.load_after)},
            {"memory_total_bytes", json_of(e.memory_total_bytes)},
            {"memory_available_bytes", json_of(e.memory_available_bytes)},
            {"compiler", e.compiler},
            {"compile_flags", e.compile_flags},
            {"build_type", e.build_type},
            {"version", e.version},
            {"commit", json_of(e.commit)},
            {"dirty", json_of(e.dirty)},
            {"build_fingerprint", e.build_fingerprint},
            {"library_path", json_of(e.library_path)},
            {"library_sha256", json_of(e.library_sha256)},
            {"threads", e.threads},
            {"gpus", e.gpus.empty() ? absent(e.gpu_reason) : present(gpus)}};
}

Json operation_of(const BenchmarkCase& what) {
    if (what.recipe) return {{"kind", "recipe"}, {"recipe", json_of(*what.recipe)}};
    if (what.pool) {
        return {{"kind", "pool"},
                {"pool", json_of(*what.pool)},
                {"element", iir2d::name_of(what.element)},
                {"pass", name_of(what.pass)}};
    }
    const int id = what.filter_id.value_or(0);
    const auto row = iir2d::filter_row(id);
    return {{"kind", "filter"},
            {"filter_id", id},
            {"filter_name", row ? row->name : "unknown filter"},
            {"border", iir2d::name_of(what.border)},
            {"precision", iir2d::name_of(what.precision)}};
}

Json json_of(const Parity& parity) {
    return {{"passed", parity.passed},
            {"max_abs_error", finite_or_absent(parity.max_abs_error)},
            {"mean_abs_error", finite_or_absent(parity.mean_abs_error)},
            {"max_relative_error", parity.max_relative_error},
            {"max_ulp", parity.max_ulp},
            {"bound", parity.bound},
            {"bound_is_relative", parity.bound_is_relative},
            {"worst_error", finite_or_absent(parity.worst_error)},
            {"worst_x", parity.worst_x},
            {"worst_y", parity.worst_y},
            {"worst_channel", parity.worst_channel}};
}

Json json_of(const SampleStatistics& s) {
    return {{"count", s.count},
            {"min", s.min},
            {"p5", s.p5},
            {"p50", s.p50},
            {"p95", s.p95},
            {"p99", s.p99},
            {"max", s.max},
            {"mean", s.mean},
            {"standard_deviation", s.standard_deviation},
            {"median_absolute_deviation", s.median_absolute_deviation}};
}

Json samples_of(const std::vector<TimedSample>& samples) {
    Json list = Json::array();
    for (const auto& sample : samples) list.push_back(sample.latency_ms);
    return list;
}

Json preempted_of(const std::vector<TimedSample>& samples) {
    Json list = Json::array();
    for (std::size_t i = 0; i < samples.size(); ++i) {
        if (samples[i].preempted) list.push_back(i);
    }
    return list;
}

Json timing_of(const CaseResult& result) {
    return {{"samples_ms", samples_of(result.samples)},
            {"preempted", preempted_of(result.samples)},
            {"latency_ms", json_of(result.latency)},
            {"latency_p50_interval_ms",
             {{"low", result.latency_p50_interval.low}, {"high", result.latency_p50_interval.high}}},
            {"stop_reason", name_of(result.stop_reason)},
            {"inconclusive", text_or_absent(result.inconclusive, "nothing disturbed too many samples")},
            {"copy_samples_ms", samples_of(result.copy_samples)},
            {"copy_preempted", preempted_of(result.copy_samples)},
            {"copy_ms", json_of(result.copy_latency)},
            {"memcpy_samples_ms", samples_of(result.memcpy_samples)},
            {"memcpy_preempted", preempted_of(result.memcpy_samples)},
            {"memcpy_ms_p50", result.memcpy_ms_p50},
            {"bytes_moved", result.bytes_moved},
            {"ratio_to_copy", ratio_or_absent(result.ratio_to_copy)},
            {"throughput_mpix_per_s_p50", ratio_or_absent(result.throughput_mpix_per_s_p50)},
            {"throughput_gb_per_s_p50", ratio_or_absent(result.throughput_gb_per_s_p50)},
            {"transfer_ms_p50", result.transfer_ms_p50 ? present(*result.transfer_ms_p50)
                                                       : absent("the device computes in the host's memory")}};
}

// Clocks and degrees are whole numbers, and look like it.
Json plain(double value) {
    if (value == std::floor(value) && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
    return value;
}

// Percentiles under their names, and the samples they are of.
Json course_of(const std::vector<double>& samples,
               std::initializer_list<std::pair<const char*, double>> figures, const std::string& reason) {
    if (samples.empty()) return absent(reason);
    Json course = Json::object();
    for (const auto& [name, q] : figures) course[name] = plain(percentile(samples, q));
    course["samples"] = Json::array();
    for (const double v : samples) course["samples"].push_back(plain(v));
    return present(std::move(course));
}

Json gpu_state_of(const CaseResult& result, const std::string& why_not_timed) {
    if (result.samples.empty()) return absent(why_not_timed);
    if (!result.gpu) return absent("the case ran on the CPU");
    const GpuStates& gpu = *result.gpu;
    if (gpu.sm_clock_mhz.empty() && gpu.temperature_c.empty() && gpu.power_w.empty() && !gpu.throttle_reasons)
        return absent(gpu.reason);
    return present(
        {{"samples", gpu.samples},
         {"sm_clock_mhz",
          course_of(gpu.sm_clock_mhz, {{"min", 0}, {"median", 50}, {"max", 100}}, gpu.reason)},
         {"temperature_c", course_of(gpu.temperature_c, {{"max", 100}}, gpu.reason)},
         {"power_w", course_of(gpu.power_w, {{"median", 50}}, gpu.reason)},
         {"throttle_reasons", gpu.throttle_reasons ? present(iir2d::throttle_words(*gpu.throttle_reasons))
                                                   : absent(gpu.reason)}});
}

Json json_of_case(const CaseResult& result, std::size_t index) {
    const std::string why = result.failure.value_or("the case has no samples");
    // The output's hash is taken with the verdict: without one there is neither.
    const bool judged = !result.output_sha256.empty();
    const auto& kernel = result.kernel;
    Json kernel_json{{"backend", backend_name(kernel.backend)},
                     {"name", kernel.name},
                     {"variant", kernel.variant},
                     {"element", iir2d::name_of(kernel.element)},
                     {"architecture", kernel.architecture}};
    return {{"index", index},
            {"key", result.what.key},
            {"label", result.what.label},
            {"width", result.what.width},
            {"height", result.what.height},
            {"channels", result.what.channels},
            {"operation", operation_of(result.what)},
            {"started_utc", result.started_utc},
            {"kernel", kernel.name.empty() ? absent(why) : present(kernel_json)},
            {"input_sha256", text_or_absent(result.input_sha256, why)},
            {"output_sha256", text_or_absent(result.output_sha256, why)},
            {"parity", judged ? present(json_of(result.parity)) : absent(why)},
            {"timing", result.samples.empty() ? absent(why) : present(timing_of(result))},
            {"gpu_state", gpu_state_of(result, why)}};
}

std::string scalar_text(const Json& value) {
    if (value.is_number_float()) return canonical_number(value.get<double>());
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Indented by two, but lists of scalars and small objects of scalars stay on one line: thousands of samples
// are then a line, not pages.
void write_pretty(const Json& value, std::size_t indent, std::string& out) {
    if (!value.is_structured()) {
        out += scalar_text(value);
        return;
    }
    const bool object = value.is_object();
    const bool flat = std::ranges::none_of(value, [](const Json& v) { return v.is_structured(); }) &&
                      (!object || value.size() <= 2);
    const std::string line = "\n" + std::string(indent, ' ');
    out += object ? '{' : '[';
    bool first = true;
    for (const auto& [key, item] : value.items()) {
        if (!first) out += flat ? ", " : ",";
        if (!flat) out += line + "  ";
        first = false;
        if (object) out += scalar_text(Json(key)) + ": ";
        write_pretty(item, indent + 2, out);
    }
    if (!flat) out += line;
    out += object ? '}' : ']';
}

}  // namespace

std::string record_to_json(const Record& record) {
    const BenchmarkRun& run = record.run;
    Json cases = Json::array();
    for (std::size_t i = 0; i < run.results.size(); ++i) cases.push_back(json_of_case(run.results[i], i + 1));
    Json json{
        {"schema", "iir2d-workbench/record"},
        {"schema_version", record_schema_version},
        {seal_name, ""},
        {"program", {{"name", "iir2d-workbench"}, {"version", record.environment.version}}},
        {"command_line", record.command_line},
        {"started_utc", run.started_utc},
        {"finished_utc", run.finished_utc},
        {"cancelled", run.cancelled},
        {"case_total", run.case_total},
        {"reproduces", text_or_absent(record.reproduces, "no record was to be reproduced")},
        {"matrix", json_of_matrix(run.matrix)},
        {"device",
         {{"id", run.device.id},
          {"name", run.device.name},
          {"backend", backend_name(run.device.backend)},
          {"reason", run.device_reason},
          {"threads", run.threads},
          {"properties", properties_of(run.device)}}},
        {"measurement",
         {{"clock", run.device.backend == iir2d::Backend::cuda ? "CUDA events, without transfers"
                                                               : "std::chrono::steady_clock"},
          {"copy_method", run.copy_method},
          {"preemption_counter",
           text_or_absent(run.preemption_counter, "this system does not count involuntary context switches")},
          {"transfers", run.device.backend == iir2d::Backend::cuda ? "not in the latency" : "none"}}},
        {"environment", json_of_environment(record.environment)},
        {"cases", cases}};
    std::string text;
    write_pretty(json, 0, text);
    // Of the values as a reader finds them: bytes that are no text have been replaced.
    json[seal_name] = canonical_sha256_without(nlohmann::json::parse(text), seal_name);
    text.clear();
    write_pretty(json, 0, text);
    return text + "\n";
}

}  // namespace workbench
