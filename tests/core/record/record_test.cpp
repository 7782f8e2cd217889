// SPDX-License-Identifier: MIT
// What a record says: JSON, CSV and Markdown against texts kept beside this file.
#include "core/record/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <functional>
#include <limits>
#include <locale>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/core/record/record_testing.h"

namespace workbench {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

struct Continental : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

// IIR2D_UPDATE_GOLDEN=1 writes them anew; the change is then there to be read before it is committed.
void expect_golden(const std::string& text, const std::string& name) {
    const auto path = std::filesystem::path(IIR2D_SOURCE_DIR) / "tests/core/record/golden" / name;
    if (std::getenv("IIR2D_UPDATE_GOLDEN") != nullptr) testing::write_text(path, text);
    EXPECT_EQ(text, testing::read_text(path)) << name;
}

TEST(RecordToJson, IsAsKept) {
    expect_golden(record_to_json(testing::sample_record()), "record.json");
}

TEST(RecordToJson, IsReadBack) {
    for (const Record& record : {testing::sample_record(), testing::sample_gpu_record()}) {
        const auto valid = record_from_json(record_to_json(record));
        EXPECT_TRUE(valid) << valid.error().message;
    }
}

TEST(RecordToJson, SaysWhatTheGpuDidMeanwhile) {
    const json cases = json::parse(record_to_json(testing::sample_gpu_record()))["cases"];
    EXPECT_EQ(cases[0]["gpu_state"]["value"], json::parse(R"({
        "samples": 4,
        "sm_clock_mhz": {"value": {"min": 1410, "median": 1680, "max": 1980, "samples": [1980, 1755, 1410, 1605]}},
        "temperature_c": {"value": {"max": 44, "samples": [41, 42, 44, 43]}},
        "power_w": {"value": {"median": 303.375, "samples": [72.5, 310.25, 305, 301.75]}},
        "throttle_reasons": {"value": ["idle", "power cap", "thermal, software"]}})"));
    const json& pool = cases[1]["gpu_state"]["value"];
    EXPECT_EQ(pool["temperature_c"]["value"]["max"], 40);
    for (const char* key : {"sm_clock_mhz", "power_w", "throttle_reasons"}) {
        EXPECT_TRUE(pool[key]["value"].is_null());
        EXPECT_EQ(pool[key]["reason"], "NVML has no value for this GPU");
    }
    EXPECT_TRUE(cases[2]["gpu_state"]["value"].is_null()) << "it was not timed";
}

TEST(RecordToJson, SaysWhyNothingIsKnownOfAGpu) {
    Record record = testing::sample_gpu_record();
    record.run.results[0].gpu = Fact<GpuStates>::absent("NVML is not installed");
    const json state = json::parse(record_to_json(record))["cases"][0]["gpu_state"];
    EXPECT_EQ(state, json::parse(R"({"value": null, "reason": "NVML is not installed"})"));
    const json on_cpu = json::parse(record_to_json(testing::sample_record()))["cases"][0]["gpu_state"];
    EXPECT_EQ(on_cpu["reason"], "the case ran on the CPU");
}

TEST(RecordToJson, GivesAReasonForEveryNull) {
    const json record = json::parse(record_to_json(testing::sample_gpu_record()));
    const std::function<void(const json&, const std::string&)> walk = [&](const json& v,
                                                                          const std::string& place) {
        if (v.is_object() && v.contains("value") && v.at("value").is_null()) {
            EXPECT_TRUE(v.contains("reason") && !v.at("reason").get<std::string>().empty()) << place;
            return;
        }
        EXPECT_FALSE(v.is_null()) << place;
        if (!v.is_structured()) return;
        for (const auto& [key, item] : v.items()) walk(item, place + "/" + key);
    };
    walk(record, "");
}

TEST(RecordToJson, HoldsTheWholeRangeOfSeeds) {
    Record record = testing::sample_record();
    record.run.matrix.seed = std::numeric_limits<std::uint64_t>::max();
    const std::string text = record_to_json(record);
    EXPECT_EQ(json::parse(text)["matrix"]["seed"], std::numeric_limits<std::uint64_t>::max());
    const auto valid = record_from_json(text);
    EXPECT_TRUE(valid) << valid.error().message;
}

TEST(RecordToJson, SaysWhyAnErrorIsNotANumber) {
    Record record = testing::sample_record();
    record.run.results[2].parity->max_abs_error = std::numeric_limits<double>::infinity();
    record.run.results[2].parity->mean_abs_error = std::numeric_limits<double>::quiet_NaN();
    const std::string text = record_to_json(record);
    const json parity = json::parse(text)["cases"][2]["parity"]["value"];
    EXPECT_TRUE(parity["max_abs_error"]["value"].is_null());
    EXPECT_FALSE(parity["mean_abs_error"]["reason"].get<std::string>().empty());
    EXPECT_TRUE(record_from_json(text));
}

TEST(RecordToJson, HoldsAnInfiniteRelativeError) {
    Record record = testing::sample_record();
    record.run.results[2].parity->max_relative_error = std::numeric_limits<double>::infinity();
    const std::string text = record_to_json(record);
    const json cases = json::parse(text)["cases"];
    EXPECT_EQ(cases[0]["parity"]["value"]["max_relative_error"], 4e-7) << "as records always had it";
    const json absent = cases[2]["parity"]["value"]["max_relative_error"];
    EXPECT_EQ(absent, json::parse(R"({"value": null, "reason": "it is not a finite number"})"));
    const auto read = record_from_json(text);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(std::isinf(read->run.results[2].parity->max_relative_error));
    EXPECT_EQ(record_to_json(*read), text);
    // One form for one value.
    json other = json::parse(text);
    other["cases"][2]["parity"]["value"]["max_relative_error"] = {{"value", 0.5}};
    EXPECT_THAT(record_from_json(testing::sealed(other)).error().message, HasSubstr("must be null"));
}

TEST(RecordToJson, ReplacesBytesThatAreNotText) {
    Record record = testing::sample_record();
    record.command_line = "iir2d bench --image \xff\xfe.png";
    EXPECT_TRUE(record_from_json(record_to_json(record)));
}

TEST(RecordToJson, HoldsRecipeAndImage) {
    Record record = testing::sample_record();
    record.run.matrix.image_identity = ImageIdentity{.path = "photo.png",
                                                     .format = "png",
                                                     .width = 1024,
                                                     .height = 512,
                                                     .pixel_sha256 = std::string(64, 'f')};
    record.run.matrix.recipe =
        Recipe{.name = "soft", .operations = {{.what = FilterOperation{.filter_id = 6}}}};
    record.run.results[1].what.operation = RecipeCase{*record.run.matrix.recipe};
    const std::string text = record_to_json(record);
    const auto valid = record_from_json(text);
    EXPECT_TRUE(valid) << valid.error().message;
    const json matrix = json::parse(text)["matrix"];
    EXPECT_EQ(matrix["image"]["value"]["pixel_sha256"], std::string(64, 'f'));
    const auto back = recipe_from_json(matrix["recipe"]["value"].dump());
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, *record.run.matrix.recipe);
}

