// SPDX-License-Identifier: MIT
// Configs through the C interface.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "iir2d/iir2d_filter.h"
#include "iir2d/iir2d_tune.h"
#include "tests/kernels/tune/model_testing.h"
#include "tests/kernels/tune/tune_testing.h"

namespace {

IIR2D_Config parsed(const char* text) {
    IIR2D_Config config{};
    config.size = sizeof config;
    EXPECT_EQ(iir2d_config_parse(text, &config), IIR2D_STATUS_OK) << iir2d_last_error();
    return config;
}

std::vector<float> ramp(std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 37 % 101) / 101.0F;
    return values;
}

TEST(TuneC, TextsAreReadAndWritten) {
    const IIR2D_Config config = parsed("threads:2 way:parts/climb task:2^14");
    EXPECT_EQ(config.threads, 2);
    EXPECT_EQ(config.way, IIR2D_WAY_PARTS_CLIMB);
    EXPECT_EQ(config.task, 16384);
    size_t needed = 0;
    EXPECT_EQ(iir2d_config_text(&config, nullptr, 0, &needed), IIR2D_STATUS_OK);
    std::string text(needed, 'x');
    EXPECT_EQ(iir2d_config_text(&config, text.data(), needed - 1, &needed), IIR2D_STATUS_WORKSPACE_ERROR);
    EXPECT_EQ(iir2d_config_text(&config, text.data(), needed, &needed), IIR2D_STATUS_OK);
    EXPECT_STREQ(text.c_str(), "threads:2 way:parts/climb task:16384");
}

TEST(TuneC, OnlyTheSizeIsReadBeforeATextIsParsed) {
    struct Longer {
        IIR2D_Config known;
        std::int32_t later[3];
    } config;
    std::memset(&config, 0x5A, sizeof config);
    config.known.size = sizeof config;
    ASSERT_EQ(iir2d_config_parse("threads:1", &config.known), IIR2D_STATUS_OK) << iir2d_last_error();
    EXPECT_EQ(config.known.threads, 1);
    EXPECT_EQ(config.known.reserved, 0);
    EXPECT_EQ(config.later[0] | config.later[1] | config.later[2], 0);
    size_t needed = 0;
    EXPECT_EQ(iir2d_config_text(&config.known, nullptr, 0, &needed), IIR2D_STATUS_OK);
    config.known.reserved = 1;
    EXPECT_EQ(iir2d_config_text(&config.known, nullptr, 0, &needed), IIR2D_STATUS_INVALID_ARGUMENT);
}

TEST(TuneC, WhatIsWrongIsRefused) {
    IIR2D_Config config = parsed("static");
    EXPECT_EQ(iir2d_config_parse("speed:1", &config), IIR2D_STATUS_INVALID_ARGUMENT);
    EXPECT_NE(std::string(iir2d_last_error()).find("speed:1"), std::string::npos);
    EXPECT_EQ(iir2d_config_parse(nullptr, &config), IIR2D_STATUS_NULL_POINTER);
    EXPECT_EQ(iir2d_config_parse("static", nullptr), IIR2D_STATUS_NULL_POINTER);
    config.size = 4;
    EXPECT_EQ(iir2d_config_parse("static", &config), IIR2D_STATUS_INVALID_ARGUMENT);

    const std::vector<float> in = ramp(std::size_t{64} * 48);
    std::vector<float> out(in.size(), -7.0F);
    const IIR2D_Params params{
        .width = 64, .height = 48, .filter_id = 1, .border_mode = 1, .border_const = 0, .precision = 0};
    IIR2D_Config wrong = parsed("static");
    wrong.part = 33;
    EXPECT_EQ(iir2d_forward_cpu_with(in.data(), out.data(), &params, &wrong), IIR2D_STATUS_INVALID_ARGUMENT);
    EXPECT_NE(std::string(iir2d_last_error()).find("part:33"), std::string::npos) << iir2d_last_error();
    wrong = parsed("static");
    wrong.stores = 3;
    EXPECT_EQ(iir2d_forward_cpu_with(in.data(), out.data(), &params, &wrong), IIR2D_STATUS_INVALID_ARGUMENT);
    wrong = parsed("static");
    wrong.share = -1;
    EXPECT_EQ(iir2d_forward_cpu_with(in.data(), out.data(), &params, &wrong), IIR2D_STATUS_INVALID_ARGUMENT);
    // Null pointers before fields, fields before the config.
    IIR2D_Params no_filter = params;
    no_filter.filter_id = 99;
    EXPECT_EQ(iir2d_forward_cpu_with(in.data(), out.data(), &no_filter, nullptr), IIR2D_STATUS_NULL_POINTER);
    EXPECT_EQ(iir2d_forward_cpu_with(in.data(), out.data(), &no_filter, &wrong),
              IIR2D_STATUS_INVALID_FILTER_ID);
    IIR2D_PoolParams no_window{};
    no_window.size = sizeof no_window;
    EXPECT_EQ(iir2d_pool_forward_cpu_with(in.data(), out.data(), nullptr, &no_window, nullptr),
              IIR2D_STATUS_NULL_POINTER);
    EXPECT_EQ(out, std::vector<float>(in.size(), -7.0F));
}

