// SPDX-License-Identifier: MIT
#include "ui/release/release_commands.h"

#include <QAction>
#include <QDir>
#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>
#include <utility>

#include "ui/release/release_dialogs.h"
#include "ui/release/release_model.h"
#include "ui/release/sign_off_dialog.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/job_bar.h"

namespace workbench {

ReleaseCommands::ReleaseCommands(ReleaseModel& model, Session& session, QWidget& page)
    : QObject(&page),
      begin(make(QStringLiteral("add"), tr("&New release…"), tr("Begin a release in a folder of its own"),
                 [this] { beginRelease(); })),
      open(make(QStringLiteral("open"), tr("&Open a release…"), tr("Open a release's folder"),
                [this] { openRelease(); })),
      reload(make(QStringLiteral("refresh"), tr("Read &again"),
                  tr("Read the release and hash its evidence again (F5)"), [this] { m_model.reload(); })),
      attach(make(QStringLiteral("add"), tr("A&ttach evidence…"),
                  tr("Copy a file or a record into the release"), [this] { attachEvidence(); })),
      waive(make(QStringLiteral("warning"), tr("&Waive…"), tr("Waive a requirement for a time"),
                 [this] { waiveRequirement(); })),
      signOff(make(QStringLiteral("check"), tr("&Sign off…"), tr("Sign what the page shows"),
                   [this] { signOffRole(); })),
      verify(make(QStringLiteral("check"), tr("&Verify"),
                  tr("Check the log, the signatures and every file's hash"), [this] { m_model.verify(); })),
      exportArchive(make(QStringLiteral("export"), tr("&Export as an archive…"),
                         tr("Write the release as one archive that verifies where it is unpacked"),
                         [this] { exportRelease(); })),
      promote(make(QStringLiteral("release"), tr("&Promote…"), {}, [this] { promoteRelease(); })),
      cancel(new QAction(tr("Cancel"), this)),
      m_model(model),
      m_session(session),
      m_page(page) {
    for (const auto& [action, text] :
         {std::pair{attach, tr("Attach…")}, std::pair{waive, tr("Waive…")},
          std::pair{signOff, tr("Sign off…")}, std::pair{verify, tr("Verify")},
          std::pair{exportArchive, tr("Export…")}, std::pair{promote, tr("Promote…")}}) {
        action->setIconText(QLatin1Char(' ') + text);
    }
    connect(cancel, &QAction::triggered, &m_model, &ReleaseModel::cancel);
    reload->setShortcut(QKeySequence(Qt::Key_F5));
    cancel->setShortcut(QKeySequence(Qt::Key_Escape));
    cancel->setEnabled(false);
    for (QAction* action : {reload, cancel}) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        m_page.addAction(action);
    }
    connect(&m_model, &ReleaseModel::stateChanged, this, &ReleaseCommands::showState);
    connectDialogs();
    showState();
}

QAction* ReleaseCommands::make(const QString& icon, const QString& text, const QString& help,
                               const std::function<void()>& run) {
    auto* action = new QAction(themedIcon(icon), text, this);
    action->setToolTip(help);
    action->setStatusTip(help);
    connect(action, &QAction::triggered, this, [this, run] {
        Q_EMIT triggered();
        run();
    });
    return action;
}

QList<QAction*> ReleaseCommands::forMenu() const {
    return {begin, open, reload, nullptr, attach, waive, signOff, nullptr, verify, exportArchive, promote};
}

void ReleaseCommands::showState() {
    // Not while reading: what is seen again every now and then must not flicker.
    const bool free = !m_model.isWorking();
    const bool isOpen = m_model.snapshot() != nullptr;
    for (QAction* action : {begin, open}) action->setEnabled(free);
    for (QAction* action : {reload, verify, exportArchive}) action->setEnabled(isOpen && free);
    for (QAction* action : {attach, waive}) action->setEnabled(m_model.mayChange());
    signOff->setEnabled(m_model.mayChange() && !m_model.snapshot()->release.state.holders.empty());
    promote->setEnabled(m_model.mayPromote());
    const QString standing = m_model.standing();
    promote->setToolTip(standing);
    if (isOpen) promote->setStatusTip(standing);
}

void ReleaseCommands::connectDialogs() {
    connect(&m_model, &ReleaseModel::jobStarted, this, [this](const QString& what, bool asked) {
        cancel->setEnabled(true);
        if (!m_dialog || !asked) return;
        m_dialog->setBusy(true);
        m_dialog->jobBar().begin(what);
    });
    connect(&m_model, &ReleaseModel::jobProgressed, this, [this](double fraction, const QString& what) {
        if (!m_dialog || !m_dialog->jobBar().isActive()) return;
        m_dialog->jobBar().setText(what);
        m_dialog->jobBar().setFraction(fraction);
    });
    connect(&m_model, &ReleaseModel::jobEnded, this, [this] {
        cancel->setEnabled(false);
        if (!m_dialog) return;
        m_dialog->jobBar().end();
        m_dialog->setBusy(false);
    });
    connect(&m_model, &ReleaseModel::changeDone, this, [this] {
        if (m_dialog) m_dialog->accept();
        m_dialog = nullptr;
    });
    const auto refuse = [this](const QString& why) {
        if (m_dialog) m_dialog->setRefusal(why);
    };
    connect(&m_model, &ReleaseModel::changeRefused, this, refuse);
    connect(&m_model, &ReleaseModel::changedOnDisk, this, refuse);
}

