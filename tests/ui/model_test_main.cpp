// SPDX-License-Identifier: MIT
// main for the tests of ui's models: without a QApplication, so that a widget in a model would end the test.
#include <gmock/gmock.h>

#include <QCoreApplication>
#include <QTemporaryDir>

#include "ui/support/text.h"

int main(int argc, char** argv) {
    const QTemporaryDir settings;
    qputenv("IIR2D_CONFIG_DIR", settings.path().toLocal8Bit());
    qputenv("IIR2D_STATE_DIR", settings.filePath(QStringLiteral("state")).toLocal8Bit());
    QCoreApplication application(argc, argv);
    workbench::EnglishPlurals plurals;  // as in the program
    QCoreApplication::installTranslator(&plurals);
    ::testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
