// SPDX-License-Identifier: MIT
#include "core/tune/visit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <thread>

#include "core/benchmark/draws.h"
#include "core/benchmark/preemption.h"
#include "core/benchmark/utc_time.h"
#include "core/support/files.h"
#include "core/support/markdown.h"
#include "core/support/try.h"
#include "core/tune/estimate.h"
#include "core/tune/prepared.h"
#include "core/tune/seeds.h"

namespace workbench::tune {

namespace {

using Clock = std::chrono::steady_clock;
// Before each sample: a loop would keep a pool's workers awake and flatter threads.
constexpr auto pause = std::chrono::microseconds(300);
constexpr double short_ms = 0.005;
constexpr double filled_ms = 0.020;  // by the calls of a short sample
constexpr int most_calls = 1000;
constexpr int rounds_before_pruning = 5;
constexpr double pruned_above = 1.25;  // times the best
constexpr double narrow = 0.01;        // on either side, of logarithms
// In outputs before they are checked: what a config does not write is not what the one before it left.
constexpr std::byte unwritten{0xA5};

double milliseconds(Clock::duration duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

std::unexpected<Error> cancelled() {
    return fail(ErrorKind::cancelled, "the visit was cancelled");
}

class PreparedSubject final : public Subject {
  public:
    explicit PreparedSubject(std::unique_ptr<PreparedProblem> problem) : m_problem(std::move(problem)) {}
    Result<std::size_t> prepare(const iir2d::Config& config) override {
        IIR2D_TRY(auto plan, m_problem->plan(config));
        m_plans.push_back(std::move(plan));
        return m_plans.size() - 1;
    }
    Result<void> run(std::size_t which, const std::stop_token& stop) override {
        return m_problem->run(m_plans[which], stop);
    }
    std::span<std::byte> output() override { return m_problem->output(); }
    std::span<const std::byte> input() override { return m_problem->input(); }
    Traffic traffic() override { return m_problem->traffic(); }
    Result<void> judge(const TaskControl& control) override { return m_problem->judge(control); }
    bool may_differ(const iir2d::Config& config) const override {
        return config.warps != 0 || config.carry != 0;
    }
    std::optional<double> device_ms() const override { return m_problem->device_ms(); }
    Result<std::optional<double>> device_copy_ms() override { return m_problem->device_copy_ms(); }

  private:
    std::unique_ptr<PreparedProblem> m_problem;
    std::vector<Plan> m_plans;
};

// One of what is timed in each round.
struct Contender {
    Measurement measurement;
    std::optional<std::size_t> plan;  // absent: the copy, or what is not timed
    bool is_live = false;
    bool stays = false;  // copy and static, which nothing stops
    int calls = 1;
};

class Visiting {
  public:
    Visiting(Subject& subject, const VisitSettings& settings, CopyProbe& probe, const TaskControl& control)
        : m_subject(subject), m_settings(settings), m_probe(probe), m_control(control) {}

    Result<Visit> make(const std::vector<iir2d::Config>& configs);

  private:
    Result<void> check(const std::vector<iir2d::Config>& configs);
    Result<bool> check_static();
    Result<void> check_config(const iir2d::Config& config);
    Result<void> time_rounds();
    Result<void> time_round(int round);
    Result<void> take_sample(Contender& contender, int round);
    Result<Sample> timed(Contender& contender, int round);
    Result<Sample> timed_copy(int round);
    void prune();
    bool is_precise() const;
    Pairs pairs(const Contender& contender) const;
    std::uint64_t seed(const Contender& contender) const {
        return seed_of(m_settings.seed, contender.measurement.config, 1);
    }
    Visit finished();

    Subject& m_subject;
    const VisitSettings& m_settings;
    CopyProbe& m_probe;
    const TaskControl& m_control;
    Visit m_visit;
    std::vector<std::byte> m_expected;  // static's output
    std::vector<std::byte> m_from;      // of the copy, where that is not the input
    std::vector<std::byte> m_to;        // of the copy
    // The copy, static, static#2, and the other configs.
    std::vector<Contender> m_contenders;
};

Contender contender(std::string_view text) {
    Contender made;
    made.measurement.config = text;
    return made;
}

Result<Visit> Visiting::make(const std::vector<iir2d::Config>& configs) {
    m_visit.started_utc = utc_now();
    m_visit.seed = m_settings.seed;
    m_visit.input_sha256 = sha256_hex(m_subject.input());
    IIR2D_RETURN_IF_ERROR(check(configs));
    if (m_visit.state != VisitState::wrong || m_contenders[1].is_live) IIR2D_RETURN_IF_ERROR(time_rounds());
    return finished();
}

// Fills in the contenders; what does not give static's bytes is never timed.
Result<void> Visiting::check(const std::vector<iir2d::Config>& configs) {
    for (const std::string_view text : {copy_text, static_text, second_static_text})
        m_contenders.push_back(contender(text));
    IIR2D_TRY(const bool is_right, check_static());
    for (const iir2d::Config& config : configs) {
        if (config == iir2d::Config{}) continue;
        if (m_control.cancelled()) return cancelled();
        if (is_right) {
            IIR2D_RETURN_IF_ERROR(check_config(config));
            continue;
        }
        m_contenders.push_back(contender(iir2d::text_of(config)));
        m_contenders.back().measurement.status = Status::failed;
        m_contenders.back().measurement.reason = "static's result is wrong";
    }
    return {};
}

Result<bool> Visiting::check_static() {
    IIR2D_TRY(const auto plan, m_subject.prepare({}));
    std::ranges::fill(m_subject.output(), unwritten);
    IIR2D_RETURN_IF_ERROR(m_subject.run(plan, m_control.stop));
    m_visit.output_sha256 = sha256_hex(m_subject.output());
    const bool is_proved =
        m_settings.is_proved && m_settings.is_proved(m_visit.input_sha256, m_visit.output_sha256);
    const auto judged = is_proved ? Result<void>{} : m_subject.judge(m_control);
    if (!judged && judged.error().kind != ErrorKind::check_failed) return std::unexpected(judged.error());
    for (Contender& one : m_contenders) {
        one.is_live = judged.has_value();
        one.stays = true;
        if (one.measurement.config != copy_text) one.plan = plan;
        if (judged) continue;
        const bool is_static = one.measurement.config == static_text;
        one.measurement.status = is_static ? Status::wrong : Status::failed;
        one.measurement.reason = is_static ? judged.error().message : "static's result is wrong";
    }
    if (!judged) m_visit.state = VisitState::wrong;
    m_expected.assign(m_subject.output().begin(), m_subject.output().end());
    return judged.has_value();
}

Result<void> Visiting::check_config(const iir2d::Config& config) {
    Contender& one = m_contenders.emplace_back(contender(iir2d::text_of(config)));
    const auto not_timed = [&](Status status, std::string reason) -> Result<void> {
        one.measurement.status = status;
        one.measurement.reason = std::move(reason);
        return {};
    };
    const auto plan = m_subject.prepare(config);
    if (!plan) {
        return not_timed(plan.error().kind == ErrorKind::bad_argument ? Status::invalid : Status::failed,
                         plan.error().message);
    }
    std::ranges::fill(m_subject.output(), unwritten);
    if (const auto ran = m_subject.run(*plan, m_control.stop); !ran) {
        if (ran.error().kind == ErrorKind::cancelled) return std::unexpected(ran.error());
        return not_timed(Status::failed, ran.error().message);
    }
    const auto output = m_subject.output();
    const auto differs = std::ranges::mismatch(output, m_expected).in1;
    if (differs != output.end() && m_subject.may_differ(config)) {
        if (const auto judged = m_subject.judge(m_control); !judged) {
            if (judged.error().kind != ErrorKind::check_failed) return std::unexpected(judged.error());
            m_visit.state = VisitState::wrong;
            return not_timed(Status::wrong, judged.error().message);
        }
    } else if (differs != output.end()) {
        m_visit.state = VisitState::wrong;
        return not_timed(Status::wrong, "byte " + std::to_string(differs - output.begin()) + " of " +
                                            std::to_string(output.size()) + " is not static's");
    }
    one.plan = *plan;
    one.is_live = true;
    return {};
}

Result<void> Visiting::time_rounds() {
    const Traffic traffic = m_subject.traffic();
    if (m_subject.input().size() != traffic.read) m_from.resize(static_cast<std::size_t>(traffic.read));
    m_to.resize(static_cast<std::size_t>(traffic.written));
    const auto start = Clock::now();
    IIR2D_RETURN_IF_ERROR(time_round(0));
    for (int round = 1; round <= m_settings.rounds_most; ++round) {
        IIR2D_RETURN_IF_ERROR(time_round(round));
        m_visit.rounds = round;
        if (round == rounds_before_pruning) prune();
        if (round >= m_settings.rounds_least && is_precise()) break;
        if (milliseconds(Clock::now() - start) > 1000 * m_settings.most_seconds) break;
    }
    return {};
}

// Round 0 says how many calls a sample has, and does not count.
Result<void> Visiting::time_round(int round) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < m_contenders.size(); ++i) {
        if (m_contenders[i].is_live) order.push_back(i);
    }
    Draws draws(seed_of(m_settings.seed, "order", static_cast<std::uint64_t>(round)));
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draws.below(i)]);
    for (const std::size_t i : order) {
        if (m_control.cancelled()) return cancelled();
        IIR2D_RETURN_IF_ERROR(take_sample(m_contenders[i], round));
    }
    return {};
}

