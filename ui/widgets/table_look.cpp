// SPDX-License-Identifier: MIT
#include "ui/widgets/table_look.h"

#include <QHeaderView>
#include <QTableView>

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

}  // namespace workbench
