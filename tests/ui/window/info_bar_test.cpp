// SPDX-License-Identifier: MIT
#include "ui/window/info_bar.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QTemporaryDir>
#include <QTest>

#include "tests/ui/patience.h"
#include "tests/ui/picture/view_testing.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/window/main_window.h"

namespace workbench {
namespace {

using testing::gradient;
using testing::text;
using testing::written;

TEST(InfoBar, ShowsTheZoomOnceThePictureIsShown) {
    const QTemporaryDir folder;
    Session session;
    MainWindow window(session);
    window.setInteractive(false);
    window.setPage(MainWindow::Page::benchmark);
    window.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
    session.openImage(text(written(folder, "in.exr", gradient(64, 48, 0.5F, SampleType::f32))));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !session.isOpening() && session.image(); }, patience_ms));
    const auto zoom = [&] {
        for (const auto* label : window.findChildren<QLabel*>()) {
            if (label->accessibleName() == QLatin1String("Zoom")) return label->text();
        }
        return QStringLiteral("no such label");
    };
    EXPECT_EQ(zoom(), QString());
    window.setPage(MainWindow::Page::image);
    EXPECT_TRUE(QTest::qWaitFor([&] { return zoom().endsWith(QLatin1String("00 %")); }, patience_ms))
        << zoom().toStdString();
}

}  // namespace
}  // namespace workbench
