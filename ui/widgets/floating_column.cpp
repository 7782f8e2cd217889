// SPDX-License-Identifier: MIT
#include "ui/widgets/floating_column.h"

#include <QEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int widestColumn = 860;  // a line of text that is longer is hard to read
constexpr int distance = 8;        // from the host's edges

}  // namespace

FloatingColumn::FloatingColumn(Edge edge, QWidget* host, int freeRight)
    : QWidget(host), m_edge(edge), m_freeRight(freeRight), m_layout(new QVBoxLayout(this)) {
    m_layout->setContentsMargins(1, 1, 1, 1);
    m_layout->setSpacing(0);
    host->installEventFilter(this);
    hide();
}

void FloatingColumn::add(QWidget* row) {
    m_layout->addWidget(row);
    row->installEventFilter(this);
    place();
}

bool FloatingColumn::eventFilter(QObject* watched, QEvent* event) {
    const bool isHost = watched == parent();
    if (isHost ? event->type() == QEvent::Resize || event->type() == QEvent::Show
               : event->type() == QEvent::ShowToParent || event->type() == QEvent::HideToParent)
        place();
    return QWidget::eventFilter(watched, event);
}

bool FloatingColumn::event(QEvent* event) {
    const bool handled = QWidget::event(event);
    if (event->type() == QEvent::LayoutRequest) place();
    return handled;
}

void FloatingColumn::place() {
    bool any = false;
    for (int i = 0; i < m_layout->count(); ++i) any = any || !m_layout->itemAt(i)->widget()->isHidden();
    setVisible(any);
    if (!any) return;
    const QWidget* host = parentWidget();
    const int room = host->width() - 2 * distance - m_freeRight;
    const int width = std::clamp(room, 1, widestColumn);
    m_layout->activate();
    const int wanted = m_layout->hasHeightForWidth() ? m_layout->totalHeightForWidth(width)
                                                     : m_layout->totalSizeHint().height();
    const int height = std::clamp(wanted, 1, std::max(1, host->height() - 2 * distance));
    setGeometry(distance + std::max(0, room - width) / 2,
                m_edge == Edge::top ? distance : host->height() - distance - height, width, height);
    raise();
}

void FloatingColumn::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), themeColours().panel);
    painter.setPen(themeColours().border);
    painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
}

}  // namespace workbench
