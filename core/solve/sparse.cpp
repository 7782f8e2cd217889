// SPDX-License-Identifier: MIT
#include "core/solve/sparse.h"

// Their warnings are not ours.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define EIGEN_MPL2_ONLY
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include <cmath>

#include "core/support/try.h"

namespace workbench::solve {

namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Column = Eigen::Map<const Eigen::VectorXd>;

// The lower triangle, which is all that they read.
Matrix lower_of(const SparseRows& rows) {
    std::vector<Eigen::Triplet<double>> entries;
    const auto width = static_cast<std::size_t>(rows.width);
    entries.reserve(rows.value.size() / 2);
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows.rows); ++row) {
        for (std::size_t k = row * width; k < (row + 1) * width; ++k) {
            if (rows.column[k] >= 0 && static_cast<std::size_t>(rows.column[k]) <= row)
                entries.emplace_back(static_cast<int>(row), rows.column[k], rows.value[k]);
        }
    }
    Matrix made(rows.rows, rows.rows);
    made.setFromTriplets(entries.begin(), entries.end());
    return made;
}

// L of P A P' = L L'. A column has its diagonal first, then its rows as they come.
struct Whole {
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
    std::vector<std::int64_t> begin;
    std::vector<std::int32_t> row;
    Vector value;

    void solve(const Column& rhs, Eigen::Map<Eigen::VectorXd>& solution) const {
        Eigen::VectorXd x = order * rhs;
        for (Eigen::Index k = 0; k < x.size(); ++k) {
            const auto first = static_cast<std::size_t>(begin[static_cast<std::size_t>(k)]);
            const auto last = static_cast<std::size_t>(begin[static_cast<std::size_t>(k) + 1]);
            x[k] /= value[first];
            for (std::size_t p = first + 1; p < last; ++p) x[row[p]] -= value[p] * x[k];
        }
        for (Eigen::Index k = x.size() - 1; k >= 0; --k) {
            const auto first = static_cast<std::size_t>(begin[static_cast<std::size_t>(k)]);
            const auto last = static_cast<std::size_t>(begin[static_cast<std::size_t>(k) + 1]);
            for (std::size_t p = first + 1; p < last; ++p) x[k] -= value[p] * x[row[p]];
            x[k] /= value[first];
        }
        solution = order.transpose() * x;
    }
};

class Elimination {
  public:
    explicit Elimination(const Matrix& lower) : m_size(static_cast<std::size_t>(lower.rows())) {
        const Matrix both = lower.selfadjointView<Eigen::Lower>();
        Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> back;
        Eigen::AMDOrdering<int>()(both, back);
        m_whole.order = back.inverse();
        m_upper.resize(lower.rows(), lower.cols());
        m_upper.selfadjointView<Eigen::Upper>() =
            lower.selfadjointView<Eigen::Lower>().twistedBy(m_whole.order);
    }

    Result<Whole> run(const Common& common) {
        IIR2D_RETURN_IF_ERROR(check_stopped(common));
        count();
        Vector sums(m_size);
        std::vector<std::int64_t> end(m_whole.begin.begin(), m_whole.begin.end() - 1);
        double work = 0, reported = 0;
        for (std::size_t k = 0; k < m_size; ++k) {
            IIR2D_RETURN_IF_ERROR(check_stopped(common));
            const std::size_t top = pattern_of(k, [&](std::size_t i, double entry) { sums[i] += entry; });
            double square = std::exchange(sums[k], 0.0);
            for (std::size_t at = top; at < m_size; ++at) {
                const auto column = static_cast<std::size_t>(m_pattern[at]);
                const auto first = static_cast<std::size_t>(m_whole.begin[column]);
                const auto last = static_cast<std::size_t>(end[column]++);
                const double entry = std::exchange(sums[column], 0.0) / m_whole.value[first];
                for (std::size_t p = first + 1; p < last; ++p)
                    sums[static_cast<std::size_t>(m_whole.row[p])] -= m_whole.value[p] * entry;
                square -= entry * entry;
                m_whole.row[last] = static_cast<std::int32_t>(k);
                m_whole.value[last] = entry;
                work += static_cast<double>(last - first);
            }
            if (!(square > 0)) return fail(ErrorKind::check_failed, "the matrix is not positive definite");
            const auto diagonal = static_cast<std::size_t>(end[k]++);
            m_whole.row[diagonal] = static_cast<std::int32_t>(k);
            m_whole.value[diagonal] = std::sqrt(square);
            if (work - reported < 0.01 * m_work) continue;
            reported = work;
            common.control.report(work / m_work, "elimination");
        }
        return std::move(m_whole);
    }