TEST(RecordToJson, HoldsEveryAxisOfPooling) {
    Record record = testing::sample_record();
    record.run.matrix.pool_elements = {iir2d::ElementType::f32, iir2d::ElementType::f16};
    record.run.matrix.pool_passes = {PoolPass::forward, PoolPass::backward};
    record.run.results[1].what.operation = PoolCase{
        {.op = iir2d::PoolOp::adaptive_avg, .output = {3, 4}}, iir2d::ElementType::f16, PoolPass::backward};
    const std::string text = record_to_json(record);
    const auto valid = record_from_json(text);
    EXPECT_TRUE(valid) << valid.error().message;
    const json all = json::parse(text);
    EXPECT_EQ(all["matrix"]["pool_elements"], (json{"f32", "f16"}));
    EXPECT_EQ(all["matrix"]["pool_passes"], (json{"forward", "backward"}));
    const json& operation = all["cases"][1]["operation"];
    EXPECT_EQ(operation["element"], "f16");
    EXPECT_EQ(operation["pass"], "backward");
    EXPECT_EQ(operation["pool"]["output"]["value"], (json{{"h", 3}, {"w", 4}}));
}

TEST(RecordToJson, DoesNotDependOnTheLocale) {
    const Record record = testing::sample_record();
    const auto texts = [&record] {
        return std::vector{record_to_json(record), record_to_csv(record), record_to_markdown(record)};
    };
    const auto before = texts();

    // The C++ side always; the C side where the system has such a locale.
    const std::string old_c = std::setlocale(LC_ALL, nullptr);
    const std::locale old = std::locale::global(std::locale(std::locale::classic(), new Continental));
    std::setlocale(LC_ALL, "de_DE.UTF-8");
    const auto after = texts();
    std::locale::global(old);
    std::setlocale(LC_ALL, old_c.c_str());

    EXPECT_EQ(after, before);
}

