// SPDX-License-Identifier: MIT
// One file through a recipe: what is refused before work is done, and what reaches the writer.
#include <gmock/gmock.h>

#include <optional>
#include <thread>

#include "core/batch/process.h"
#include "core/image/memory_need.h"
#include "tests/core/image/image_testing.h"
#include "tests/sanitized.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using testing::bytes_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::make_image;
using testing::same_bits;
using testing::ScratchFolder;
using testing::write_bytes;
using enum SampleType;

Recipe recipe_of(FilterOperation filter) {
    return {.operations = {{.what = std::move(filter)}}};
}
Recipe recipe_of(PoolOperation pool) {
    return {.operations = {{.what = pool}}};
}

class Process : public ::testing::Test {
  protected:
    fs::path image(const std::string& name, SampleType type = f32, int channels = 3) const {
        EXPECT_TRUE(write_image(make_image(24, 16, channels, type), folder / name));
        return folder / name;
    }
    static void expect_error(const Result<WriteReport>& report, ErrorKind kind, const std::string& words) {
        ASSERT_FALSE(report);
        EXPECT_EQ(report.error().kind, kind) << report.error().message;
        EXPECT_THAT(report.error().message, HasSubstr(words));
    }

    ScratchFolder folder;
    iir2d::Device cpu = *iir2d::Device::cpu();
};

TEST_F(Process, DoublesAreKeptForWhoeverUsesThem) {
    const auto keeps = [](const Recipe& recipe) { return read_options_for(recipe).keep_double; };
    EXPECT_TRUE(keeps({})) << "a copy";
    EXPECT_FALSE(keeps(recipe_of(FilterOperation{})));
    EXPECT_FALSE(keeps(recipe_of(PoolOperation{})));
    EXPECT_TRUE(keeps(recipe_of(FilterOperation{.precision = iir2d::Precision::f64})));
    Recipe off = recipe_of(FilterOperation{.precision = iir2d::Precision::f64});
    off.operations.push_back({.what = PoolOperation{}});
    off.operations[0].enabled = false;
    EXPECT_FALSE(keeps(off)) << "the operation in f64 is switched off";
    EXPECT_EQ(read_options_for({}, 3).image_index, 3);
}

TEST_F(Process, SaysThatCmykBecameRgb) {
    const fs::path cmyk = fs::path(IIR2D_SOURCE_DIR) / "tests/core/image/files/cmyk.jpg";
    const auto report = process_file(
        {.input = cmyk, .output = folder / "out.png", .recipe = recipe_of(FilterOperation{})}, cpu);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->notes, ElementsAre(HasSubstr("CMYK, which was converted to RGB")));
    const auto plain = process_file(
        {.input = image("in.png", u8), .output = folder / "rgb.png", .recipe = recipe_of(FilterOperation{})},
        cpu);
    ASSERT_TRUE(plain);
    EXPECT_THAT(plain->notes, ElementsAre());
}

TEST_F(Process, ReadsAppliesAndWrites) {
    const auto in = image("in.tif", u16);
    const Recipe recipe = recipe_of(FilterOperation{.filter_id = 2});
    const auto report = process_file({.input = in, .output = folder / "out.tif", .recipe = recipe}, cpu);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->type, u16);
    const auto source = read_image(in);
    ASSERT_TRUE(source);
    const auto expected = apply(recipe, *source, cpu);
    ASSERT_TRUE(expected);
    ASSERT_TRUE(write_image(*expected, folder / "expected.tif"));
    EXPECT_EQ(bytes_of(folder / "out.tif"), bytes_of(folder / "expected.tif"));

    const auto as_float =
        process_file({.input = in, .output = folder / "f.tif", .recipe = recipe, .type = f32}, cpu);
    ASSERT_TRUE(as_float);
    EXPECT_EQ(as_float->type, f32);
    const auto read = read_image(folder / "f.tif");
    ASSERT_TRUE(read);
    EXPECT_TRUE(same_bits(read->pixels, expected->pixels));
}

TEST_F(Process, ARecipeThatDoesNothingCopiesDoubles) {
    const auto in = image("in.tif", f64);
    ASSERT_TRUE(process_file({.input = in, .output = folder / "out.tif", .recipe = {}}, cpu));
    const auto a = read_image(in, {.keep_double = true});
    const auto b = read_image(folder / "out.tif", {.keep_double = true});
    ASSERT_TRUE(a && b);
    EXPECT_EQ(b->pixels.type(), iir2d::ElementType::f64);
    EXPECT_TRUE(same_bits(a->pixels, b->pixels));
}

