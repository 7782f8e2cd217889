// SPDX-License-Identifier: MIT
// Recording what is seen: the open recipe on the open image, as a record that others can check.
#include <gmock/gmock.h>

#include <QAction>
#include <QPushButton>
#include <QTest>
#include <nlohmann/json.hpp>

#include "core/image/image_io.h"
#include "core/record/record.h"
#include "core/support/files.h"
#include "tests/ui/patience.h"
#include "tests/ui/picture/view_testing.h"
#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/export_menu.h"
#include "ui/benchmark/record_desk.h"
#include "ui/benchmark/results_model.h"
#include "ui/benchmark/results_page.h"
#include "ui/picture/image_page.h"
#include "ui/session/session.h"
#include "ui/tuning/tuning_page.h"
#include "ui/widgets/message_bar.h"
#include "ui/window/main_window.h"
#include "ui/window/picture_recorder.h"
#include "ui/window/record_job.h"

namespace workbench {
namespace {

using testing::gradient;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::text;
using testing::written;

class RecordTest : public ::testing::Test {
  protected:
    void SetUp() override {
        session.setDeviceSpec(QStringLiteral("cpu"));
        window.setInteractive(false);
        window.show();
        ASSERT_TRUE(QTest::qWaitFor([&] { return !session.isChoosingDevice(); }, patience_ms));
    }
    void open(const std::filesystem::path& path) {
        window.openPath(text(path));
        ASSERT_TRUE(QTest::qWaitFor([&] { return !session.isOpening(); }, patience_ms));
        ASSERT_NE(session.image(), nullptr);
    }
    static Recipe deriche() {
        return {.operations = {{.what = FilterOperation{.filter_id = 6, .parameters = {{"sigma", 3.0}}}}}};
    }
    QAction* action() {
        for (const auto& [group, actions] : window.actionsByMenu()) {
            for (QAction* one : actions) {
                if (one->text().contains(QStringLiteral("what I see"))) return one;
            }
        }
        return nullptr;
    }
    RecordJob& job() { return window.recorder().job(); }
    std::string said() {
        return window.imagePage().messages().textOf(QStringLiteral("record")).toStdString();
    }
    void measure() {
        action()->trigger();
        EXPECT_TRUE(QTest::qWaitFor([&] { return !job().isMeasuring(); }, 60000));
    }

    QTemporaryDir folder;
    Session session;
    MainWindow window{session};
};

TEST_F(RecordTest, WritesARecordOfTheRecipeOnTheImage) {
    EXPECT_FALSE(action()->isEnabled());
    const auto path = written(folder, "in.exr", gradient(64, 48, 0.5F, SampleType::f32));
    open(path);
    session.resetRecipe(deriche());
    ASSERT_TRUE(action()->isEnabled());
    // From another page too: it is the image that is recorded.
    window.setPage(MainWindow::Page::release);
    action()->trigger();
    EXPECT_EQ(window.page(), MainWindow::Page::image);
    EXPECT_TRUE(job().isMeasuring());
    EXPECT_FALSE(action()->isEnabled());
    // What is done meanwhile is not in it.
    session.resetRecipe({});
    EXPECT_TRUE(QTest::qWaitFor([&] { return !job().isMeasuring(); }, 60000));
    EXPECT_TRUE(action()->isEnabled());
    ASSERT_NE(job().record(), nullptr) << said();
    EXPECT_THAT(said(), HasSubstr("not written yet"));

    job().writeInto(folder.path());
    ASSERT_TRUE(QTest::qWaitFor([&] { return !job().isWriting() && !job().record(); }, patience_ms))
        << said();
    EXPECT_THAT(said(), HasSubstr("Verified: accepted"));
    std::filesystem::path directory;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path().toStdString())) {
        if (entry.is_directory()) directory = entry.path();
    }
    const auto verification = verify_record(directory);
    ASSERT_TRUE(verification);
    EXPECT_TRUE(verification->problems.empty());
    const auto json = nlohmann::json::parse(*read_file(directory / "record.json"));
    ASSERT_EQ(json.at("cases").size(), 1U);
    const auto& matrix = json.at("matrix");
    // The same pixels that `iir2d bench --image` reads, so that it can be measured again.
    const auto read = read_image(path, {.keep_double = true});
    ASSERT_TRUE(read);
    EXPECT_THAT(matrix.at("image").dump(), HasSubstr(pixel_hash(read->pixels)));
    EXPECT_THAT(matrix.at("recipe").dump(), HasSubstr("\"sigma\":3"));
    EXPECT_EQ(json.at("cancelled"), false);
    EXPECT_THAT(json.at("command_line").get<std::string>(), HasSubstr("--image"));

