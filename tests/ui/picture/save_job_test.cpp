// SPDX-License-Identifier: MIT
#include "ui/picture/save_job.h"

#include <gmock/gmock.h>

#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTest>

#include "core/recipe/recipe.h"
#include "tests/ui/patience.h"
#include "tests/ui/picture/view_testing.h"
#include "ui/session/session.h"

namespace workbench {
namespace {

using testing::gradient;
using testing::text;
using testing::written;

class SaveJobTest : public ::testing::Test {
  protected:
    void open(const std::filesystem::path& path) {
        session.openImage(text(path));
        ASSERT_TRUE(QTest::qWaitFor([&] { return !session.isOpening(); }, patience_ms));
        ASSERT_NE(session.image(), nullptr);
    }
    Recipe smoother() {
        Recipe recipe;
        recipe.operations.push_back({.enabled = true, .what = FilterOperation{.filter_id = 6}});
        return recipe;
    }
    QString path(const char* name) { return folder.filePath(QString::fromLatin1(name)); }

    QTemporaryDir folder;
    Session session;
    SaveJob job{session};
};

TEST_F(SaveJobTest, WaitsForTheExactResultAndWritesIt) {
    open(written(folder, "in.png", gradient(300, 200)));
    session.changeRecipe(QStringLiteral("add"), smoother());
    EXPECT_EQ(session.exactResult(), nullptr);
    QSignalSpy saved(&job, &SaveJob::saved);
    job.start(path("out.png"));
    EXPECT_TRUE(job.isRunning());
    ASSERT_TRUE(QTest::qWaitFor([&] { return saved.count() == 1; }, patience_ms));
    EXPECT_FALSE(job.isRunning());

    const auto result = read_image(path("out.png").toStdString());
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->info.type, SampleType::u8);
    const auto expected = apply(smoother(), *session.image(), session.device().device);
    ASSERT_TRUE(expected);
    const auto difference = compare_images(result->pixels, expected->pixels);
    ASSERT_TRUE(difference);
    EXPECT_LE(difference->max_abs, 0.5 / 255 + 1e-6) << "no more than rounding to 8 bits";
}

TEST_F(SaveJobTest, AnUnwritablePlaceIsSaidAndLeavesNothing) {
    open(written(folder, "in.png", gradient(30, 20)));
    ASSERT_TRUE(QTest::qWaitFor([&] { return session.exactResult() != nullptr; }, patience_ms));
    QSignalSpy failed(&job, &SaveJob::failed);
    job.start(path("no/such/folder/out.png"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return failed.count() == 1; }, patience_ms));
    EXPECT_TRUE(failed[0][1].toString().contains(QStringLiteral("out.png")))
        << failed[0][1].toString().toStdString();
    EXPECT_FALSE(QFileInfo::exists(path("no")));
    EXPECT_FALSE(job.isRunning());
}

TEST_F(SaveJobTest, ARecipeThatFailsFailsTheSave) {
    open(written(folder, "in.png", gradient(30, 20)));
    Recipe recipe;
    recipe.operations.push_back({.enabled = true, .what = PoolOperation{.window = {100, 100}}});
    QSignalSpy failed(&job, &SaveJob::failed);
    session.changeRecipe(QStringLiteral("add"), recipe);
    job.start(path("out.png"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return failed.count() == 1; }, patience_ms));
    EXPECT_FALSE(QFileInfo::exists(path("out.png")));
}

TEST_F(SaveJobTest, CancellingKeepsTheOldFile) {
    open(written(folder, "in.tif", gradient(1500, 1500)));
    const QByteArray before = "what was there";
    {
        QFile old(path("out.tif"));
        ASSERT_TRUE(old.open(QIODevice::WriteOnly));
        old.write(before);
    }
    session.changeRecipe(QStringLiteral("add"), smoother());
    QSignalSpy cancelled(&job, &SaveJob::cancelled);
    job.start(path("out.tif"));
    job.cancel();
    EXPECT_EQ(cancelled.count(), 1);
    EXPECT_FALSE(job.isRunning());
    QTest::qWait(200);
    QFile old(path("out.tif"));
    ASSERT_TRUE(old.open(QIODevice::ReadOnly));
    EXPECT_EQ(old.readAll(), before);
}

TEST_F(SaveJobTest, SavesAfterAnEarlierFailureOfTheRecipe) {
    open(written(folder, "in.png", gradient(30, 20)));
    Recipe bad;
    bad.operations.push_back({.enabled = true, .what = PoolOperation{.window = {100, 100}}});
    session.changeRecipe(QStringLiteral("add"), bad);
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return session.status().state == PreviewStatus::State::failed; }, patience_ms));
    session.changeRecipe(QStringLiteral("better"), smoother());
    QSignalSpy saved(&job, &SaveJob::saved);
    job.start(path("out.png"));
    EXPECT_TRUE(QTest::qWaitFor([&] { return saved.count() == 1; }, patience_ms));
}

}  // namespace
}  // namespace workbench
