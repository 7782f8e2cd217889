// SPDX-License-Identifier: MIT
// A sentence about a field, over what is below it: appears beside the field without moving anything.
#pragma once

#include <QLabel>

namespace workbench {

class FieldNote : public QLabel {
    Q_OBJECT
  public:
    // Lies in what scrolls with the field, else in its window.
    explicit FieldNote(QWidget* field);
    void say(const QString& text);

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void place();

    QWidget* m_field;
};

}  // namespace workbench
