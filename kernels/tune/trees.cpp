// SPDX-License-Identifier: MIT
// Trees evaluated for up to 64 rows at once, a row a bit: the candidates of a problem differ in few features
// and few values, so that most tests send all of them the same way, and a tree is walked about once for all.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "iir2d/tune_model.h"

namespace iir2d {

namespace {

constexpr std::size_t most_rows = 64;
using Rows = std::uint64_t;  // bit i: row i

// The values of one feature.
class Column {
  public:
    void add(std::size_t row, float value) {
        if (value != value) return;  // NaN is below no threshold
        const Rows bit = Rows{1} << row;
        if (m_count > 0 && m_values[m_last] == value) {
            m_rows[m_last] |= bit;
            return;
        }
        std::size_t at = 0;
        while (at < m_count && m_values[at] < value) ++at;
        if (at == m_count || m_values[at] != value) {
            std::move_backward(m_values.begin() + at, m_values.begin() + m_count,
                               m_values.begin() + m_count + 1);
            std::move_backward(m_rows.begin() + at, m_rows.begin() + m_count, m_rows.begin() + m_count + 1);
            m_values[at] = value;
            m_rows[at] = 0;
            ++m_count;
        }
        m_rows[at] |= bit;
        m_last = at;
    }
    Rows below(float threshold) const {
        Rows rows = 0;
        for (std::size_t i = 0; i < m_count && m_values[i] < threshold; ++i) rows |= m_rows[i];
        return rows;
    }

  private:
    std::array<float, most_rows> m_values;  // of them the first m_count, rising
    std::array<Rows, most_rows> m_rows;     // that have the value
    std::size_t m_count = 0;
    std::size_t m_last = 0;
};

// Adds a tree's leaves to the sums of the rows that are set in `all`.
void add_tree(const TreeEnsemble& ensemble, std::size_t tree, std::span<const Column> columns, Rows all,
              std::span<float> sums) {
    const std::size_t tests = ensemble.tests_of_a_tree();
    const std::uint16_t* const feature = ensemble.tests.data() + tree * tests;
    const float* const threshold = ensemble.thresholds.data() + tree * tests;
    const float* const leaf = ensemble.leaves.data() + tree * ensemble.leaves_of_a_tree();
    struct Place {
        std::size_t test;
        Rows rows;
    };
    std::array<Place, 64> waiting;  // at most one a level
    std::size_t count = 0;
    waiting[count++] = {0, all};
    while (count > 0) {
        auto [test, rows] = waiting[--count];
        while (test < tests) {
            const Rows left = rows & columns[feature[test]].below(threshold[test]);
            const Rows right = rows & ~left;
            test = 2 * test + 1;
            if (left == 0) {
                ++test;
            } else if (right != 0) {
                waiting[count++] = {test + 1, right};
                rows = left;
            }
        }
        const float value = leaf[test - tests];
        if (rows == all) {
            for (float& sum : sums) sum += value;
            continue;
        }
        for (; rows != 0; rows &= rows - 1) sums[static_cast<std::size_t>(std::countr_zero(rows))] += value;
    }
}

}  // namespace

void predict(const TreeEnsemble& ensemble, std::span<const float> rows, std::size_t features,
             std::span<float> out) {
    std::ranges::fill(out, ensemble.base);
    const std::size_t trees = ensemble.trees();
    for (std::size_t first = 0; first < out.size(); first += most_rows) {
        const std::span<float> sums = out.subspan(first, std::min(most_rows, out.size() - first));
        std::vector<Column> columns(features);
        for (std::size_t row = 0; row < sums.size(); ++row) {
            for (std::size_t f = 0; f < features; ++f)
                columns[f].add(row, rows[(first + row) * features + f]);
        }
        const Rows all = sums.size() == most_rows ? ~Rows{0} : (Rows{1} << sums.size()) - 1;
        for (std::size_t tree = 0; tree < trees; ++tree) add_tree(ensemble, tree, columns, all, sums);
    }
}

}  // namespace iir2d
