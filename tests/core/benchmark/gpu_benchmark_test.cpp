// SPDX-License-Identifier: MIT
// A whole benchmark on the stand-in driver, each test in a process of its own with its scenario: what the
// management library tells gets into the record, and the record is accepted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/benchmark/benchmark.h"
#include "tests/core/record/record_testing.h"

namespace workbench {
namespace {

using nlohmann::json;

// The record of one small case; written and verified on the way.
json record_under(const char* scenario) {
    setenv("FAKE_CUDA", scenario, 1);
    BenchmarkMatrix matrix;
    matrix.sizes = {{48, 32}};
    matrix.filter_ids = {1};
    matrix.precisions = {iir2d::Precision::f32};
    matrix.device = "cuda:0";
    matrix.warmup = 1;
    matrix.iterations = 3;
    auto run = run_benchmark(matrix);
    if (!run) {
        ADD_FAILURE() << run.error().message;
        return {};
    }
    Record record = testing::sample_record();
    record.run = std::move(*run);
    record.environment.threads = record.run.threads;
    record.command_line = bench_command_line(matrix, "", "");
    const testing::TemporaryFolder folder;
    const auto written = write_record(record, folder.path() / "record");
    EXPECT_TRUE(written) << written.error().message;
    EXPECT_EQ(testing::problems_of(folder.path() / "record"), "");
    return json::parse(record_to_json(record));
}

TEST(GpuBenchmark, RecordsClocksThatFall) {
    const json one = record_under("drift=15,throttle=36")["cases"][0];
    const json& state = one["gpu_state"]["value"];
    ASSERT_GE(state["samples"], 2);
    const json& clock = state["sm_clock_mhz"]["value"];
    EXPECT_EQ(clock["samples"].size(), state["samples"]);
    EXPECT_GE(clock["max"].get<int>() - clock["min"].get<int>(), 15);
    EXPECT_EQ(clock["samples"].front(), clock["max"]);
    EXPECT_EQ(clock["samples"].back(), clock["min"]);
    EXPECT_EQ(state["temperature_c"]["value"]["max"], 41);
    EXPECT_EQ(state["power_w"]["value"]["median"], 72.5);
    EXPECT_EQ(state["throttle_reasons"]["value"], json({"power cap", "thermal, software"}));
    EXPECT_FALSE(one["timing"]["value"]["transfer_ms_p50"]["value"].is_null());
}

TEST(GpuBenchmark, RecordsWhatThereIsWithReasonsForTheRest) {
    const json one = record_under("nvml_lacks=power+throttle")["cases"][0];
    const json& state = one["gpu_state"]["value"];
    EXPECT_EQ(state["sm_clock_mhz"]["value"]["median"], 1410);
    EXPECT_TRUE(state["power_w"]["value"].is_null());
    EXPECT_EQ(state["throttle_reasons"]["reason"], "NVML has no value for this GPU");
}

TEST(GpuBenchmark, RecordsWhyThereIsNothing) {
    const json one = record_under("nvml=0")["cases"][0];
    EXPECT_FALSE(one["timing"]["value"].is_null()) << "it is timed all the same";
    EXPECT_TRUE(one["gpu_state"]["value"].is_null());
    EXPECT_EQ(one["gpu_state"]["reason"],
              "NVIDIA's management library (NVML) does not start: Driver Not Loaded");
}

}  // namespace
}  // namespace workbench
