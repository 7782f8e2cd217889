// SPDX-License-Identifier: MIT
#include "ui/operations/operation_list.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "ui/operations/operation_list_model.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int mark_size = 16;
constexpr int grip_width = 8;

// Where the parts of a row go.
struct Layout {
    explicit Layout(const QStyleOptionViewItem& option) {
        const QStyle* style = option.widget != nullptr ? option.widget->style() : QApplication::style();
        const QSize box(style->pixelMetric(QStyle::PM_IndicatorWidth, nullptr, option.widget),
                        style->pixelMetric(QStyle::PM_IndicatorHeight, nullptr, option.widget));
        const QRect inner = option.rect.adjusted(normalSpacing, 0, -normalSpacing, 0);
        check = QRect(QPoint(inner.left(), inner.center().y() - box.height() / 2), box);
        grip = QRect(inner.right() - grip_width + 1, inner.top(), grip_width, inner.height());
        mark = QRect(grip.left() - normalSpacing - mark_size, inner.center().y() - mark_size / 2, mark_size,
                     mark_size);
        const int left = check.right() + 1 + normalSpacing;
        const int line = option.fontMetrics.height();
        const int top = inner.center().y() - line + 1;
        title = QRect(left, top, mark.left() - smallSpacing - left, line);
        details = title.translated(0, line);
    }
    QRect check;
    QRect title;
    QRect details;
    QRect mark;
    QRect grip;
};

void paintGrip(QPainter* painter, const QRect& rect, const QColor& colour) {
    painter->setPen(Qt::NoPen);
    painter->setBrush(colour);
    const QPointF centre = QRectF(rect).center();
    for (const int x : {-1, 1}) {
        for (const int y : {-1, 0, 1}) {
            painter->drawEllipse(centre + QPointF(x * 2.0, y * 4.0), 1.0, 1.0);
        }
    }
}

}  // namespace

QRect OperationDelegate::checkRect(const QStyleOptionViewItem& option) {
    return Layout(option).check;
}

QSize OperationDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& /*index*/) const {
    return {option.fontMetrics.averageCharWidth() * 16, option.fontMetrics.height() * 2 + normalSpacing + 2};
}

void OperationDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const {
    const ThemeColours& c = themeColours();
    const Layout at(option);
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const bool hovered = option.state.testFlag(QStyle::State_MouseOver);
    const bool on = index.data(OperationListModel::OnRole).toBool();
    const QString error = index.data(OperationListModel::ErrorRole).toString();

    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (selected || hovered) {
        QColor fill = selected ? c.accent : c.muted;
        fill.setAlphaF(selected ? 0.18F : 0.10F);
        painter->fillRect(option.rect, fill);
    }
    if (selected) {
        painter->fillRect(QRect(option.rect.topLeft(), QSize(3, option.rect.height())), c.accent);
    }
    if (option.state.testFlag(QStyle::State_HasFocus)) {
        painter->setPen(c.accent);
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5));
    }
    painter->setPen(c.border);
    if (!selected) painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());

    QStyleOptionViewItem check = option;
    check.rect = at.check;
    check.state &= ~(QStyle::State_HasFocus | QStyle::State_Selected);
    check.state |= on ? QStyle::State_On : QStyle::State_Off;
    const QStyle* style = option.widget != nullptr ? option.widget->style() : QApplication::style();
    style->drawPrimitive(QStyle::PE_IndicatorItemViewItemCheck, &check, painter, option.widget);

    const auto draw = [&](const QRect& rect, const QString& text, const QColor& colour) {
        painter->setPen(colour);
        painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter,
                          option.fontMetrics.elidedText(text, Qt::ElideRight, rect.width()));
    };
    const QString number = QStringLiteral("%1  ").arg(index.row() + 1);
    painter->setFont(option.font);
    const int indent = option.fontMetrics.horizontalAdvance(number);
    draw(at.title, number, c.muted);
    draw(at.title.adjusted(indent, 0, 0, 0), index.data(OperationListModel::NameRole).toString(),
         on ? c.text : c.muted);
    const QString details = index.data(OperationListModel::DetailsRole).toString();
    draw(at.details.adjusted(indent, 0, 0, 0),
         !error.isEmpty() ? error : (on ? details : tr("Off · %1").arg(details)),
         error.isEmpty() ? c.muted : c.error);
    if (!error.isEmpty()) themedIcon(QStringLiteral("error")).paint(painter, at.mark);
    if (selected || hovered) paintGrip(painter, at.grip, c.muted);
    painter->restore();
}

