// SPDX-License-Identifier: MIT
// Shows help: the keyboard shortcuts, read off the actions themselves, and About with diagnostics to copy.
#pragma once

#include <QDialog>
#include <QList>
#include <QString>
#include <utility>

#include "ui/session/job.h"

class QAction;
class QPlainTextEdit;

namespace workbench {

class Session;

using ActionGroups = QList<std::pair<QString, QList<QAction*>>>;

class ShortcutsDialog : public QDialog {
    Q_OBJECT
  public:
    // Describes keys that are not an action's, such as arrow keys in the picture: group, what, keys.
    struct Key {
        QString group;
        QString what;
        QString keys;
    };
    ShortcutsDialog(const ActionGroups& actions, const QList<Key>& keys, QWidget* parent = nullptr);
};

class AboutDialog : public QDialog {
    Q_OBJECT
  public:
    explicit AboutDialog(const Session& session, QWidget* parent = nullptr);
    bool isComplete() const { return m_complete; }

  private:
    QPlainTextEdit* m_text;
    bool m_complete = false;
    Job m_gatherer{JobPolicy::refuse_while_busy};
};

}  // namespace workbench
