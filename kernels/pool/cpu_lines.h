// SPDX-License-Identifier: MIT
// Defines two kinds of rows that are folded along x and then along y: of sums or maxima alone, and of
// value-and-index pairs. cpu_separable.h is written in these operations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/pool/argmax.h"
#include "kernels/pool/cpu_job.h"

namespace iir2d::pool {

// A row to fold, and the number of taps that its indices are moved by.
template <class Row>
struct Part {
    Row row;
    std::int64_t taps;
};

template <class T>
class PlainLines {
  public:
    using Acc = T;
    using Row = T*;
    using ConstRow = const T*;
    static constexpr bool with_argmax = false;

    static Row at(Row row, std::int64_t o) { return row + o; }
    static ConstRow at(ConstRow row, std::int64_t o) { return row + o; }
    static T* values(Row row) { return row; }
    static const T* values(ConstRow row) { return row; }

    // Holds rows of the same length, one behind the other.
    class Store {
      public:
        void allocate(std::size_t rows, std::size_t width) {
            m_width = static_cast<std::size_t>(row_distance<T>(static_cast<std::int64_t>(width)));
            m_values.assign(rows * m_width, T(0));
        }
        Row row(std::size_t index) { return m_values.data() + index * m_width; }

      private:
        std::size_t m_width = 0;
        std::vector<T> m_values;
    };

    void fold_along_x(bool maximum, const std::vector<Part<ConstRow>>& parts, std::int64_t count, Row to) {
        fold_rows(maximum, pointers(parts), count, to);
    }
    void fold_along_y(bool maximum, const std::vector<Part<ConstRow>>& parts, std::int64_t count, Row to) {
        fold_rows(maximum, pointers(parts), count, to);
    }
    std::span<const T* const> pointers(const std::vector<Part<ConstRow>>& parts) {
        m_pointers.clear();
        for (const auto& part : parts) m_pointers.push_back(part.row);
        return m_pointers;
    }

  private:
    std::vector<const T*> m_pointers;
};

// Folds rows of value-and-index pairs: values in T, indices as wide.
template <class T>
class ArgmaxLines {
  public:
    using Acc = T;
    using Index = std::conditional_t<sizeof(T) == sizeof(std::int32_t), std::int32_t, std::int64_t>;
    struct Row {
        T* values;
        Index* columns;
        Index* rows;
    };
    using ConstRow = Row;
    static constexpr bool with_argmax = true;

    static Row at(const Row& row, std::int64_t o) { return {row.values + o, row.columns + o, row.rows + o}; }
    static T* values(const Row& row) { return row.values; }

    class Store {
      public:
        void allocate(std::size_t rows, std::size_t width) {
            m_width = static_cast<std::size_t>(row_distance<T>(static_cast<std::int64_t>(width)));
            m_values.assign(rows * m_width, T(0));
            m_columns.assign(rows * m_width, 0);
            m_rows.assign(rows * m_width, 0);
        }
        Row row(std::size_t index) {
            const std::size_t first = index * m_width;
            return {m_values.data() + first, m_columns.data() + first, m_rows.data() + first};
        }

      private:
        std::size_t m_width = 0;
        std::vector<T> m_values;
        std::vector<Index> m_columns;
        std::vector<Index> m_rows;
    };

    void fold_along_x(bool, const std::vector<Part<ConstRow>>& parts, std::int64_t count, const Row& to) {
        fold(parts, count, to, 1, 0);
    }
    void fold_along_y(bool, const std::vector<Part<ConstRow>>& parts, std::int64_t count, const Row& to) {
        fold(parts, count, to, 0, 1);
    }

  private:
    void fold(const std::vector<Part<ConstRow>>& parts, std::int64_t count, const Row& to, std::int64_t x,
              std::int64_t y) {
        m_parts.clear();
        for (const auto& [row, taps] : parts) {
            m_parts.push_back({row.values, row.columns, row.rows, static_cast<Index>(x * taps),
                               static_cast<Index>(y * taps)});
        }
        fold_argmax(std::span<const IndexedRowOf<T, Index>>(m_parts), count,
                    IndexedOutputOf<T, Index>{to.values, to.columns, to.rows});
    }

    std::vector<IndexedRowOf<T, Index>> m_parts;
};

}  // namespace iir2d::pool