TEST_F(Process, AWrongRecipeIsSaidBeforeTheFileIsLookedAt) {
    const ProcessJob job{.input = folder / "missing.png",
                         .output = folder / "out.png",
                         .recipe = recipe_of(FilterOperation{.parameters = {{"alpha", 7.0}}})};
    expect_error(process_file(job, cpu), ErrorKind::bad_argument, "alpha");
}

TEST_F(Process, AWrongOutputIsSaidBeforeTheFileIsLookedAt) {
    fs::create_directory(folder / "folder.png");
    for (const char* output : {"out", "out.gif", "no/such/folder/out.png", "folder.png"}) {
        SCOPED_TRACE(output);
        const ProcessJob job{.input = folder / "missing.png",
                             .output = folder / output,
                             .recipe = recipe_of(FilterOperation{})};
        expect_error(process_file(job, cpu), ErrorKind::unwritable_output, output);
    }
}

TEST_F(Process, WhatTheFormatCannotHoldIsSaidBeforeAnythingIsComputed) {
    const auto in = image("in.tif", u8, 4);
    std::vector<std::string> done;
    const TaskControl control{.stop = {},
                              .progress = [&](double, std::string_view what) { done.emplace_back(what); }};
    for (const auto& [output, words] : {std::pair{"out.jpg", "1 or 3 channels"}, {"out.webp", "alpha"}}) {
        SCOPED_TRACE(output);
        done.clear();
        const ProcessJob job{.input = in, .output = folder / output, .recipe = recipe_of(FilterOperation{})};
        expect_error(process_file(job, cpu, control), ErrorKind::unwritable_output, words);
        for (const auto& what : done) EXPECT_THAT(what, HasSubstr("reading"));
    }
    // And what the recipe cannot do with this size.
    const ProcessJob large{
        .input = in, .output = folder / "out.png", .recipe = recipe_of(PoolOperation{.window = {500, 500}})};
    expect_error(process_file(large, cpu), ErrorKind::bad_argument, "operation 1");
    EXPECT_THAT(folder.names(), ElementsAre("in.tif"));
}

TEST_F(Process, TheOldFileStaysWhenTheInputIsBad) {
    write_bytes(folder / "bad.png", "\x89PNG\r\n\x1a\n and no more");
    write_bytes(folder / "out.png", "old");
    const ProcessJob job{
        .input = folder / "bad.png", .output = folder / "out.png", .recipe = recipe_of(FilterOperation{})};
    expect_error(process_file(job, cpu), ErrorKind::bad_input, "bad.png");
    EXPECT_EQ(bytes_of(folder / "out.png"), "old");
}

TEST_F(Process, TheOutputMayBeTheInput) {
    const auto in = image("in.png", u8);
    ASSERT_TRUE(process_file(
        {.input = in, .output = folder / "out.png", .recipe = recipe_of(FilterOperation{})}, cpu));
    ASSERT_TRUE(process_file({.input = in, .output = in, .recipe = recipe_of(FilterOperation{})}, cpu));
    EXPECT_EQ(bytes_of(in), bytes_of(folder / "out.png"));
}

TEST_F(Process, ProgressRisesToOneAndACancelLeavesNothing) {
    const auto in = image("in.tif", f32);
    std::vector<double> fractions;
    const TaskControl watched{
        .stop = {}, .progress = [&](double fraction, std::string_view) { fractions.push_back(fraction); }};
    const ProcessJob job{.input = in, .output = folder / "out.tif", .recipe = recipe_of(FilterOperation{})};
    ASSERT_TRUE(process_file(job, cpu, watched));
    EXPECT_TRUE(std::ranges::is_sorted(fractions));
    ASSERT_FALSE(fractions.empty());
    EXPECT_GE(fractions.front(), 0.0);
    EXPECT_DOUBLE_EQ(fractions.back(), 1.0);
    fs::remove(folder / "out.tif");

    // Stopped at each place where progress is told.
    for (std::size_t at = 0; at + 1 < fractions.size(); ++at) {
        std::stop_source source;
        std::size_t told = 0;
        const TaskControl stopped{.stop = source.get_token(), .progress = [&](double, std::string_view) {
                                      if (told++ == at) source.request_stop();
                                  }};
        const auto report = process_file(job, cpu, stopped);
        if (report) continue;  // past the last place where it looks
        EXPECT_EQ(report.error().kind, ErrorKind::cancelled) << at;
        EXPECT_THAT(folder.names(), ElementsAre("in.tif")) << at;
    }
}

