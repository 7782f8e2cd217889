// SPDX-License-Identifier: MIT
#include "ui/benchmark/record_actions.h"

#include <QAction>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QWidget>
#include <utility>

#include "ui/benchmark/export_menu.h"
#include "ui/benchmark/record_desk.h"
#include "ui/session/session.h"
#include "ui/widgets/icons.h"

namespace workbench {
namespace {

QString keysOf(const QAction& action) {
    return action.shortcut().toString(QKeySequence::NativeText);
}

}  // namespace

RecordActions::RecordActions(RecordDesk& desk, Session& session, const ExportMenu& exports, QWidget* page)
    : QObject(page),
      m_desk(desk),
      m_session(session),
      m_exports(exports),
      m_page(page),
      m_open(add("open", tr("&Open record…"), QStringLiteral("Ctrl+Shift+O"),
                 tr("Open a record or a duel, a directory or its record.json or duel.json (%1)"))),
      m_compare(add("split", tr("Co&mpare with…"), QStringLiteral("Ctrl+Shift+B"),
                    tr("Compare what is shown with a record measured before (%1)"))),
      m_previous(
          add("previous", tr("Compare with previous"), QStringLiteral("Ctrl+Alt+B"),
              tr("Compare what is shown with the record before it in the history, of the same cases (%1)"))),
      m_reproduce(add("refresh", tr("Re&produce"), QStringLiteral("Ctrl+Alt+R"), QString())) {
    connect(m_open, &QAction::triggered, this, &RecordActions::open);
    connect(m_compare, &QAction::triggered, this, &RecordActions::compare);
    connect(m_previous, &QAction::triggered, this, &RecordActions::compareWithPrevious);
    connect(m_reproduce, &QAction::triggered, this, &RecordActions::reproduceWanted);
    // After a refusal the folder stays the one that held a record.
    connect(&desk, &RecordDesk::recordFoundAt, this, [this](const QString& record) {
        const std::string folder = QFileInfo(QDir::cleanPath(record)).absolutePath().toStdString();
        if (std::exchange(m_session.settings().record_directory, folder) != folder) m_session.saveSettings();
    });
}

QAction* RecordActions::add(const char* icon, const QString& text, const QString& keys, const QString& help) {
    auto* action = new QAction(themedIcon(QLatin1String(icon)), text, this);
    action->setShortcut(QKeySequence(keys));
    if (!help.isEmpty()) action->setToolTip(help.arg(keysOf(*action)));
    return action;
}

void RecordActions::showState(bool mayReproduce) {
    const bool free = !m_desk.isRunning() && !m_desk.isBusy();
    m_open->setEnabled(free);
    m_compare->setEnabled(free);
    m_previous->setEnabled(free && !m_desk.shown().isEmpty());
    m_reproduce->setEnabled(free && m_desk.opened() && mayReproduce);
    m_reproduce->setToolTip(
        m_desk.opened() ? tr("Measure again what this record measured, and compare outputs and timings (%1)")
                              .arg(keysOf(*m_reproduce))
                        : tr("Open a record to reproduce it"));
}

QString RecordActions::askForRecord(const QString& title) {
    const std::string& directory = m_session.settings().record_directory;
    const QString from = directory.empty() ? m_exports.directory() : QString::fromStdString(directory);
    const QString path = QFileDialog::getOpenFileName(
        m_page, title, from, tr("Records (record.json duel.json);;JSON (*.json);;All files (*)"));
    if (path.isEmpty()) return {};
    // The file stands for its directory, where it is one's: then all of it is verified.
    const QFileInfo file(path);
    const bool isWhole =
        (file.fileName() == QLatin1String("record.json") || file.fileName() == QLatin1String("duel.json")) &&
        file.absoluteDir().exists(QStringLiteral("SHA256SUMS"));
    return isWhole ? file.absolutePath() : path;
}

void RecordActions::open() {
    if (m_desk.isRunning() || m_desk.isBusy()) return;
    Q_EMIT attentionWanted();
    const QString path = askForRecord(tr("Open a record"));
    if (!path.isEmpty()) m_desk.open(path);
}

void RecordActions::compare() {
    if (m_desk.isRunning() || m_desk.isBusy()) return;
    Q_EMIT attentionWanted();
    if (m_desk.results().rowCount() == 0) {
        Q_EMIT nothingToCompare();
        return;
    }
    const QString path = askForRecord(tr("Compare with the record (the base)"));
    if (!path.isEmpty()) m_desk.compareWith(path);
}

void RecordActions::compareWithPrevious() {
    if (m_desk.isBusy()) return;
    Q_EMIT attentionWanted();
    m_desk.compareWithPrevious();
}

}  // namespace workbench