TEST(TuneC, AFilterHasStaticsBits) {
    const std::vector<float> in = ramp(std::size_t{640} * 48);
    std::vector<float> expected(in.size());
    const IIR2D_Params params{
        .width = 640, .height = 48, .filter_id = 5, .border_mode = 1, .border_const = 0, .precision = 0};
    ASSERT_EQ(iir2d_forward_cpu(in.data(), expected.data(), &params), IIR2D_STATUS_OK);
    for (const char* text : {"static", "threads:1 part:128", "stores:past strip:128"}) {
        const IIR2D_Config config = parsed(text);
        std::vector<float> out(in.size());
        ASSERT_EQ(iir2d_forward_cpu_with(in.data(), out.data(), &params, &config), IIR2D_STATUS_OK)
            << iir2d_last_error();
        EXPECT_EQ(std::memcmp(out.data(), expected.data(), out.size() * sizeof(float)), 0) << text;
    }
}

TEST(TuneC, PoolingHasStaticsBits) {
    IIR2D_PoolParams params{};
    params.size = sizeof params;
    params.op = IIR2D_POOL_MAX;
    params.n = params.c = 1;
    params.height = params.width = 90;
    params.window_h = params.window_w = 16;
    params.stride_h = params.stride_w = 8;
    const std::vector<float> x = ramp(std::size_t{90} * 90);
    int64_t height = 0;
    int64_t width = 0;
    ASSERT_EQ(iir2d_pool_output_size(&params, &height, &width), IIR2D_STATUS_OK);
    const auto outputs = static_cast<std::size_t>(height * width);
    std::vector<float> expected(outputs);
    std::vector<int64_t> places(outputs);
    ASSERT_EQ(iir2d_pool_forward_cpu(x.data(), expected.data(), places.data(), &params), IIR2D_STATUS_OK);
    const IIR2D_Config climb = parsed("way:climb/climb task:2^14");
    std::vector<float> y(outputs);
    std::vector<int64_t> found(outputs);
    ASSERT_EQ(iir2d_pool_forward_cpu_with(x.data(), y.data(), nullptr, &params, &climb), IIR2D_STATUS_OK)
        << iir2d_last_error();
    EXPECT_EQ(y, expected);
    EXPECT_EQ(iir2d_pool_forward_cpu_with(x.data(), y.data(), found.data(), &params, &climb),
              IIR2D_STATUS_INVALID_ARGUMENT);
    const IIR2D_Config parts = parsed("way:parts/parts");
    ASSERT_EQ(iir2d_pool_forward_cpu_with(x.data(), y.data(), found.data(), &params, &parts),
              IIR2D_STATUS_OK);
    EXPECT_EQ(y, expected);
    EXPECT_EQ(found, places);

    std::vector<float> dx(x.size());
    std::vector<float> with(x.size());
    ASSERT_EQ(iir2d_pool_backward_cpu(nullptr, nullptr, y.data(), dx.data(), places.data(), &params),
              IIR2D_STATUS_OK);
    const IIR2D_Config task = parsed("threads:1 task:2^10 stores:past");
    ASSERT_EQ(
        iir2d_pool_backward_cpu_with(nullptr, nullptr, y.data(), with.data(), places.data(), &params, &task),
        IIR2D_STATUS_OK)
        << iir2d_last_error();
    EXPECT_EQ(with, dx);
    EXPECT_EQ(
        iir2d_pool_backward_cpu_with(nullptr, nullptr, y.data(), with.data(), places.data(), &params, &climb),
        IIR2D_STATUS_INVALID_ARGUMENT);
}

