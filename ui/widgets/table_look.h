// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

class QTableView;

namespace workbench {

// Gives a table of rows the look and the keys that all of them have: no grid, rows in turns of two grounds,
// the tab key leaves it, its actions are its context menu.
void setTableLook(QTableView& table);

// Does all of that for a table that is only read: any rows may be chosen and, with `copy`, be copied; headers
// sort, at the left above their columns, the last as wide as there is room.
void makeReadOnlyTable(QTableView& table, std::function<void()> copy);

// Lets headers sort the rows, whose model sorts: they stay as they came, and no arrow takes room, until one
// is clicked.
void letHeadersSort(QTableView& table);

// Adds "Copy rows", Ctrl+C while the table has the focus.
void addCopyRows(QTableView& table, std::function<void()> copy);

}  // namespace workbench
