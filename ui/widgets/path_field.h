// SPDX-License-Identifier: MIT
// A path that is typed, or chosen by its button.
#pragma once

#include <QWidget>

class QLineEdit;
class QToolButton;

namespace workbench {

class PathField : public QWidget {
    Q_OBJECT
  public:
    enum class What { file, folder };
    // `name`: of the field, for those who cannot see its label; `title`: of the dialog that its button opens.
    PathField(const QString& name, const QString& title, What what, QWidget* parent = nullptr);
    void setWhat(What what);
    QString text() const;
    void setText(const QString& text);
    QLineEdit& edit() const { return *m_edit; }

  Q_SIGNALS:
    void changed();

  private:
    void choose();
    QString m_title;
    What m_what;
    QLineEdit* m_edit;
    QToolButton* m_button;
};

}  // namespace workbench
