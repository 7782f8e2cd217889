// SPDX-License-Identifier: MIT
// Many files, the manifest, and resuming.
#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/batch/process.h"
#include "core/support/files.h"
#include "tests/core/image/image_testing.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using testing::bytes_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::make_image;
using testing::ScratchFolder;
using ::testing::SizeIs;
using testing::write_bytes;
using Outcome = BatchItem::Outcome;

class Batch : public ::testing::Test {
  protected:
    void SetUp() override {
        for (int i = 0; i < 5; ++i) {
            const auto path = folder / ("in" + std::to_string(i) + ".png");
            ASSERT_TRUE(write_image(make_image(20 + i, 10, 3, SampleType::u8), path));
            options.inputs.push_back(path);
        }
        options.output_directory = folder / "out";
        options.recipe = {.operations = {{.what = FilterOperation{.filter_id = 3}}}};
    }

    std::vector<Outcome> outcomes() const {
        const auto report = run_batch(options, cpu);
        EXPECT_TRUE(report) << report.error().message;
        std::vector<Outcome> all;
        if (report) {
            for (const auto& item : report->items) all.push_back(item.outcome);
        }
        return all;
    }
    std::vector<std::string> listing() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder / "out"))
            names.push_back(entry.path().filename().string());
        std::ranges::sort(names);
        return names;
    }
    void expect_bad(ErrorKind kind, const std::string& words) const {
        const auto report = run_batch(options, cpu);
        ASSERT_FALSE(report);
        EXPECT_EQ(report.error().kind, kind);
        EXPECT_THAT(report.error().message, HasSubstr(words));
    }

    ScratchFolder folder;
    BatchOptions options;
    iir2d::Device cpu = *iir2d::Device::cpu();
};

constexpr Outcome done = Outcome::done;
constexpr Outcome skipped = Outcome::skipped;
constexpr Outcome failed = Outcome::failed;

TEST_F(Batch, WritesEachUnderItsNameAndTheManifest) {
    std::vector<std::string> told;
    const auto report = run_batch(
        options, cpu, {}, [&](const BatchItem& item) { told.push_back(item.input.filename().string()); });
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_FALSE(report->cancelled);
    EXPECT_THAT(report->items, SizeIs(5));
    EXPECT_THAT(told, ElementsAre("in0.png", "in1.png", "in2.png", "in3.png", "in4.png"));
    EXPECT_THAT(listing(), ElementsAre(".iir2d-batch.json", ".iir2d-batch.lock", "in0.png", "in1.png",
                                       "in2.png", "in3.png", "in4.png"));
    ASSERT_TRUE(process_file(
        {.input = options.inputs[2], .output = folder / "alone.png", .recipe = options.recipe}, cpu));
    EXPECT_EQ(bytes_of(folder / "out/in2.png"), bytes_of(folder / "alone.png"));
    const auto manifest = nlohmann::json::parse(bytes_of(folder / "out/.iir2d-batch.json"));
    EXPECT_EQ(manifest["files"].size(), 5u);
    EXPECT_EQ(manifest["files"]["in2.png"]["output_sha256"], *sha256_of_file(folder / "out/in2.png"));
    EXPECT_EQ(manifest["files"]["in2.png"]["input_sha256"], *sha256_of_file(options.inputs[2]));
}

TEST_F(Batch, SeveralAtOnceGiveTheSameBytes) {
    ASSERT_TRUE(run_batch(options, cpu));
    BatchOptions many = options;
    many.output_directory = folder / "many";
    many.jobs = 64;  // more than there are files
    const auto report = run_batch(many, cpu);
    ASSERT_TRUE(report);
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(report->items[i].input, many.inputs[i]) << "in the order of the inputs";
        const auto name = many.inputs[i].filename();
        EXPECT_EQ(bytes_of(folder / "out" / name), bytes_of(folder / "many" / name));
    }
}

TEST_F(Batch, ResumingDoesOnlyWhatIsNotAsItWas) {
    EXPECT_THAT(outcomes(), ElementsAre(done, done, done, done, done));
    options.resume = true;
    EXPECT_THAT(outcomes(), ElementsAre(skipped, skipped, skipped, skipped, skipped));
    fs::remove(folder / "out/in0.png");
    write_bytes(folder / "out/in1.png", "somebody else's");
    ASSERT_TRUE(write_image(make_image(9, 9, 1, SampleType::u8), options.inputs[2]));
    EXPECT_THAT(outcomes(), ElementsAre(done, done, done, skipped, skipped));
    EXPECT_THAT(outcomes(), ElementsAre(skipped, skipped, skipped, skipped, skipped));
    options.type = SampleType::u16;
    EXPECT_THAT(outcomes(), ElementsAre(done, done, done, done, done));
    options.recipe.keep_alpha = true;
    EXPECT_THAT(outcomes(), ElementsAre(done, done, done, done, done));
    options.resume = false;
    EXPECT_THAT(outcomes(), ElementsAre(done, done, done, done, done)) << "not asked to resume";
}

