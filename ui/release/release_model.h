// SPDX-License-Identifier: MIT
// The state of the release page: which release is open, how it stands, what runs on it, and what is said
// about that. Reads, hashes and changes off the GUI thread; follows what other processes do to the files. No
// widgets.
#pragma once

#include <QObject>
#include <QString>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "ui/release/release_snapshot.h"
#include "ui/session/job.h"

namespace workbench {

class ReleaseWatcher;

// The subject that a message replaces the last one of.
enum class ReleaseSubject { work, disk };

struct ReleaseMessage {
    enum class Severity { info, warning, error };
    enum class Offer { nothing, readAgain, archive };
    Severity severity = Severity::info;
    QString text;
    Offer offer = Offer::nothing;  // what a person can do next
    QString archive = {};          // of Offer::archive: the file that was written
    QString sha256 = {};           // and its hash
};

// Holds the open release. All members are called in the GUI thread. Functions that begin work return at once,
// and do nothing while work that a person asked for is under way. Core decides whether a change may be made:
// what it refuses becomes a message.
class ReleaseModel : public QObject {
    Q_OBJECT
  public:
    explicit ReleaseModel(QObject* parent = nullptr);
    ~ReleaseModel() override;

    const ReleaseSnapshotPtr& snapshot() const { return m_snapshot; }  // null: none is open
    bool isBusy() const { return m_job.isRunning(); }                  // reading or working
    bool isWorking() const { return m_working; }                       // what a person asked for is under way
    bool isChanging() const { return m_changing; }  // that is a change of the release, or writes an archive
    bool isUnreadable() const { return m_unreadable; }  // the snapshot could not be read again
    bool mayChange() const;
    bool mayPromote() const;
    // Says in a sentence how the release stands.
    QString standing() const;
    bool isRejected() const;  // it stands so that a person must look: unreadable, or a promotion not accepted
    // Returns the message about a subject; null: there is none, or it was withdrawn.
    const ReleaseMessage* message(ReleaseSubject subject) const;

    void open(const std::filesystem::path& directory);
    void reload();
    void verify();
    void exportTo(const QString& file);
    void cancel();

    // Begins a release. `keys`: role to a public key's file or digits.
    void begin(const std::filesystem::path& base, const NewRelease& release,
               const std::map<std::string, std::string>& keys);
    void attach(const std::string& kind, const std::filesystem::path& file, const std::string& name,
                const std::string& commit);
    void waive(const Waiver& waiver);
    // Signs off. `seen` is the hash of what the person was shown.
    void signOff(const std::string& role, const std::string& person, const std::filesystem::path& key,
                 const std::string& seen);
    void promote();

  Q_SIGNALS:
    void snapshotChanged();  // the release was read: another one, or again
    void stateChanged();     // what may be done, or how it stands, may be another
    void messageShown(ReleaseSubject subject);
    void messageCleared(ReleaseSubject subject);
    void opened(const QString& directory);  // another release than before is shown
    void exported(const QString& file);
    void changeDone();                       // what was asked for is done
    void changeRefused(const QString& why);  // it is not done; the release is as it was
    void changedOnDisk(const QString& difference);
    void jobStarted(const QString& what, bool asked);  // `asked`: by a person
    void jobProgressed(double fraction, const QString& what);
    void jobEnded();

  private:
    using Change = std::function<Result<void>(const TaskControl&)>;
    struct Changed {
        Result<void> done;
        Result<ReleaseSnapshotPtr> read;  // after it
    };

    template <class Work, class Deliver>
    void work(const QString& what, bool changes, Work work, Deliver deliver);
    void change(const QString& what, const QString& done, const std::filesystem::path& directory,
                Change change);
    void deliverChange(const QString& done, const std::filesystem::path& directory, const Changed& outcome);
    void readAgain();
    void follow(const Result<ReleaseSnapshotPtr>& read);
    void show(ReleaseSnapshotPtr snapshot);
    void setUnreadable(bool unreadable);
    void say(ReleaseSubject subject, ReleaseMessage message);
    void sayWork(bool failed, const QString& text);
    void takeBack(ReleaseSubject subject);

    ReleaseSnapshotPtr m_snapshot;
    std::map<ReleaseSubject, ReleaseMessage> m_messages;
    bool m_unreadable = false;
    bool m_outdated = false;      // reading again was cancelled
    bool m_reloadWanted = false;  // a job ran when the release should have been read again
    bool m_working = false;
    bool m_changing = false;
    ReleaseWatcher* m_watcher;
    Job m_job;  // last: it is joined before what its work delivers to goes
};

}  // namespace workbench
