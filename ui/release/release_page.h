// SPDX-License-Identifier: MIT
// The release page: one release's gates as a board, beside its evidence, waivers and sign-offs. Shows what
// the model says; what a person can do is in ReleaseCommands.
#pragma once

#include <QWidget>
#include <array>

#include "ui/release/release_model.h"

class QAction;
class QLabel;
class QSplitter;
class QStackedWidget;
class QTabWidget;
class QTimer;
class QToolButton;

namespace workbench {

class ElidedLabel;
class GateBoard;
class JobBar;
class MarkLabel;
class MessageArea;
class ReleaseCommands;
class ReleaseTable;
class ReleaseTableModel;
class Session;
class ToneLabel;

class ReleasePage : public QWidget {
    Q_OBJECT
  public:
    explicit ReleasePage(Session& session, QWidget* parent = nullptr);
    ~ReleasePage() override;

    ReleaseModel& model() const { return *m_model; }
    ReleaseCommands& commands() const { return *m_commands; }
    const ReleaseSnapshotPtr& snapshot() const { return m_model->snapshot(); }  // null: none is open
    bool isBusy() const { return m_model->isBusy(); }
    bool isChanging() const { return m_model->isChanging(); }
    QList<QAction*> actionsForMenu() const;

    GateBoard& board() const { return *m_board; }
    QTabWidget& tabs() const { return *m_tabs; }
    MessageArea& messages() const { return *m_messages; }

    void openDirectory(const QString& path);

  public Q_SLOTS:
    void cancel();

  Q_SIGNALS:
    void wanted();  // an action was triggered: the page is where it goes on

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    QWidget* makeEmptyPage();
    QWidget* makeReleasePage();
    QLayout* makeHeader(QWidget* page);
    void makeTabs();
    QToolButton* actionButton(QAction* action, QWidget* parent);
    void connectModel();
    void takeDrops();
    void showSnapshot();
    void showState();
    void showMessage(ReleaseSubject subject);

    Session& m_session;
    ReleaseModel* m_model;
    ReleaseCommands* m_commands;
    MessageArea* m_messages;
    JobBar* m_bar;
    QStackedWidget* m_stack;
    QTimer* m_patience;
    QLabel* m_title = nullptr;
    MarkLabel* m_stage = nullptr;
    ElidedLabel* m_facts = nullptr;
    ToneLabel* m_state = nullptr;
    QSplitter* m_splitter = nullptr;
    GateBoard* m_board = nullptr;
    QTabWidget* m_tabs = nullptr;
    std::array<ReleaseTableModel*, 3> m_models;
    std::array<ReleaseTable*, 3> m_tables = {};
};

}  // namespace workbench
