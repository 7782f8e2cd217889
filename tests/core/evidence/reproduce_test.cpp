// SPDX-License-Identifier: MIT
#include "core/evidence/reproduce.h"

#include <gmock/gmock.h>

#include "core/image/image_io.h"
#include "tests/core/record/record_testing.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string reproduced_case = "filter:1 border:mirror precision:f32 size:64x48";

class Reproduce : public ::testing::Test {
  protected:
    // Measured here and now, with pooling of two kinds.
    Record measure() {
        BenchmarkMatrix m;
        m.sizes = {{64, 48}};
        m.filter_ids = {1};
        m.precisions = {iir2d::Precision::f32};
        m.pools = {{.op = iir2d::PoolOp::avg, .count_include_pad = true}, {.op = iir2d::PoolOp::max}};
        m.device = "cpu";
        m.threads = 1;
        m.warmup = 0;
        m.iterations = 7;
        m.seed = 5;
        return *measure_record(m, "", "");
    }
    fs::path written(const Record& record) {
        const auto done = write_record(record, directory);
        EXPECT_TRUE(done) << done.error().message;
        return directory;
    }

    testing::TemporaryFolder folder;
    fs::path directory = folder.path() / "r";
    // Timings of so short cases are not what is tested here.
    ReproduceSettings settings{.compare = {.max_regression = 100}, .image = {}, .device = {}};
};

TEST_F(Reproduce, GivesTheSameOutputsAndNamesItsOriginal) {
    const auto path = written(measure());
    const auto r = reproduce(path, settings);
    ASSERT_TRUE(r) << r.error().message;
    EXPECT_THAT(r->changed_outputs, IsEmpty());
    EXPECT_THAT(r->not_reproduced, IsEmpty());
    EXPECT_THAT(r->differences, IsEmpty());
    Reproduction as_fast = *r;
    for (auto& c : as_fast.comparison.cases) {
        c.verdict = Verdict::same;
        c.unresolved = c.regression = false;
    }
    EXPECT_TRUE(as_fast.reproduced());
    EXPECT_EQ(r->comparison.cases.size(), 3U);
    EXPECT_EQ(r->record->reproduces, verify_record(path)->record_id);
    ASSERT_TRUE(write_record(*r->record, folder.path() / "new"));
    EXPECT_EQ(testing::problems_of(folder.path() / "new"), "");
    EXPECT_EQ(load_record(folder.path() / "new")->reproduces, r->original_id);
    EXPECT_THAT(reproduction_to_text(*r), HasSubstr("3 of 3 cases the same bit for bit"));
}

TEST_F(Reproduce, FindsAnOutputThatIsNotTheSame) {
    Record record = measure();
    record.run.results[0].output_sha256 = std::string(64, 'a');
    const auto r = reproduce(written(record), settings);
    ASSERT_TRUE(r) << r.error().message;
    EXPECT_THAT(r->changed_outputs, ElementsAre(reproduced_case));
    EXPECT_FALSE(r->reproduced());
    EXPECT_THAT(reproduction_to_text(*r), HasSubstr("NOT REPRODUCED"));
    EXPECT_THAT(reproduction_to_text(*r), HasSubstr("changed  " + reproduced_case));
}

TEST_F(Reproduce, SaysWhatOfBuildAndMachineDiffers) {
    Record record = measure();
    record.environment.library_sha256 = std::string(64, 'a');
    record.environment.cpu_model = std::string("Another Processor");
    const auto r = reproduce(written(record), settings);
    ASSERT_TRUE(r) << r.error().message;
    EXPECT_THAT(r->differences, ElementsAre(HasSubstr("library: the record's aaaa"),
                                            HasSubstr("processor: the record's Another")));
    EXPECT_TRUE(r->comparison.settings.allow_unlike) << "compared all the same, and said";
    EXPECT_THAT(reproduction_to_text(*r), HasSubstr("unlike, so no change of the program alone"));
}

TEST_F(Reproduce, RefusesOtherInputs) {
    Image image;
    image.pixels = PlanarImage(16, 16, 1, iir2d::ElementType::f32);
    image.info.width = image.info.height = 16;
    image.info.channels = 1;
    image.info.type = SampleType::f32;
    const auto file = folder.path() / "in.tif";
    ASSERT_TRUE(write_image(image, file));
    BenchmarkMatrix m;
    m.filter_ids = {1};
    m.precisions = {iir2d::Precision::f32};
    m.image = std::make_shared<const Image>(*read_image(file, {.keep_double = true}));
    m.device = "cpu";
    m.warmup = 0;
    m.iterations = 2;
    const auto path = written(*measure_record(m, file.string(), ""));
    EXPECT_TRUE(reproduce(path, settings)->changed_outputs.empty());
    image.pixels.plane_f32(0)[3] = 0.5F;
    ASSERT_TRUE(write_image(image, file));
    EXPECT_THAT(reproduce(path, settings).error().message, HasSubstr("does not have the pixels"));
    fs::remove(file);
    EXPECT_THAT(reproduce(path, settings).error().message, HasSubstr("--image says where it is now"));
}

TEST(ReproductionSeconds, AreThoseOfTheRunsAndCopiesAnd30PercentMore) {
    Record record;
    record.run.results.resize(2);
    record.run.results[0].samples = {{.latency_ms = 500}, {.latency_ms = 300}};
    record.run.results[1].copy_samples = {{.latency_ms = 100}};  // counts twice
    EXPECT_DOUBLE_EQ(reproduction_seconds(record), 1.3);
    EXPECT_EQ(reproduction_seconds({}), 0);
}

TEST_F(Reproduce, RefusesARecordThatIsNotAccepted) {
    const auto path = written(measure());
    testing::write_text(path / "record.md", "other");
    EXPECT_EQ(reproduce(path, settings).error().kind, ErrorKind::check_failed);
    EXPECT_EQ(reproduce(folder.path() / "none", settings).error().kind, ErrorKind::bad_input);
}

}  // namespace
}  // namespace workbench
