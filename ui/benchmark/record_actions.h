// SPDX-License-Identifier: MIT
// The actions on records: opening, comparing and reproducing, with their shortcuts and dialogs.
#pragma once

#include <QList>
#include <QObject>
#include <QString>

class QAction;
class QWidget;

namespace workbench {

class ExportMenu;
class RecordDesk;
class Session;

class RecordActions : public QObject {
    Q_OBJECT
  public:
    // Dialogs belong to `page`; the first begins where `exports` wrote last.
    RecordActions(RecordDesk& desk, Session& session, const ExportMenu& exports, QWidget* page);

    QList<QAction*> all() const { return {m_open, m_compare, m_previous, m_reproduce}; }
    QAction* openAction() const { return m_open; }
    void showState(bool mayReproduce);

  public Q_SLOTS:
    void open();
    void compare();
    void compareWithPrevious();

  Q_SIGNALS:
    void reproduceWanted();
    void attentionWanted();   // What was asked for is about to be shown on the page.
    void nothingToCompare();  // Nothing is shown.

  private:
    QAction* add(const char* icon, const QString& text, const QString& keys, const QString& help);
    QString askForRecord(const QString& title);

    RecordDesk& m_desk;
    Session& m_session;
    const ExportMenu& m_exports;
    QWidget* m_page;
    QAction* m_open;
    QAction* m_compare;
    QAction* m_previous;
    QAction* m_reproduce;
};

}  // namespace workbench
