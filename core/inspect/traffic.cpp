// SPDX-License-Identifier: MIT
#include "core/inspect/traffic.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "core/support/files.h"
#include "core/support/manual_places.h"
#include "core/support/strict_json.h"
#include "core/support/try.h"

namespace workbench::inspect {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::uint64_t sector_bytes = 32;

Sectors read_sectors(const json& from) {
    return {.all = from.at("sectors").get<double>(), .distinct = from.at("distinct").get<double>()};
}

LaunchTraffic read_launch(const json& from) {
    const json& load = from.at("global").at("load");
    const json& store = from.at("global").at("store");
    const auto bytes = [](const json& of, const char* name) {
        return of.at(name).get<std::uint64_t>() * sector_bytes;
    };
    return {.kernel = from.at("kernel").get<std::string>(),
            .grid = from.at("grid").get<std::array<std::uint32_t, 3>>(),
            .block = from.at("block").get<std::array<std::uint32_t, 3>>(),
            .lane_instructions = from.at("instructions").at("lane").get<std::uint64_t>(),
            .loaded = bytes(load, "sectors"),
            .loaded_distinct = bytes(load, "distinct"),
            .stored = bytes(store, "sectors"),
            .stored_distinct = bytes(store, "distinct"),
            .shared_requests = from.at("shared").at("requests").get<std::uint64_t>(),
            .shared_wavefronts = from.at("shared").at("wavefronts").get<std::uint64_t>()};
}

TrafficTable read_table(const json& from) {
    TrafficTable made{.toolkit = from.at("toolkit").get<std::string>(),
                      .target = from.at("target").get<std::string>(),
                      .width = from.at("width").get<std::int64_t>(),
                      .height = from.at("height").get<std::int64_t>(),
                      .jobs = {}};
    for (const json& one : from.at("jobs")) {
        JobTraffic job{.job = one.at("job").get<std::string>(),
                       .read = read_sectors(one.at("bytes_a_pixel").at("read")),
                       .written = read_sectors(one.at("bytes_a_pixel").at("written")),
                       .copies = read_sectors(one.at("copies")),
                       .lane_instructions = one.at("lane_instructions_a_pixel").get<double>(),
                       .launches = {}};
        for (const json& launch : one.at("launches")) job.launches.push_back(read_launch(launch));
        made.jobs.push_back(std::move(job));
    }
    return made;
}

void add(std::string& differences, bool differs, const std::string& what) {
    if (differs) differences += (differences.empty() ? "" : ", ") + what;
}

OperationTraffic filter_traffic(const FilterOperation& filter) {
    OperationTraffic made{.job = "filter " + std::to_string(filter.filter_id), .difference = {}};
    add(made.difference, !filter.parameters.empty(), "parameters");
    add(made.difference, filter.border != iir2d::Border::mirror, "border");
    add(made.difference, filter.start != iir2d::Start::truncated, "start");
    add(made.difference, filter.precision != iir2d::Precision::f32, "precision");
    add(made.difference, filter.normalise_gain, "gain");
    return made;
}

std::optional<OperationTraffic> pool_traffic(const PoolOperation& pool) {
    OperationTraffic made;
    switch (pool.op) {
        case iir2d::PoolOp::max:
            made.job = "max";
            break;
        case iir2d::PoolOp::avg:
            made.job = "avg";
            break;
        case iir2d::PoolOp::lp:
            made.job = pool.p == 1.0 ? "lp, p = 1" : pool.p == 2.0 ? "lp, p = 2" : "lp, p = 3";
            add(made.difference, pool.p != 1.0 && pool.p != 2.0 && pool.p != 3.0, "norm");
            break;
        case iir2d::PoolOp::adaptive_max:
        case iir2d::PoolOp::adaptive_avg:
            return std::nullopt;
    }
    // Counted are windows of 2 x 2 and, of some, of 3 x 3, both by strides of 2.
    const bool has_three = pool.op != iir2d::PoolOp::lp || pool.p == 2.0;
    const iir2d::Extent stride = pool.stride.value_or(pool.window);
    const bool is_three = has_three && pool.window.h >= 3 && pool.window.w >= 3;
    made.job += is_three ? ", 3 x 3 by 2" : ", 2 x 2 by 2";
    const std::int64_t window = is_three ? 3 : 2;
    add(made.difference, pool.window.h != window || pool.window.w != window, "window");
    add(made.difference, stride.h != 2 || stride.w != 2, "stride");
    add(made.difference, pool.padding != iir2d::Extent{0, 0}, "padding");
    add(made.difference, pool.dilation != iir2d::Extent{1, 1}, "dilation");
    return made;
}

}  // namespace

const JobTraffic* TrafficTable::find(const std::string& job) const {
    const auto found = std::ranges::find(jobs, job, &JobTraffic::job);
    return found == jobs.end() ? nullptr : &*found;
}

Result<TrafficTable> load_traffic() {
    constexpr const char* name = "gpu-traffic.json";
    std::error_code error;
    const fs::path installed = resource_directory() / "ptx" / name;
    if (fs::is_regular_file(installed, error)) return load_traffic(installed);
    for (const fs::path& place : manual_places()) {
        if (fs::is_regular_file(place / name, error)) return load_traffic(place / name);
    }
    return fail(ErrorKind::bad_input, installed.string() + " is missing: no counted traffic is known");
}

Result<TrafficTable> load_traffic(const fs::path& file) {
    IIR2D_TRY(const std::string text, read_file(file));
    const auto read = parse_json_strictly(text, record_json_limits);
    if (!read) return fail(ErrorKind::bad_input, file.string() + " " + read.error().message);
    try {
        return read_table(*read);
    } catch (const json::exception& problem) {
        return fail(ErrorKind::bad_input, file.string() + " is not a table of traffic: " + problem.what());
    }
}

std::optional<OperationTraffic> traffic_of(const Operation& operation) {
    if (const auto* filter = std::get_if<FilterOperation>(&operation.what)) return filter_traffic(*filter);
    return pool_traffic(std::get<PoolOperation>(operation.what));
}

std::vector<std::string> planned_kernels(const Operation& operation, iir2d::Shape shape,
                                         const iir2d::Device& gpu, const std::vector<std::string>& kernels) {
    const auto variant_of = [](const auto& plan) {
        return plan && plan->kernel().backend == iir2d::Backend::cuda ? plan->kernel().variant
                                                                      : std::string();
    };
    const auto* filter = std::get_if<FilterOperation>(&operation.what);
    std::istringstream words(
        filter ? variant_of(iir2d::FilterPlan::make(gpu, filter_desc(*filter, shape)))
               : variant_of(iir2d::PoolPlan::make(gpu, pool_desc(std::get<PoolOperation>(operation.what),
                                                                 shape, iir2d::ElementType::f32))));
    // A word is a kernel's name, and behind it how it is launched.
    std::vector<std::string> made;
    for (std::string word; words >> word;) {
        const std::string* best = nullptr;
        for (const std::string& name : kernels) {
            if (word.starts_with(name) && (best == nullptr || name.size() > best->size())) best = &name;
        }
        if (best != nullptr && std::ranges::find(made, *best) == made.end()) made.push_back(*best);
    }
    return made;
}

}  // namespace workbench::inspect