bool OperationDelegate::editorEvent(QEvent* event, QAbstractItemModel* model,
                                    const QStyleOptionViewItem& option, const QModelIndex& index) {
    const auto toggle = [&] {
        const bool on = index.data(OperationListModel::OnRole).toBool();
        return model->setData(index, on ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
    };
    switch (event->type()) {
        case QEvent::MouseButtonPress:
        case QEvent::MouseButtonDblClick:
        case QEvent::MouseButtonRelease: {
            const auto* mouse = static_cast<QMouseEvent*>(event);
            const bool hit = checkRect(option).adjusted(-4, -4, 4, 4).contains(mouse->position().toPoint());
            if (!hit || mouse->button() != Qt::LeftButton) return false;
            return event->type() != QEvent::MouseButtonRelease || toggle();
        }
        case QEvent::KeyPress: {
            const int key = static_cast<QKeyEvent*>(event)->key();
            return (key == Qt::Key_Space || key == Qt::Key_Select) && toggle();
        }
        default:
            return false;
    }
}

OperationList::OperationList(QWidget* parent) : QListView(parent) {
    setItemDelegate(new OperationDelegate(this));
    setUniformItemSizes(true);
    setSelectionMode(SingleSelection);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMouseTracking(true);  // for the hover look
    setTabKeyNavigation(false);
    setAccessibleName(tr("Operations of the recipe"));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, viewport(), qOverload<>(&QWidget::update));
}

QSize OperationList::sizeOfRows(int rows) const {
    const int row = fontMetrics().height() * 2 + normalSpacing + 2;
    return {fontMetrics().averageCharWidth() * 24, rows * row + 2 * frameWidth()};
}

QSize OperationList::sizeHint() const {
    return sizeOfRows(4);
}

QSize OperationList::minimumSizeHint() const {
    return sizeOfRows(2);
}

void OperationList::mousePressEvent(QMouseEvent* event) {
    QListView::mousePressEvent(event);
    if (event->button() != Qt::LeftButton) return;
    m_pressedAt = event->position().toPoint();
    m_pressed = indexAt(m_pressedAt);
    if (!m_pressed.isValid()) return;
    QStyleOptionViewItem option;
    initViewItemOption(&option);
    option.rect = visualRect(m_pressed);
    if (OperationDelegate::checkRect(option).adjusted(-4, -4, 4, 4).contains(m_pressedAt))
        m_pressed = QPersistentModelIndex();
}

void OperationList::mouseMoveEvent(QMouseEvent* event) {
    if (!event->buttons().testFlag(Qt::LeftButton) || !m_pressed.isValid()) {
        if (event->buttons() == Qt::NoButton) QListView::mouseMoveEvent(event);
        return;
    }
    const QPoint at = event->position().toPoint();
    if (!m_dragging) {
        if ((at - m_pressedAt).manhattanLength() < QApplication::startDragDistance()) return;
        m_dragging = true;
        ++m_drag;
        viewport()->setCursor(Qt::ClosedHandCursor);
    }
    const QModelIndex under = indexAt(QPoint(viewport()->width() / 2, at.y()));
    int to = model()->rowCount() - 1;
    if (under.isValid()) {
        to = under.row();
    } else if (at.y() < 0) {
        to = std::max(0, m_pressed.row() - 1);
    }
    if (to != m_pressed.row()) {
        Q_EMIT moveRequested(m_pressed.row(), to, m_drag);
        if (m_pressed.isValid()) scrollTo(m_pressed);
    }
}

void OperationList::mouseReleaseEvent(QMouseEvent* event) {
    if (m_dragging) return endDrag();
    m_pressed = QPersistentModelIndex();
    QListView::mouseReleaseEvent(event);
}

void OperationList::endDrag() {
    m_dragging = false;
    m_pressed = QPersistentModelIndex();
    viewport()->unsetCursor();
    setState(NoState);
    Q_EMIT dragFinished();
}

}  // namespace workbench