void ReleaseCommands::ask(FormDialog* dialog, const std::function<void()>& submit) {
    m_dialog = dialog;
    connect(dialog, &FormDialog::submitted, this, submit);
    connect(dialog, &FormDialog::cancelRequested, &m_model, &ReleaseModel::cancel);
    dialog->open();
}

void ReleaseCommands::openRelease() {
    const auto& snapshot = m_model.snapshot();
    const QString path = QFileDialog::getExistingDirectory(
        &m_page, tr("Open a release's folder"),
        snapshot ? fromPath(snapshot->directory.parent_path()) : QDir::currentPath());
    if (!path.isEmpty()) m_model.open(toPath(QDir::cleanPath(path)));
}

void ReleaseCommands::beginRelease() {
    if (m_model.isWorking()) return;
    const auto& snapshot = m_model.snapshot();
    const QString base = snapshot ? fromPath(snapshot->directory.parent_path())
                                  : QDir::current().filePath(QStringLiteral("release_records"));
    auto* dialog = new NewReleaseDialog(base, &m_page);
    ask(dialog, [this, dialog] {
        const NewReleaseDialog::Answer answer = dialog->answer();
        m_model.begin(answer.base, answer.release, answer.keys);
    });
}

void ReleaseCommands::attachFileAs(const QString& kind) {
    if (!m_model.mayChange()) return;
    const auto found = evidence_kind_from_name(kind.toStdString());
    const bool isRecord = found && found->is_record();
    const QString title = tr("Attach as %1").arg(kind);
    const QString from = QString::fromStdString(m_session.settings().last_directory);
    const QString path = isRecord ? QFileDialog::getExistingDirectory(&m_page, title, from)
                                  : QFileDialog::getOpenFileName(&m_page, title, from);
    if (!path.isEmpty()) attachEvidence(kind, path);
}

void ReleaseCommands::attachEvidence(const QString& kind, const QString& path) {
    if (!m_model.mayChange()) return;
    auto* dialog = new AttachDialog(*m_model.snapshot(), kind, path, &m_page);
    ask(dialog, [this, dialog] {
        const AttachDialog::Answer answer = dialog->answer();
        m_model.attach(answer.kind, answer.file, answer.name, answer.commit);
    });
}

void ReleaseCommands::waiveRequirement(const QString& scope) {
    if (!m_model.mayChange()) return;
    auto* dialog = new WaiverDialog(*m_model.snapshot(), scope, &m_page);
    ask(dialog, [this, dialog] { m_model.waive(dialog->answer()); });
}

void ReleaseCommands::signOffRole(const QString& role) {
    if (!m_model.mayChange()) return;
    auto* dialog = new SignOffDialog(m_model.snapshot(), role, &m_page);
    ask(dialog, [this, dialog] {
        const SignOffDialog::Answer answer = dialog->answer();
        m_model.signOff(answer.role, answer.person, answer.key, answer.seen);
    });
}

void ReleaseCommands::promoteRelease() {
    if (!m_model.mayPromote()) return;
    auto* box = new QMessageBox(QMessageBox::Question, tr("Promote"),
                                tr("Promote %1?").arg(toText(m_model.snapshot()->release.state.id)),
                                QMessageBox::Cancel, &m_page);
    box->setObjectName(QStringLiteral("promoteBox"));
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(
        tr("The release is verified and evaluated again, then closed: nothing can be "
           "attached, waived or signed afterwards."));
    auto* yes = box->addButton(tr("Promote"), QMessageBox::AcceptRole);
    box->setDefaultButton(QMessageBox::Cancel);
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(yes, &QPushButton::clicked, &m_model, &ReleaseModel::promote);
    box->open();
}

void ReleaseCommands::exportRelease() {
    if (!m_model.snapshot() || m_model.isWorking()) return;
    const QString file = QFileDialog::getSaveFileName(
        &m_page, tr("Export the release as an archive"),
        m_session.inExportFolder(toText(m_model.snapshot()->release.state.id) + QStringLiteral(".tar.gz")),
        tr("Archives (*.tar.gz *.tgz *.tar)"));
    if (!file.isEmpty()) m_model.exportTo(file);
}

}  // namespace workbench
