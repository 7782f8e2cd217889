// SPDX-License-Identifier: MIT
// What the window says of a run on a GPU, played by the stand-in driver: where its time went, and of devices
// that cannot be used. Each test is a process of its own, because a process opens the driver once.
#include <gtest/gtest.h>

#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/image/image_io.h"
#include "tests/ui/patience.h"
#include "ui/session/session.h"
#include "ui/tuning/live_choice.h"
#include "ui/tuning/tuning_model.h"
#include "ui/widgets/elided_label.h"
#include "ui/window/device_panel.h"
#include "ui/window/info_bar.h"

namespace workbench {
namespace {

QString toolTips(const QWidget& widget) {
    QString all;
    for (const auto* label : widget.findChildren<ElidedLabel*>()) all += label->toolTip() + QLatin1Char('\n');
    return all;
}

TEST(GpuRun, ItsPartsAreShownApart) {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("a.tif"));
    Image image;
    image.pixels = PlanarImage(64, 48, 1, iir2d::ElementType::f32);
    image.info.type = SampleType::f32;
    image.info.width = 64;
    image.info.height = 48;
    image.info.channels = 1;
    ASSERT_TRUE(write_image(image, file.toStdString()));

    qputenv("FAKE_CUDA", "devices=1");
    Session session;
    DevicePanel panel(session);
    TuningModel tuning(session);
    LiveChoice choice(session, tuning);
    InfoBar bar(session, choice);
    const auto* run = panel.findChild<QLabel*>(QStringLiteral("lastRun"));
    ASSERT_NE(run, nullptr);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !session.isListingDevices(); }, patience_ms));
    session.setDeviceSpec(QStringLiteral("cpu"));
    Recipe recipe;
    recipe.operations = {{.what = FilterOperation{.filter_id = 1}},
                         {.what = FilterOperation{.filter_id = 6}}};
    session.resetRecipe(recipe);
    session.openImage(file);
    const auto isComputed = [&] { return !session.isChoosingDevice() && session.exactResult() != nullptr; };
    ASSERT_TRUE(QTest::qWaitFor(isComputed, patience_ms));
    EXPECT_FALSE(session.frame()->gpu_time);
    EXPECT_TRUE(run->isHidden());
    EXPECT_FALSE(toolTips(bar).contains(QStringLiteral("Upload")));

    session.setDeviceSpec(QStringLiteral("cuda"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return isComputed() && session.frame()->gpu_time; }, patience_ms));
    const iir2d::RunTimes times = *session.frame()->gpu_time;
    EXPECT_GT(times.compute_ms, 0.0);
    EXPECT_GT(times.download_ms, 0.0);
    EXPECT_GE(times.downloaded_bytes, 64 * 48 * 4);
    // Nothing when the picture was on the GPU already: how often it goes there is the preview's own affair.
    EXPECT_EQ(times.upload_ms > 0.0, times.uploaded_bytes > 0);
    EXPECT_FALSE(run->isHidden());
    for (const char* part : {"exact result", "Upload: ", "Compute: ", "Download: ", "KiB"}) {
        EXPECT_TRUE(run->text().contains(QLatin1String(part))) << part << run->text().toStdString();
        EXPECT_TRUE(toolTips(bar).contains(QLatin1String(part))) << part << toolTips(bar).toStdString();
    }
    EXPECT_TRUE(panel.text().startsWith(run->text())) << "it is copied with the rest";

    session.setDeviceSpec(QStringLiteral("cpu"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return isComputed() && !session.frame()->gpu_time; }, patience_ms));
    EXPECT_TRUE(run->isHidden());
    EXPECT_FALSE(panel.text().contains(QStringLiteral("Upload")));
}

TEST(GpuRun, NoEmptyNameStandsWhereThereIsNoGpu) {
    qputenv("FAKE_CUDA", "devices=0");
    Session session;
    DevicePanel panel(session);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !session.isListingDevices(); }, patience_ms));
    EXPECT_TRUE(panel.text().contains(
        QStringLiteral("cuda\n  not usable: there is an NVIDIA driver but no NVIDIA GPU\n")))
        << panel.text().toStdString();
}

}  // namespace
}  // namespace workbench
