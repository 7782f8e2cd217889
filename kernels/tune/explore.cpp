// SPDX-License-Identifier: MIT
#include "kernels/tune/explore.h"

#include <algorithm>
#include <atomic>
#include <utility>

#if defined(__linux__)
#include <sys/resource.h>
#endif

namespace iir2d::tune {

namespace {

constexpr std::size_t runs_needed = 7;
constexpr std::size_t wins_needed = 6;
constexpr double ratio_needed = 0.97;

double median(std::vector<double> times) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

std::atomic<bool> watching{false};
std::atomic<int> in_flight{0};
std::atomic<unsigned long long> started{0};
thread_local int depth = 0;

// Involuntary ones of this thread.
long context_switches() {
#if defined(__linux__)
    rusage use{};
    if (getrusage(RUSAGE_THREAD, &use) == 0) return use.ru_nivcsw;
#endif
    return 0;
}

}  // namespace

Exploration::Exploration(const std::vector<Config>& configs) {
    m_contenders.reserve(configs.size());
    for (const Config& config : configs) m_contenders.push_back({.config = config, .times = {}});
}

Exploration::Turn Exploration::next() {
    const std::lock_guard lock(m_mutex);
    const auto least = std::ranges::min_element(m_contenders, {}, [](const Contender& one) {
        return std::pair(std::min(one.times.size(), runs_needed), one.turns);
    });
    ++least->turns;
    return {static_cast<std::size_t>(least - m_contenders.begin()), least->config};
}

Exploration::Added Exploration::add(std::size_t index, double milliseconds) {
    const std::lock_guard lock(m_mutex);
    Contender& one = m_contenders[index];
    const bool is_first = !std::exchange(one.ran, true);
    if (is_first || m_settled || one.times.size() == runs_needed) return {};
    one.times.push_back(milliseconds);
    const bool all = std::ranges::all_of(
        m_contenders, [](const Contender& each) { return each.times.size() == runs_needed; });
    if (!all) return {.counted = true, .outcome = std::nullopt};
    const Outcome found = outcome();
    m_settled = found.config;
    return {.counted = true, .outcome = found};
}

std::optional<Config> Exploration::settled() const {
    const std::lock_guard lock(m_mutex);
    return m_settled;
}

Exploration::Outcome Exploration::outcome() const {
    const Contender& by_rule = m_contenders.front();
    const double static_median = median(by_rule.times);
    const auto best =
        std::ranges::min_element(m_contenders, {}, [](const Contender& one) { return median(one.times); });
    std::size_t wins = 0;
    for (std::size_t i = 0; i < runs_needed; ++i) wins += best->times[i] < by_rule.times[i] ? 1U : 0U;
    const double ratio = median(best->times) / static_median;
    const auto runs = static_cast<std::int64_t>(runs_needed * m_contenders.size());
    if (ratio <= ratio_needed && wins >= wins_needed) return {best->config, ratio, runs};
    return {by_rule.config, 1.0, runs};
}

RunScope::RunScope() {
    if (!watching.load(std::memory_order_relaxed)) return;
    m_counted = true;
    if (++depth > 1) return;
    m_alone = in_flight.fetch_add(1) == 0;
    m_started = started.fetch_add(1) + 1;
}

RunScope::~RunScope() {
    if (!m_counted) return;
    if (--depth == 0) in_flight.fetch_sub(1);
}

void RunScope::begin_to_watch() {
    watching.store(true);
}

bool RunScope::was_alone() const {
    return m_alone && started.load() == m_started;
}

RunClock::RunClock() : m_switches(context_switches()), m_began(std::chrono::steady_clock::now()) {}

double RunClock::milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - m_began).count();
}

bool RunClock::was_preempted() const {
    return context_switches() != m_switches;
}

}  // namespace iir2d::tune
