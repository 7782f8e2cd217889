// SPDX-License-Identifier: MIT
// Covers the window while a file is dragged over it, and says what dropping it does.
#pragma once

#include <QString>
#include <QWidget>

namespace workbench {

class DropCue : public QWidget {
    Q_OBJECT
  public:
    explicit DropCue(QWidget* parent);
    void appear(const QString& text);

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    QString m_text;
};

}  // namespace workbench
