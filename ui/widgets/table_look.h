// SPDX-License-Identifier: MIT
#pragma once

class QTableView;

namespace workbench {

// Gives a table of rows the look and the keys that all of them have: no grid, rows in turns of two grounds,
// the tab key leaves it, its actions are its context menu.
void setTableLook(QTableView& table);

}  // namespace workbench
