// SPDX-License-Identifier: MIT
// The commands that work on one image: filter, run, pool, info and compare.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/image/image_io.h"
#include "core/recipe/recipe.h"
#include "core/support/files.h"
#include "tests/app/cli_fixture.h"

namespace {

namespace fs = std::filesystem;
using namespace app_test;
using app_test::iir2d;  // before the namespace of the library
using ::testing::HasSubstr;
using Json = nlohmann::json;

TEST_F(Cli, FilterKeepsSizeAndType) {
    for (const auto type :
         {workbench::SampleType::u8, workbench::SampleType::u16, workbench::SampleType::f32}) {
        const std::string in = make_image("in.tif", 31, 17, 3, type);
        const auto outcome = iir2d({"filter", in, path("out.tif"), "--filter", "6", "--param", "sigma=3"});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        const auto info = workbench::probe_image(path("out.tif"));
        ASSERT_TRUE(info);
        EXPECT_EQ(info->width, 31);
        EXPECT_EQ(info->height, 17);
        EXPECT_EQ(info->channels, 3);
        EXPECT_EQ(info->type, type);
    }
}

TEST_F(Cli, UnderscoresAreHyphens) {
    EXPECT_EQ(iir2d({"filter", sample, path("a.png"), "--filter", "1", "--border", "constant",
                     "--border_const", "0.5"})
                  .code,
              0);
    EXPECT_EQ(iir2d({"filter", sample, path("b.png"), "--filter", "1", "--border", "constant",
                     "--border-const=0.5"})
                  .code,
              0);
    EXPECT_EQ(*workbench::read_file(path("a.png")), *workbench::read_file(path("b.png")));
}

TEST_F(Cli, FilterAndRunGiveTheSameBytes) {
    workbench::FilterOperation filter;
    filter.filter_id = 5;
    filter.parameters["alpha"] = 0.9;
    ASSERT_TRUE(workbench::save_recipe({.name = "r", .operations = {{.what = filter}}}, path("r.json")));
    EXPECT_EQ(iir2d({"filter", sample, path("a.png"), "--filter", "5", "--param", "alpha=0.9"}).code, 0);
    EXPECT_EQ(iir2d({"run", path("r.json"), sample, path("b.png")}).code, 0);
    EXPECT_EQ(*workbench::read_file(path("a.png")), *workbench::read_file(path("b.png")));
    // And as many threads as asked: the bits do not depend on them.
    EXPECT_EQ(iir2d({"run", path("r.json"), sample, path("c.png"), "--threads", "1"}).code, 0);
    EXPECT_EQ(*workbench::read_file(path("a.png")), *workbench::read_file(path("c.png")));
}

TEST_F(Cli, PoolWritesImageAndIndices) {
    const std::string in = make_image("in.tif", 9, 6, 1);
    const auto outcome =
        iir2d({"pool", in, path("out.tif"), "--op", "max", "--window", "2x3", "--indices", path("i.tif")});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto source = workbench::read_image(in);
    const auto pooled = workbench::read_image(path("out.tif"));
    const auto indices = workbench::read_image(path("i.tif"), {.keep_double = true});
    ASSERT_TRUE(source && pooled && indices);
    EXPECT_EQ(pooled->pixels.width(), 3);
    EXPECT_EQ(pooled->pixels.height(), 3);
    const auto plane = source->pixels.plane_f32(0);
    for (std::int64_t y = 0; y < 3; ++y) {
        for (std::int64_t x = 0; x < 3; ++x) {
            const auto index = static_cast<std::size_t>(indices->pixels.at(x, y, 0));
            EXPECT_EQ(plane[index], pooled->pixels.at(x, y, 0));
            EXPECT_EQ(static_cast<std::int64_t>(index) / 9 / 2, y);
            EXPECT_EQ(static_cast<std::int64_t>(index) % 9 / 3, x);
        }
    }
}

TEST_F(Cli, PoolRunsTheBackwardPass) {
    const std::string in = make_image("in.tif", 9, 6, 2);
    ASSERT_EQ(
        iir2d({"pool", in, path("dy.tif"), "--op", "adaptive-avg", "--output", "3x3", "--out-type", "f32"})
            .code,
        0);
    for (const char* dtype : {"f32", "f64", "f16", "bf16"}) {
        SCOPED_TRACE(dtype);
        const auto outcome = iir2d({"pool", in, path("y.tif"), "--op", "avg", "--window", "2x3", "--dtype",
                                    dtype, "--backward", path("dy.tif"), "--grad-out", path("dx.tif")});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        const auto dy = workbench::read_image(path("dy.tif"));
        const auto dx = workbench::read_image(path("dx.tif"), {.keep_double = true});
        ASSERT_TRUE(dy && dx);
        ASSERT_EQ(dx->pixels.width(), 9);
        ASSERT_EQ(dx->pixels.channels(), 2);
        const double exactness = std::string(dtype) == "bf16"  ? 0x1p-8
                                 : std::string(dtype) == "f16" ? 0x1p-11
                                                               : 1e-7;
        for (std::int64_t y = 0; y < 6; ++y) {
            for (std::int64_t x = 0; x < 9; ++x) {
                const double expected = dy->pixels.at(x / 3, y / 2, 1) / 6;
                EXPECT_NEAR(dx->pixels.at(x, y, 1), expected, expected * exactness * 2) << x << ' ' << y;
            }
        }
    }
    const auto outcome = iir2d({"pool", in, path("z.tif"), "--op", "avg", "--window", "2", "--backward", in,
                                "--grad-out", path("w.tif")});
    expect_failure(outcome, 3);
    EXPECT_THAT(outcome.err,
                HasSubstr("the upstream gradient is 9 x 6 pixels of 2 channels, the pooled image 4 x 3"));
    EXPECT_FALSE(fs::exists(path("z.tif"))) << "computed before anything is written";
}

TEST_F(Cli, AdaptivePoolingIsARecipesOperationToo) {
    workbench::PoolOperation pool{.op = iir2d::PoolOp::adaptive_max, .output = {20, 30}};
    ASSERT_TRUE(workbench::save_recipe({.name = "r", .operations = {{.what = pool}}}, path("r.json")));
    EXPECT_EQ(iir2d({"pool", sample, path("a.png"), "--op", "adaptive-max", "--output", "20x30"}).code, 0);
    EXPECT_EQ(iir2d({"run", path("r.json"), sample, path("b.png")}).code, 0);
    EXPECT_EQ(*workbench::read_file(path("a.png")), *workbench::read_file(path("b.png")));
    EXPECT_EQ(workbench::read_image(path("a.png"))->pixels.width(), 30);
    // Options of other ops are said to have no effect.
    const auto outcome =
        iir2d({"pool", sample, path("c.png"), "--op", "adaptive-avg", "--output", "5", "--window", "3"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.err, HasSubstr("--window has no effect with --op adaptive-avg"));
}

TEST_F(Cli, InfoAsJsonSaysWhatTheFileIs) {
    const auto info = Json::parse(iir2d({"info", sample, "--json"}).out);
    EXPECT_EQ(info["format"], "png");
    EXPECT_EQ(info["width"], 512);
    EXPECT_EQ(info["type"], "u8");
    EXPECT_EQ(info["statistics"].size(), info["channels"].get<std::size_t>());
    EXPECT_EQ(info["statistics"][0]["nan_count"], 0);
}

TEST_F(Cli, InfoListsFormats) {
    const auto listed = Json::parse(iir2d({"info", "--formats", "--json"}).out);
    EXPECT_THAT(listed["library"].get<std::string>(), HasSubstr("OpenImageIO 2"));
    const auto png = std::ranges::find(listed["formats"], "png", [](const Json& f) { return f["name"]; });
    ASSERT_NE(png, listed["formats"].end());
    EXPECT_EQ((*png)["extensions"], Json::array({"png"}));
    EXPECT_EQ((*png)["reads"], true);
    EXPECT_EQ((*png)["writes"], true);
    EXPECT_THAT(iir2d({"info", "--formats"}).out, HasSubstr("\npng          yes    yes    png\n"));
    expect_failure(iir2d({"info", "--formats", sample}), 2);
    expect_failure(iir2d({"info"}), 2);
}

TEST_F(Cli, CompareChecksTheTolerance) {
    EXPECT_EQ(iir2d({"compare", sample, sample, "--tolerance", "0"}).code, 0);
    ASSERT_EQ(iir2d({"filter", sample, path("o.png"), "--filter", "1"}).code, 0);
    const auto json = Json::parse(iir2d({"compare", sample, path("o.png"), "--json"}).out);
    EXPECT_GT(json["max_abs"].get<double>(), 0.0);
    expect_failure(iir2d({"compare", sample, path("o.png"), "--tolerance", "1e-6"}), 5);
    expect_failure(iir2d({"compare", sample, make_image("small.png", 3, 3, 3)}), 3);
}

}  // namespace