TEST(RecordToCsv, IsAsKept) {
    const auto csv = record_to_csv(testing::sample_record());
    expect_golden(csv, "record.csv");
}

TEST(RecordToCsv, StartsWithTheColumnsThatOldReadersKnow) {
    const auto csv = record_to_csv(testing::sample_record());
    EXPECT_THAT(
        csv, ::testing::StartsWith(
                 "timestamp_utc,host,platform,python_version,lib_path,cuda_runtime_version,"
                 "cuda_driver_version,cuda_device_id,gpu_name,gpu_driver,nvcc_release,case_index,case_total,"
                 "width,height,pixels,filter_id,border_mode,precision,latency_ms_min,latency_ms_p50,"
                 "latency_ms_p95,latency_ms_mean,latency_ms_max,throughput_mpix_per_s_p50,"
                 "throughput_gb_per_s_p50,warmup_iters,timed_iters,"));
}

TEST(RecordToCsv, HasWhatTheGpuDid) {
    std::istringstream csv(record_to_csv(testing::sample_gpu_record()));
    std::vector<std::string> lines;
    for (std::string line; std::getline(csv, line);) lines.push_back(line);
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_THAT(lines[0],
                HasSubstr(",gpu_samples,gpu_sm_clock_mhz_min,gpu_sm_clock_mhz_median,gpu_sm_clock_"
                          "mhz_max,gpu_temperature_c_max,gpu_power_w_median,gpu_throttle_reasons,"));
    EXPECT_THAT(lines[1], HasSubstr(",4,1410,1680,1980,44,303.375,\"idle; power cap; thermal, software\","));
    EXPECT_THAT(lines[2], HasSubstr(",false,2,,,,40,,,avg"));
    EXPECT_THAT(lines[3], ::testing::EndsWith(",false,,,,,,,,max,2x2,2x2,,f32,forward,,,,,,warm"))
        << "it was not timed";
}

TEST(RecordToCsv, SaysThatNothingHeldTheClocksBack) {
    Record record = testing::sample_gpu_record();
    record.run.results[0].gpu->throttle_reasons = std::uint64_t{0};
    EXPECT_THAT(record_to_csv(record), HasSubstr(",303.375,none,,"));
}

