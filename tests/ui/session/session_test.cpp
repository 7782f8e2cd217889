// SPDX-License-Identifier: MIT
#include "ui/session/session.h"

#include <gmock/gmock.h>

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>

#include "core/image/image_io.h"
#include "core/support/files.h"
#include "tests/ui/patience.h"

namespace workbench {
namespace {

Recipe ema(double alpha) {
    Recipe recipe;
    recipe.operations.push_back(
        {.enabled = true, .what = FilterOperation{.filter_id = 1, .parameters = {{"alpha", alpha}}}});
    return recipe;
}

double alphaOf(const Recipe& recipe) {
    return std::get<FilterOperation>(recipe.operations.at(0).what).parameters.at("alpha");
}

// A gray ramp written as a file.
std::filesystem::path writeRamp(const QTemporaryDir& folder, const char* name, std::int64_t w,
                                std::int64_t h) {
    Image image;
    image.pixels = PlanarImage(w, h, 1, iir2d::ElementType::f32);
    const auto plane = image.pixels.plane_f32(0);
    for (std::size_t i = 0; i < plane.size(); ++i) plane[i] = float(i % 256) / 255.0F;
    image.info.width = w;
    image.info.height = h;
    image.info.channels = 1;
    image.info.channel_names = {"Y"};
    image.info.type = SampleType::u8;
    const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / name;
    const auto written = write_image(image, path);
    EXPECT_TRUE(written) << written.error().message;
    return path;
}

QString text(const std::filesystem::path& path) {
    return QString::fromStdString(path.string());
}

class SessionTest : public ::testing::Test {
  protected:
    void open(const std::filesystem::path& path) {
        session.openImage(text(path));
        ASSERT_TRUE(QTest::qWaitFor([&] { return !session.isOpening(); }, patience_ms));
        ASSERT_NE(session.image(), nullptr);
    }
    bool waitForExact() {
        return QTest::qWaitFor([&] { return session.exactResult() != nullptr; }, patience_ms);
    }

