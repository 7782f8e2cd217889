// SPDX-License-Identifier: MIT
#include "ui/release/release_model.h"

#include <QDir>
#include <QFileInfo>
#include <system_error>

#include "core/support/signing.h"
#include "core/support/try.h"
#include "ui/release/release_watcher.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;

constexpr qsizetype mostLines = 12;
constexpr qsizetype longestLine = 300;

bool isCancelled(const Error& error) {
    return error.kind == ErrorKind::cancelled;
}

// Returns the first lines, and how many more there are.
QString linesOf(const ReleaseVerification& verification) {
    QStringList lines;
    for (const auto& list : {verification.problems, verification.notes}) {
        for (const std::string& text : list) lines << bounded(toText(text), longestLine);
    }
    if (lines.size() > mostLines) {
        const auto more = lines.size() - mostLines;
        lines = lines.mid(0, mostLines) << ReleaseModel::tr("and %1 more").arg(more);
    }
    return lines.isEmpty() ? QString() : QLatin1Char('\n') + lines.join(QLatin1Char('\n'));
}

}  // namespace

ReleaseModel::ReleaseModel(QObject* parent)
    : QObject(parent), m_watcher(new ReleaseWatcher(this)), m_job(JobPolicy::newest_wins) {
    connect(m_watcher, &ReleaseWatcher::changed, this, &ReleaseModel::readAgain);
    connect(&m_job, &Job::progressed, this, [this](double fraction, const QString& at) {
        Q_EMIT jobProgressed(fraction, QStringLiteral("%1: %2").arg(m_job.what(), at));
    });
    // When the result was delivered: what may be done next is shown with what it is done to.
    connect(&m_job, &Job::idle, this, [this] {
        m_working = false;
        m_changing = false;
        Q_EMIT jobEnded();
        Q_EMIT stateChanged();
        if (std::exchange(m_reloadWanted, false)) readAgain();
    });
}

ReleaseModel::~ReleaseModel() = default;

bool ReleaseModel::mayChange() const {
    return m_snapshot != nullptr && !m_snapshot->isClosed() && !m_unreadable && !m_working;
}

bool ReleaseModel::mayPromote() const {
    return mayChange() && m_snapshot->blocker().isEmpty();
}

bool ReleaseModel::isRejected() const {
    return m_snapshot != nullptr &&
           (m_unreadable || (m_snapshot->isClosed() && !m_snapshot->blocker().isEmpty()));
}

QString ReleaseModel::standing() const {
    if (!m_snapshot) return tr("Open a release first");
    if (m_unreadable) return tr("It could not be read again: what is shown is as it was.");
    const ReleaseState& state = m_snapshot->release.state;
    const QString blocker = m_snapshot->blocker();
    if (m_snapshot->isClosed()) {
        return blocker.isEmpty()
                   ? tr("Promoted on %1, and closed.").arg(toText(*state.promoted_utc))
                   : tr("Not accepted: it could not be promoted as the log says: %1").arg(blocker);
    }
    if (blocker.isEmpty()) {
        return tr("May be promoted: everything that the stage %1 needs holds.")
            .arg(toText(name_of(state.stage)));
    }
    const auto more = m_snapshot->release.evaluation.blockers().size() - 1;
    const QString text = tr("May not be promoted: %1").arg(blocker);
    return more > 0 ? text + tr(" (and %1 more)").arg(more) : text;
}

// Messages ----------------------------------------------------------------------------------------------

const ReleaseMessage* ReleaseModel::message(ReleaseSubject subject) const {
    const auto found = m_messages.find(subject);
    return found == m_messages.end() ? nullptr : &found->second;
}

void ReleaseModel::say(ReleaseSubject subject, ReleaseMessage message) {
    m_messages.insert_or_assign(subject, std::move(message));
    Q_EMIT messageShown(subject);
}

void ReleaseModel::sayWork(bool failed, const QString& text) {
    say(ReleaseSubject::work,
        {.severity = failed ? ReleaseMessage::Severity::error : ReleaseMessage::Severity::info,
         .text = text});
}

void ReleaseModel::takeBack(ReleaseSubject subject) {
    if (m_messages.erase(subject) > 0) Q_EMIT messageCleared(subject);
}

// Reading -----------------------------------------------------------------------------------------------

