// SPDX-License-Identifier: MIT
// Shows a word about how something stands, in the colour of what it means, also after a change of theme.
#pragma once

#include <QColor>
#include <QWidget>

#include "ui/release/marks.h"

namespace workbench {

// Returns the colour of the present theme.
QColor colourOf(Mark mark);

// Shows a word on a ground of its colour, as wide as the longest word of a Standing, so that all line up.
class MarkLabel : public QWidget {
    Q_OBJECT
  public:
    explicit MarkLabel(QWidget* parent = nullptr);
    void setMark(Mark mark, const QString& word);
    const QString& word() const { return m_word; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    Mark m_mark = Mark::quiet;
    QString m_word;
};

}  // namespace workbench