Result<void> Visiting::take_sample(Contender& contender, int round) {
    std::this_thread::sleep_for(pause);
    const auto before = involuntary_switches(PreemptionScope::process);
    auto sample = contender.plan ? timed(contender, round) : timed_copy(round);
    const auto after = involuntary_switches(PreemptionScope::process);
    const auto failed = [&](const Error& error) -> Result<void> {
        if (error.kind == ErrorKind::cancelled || contender.stays) return std::unexpected(error);
        contender.is_live = false;
        contender.measurement.status = Status::failed;
        contender.measurement.reason = error.message;
        contender.measurement.samples.clear();
        return {};
    };
    if (!sample) return failed(sample.error());
    sample->marked = before && after && *after > *before;
    if (round > 0) {
        contender.measurement.samples.push_back(*sample);
    } else if (contender.plan) {
        // The first call after a pause finds everything cold.
        const auto warm = timed(contender, round);
        if (!warm) return failed(warm.error());
        const double ms = std::min(sample->op_ms, warm->op_ms);
        if (ms < short_ms)
            contender.calls = static_cast<int>(std::ceil(filled_ms / std::max(ms, filled_ms / most_calls)));
    }
    return {};
}

Result<Sample> Visiting::timed(Contender& contender, int round) {
    double by_device = 0;
    bool has_device_clock = false;
    const auto run = [&]() -> Result<void> {
        IIR2D_RETURN_IF_ERROR(m_subject.run(*contender.plan, m_control.stop));
        const auto ms = m_subject.device_ms();
        has_device_clock = ms.has_value();
        by_device += ms.value_or(0);
        return {};
    };
    const int calls = contender.calls;
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) IIR2D_RETURN_IF_ERROR(run());
    const auto ran = Clock::now();
    // No store of a GPU goes past its cache: what reads the output has nothing left to pay.
    if (has_device_clock) {
        const double ms = std::max(by_device, 1e-6) / calls;
        return Sample{.round = round, .calls = calls, .op_ms = ms, .use_ms = ms};
    }
    auto again = start;
    if (calls == 1) {
        read_once(m_subject.output());
    } else {
        again = Clock::now();
        for (int i = 0; i < calls; ++i) {
            IIR2D_RETURN_IF_ERROR(run());
            read_once(m_subject.output());
        }
    }
    const auto end = Clock::now();
    return Sample{.round = round,
                  .calls = calls,
                  .op_ms = std::max(milliseconds(ran - start), 1e-6) / calls,
                  .use_ms = std::max(milliseconds(end - again), 1e-6) / calls};
}