// Runs what a person asked for. A reading that is under way ends for it, delivers nothing and is done again
// after it.
template <class Work, class Deliver>
void ReleaseModel::work(const QString& what, bool changes, Work work, Deliver deliver) {
    m_reloadWanted = m_reloadWanted || m_job.isRunning();
    m_working = true;
    m_changing = changes;
    m_job.start(what, std::move(work), std::move(deliver));
    Q_EMIT jobStarted(what, true);
    Q_EMIT stateChanged();
}

void ReleaseModel::open(const fs::path& directory) {
    if (m_working) return;
    takeBack(ReleaseSubject::work);
    takeBack(ReleaseSubject::disk);
    work(
        tr("Reading the release"), false,
        [directory](const JobControl& control) { return readSnapshot(directory, control); },
        [this](const Result<ReleaseSnapshotPtr>& read) {
            if (read) {
                show(*read);
            } else if (!isCancelled(read.error())) {
                sayWork(true, toSentence(read.error().message));
            }
        });
}

void ReleaseModel::reload() {
    if (!m_snapshot || m_working) return;
    takeBack(ReleaseSubject::work);
    readAgain();
}

void ReleaseModel::readAgain() {
    if (!m_snapshot) return;
    if (m_job.isRunning()) {
        m_reloadWanted = true;
        return;
    }
    const QString what = tr("Reading the release again");
    m_job.start(
        what,
        [directory = m_snapshot->directory](const JobControl& control) {
            return readSnapshot(directory, control);
        },
        [this](const Result<ReleaseSnapshotPtr>& read) { follow(read); });
    Q_EMIT jobStarted(what, false);
}

void ReleaseModel::follow(const Result<ReleaseSnapshotPtr>& read) {
    if (!read && isCancelled(read.error())) {
        m_outdated = true;
        say(ReleaseSubject::disk,
            {.severity = ReleaseMessage::Severity::warning,
             .text = tr("Reading was cancelled: the release on disk may not be what is shown."),
             .offer = ReleaseMessage::Offer::readAgain});
        return;
    }
    if (!read) {
        setUnreadable(true);
        say(ReleaseSubject::disk,
            {.severity = ReleaseMessage::Severity::error, .text = toSentence(read.error().message)});
        return;
    }
    const QString difference = differenceOf(*m_snapshot, **read);
    if (m_unreadable || m_outdated) takeBack(ReleaseSubject::disk);
    show(*read);
    if (difference.isEmpty()) return;
    say(ReleaseSubject::disk, {.severity = ReleaseMessage::Severity::warning, .text = difference});
    Q_EMIT changedOnDisk(difference);
}

void ReleaseModel::show(ReleaseSnapshotPtr snapshot) {
    const bool isAnother = !m_snapshot || m_snapshot->directory != snapshot->directory;
    m_snapshot = std::move(snapshot);
    m_unreadable = false;
    m_outdated = false;
    m_watcher->watch(*m_snapshot);
    if (isAnother) Q_EMIT opened(QFileInfo(fromPath(m_snapshot->directory)).absoluteFilePath());
    Q_EMIT snapshotChanged();
    Q_EMIT stateChanged();
}

void ReleaseModel::setUnreadable(bool unreadable) {
    m_unreadable = unreadable;
    Q_EMIT stateChanged();
}

void ReleaseModel::cancel() {
    m_job.cancel();
}

// Changing ----------------------------------------------------------------------------------------------

void ReleaseModel::change(const QString& what, const QString& done, const fs::path& directory,
                          Change change) {
    if (m_working) return;
    takeBack(ReleaseSubject::work);
    work(
        what, true,
        [directory, change = std::move(change)](const JobControl& control) -> Result<Changed> {
            const Result<void> changed = change(control);
            // After a refusal too: it may be one because the release is another by now. And after a change
            // whatever was asked since, for what is shown must be what is signed.
            const TaskControl& asked = control;
            return Changed{changed, readSnapshot(directory, changed ? TaskControl{} : asked)};
        },
        [this, done, directory](const Result<Changed>& outcome) {
            if (outcome) return deliverChange(done, directory, *outcome);
            const auto failed = std::unexpected(outcome.error());  // by an exception
            deliverChange(done, directory, {failed, failed});
        });
}

void ReleaseModel::deliverChange(const QString& done, const fs::path& directory, const Changed& outcome) {
    const auto& [changed, read] = outcome;
    if (read && (changed || (m_snapshot && m_snapshot->directory == directory))) show(*read);
    if (changed) {
        takeBack(ReleaseSubject::disk);
        Q_EMIT changeDone();
        sayWork(false, done);
    } else if (isCancelled(changed.error())) {
        sayWork(false, tr("Cancelled: nothing was changed."));
    } else {
        const QString text = toSentence(changed.error().message);
        sayWork(true, text);
        Q_EMIT changeRefused(text);
    }
    if (changed && !read) {
        setUnreadable(m_snapshot != nullptr);
        sayWork(true, toSentence(read.error().message));
    }
}