    QTemporaryDir folder;
    Session session;
};

TEST_F(SessionTest, EveryChangeIsAnUndoStep) {
    session.changeRecipe(QStringLiteral("first"), ema(0.1));
    session.changeRecipe(QStringLiteral("second"), ema(0.2));
    EXPECT_EQ(session.undoStack()->count(), 2);
    EXPECT_EQ(session.undoStack()->undoText(), QStringLiteral("second"));
    session.undoStack()->undo();
    EXPECT_EQ(session.recipe(), ema(0.1));
    session.undoStack()->undo();
    EXPECT_EQ(session.recipe(), Recipe{});
    session.undoStack()->redo();
    EXPECT_EQ(session.recipe(), ema(0.1));
}

TEST_F(SessionTest, ADragIsOneStep) {
    session.changeRecipe(QStringLiteral("add"), ema(0.1));
    for (int i = 2; i <= 9; ++i) session.changeRecipe(QStringLiteral("alpha"), ema(i / 10.0), 7);
    session.endMerge();
    EXPECT_EQ(session.undoStack()->count(), 2);
    EXPECT_EQ(alphaOf(session.recipe()), 0.9);
    session.undoStack()->undo();
    EXPECT_EQ(alphaOf(session.recipe()), 0.1);
    session.undoStack()->redo();
    EXPECT_EQ(alphaOf(session.recipe()), 0.9);
}

TEST_F(SessionTest, TwoDragsAreTwoSteps) {
    session.changeRecipe(QStringLiteral("add"), ema(0.1));
    session.changeRecipe(QStringLiteral("alpha"), ema(0.2), 7);
    session.changeRecipe(QStringLiteral("alpha"), ema(0.3), 7);
    session.endMerge();
    session.changeRecipe(QStringLiteral("alpha"), ema(0.4), 7);
    session.changeRecipe(QStringLiteral("alpha"), ema(0.5), 7);
    session.endMerge();
    EXPECT_EQ(session.undoStack()->count(), 3);
    session.undoStack()->undo();
    EXPECT_EQ(alphaOf(session.recipe()), 0.3);
}

TEST_F(SessionTest, DragsOfTwoControlsAreTwoSteps) {
    session.changeRecipe(QStringLiteral("alpha"), ema(0.2), 7);
    session.changeRecipe(QStringLiteral("other"), ema(0.3), 8);
    EXPECT_EQ(session.undoStack()->count(), 2);
}

TEST_F(SessionTest, ADragAfterAnUndoIsANewStep) {
    session.changeRecipe(QStringLiteral("add"), ema(0.1));
    session.changeRecipe(QStringLiteral("alpha"), ema(0.2), 7);
    session.changeRecipe(QStringLiteral("other"), ema(0.3), 8);
    session.undoStack()->undo();
    session.changeRecipe(QStringLiteral("alpha"), ema(0.4), 7);
    EXPECT_EQ(session.undoStack()->count(), 3);
    session.undoStack()->undo();
    EXPECT_EQ(alphaOf(session.recipe()), 0.2);
}

TEST_F(SessionTest, ADragBackToItsStartIsNoStep) {
    session.changeRecipe(QStringLiteral("add"), ema(0.1));
    session.changeRecipe(QStringLiteral("alpha"), ema(0.5), 7);
    session.changeRecipe(QStringLiteral("alpha"), ema(0.1), 7);
    session.endMerge();
    EXPECT_EQ(session.undoStack()->count(), 1);
    EXPECT_EQ(session.recipe(), ema(0.1));
}

TEST_F(SessionTest, AChangeToTheSameIsNothing) {
    session.changeRecipe(QStringLiteral("add"), ema(0.1));
    const QSignalSpy changed(&session, &Session::recipeChanged);
    session.changeRecipe(QStringLiteral("again"), ema(0.1));
    EXPECT_EQ(session.undoStack()->count(), 1);
    EXPECT_EQ(changed.count(), 0);
}

TEST_F(SessionTest, EachChangeIsToldOnce) {
    const QSignalSpy changed(&session, &Session::recipeChanged);
    session.changeRecipe(QStringLiteral("add"), ema(0.1));
    EXPECT_EQ(changed.count(), 1);
    session.changeRecipe(QStringLiteral("alpha"), ema(0.2), 7);
    session.changeRecipe(QStringLiteral("alpha"), ema(0.3), 7);
    EXPECT_EQ(changed.count(), 3);
    session.undoStack()->undo();
    EXPECT_EQ(changed.count(), 4);
}

TEST_F(SessionTest, KnowsWhetherTheRecipeIsSaved) {
    EXPECT_FALSE(session.isRecipeModified());
    session.changeRecipe(QStringLiteral("add"), ema(0.1));
    EXPECT_TRUE(session.isRecipeModified());
    session.undoStack()->setClean();  // what saving does
    EXPECT_FALSE(session.isRecipeModified());
    session.undoStack()->undo();
    EXPECT_TRUE(session.isRecipeModified());
    session.resetRecipe(ema(0.3));
    EXPECT_FALSE(session.isRecipeModified());
    EXPECT_EQ(session.undoStack()->count(), 0);
}

TEST_F(SessionTest, OpensAnImageAndCountsItsSamples) {
    open(writeRamp(folder, "ramp.png", 32, 8));
    EXPECT_EQ(session.image()->pixels.width(), 32);
    ASSERT_EQ(session.statistics().size(), 1U);
    EXPECT_EQ(session.statistics()[0].maximum, 1.0);
    EXPECT_EQ(session.settings().recent_files.at(0), session.image()->info.path.string());
}

TEST_F(SessionTest, AnExactResultFollowsAnImage) {
    session.changeRecipe(QStringLiteral("add"), ema(0.5));
    open(writeRamp(folder, "ramp.png", 32, 8));
    ASSERT_TRUE(waitForExact());
    EXPECT_EQ(session.exactResult()->pixels.width(), 32);
    EXPECT_NE(session.exactResult()->pixels.at(1, 0, 0), session.image()->pixels.at(1, 0, 0));
}

TEST_F(SessionTest, TheExactResultIsTheNewestRecipes) {
    open(writeRamp(folder, "ramp.png", 64, 64));
    ASSERT_TRUE(waitForExact());
    session.changeRecipe(QStringLiteral("add"), ema(0.5));
    EXPECT_EQ(session.exactResult(), nullptr) << "what is there belongs to the recipe before";
    ASSERT_TRUE(waitForExact());
    const auto expected = apply(ema(0.5), *session.image(), session.device().device);
    ASSERT_TRUE(expected);
    EXPECT_EQ(pixel_hash(session.exactResult()->pixels), pixel_hash(expected->pixels));
}

TEST_F(SessionTest, AFailureSaysWhyAndKeepsTheImage) {
    open(writeRamp(folder, "ramp.png", 32, 8));
    const ImagePtr before = session.image();
    const std::filesystem::path damaged = std::filesystem::path(folder.path().toStdString()) / "damaged.png";
    QFile::copy(text(before->info.path), text(damaged));
    QFile::resize(text(damaged), 60);
    for (const auto& path : {damaged, std::filesystem::path("/no/such/file.png")}) {
        QSignalSpy failed(&session, &Session::openFailed);
        session.openImage(text(path));
        ASSERT_TRUE(QTest::qWaitFor([&] { return failed.count() == 1; }, patience_ms)) << path;
        EXPECT_TRUE(failed[0][1].toString().contains(text(path.filename())))
            << failed[0][1].toString().toStdString();
        EXPECT_FALSE(session.isOpening());
        EXPECT_EQ(session.image(), before);
    }
}

TEST_F(SessionTest, ANewerOpenWins) {
    const auto first = writeRamp(folder, "first.tif", 900, 900);
    const auto second = writeRamp(folder, "second.png", 16, 16);
    QSignalSpy changed(&session, &Session::imageChanged);
    for (int i = 0; i < 5; ++i) session.openImage(text(first));
    session.openImage(text(second));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !session.isOpening(); }, patience_ms));
    QTest::qWait(100);  // time for what was overtaken to appear, if it did
    EXPECT_EQ(changed.count(), 1);
    ASSERT_NE(session.image(), nullptr);
    EXPECT_EQ(session.image()->pixels.width(), 16);
}

