// SPDX-License-Identifier: MIT
#include "ui/benchmark/results_header.h"

#include <QHBoxLayout>
#include <QResizeEvent>
#include <QToolButton>

#include "ui/widgets/icons.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int textFrom = 640;  // the buttons' words have room

}  // namespace

ResultsHeader::ResultsHeader(QWidget* parent)
    : QWidget(parent),
      m_state(new ToneLabel(ToneLabel::Tone::normal, this)),
      m_row(new QHBoxLayout),
      m_export(new QToolButton(this)) {
    // One above the other: beside the buttons the state of a record would be a column of five lines.
    auto* layout = makeColumn(this, smallSpacing,
                              {normalSpacing + smallSpacing, smallSpacing, normalSpacing, smallSpacing});
    layout->addLayout(m_row);
    m_row->setSpacing(normalSpacing);
    m_row->addStretch(1);
    m_state->setObjectName(QStringLiteral("runState"));
    layout->addWidget(m_state);
    m_export->setObjectName(QStringLiteral("exportButton"));
    m_export->setText(tr("E&xport"));
    m_export->setIcon(themedIcon(QStringLiteral("export")));
    m_export->setPopupMode(QToolButton::InstantPopup);
    m_export->setAccessibleName(tr("Export the results"));
    m_export->setFocusPolicy(Qt::StrongFocus);
    m_buttons.append(m_export);
    m_row->addWidget(m_export);
    fit();
}

void ResultsHeader::setState(const QString& text, ToneLabel::Tone tone) {
    m_state->setText(text);
    m_state->setAccessibleName(text);
    m_state->setTone(tone);
}

QToolButton* ResultsHeader::addAction(QAction* action) {
    QToolButton* button = makeActionButton(action, this);
    m_row->insertWidget(m_row->indexOf(m_export) - 1, button);  // before the stretch
    m_buttons.insert(m_buttons.size() - 1, button);
    fit();
    return button;
}

void ResultsHeader::fit() {
    const auto style = width() >= textFrom ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly;
    for (QToolButton* button : m_buttons) {
        button->setToolButtonStyle(button == m_export ? Qt::ToolButtonTextBesideIcon : style);
    }
}

void ResultsHeader::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit();
}

}  // namespace workbench
