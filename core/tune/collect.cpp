// SPDX-License-Identifier: MIT
#include "core/tune/collect.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <utility>

#include "core/benchmark/copy_probe.h"
#include "core/support/counted.h"
#include "core/support/try.h"
#include "core/tune/parallel_probe.h"
#include "core/tune/seeds.h"
#include "core/tune/store.h"
#include "core/tune/visit.h"

namespace workbench::tune {

namespace {

using Clock = std::chrono::steady_clock;

std::optional<double> load_of_last_minute() {
#if defined(__unix__) || defined(__APPLE__)
    double load = 0;
    if (getloadavg(&load, 1) == 1) return load;
#endif
    return std::nullopt;
}

class Collection {
  public:
    Collection(const std::vector<NamedProblem>& problems, const CollectOptions& options,
               const iir2d::Device& device, const TaskControl& control)
        : m_problems(problems),
          m_options(options),
          m_device(device),
          m_control(control),
          m_copy(device.threads()),
          m_parallel(device.threads()) {}

    Result<Collected> make(Store& store) {
        IIR2D_TRY(const auto machine, machine_of(m_device));
        m_machine = machine.id;
        const Identity build = build_of_kernels(m_device.backend());
        m_build = build.id;
        IIR2D_TRY(m_numbers, store.add(m_problems, m_options.set, machine, build));
        const std::size_t total = m_problems.size() * static_cast<std::size_t>(m_options.visits);
        for (int number = 0; number < m_options.visits; ++number) {
            for (std::size_t p = 0; p < m_problems.size(); ++p) {
                const std::size_t place = static_cast<std::size_t>(number) * m_problems.size() + p;
                if (m_control.cancelled()) return cancelled();
                IIR2D_TRY(const auto configs, missing_configs(store, p, number));
                if (configs.empty()) continue;
                if (m_options.budget_seconds && seconds() >= *m_options.budget_seconds) {
                    ++m_done.missing;
                    continue;
                }
                report(place, total);
                IIR2D_RETURN_IF_ERROR(visit_once(store, p, number, configs));
            }
        }
        IIR2D_RETURN_IF_ERROR(gather_wrong(store));
        m_done.seconds = seconds();
        return m_done;
    }

  private:
    double seconds() const { return std::chrono::duration<double>(Clock::now() - m_start).count(); }

    std::unexpected<Error> cancelled() const {
        return fail(ErrorKind::cancelled,
                    "the collection was cancelled: " + counted(m_done.visits, "visit") + " of this run kept");
    }

    void report(std::size_t place, std::size_t total) const {
        const double part = static_cast<double>(place) / static_cast<double>(total);
        const double by_time =
            m_options.budget_seconds ? std::min(1.0, seconds() / *m_options.budget_seconds) : 0;
        m_control.report(std::max(part, by_time), "visit " + std::to_string(place + 1) + " of " +
                                                      std::to_string(total) + ": " +
                                                      m_problems[place % m_problems.size()].spec);
    }

    // What the number-th visit has to measure: the configs that were not measured so often yet, and static.
    Result<std::vector<iir2d::Config>> missing_configs(Store& store, std::size_t p, int number) const {
        IIR2D_TRY(const auto all, configs_of(m_options.space, m_problems[p], m_options.seed, m_device));
        IIR2D_TRY(const auto counts, store.counts(m_numbers[p], m_machine, m_build));
        std::vector<iir2d::Config> missing;
        for (const iir2d::Config& config : all) {
            const auto found = counts.find(iir2d::text_of(config));
            if (found == counts.end() || found->second <= number) missing.push_back(config);
        }
        if (!missing.empty() && missing.front() != iir2d::Config{})
            missing.insert(missing.begin(), iir2d::Config{});
        return missing;
    }

    Result<void> visit_once(Store& store, std::size_t p, int number,
                            const std::vector<iir2d::Config>& configs) {
        const NamedProblem& problem = m_problems[p];
        VisitSettings settings{
            .objective = m_options.objective,
            .rounds_least = m_options.rounds_least,
            .rounds_most = m_options.rounds_most,
            .input_seed = m_options.seed,
            .seed = seed_of(m_options.seed, problem.spec, static_cast<std::uint64_t>(number))};
        settings.is_proved = [&](const std::string& input, const std::string& output) {
            return store.is_proved(m_numbers[p], m_build, input, output).value_or(false);
        };
        const double before = m_parallel.ratio();
        auto made = visit(problem.problem, configs, m_device, settings, m_copy, {.stop = m_control.stop});
        if (!made) {
            if (made.error().kind == ErrorKind::cancelled) return cancelled();
            ++m_done.missing;
            m_done.failed.try_emplace(problem.spec, made.error().message);
            return {};
        }
        made->machine = m_machine;
        made->build = m_build;
        made->parallel_ratio = std::max(before, m_parallel.ratio());
        made->load1 = load_of_last_minute();
        IIR2D_RETURN_IF_ERROR(store.add(m_numbers[p], *made));
        ++m_done.visits;
        m_done.unstable += made->state == VisitState::unstable ? 1U : 0U;
        m_done.contended += made->state == VisitState::contended ? 1U : 0U;
        return {};
    }

    // Those of visits before a kill, too.
    Result<void> gather_wrong(const Store& store) {
        for (std::size_t p = 0; p < m_problems.size(); ++p) {
            IIR2D_TRY(const auto wrong, store.wrong_results(m_numbers[p], m_machine, m_build));
            for (const std::string& one : wrong) m_done.wrong.push_back(m_problems[p].spec + ": " + one);
        }
        return {};
    }

    const std::vector<NamedProblem>& m_problems;
    const CollectOptions& m_options;
    const iir2d::Device& m_device;
    const TaskControl& m_control;
    CopyProbe m_copy;
    ParallelProbe m_parallel;
    std::string m_machine;
    std::string m_build;
    std::vector<std::int64_t> m_numbers;  // of the problems, in the database
    Collected m_done;
    Clock::time_point m_start = Clock::now();
};

}  // namespace

Result<Collected> collect(const std::vector<NamedProblem>& problems, const CollectOptions& options,
                          const iir2d::Device& device, const TaskControl& control) {
    IIR2D_TRY(auto store, Store::open(options.out));
    return Collection(problems, options, device, control).make(store);
}

}  // namespace workbench::tune
