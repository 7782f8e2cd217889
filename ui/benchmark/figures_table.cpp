// SPDX-License-Identifier: MIT
#include "ui/benchmark/figures_table.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScopedValueRollback>
#include <algorithm>

#include "core/support/files.h"
#include "ui/benchmark/results_model.h"
#include "ui/widgets/table_look.h"

namespace workbench {
namespace {

QString cellText(const QModelIndex& index) {
    const QVariant copied = index.data(FiguresTable::CopyRole);
    const QVariant value = copied.isValid() ? copied : index.data(ResultsModel::ValueRole);
    if (!value.isValid()) return {};
    if (value.typeId() == QMetaType::Double) {
        return QString::fromStdString(format_number(value.toDouble()));
    }
    // A tab or a line's end in a failure would break the row.
    return value.toString().simplified();
}

}  // namespace

FiguresTable::FiguresTable(QAbstractItemModel& model, QWidget* parent)
    : QTableView(parent), m_model(model), m_order(new ResultsOrder(this)) {
    m_order->setSourceModel(&model);
    setModel(m_order);
    setTableLook(*this);
    setSelectionMode(ExtendedSelection);
    setSortingEnabled(true);
    m_order->sort(-1);  // as they were run, until a header is clicked
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    horizontalHeader()->setSectionsMovable(true);
    horizontalHeader()->setFirstSectionMovable(false);
    horizontalHeader()->setSortIndicatorClearable(true);
    setHorizontalScrollMode(ScrollPerPixel);
    addCopyRows(*this, [this] { copySelection(); });

    connect(&model, &QAbstractItemModel::modelReset, this, &FiguresTable::follow);
    connect(&model, &QAbstractItemModel::rowsInserted, this, &FiguresTable::follow);
}

void FiguresTable::follow() {
    followModel();
    if (m_model.rowCount() == 0) {
        m_fitted = false;
    } else {
        fitColumns();
    }
}

int FiguresTable::wantedWidth(int column) {
    return std::max(sizeHintForColumn(column), horizontalHeader()->sectionSizeHint(column));
}

void FiguresTable::fitColumns() {
    // Later cases may be wider, never narrower: nothing jumps while results come in.
    for (int column = 0; column < m_model.columnCount(); ++column) {
        if (isColumnHidden(column)) continue;
        const int width = wantedWidth(column);
        setColumnWidth(column, m_fitted ? std::max(columnWidth(column), width) : width);
    }
    m_fitted = true;
}

void FiguresTable::chooseCase(int index) {
    const QModelIndex shown = m_order->mapFromSource(m_model.index(index, 0));
    const QScopedValueRollback following(m_following, true);
    if (!shown.isValid()) {
        clearSelection();
        setCurrentIndex({});
        return;
    }
    if (currentIndex().row() == shown.row() && selectionModel()->isRowSelected(shown.row())) return;
    const int column = std::max(0, currentIndex().column());
    setCurrentIndex(shown.siblingAtColumn(column));
    selectRow(shown.row());
    scrollTo(shown.siblingAtColumn(column));
}

QString FiguresTable::selectionAsTsv() const {
    QList<int> rows;
    for (const QModelIndex& index : selectionModel()->selectedRows()) rows.append(index.row());
    if (rows.isEmpty()) {
        for (int row = 0; row < m_order->rowCount(); ++row) rows.append(row);
    }
    std::ranges::sort(rows);
    QStringList lines;
    const auto line = [this, &lines](auto cell) {
        QStringList cells;
        for (int visual = 0; visual < m_model.columnCount(); ++visual) {
            cells.append(cell(horizontalHeader()->logicalIndex(visual)));
        }
        lines.append(cells.join(QLatin1Char('\t')));
    };
    line([this](int column) { return m_order->headerData(column, Qt::Horizontal).toString(); });
    for (const int row : rows) {
        line([this, row](int column) { return cellText(m_order->index(row, column)); });
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void FiguresTable::copySelection() {
    QApplication::clipboard()->setText(selectionAsTsv());
}

// The window copies the picture by the same keys: here they are the table's.
bool FiguresTable::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        event->accept();
        return true;
    }
    return QTableView::event(event);
}

void FiguresTable::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        copySelection();
        event->accept();
        return;
    }
    QTableView::keyPressEvent(event);
}

void FiguresTable::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
    QTableView::currentChanged(current, previous);
    if (m_following || !current.isValid()) return;
    if (previous.isValid() && previous.row() == current.row()) return;
    Q_EMIT caseChosen(m_order->mapToSource(current).row());
}

void FiguresTable::changeEvent(QEvent* event) {
    QTableView::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
        m_fitted = false;
        fitColumns();
    }
}

}  // namespace workbench
