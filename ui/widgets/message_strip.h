// SPDX-License-Identifier: MIT
// An error in place: a sentence that stays until it is dismissed or outdated.
#pragma once

#include <QFrame>

namespace workbench {

class ToneLabel;

class MessageStrip : public QFrame {
    Q_OBJECT
  public:
    explicit MessageStrip(QWidget* parent = nullptr);
    void setMessage(const QString& message);
    QString message() const;
    void clear();

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    ToneLabel* m_text;
};

}  // namespace workbench
