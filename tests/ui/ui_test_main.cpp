// SPDX-License-Identifier: MIT
// main for the tests of ui: an application object, off screen unless told otherwise, with settings and a
// state folder of its own.
#include <gmock/gmock.h>

#include <QApplication>
#include <QTemporaryDir>

#include "ui/support/text.h"

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    const QTemporaryDir settings;
    qputenv("IIR2D_CONFIG_DIR", settings.path().toLocal8Bit());
    qputenv("IIR2D_STATE_DIR", settings.filePath(QStringLiteral("state")).toLocal8Bit());
    QApplication application(argc, argv);
    workbench::EnglishPlurals plurals;  // as in the program
    QCoreApplication::installTranslator(&plurals);
    ::testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
