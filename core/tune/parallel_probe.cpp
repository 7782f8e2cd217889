// SPDX-License-Identifier: MIT
#include "core/tune/parallel_probe.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "core/benchmark/statistics.h"

namespace workbench::tune {

namespace {

using Clock = std::chrono::steady_clock;
constexpr double wanted_ms = 2;

double probe_milliseconds(Clock::duration duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

// Each step waits for the one before it. Returns milliseconds.
double work(std::int64_t steps) {
    static std::atomic<double> sink{0};
    const auto start = Clock::now();
    double x = 0.5;
    for (std::int64_t i = 0; i < steps; ++i) x = x * 0.999 + 0.25;
    const double taken = probe_milliseconds(Clock::now() - start);
    sink.store(x, std::memory_order_relaxed);
    return taken;
}

}  // namespace

ParallelProbe::ParallelProbe(int threads) : m_threads(std::max(1, threads)) {
    constexpr std::int64_t tried = 1'000'000;
    double least = work(tried);
    for (int i = 0; i < 5; ++i) least = std::min(least, work(tried));
    m_steps =
        std::max<std::int64_t>(1000, static_cast<std::int64_t>(tried * wanted_ms / std::max(least, 1e-3)));
}

double ParallelProbe::together() const {
    std::atomic<int> ready{0};
    std::vector<double> taken(static_cast<std::size_t>(m_threads));
    {
        std::vector<std::jthread> others;
        const auto start_together = [&](std::size_t i) {
            ready.fetch_add(1);
            while (ready.load() < m_threads) std::this_thread::yield();
            taken[i] = work(m_steps);
        };
        for (std::size_t i = 1; i < taken.size(); ++i) others.emplace_back([&, i] { start_together(i); });
        start_together(0);
    }
    return std::ranges::max(taken);
}

double ParallelProbe::ratio() const {
    if (m_threads == 1) return 1;
    double alone = work(m_steps);
    std::vector<double> slowest;
    for (int i = 0; i < 5; ++i) {
        slowest.push_back(together());
        alone = std::min(alone, work(m_steps));  // a disturbed one says nothing
    }
    return std::max(1.0, median_in_place(slowest) / alone);
}

}  // namespace workbench::tune
