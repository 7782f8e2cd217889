// SPDX-License-Identifier: MIT
#include "ui/widgets/elided_label.h"

#include <QPainter>
#include <array>

#include "ui/widgets/theme.h"

namespace workbench {
namespace {

QColor colourOf(ElidedLabel::Tone tone) {
    // In the order of Tone.
    constexpr std::array colours = {&ThemeColours::text, &ThemeColours::muted, &ThemeColours::success,
                                    &ThemeColours::warning, &ThemeColours::error};
    return themeColours().*colours[std::size_t(tone)];
}

}  // namespace

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    setTextFormat(Qt::PlainText);
}

void ElidedLabel::setTone(Tone tone) {
    if (tone == m_tone) return;
    m_tone = tone;
    update();
}

void ElidedLabel::setFullText(const QString& text, const QString& toolTip) {
    setToolTip(toolTip.isEmpty() ? text : toolTip);
    if (text == m_text) return;
    m_text = text;
    setText(text);  // for those who read the screen
    updateGeometry();
    update();
}

QSize ElidedLabel::sizeHint() const {
    return {fontMetrics().horizontalAdvance(m_text) + 2, fontMetrics().height()};
}

QSize ElidedLabel::minimumSizeHint() const {
    return {0, fontMetrics().height()};
}

void ElidedLabel::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setPen(colourOf(m_tone));
    painter.setFont(font());
    painter.drawText(rect(), int(alignment() | Qt::TextSingleLine),
                     fontMetrics().elidedText(m_text, Qt::ElideRight, width()));
}

}  // namespace workbench
