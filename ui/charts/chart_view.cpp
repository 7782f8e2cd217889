// SPDX-License-Identifier: MIT
#include "ui/charts/chart_view.h"

#include <QChart>
#include <QEvent>
#include <QGraphicsItem>
#include <QGraphicsLayout>
#include <QGraphicsScene>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLegend>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QTextDocument>
#include <QToolTip>
#include <algorithm>

#include "ui/charts/chart_style.h"
#include "ui/widgets/theme.h"

namespace workbench {

// Above everything of the chart, and drawn with it into a file.
class ChartView::Overlay : public QGraphicsItem {
  public:
    Overlay(QChart* chart, const ChartView& view) : QGraphicsItem(chart), m_chart(chart), m_view(view) {
        setZValue(1000);
        setAcceptedMouseButtons(Qt::NoButton);
    }
    QRectF boundingRect() const override { return m_rect; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* /*option*/, QWidget* /*widget*/) override {
        painter->setRenderHint(QPainter::Antialiasing);
        m_view.drawHeading(*painter);
        if (draw) draw(*painter);
    }
    void follow() {
        prepareGeometryChange();
        m_rect = m_chart->rect();
        update();
    }
    std::function<void(QPainter&)> draw;

  private:
    QChart* m_chart;
    const ChartView& m_view;
    QRectF m_rect;
};

ChartView::ChartView(const QString& name, const QString& fileStem, QWidget* parent)
    : QChartView(parent), m_name(name), m_fileStem(fileStem), m_overlay(new Overlay(chart(), *this)) {
    setObjectName(fileStem + QStringLiteral("Chart"));
    setAccessibleName(name);
    setRenderHint(QPainter::Antialiasing);
    setRenderHint(QPainter::TextAntialiasing);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMinimumSize(160, 120);
    viewport()->setMouseTracking(true);
    applyMargins();
    chart()->layout()->setContentsMargins(0, 0, 0, 0);
    chart()->legend()->setAlignment(Qt::AlignBottom);
    connect(chart(), &QChart::plotAreaChanged, this, [this] { m_overlay->follow(); });
    setEmptyText(tr("No results yet"));
}

void ChartView::showResults(const std::vector<CaseResult>& results, int chosen) {
    present(int(results.size()), chosen, tr("No results yet"), [&] { return build(results, chosen); });
}

void ChartView::present(int count, int chosen, const QString& nothing, const std::function<QString()>& make) {
    m_count = count;
    m_chosen = chosen;
    if (count == 0) {
        setEmptyText(nothing);
        setAccessibleDescription(emptyText());
    } else {
        setEmptyText({});
        setAccessibleDescription(make());
    }
    applyStyle();
    arrange(size());
    updateOverlay();
    viewport()->update();
}

void ChartView::setEmptyText(const QString& text) {
    m_emptyText = text;
    chart()->setVisible(text.isEmpty());
}

// Drawn and not the chart's own title: that one is cut at its end, and what stands at lines of the plot would
// be drawn over it.
void ChartView::setHeading(const QString& heading, bool labelled) {
    m_heading = heading;
    m_labelled = labelled;
    applyMargins();
}

double ChartView::labelBaseline() const {
    return chart()->plotArea().top() - 3;
}

void ChartView::setFreeEdges(int left, int right, int bottom) {
    m_edges = QMargins(left, 4, right, bottom);
    applyMargins();
}

void ChartView::applyMargins() {
    int top = m_edges.top();
    if (!m_heading.isEmpty()) top += QFontMetrics(chartTitleFont()).height() + smallSpacing;
    if (m_labelled) top += QFontMetrics(chartFont()).height();
    chart()->setMargins({m_edges.left(), top, m_edges.right(), m_edges.bottom()});
}

void ChartView::drawHeading(QPainter& painter) const {
    const QFontMetricsF metrics(chartTitleFont());
    const QRectF area(normalSpacing, m_edges.top(), chart()->rect().width() - 2 * normalSpacing,
                      metrics.height());
    painter.setFont(chartTitleFont());
    painter.setPen(themeColours().text);
    painter.drawText(area, int(Qt::AlignCenter) | Qt::TextSingleLine,
                     metrics.elidedText(m_heading, Qt::ElideMiddle, area.width()));
}

void ChartView::setOverlay(std::function<void(QPainter&)> draw) {
    m_overlay->draw = std::move(draw);
}

void ChartView::updateOverlay() {
    m_overlay->follow();
}

void ChartView::applyStyle() {
    setBackgroundBrush(themeColours().base);
    styleChart(*chart());
    restyle();
}

void ChartView::renderTo(QPainter& painter, const QSizeF& size) {
    const QRectF before = chart()->geometry();
    const QRectF sceneBefore = scene()->sceneRect();
    arrange(size);
    chart()->setGeometry(QRectF(QPointF(), size));
    scene()->setSceneRect(QRectF(QPointF(), size));
    chart()->layout()->activate();
    updateOverlay();
    scene()->render(&painter, QRectF(QPointF(), size), QRectF(QPointF(), size));
    arrange(this->size());
    chart()->setGeometry(before);
    scene()->setSceneRect(sceneBefore);
    chart()->layout()->activate();
    updateOverlay();
}

bool ChartView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) return true;  // shown at once, by mouseMoveEvent
    if (event->type() == QEvent::Leave) QToolTip::hideText();
    const bool handled = QChartView::viewportEvent(event);
    if (event->type() == QEvent::Paint && (hasFocus() || !m_emptyText.isEmpty())) {
        QPainter painter(viewport());
        painter.setRenderHint(QPainter::Antialiasing);
        const ThemeColours& c = themeColours();
        if (!m_emptyText.isEmpty()) {
            painter.setPen(c.muted);
            painter.drawText(viewport()->rect().adjusted(24, 12, -24, -12),
                             int(Qt::AlignCenter) | Qt::TextWordWrap, m_emptyText);
        }
        if (hasFocus()) {
            painter.setPen(QPen(c.accent, 1.5));
            painter.drawRect(QRectF(viewport()->rect()).adjusted(1, 1, -1, -1));
        }
    }
    return handled;
}

