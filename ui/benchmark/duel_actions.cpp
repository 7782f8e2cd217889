// SPDX-License-Identifier: MIT
#include "ui/benchmark/duel_actions.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QUrl>
#include <QWidget>

#include "ui/benchmark/duel_dialogs.h"
#include "ui/benchmark/export_menu.h"
#include "ui/benchmark/matrix_form.h"
#include "ui/benchmark/record_desk.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/job_bar.h"
#include "ui/widgets/message_bar.h"

namespace workbench {
namespace {

const QString duelSubject = QStringLiteral("duel");
const QString unkeptDuelSubject = QStringLiteral("duel-kept");
const QString duelAsideSubject = QStringLiteral("duel-aside");

// "duel-20261123-032700"
QString nameFor(const DuelRecord& record) {
    QString name = toText(record.duel.started_utc);
    name.remove(QLatin1Char('-')).remove(QLatin1Char(':')).remove(QLatin1Char('Z'));
    return QStringLiteral("duel-") + name.replace(QLatin1Char('T'), QLatin1Char('-'));
}

}  // namespace

DuelActions::DuelActions(const Context& context)
    : QObject(context.page),
      m_context(context),
      m_duel(add("duel", tr("Duel with…"),
                 tr("Time this build of the library and another in turn, and say which is faster (%1)"))),
      m_save(add("save", tr("Save record…"),
                 tr("Write a new directory with every pair and a report, signed where there is a key"))),
      m_add(add("add", tr("Add to history"), {})),
      m_copy(add("copy", tr("Copy command line"), tr("The iir2d command that measures the same duel"))) {
    m_duel->setShortcut(QKeySequence(QStringLiteral("Ctrl+Alt+U")));
    m_duel->setToolTip(m_duel->toolTip().arg(m_duel->shortcut().toString(QKeySequence::NativeText)));
    connect(m_duel, &QAction::triggered, this, &DuelActions::ask);
    connect(m_save, &QAction::triggered, this, &DuelActions::save);
    connect(m_add, &QAction::triggered, this, [this] { m_context.desk.duel().addToHistory(); });
    connect(m_copy, &QAction::triggered, this, &DuelActions::copyCommand);
    connectDesk();
}

DuelActions::~DuelActions() = default;

DuelDialog* DuelActions::dialog() const {
    return m_dialog;
}

SaveDuelDialog* DuelActions::saveDialog() const {
    return m_saveDialog;
}

QAction* DuelActions::add(const char* icon, const QString& text, const QString& help) {
    auto* action = new QAction(themedIcon(QLatin1String(icon)), text, this);
    // Fusion sets the text against the icon; a space keeps them apart.
    action->setIconText(QLatin1Char(' ') + text);
    action->setToolTip(help);
    return action;
}

void DuelActions::say(bool bad, const QString& text) {
    m_context.messages.show(duelSubject, bad ? MessageArea::Severity::error : MessageArea::Severity::info,
                            text);
    Q_EMIT message(text);
}

void DuelActions::showState(const QString& hindrance) {
    RecordDesk& desk = m_context.desk;
    const ShownDuel& shown = desk.duel().shown();
    const bool free = !desk.isRunning() && !desk.isBusy();
    m_duel->setEnabled(free && hindrance.isEmpty());
    m_save->setEnabled(shown.record && !desk.duel().isSaving());
    m_add->setEnabled(free && desk.duel().mayAddToHistory());
    m_add->setToolTip(shown.record && !desk.duel().mayAddToHistory()
                          ? tr("This duel is in the history")
                          : tr("Keep the duel in the history as a relative change"));
    m_copy->setEnabled(!shown.isEmpty());
}

void DuelActions::connectDesk() {
    DuelDesk* duel = &m_context.desk.duel();
    connect(duel, &DuelDesk::progressed, this, [this](double fraction, const QString& what) {
        if (!m_dialog) return;
        m_dialog->jobBar().setText(toSentence(what.toStdString()));
        m_dialog->jobBar().setFraction(fraction);
    });
    connect(duel, &DuelDesk::begun, this, [this] {
        m_context.messages.clear(duelSubject);
        m_context.messages.clear(unkeptDuelSubject);
        remember();
        if (m_dialog) m_dialog->accept();
        m_dialog = nullptr;
        Q_EMIT begun();
    });
    connect(duel, &DuelDesk::runningChanged, this, [this](bool running) {
        if (!m_dialog || running) return;
        m_dialog->jobBar().end();
        m_dialog->setBusy(false);
    });
    connect(duel, &DuelDesk::refused, this, [this](const Error& error) {
        const QString text = toSentence(error.message);
        if (m_dialog) {
            m_dialog->setRefusal(text);
        } else {
            say(true, text);
        }
    });
    connect(duel, &DuelDesk::finished, this, [this](const KeptRun& kept) {
        const ShownDuel& shown = m_context.desk.duel().shown();
        const Duel& measured = shown.record->duel;
        Q_EMIT message(measured.cancelled
                           ? tr("Duel cancelled: %1 of %n case(s) kept", nullptr, int(measured.case_total))
                                 .arg(measured.cases.size())
                           : tr("Duel done: %1").arg(toText(verdict_counts(measured))));
        if (!kept.problem.isEmpty()) {
            m_context.messages.show(
                unkeptDuelSubject, MessageArea::Severity::warning,
                tr("This duel is not in the history: %1. Save its record to keep it.").arg(kept.problem),
                {{tr("Save record…"), [this] { save(); }}});
        }
    });
    connect(duel, &DuelDesk::cancelledEmpty, this, [this] {
        if (!m_dialog)
            say(false, tr("Cancelled before the first case was complete: there is nothing to keep."));
    });
    connect(duel, &DuelDesk::failed, this, [this](const QString& why) {
        m_context.messages.show(duelSubject, MessageArea::Severity::error,
                                tr("The duel could not be measured: %1").arg(why),
                                {{tr("Duel with…"), [this] { ask(); }}});
        Q_EMIT message(tr("The duel could not be measured: %1").arg(why));
    });
    // Its button saves what is shown.
    const auto look = [this, duel] {
        if (!duel->shown().isUnkept()) m_context.messages.clear(unkeptDuelSubject);
    };
    for (const auto changed : {&DuelDesk::stateChanged, &DuelDesk::shownChanged}) {
        connect(duel, changed, this, look);
        connect(duel, changed, this, &DuelActions::offerAside);
    }
    connect(duel, &DuelDesk::runningChanged, this, &DuelActions::offerAside);
    connect(duel, &DuelDesk::opened, this, [this, duel] {
        Q_EMIT message(tr("Opened the duel %1").arg(recordNameAt(toText(duel->shown().record->path))));
    });
    connect(duel, &DuelDesk::addedToHistory, this, [this](bool isNew) {
        say(false, isNew ? tr("The duel is in the history.") : tr("The duel was in the history already."));
    });
    connect(duel, &DuelDesk::saved, this,
            [this](const QString& directory, bool accepted, const QString& verdict) {
                if (m_saveDialog) {
                    m_context.session.settings().signing_key = m_saveDialog->key().toStdString();
                    m_context.session.keepExportFolder(m_saveDialog->folder());
                    m_saveDialog->accept();
                }
                m_saveDialog = nullptr;
                const QString text =
                    tr("The record was written to %1. %2").arg(QDir::toNativeSeparators(directory), verdict);
                m_context.messages.show(
                    duelSubject, accepted ? MessageArea::Severity::info : MessageArea::Severity::error, text,
                    {{tr("Open folder"),
                      [directory] { QDesktopServices::openUrl(QUrl::fromLocalFile(directory)); }},
                     {tr("Copy path"), [directory] { QApplication::clipboard()->setText(directory); }}});
                if (accepted) m_context.messages.clear(unkeptDuelSubject);
                Q_EMIT message(text);
            });
    connect(duel, &DuelDesk::saveFailed, this, [this](const QString& why) {
        if (m_saveDialog) {
            m_saveDialog->jobBar().end();
            m_saveDialog->setBusy(false);
            m_saveDialog->setRefusal(why);
        } else {
            say(true, why);
        }
    });
}

// Beginning ---------------------------------------------------------------------------------------------

void DuelActions::ask() {
    if (m_dialog || !m_duel->isEnabled()) return;
    Q_EMIT attentionWanted();
    m_context.form.refresh();
    m_dialog = new DuelDialog(
        planDuel(m_context.form.choices(), {m_context.session.image(), m_context.session.recipe()}),
        m_context.session.settings(), m_context.page);
    connect(m_dialog, &FormDialog::submitted, this, &DuelActions::submit);
    connect(m_dialog, &FormDialog::cancelRequested, &m_context.desk, &RecordDesk::cancelRun);
    m_dialog->open();
}

void DuelActions::askWith(const QString& base) {
    ask();
    if (m_dialog) m_dialog->setBase(base);
}

void DuelActions::submit() {
    m_dialog->setBusy(true);
    m_dialog->jobBar().begin(tr("Looking at both libraries"));
    m_context.desk.startDuel(m_dialog->request());
    if (m_context.desk.isRunning()) return;
    m_dialog->jobBar().end();
    m_dialog->setBusy(false);
    m_dialog->setRefusal(tr("A record is still being worked on. Start the duel when that is done."));
}

// What a person chose is offered again.
void DuelActions::remember() {
    if (!m_dialog) return;
    const DuelRequest request = m_dialog->request();
    Settings& settings = m_context.session.settings();
    if (request.revision.isEmpty()) {
        settings.add_duel_base(toPath(request.base));
    } else {
        settings.duel_source = request.source.toStdString();
    }
    m_context.session.saveSettings();
}

// Afterwards --------------------------------------------------------------------------------------------

void DuelActions::save() {
    const DuelRecordPtr record = m_context.desk.duel().shown().record;
    if (!record || m_saveDialog) return;
    const QString folder = m_context.exports.directory();
    const QString first = nameFor(*record);
    QString name = first;
    for (int i = 2; QDir(folder).exists(name); ++i) name = QStringLiteral("%1-%2").arg(first).arg(i);
    m_saveDialog =
        new SaveDuelDialog(folder, name, toText(m_context.session.settings().signing_key), m_context.page);
    // Something else may be shown when it is submitted.
    connect(m_saveDialog, &FormDialog::submitted, this, [this, record] {
        m_saveDialog->setBusy(true);
        m_saveDialog->jobBar().begin(tr("Writing and verifying the record"));
        m_context.desk.duel().save(record, m_saveDialog->directory(), m_saveDialog->key());
    });
    connect(m_saveDialog, &FormDialog::cancelRequested, &m_context.desk.duel(), &DuelDesk::cancelSaving);
    m_saveDialog->open();
}

void DuelActions::copyCommand() {
    const QString command = m_context.desk.duel().commandLine();
    if (command.isEmpty()) return;
    QApplication::clipboard()->setText(command);
    say(false, tr("Copied: %1").arg(command));
}

void DuelActions::offerAside() {
    DuelDesk& duel = m_context.desk.duel();
    if (duel.aside().empty() || duel.isRunning()) {
        m_context.messages.clear(duelAsideSubject);
        return;
    }
    m_context.messages.show(duelAsideSubject, MessageArea::Severity::warning,
                            tr("The duel before was neither saved nor kept in the history."),
                            {{tr("Show it again"), [&duel] { duel.showAside(); }}});
}

}  // namespace workbench