TEST(RecordToCsv, HasWhatIsPooledAndHowACaseEnded) {
    Record record = testing::sample_record();
    auto& what = record.run.results[1].what;
    const auto last_cells = [&record] {
        std::istringstream csv(record_to_csv(record));
        std::string line;
        for (int i = 0; i < 3; ++i) std::getline(csv, line);
        std::size_t at = line.size();
        // Before the six of how a case ended.
        for (int i = 0; i < 6; ++i) at = line.rfind(',', at - 1);
        const std::size_t end = at;
        for (int i = 0; i < 6; ++i) at = line.rfind(',', at - 1);
        return line.substr(at + 1, end - at - 1);
    };
    EXPECT_THAT(
        record_to_csv(record),
        HasSubstr(",pool_op,pool_window,pool_stride,pool_output,pool_dtype,pool_pass,latency_ms_p50_low,"
                  "latency_ms_p50_high,stop_reason,inconclusive,protocol,cache\n"));
    EXPECT_EQ(last_cells(), "avg,2x2,2x2,,f32,forward");
    what.operation = PoolCase{
        {.op = iir2d::PoolOp::adaptive_max, .output = {7, 5}}, iir2d::ElementType::bf16, PoolPass::backward};
    EXPECT_EQ(last_cells(), "adaptive-max,,,7x5,bf16,backward");
}

TEST(RecordToCsv, QuotesAsRfc4180Says) {
    const auto csv = record_to_csv(testing::sample_record());
    EXPECT_THAT(csv, HasSubstr(",\"bench,host \"\"two\"\"\","));
    Record record = testing::sample_record();
    record.environment.host = {"two\nlines", {}};
    EXPECT_THAT(record_to_csv(record), HasSubstr("\"two\nlines\""));
}

TEST(RecordToCsv, HasOneRowOfEveryCaseWithEveryColumn) {
    Record record = testing::sample_record();
    record.environment.host = {"plain", {}};
    record.run.results[2].failure = "plain";
    std::istringstream csv(record_to_csv(record));
    std::vector<std::ptrdiff_t> commas;
    for (std::string line; std::getline(csv, line);) commas.push_back(std::ranges::count(line, ','));
    ASSERT_EQ(commas.size(), 4U);
    EXPECT_THAT(commas, ::testing::Each(commas[0]));
}

TEST(RecordToMarkdown, IsAsKept) {
    const auto markdown = record_to_markdown(testing::sample_record());
    expect_golden(markdown, "record.md");
}

TEST(RecordToMarkdown, MarksThrottledCasesAndSaysWhatTheGpuDid) {
    Record record = testing::sample_gpu_record();
    const auto markdown = record_to_markdown(record);
    EXPECT_THAT(
        markdown,
        HasSubstr("| filter:1 border:mirror precision:f32 size:1024x512 (throttled) (inconclusive) | 0.5"));
    EXPECT_THAT(markdown,
                HasSubstr("\n- filter:1 border:mirror precision:f32 size:1024x512: SM clock 1410 to "
                          "1980 MHz, median 1680 MHz; highest temperature 44 °C; median power 303.375 "
                          "W; clocks held back by idle, power cap, thermal, software; 4 samples\n"));
    EXPECT_THAT(markdown, HasSubstr(": SM clock not available: NVML has no value for this GPU; highest "
                                    "temperature 40 °C; median power not available: "));
    EXPECT_THAT(markdown, ::testing::Not(HasSubstr("1024x512 (throttled) | 2")));

    record.run.results[0].gpu->throttle_reasons = std::uint64_t{1};
    const auto idle = record_to_markdown(record);
    EXPECT_THAT(idle, ::testing::Not(HasSubstr("(throttled)"))) << "idleness holds nothing back";
    EXPECT_THAT(record_to_markdown(testing::sample_record()), ::testing::Not(HasSubstr("The GPU meanwhile")));
}

TEST(RecordToMarkdown, EscapesWhatWouldBreakATable) {
    const auto markdown = record_to_markdown(testing::sample_record());
    EXPECT_THAT(markdown, HasSubstr("A Processor \\| with a bar"));
    Record record = testing::sample_record();
    record.command_line = "iir2d bench ```\n# not a heading";
    EXPECT_THAT(record_to_markdown(record), HasSubstr("````\niir2d bench ```"));
}

