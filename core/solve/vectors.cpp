// SPDX-License-Identifier: MIT
#include "core/solve/vectors.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/support/counted.h"
#include "core/support/files.h"
#include "core/support/memory.h"
#include "core/support/try.h"

namespace workbench::solve {

namespace {

constexpr std::size_t chunk = 64;

}  // namespace

Vector zeros(std::size_t count) {
    Vector made;
    made.reserve(count);
    prefer_huge_pages(made.data(), count * sizeof(double));
    made.resize(count);
    return made;
}

Result<double> sum(Engine& engine, std::span<const double> x) {
    Vector now, next;
    while (x.size() > 1) {
        next.resize((x.size() + chunk - 1) / chunk);
        IIR2D_RETURN_IF_ERROR(engine.run("chunk_sum",
                                         {x, Value::out(next), static_cast<std::int32_t>(x.size())},
                                         static_cast<std::int32_t>(next.size()), chunk));
        now.swap(next);
        x = now;
    }
    return x.empty() ? 0.0 : x[0];
}

Result<double> dot(Engine& engine, std::span<const double> x, std::span<const double> y) {
    Vector parts((x.size() + chunk - 1) / chunk);
    IIR2D_RETURN_IF_ERROR(engine.run("chunk_dot",
                                     {x, y, Value::out(parts), static_cast<std::int32_t>(x.size())},
                                     static_cast<std::int32_t>(parts.size()), chunk));
    return sum(engine, parts);
}

Result<double> norm(Engine& engine, std::span<const double> x) {
    IIR2D_TRY(const double square, dot(engine, x, x));
    return std::sqrt(square);
}

Result<void> add_scaled(Engine& engine, double a, const Vector& x, Vector& y, Vector& spare) {
    spare.resize(y.size());
    IIR2D_RETURN_IF_ERROR(
        engine.run("add_scaled", {x, y, Value::out(spare), a}, static_cast<std::int32_t>(y.size()), 1));
    y.swap(spare);
    return {};
}

Result<void> check_memory(std::string_view what, double bytes) {
    const auto available = available_memory_bytes();
    if (!available || bytes <= static_cast<double>(*available)) return {};
    return fail(ErrorKind::bad_argument,
                std::string(what) + " needs " +
                    std::to_string(static_cast<std::uint64_t>(std::min(bytes, 9e18))) +
                    " bytes of memory, and " + std::to_string(*available) + " are free: give a smaller --n");
}

Result<void> check_stopped(const Common& common) {
    if (common.control.cancelled()) return fail(ErrorKind::cancelled, "solving was interrupted");
    return {};
}

Result<void> check_common(const Common& common) {
    if (!(common.tolerance > 0) || !std::isfinite(common.tolerance))
        return fail(ErrorKind::bad_argument,
                    "--tolerance " + format_number(common.tolerance) + " is not a number above 0");
    if (common.max_iterations < 1)
        return fail(ErrorKind::bad_argument,
                    "--max-iterations " + std::to_string(common.max_iterations) + " is not at least 1");
    return {};
}

void History::add(HistoryStep step) {
    if (m_count % m_stride == 0) m_steps.push_back(step);
    ++m_count;
    m_last = std::move(step);
    if (m_steps.size() <= m_longest) return;
    for (std::size_t k = 1; 2 * k < m_steps.size(); ++k) m_steps[k] = std::move(m_steps[2 * k]);
    m_steps.resize((m_steps.size() + 1) / 2);
    m_stride *= 2;
}

std::vector<HistoryStep> History::take() {
    if (m_last && (m_steps.empty() || m_steps.back().iteration != m_last->iteration))
        m_steps.push_back(*std::move(m_last));
    return std::move(m_steps);
}

void note(History& history, const Common& common, HistoryStep step) {
    if (common.watch) common.watch(step);
    history.add(std::move(step));
}

double share_done(const Common& common, std::int64_t iterations, double relative) {
    const double by_number = static_cast<double>(iterations) / static_cast<double>(common.max_iterations);
    const double by_digits =
        relative > 0 && common.tolerance < 1 ? std::log(relative) / std::log(common.tolerance) : 0;
    return std::clamp(std::max(by_number, by_digits), 0.0, 1.0);
}

void measure_errors(Solved& solved) {
    const Solution& s = solved.solution;
    if (s.exact.empty()) return;
    double largest = 0, square = 0, slope = 0, before = 0;
    for (std::size_t k = 0; k < s.computed.size(); ++k) {
        const double e = s.computed[k] - s.exact[k];
        // A NaN is the largest.
        if (!(std::abs(e) <= largest)) largest = std::abs(e);
        if (k > 0) {
            const double h = s.x[k] - s.x[k - 1];
            square += h * (e * e + e * before + before * before) / 3;
            slope += (e - before) * (e - before) / h;
        }
        before = e;
    }
    solved.errors = {.max = largest, .l2 = std::sqrt(square), .h1 = std::sqrt(slope)};
}

std::string residual_sentence(const Solved& solved, double tolerance) {
    return solved.problem + " by " + solved.method + " has not converged: after " +
           counted(static_cast<std::uint64_t>(solved.iterations), "iteration") +
           " the relative residual is " + format_number(solved.residual.value_or(0)) + ", and " +
           format_number(tolerance) + " was asked for";
}

}  // namespace workbench::solve
