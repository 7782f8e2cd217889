// SPDX-License-Identifier: MIT
#include "ui/widgets/empty_page.h"

#include <QAbstractButton>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/widgets/form_parts.h"
#include "ui/widgets/glyph.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {

EmptyPage::EmptyPage(const QString& icon, QWidget* parent)
    : QWidget(parent),
      m_title(new QLabel(this)),
      m_text(new ToneLabel(ToneLabel::Tone::muted, this)),
      m_rows(new QVBoxLayout) {
    auto* layout = makeColumn(this, normalSpacing, {24, 24, 24, 24});
    layout->addStretch(2);
    if (!icon.isEmpty()) layout->addWidget(new Glyph(icon, 72, this), 0, Qt::AlignHCenter);
    QFont large = m_title->font();
    large.setPointSizeF(large.pointSizeF() * 1.5);
    m_title->setFont(large);
    layout->addWidget(m_title, 0, Qt::AlignHCenter);
    m_text->setAlignment(Qt::AlignHCenter);
    m_text->setMaximumWidth(480);
    auto* middle = new QHBoxLayout;  // an alignment would give the label the height of another width
    middle->addStretch(1);
    middle->addWidget(m_text, 100);
    middle->addStretch(1);
    layout->addLayout(middle);
    m_rows->setSpacing(2 * normalSpacing);
    layout->addLayout(m_rows);
    layout->addStretch(3);
}

void EmptyPage::setTexts(const QString& title, const QString& text) {
    m_title->setText(title);
    m_text->setText(text);
}

void EmptyPage::addButtons(const QList<QAbstractButton*>& buttons) {
    auto* row = makeRow(nullptr, normalSpacing);
    row->addStretch(1);
    for (QAbstractButton* button : buttons) row->addWidget(button);
    row->addStretch(1);
    m_rows->addLayout(row);
}

}  // namespace workbench
