// SPDX-License-Identifier: MIT
// The commands on a release: the actions of menus and buttons, and the dialogs that ask for the rest.
// A dialog stays until what it asked for is done.
#pragma once

#include <QList>
#include <QObject>
#include <QPointer>
#include <functional>

class QAction;
class QWidget;

namespace workbench {

class FormDialog;
class ReleaseModel;
class Session;

class ReleaseCommands : public QObject {
    Q_OBJECT
  public:
    // Dialogs open over `page`.
    ReleaseCommands(ReleaseModel& model, Session& session, QWidget& page);

    QAction* const begin;
    QAction* const open;
    QAction* const reload;
    QAction* const attach;
    QAction* const waive;
    QAction* const signOff;
    QAction* const verify;
    QAction* const exportArchive;
    QAction* const promote;
    QAction* const cancel;

    // Returns what a menu offers; null stands for a separator.
    QList<QAction*> forMenu() const;

  public Q_SLOTS:
    void openRelease();
    void beginRelease();
    // Attaches evidence. Here and below the person is asked for an empty kind, path, scope or role.
    void attachEvidence(const QString& kind = {}, const QString& path = {});
    void attachFileAs(const QString& kind);  // asks for the file first
    void waiveRequirement(const QString& scope = {});
    void signOffRole(const QString& role = {});
    void exportRelease();
    void promoteRelease();

  Q_SIGNALS:
    void triggered();  // an action was: its page is where it goes on

  private:
    QAction* make(const QString& icon, const QString& text, const QString& help,
                  const std::function<void()>& run);
    void showState();
    void ask(FormDialog* dialog, const std::function<void()>& submit);
    void connectDialogs();

    ReleaseModel& m_model;
    Session& m_session;
    QWidget& m_page;
    QPointer<FormDialog> m_dialog;
};

}  // namespace workbench