TEST_F(SessionTest, OpeningCanBeCancelled) {
    const auto path = writeRamp(folder, "ramp.tif", 900, 900);
    QSignalSpy changed(&session, &Session::imageChanged);
    QSignalSpy cancelled(&session, &Session::openCancelled);
    session.openImage(text(path));
    EXPECT_TRUE(session.isOpening());
    session.cancelOpen();
    EXPECT_FALSE(session.isOpening());
    EXPECT_EQ(cancelled.count(), 1);
    session.cancelOpen();
    EXPECT_EQ(cancelled.count(), 1);
    QTest::qWait(150);
    EXPECT_EQ(changed.count(), 0);
    EXPECT_EQ(session.image(), nullptr);
}

TEST_F(SessionTest, ARecipeThatCannotBeRunSaysWhy) {
    open(writeRamp(folder, "ramp.png", 32, 8));
    Recipe recipe;
    recipe.operations.push_back({.enabled = true, .what = PoolOperation{.window = {100, 100}}});
    session.changeRecipe(QStringLiteral("add"), recipe);
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return session.status().state == PreviewStatus::State::failed; }, patience_ms));
    ASSERT_TRUE(session.status().error);
    EXPECT_THAT(session.status().error->message, ::testing::HasSubstr("100"));
    session.undoStack()->undo();
    EXPECT_TRUE(waitForExact());
}

TEST_F(SessionTest, ChoosesADeviceInTheBackground) {
    QSignalSpy changed(&session, &Session::deviceChanged);
    session.setDeviceSpec(QStringLiteral("cpu"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !session.isChoosingDevice(); }, patience_ms));
    EXPECT_GE(changed.count(), 1);
    EXPECT_EQ(session.device().device.id(), "cpu");
    EXPECT_FALSE(session.device().reason.empty());
    session.setThreads(1);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !session.isChoosingDevice(); }, patience_ms));
    EXPECT_EQ(session.device().device.threads(), 1);
}

TEST_F(SessionTest, ADeviceThatIsNotThereKeepsTheOneBefore) {
    QSignalSpy failed(&session, &Session::deviceFailed);
    session.setDeviceSpec(QStringLiteral("cuda:77"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return failed.count() == 1; }, patience_ms));
    EXPECT_FALSE(failed[0][0].toString().isEmpty());
    EXPECT_EQ(session.device().device.id(), "cpu");
}

TEST_F(SessionTest, TheDeviceMayChangeWithAnImageOpen) {
    open(writeRamp(folder, "ramp.png", 32, 8));
    session.changeRecipe(QStringLiteral("add"), ema(0.5));
    session.setDeviceSpec(QStringLiteral("cpu"));
    session.setThreads(1);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !session.isChoosingDevice(); }, patience_ms));
    EXPECT_TRUE(waitForExact());
}

TEST(SessionSettings, AreKept) {
    const QTemporaryDir folder;
    const QByteArray before = qgetenv("IIR2D_CONFIG_DIR");
    qputenv("IIR2D_CONFIG_DIR", folder.path().toLocal8Bit());
    {
        Session session;
        session.settings().theme = Theme::light;
        session.settings().last_directory = "/somewhere";
        session.saveSettings();
    }
    {
        Session session;
        EXPECT_EQ(session.settings().theme, Theme::light);
        EXPECT_EQ(session.settings().last_directory, "/somewhere");
    }
    qputenv("IIR2D_CONFIG_DIR", before);
}

// Whoever leaves while everything runs must not be waited for long, nor crash.
TEST(SessionEnd, InTheMiddleOfEverything) {
    const QTemporaryDir folder;
    const auto path = writeRamp(folder, "ramp.tif", 1500, 1500);
    for (int delay : {0, 3, 20}) {
        Session session;
        session.changeRecipe(QStringLiteral("add"), ema(0.5));
        session.openImage(text(path));
        session.setDeviceSpec(QStringLiteral("auto"));
        QTest::qWait(delay);
    }
}

}  // namespace
}  // namespace workbench
