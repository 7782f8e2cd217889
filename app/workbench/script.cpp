// SPDX-License-Identifier: MIT
#include "app/workbench/script.h"

#include <QApplication>
#include <QDateTime>
#include <QFile>
#include <QMessageBox>
#include <QPushButton>
#include <QTimer>
#include <QUndoStack>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "core/recipe/recipe.h"
#include "core/support/files.h"
#include "core/support/text.h"
#include "ui/operations/operations_panel.h"
#include "ui/session/session.h"
#include "ui/widgets/message_bar.h"
#include "ui/window/main_window.h"
#include "ui/window/restore_offer.h"

namespace workbench {
namespace {

std::string hashOf(const Recipe& recipe) {
    return sha256_hex(to_json(recipe));
}

}  // namespace

Script::Script(MainWindow& window) : m_window(window) {}

void Script::run(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        std::fprintf(stderr, "iir2d-workbench: error: no script %s\n", qPrintable(path));
        return;
    }
    m_lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QTimer::singleShot(0, this, &Script::next);
}

void Script::next() {
    if (m_window.session().isOpening()) {
        QTimer::singleShot(10, this, &Script::next);
        return;
    }
    if (m_lines.isEmpty()) return;
    const QString line = m_lines.first();
    const qsizetype blank = line.indexOf(QLatin1Char(' '));
    const QString command = line.left(blank);
    const QString argument = blank < 0 ? QString() : line.mid(blank + 1);
    if (command == QLatin1String("await") && !QFile::exists(argument)) {
        QTimer::singleShot(10, this, &Script::next);
        return;
    }
    m_lines.removeFirst();
    QTimer::singleShot(perform(command, argument), this, &Script::next);
}

int Script::perform(const QString& command, const QString& argument) {
    const auto press = [this](const char* button) {
        if (auto* found = m_window.findChild<QPushButton*>(QLatin1String(button))) found->click();
    };
    if (command == QLatin1String("wait")) return argument.toInt();
    if (command == QLatin1String("open")) m_window.openPath(argument);
    if (command == QLatin1String("add")) m_window.operationsPanel().addFilter(argument.toInt());
    if (command == QLatin1String("undo")) m_window.session().undoStack()->undo();
    if (command == QLatin1String("redo")) m_window.session().undoStack()->redo();
    if (command == QLatin1String("restore")) press("restoreButton");
    if (command == QLatin1String("discard")) press("discardButton");
    if (command == QLatin1String("close")) {
        m_window.setInteractive(false);
        m_window.close();
    }
    if (command == QLatin1String("state")) tellState();
    if (command == QLatin1String("quit")) m_window.close();  // as a person does, with what it may ask
    if (command == QLatin1String("crash")) crash(argument);
    if (command == QLatin1String("modal")) {
        QTimer::singleShot(0, &m_window,
                           [this] { QMessageBox::question(&m_window, tr("Modal"), tr("Modal?")); });
    }
    if (command == QLatin1String("page"))
        m_window.setPage(MainWindow::pageNamed(argument).value_or(MainWindow::Page::image));
    if (command == QLatin1String("edits")) {
        auto* timer = new QTimer(this);
        connect(timer, &QTimer::timeout, this, &Script::edit);
        timer->start(argument.toInt());
    }
    return 0;
}

// What a slider's drag does, now and then another step of its own.
void Script::edit() {
    Session& session = m_window.session();
    ++m_edits;
    Recipe next = session.recipe();
    if (m_edits % 10 == 0 || next.operations.empty()) {
        session.endMerge();
        next.operations = {{.what = FilterOperation{.filter_id = 6}}};
    }
    std::get<FilterOperation>(next.operations.front().what).parameters["sigma"] = 1 + m_edits * 1e-3;
    session.changeRecipe(QStringLiteral("edit"), std::move(next), 1);
    std::printf("edit %d %lld %s\n", m_edits, static_cast<long long>(QDateTime::currentMSecsSinceEpoch()),
                hashOf(session.recipe()).c_str());
    std::fflush(stdout);
}

void Script::crash(const QString& how) {
    if (how == QLatin1String("terminate")) std::terminate();
    if (how == QLatin1String("abort")) std::abort();
    volatile int* nowhere = nullptr;
    *nowhere = 1;
}

void Script::tellState() const {
    const Session& session = m_window.session();
    const auto* offer = m_window.findChild<RestoreOffer*>();
    const ImagePtr image = session.image();
    const auto* crashes = m_window.findChild<MessageArea*>(QStringLiteral("crashOffer"));
    std::printf("state %s %d %d %d %s %s\noffers %d\ncrashes %d\n", hashOf(session.recipe()).c_str(),
                session.undoStack()->index(), session.undoStack()->count(), int(session.isRecipeModified()),
                qPrintable(MainWindow::nameOf(m_window.page())),
                image ? utf8_path(image->info.path).c_str() : "-", offer != nullptr ? offer->count() : 0,
                int(crashes != nullptr && crashes->isVisible()));
    std::fflush(stdout);
}

}  // namespace workbench
