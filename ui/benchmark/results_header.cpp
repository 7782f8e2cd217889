// SPDX-License-Identifier: MIT
#include "ui/benchmark/results_header.h"

#include <QAction>
#include <QHBoxLayout>
#include <QResizeEvent>
#include <QToolButton>

#include "ui/window/icons.h"
#include "ui/window/theme.h"

namespace workbench {
namespace {

constexpr int textFrom = 860;  // the state keeps half of the width beside the buttons' words

}  // namespace

ResultsHeader::ResultsHeader(QWidget* parent)
    : QWidget(parent),
      m_state(new ToneLabel(ToneLabel::Tone::normal, this)),
      m_export(new QToolButton(this)) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(normalSpacing + smallSpacing, smallSpacing, normalSpacing, smallSpacing);
    layout->setSpacing(normalSpacing);
    m_state->setObjectName(QStringLiteral("runState"));
    layout->addWidget(m_state, 1);
    m_export->setObjectName(QStringLiteral("exportButton"));
    m_export->setText(tr("E&xport"));
    m_export->setIcon(themedIcon(QStringLiteral("export")));
    m_export->setPopupMode(QToolButton::InstantPopup);
    m_export->setAccessibleName(tr("Export the results"));
    m_export->setFocusPolicy(Qt::StrongFocus);
    m_buttons.append(m_export);
    layout->addWidget(m_export, 0, Qt::AlignTop);
    fit();
}

void ResultsHeader::setState(const QString& text, ToneLabel::Tone tone) {
    m_state->setText(text);
    m_state->setAccessibleName(text);
    m_state->setTone(tone);
}

QToolButton* ResultsHeader::addAction(QAction* action) {
    auto* button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setFocusPolicy(Qt::StrongFocus);
    button->setAccessibleName(QString(action->text()).remove(QLatin1Char('&')).remove(QStringLiteral("…")));
    auto* row = static_cast<QHBoxLayout*>(layout());
    row->insertWidget(row->indexOf(m_export), button, 0, Qt::AlignTop);
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
