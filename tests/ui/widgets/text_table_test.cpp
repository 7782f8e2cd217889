// SPDX-License-Identifier: MIT
#include "ui/widgets/text_table.h"

#include <gtest/gtest.h>

#include <QAbstractItemModel>
#include <optional>

namespace workbench {
namespace {

TEST(TextTable, ShownNumbersSortAsNumbersAndThoseWithoutAValueComeLast) {
    TextTable table(QStringLiteral("Ratios"));
    table.setRows({QStringLiteral("Config"), QStringLiteral("Ratio")},
                  {{.cells = {QStringLiteral("a"), shownNumberCell(10.5, QStringLiteral("10.500"))}},
                   {.cells = {QStringLiteral("b"), shownNumberCell(std::nullopt, QStringLiteral("none"))}},
                   {.cells = {QStringLiteral("c"), shownNumberCell(2, QStringLiteral("2.000"))}}});
    table.sortByColumn(1, Qt::AscendingOrder);
    EXPECT_EQ(table.asTsv().toStdString(), "c\t2.000\na\t10.500\nb\tnone");
}

TEST(TextTable, HeadersStandWhereTheirColumnsCellsDo) {
    TextTable table(QStringLiteral("Counts"));
    const QVariant ratio = shownNumberCell(2, QStringLiteral("2.000"));
    table.setRows({QStringLiteral("Kernel"), QStringLiteral("Count"), QStringLiteral("Ratio")},
                  {{.cells = {QStringLiteral("a"), countCell(1), QVariant()}},
                   {.cells = {QStringLiteral("b"), countCell(2), ratio}}});
    const auto side = [](const QVariant& alignment) { return alignment.toInt() & Qt::AlignHorizontal_Mask; };
    const Qt::AlignmentFlag sides[] = {Qt::AlignLeft, Qt::AlignRight, Qt::AlignRight};
    for (int column = 0; column < 3; ++column) {
        EXPECT_EQ(side(table.model()->index(1, column).data(Qt::TextAlignmentRole)), sides[column]) << column;
        EXPECT_EQ(side(table.model()->headerData(column, Qt::Horizontal, Qt::TextAlignmentRole)),
                  sides[column])
            << column;
    }
}

}  // namespace
}  // namespace workbench
