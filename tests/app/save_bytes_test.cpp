// SPDX-License-Identifier: MIT
// The window's Save, the command line with the same recipe, and the command line that the window offers to
// copy: the same bytes.
#include <gmock/gmock.h>

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>

#include "core/image/image_io.h"
#include "core/recipe/recipe.h"
#include "core/support/files.h"
#include "tests/app/run_program.h"
#include "ui/picture/save_job.h"
#include "ui/session/session.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using enum SampleType;

Operation filter(FilterOperation what) {
    return {.what = std::move(what)};
}

Recipe one_filter() {
    return {.operations = {filter({.filter_id = 4,
                                   .parameters = {{"a1", -0.3}, {"b0", 0.7}},
                                   .border = iir2d::Border::constant,
                                   .border_const = -0.1,
                                   .normalise_gain = true})}};
}
Recipe one_in_f64() {
    return {.operations = {filter({.filter_id = 6,
                                   .parameters = {{"sigma", 2.2999999999999998}},
                                   .precision = iir2d::Precision::f64,
                                   .start = iir2d::Start::steady})}};
}
Recipe one_pool() {
    return {.operations = {{.what = PoolOperation{.op = iir2d::PoolOp::lp,
                                                  .window = {3, 2},
                                                  .stride = iir2d::Extent{2, 3},
                                                  .ceil_mode = true,
                                                  .p = 1.7}}}};
}
Recipe many() {
    Recipe recipe{.name = "Many", .keep_alpha = true, .operations = {}};
    recipe.operations.push_back(filter({.filter_id = 1, .precision = iir2d::Precision::mixed}));
    recipe.operations.push_back({.enabled = false, .what = PoolOperation{}});
    recipe.operations.push_back(filter({.filter_id = 7}));
    recipe.operations.push_back({.what = PoolOperation{.op = iir2d::PoolOp::avg}});
    return recipe;
}

struct Case {
    const char* name;
    const char* input;  // a sample that ships, or a file that is made
    SampleType type;
    int channels;
    const char* output;
    Recipe recipe;
};

void PrintTo(const Case& one, std::ostream* stream) {
    *stream << one.name;
}

class SaveBytes : public ::testing::TestWithParam<Case> {
  protected:
    fs::path path(const std::string& name) const { return fs::path(folder.path().toStdString()) / name; }

    fs::path input() const {
        const Case& one = GetParam();
        const fs::path sample = fs::path(IIR2D_SOURCE_DIR) / "resources" / "samples" / one.input;
        if (fs::exists(sample)) return sample;
        Image image;
        image.pixels = PlanarImage(47, 31, one.channels, iir2d::ElementType::f64);
        for (int c = 0; c < one.channels; ++c) {
            auto plane = image.pixels.plane_f64(c);
            for (std::size_t i = 0; i < plane.size(); ++i)
                plane[i] =
                    static_cast<double>((i * 7919 + static_cast<std::size_t>(c) * 104729) % 1009) / 997.3;
        }
        image.info.type = one.type;
        const auto made = write_image(image, path(one.input));
        EXPECT_TRUE(made) << made.error().message;
        return path(one.input);
    }

    QTemporaryDir folder;
};

TEST_P(SaveBytes, WindowAndCommandLineGiveTheSame) {
    const Case& one = GetParam();
    for (const char* sub : {"window", "run", "copied"}) fs::create_directory(path(sub));
    const fs::path in = input();
    const fs::path by_window = path("window") / one.output;
    const fs::path by_run = path("run") / one.output;
    const fs::path by_copied = path("copied") / one.output;

    Session session;
    session.openImage(QString::fromStdString(in.string()));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !session.isOpening(); }, 20000));
    ASSERT_NE(session.image(), nullptr);
    session.changeRecipe(QStringLiteral("change"), one.recipe);
    SaveJob job(session);
    QSignalSpy saved(&job, &SaveJob::saved);
    QSignalSpy failed(&job, &SaveJob::failed);
    job.start(QString::fromStdString(by_window.string()));
    ASSERT_TRUE(QTest::qWaitFor([&] { return saved.count() + failed.count() > 0; }, 30000));
    ASSERT_EQ(saved.count(), 1) << failed.at(0).at(1).toString().toStdString();
    const auto expected = read_file(by_window);
    ASSERT_TRUE(expected);
    ASSERT_FALSE(expected->empty());

    const fs::path recipe = path("my recipe's.json");  // a name that has to be quoted
    ASSERT_TRUE(save_recipe(one.recipe, recipe));
    const auto run = app_test::run_program(IIR2D_CLI, {"run", recipe.string(), in.string(), by_run.string()});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_TRUE(*expected == read_file(by_run).value_or("nothing")) << "iir2d run";

    const std::string line =
        command_line(one.recipe, in.string(), by_copied.string(), recipe.string(), "auto");
    SCOPED_TRACE(line);
    const std::string program_folder = fs::path(IIR2D_CLI).parent_path().string();
    const auto copied =
        app_test::run_program("/bin/sh", {"-c", "PATH='" + program_folder + "':$PATH\n" + line});
    EXPECT_EQ(copied.code, 0) << copied.err;
    EXPECT_TRUE(*expected == read_file(by_copied).value_or("nothing")) << "the copied command";
}

INSTANTIATE_TEST_SUITE_P(
    Formats, SaveBytes,
    ::testing::Values(Case{"Png8", "astronaut.png", u8, 3, "out.png", one_filter()},
                      Case{"Png8Alpha", "alpha.png", u8, 4, "out.png", many()},
                      Case{"Png16", "chelsea-gray16.png", u16, 1, "out.png", one_pool()},
                      Case{"TiffFloat", "float.tif", f32, 5, "out.tif", many()},
                      Case{"TiffDouble", "double.tif", f64, 2, "out.tif", one_in_f64()},
                      Case{"TiffDoubleInFloat", "double.tif", f64, 2, "out.tif", one_filter()},
                      Case{"TiffDoubleCopied", "double.tif", f64, 2, "out.tif", Recipe{}},
                      Case{"ExrFloat", "rocket-light.exr", f32, 3, "out.exr", one_in_f64()},
                      Case{"ExrHalf", "half.exr", f16, 4, "out.exr", many()},
                      Case{"Jpeg", "rocket.jpg", u8, 3, "out.jpg", many()},
                      Case{"FloatToPng", "rocket-light.exr", f32, 3, "out.png", one_pool()}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(SavePages, ThePageThatIsOpenIsNamedInTheCommandLine) {
    EXPECT_EQ(command_line(one_pool(), "in.tif", "out.tif", "r.json", "cpu", 2),
              "iir2d pool in.tif out.tif --op lp --window 3x2 --stride 2x3 --ceil-mode --p 1.7 "
              "--page 3 --device cpu");
}

}  // namespace
}  // namespace workbench
