// SPDX-License-Identifier: MIT
// A GPU that faults in the middle of work, played by the stand-in driver: the session goes on with the CPU,
// keeps image and recipe, and takes the GPU again when asked.
#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/image/image_io.h"
#include "tests/ui/patience.h"
#include "ui/session/session.h"

namespace workbench {
namespace {

TEST(GpuFallback, TheCpuGoesOnAndTheGpuCanBeTriedAgain) {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("a.tif"));
    Image image;
    image.pixels = PlanarImage(64, 48, 1, iir2d::ElementType::f32);
    image.pixels.plane_f32(0)[100] = 1.0F;
    image.info.type = SampleType::f32;
    image.info.width = 64;
    image.info.height = 48;
    image.info.channels = 1;
    ASSERT_TRUE(write_image(image, file.toStdString()));

    qputenv("FAKE_CUDA", "launch=1");
    Session session;
    QSignalSpy failures(&session, &Session::deviceFailed);
    session.setDeviceSpec(QStringLiteral("cuda"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !session.isChoosingDevice(); }, patience_ms));
    ASSERT_EQ(session.device().device.backend(), iir2d::Backend::cuda);
    Recipe recipe;
    recipe.operations.push_back({.what = FilterOperation{.filter_id = 1}});
    session.resetRecipe(recipe);
    session.openImage(file);
    ASSERT_TRUE(QTest::qWaitFor([&] { return session.exactResult() != nullptr; }, patience_ms));
    EXPECT_EQ(session.device().device.backend(), iir2d::Backend::cpu);
    ASSERT_EQ(failures.count(), 1);
    EXPECT_TRUE(failures.front().front().toString().contains(QStringLiteral("CUDA_ERROR_ILLEGAL_ADDRESS")));
    EXPECT_EQ(session.recipe(), recipe);

    qputenv("FAKE_CUDA", "");
    session.setDeviceSpec(QStringLiteral("cuda"));
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return !session.isChoosingDevice() && session.exactResult() != nullptr; }, patience_ms));
    EXPECT_EQ(session.device().device.backend(), iir2d::Backend::cuda);
    EXPECT_EQ(failures.count(), 1);
}

}  // namespace
}  // namespace workbench