    QPushButton* show = nullptr;
    for (auto* button : window.imagePage().findChildren<QPushButton*>()) {
        if (button->text() == QStringLiteral("Show")) show = button;
    }
    ASSERT_NE(show, nullptr);
    show->click();
    EXPECT_EQ(window.page(), MainWindow::Page::benchmark);
    EXPECT_TRUE(QTest::qWaitFor([&] { return window.benchmarkPage().desk().results().rowCount() == 1; },
                                patience_ms));
}

TEST_F(RecordTest, SaysWhyThereIsNothingToRecord) {
    open(written(folder, "in.exr", gradient(64, 48, 0.5F, SampleType::f32)));
    session.resetRecipe({});
    measure();
    EXPECT_EQ(job().record(), nullptr);
    EXPECT_THAT(said(), HasSubstr("No record was made: The recipe has no operation that is switched on."));
}

TEST_F(RecordTest, IsNotOfferedWhileSomethingElseMeasures) {
    open(written(folder, "in.exr", gradient(64, 48, 0.5F, SampleType::f32)));
    ASSERT_TRUE(action()->isEnabled());
    window.benchmarkPage().run();
    ASSERT_TRUE(window.benchmarkPage().isRunning());
    EXPECT_FALSE(action()->isEnabled());
    window.benchmarkPage().cancel();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !window.benchmarkPage().isRunning(); }, 60000));
    EXPECT_TRUE(action()->isEnabled());
    TuningModel& tuner = window.tuningPage().model();
    tuner.setWork({.kind = TuningWork::Kind::collect,
                   .seconds = 60,
                   .problems = 40,
                   .database = folder.filePath(QStringLiteral("a.db"))});
    tuner.run();
    ASSERT_TRUE(tuner.isMeasuring());
    EXPECT_FALSE(action()->isEnabled());
    tuner.cancel();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !tuner.isRunning(); }, 60000));
    EXPECT_TRUE(action()->isEnabled());
}

TEST_F(RecordTest, CanBeCancelledAndThenLeavesNothing) {
    open(written(folder, "in.exr", gradient(1024, 1024, 0.5F, SampleType::f32)));
    Recipe recipe;
    for (int i = 0; i < 6; ++i) recipe.operations.push_back(deriche().operations[0]);
    session.resetRecipe(recipe);
    action()->trigger();
    ASSERT_TRUE(job().isMeasuring());
    job().cancel();
    EXPECT_TRUE(QTest::qWaitFor([&] { return !job().isMeasuring(); }, patience_ms));
    EXPECT_EQ(job().record(), nullptr);
    EXPECT_EQ(said(), "Recording was cancelled; nothing was written.");
    EXPECT_TRUE(action()->isEnabled());
}

TEST_F(RecordTest, WhatCouldNotBeWrittenIsStillThere) {
    open(written(folder, "in.exr", gradient(64, 48, 0.5F, SampleType::f32)));
    session.resetRecipe(deriche());
    measure();
    job().writeInto(folder.filePath(QStringLiteral("no/such/folder")));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !job().isWriting(); }, patience_ms));
    EXPECT_THAT(said(), StartsWith("No record was made: "));
    ASSERT_NE(job().record(), nullptr);
    job().writeInto(folder.path());
    ASSERT_TRUE(QTest::qWaitFor([&] { return !job().isWriting() && !job().record(); }, patience_ms));
    EXPECT_THAT(said(), HasSubstr("Verified: accepted"));
    measure();
    job().discard();
    EXPECT_EQ(job().record(), nullptr);
}

}  // namespace
}  // namespace workbench