TEST(RecordToMarkdown, SaysThatARunWasCancelled) {
    Record record = testing::sample_record();
    record.run.cancelled = true;
    record.run.case_total = 9;
    EXPECT_THAT(record_to_markdown(record), HasSubstr("3 of 9 cases, then cancelled"));
}

class RecordRoundTrip : public ::testing::TestWithParam<bool> {};

TEST_P(RecordRoundTrip, WritesTheSameTextAgain) {
    Record record = GetParam() ? testing::sample_gpu_record() : testing::sample_record();
    // What is not given is written as what it is then.
    std::get<PoolCase>(record.run.results[1].what.operation).pool.stride = iir2d::Extent{2, 2};
    record.run.matrix.stopping = StoppingRule{0.02, 10, 20, 5};
    record.run.matrix.cold_cache = true;
    record.run.matrix.protocol = "nightly";
    record.run.matrix.pools = {{.op = iir2d::PoolOp::lp,
                                .window = {3, 2},
                                .stride = iir2d::Extent{1, 2},
                                .padding = {1, 0},
                                .ceil_mode = true,
                                .p = 3},
                               {.op = iir2d::PoolOp::avg,
                                .stride = iir2d::Extent{2, 2},
                                .count_include_pad = true,
                                .divisor_override = 7}};
    record.reproduces = std::string(64, 'c');
    record.run.cancelled = true;
    record.run.results[0].inconclusive = "it is for a test";
    record.run.results[2].parity.reset();
    record.run.results[2].output_sha256.clear();
    if (GetParam()) {
        record.environment.gpus = {record.run.device};
        record.environment.gpu_reason.clear();
    }
    const std::string text = record_to_json(record);
    const auto read = record_from_json(text);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(record_to_json(*read), text);
    EXPECT_EQ(read->record_id, record_id_of(record));
    EXPECT_EQ(read->run.matrix.pools, record.run.matrix.pools);
    EXPECT_EQ(read->run.matrix.stopping, record.run.matrix.stopping);
    EXPECT_EQ(read->run.results[1].what.operation, record.run.results[1].what.operation);
    EXPECT_EQ(*read->run.results[2].failure, *record.run.results[2].failure);
    EXPECT_EQ(record_to_csv(*read), record_to_csv(record));
    EXPECT_EQ(record_to_markdown(*read).size(), record_to_markdown(record).size());
}
INSTANTIATE_TEST_SUITE_P(CpuAndGpu, RecordRoundTrip, ::testing::Bool());

TEST(RecordFromJson, TakesEveryThrottleWordThatIsWritten) {
    Record record = testing::sample_gpu_record();
    // Bits that this program has no name for are one word together.
    for (const std::uint64_t bits :
         {std::uint64_t{0}, std::uint64_t{0x604}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
        record.run.results[0].gpu->throttle_reasons = bits;
        const auto read = record_from_json(record_to_json(record));
        ASSERT_TRUE(read) << std::hex << bits << ": " << read.error().message;
        EXPECT_EQ(read->run.results[0].gpu->throttle_reasons.value, bits);
    }
}

TEST(RecordFromJson, RefusesAByteOrderMark) {
    const auto read = record_from_json("\xEF\xBB\xBF" + record_to_json(testing::sample_gpu_record()));
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("byte order mark"));
}

TEST(RecordFromJson, RefusesWhatIsNoRecord) {
    for (const char* text : {"", "{", "[]", "null", "{}", "{\"schema_version\": 1}", "\xff"}) {
        const auto record = record_from_json(text);
        ASSERT_FALSE(record) << text;
        EXPECT_EQ(record.error().kind, ErrorKind::bad_input);
    }
}

TEST(RecordFromJson, NamesAPositionThatIsNoSample) {
    json record = json::parse(record_to_json(testing::sample_record()));
    record["cases"][0]["timing"]["value"]["preempted"] = {1000000};
    const auto read = record_from_json(testing::sealed(record));
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("cases[0].timing.value.preempted[0]"));
}

}  // namespace
}  // namespace workbench
