// SPDX-License-Identifier: MIT
// The release page: one release's gates as a board, beside its evidence, waivers and sign-offs, and what a
// person can do to it. Reads, hashes and changes off the GUI thread; follows changes that others make on
// disk.
#pragma once

#include <QPointer>
#include <QWidget>

#include "ui/release/release_job.h"
#include "ui/release/release_view.h"

class QAction;
class QLabel;
class QSplitter;
class QStackedWidget;
class QTabWidget;
class QTimer;
class QToolButton;

namespace workbench {

class DropCue;
class ElidedLabel;
class EvidenceTable;
class GateBoard;
class JobBar;
class MarkLabel;
class MessageArea;
class ReleaseDialog;
class ReleaseWatcher;
class Session;
class SignOffTable;
class ToneLabel;
class WaiverTable;

class ReleasePage : public QWidget {
    Q_OBJECT
  public:
    explicit ReleasePage(Session& session, QWidget* parent = nullptr);
    ~ReleasePage() override;

    // What a menu offers; null stands for a separator.
    QList<QAction*> actionsForMenu() const;
    const ReleaseViewPtr& view() const { return m_view; }  // null: none is open
    bool isBusy() const { return m_job->isRunning(); }     // reading or working
    bool isChanging() const { return m_changing; }         // or writing an archive: more than reading

    GateBoard& board() const { return *m_board; }
    QTabWidget& tabs() const { return *m_tabs; }
    MessageArea& messages() const { return *m_messages; }
    QAction& promoteAction() const { return *m_promote; }

    // Without asking for a name.
    void openDirectory(const QString& path);
    void exportTo(const QString& file);

  public Q_SLOTS:
    void openRelease();
    void beginRelease();
    void reload();
    void attachEvidence(const QString& kind = {}, const QString& path = {});
    void waiveRequirement(const QString& scope = {});
    void signOffRole(const QString& role = {});
    void verify();
    void exportArchive();
    void promote();
    void cancel();

  Q_SIGNALS:
    void wanted();  // an action was triggered: the page is where it goes on

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    using Change = std::function<Result<void>(const TaskControl&)>;

    void makeActions();
    QWidget* makeEmptyPage();
    QWidget* makeReleasePage();
    QToolButton* actionButton(QAction* action, QWidget* parent);
    void connectJob();
    void display(ReleaseViewPtr view);
    void showState();
    void follow(const Result<ReleaseViewPtr>& read);
    void readAgain();
    void chooseAndAttach(const QString& kind);
    // Changes the release at `directory`, then reads it again; a dialog that asked for it stays until it is
    // done.
    void change(const QString& what, const QString& done, const std::filesystem::path& directory,
                Change change);
    void ask(ReleaseDialog* dialog, const std::function<void()>& submit);
    // What a person asked for goes before a reading that is under way, which is cancelled.
    void work(const QString& what, bool changes, ReleaseJob::Work work);
    void tell(bool failed, const QString& text);
    bool mayChange() const;

    Session& m_session;
    ReleaseJob* m_job;
    ReleaseWatcher* m_watcher;
    MessageArea* m_messages;
    JobBar* m_bar;
    QStackedWidget* m_stack;
    DropCue* m_dropCue;
    QTimer* m_patience = nullptr;
    QLabel* m_title = nullptr;
    MarkLabel* m_stage = nullptr;
    ElidedLabel* m_facts = nullptr;
    ToneLabel* m_state = nullptr;
    QSplitter* m_splitter = nullptr;
    GateBoard* m_board = nullptr;
    QTabWidget* m_tabs = nullptr;
    EvidenceTable* m_evidence = nullptr;
    WaiverTable* m_waivers = nullptr;
    SignOffTable* m_signOffs = nullptr;

    QAction* m_new = nullptr;
    QAction* m_open = nullptr;
    QAction* m_reload = nullptr;
    QAction* m_attach = nullptr;
    QAction* m_waive = nullptr;
    QAction* m_signOff = nullptr;
    QAction* m_verify = nullptr;
    QAction* m_export = nullptr;
    QAction* m_promote = nullptr;
    QAction* m_stop = nullptr;

    ReleaseViewPtr m_view;
    QPointer<ReleaseDialog> m_dialog;
    bool m_unreadable = false;    // what is shown could not be read again
    bool m_reloadWanted = false;  // something changed on disk while a job ran
    bool m_unread = false;        // reading again was cancelled
    bool m_working = false;       // what is under way was asked for: nothing else is, until it is done
    bool m_changing = false;
    std::function<void()> m_next;  // asked for while reading
};

}  // namespace workbench
