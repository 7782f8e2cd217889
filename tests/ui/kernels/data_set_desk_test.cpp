// SPDX-License-Identifier: MIT
// Data sets and their records, without a page: no QApplication is there, so that any widget would end the
// test.
#include <gmock/gmock.h>

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <utility>

#include "tests/ui/kernels/desk_testing.h"
#include "tests/ui/kernels/planted.h"
#include "tests/ui/patience.h"
#include "ui/kernels/data_set_desk.h"
#include "ui/kernels/shown_kernel.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DataSetDeskTest : public ::testing::Test {
  protected:
    void wait() {
        ASSERT_TRUE(QTest::qWaitFor(
            [&] { return !desk.isMaking() && !desk.isOpening() && (desk.record() || failed.count() > 0); },
            3 * patience_ms));
    }
    void read() {
        ASSERT_TRUE(QTest::qWaitFor([&] { return shown.kernel() && !shown.isReading(); }, patience_ms));
    }
    void openGolden() {
        desk.open(QStringLiteral(IIR2D_SOURCE_DIR "/tests/app/golden_set"));
        wait();
        ASSERT_NE(desk.dataSet(), nullptr);
    }

    QTemporaryDir folder;
    ShownKernelModel shown;
    DataSetDesk desk{shown};
    QSignalSpy failed{&desk, &DataSetDesk::failed};
    QSignalSpy said{&desk, &DataSetDesk::said};
};

TEST_F(DataSetDeskTest, OpensOneAndShowsARecordForwardAndBackward) {
    desk.setShown(true);
    openGolden();
    const inspect::DataSetView& set = *desk.dataSet();
    EXPECT_TRUE(set.is_complete);
    EXPECT_EQ(set.rows.size(), 28U);
    ASSERT_EQ(set.categories.size(), 14U);
    for (const auto& [category, splits] : set.categories) {
        std::uint64_t of_category = 0;
        for (const auto& [split, count] : splits) of_category += count;
        EXPECT_EQ(of_category, 2U) << category;
    }
    ASSERT_FALSE(set.growth.empty());
    EXPECT_EQ(set.growth.back(), std::pair(std::uint64_t{28}, set.skeletons));
    const inspect::TextSizes& sizes = set.sizes.at("ptx-nvrtc:sm_90");
    EXPECT_GE(sizes.texts, 28U);
    EXPECT_LE(sizes.least, sizes.median);
    EXPECT_LE(sizes.median, sizes.p95);
    EXPECT_LE(sizes.p95, sizes.largest);
    ASSERT_TRUE(testing::chooseRecordWithBackward(desk));
    const inspect::RecordRow row = desk.record()->row;
    read();
    ASSERT_NE(shown.kernel(), nullptr);
    ASSERT_EQ(desk.targets().size(), 3);
    EXPECT_EQ(desk.target().toStdString(), "ptx-nvrtc:sm_90");
    ASSERT_TRUE(shown.kernel()->module) << shown.kernel()->note.toStdString();
    EXPECT_EQ(shown.kernel()->source, desk.record()->source);
    desk.setBackward(true);
    read();
    EXPECT_EQ(shown.kernel()->kernel, row.name + "_backward");
    EXPECT_EQ(shown.kernel()->source, desk.record()->backward_source);
    ASSERT_TRUE(shown.kernel()->facts) << shown.kernel()->note.toStdString();
    desk.setTarget(QStringLiteral("llvm-host-o0"));
    read();
    EXPECT_THAT(shown.kernel()->text, HasSubstr("define "));
    EXPECT_FALSE(shown.kernel()->module) << "that is no PTX";
    EXPECT_THAT(shown.kernel()->source, Not(HasSubstr("__global__"))) << "the host's source";
    EXPECT_THAT(desk.commandLine().toStdString(),
                HasSubstr("--id " + row.id + " --target llvm-host-o0 --backward"));
}

TEST_F(DataSetDeskTest, ShowsTwoTargetsAsADifference) {
    desk.setShown(true);
    openGolden();
    read();
    ASSERT_FALSE(shown.kernel()->runs.empty()) << "inputs of the record";
    desk.setTarget(QStringLiteral("llvm-host-o0"));
    desk.setOtherTarget(QStringLiteral("llvm-host-o2"));
    read();
    const ShownKernel& kernel = *shown.kernel();
    EXPECT_THAT(kernel.text, HasSubstr("--- llvm-host-o0\n+++ llvm-host-o2\n@@ -"));
    EXPECT_FALSE(kernel.module);
    EXPECT_TRUE(std::ranges::any_of(kernel.instructions, [](const ShownKernel::Instructions& one) {
        return one.name == "alloca" && one.here > 0 && one.there == 0;
    })) << "optimised, there is none";
    EXPECT_THAT(desk.commandLine().toStdString(), HasSubstr("synth diff "));
    EXPECT_THAT(desk.commandLine().toStdString(), HasSubstr("--between llvm-host-o0,llvm-host-o2"));
    desk.setOtherTarget({});
    read();
    EXPECT_THAT(shown.kernel()->text, HasSubstr("define "));
    ASSERT_TRUE(testing::chooseRecordWithBackward(desk));
    desk.setOtherTarget(QStringLiteral("llvm-host-o2"));
    desk.setBackward(true);
    EXPECT_EQ(desk.otherTarget().toStdString(), "llvm-host-o2");
    EXPECT_EQ(desk.commandLine().toStdString(), "") << "synth diff compares forward texts";
    desk.setOtherTarget({});
    EXPECT_THAT(desk.commandLine().toStdString(), HasSubstr(" --backward"));
}

