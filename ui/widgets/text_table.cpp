// SPDX-License-Identifier: MIT
#include "ui/widgets/text_table.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLocale>
#include <QPainter>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <algorithm>
#include <cmath>

#include "ui/widgets/table_look.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int widestTextColumn = 420;

bool isNumber(const QVariant& cell) {
    return cell.typeId() == QMetaType::ULongLong || cell.typeId() == QMetaType::LongLong ||
           cell.typeId() == QMetaType::Double;
}

const ShownNumber* asShownNumber(const QVariant& cell) {
    return cell.metaType() == QMetaType::fromType<ShownNumber>()
               ? static_cast<const ShownNumber*>(cell.constData())
               : nullptr;
}

QString textOfCell(const QVariant& cell) {
    if (const ShownNumber* number = asShownNumber(cell)) return number->text;
    if (cell.typeId() == QMetaType::ULongLong) return QLocale().toString(cell.toULongLong());
    if (cell.typeId() == QMetaType::LongLong) return QLocale().toString(cell.toLongLong());
    if (cell.typeId() == QMetaType::Double) {
        const double value = cell.toDouble();
        const bool isSmall = value != 0 && std::abs(value) < 0.01;
        return QLocale().toString(value, isSmall ? 'g' : 'f', isSmall ? 3 : 2);
    }
    return cell.toString();
}

// All words, in any column.
class WordFilter : public QSortFilterProxyModel {
  public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setWords(const QStringList& words) {
        m_words = words;
        invalidateFilter();
    }

  protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
        if (m_words.isEmpty()) return true;
        QString all;
        for (int column = 0; column < sourceModel()->columnCount(parent); ++column)
            all += sourceModel()->index(row, column, parent).data().toString() + QLatin1Char('\n');
        return std::ranges::all_of(
            m_words, [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
    }

  private:
    QStringList m_words;
};

class BarDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const QVariant share = index.data(TextTableModel::shareRole);
        if (share.isValid()) {
            QColor fill = themeColours().accent;
            fill.setAlphaF(0.35F);
            QRect bar = option.rect.adjusted(2, 3, -2, -3);
            bar.setWidth(int(share.toDouble() * bar.width()));
            painter->fillRect(bar, fill);
        }
        QStyledItemDelegate::paint(painter, option, index);
    }
};

}  // namespace

void TextTableModel::setRows(const QStringList& headers, QList<Row> rows) {
    beginResetModel();
    m_headers = headers;
    m_rows = std::move(rows);
    endResetModel();
}

int TextTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int TextTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_headers.size());
}

QVariant TextTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Row& row = m_rows[index.row()];
    if (role == shareRole)
        return row.share >= 0 && index.column() + 1 == m_headers.size() ? QVariant(row.share) : QVariant();
    if (role == Qt::ToolTipRole && !row.toolTip.isEmpty()) return row.toolTip;
    if (index.column() >= row.cells.size()) return {};
    const QVariant& cell = row.cells[index.column()];
    switch (role) {
        case Qt::DisplayRole:
        case Qt::ToolTipRole:
            return textOfCell(cell);
        case sortRole:
            if (const ShownNumber* number = asShownNumber(cell))
                return number->value ? QVariant(*number->value) : QVariant();
            return cell;
        case copyRole:
            return isNumber(cell) ? cell.toString() : textOfCell(cell).simplified();
        case Qt::TextAlignmentRole: {
            const bool isRight = isNumber(cell) || asShownNumber(cell) != nullptr;
            return QVariant(Qt::Alignment((isRight ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
        }
        default:
            return {};
    }
}

QVariant TextTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::DisplayRole) return m_headers.value(section);
    if (role != Qt::TextAlignmentRole) return {};
    // As the first cell that says something stands.
    for (int row = 0; row < m_rows.size(); ++row) {
        const QModelIndex cell = index(row, section);
        if (!data(cell, Qt::DisplayRole).toString().isEmpty()) return data(cell, role);
    }
    return {};
}

TextTable::TextTable(const QString& name, QWidget* parent)
    : QTableView(parent), m_model(new TextTableModel(this)), m_sorted(new WordFilter(this)) {
    setAccessibleName(name);
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(TextTableModel::sortRole);
    setModel(m_sorted);
    setItemDelegate(new BarDelegate(this));
    makeReadOnlyTable(*this, [this] { copySelection(); });
}

void TextTable::setRows(const QStringList& headers, QList<TextTableModel::Row> rows) {
    const QScopedValueRollback choosing(m_choosing, true);
    m_model->setRows(headers, std::move(rows));
    resizeColumnsToContents();
    for (int column = 0; column < m_sorted->columnCount(); ++column)
        setColumnWidth(column, std::min(columnWidth(column), widestTextColumn));
}

void TextTable::setFilter(const QString& words) {
    const QScopedValueRollback choosing(m_choosing, true);
    static_cast<WordFilter*>(m_sorted)->setWords(words.split(QLatin1Char(' '), Qt::SkipEmptyParts));
}

int TextTable::shownRows() const {
    return m_sorted->rowCount();
}

int TextTable::chosenRow() const {
    return currentIndex().isValid() ? m_sorted->mapToSource(currentIndex()).row() : -1;
}

void TextTable::chooseRow(int row) {
    const QScopedValueRollback choosing(m_choosing, true);
    const QModelIndex index = m_sorted->mapFromSource(m_model->index(row, 0));
    if (!index.isValid()) return selectionModel()->clear();
    setCurrentIndex(index);
    selectRow(index.row());
    scrollTo(index);
}

QString TextTable::asTsv() const {
    QStringList lines;
    const bool hasSelection = selectionModel()->hasSelection();
    for (int row = 0; row < m_sorted->rowCount(); ++row) {
        if (hasSelection && !selectionModel()->isRowSelected(row)) continue;
        QStringList cells;
        for (int column = 0; column < m_sorted->columnCount(); ++column)
            cells << m_sorted->index(row, column).data(TextTableModel::copyRole).toString();
        lines << cells.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n'));
}

void TextTable::copySelection() const {
    if (const QString text = asTsv(); !text.isEmpty()) QApplication::clipboard()->setText(text);
}

void TextTable::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
    QTableView::currentChanged(current, previous);
    if (m_choosing || !current.isValid()) return;
    if (previous.isValid() && previous.row() == current.row()) return;
    Q_EMIT chosen(m_sorted->mapToSource(current).row());
}

}  // namespace workbench
