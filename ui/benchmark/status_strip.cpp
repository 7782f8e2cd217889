// SPDX-License-Identifier: MIT
#include "ui/benchmark/status_strip.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {

StatusStrip::StatusStrip(QWidget* parent)
    : QWidget(parent),
      m_layout(new QHBoxLayout(this)),
      m_symbol(new QLabel(this)),
      m_title(new QLabel(this)),
      m_body(new QLabel(this)),
      m_more(new QToolButton(this)) {
    m_layout->setContentsMargins(normalSpacing + smallSpacing, smallSpacing, normalSpacing, smallSpacing);
    m_layout->setSpacing(normalSpacing);
    auto* texts = makeColumn(nullptr, 2);
    QFont bold = font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_symbol->setFont(bold);
    for (QLabel* label : {m_title, m_body}) {
        label->setTextFormat(Qt::PlainText);  // names of files and cases may look like markup
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        label->setFocusPolicy(Qt::NoFocus);
        label->setMinimumWidth(80);
        texts->addWidget(label);
    }
    m_more->setText(tr("Details"));
    m_more->setCheckable(true);
    m_more->setAutoRaise(true);
    m_more->setFocusPolicy(Qt::StrongFocus);
    m_layout->addWidget(m_symbol, 0, Qt::AlignTop);
    m_layout->addLayout(texts, 1);
    m_layout->addWidget(m_more, 0, Qt::AlignTop);
    connect(m_more, &QToolButton::toggled, this, &StatusStrip::showText);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &StatusStrip::tint);
    hide();
}

void StatusStrip::setStatement(Tone tone, const QString& title, const QString& text, const QString& details) {
    m_tone = tone;
    m_text = text;
    m_details = details;
    m_symbol->setText(tone == Tone::good      ? QStringLiteral("✓")
                      : tone == Tone::warning ? QStringLiteral("⚠")
                                              : QStringLiteral("✕"));
    m_title->setText(title);
    m_more->setVisible(!details.isEmpty());
    m_more->setChecked(false);
    m_more->setAccessibleName(tr("Details: %1").arg(title));
    setAccessibleName(title);
    setAccessibleDescription(details.isEmpty() ? text : text + QLatin1Char('\n') + details);
    tint();
    showText();
    show();
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

QString StatusStrip::title() const {
    return m_title->text();
}

QString StatusStrip::text() const {
    return m_text;
}

void StatusStrip::addButton(QWidget* button) {
    m_layout->addWidget(button, 0, Qt::AlignTop);
}

void StatusStrip::showText() {
    const bool all = m_more->isChecked() && !m_details.isEmpty();
    m_body->setText(all ? (m_text.isEmpty() ? m_details : m_text + QLatin1Char('\n') + m_details) : m_text);
    m_body->setVisible(!m_body->text().isEmpty());
}

QColor StatusStrip::colour() const {
    const ThemeColours& c = themeColours();
    return m_tone == Tone::good ? c.success : m_tone == Tone::warning ? c.warning : c.error;
}

void StatusStrip::tint() {
    QPalette palette;
    palette.setColor(QPalette::WindowText, colour());
    m_title->setPalette(palette);
    m_symbol->setPalette(palette);
}

// The application's style sheet gives a widget that it polishes the palette of before.
void StatusStrip::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    tint();
}

void StatusStrip::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), themeColours().panel);
    QColor tint = colour();
    tint.setAlphaF(0.10F);
    painter.fillRect(rect(), tint);
    painter.fillRect(QRect(0, 0, 3, height()), colour());
    painter.fillRect(QRect(0, height() - 1, width(), 1), themeColours().border);
}

}  // namespace workbench
