// SPDX-License-Identifier: MIT
// Computes with whole vectors, by the kernels, and holds what solvers share.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/solve/solve.h"

namespace workbench::solve {

using Vector = std::vector<double>;

// Returns so many zeros, in huge pages where the system gives them: a fault for every 4 KiB of the vectors of
// a million unknowns takes as long as a cycle over them.
Vector zeros(std::size_t count);

// Sums have one order: 64 elements at a time, then 64 of those sums, and so on.
Result<double> dot(Engine& engine, std::span<const double> x, std::span<const double> y);
Result<double> sum(Engine& engine, std::span<const double> x);
Result<double> norm(Engine& engine, std::span<const double> x);
// Computes y := y + a x, with `spare` for the result, which changes places with y.
Result<void> add_scaled(Engine& engine, double a, const Vector& x, Vector& y, Vector& spare);

// Refuses work that needs more than the memory that is free: bad_argument, with the bytes.
Result<void> check_memory(std::string_view what, double bytes);
Result<void> check_stopped(const Common& common);
Result<void> check_common(const Common& common);

// Keeps all steps of short histories and, of long ones, every second, fourth and so on: at most `longest`.
class History {
  public:
    explicit History(std::size_t longest = 10'000) : m_longest(longest) {}
    void add(HistoryStep step);
    const std::vector<HistoryStep>& steps() const { return m_steps; }
    // Returns the steps with the last that was added.
    std::vector<HistoryStep> take();

  private:
    std::vector<HistoryStep> m_steps;
    std::optional<HistoryStep> m_last;
    std::size_t m_longest;
    std::int64_t m_stride = 1;
    std::int64_t m_count = 0;
};

// Adds a step, and tells who watches of it.
void note(History& history, const Common& common, HistoryStep step);
// Returns how far iterations have come, in [0, 1]: by their number, or by the digits that the residual has
// lost.
double share_done(const Common& common, std::int64_t iterations, double relative);

class Stopwatch {
  public:
    // Seconds since it was made, or since the last call.
    double lap() {
        const auto now = std::chrono::steady_clock::now();
        return std::chrono::duration<double>(now - std::exchange(m_start, now)).count();
    }

  private:
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

// Says that the residual is still too large; for Solved::shortfall.
std::string residual_sentence(const Solved& solved, double tolerance);

// Fills in the errors of a solution in one dimension that has exact values: the largest, and the L2 norm and
// the H1 seminorm of the piecewise linear function through the nodes' errors.
void measure_errors(Solved& solved);

}  // namespace workbench::solve
