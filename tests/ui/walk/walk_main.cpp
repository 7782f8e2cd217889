// SPDX-License-Identifier: MIT
// A walk through the whole window on a real display: every page, the way a person goes. Prints one line a
// step; exits with 1 when a step did not do what it should. Run by xvfb-run in the tests.
#include <QApplication>
#include <QTemporaryDir>
#include <cstdio>

#include "tests/ui/walk/walk_steps.h"
#include "ui/support/text.h"

int main(int argc, char** argv) {
    const QTemporaryDir settings;
    qputenv("IIR2D_CONFIG_DIR", settings.path().toLocal8Bit());
    QApplication application(argc, argv);
    if (QGuiApplication::platformName() == QLatin1String("offscreen")) {
        std::fputs("ui_walk: a display is needed; xvfb-run gives one\n", stderr);
        return 2;
    }
    workbench::EnglishPlurals plurals;
    QCoreApplication::installTranslator(&plurals);
    application.setQuitOnLastWindowClosed(false);
    return workbench::walk::walkAll();
}
