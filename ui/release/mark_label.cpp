// SPDX-License-Identifier: MIT
#include "ui/release/mark_label.h"

#include <QPainter>
#include <algorithm>
#include <array>

#include "ui/widgets/theme.h"

namespace workbench {

QColor colourOf(Mark mark) {
    // In the order of Mark.
    constexpr std::array colours = {&ThemeColours::success, &ThemeColours::warning, &ThemeColours::error,
                                    &ThemeColours::muted};
    return themeColours().*colours[std::size_t(mark)];
}

MarkLabel::MarkLabel(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void MarkLabel::setMark(Mark mark, const QString& word) {
    m_mark = mark;
    m_word = word;
    setAccessibleName(word);
    updateGeometry();
    update();
}

QSize MarkLabel::sizeHint() const {
    int width = fontMetrics().horizontalAdvance(m_word);
    for (const auto standing : allStandings) {
        width = std::max(width, fontMetrics().horizontalAdvance(wordOf(standing)));
    }
    return {width + 2 * normalSpacing, fontMetrics().height() + smallSpacing};
}

void MarkLabel::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor ground = colourOf(m_mark);
    ground.setAlphaF(0.14F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawRoundedRect(QRectF(rect()), 4, 4);
    painter.setPen(colourOf(m_mark));
    painter.drawText(rect(), Qt::AlignCenter, m_word);
}

}  // namespace workbench