TEST_F(Process, WhatAJobNeedsIsTakenFromTheBudget) {
    struct Need {
        SampleType type;
        Recipe recipe;
        std::uint64_t planes;  // of 24 x 16 x 3 floats, at the peak
    };
    const Recipe f64 = recipe_of(FilterOperation{.precision = iir2d::Precision::f64});
    const Recipe larger = recipe_of(PoolOperation{.op = iir2d::PoolOp::adaptive_avg, .output = {32, 48}});
    for (const Need& need : {Need{u8, recipe_of(FilterOperation{}), 2}, Need{u8, f64, 3}, Need{f32, f64, 3},
                             Need{SampleType::f64, f64, 4}, Need{u8, {}, 2}, Need{u8, larger, 5}}) {
        SCOPED_TRACE(std::string(name_of(need.type)) + " " + to_json(need.recipe));
        const ProcessJob job{
            .input = image("in.tif", need.type), .output = folder / "out.tif", .recipe = need.recipe};
        const std::uint64_t bytes =
            need.planes * 24 * 16 * 3 * 4 + memory_to_write({1, 3, 16, 24}, job.output);
        MemoryBudget too_small(bytes - 1);
        expect_error(process_file(job, cpu, {}, too_small), ErrorKind::unwritable_output,
                     "need 17 MiB of memory; 17 MiB can be used");
        EXPECT_FALSE(fs::exists(job.output));
        MemoryBudget enough(bytes);
        const auto report = process_file(job, cpu, {}, enough);
        EXPECT_TRUE(report) << report.error().message;
        fs::remove(job.output);
    }
    MemoryBudget nothing(100);
    expect_error(process_file({.input = image("in.tif"), .output = folder / "out.tif", .recipe = {}}, cpu, {},
                              nothing),
                 ErrorKind::bad_input,
                 "in.tif\" is 24 x 16 pixels and needs 1 MiB of memory; 1 MiB can be used");
}

// An encoder that holds the whole picture needs room for it, too.
TEST_F(Process, WhatTheEncoderHoldsIsTakenFromTheBudget) {
    constexpr int side = sanitized ? 500 : 2000;
    const Recipe larger = recipe_of(PoolOperation{.op = iir2d::PoolOp::adaptive_avg, .output = {side, side}});
    ProcessJob job{.input = image("in.png", u8), .output = folder / "out.png", .recipe = larger};
    const std::uint64_t encoded = std::uint64_t{2} * side * side * 3;
    MemoryBudget enough_for_png((24 * 16 + side * side) * 3 * 4 +
                                memory_to_write({1, 3, side, side}, "a.png"));
    EXPECT_TRUE(process_file(job, cpu, {}, enough_for_png));
    job.output = folder / "out.webp";
    expect_error(process_file(job, cpu, {}, enough_for_png), ErrorKind::unwritable_output, "can be used");
    EXPECT_FALSE(fs::exists(job.output));
    MemoryBudget enough_for_webp(enough_for_png.bytes() + encoded);
    EXPECT_TRUE(process_file(job, cpu, {}, enough_for_webp));
}

TEST_F(Process, ABudgetThatIsTakenIsWaitedFor) {
    MemoryBudget budget(100);
    std::optional<MemoryBudget::Lease> all = budget.take(100, {});
    ASSERT_TRUE(all);
    std::stop_source source;
    source.request_stop();
    EXPECT_FALSE(budget.take(1, source.get_token())) << "interrupted";
    std::jthread other([&] { EXPECT_TRUE(budget.take(60, {})); });
    all.reset();
    other.join();
    EXPECT_TRUE(budget.take(100, {}));
}

TEST_F(Process, TheSameWorkGivesTheSameBytesAtAnyTime) {
    // The time of day, a process's number or a temporary name must not get into a file.
    const auto in = image("in.png", u8);
    fs::create_directory(folder / "other");
    for (const char* name : {"a.tif", "a.exr", "a.dpx", "a.png", "a.jpg", "a.webp"}) {
        SCOPED_TRACE(name);
        ASSERT_TRUE(process_file({.input = in, .output = folder / name, .recipe = {}}, cpu));
        ASSERT_TRUE(process_file(
            {.input = in, .output = folder / ("other/" + std::string(name)), .recipe = {}}, cpu));
        const std::string bytes = bytes_of(folder / name);
        EXPECT_EQ(bytes, bytes_of(folder / ("other/" + std::string(name))));
        EXPECT_THAT(bytes, ::testing::Not(HasSubstr(".tmp")));
        const auto info = probe_image(folder / name);
        ASSERT_TRUE(info);
        for (const auto& [key, value] : info->metadata) EXPECT_NE(key, "DateTime") << value;
    }
}

}  // namespace
}  // namespace workbench
