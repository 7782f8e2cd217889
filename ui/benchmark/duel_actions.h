// SPDX-License-Identifier: MIT
// The actions on duels: beginning one, saving and keeping its record, its command, with their dialogs and
// what is said of them.
#pragma once

#include <QList>
#include <QObject>
#include <QPointer>
#include <QString>

class QAction;
class QWidget;

namespace workbench {

class DuelDialog;
class ExportMenu;
class MatrixForm;
class MessageArea;
class RecordDesk;
class SaveDuelDialog;
class Session;

class DuelActions : public QObject {
    Q_OBJECT
  public:
    // Holds the parts of the page that they work with. Dialogs belong to `page`.
    struct Context {
        RecordDesk& desk;
        Session& session;
        MatrixForm& form;
        ExportMenu& exports;
        MessageArea& messages;
        QWidget* page;
    };
    explicit DuelActions(const Context& context);
    ~DuelActions() override;

    QAction* duelAction() const { return m_duel; }
    QList<QAction*> recordActions() const { return {m_save, m_add, m_copy}; }
    void showState(const QString& hindrance);
    // Returns the open dialog; null: none is open.
    DuelDialog* dialog() const;
    SaveDuelDialog* saveDialog() const;

  public Q_SLOTS:
    void ask();
    void askWith(const QString& base);
    void save();
    void copyCommand();

  Q_SIGNALS:
    void attentionWanted();
    void begun();
    void message(const QString& text);

  private:
    QAction* add(const char* icon, const QString& text, const QString& help);
    void connectDesk();
    void submit();
    void remember();
    void say(bool bad, const QString& text);
    void offerAside();

    Context m_context;
    QAction* m_duel;
    QAction* m_save;
    QAction* m_add;
    QAction* m_copy;
    QPointer<DuelDialog> m_dialog;
    QPointer<SaveDuelDialog> m_saveDialog;
};

}  // namespace workbench
