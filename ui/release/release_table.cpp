// SPDX-License-Identifier: MIT
#include "ui/release/release_table.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <algorithm>
#include <utility>

#include "ui/release/mark_label.h"
#include "ui/release/release_table_models.h"
#include "ui/widgets/table_look.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int widestReleaseColumn = 320;

// Draws what has a mark in its colour, which is the present theme's.
class MarkDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

  protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        const QVariant mark = index.data(ReleaseTableModel::markRole);
        if (mark.isValid()) option->palette.setColor(QPalette::Text, colourOf(Mark(mark.toInt())));
    }
};

}  // namespace

ReleaseTable::ReleaseTable(ReleaseTableModel& model, QWidget* parent)
    : QTableView(parent), m_sorted(new QSortFilterProxyModel(this)) {
    setAccessibleName(model.name());
    setAccessibleDescription(model.help());
    m_sorted->setSourceModel(&model);
    m_sorted->setSortRole(ReleaseTableModel::sortRole);
    m_sorted->setSortLocaleAware(true);
    setModel(m_sorted);
    setItemDelegate(new MarkDelegate(this));
    makeReadOnlyTable(*this, [this] { copySelection(); });
}

void ReleaseTable::fitColumns() {
    QStringList texts;
    const QAbstractItemModel& rows = *m_sorted->sourceModel();
    for (int row = 0; row < rows.rowCount(); ++row) {
        for (int column = 0; column < rows.columnCount(); ++column)
            texts << rows.index(row, column).data().toString();
    }
    if (texts.isEmpty() || std::exchange(m_fitted, texts) == texts) return;
    resizeColumnsToContents();
    for (int column = 0; column < m_sorted->columnCount(); ++column)
        setColumnWidth(column, std::min(columnWidth(column), widestReleaseColumn));
}

void ReleaseTable::copySelection() const {
    QStringList lines;
    for (int row = 0; row < m_sorted->rowCount(); ++row) {
        if (!selectionModel()->isRowSelected(row)) continue;
        QStringList cells;
        for (int column = 0; column < m_sorted->columnCount(); ++column) {
            cells << m_sorted->index(row, column).data(ReleaseTableModel::wholeRole).toString().simplified();
        }
        lines << cells.join(QLatin1Char('\t'));
    }
    if (!lines.isEmpty()) QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

}  // namespace workbench
