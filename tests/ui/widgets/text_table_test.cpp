// SPDX-License-Identifier: MIT
#include "ui/widgets/text_table.h"

#include <gtest/gtest.h>

namespace workbench {
namespace {

TEST(TextTableModel, AlignsAHeaderAsTheCellsBelowIt) {
    TextTableModel model;
    const auto alignment = [&](int column) {
        return model.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole);
    };
    model.setRows({QStringLiteral("Kernel"), QStringLiteral("Instructions")}, {});
    EXPECT_FALSE(alignment(1).isValid());
    model.setRows({QStringLiteral("Kernel"), QStringLiteral("Instructions")},
                  {{.cells = {QStringLiteral("twice"), QVariant(18ULL)}, .share = -1, .toolTip = {}}});
    for (const int column : {0, 1}) {
        EXPECT_EQ(alignment(column), model.index(0, column).data(Qt::TextAlignmentRole)) << column;
    }
    EXPECT_NE(alignment(0), alignment(1));
}

}  // namespace
}  // namespace workbench
