// SPDX-License-Identifier: MIT
#include "ui/widgets/mark_label.h"

#include <QCoreApplication>
#include <QPainter>
#include <algorithm>

#include "ui/widgets/theme.h"

namespace workbench {
namespace {

QString markTr(const char* text) {
    return QCoreApplication::translate("ReleaseMarks", text);
}

}  // namespace

QColor colourOf(Mark mark) {
    const ThemeColours& c = themeColours();
    switch (mark) {
        case Mark::good:
            return c.success;
        case Mark::attention:
            return c.warning;
        case Mark::bad:
            return c.error;
        case Mark::quiet:
            break;
    }
    return c.muted;
}

QString wordOf(Standing standing) {
    switch (standing) {
        case Standing::held:
            return markTr("held");
        case Standing::waived:
            return markTr("waived");
        case Standing::missing:
            return markTr("missing");
        case Standing::failed:
            return markTr("failed");
        case Standing::later:
            break;
    }
    return markTr("later");
}

Mark markOf(Standing standing) {
    switch (standing) {
        case Standing::held:
            return Mark::good;
        case Standing::waived:
        case Standing::missing:
            return Mark::attention;
        case Standing::failed:
            return Mark::bad;
        case Standing::later:
            break;
    }
    return Mark::quiet;
}

QString wordOf(EvidenceState state) {
    switch (state) {
        case EvidenceState::matches:
            return markTr("matches");
        case EvidenceState::changed:
            return markTr("changed");
        case EvidenceState::missing:
            break;
    }
    return markTr("missing");
}

Mark markOf(EvidenceState state) {
    return state == EvidenceState::matches ? Mark::good : Mark::bad;
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
    for (const auto standing :
         {Standing::held, Standing::waived, Standing::missing, Standing::failed, Standing::later}) {
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