TEST_F(Batch, AManifestThatMakesNoSenseMeansDoingAllAgain) {
    options.resume = true;
    for (const char* manifest :
         {"", "{", "[]", "{\"schema_version\": 2, \"files\": {}}", "{\"schema_version\": \"x\"}",
          "{\"schema_version\": 1, \"files\": []}", "{\"schema_version\": 1, \"files\": {\"in0.png\": 3}}",
          "{\"schema_version\": 1, \"files\": {\"in0.png\": {\"work_sha256\": 1}}}"}) {
        SCOPED_TRACE(manifest);
        fs::create_directories(folder / "out");
        write_bytes(folder / "out/.iir2d-batch.json", manifest);
        EXPECT_THAT(outcomes(), ElementsAre(done, done, done, done, done));
    }
}

TEST_F(Batch, ADamagedManifestIsSetAside) {
    ASSERT_TRUE(run_batch(options, cpu));
    write_bytes(folder / "out/.iir2d-batch.json", "{\"schema_version\": 2}");
    const auto report = run_batch(options, cpu);
    ASSERT_TRUE(report);
    EXPECT_EQ(bytes_of(folder / "out/.iir2d-batch.json.damaged"), "{\"schema_version\": 2}");
    const auto manifest = nlohmann::json::parse(bytes_of(folder / "out/.iir2d-batch.json"));
    EXPECT_EQ(manifest["files"].size(), options.inputs.size());
}

// It may hold the entries of other batches: it is not written over.
TEST_F(Batch, AManifestThatCannotBeReadStaysAsItIs) {
    ASSERT_TRUE(run_batch(options, cpu));
    const auto path = folder / "out/.iir2d-batch.json";
    constexpr std::uintmax_t too_large = std::uintmax_t{65} << 20;
    fs::resize_file(path, too_large);
    const auto report = run_batch(options, cpu);
    ASSERT_TRUE(report) << report.error().message;
    for (const BatchItem& item : report->items) {
        EXPECT_EQ(item.outcome, BatchItem::Outcome::done);
        ASSERT_EQ(item.notes.size(), 1U);
        EXPECT_THAT(item.notes[0], HasSubstr("--resume will not know of this file"));
        EXPECT_THAT(item.notes[0], HasSubstr("it is larger than"));
    }
    EXPECT_EQ(fs::file_size(path), too_large);
}

TEST_F(Batch, OneFailureDoesNotStopTheOthers) {
    EXPECT_THAT(outcomes(), ElementsAre(done, done, done, done, done));
    write_bytes(options.inputs[1], "no image");
    fs::remove(options.inputs[3]);
    options.resume = true;
    EXPECT_THAT(outcomes(), ElementsAre(skipped, failed, skipped, failed, skipped));
    const auto manifest = nlohmann::json::parse(bytes_of(folder / "out/.iir2d-batch.json"));
    EXPECT_TRUE(manifest["files"].contains("in0.png"));
    const auto report = run_batch(options, cpu);
    ASSERT_TRUE(report);
    ASSERT_TRUE(report->items[1].error && report->items[3].error);
    EXPECT_EQ(report->items[1].error->kind, ErrorKind::bad_input);
    EXPECT_THAT(report->items[3].error->message, HasSubstr("in3.png"));
}

TEST_F(Batch, ACancelKeepsWhatIsDoneAndResumeGoesOn) {
    std::stop_source source;
    int told = 0;
    const auto report =
        run_batch(options, cpu, {.stop = source.get_token(), .progress = {}}, [&](const BatchItem&) {
            if (++told == 2) source.request_stop();
        });
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->cancelled);
    EXPECT_THAT(report->items, SizeIs(2));
    EXPECT_THAT(listing(), ElementsAre(".iir2d-batch.json", ".iir2d-batch.lock", "in0.png", "in1.png"));
    options.resume = true;
    EXPECT_THAT(outcomes(), ElementsAre(skipped, skipped, done, done, done));
}