Result<Sample> Visiting::timed_copy(int round) {
    IIR2D_TRY(const auto by_device, m_subject.device_copy_ms());
    if (by_device) {
        const double ms = std::max(*by_device, 1e-6);
        return Sample{.round = round, .op_ms = ms, .use_ms = ms};
    }
    const double copied = std::max(
        m_probe.copy(m_from.empty() ? m_subject.input() : std::span<const std::byte>(m_from), m_to), 1e-6);
    const auto start = Clock::now();
    read_once(m_to);
    return Sample{.round = round, .op_ms = copied, .use_ms = copied + milliseconds(Clock::now() - start)};
}

Pairs Visiting::pairs(const Contender& contender) const {
    return pairs_of(contender.measurement.samples, m_contenders[1].measurement.samples,
                    m_contenders[2].measurement.samples);
}

void Visiting::prune() {
    std::vector<double> ys;
    double best = 0;  // static's
    for (const Contender& one : m_contenders) {
        ys.push_back(one.is_live && !one.stays ? medians_of(pairs(one).counted()).y(m_settings.objective)
                                               : 0);
        best = std::min(best, ys.back());
    }
    for (std::size_t i = 0; i < ys.size(); ++i) {
        const double ratio = std::exp(ys[i] - best);
        if (!m_contenders[i].is_live || m_contenders[i].stays || ratio <= pruned_above) continue;
        m_contenders[i].is_live = false;
        m_contenders[i].measurement.status = Status::pruned;
        m_contenders[i].measurement.reason = brief_number(ratio) + " times the best after " +
                                             std::to_string(rounds_before_pruning) + " rounds";
    }
}

