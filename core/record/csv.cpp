// SPDX-License-Identifier: MIT
// One row a case. The first columns are those that readers of old results know, in their order.
#include <algorithm>
#include <exception>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "core/record/derived.h"
#include "core/record/record.h"
#include "core/record/record_json.h"

namespace workbench {

namespace {

using nlohmann::json;

// What a cell is made from.
struct Row {
    const json& record;
    const json& one;  // the case

    const json& environment(const char* key) const { return record.at("environment").at(key); }
    const json& operation() const { return one.at("operation"); }
    bool is_filter() const { return operation().at("kind") == "filter"; }
    bool is_cuda() const { return record.at("device").at("backend") == "cuda"; }
};

struct Column {
    const char* name;
    std::function<std::string(const Row&)> cell;
};

std::string fact(const json& f) {
    return cell_text(value_of(f));
}

// A place inside a fact that holds an object: nothing when the fact is absent.
std::string inside(const json& f, const json::json_pointer& place) {
    const json& value = value_of(f);
    if (value.is_null()) return {};
    const json& found = value.at(place);
    return cell_text(found.is_object() && found.contains("value") ? value_of(found) : found);
}

Column of_case(const char* name) {
    return {name, [name](const Row& r) { return cell_text(r.one.at(name)); }};
}
Column of_case_fact(const char* name) {
    return {name, [name](const Row& r) { return fact(r.one.at(name)); }};
}
Column of_environment(const char* name, const char* key) {
    return {name, [key](const Row& r) {
                const json& value = r.environment(key);
                return value.is_object() ? fact(value) : cell_text(value);
            }};
}
Column of_timing(const char* name, const char* place) {
    return {name, [place](const Row& r) { return inside(r.one.at("timing"), json::json_pointer(place)); }};
}
Column of_parity(const char* name, const char* place) {
    return {name, [place](const Row& r) { return inside(r.one.at("parity"), json::json_pointer(place)); }};
}
Column of_kernel(const char* name, const char* place) {
    return {name, [place](const Row& r) { return inside(r.one.at("kernel"), json::json_pointer(place)); }};
}
// Of a filter; other operations have their own.
Column of_filter(const char* name, const char* key) {
    return {name,
            [key](const Row& r) { return r.is_filter() ? cell_text(r.operation().at(key)) : std::string(); }};
}
Column of_matrix(const char* name, const char* key) {
    return {name, [key](const Row& r) { return cell_text(r.record.at("matrix").at(key)); }};
}
Column of_device(const char* name, const char* key) {
    return {name, [key](const Row& r) { return cell_text(r.record.at("device").at(key)); }};
}
// A property of the device, when that is a GPU.
Column of_gpu(const char* name, const char* key) {
    return {name, [key](const Row& r) -> std::string {
                if (!r.is_cuda()) return {};
                for (const json& property : r.record.at("device").at("properties")) {
                    if (property.at("key") == key) return cell_text(property.at("value"));
                }
                return {};
            }};
}

std::string count_of_preempted(const Row& r) {
    const json& timing = value_of(r.one.at("timing"));
    return timing.is_null() ? std::string() : std::to_string(timing.at("preempted").size());
}

std::string pixels_of(const Row& r) {
    return std::to_string(r.one.at("width").get<std::int64_t>() * r.one.at("height").get<std::int64_t>());
}

std::string cuda_index(const Row& r) {
    const auto id = cell_text(r.record.at("device").at("id"));
    return r.is_cuda() && id.starts_with("cuda:") ? id.substr(5) : std::string();
}

std::string gpu_name(const Row& r) {
    return r.is_cuda() ? cell_text(r.record.at("device").at("name")) : std::string();
}

std::string failure_of(const Row& r) {
    const json& timing = r.one.at("timing");
    return value_of(timing).is_null() ? cell_text(timing.at("reason")) : std::string();
}

// Of what a GPU did meanwhile.
Column of_gpu_state(const char* name, const char* place) {
    return {name, [place](const Row& r) -> std::string {
                const json& state = value_of(r.one.at("gpu_state"));
                if (state.is_null()) return {};
                const json::json_pointer pointer(place);
                // Down to a fact that is absent, whose figures are not there.
                return state.contains(pointer) ? cell_text(state.at(pointer)) : std::string();
            }};
}

std::string throttle_reasons(const Row& r) {
    const json& state = value_of(r.one.at("gpu_state"));
    if (state.is_null() || value_of(state.at("throttle_reasons")).is_null()) return {};
    std::string text;
    for (const json& word : value_of(state.at("throttle_reasons")))
        text += (text.empty() ? "" : "; ") + cell_text(word);
    return text.empty() ? "none" : text;
}

// How many there were; where nothing was timed, how many there were to be.
std::string timed_iters(const Row& r) {
    const json& timing = value_of(r.one.at("timing"));
    if (timing.is_null()) return cell_text(r.record.at("matrix").at("iterations"));
    return std::to_string(timing.at("samples_ms").size());
}

std::vector<Column> columns() {
    return {
        {"timestamp_utc", [](const Row& r) { return cell_text(r.one.at("started_utc")); }},
        of_environment("host", "host"),
        of_environment("platform", "platform"),
        {"python_version", [](const Row&) { return std::string(); }},
        of_environment("lib_path", "library_path"),
        of_gpu("cuda_runtime_version", "cuda_runtime_version"),
        of_gpu("cuda_driver_version", "cuda_driver_version"),
        {"cuda_device_id", cuda_index},
        {"gpu_name", gpu_name},
        of_gpu("gpu_driver", "driver_version"),
        of_gpu("nvcc_release", "nvcc_release"),
        {"case_index", [](const Row& r) { return cell_text(r.one.at("index")); }},
        {"case_total", [](const Row& r) { return cell_text(r.record.at("case_total")); }},
        of_case("width"),
        of_case("height"),
        {"pixels", pixels_of},
        of_filter("filter_id", "filter_id"),
        of_filter("border_mode", "border"),
        of_filter("precision", "precision"),
        of_timing("latency_ms_min", "/latency_ms/min"),
        of_timing("latency_ms_p50", "/latency_ms/p50"),
        of_timing("latency_ms_p95", "/latency_ms/p95"),
        of_timing("latency_ms_mean", "/latency_ms/mean"),
        of_timing("latency_ms_max", "/latency_ms/max"),
        of_timing("throughput_mpix_per_s_p50", "/throughput_mpix_per_s_p50"),
        of_timing("throughput_gb_per_s_p50", "/throughput_gb_per_s_p50"),
        of_matrix("warmup_iters", "warmup"),
        {"timed_iters", timed_iters},
        // From here on: additions.
        {"case_key", [](const Row& r) { return cell_text(r.one.at("key")); }},
        {"operation", [](const Row& r) { return cell_text(r.operation().at("kind")); }},
        of_case("channels"),
        of_device("device_id", "id"),
        of_device("device_name", "name"),
        of_device("threads", "threads"),
        of_kernel("kernel", "/name"),
        of_kernel("kernel_variant", "/variant"),
        of_kernel("kernel_architecture", "/architecture"),
        of_timing("latency_ms_p5", "/latency_ms/p5"),
        of_timing("latency_ms_p99", "/latency_ms/p99"),
        of_timing("latency_ms_standard_deviation", "/latency_ms/standard_deviation"),
        of_timing("latency_ms_median_absolute_deviation", "/latency_ms/median_absolute_deviation"),
        {"preempted_samples", count_of_preempted},
        of_timing("copy_ms_p50", "/copy_ms/p50"),
        of_timing("memcpy_ms_p50", "/memcpy_ms_p50"),
        of_timing("ratio_to_copy", "/ratio_to_copy"),
        of_timing("bytes_moved", "/bytes_moved"),
        of_timing("transfer_ms_p50", "/transfer_ms_p50"),
        of_parity("parity_passed", "/passed"),
        of_parity("parity_max_abs_error", "/max_abs_error"),
        of_parity("parity_mean_abs_error", "/mean_abs_error"),
        of_parity("parity_max_relative_error", "/max_relative_error"),
        of_parity("parity_max_ulp", "/max_ulp"),
        of_parity("parity_bound", "/bound"),
        of_parity("parity_bound_is_relative", "/bound_is_relative"),
        of_case_fact("input_sha256"),
        of_case_fact("output_sha256"),
        {"failure", failure_of},
        of_environment("version", "version"),
        of_environment("commit", "commit"),
        of_environment("dirty", "dirty"),
    };
}

// Of a GPU while a case was timed on it.
std::vector<Column> gpu_columns() {
    return {of_gpu_state("gpu_samples", "/samples"),
            of_gpu_state("gpu_sm_clock_mhz_min", "/sm_clock_mhz/value/min"),
            of_gpu_state("gpu_sm_clock_mhz_median", "/sm_clock_mhz/value/median"),
            of_gpu_state("gpu_sm_clock_mhz_max", "/sm_clock_mhz/value/max"),
            of_gpu_state("gpu_temperature_c_max", "/temperature_c/value/max"),
            of_gpu_state("gpu_power_w_median", "/power_w/value/median"),
            {"gpu_throttle_reasons", throttle_reasons}};
}

// Of pooling.
Column of_pool(const char* name, std::function<std::string(const json& operation)> cell) {
    return {name, [cell = std::move(cell)](const Row& r) {
                return r.operation().at("kind") == "pool" ? cell(r.operation()) : std::string();
            }};
}

// A pair of numbers, or a fact that holds one.
std::string extent_cell(const json& e) {
    const json& extent = e.contains("value") ? value_of(e) : e;
    return extent.is_null() ? std::string() : cell_text(extent.at("h")) + "x" + cell_text(extent.at("w"));
}

// Adaptive operations read neither window nor stride.
std::vector<Column> pool_columns() {
    const auto of_windows = [](const char* key) {
        return [key](const json& o) {
            const json& pool = o.at("pool");
            return value_of(pool.at("output")).is_null() ? extent_cell(pool.at(key)) : std::string();
        };
    };
    return {of_pool("pool_op", [](const json& o) { return cell_text(o.at("pool").at("op")); }),
            of_pool("pool_window", of_windows("window")),
            of_pool("pool_stride", of_windows("stride")),
            of_pool("pool_output", [](const json& o) { return extent_cell(o.at("pool").at("output")); }),
            of_pool("pool_dtype", [](const json& o) { return cell_text(o.at("element")); }),
            of_pool("pool_pass", [](const json& o) { return cell_text(o.at("pass")); })};
}

// How a case ended and by what protocol.
std::vector<Column> ending_columns() {
    return {of_timing("latency_ms_p50_low", "/latency_p50_interval_ms/low"),
            of_timing("latency_ms_p50_high", "/latency_p50_interval_ms/high"),
            of_timing("stop_reason", "/stop_reason"),
            of_timing("inconclusive", "/inconclusive"),
            {"protocol", [](const Row& r) { return fact(r.record.at("matrix").at("protocol")); }},
            of_matrix("cache", "cache")};
}

// RFC 4180: quoted when it must be, quotes doubled.
std::string quoted(const std::string& cell) {
    if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
    std::string text = "\"";
    for (const char c : cell) {
        if (c == '"') text += '"';
        text += c;
    }
    return text + '"';
}

}  // namespace

Result<std::string> csv_of(const json& record) {
    try {
        std::vector<Column> all = columns();
        for (const auto& more : {gpu_columns(), pool_columns(), ending_columns()})
            std::ranges::copy(more, std::back_inserter(all));
        std::string text;
        for (std::size_t i = 0; i < all.size(); ++i) text += (i > 0 ? "," : "") + std::string(all[i].name);
        text += '\n';
        for (const json& one : record.at("cases")) {
            const Row row{record, one};
            for (std::size_t i = 0; i < all.size(); ++i)
                text += (i > 0 ? "," : "") + quoted(all[i].cell(row));
            text += '\n';
        }
        return text;
    } catch (const std::exception& error) {
        return fail(ErrorKind::bad_input,
                    std::string("the record cannot be written as CSV: ") + error.what());
    }
}

}  // namespace workbench
