// SPDX-License-Identifier: MIT
// A word about how something stands, in the colour of what it means, also after a change of theme.
#pragma once

#include <QColor>
#include <QWidget>

#include "core/release/evidence_files.h"
#include "core/release/gates.h"

namespace workbench {

enum class Mark { good, attention, bad, quiet };
QColor colourOf(Mark mark);

QString wordOf(Standing standing);
Mark markOf(Standing standing);
QString wordOf(EvidenceState state);
Mark markOf(EvidenceState state);

// A word on a ground of its colour. All are as wide as the longest word of a Standing, so that they line up.
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
