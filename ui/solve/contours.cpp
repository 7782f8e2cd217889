// SPDX-License-Identifier: MIT
#include "ui/solve/contours.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace workbench {

std::vector<double> contourLevels(std::vector<double> values, int count) {
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    std::ranges::sort(values);
    std::vector<double> made;
    for (int k = 1; k <= count && !values.empty(); ++k) {
        const double share = double(k) / (count + 1);
        const double level = values[std::size_t(double(values.size()) * share * share)];
        if (level > values.front() && (made.empty() || level > made.back())) made.push_back(level);
    }
    return made;
}

QList<QLineF> contourLines(const std::vector<double>& values, const solve::Rectangle& where, double level) {
    QList<QLineF> made;
    const auto columns = std::size_t(where.columns);
    const auto place = [&](double column, double row) {
        return QPointF(where.x[0] + (where.x[1] - where.x[0]) * column / (where.columns - 1),
                       where.y[0] + (where.y[1] - where.y[0]) * row / (where.rows - 1));
    };
    for (int row = 0; row + 1 < where.rows; ++row) {
        for (int column = 0; column + 1 < where.columns; ++column) {
            // Corners around the cell, and where the level crosses the edge from each to the next.
            constexpr std::array<std::array<int, 2>, 4> corners{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
            std::array<double, 4> at{};
            for (std::size_t k = 0; k < 4; ++k)
                at[k] =
                    values[std::size_t(row + corners[k][1]) * columns + std::size_t(column + corners[k][0])];
            QList<QPointF> crossed;
            for (std::size_t k = 0; k < 4; ++k) {
                const std::size_t next = (k + 1) % 4;
                if ((at[k] < level) == (at[next] < level)) continue;
                const double share = (level - at[k]) / (at[next] - at[k]);
                if (!std::isfinite(share)) continue;
                crossed << place(column + corners[k][0] + share * (corners[next][0] - corners[k][0]),
                                 row + corners[k][1] + share * (corners[next][1] - corners[k][1]));
            }
            if (crossed.size() == 2) made << QLineF(crossed[0], crossed[1]);
            if (crossed.size() != 4) continue;
            const bool isMeanBelow = (at[0] + at[1] + at[2] + at[3]) / 4 < level;
            const bool joinsFirst = (at[0] < level) != isMeanBelow;  // corner 0 stands alone
            made << (joinsFirst ? QLineF(crossed[0], crossed[3]) : QLineF(crossed[0], crossed[1]))
                 << (joinsFirst ? QLineF(crossed[1], crossed[2]) : QLineF(crossed[2], crossed[3]));
        }
    }
    return made;
}

}  // namespace workbench
