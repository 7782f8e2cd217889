// SPDX-License-Identifier: MIT
#include "app/workbench/window_log.h"

#include <QUndoStack>

#include "core/support/crash_report.h"
#include "core/support/event_log.h"
#include "ui/benchmark/benchmark_page.h"
#include "ui/session/session.h"
#include "ui/window/main_window.h"

namespace workbench {
namespace {

QtMessageHandler before = nullptr;

void note(const QString& text) {
    event_log::add(text.toStdString());
    note_modules();  // whatever was loaded to do it
}

void hearQt(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    event_log::add("Qt: " + text.toStdString());
    if (before != nullptr) before(type, context, text);
}

}  // namespace

WindowLog::WindowLog(MainWindow& window) {
    Session& session = window.session();
    before = qInstallMessageHandler(hearQt);
    note(QStringLiteral("the window begins, device %1").arg(session.deviceSpec()));
    connect(&window, &MainWindow::pageChanged, this,
            [&window] { note(QStringLiteral("page: %1").arg(MainWindow::nameOf(window.page()))); });
    connect(&session, &Session::imageChanged, this, [&session] {
        const ImagePtr image = session.image();
        note(image ? QStringLiteral("image: %1 x %2").arg(image->info.width).arg(image->info.height)
                   : QStringLiteral("no image"));
    });
    connect(session.undoStack(), &QUndoStack::indexChanged, this, [&session](int index) {
        note(QStringLiteral("recipe: step %1, %2").arg(index).arg(session.undoStack()->undoText()));
    });
    connect(&session, &Session::deviceChanged, this,
            [&session] { note(QStringLiteral("device: %1").arg(session.deviceSpec())); });
    connect(&session, &Session::deviceFailed, this,
            [](const QString& why) { note(QStringLiteral("device failed: %1").arg(why)); });
    connect(&session, &Session::openFailed, this,
            [] { note(QStringLiteral("an image could not be opened")); });
    connect(&window.benchmarkPage(), &BenchmarkPage::runningChanged, this, [&window] {
        note(window.benchmarkPage().isRunning() ? QStringLiteral("benchmark begins")
                                                : QStringLiteral("benchmark ends"));
    });
    connect(&window, &MainWindow::closing, this, [] { note(QStringLiteral("the window closes")); });
}

WindowLog::~WindowLog() {
    qInstallMessageHandler(before);
}

}  // namespace workbench