void ReleaseModel::begin(const fs::path& base, const NewRelease& release,
                         const std::map<std::string, std::string>& keys) {
    change(tr("Beginning the release"), tr("The release %1 was begun.").arg(toText(release.id)),
           base / release.id, [base, plan = release, keys](const TaskControl&) -> Result<void> {
               NewRelease complete = plan;
               for (const auto& [role, text] : keys) {
                   IIR2D_TRY(const auto key, public_key_from(text));
                   complete.holders.emplace(role, key);
               }
               std::error_code error;
               fs::create_directories(base, error);  // writing says what failed
               return new_release(base, complete);
           });
}

void ReleaseModel::attach(const std::string& kind, const fs::path& file, const std::string& name,
                          const std::string& commit) {
    if (!m_snapshot) return;
    const QString shown = fromPath(file.filename());
    change(tr("Attaching %1").arg(shown), tr("%1 is attached as %2.").arg(shown, toText(kind)),
           m_snapshot->directory,
           [directory = m_snapshot->directory, kind, file, name,
            commit](const TaskControl& control) -> Result<void> {
               IIR2D_RETURN_IF_ERROR(workbench::attach(directory, kind, file, name, commit, control));
               return {};
           });
}

void ReleaseModel::waive(const Waiver& waiver) {
    if (!m_snapshot) return;
    change(tr("Waiving"), tr("%1 is waived until %2.").arg(toText(waiver.scope), toText(waiver.expires)),
           m_snapshot->directory, [directory = m_snapshot->directory, waiver](const TaskControl&) {
               return workbench::waive(directory, waiver);
           });
}

void ReleaseModel::signOff(const std::string& role, const std::string& person, const fs::path& key,
                           const std::string& seen) {
    if (!m_snapshot) return;
    change(tr("Signing off"), tr("%1 signed off as %2.").arg(toText(person), toText(role)),
           m_snapshot->directory,
           [directory = m_snapshot->directory, role, person, key,
            seen](const TaskControl& control) -> Result<void> {
               IIR2D_TRY(const auto loaded, SigningKey::load(key));
               return sign_off(directory, role, person, loaded, seen, control);
           });
}

void ReleaseModel::promote() {
    if (!m_snapshot) return;
    change(tr("Promoting"), tr("The release is promoted."), m_snapshot->directory,
           [directory = m_snapshot->directory](const TaskControl& control) {
               return workbench::promote(directory, control);
           });
}

// Checking and exporting --------------------------------------------------------------------------------

void ReleaseModel::verify() {
    if (!m_snapshot || m_working) return;
    takeBack(ReleaseSubject::work);
    work(
        tr("Verifying"), false,
        [directory = m_snapshot->directory](const JobControl& control) {
            return verify_release(directory, control);
        },
        [this](const Result<ReleaseVerification>& v) {
            if (!v && isCancelled(v.error())) return sayWork(false, tr("Verifying was cancelled."));
            if (!v) return sayWork(true, toSentence(v.error().message));
            const bool accepted = v->problems.empty();
            sayWork(!accepted,
                    (accepted ? tr("Verified: accepted, %n check(s) passed.", nullptr, int(v->checked.size()))
                              : tr("It does not verify:")) +
                        linesOf(*v));
        });
}

void ReleaseModel::exportTo(const QString& file) {
    if (!m_snapshot || m_working) return;
    takeBack(ReleaseSubject::work);
    work(
        tr("Exporting"), true,
        [directory = m_snapshot->directory, path = toPath(file)](const JobControl& control) {
            return export_release(directory, path, control);
        },
        [this, file](const Result<std::string>& hash) {
            if (!hash && isCancelled(hash.error()))
                return sayWork(false, tr("Exporting was cancelled; nothing was written."));
            if (!hash) return sayWork(true, toSentence(hash.error().message));
            Q_EMIT exported(file);
            say(ReleaseSubject::work, {.severity = ReleaseMessage::Severity::info,
                                       .text = tr("The release was written to %1, SHA-256 %2")
                                                   .arg(QDir::toNativeSeparators(file), toText(*hash)),
                                       .offer = ReleaseMessage::Offer::archive,
                                       .archive = file,
                                       .sha256 = toText(*hash)});
        });
}

}  // namespace workbench