TEST_F(DataSetDeskTest, RunsAMismatchAgain) {
    desk.setShown(true);
    std::string kernel;
    const QString path = folder.filePath(QStringLiteral("faulty"));
    const auto made = testing::makeFaultySet(path.toStdString(), "ptx-nvrtc:sm_90", kernel);
    if (!made) GTEST_SKIP() << made.error().message;
    desk.open(path);
    wait();
    ASSERT_EQ(desk.dataSet()->mismatches.size(), 1U);
    desk.lookInto(desk.dataSet()->mismatches[0].index);
    EXPECT_TRUE(desk.isLooking());
    ASSERT_TRUE(QTest::qWaitFor([&] { return desk.mismatch() != nullptr; }, 2 * patience_ms));
    read();
    ASSERT_TRUE(shown.kernel()->mismatch);
    EXPECT_EQ(shown.kernel()->kernel, kernel);
    EXPECT_GT(shown.kernel()->mismatch->total, 0U);
    EXPECT_TRUE(shown.kernel()->module) << "it can be run";
    // A choice among what the record has brings the record back.
    desk.setTarget(desk.target());
    EXPECT_EQ(desk.mismatch(), nullptr);
    read();
    EXPECT_FALSE(shown.kernel()->mismatch);
    EXPECT_EQ(shown.kernel()->source, desk.record()->source);
    desk.lookInto(desk.dataSet()->mismatches[0].index);
    ASSERT_TRUE(QTest::qWaitFor([&] { return desk.mismatch() != nullptr; }, 2 * patience_ms));
    read();
    ASSERT_TRUE(shown.kernel()->mismatch);
    desk.chooseRecord(toText(desk.dataSet()->rows.front().id));
    ASSERT_TRUE(QTest::qWaitFor([&] { return desk.mismatch() == nullptr; }, patience_ms));
    read();
    EXPECT_FALSE(shown.kernel()->mismatch);
}

TEST_F(DataSetDeskTest, TellsThatAnotherDataSetEndsALook) {
    openGolden();
    bool lookedAtLast = false;
    bool begun = false;
    QObject::connect(&desk, &DataSetDesk::workChanged, &desk, [&] {
        // When the other data set is read, before it is taken.
        if (!desk.isOpening() && !std::exchange(begun, true)) desk.lookInto(1000);
        lookedAtLast = desk.isLooking();
    });
    desk.open(QStringLiteral(IIR2D_SOURCE_DIR "/tests/app/golden_set"));
    QSignalSpy changed(&desk, &DataSetDesk::dataSetChanged);
    ASSERT_TRUE(QTest::qWaitFor([&] { return changed.count() == 1; }, patience_ms));
    EXPECT_TRUE(begun);
    EXPECT_FALSE(desk.isLooking());
    EXPECT_FALSE(lookedAtLast) << "else it is shown to go on";
}

TEST_F(DataSetDeskTest, MakingOneEndsAnOpening) {
    desk.open(QStringLiteral(IIR2D_SOURCE_DIR "/tests/app/golden_set"));
    desk.make({.folder = folder.path(), .levels = {QStringLiteral("V9")}});
    EXPECT_TRUE(desk.isMaking());
    EXPECT_FALSE(desk.isOpening()) << "it would be shown while another is made";
    desk.cancel();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !desk.isMaking(); }, 3 * patience_ms));
    EXPECT_EQ(desk.dataSet(), nullptr);
}

TEST_F(DataSetDeskTest, SaysWhatIsNoDataSet) {
    desk.open(folder.path());
    wait();
    ASSERT_EQ(failed.count(), 1);
    EXPECT_EQ(desk.dataSet(), nullptr);
}

TEST_F(DataSetDeskTest, MakesOneAndCancelsAnother) {
    DataSetRequest request{.folder = folder.filePath(QStringLiteral("set")), .count = 14, .backward = true};
    QString progress, stale;
    QObject::connect(&desk, &DataSetDesk::workChanged, &desk, [&] {
        if (!desk.progress().isEmpty()) progress = desk.progress();
        if (!desk.isMaking() && !desk.isOpening()) stale += desk.progress();
    });
    desk.make(request);
    EXPECT_TRUE(desk.isMaking());
    wait();
    if (failed.count() > 0) {
        const std::string why = failed.front().front().toString().toStdString();
        ASSERT_THAT(why, HasSubstr("compiler"));
        GTEST_SKIP() << why;
    }
    ASSERT_TRUE(desk.dataSet());
    EXPECT_TRUE(desk.dataSet()->is_complete);
    EXPECT_EQ(desk.dataSet()->rows.size(), 14U);
    EXPECT_EQ(said.count(), 1);
    EXPECT_THAT(progress.toStdString(), HasSubstr(" kernels, ")) << "live, while it was made";
    EXPECT_EQ(stale.toStdString(), "") << "what runs next would begin with it";
    desk.make(request);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !desk.isMaking() && failed.count() == 1; }, patience_ms))
        << "there is something in the folder";
    request.folder = folder.filePath(QStringLiteral("long"));
    request.count = 100000;
    desk.make(request);
    EXPECT_TRUE(desk.isMaking());
    desk.cancel();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !desk.isMaking(); }, 3 * patience_ms));
    ASSERT_TRUE(QTest::qWaitFor([&] { return said.count() == 2; }, patience_ms));
    EXPECT_THAT(said.back().front().toString().toStdString(), HasSubstr("Cancelled"));
}

}  // namespace
}  // namespace workbench
