// SPDX-License-Identifier: MIT
// What tests of an open data set do.
#pragma once

#include <QTest>
#include <algorithm>

#include "tests/ui/patience.h"
#include "ui/kernels/data_set_desk.h"
#include "ui/support/text.h"

namespace workbench::testing {

// Chooses the first record that has a backward kernel. Returns whether there is one and it was read in time.
inline bool chooseRecordWithBackward(DataSetDesk& desk) {
    const auto& rows = desk.dataSet()->rows;
    const auto row = std::ranges::find_if(rows, &inspect::RecordRow::has_backward);
    if (row == rows.end()) return false;
    desk.chooseRecord(toText(row->id));
    return QTest::qWaitFor([&] { return desk.record() && desk.record()->row.id == row->id; }, patience_ms);
}

}  // namespace workbench::testing
