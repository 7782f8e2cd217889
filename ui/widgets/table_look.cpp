// SPDX-License-Identifier: MIT
#include "ui/widgets/table_look.h"

#include <QAction>
#include <QHeaderView>
#include <QTableView>
#include <utility>

#include "ui/widgets/icons.h"

namespace workbench {

void setTableLook(QTableView& table) {
    table.setSelectionBehavior(QTableView::SelectRows);
    table.setWordWrap(false);
    table.setShowGrid(false);
    table.setAlternatingRowColors(true);
    table.setTabKeyNavigation(false);
    table.setFrameShape(QFrame::NoFrame);
    table.setContextMenuPolicy(Qt::ActionsContextMenu);
    table.horizontalHeader()->setHighlightSections(false);
    table.verticalHeader()->hide();
    table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + 8);
}

void makeReadOnlyTable(QTableView& table, std::function<void()> copy) {
    setTableLook(table);
    table.setSelectionMode(QTableView::ExtendedSelection);
    table.setEditTriggers(QTableView::NoEditTriggers);
    table.setHorizontalScrollMode(QTableView::ScrollPerPixel);
    QHeaderView* header = table.horizontalHeader();
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setStretchLastSection(true);
    letHeadersSort(table);
    addCopyRows(table, std::move(copy));
}

void letHeadersSort(QTableView& table) {
    QHeaderView* header = table.horizontalHeader();
    header->setSortIndicator(-1, Qt::AscendingOrder);
    header->setSortIndicatorClearable(true);
    table.setSortingEnabled(true);
    header->setSortIndicatorShown(false);
    QObject::connect(header, &QHeaderView::sortIndicatorChanged, &table,
                     [header](int column) { header->setSortIndicatorShown(column >= 0); });
}

void addCopyRows(QTableView& table, std::function<void()> copy) {
    auto* action = new QAction(themedIcon(QStringLiteral("copy")), QObject::tr("Copy rows"), &table);
    action->setShortcut(QKeySequence::Copy);
    action->setShortcutContext(Qt::WidgetShortcut);
    QObject::connect(action, &QAction::triggered, &table, std::move(copy));
    table.addAction(action);
}

}  // namespace workbench