  private:
    // The columns that row k of L has, in an order in which each comes after those that it needs, from the
    // place that is returned to the end of m_pattern: the way up the tree from each entry.
    template <class Add>
    std::size_t pattern_of(std::size_t k, const Add& add) {
        const auto row = static_cast<std::int32_t>(k);
        std::size_t top = m_size;
        m_mark[k] = row;
        for (Matrix::InnerIterator entry(m_upper, static_cast<Eigen::Index>(k)); entry; ++entry) {
            auto i = static_cast<std::int32_t>(entry.row());
            add(static_cast<std::size_t>(i), entry.value());
            std::size_t length = 0;
            for (; m_mark[static_cast<std::size_t>(i)] != row; i = m_parent[static_cast<std::size_t>(i)]) {
                if (m_parent[static_cast<std::size_t>(i)] < 0) m_parent[static_cast<std::size_t>(i)] = row;
                m_mark[static_cast<std::size_t>(i)] = row;
                m_pattern[length++] = i;
            }
            while (length > 0) m_pattern[--top] = m_pattern[--length];
        }
        return top;
    }

    // Makes the tree, and room for every column.
    void count() {
        m_parent.assign(m_size, -1);
        m_mark.assign(m_size, -1);
        m_pattern.resize(m_size);
        std::vector<std::int64_t> entries(m_size, 1);
        for (std::size_t k = 0; k < m_size; ++k) {
            for (std::size_t at = pattern_of(k, [](std::size_t, double) {}); at < m_size; ++at)
                ++entries[static_cast<std::size_t>(m_pattern[at])];
        }
        m_whole.begin.assign(m_size + 1, 0);
        for (std::size_t k = 0; k < m_size; ++k) {
            m_whole.begin[k + 1] = m_whole.begin[k] + entries[k];
            m_work += 0.5 * static_cast<double>(entries[k]) * static_cast<double>(entries[k]);
        }
        m_whole.row.resize(static_cast<std::size_t>(m_whole.begin.back()));
        m_whole.value.resize(m_whole.row.size());
        m_mark.assign(m_size, -1);
    }

    std::size_t m_size;
    Matrix m_upper;  // of the matrix in its new order
    Whole m_whole;
    std::vector<std::int32_t> m_parent, m_mark, m_pattern;
    double m_work = 0;  // products
};

}  // namespace

struct Factor::State {
    std::optional<Whole> whole;
    Eigen::IncompleteCholesky<double> part;
};

Factor::Factor(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Factor::Factor(Factor&&) noexcept = default;
Factor& Factor::operator=(Factor&&) noexcept = default;
Factor::~Factor() = default;

Result<Factor> Factor::cholesky(const SparseRows& matrix, const Common& common) {
    auto state = std::make_unique<State>();
    IIR2D_TRY(state->whole, Elimination(lower_of(matrix)).run(common));
    return Factor(std::move(state));
}

Result<Factor> Factor::incomplete(const SparseRows& matrix) {
    auto state = std::make_unique<State>();
    state->part.compute(lower_of(matrix));
    if (state->part.info() != Eigen::Success)
        return fail(ErrorKind::check_failed, "the matrix has no incomplete Cholesky factor");
    return Factor(std::move(state));
}

void Factor::solve(const Vector& rhs, Vector& solution) const {
    solution.resize(rhs.size());
    const Column b(rhs.data(), static_cast<Eigen::Index>(rhs.size()));
    Eigen::Map<Eigen::VectorXd> x(solution.data(), static_cast<Eigen::Index>(solution.size()));
    if (m_state->whole)
        m_state->whole->solve(b, x);
    else
        x = m_state->part.solve(b);
}

}  // namespace workbench::solve