TEST_F(Batch, ResumingRemovesWhatAKilledRunLeft) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    ASSERT_GT(child, 0);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);  // its number is now nobody's
    fs::create_directories(folder / "out");
    const std::string gone = "out/.iir2d-" + std::to_string(child) + "-7.tmp";
    const std::string alive = "out/.iir2d-" + std::to_string(getppid()) + "-7.tmp";
    for (const std::string& name : {gone, alive, std::string("out/.iir2d-x-1.tmp"),
                                    std::string("out/.iir2d-99.tmp"), std::string("out/mine.tmp")}) {
        write_bytes(folder / name, "half");
    }
    EXPECT_THAT(outcomes(), SizeIs(5));
    EXPECT_TRUE(fs::exists(folder / gone)) << "not asked to resume";
    options.resume = true;
    EXPECT_THAT(outcomes(), SizeIs(5));
    EXPECT_FALSE(fs::exists(folder / gone));
    for (const std::string& name : {alive, std::string("out/.iir2d-x-1.tmp"),
                                    std::string("out/.iir2d-99.tmp"), std::string("out/mine.tmp")}) {
        EXPECT_TRUE(fs::exists(folder / name)) << name;
    }
}

TEST_F(Batch, BatchesIntoOneFolderKeepEachOthersEntries) {
    BatchOptions other = options;
    other.inputs = {options.inputs[3], options.inputs[4]};
    options.inputs.resize(3);
    ASSERT_TRUE(run_batch(options, cpu));
    ASSERT_TRUE(run_batch(other, cpu));
    options.resume = other.resume = true;
    const auto all_skipped = [this](const BatchOptions& what) {
        const auto report = run_batch(what, cpu);
        return report && std::ranges::all_of(report->items, [](const BatchItem& item) {
                   return item.outcome == Outcome::skipped;
               });
    };
    EXPECT_TRUE(all_skipped(options));
    EXPECT_TRUE(all_skipped(other));
}

TEST_F(Batch, NamesThatAreNotUtf8AreRecognised) {
    options.inputs.clear();
    for (const char* name : {"\xff.png", "\xfe.png", "%FF.png", "\xC3\xA9.png"}) {
        options.inputs.emplace_back(folder / name);
        ASSERT_TRUE(write_image(make_image(9, 9, 1, SampleType::u8), options.inputs.back()));
    }
    EXPECT_THAT(outcomes(), ElementsAre(done, done, done, done));
    options.resume = true;
    EXPECT_THAT(outcomes(), ElementsAre(skipped, skipped, skipped, skipped));
    const auto manifest = nlohmann::json::parse(bytes_of(folder / "out/.iir2d-batch.json"));
    for (const char* key : {"/%FF.png", "/%FE.png", "%FF.png", "\xC3\xA9.png"})
        EXPECT_TRUE(manifest["files"].contains(key)) << key;
}

TEST_F(Batch, AnItemWithoutMemoryFailsAlone) {
    ASSERT_TRUE(write_image(make_image(2000, 1000, 3, SampleType::u8), folder / "large.png"));
    options.inputs.insert(options.inputs.begin(), folder / "large.png");
    options.jobs = 4;
    // Three quarters are used: 21 MiB are less than the large image, and enough for one of the others at a
    // time.
    ASSERT_EQ(setenv("IIR2D_MEMORY_LIMIT", "29360128", 1), 0);
    const auto report = run_batch(options, cpu);
    ASSERT_EQ(unsetenv("IIR2D_MEMORY_LIMIT"), 0);
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_THAT(report->items, SizeIs(6));
    ASSERT_TRUE(report->items[0].error);
    EXPECT_THAT(report->items[0].error->message, HasSubstr("MiB can be used"));
    for (std::size_t i = 1; i < 6; ++i) EXPECT_FALSE(report->items[i].error) << i;
}

TEST_F(Batch, WhatCannotBeIsSaidBeforeAnythingIsWritten) {
    const BatchOptions good = options;
    options.inputs.clear();
    expect_bad(ErrorKind::bad_argument, "no input");
    options = good;
    options.inputs.push_back(folder / "elsewhere" / "in1.png");
    expect_bad(ErrorKind::bad_argument, "would both be written");
    options = good;
    options.inputs.emplace_back(folder.path() / "");
    expect_bad(ErrorKind::bad_argument, "not the name of a file");
    options = good;
    options.output_directory = folder.path();
    expect_bad(ErrorKind::bad_argument, "overwritten");
    options = good;
    options.jobs = 0;
    expect_bad(ErrorKind::bad_argument, "jobs");
    EXPECT_FALSE(fs::exists(folder / "out"));
    options = good;
    options.output_directory = folder / "in0.png" / "out";
    expect_bad(ErrorKind::unwritable_output, "could not be made");
}

TEST_F(Batch, ProgressCountsFiles) {
    std::vector<double> fractions;
    const TaskControl control{
        .stop = {}, .progress = [&](double fraction, std::string_view) { fractions.push_back(fraction); }};
    ASSERT_TRUE(run_batch(options, cpu, control));
    EXPECT_THAT(fractions, ElementsAre(0.2, 0.4, 0.6, 0.8, 1.0));
}

}  // namespace
}  // namespace workbench