bool Visiting::is_precise() const {
    return std::ranges::all_of(m_contenders, [&](const Contender& one) {
        if (!one.is_live || one.stays) return true;
        const auto counted = pairs(one).counted();
        const Logs logs = medians_of(counted);
        const bool of_op = m_settings.objective == Objective::op ||
                           (m_settings.objective == Objective::both && logs.op >= logs.use);
        const double median = of_op ? logs.op : logs.use;
        const LogInterval interval = interval_of(counted, m_settings.objective, seed(one));
        return interval.high - median <= narrow && median - interval.low <= narrow;
    });
}

Visit Visiting::finished() {
    for (Contender& one : m_contenders) {
        Measurement& made = one.measurement;
        if (!made.samples.empty()) {
            const Pairs paired = pairs(one);
            made.figures = figures_of(made.samples, paired, m_settings.objective, seed(one));
            if (one.is_live && one.measurement.config != copy_text && paired.are_disturbed() &&
                m_visit.state == VisitState::ok)
                m_visit.state = VisitState::unstable;
        }
    }
    for (Contender& one : m_contenders) m_visit.measurements.push_back(std::move(one.measurement));
    return std::move(m_visit);
}

}  // namespace

Result<Visit> visit(Subject& subject, const std::vector<iir2d::Config>& configs,
                    const VisitSettings& settings, CopyProbe& probe, const TaskControl& control) {
    try {
        return Visiting(subject, settings, probe, control).make(configs);
    } catch (const std::bad_alloc&) {
        return fail(ErrorKind::device_failure, "there is not enough memory to measure this problem");
    }
}

Result<Visit> visit(const Problem& problem, const std::vector<iir2d::Config>& configs,
                    const iir2d::Device& device, const VisitSettings& settings, CopyProbe& probe,
                    const TaskControl& control) {
    IIR2D_TRY(auto prepared, PreparedProblem::make(problem, device, settings.input_seed));
    PreparedSubject subject(std::move(prepared));
    return visit(subject, configs, settings, probe, control);
}

}  // namespace workbench::tune
