// SPDX-License-Identifier: MIT
#include "ui/benchmark/run_column.h"

#include <QScrollArea>
#include <QStyle>
#include <algorithm>

#include "ui/benchmark/matrix_form.h"
#include "ui/benchmark/run_panel.h"
#include "ui/widgets/layouts.h"

namespace workbench {

RunColumn::RunColumn(Session& session, QWidget* parent) : QWidget(parent) {
    auto* layout = makeColumn(this, 0);
    auto* scroll = new QScrollArea(this);
    scroll->setObjectName(QStringLiteral("formScroll"));
    scroll->setAccessibleName(tr("What to measure"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_form = new MatrixForm(session, scroll);
    scroll->setWidget(m_form);
    m_panel = new RunPanel(this);
    layout->addWidget(scroll, 1);
    layout->addWidget(m_panel);
    // Wide enough for the form beside its scroll bar: nothing scrolls sideways.
    const int needed = m_form->minimumSizeHint().width() + style()->pixelMetric(QStyle::PM_ScrollBarExtent);
    setMinimumWidth(needed);
    setMaximumWidth(std::max(needed, 440));
}

}  // namespace workbench
