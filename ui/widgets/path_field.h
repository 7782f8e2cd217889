// SPDX-License-Identifier: MIT
// A path that is typed, chosen by its button, or one of those that were chosen before.
#pragma once

#include <QStringList>
#include <QWidget>

class QLineEdit;
class QToolButton;

namespace workbench {

class PathField : public QWidget {
    Q_OBJECT
  public:
    enum class What { file, folder, either };
    // Makes an empty field. `name`: its accessible name; `title`: that of the dialog that its button opens.
    PathField(const QString& name, const QString& title, What what, QWidget* parent = nullptr);
    void setWhat(What what);
    // Offers these in the button's menu, the newest first.
    void setRecent(const QStringList& paths);
    QString text() const;
    void setText(const QString& text);
    QLineEdit& edit() const { return *m_edit; }

  Q_SIGNALS:
    void changed();

  private:
    void chooseFile();
    void chooseFolder();
    void take(const QString& path);
    QString startFolder() const;
    void makeMenu();
    QString m_title;
    QStringList m_recent;
    What m_what;
    QLineEdit* m_edit;
    QToolButton* m_button;
};

}  // namespace workbench
