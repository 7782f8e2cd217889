// SPDX-License-Identifier: MIT
// What the release page does: opening, reading again, and each change with the dialog that asks for it.
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QTimer>
#include <QUrl>

#include "core/support/signing.h"
#include "ui/release/release_dialogs.h"
#include "ui/release/release_page.h"
#include "ui/release/release_watcher.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/widgets/job_bar.h"
#include "ui/widgets/message_bar.h"

namespace workbench {
namespace {

using Severity = MessageArea::Severity;

const auto workSubject = QStringLiteral("release");
const auto diskSubject = QStringLiteral("disk");

constexpr qsizetype mostLines = 12;
constexpr qsizetype longestLine = 300;

bool isCancelled(const Error& error) {
    return error.kind == ErrorKind::cancelled;
}

// What another process did between two readings; empty: nothing that is seen.
QString differenceOf(const ReleaseView& before, const ReleaseView& now) {
    const ReleaseState& old = before.release.state;
    const ReleaseState& state = now.release.state;
    if (old.log_head != state.log_head) {
        if (state.entries > old.entries) {
            return ReleasePage::tr(
                "Another process changed the release on disk: %n change(s) were added. "
                "It is shown as it is now.",
                nullptr, int(state.entries - old.entries));
        }
        return ReleasePage::tr(
            "The release on disk is another one than was shown. It is shown as it is now.");
    }
    for (std::size_t i = 0; i < now.evidence.size(); ++i) {
        if (now.evidence[i].state != before.evidence[i].state) {
            return ReleasePage::tr("The files of the release were changed on disk: evidence/%1 now %2.")
                .arg(toText(state.attachments[i].name), now.evidence[i].state == EvidenceState::matches
                                                            ? ReleasePage::tr("matches again")
                                                        : now.evidence[i].state == EvidenceState::missing
                                                            ? ReleasePage::tr("is missing")
                                                            : ReleasePage::tr("is not what was attached"));
        }
    }
    return {};
}

}  // namespace

void ReleasePage::connectJob() {
    connect(m_job, &ReleaseJob::started, this, [this](const QString& what) {
        if (m_working) {
            m_bar->begin(what);
        } else {
            m_patience->start();  // a short reading that nobody asked for moves nothing
        }
        m_stop->setEnabled(true);
        if (m_dialog && m_working) {
            m_dialog->setBusy(true);
            m_dialog->jobBar().begin(what);
        }
        showState();
    });
    connect(m_job, &ReleaseJob::progressed, this, [this](double fraction, const QString& what) {
        for (JobBar* bar : {m_bar, m_dialog ? &m_dialog->jobBar() : nullptr}) {
            if (!bar || !bar->isActive()) continue;
            bar->setText(what);
            bar->setFraction(fraction);
        }
    });
    connect(m_job, &ReleaseJob::finished, this, [this] {
        m_working = false;
        m_changing = false;
        m_patience->stop();
        m_bar->end();
        m_stop->setEnabled(false);
        if (m_dialog) {
            m_dialog->jobBar().end();
            m_dialog->setBusy(false);
        }
        showState();
        if (const auto next = std::exchange(m_next, {})) {
            next();
        } else if (std::exchange(m_reloadWanted, false)) {
            readAgain();
        }
    });
    connect(m_bar, &JobBar::cancelRequested, this, &ReleasePage::cancel);
    m_patience = new QTimer(this);
    m_patience->setSingleShot(true);
    m_patience->setInterval(350);
    connect(m_patience, &QTimer::timeout, this, [this] { m_bar->begin(tr("Reading the release again")); });
}

void ReleasePage::cancel() {
    m_next = {};
    m_job->cancel();
}

void ReleasePage::work(const QString& what, bool changes, ReleaseJob::Work work) {
    const auto start = [this, what, changes, work = std::move(work)] {
        m_working = true;
        m_changing = changes;
        m_job->start(what, work);
    };
    if (!m_job->isRunning()) {
        start();
        return;
    }
    m_next = start;
    m_job->cancel();
}

void ReleasePage::tell(bool failed, const QString& text) {
    m_messages->show(workSubject, failed ? Severity::error : Severity::info, text);
}

// Reading -----------------------------------------------------------------------------------------------

void ReleasePage::openRelease() {
    const QString path = QFileDialog::getExistingDirectory(
        this, tr("Open a release's folder"),
        m_view ? pathText(m_view->directory.parent_path()) : QDir::currentPath());
    if (!path.isEmpty()) openDirectory(path);
}

void ReleasePage::openDirectory(const QString& path) {
    if (m_working) return;
    m_messages->clear(workSubject);
    m_messages->clear(diskSubject);
    work(tr("Reading the release"), false,
         [this, directory = pathFrom(QDir::cleanPath(path))](const TaskControl& control) -> ReleaseJob::Tell {
             return [this, read = readRelease(directory, control)] {
                 if (read) {
                     display(*read);
                 } else if (!isCancelled(read.error())) {
                     tell(true, toSentence(read.error().message));
                 }
             };
         });
}

void ReleasePage::reload() {
    if (!m_view || m_working) return;
    m_messages->clear(workSubject);
    readAgain();
}

void ReleasePage::readAgain() {
    if (!m_view) return;
    if (m_job->isRunning()) {
        m_reloadWanted = true;
        return;
    }
    m_job->start(tr("Reading the release again"),
                 [this, directory = m_view->directory](const TaskControl& control) -> ReleaseJob::Tell {
                     return [this, read = readRelease(directory, control)] { follow(read); };
                 });
}

void ReleasePage::follow(const Result<ReleaseViewPtr>& read) {
    if (!read) {
        if (isCancelled(read.error())) {
            if (m_next) return;  // what was asked for meanwhile reads it too
            m_unread = true;
            m_messages->show(diskSubject, Severity::warning,
                             tr("Reading was cancelled: the release on disk may not be what is shown."),
                             {{tr("Read again"), [this] { reload(); }}});
            return;
        }
        m_unreadable = true;
        m_messages->show(diskSubject, Severity::error, toSentence(read.error().message));
        return;
    }
    const QString difference = differenceOf(*m_view, **read);
    if (m_unreadable || m_unread) m_messages->clear(diskSubject);
    m_unread = false;
    display(*read);
    if (difference.isEmpty()) return;
    m_messages->show(diskSubject, Severity::warning, difference);
    if (m_dialog) m_dialog->setRefusal(difference);
}

// Changing ----------------------------------------------------------------------------------------------

void ReleasePage::change(const QString& what, const QString& done, const std::filesystem::path& directory,
                         Change change) {
    if (m_working) return;
    m_messages->clear(workSubject);
    work(what, true,
         [this, done, directory, change = std::move(change)](const TaskControl& control) -> ReleaseJob::Tell {
             const Result<void> changed = change(control);
             // After a refusal too: it may be one because the release is another by now. And after a change
             // whatever was asked since, for what is shown must be what is signed.
             const auto read = readRelease(directory, changed ? TaskControl{} : control);
             return [this, done, directory, changed, read] {
                 if (read && (changed || (m_view && m_view->directory == directory))) display(*read);
                 if (changed) {
                     m_messages->clear(diskSubject);
                     if (m_dialog) m_dialog->accept();
                     m_dialog = nullptr;
                     tell(false, done);
                 } else if (isCancelled(changed.error())) {
                     tell(false, tr("Cancelled: nothing was changed."));
                 } else {
                     const QString text = toSentence(changed.error().message);
                     tell(true, text);
                     if (m_dialog) m_dialog->setRefusal(text);
                 }
                 if (changed && !read) {
                     m_unreadable = m_view != nullptr;
                     tell(true, toSentence(read.error().message));
                 }
             };
         });
}

void ReleasePage::ask(ReleaseDialog* dialog, const std::function<void()>& submit) {
    m_dialog = dialog;
    connect(dialog, &ReleaseDialog::submitted, this, submit);
    connect(dialog, &ReleaseDialog::cancelRequested, this, &ReleasePage::cancel);
    dialog->open();
}

void ReleasePage::beginRelease() {
    if (m_working) return;
    const QString base = m_view ? pathText(m_view->directory.parent_path())
                                : QDir::current().filePath(QStringLiteral("release_records"));
    auto* dialog = new NewReleaseDialog(base, this);
    ask(dialog, [this, dialog] {
        const NewReleaseDialog::Answer answer = dialog->answer();
        const auto directory = answer.base / answer.release.id;
        change(tr("Beginning the release"), tr("The release %1 was begun.").arg(toText(answer.release.id)),
               directory, [answer](const TaskControl&) -> Result<void> {
                   NewRelease release = answer.release;
                   for (const auto& [role, text] : answer.keys) {
                       const auto key = public_key_from(text);
                       if (!key) return std::unexpected(key.error());
                       release.holders.emplace(role, *key);
                   }
                   std::error_code error;
                   std::filesystem::create_directories(answer.base, error);  // writing says what failed
                   return new_release(answer.base, release);
               });
    });
}

// From the board, where the kind is known: first the file, then what else must be said of it.
void ReleasePage::chooseAndAttach(const QString& kind) {
    if (!mayChange()) return;
    const auto found = evidence_kind_from_name(kind.toStdString());
    const bool isRecord = found && found->format == EvidenceKind::Format::record;
    const QString title = tr("Attach as %1").arg(kind);
    const QString from = QString::fromStdString(m_session.settings().last_directory);
    const QString path = isRecord ? QFileDialog::getExistingDirectory(this, title, from)
                                  : QFileDialog::getOpenFileName(this, title, from);
    if (!path.isEmpty()) attachEvidence(kind, path);
}

void ReleasePage::attachEvidence(const QString& kind, const QString& path) {
    if (!mayChange()) return;
    auto* dialog = new AttachDialog(*m_view, kind, path, this);
    ask(dialog, [this, dialog, directory = m_view->directory] {
        const AttachDialog::Answer answer = dialog->answer();
        const QString name = pathText(answer.file.filename());
        change(tr("Attaching %1").arg(name), tr("%1 is attached as %2.").arg(name, toText(answer.kind)),
               directory, [answer, directory](const TaskControl& control) -> Result<void> {
                   const auto done =
                       attach(directory, answer.kind, answer.file, answer.name, answer.commit, control);
                   if (!done) return std::unexpected(done.error());
                   return {};
               });
    });
}

void ReleasePage::waiveRequirement(const QString& scope) {
    if (!mayChange()) return;
    auto* dialog = new WaiverDialog(*m_view, scope, this);
    ask(dialog, [this, dialog, directory = m_view->directory] {
        const Waiver waiver = dialog->answer();
        change(tr("Waiving"), tr("%1 is waived until %2.").arg(toText(waiver.scope), toText(waiver.expires)),
               directory, [waiver, directory](const TaskControl&) { return waive(directory, waiver); });
    });
}

void ReleasePage::signOffRole(const QString& role) {
    if (!mayChange()) return;
    auto* dialog = new SignOffDialog(m_view, role, this);
    ask(dialog, [this, dialog, directory = m_view->directory] {
        const SignOffDialog::Answer answer = dialog->answer();
        change(tr("Signing off"), tr("%1 signed off as %2.").arg(toText(answer.person), toText(answer.role)),
               directory, [answer, directory](const TaskControl& control) -> Result<void> {
                   const auto key = SigningKey::load(answer.key);
                   if (!key) return std::unexpected(key.error());
                   return sign_off(directory, answer.role, answer.person, *key, answer.seen, control);
               });
    });
}

void ReleasePage::promote() {
    if (!mayChange() || !m_view->blocker().isEmpty()) return;
    auto* box =
        new QMessageBox(QMessageBox::Question, tr("Promote"),
                        tr("Promote %1?").arg(toText(m_view->release.state.id)), QMessageBox::Cancel, this);
    box->setObjectName(QStringLiteral("promoteBox"));
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(
        tr("The release is verified and evaluated again, then closed: nothing can be "
           "attached, waived or signed afterwards."));
    auto* yes = box->addButton(tr("Promote"), QMessageBox::AcceptRole);
    box->setDefaultButton(QMessageBox::Cancel);
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(yes, &QPushButton::clicked, this, [this, directory = m_view->directory] {
        change(tr("Promoting"), tr("The release is promoted."), directory,
               [directory](const TaskControl& control) { return workbench::promote(directory, control); });
    });
    box->open();
}

// Checking and exporting --------------------------------------------------------------------------------

void ReleasePage::verify() {
    if (!m_view || m_working) return;
    m_messages->clear(workSubject);
    work(tr("Verifying"), false,
         [this, directory = m_view->directory](const TaskControl& control) -> ReleaseJob::Tell {
             return [this, v = verify_release(directory, control)] {
                 if (!v) {
                     tell(!isCancelled(v.error()), isCancelled(v.error()) ? tr("Verifying was cancelled.")
                                                                          : toSentence(v.error().message));
                     return;
                 }
                 QStringList lines;
                 for (const auto& list : {v->problems, v->notes}) {
                     for (const std::string& text : list) lines << bounded(toText(text), longestLine);
                 }
                 if (lines.size() > mostLines) {
                     const auto more = lines.size() - mostLines;
                     lines = lines.mid(0, mostLines) << tr("and %1 more").arg(more);
                 }
                 const QString more =
                     lines.isEmpty() ? QString() : QLatin1Char('\n') + lines.join(QLatin1Char('\n'));
                 tell(!v->problems.empty(),
                      v->problems.empty()
                          ? tr("Verified: accepted, %n check(s) passed.", nullptr, int(v->checked.size())) +
                                more
                          : tr("It does not verify:") + more);
             };
         });
}

void ReleasePage::exportArchive() {
    if (!m_view || m_working) return;
    const std::string& directory = m_session.settings().export_directory;
    const QDir folder(directory.empty() ? QDir::homePath() : QString::fromStdString(directory));
    const QString file = QFileDialog::getSaveFileName(
        this, tr("Export the release as an archive"),
        folder.filePath(toText(m_view->release.state.id) + QStringLiteral(".tar.gz")),
        tr("Archives (*.tar.gz *.tgz *.tar)"));
    if (!file.isEmpty()) exportTo(file);
}

void ReleasePage::exportTo(const QString& file) {
    if (!m_view || m_working) return;
    m_messages->clear(workSubject);
    work(tr("Exporting"), true,
         [this, directory = m_view->directory, file](const TaskControl& control) -> ReleaseJob::Tell {
             return [this, file, hash = export_release(directory, pathFrom(file), control)] {
                 if (!hash) {
                     tell(!isCancelled(hash.error()),
                          isCancelled(hash.error()) ? tr("Exporting was cancelled; nothing was written.")
                                                    : toSentence(hash.error().message));
                     return;
                 }
                 const QString folder = QFileInfo(file).absolutePath();
                 m_session.settings().export_directory = folder.toStdString();
                 m_session.saveSettings();
                 const QString text = tr("The release was written to %1, SHA-256 %2")
                                          .arg(QDir::toNativeSeparators(file), toText(*hash));
                 m_messages->show(workSubject, Severity::info, text,
                                  {{tr("Open folder"),
                                    [folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); }},
                                   {tr("Copy SHA-256"),
                                    [sha = toText(*hash)] { QApplication::clipboard()->setText(sha); }}});
             };
         });
}

}  // namespace workbench