using TuneCDecide = tune_testing::TuneTest;

IIR2D_TuneStats stats(int reset = 0) {
    IIR2D_TuneStats said{};
    said.size = sizeof said;
    EXPECT_EQ(iir2d_tune_stats(&said, reset), IIR2D_STATUS_OK) << iir2d_last_error();
    return said;
}

// 300 rows of 700 in f32 by filter 6; every way gives the same bytes.
std::vector<float> filtered() {
    const std::vector<float> in = ramp(300 * 700);
    std::vector<float> out(in.size());
    const IIR2D_Params params{
        .width = 700, .height = 300, .filter_id = 6, .border_mode = 1, .border_const = 0, .precision = 0};
    EXPECT_EQ(iir2d_forward_cpu(in.data(), out.data(), &params), IIR2D_STATUS_OK) << iir2d_last_error();
    return out;
}

TEST_F(TuneCDecide, CallsWithoutAConfigAskTheSameDecider) {
    ASSERT_EQ(iir2d_tune_set_mode(IIR2D_TUNE_OFF), IIR2D_STATUS_OK);
    const std::vector<float> by_static = filtered();
    EXPECT_EQ(stats().off, 1U);
    EXPECT_EQ(iir2d_tune_set_mode(4), IIR2D_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(iir2d_tune_set_mode(-1), IIR2D_STATUS_INVALID_ARGUMENT);
    ASSERT_EQ(iir2d_tune_set_mode(IIR2D_TUNE_MODEL), IIR2D_STATUS_OK);
    const std::string path =
        (std::filesystem::path(testing::TempDir()) / ("c_model-" + std::to_string(std::random_device()())))
            .string();
    std::ofstream(path) << tune_testing::text_of(
        tune_testing::one_test_model("iir-cpu", "ln_part", 5.5F, -0.5F));
    ASSERT_EQ(iir2d_tune_load_model(path.c_str()), IIR2D_STATUS_OK) << iir2d_last_error();
    EXPECT_EQ(filtered(), by_static);
    EXPECT_EQ(stats().model, 1U);
    std::ofstream(path, std::ios::app) << "more";
    EXPECT_EQ(iir2d_tune_load_model(path.c_str()), IIR2D_STATUS_INVALID_ARGUMENT);
    std::remove(path.c_str());
    EXPECT_EQ(iir2d_tune_load_model(path.c_str()), IIR2D_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(iir2d_tune_load_model(nullptr), IIR2D_STATUS_NULL_POINTER);
    EXPECT_EQ(filtered(), by_static);
    const IIR2D_TuneStats said = stats(1);
    EXPECT_EQ(said.model, 2U);  // it stayed
    EXPECT_EQ(said.cached, 1U);
    EXPECT_EQ(said.calls, 3U);
    EXPECT_EQ(stats().calls, 0U);
}

// Small calls are kept and met again, large ones are not.
TEST_F(TuneCDecide, ACallCountsOnceAndOnlyIfItRuns) {
    IIR2D_FilterParams params{};
    params.size = sizeof params;
    params.filter_id = 6;
    params.border_mode = IIR2D_BORDER_MIRROR;
    params.element = IIR2D_ELEMENT_F32;
    params.n = params.c = params.parameter_sets = 1;
    const std::vector<float> in = ramp(std::size_t{500} * 500);
    std::vector<float> out(in.size());
    for (const int side : {64, 64, 500}) {
        params.height = params.width = side;
        ASSERT_EQ(iir2d_filter_forward_cpu(in.data(), out.data(), &params), IIR2D_STATUS_OK)
            << iir2d_last_error();
        const IIR2D_TuneStats said = stats(1);
        EXPECT_EQ(said.calls, 1U) << side;
        EXPECT_EQ(said.no_model, 1U) << side;
    }
    for (const int side : {64, 500}) {
        params.height = params.width = side;
        params.filter_id = 99;
        EXPECT_NE(iir2d_filter_forward_cpu(in.data(), out.data(), &params), IIR2D_STATUS_OK);
        params.filter_id = 6;
        // One sample apart, they overlap.
        EXPECT_NE(iir2d_filter_forward_cpu(out.data() + 1, out.data(), &params), IIR2D_STATUS_OK);
    }
    EXPECT_EQ(stats().calls, 0U);
}

TEST_F(TuneCDecide, MeasuringThroughCallsLearnsAndGivesTheSameBytes) {
    iir2d_tune_set_mode(IIR2D_TUNE_OFF);
    const std::vector<float> by_static = filtered();
    iir2d::load_model(tune_testing::text_of(tune_testing::one_test_model("iir-cpu", "ln_part", 5.5F, -0.5F)));
    iir2d_tune_set_mode(IIR2D_TUNE_MEASURE);
    for (int i = 0; i < 3000 && stats().settled == 0; ++i) ASSERT_EQ(filtered(), by_static);
    EXPECT_EQ(stats().settled, 1U);
    size_t needed = 0;
    ASSERT_EQ(iir2d_tune_export(nullptr, 0, &needed), IIR2D_STATUS_OK);
    std::string text(needed, 'x');
    EXPECT_EQ(iir2d_tune_export(text.data(), needed - 1, &needed), IIR2D_STATUS_WORKSPACE_ERROR);
    ASSERT_EQ(iir2d_tune_export(text.data(), needed, &needed), IIR2D_STATUS_OK);
    iir2d::forget_learned();
    EXPECT_EQ(iir2d_tune_import(("bad line\n" + text).c_str()), IIR2D_STATUS_OK);
    EXPECT_EQ(stats().bad_lines, 1U);
    EXPECT_EQ(filtered(), by_static);
    EXPECT_EQ(stats().learned, 1U);
    EXPECT_EQ(iir2d_tune_import(nullptr), IIR2D_STATUS_NULL_POINTER);
}

TEST_F(TuneCDecide, AChooserGetsTheKeyAndEveryCandidate) {
    struct Seen {
        std::string key;
        std::vector<IIR2D_Config> candidates;
        int64_t answer = 0;
    } seen;
    const IIR2D_TuneChooser chooser = [](void* user, const char* key, const IIR2D_Config* candidates,
                                         size_t count) {
        auto& said = *static_cast<Seen*>(user);
        said.key = key;
        said.candidates.assign(candidates, candidates + count);
        return said.answer;
    };
    ASSERT_EQ(iir2d_tune_set_chooser(chooser, &seen), IIR2D_STATUS_OK);
    const std::vector<float> first = filtered();
    EXPECT_TRUE(seen.key.starts_with("iir rows:")) << seen.key;
    ASSERT_GT(seen.candidates.size(), 1U);
    EXPECT_EQ(seen.candidates[0].size, sizeof(IIR2D_Config));
    EXPECT_EQ(seen.candidates[0].threads + seen.candidates[0].part, 0);  // static
    seen.answer = static_cast<int64_t>(seen.candidates.size()) - 1;
    EXPECT_EQ(filtered(), first);
    EXPECT_EQ(stats().chooser, 2U);
    for (const int64_t wrong : {int64_t{-2}, int64_t{1'000'000'000}}) {
        seen.answer = wrong;
        EXPECT_EQ(filtered(), first);
    }
    EXPECT_EQ(stats().error, 2U);
    seen.answer = -1;
    EXPECT_EQ(filtered(), first);
    EXPECT_EQ(stats().no_model, 1U);
    ASSERT_EQ(iir2d_tune_set_chooser(nullptr, nullptr), IIR2D_STATUS_OK);
    filtered();
    EXPECT_EQ(stats().no_model, 2U);
}

TEST_F(TuneCDecide, StatisticsOfAnotherSizeAreFilledAsFarAsTheyGo) {
    struct Longer {
        IIR2D_TuneStats known;
        std::uint64_t later;
    } said;
    std::memset(&said, 0x5A, sizeof said);
    said.known.size = sizeof said;
    EXPECT_EQ(iir2d_tune_stats(&said.known, 0), IIR2D_STATUS_OK);
    EXPECT_EQ(said.later, 0U);
    EXPECT_EQ(said.known.size, sizeof said);
    said.known.size = 8;
    EXPECT_EQ(iir2d_tune_stats(&said.known, 0), IIR2D_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(iir2d_tune_stats(nullptr, 0), IIR2D_STATUS_NULL_POINTER);
}

}  // namespace
