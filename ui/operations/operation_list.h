// SPDX-License-Identifier: MIT
// The recipe as a list on screen: two lines a row, a check box to switch it off, a mark where something is
// wrong. Rows are dragged in place: the others make room while the pointer moves.
#pragma once

#include <QListView>
#include <QPersistentModelIndex>
#include <QStyledItemDelegate>

namespace workbench {

class OperationDelegate : public QStyledItemDelegate {
    Q_OBJECT
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;
    // Returns the check box of a row.
    static QRect checkRect(const QStyleOptionViewItem& option);
};

class OperationList : public QListView {
    Q_OBJECT
  public:
    explicit OperationList(QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  Q_SIGNALS:
    // Asks to move a row while it is dragged; `drag` numbers the drag.
    void moveRequested(int from, int to, int drag);
    void dragFinished();

  protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

  private:
    QSize sizeOfRows(int rows) const;
    void endDrag();

    QPersistentModelIndex m_pressed;
    QPoint m_pressedAt;
    bool m_dragging = false;
    int m_drag = 0;
};

}  // namespace workbench