void ChartView::changeEvent(QEvent* event) {
    QChartView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        applyStyle();
        arrange(size());
        updateOverlay();
    }
}

void ChartView::resizeEvent(QResizeEvent* event) {
    arrange(event->size());
    QChartView::resizeEvent(event);
    updateOverlay();
}

void ChartView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) {
        QChartView::mousePressEvent(event);
        return;
    }
    const int index = m_emptyText.isEmpty() ? caseAt(event->position()) : -1;
    if (index >= 0) Q_EMIT caseChosen(index);
}

void ChartView::mouseMoveEvent(QMouseEvent* event) {
    const QString text = m_emptyText.isEmpty() ? toolTipAt(event->position()) : QString();
    if (text.isEmpty()) {
        QToolTip::hideText();
    } else {
        // What a record says is no markup.
        QToolTip::showText(event->globalPosition().toPoint(), Qt::convertFromPlainText(text), viewport());
    }
    const bool clickable = m_emptyText.isEmpty() && caseAt(event->position()) >= 0;
    viewport()->setCursor(clickable ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void ChartView::keyPressEvent(QKeyEvent* event) {
    int next = m_chosen;
    switch (event->key()) {
        case Qt::Key_Up:
        case Qt::Key_Left:
            next = std::max(0, m_chosen - 1);
            break;
        case Qt::Key_Down:
        case Qt::Key_Right:
            next = m_chosen + 1;
            break;
        case Qt::Key_Home:
            next = 0;
            break;
        case Qt::Key_End:
            next = m_count - 1;
            break;
        default:
            event->ignore();
            return;
    }
    event->accept();
    if (next != m_chosen && next >= 0 && next < m_count) Q_EMIT caseChosen(next);
}

// A chart has nothing to scroll; whatever it lies in may.
void ChartView::wheelEvent(QWheelEvent* event) {
    event->ignore();
}

QWidget* inScrollArea(ChartView* chart, QWidget* parent) {
    auto* scroll = new QScrollArea(parent);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setAccessibleName(chart->name());
    scroll->setWidget(chart);
    return scroll;
}

void ChartView::focusInEvent(QFocusEvent* event) {
    QChartView::focusInEvent(event);
    viewport()->update();
}

void ChartView::focusOutEvent(QFocusEvent* event) {
    QChartView::focusOutEvent(event);
    viewport()->update();
}

}  // namespace workbench
