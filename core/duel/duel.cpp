// SPDX-License-Identifier: MIT
#include "core/duel/duel.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <utility>

#include "core/benchmark/draws.h"
#include "core/benchmark/utc_time.h"
#include "core/benchmark/workload.h"
#include "core/duel/cases.h"
#include "core/duel/launch.h"
#include "core/support/files.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace {

using duel::Launch;
using duel::LaunchError;
using duel::LaunchPlan;
using duel::LaunchResult;
using duel::PreparedCase;
using Clock = std::chrono::steady_clock;

constexpr std::string_view order_letters = "BNCK";
constexpr const char* changed_sentence = " was changed while it was measured";

constexpr int warm_up_calls = 3;
// Where a call of any build takes less than this, each is made once untimed before it is timed, of all builds
// alike: the process has slept meanwhile.
constexpr double warmed_below_ms = 5;
// Waking a second thread takes as long as a short call, now more and now less, and a thread may lose its
// processor. So a sample of short calls that use several threads is the median of as many as take
// `threaded_sample_ms`, at least `fewest_threaded_calls`, after half as many that are not timed. Where the
// other build's calls take far longer, its sample takes no more than `longest_sample_ms` for that.
constexpr double threaded_sample_ms = 1;
constexpr double longest_sample_ms = 50;
constexpr int fewest_threaded_calls = 3;
constexpr int most_calls_per_sample = 64;
constexpr int fewest_blocks = 2;
constexpr std::int64_t alignment_step = 64;
constexpr std::int64_t most_alignment = 4096;
constexpr std::size_t most_environment = 4096;

std::vector<int> allowed_processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> processors;
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return processors;
    for (std::size_t i = 0; i < CPU_SETSIZE; ++i) {
        if (CPU_ISSET(i, &set)) processors.push_back(static_cast<int>(i));
    }
    return processors;
}

// Returns `count` neighbours of what is allowed, beginning with a drawn one, on which samples begin: no
// processor is always the same side's bad luck, and both sides have the same.
std::vector<int> drawn_processors(const std::vector<int>& allowed, int count, Draws& draws) {
    std::vector<int> chosen;
    if (allowed.empty()) return chosen;
    const std::size_t first = draws.below(allowed.size());
    for (std::size_t i = 0; i < std::min(allowed.size(), static_cast<std::size_t>(count)); ++i)
        chosen.push_back(allowed[(first + i) % allowed.size()]);
    return chosen;
}

std::array<Participant, participant_count> drawn_order(Draws& draws) {
    std::array<Participant, participant_count> order = all_participants;
    for (std::size_t i = participant_count - 1; i > 0; --i) std::swap(order[i], order[draws.below(i + 1)]);
    return order;
}

bool equal_bits(std::span<const std::byte> a, std::span<const std::byte> b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string sentence_of(const LaunchError& error) {
    return error.who ? std::string(name_of(*error.who)) + ": " + error.what : error.what;
}

// Measures one case, launch after launch, until there is a verdict.
class CaseDuel {
  public:
    CaseDuel(const DuelSettings& settings, LibraryFile& base, LibraryFile& now, const BenchmarkCase& what,
             int threads, std::uint64_t seed, const TaskControl& control)
        : m_settings(settings),
          m_base(base),
          m_now(now),
          m_threads(threads),
          m_draws(seed),
          m_control(control),
          m_judge(rule_of(settings, seed)) {
        m_case.what = what;
        m_case.started_utc = utc_now();
    }

    // Returns false when it was cancelled.
    bool run(const BenchmarkInputPtr& input,
             const std::function<void(const DuelLook&, bool, std::size_t)>& tell, bool glances) {
        m_glances = glances;
        const auto prepared = duel::prepare_case(m_case.what, input);
        if (!prepared) {
            end(DuelVerdict::failed, prepared.error().message);
            return true;
        }
        m_started = Clock::now();
        while (m_case.verdict == DuelVerdict::undecided) {
            if (m_control.cancelled()) return false;
            const auto done = one_launch(*prepared);
            if (!done) {
                if (done.error().cancelled) return false;
                if (done.error().of_all) m_of_all = Error{*done.error().of_all, sentence_of(done.error())};
                m_ends_duel = done.error().ends_duel;
                end(DuelVerdict::failed, sentence_of(done.error()));
                break;
            }
            if (m_case.verdict != DuelVerdict::undecided) break;
            look_when_due(tell);
        }
        m_case.seconds = seconds();
        return true;
    }

    // Ends the case where memory was short.
    void fail_for_memory() {
        const std::string why = "there is not enough memory for the planes of " + m_case.what.key;
        m_of_all = Error{ErrorKind::device_failure, why};
        end(DuelVerdict::failed, why);
    }

    DuelCase take() { return std::move(m_case); }
    // Why no case can be measured; absent: this one was.
    const std::optional<Error>& of_all() const { return m_of_all; }
    // Whether that holds for the cases before too.
    bool ends_duel() const { return m_ends_duel; }

  private:
    static DuelRule rule_of(const DuelSettings& settings, std::uint64_t seed) {
        DuelRule rule = settings.rule;
        rule.seed = seed;
        return rule;
    }

    double seconds() const { return std::chrono::duration<double>(Clock::now() - m_started).count(); }
    bool out_of_time() const { return seconds() > m_settings.budget_seconds; }

    // How much of what may be spent has been spent.
    double fraction() const {
        const double of_pairs = static_cast<double>(m_case.pairs()) / m_settings.rule.most_pairs;
        return std::min(1.0, std::max(of_pairs, seconds() / m_settings.budget_seconds));
    }

    void end(DuelVerdict verdict, std::string reason) {
        m_case.verdict = verdict;
        m_case.reason = std::move(reason);
    }

    LaunchResult<void> one_launch(const PreparedCase& prepared) {
        LaunchPlan plan{
            .base = m_base.path,
            .now = m_now.path,
            .threads = m_threads,
            .processors = drawn_processors(m_allowed, m_threads, m_draws),
            .order = drawn_order(m_draws),
            .alignment =
                static_cast<std::int64_t>(m_draws.below(most_alignment / alignment_step)) * alignment_step,
            .environment_bytes = m_draws.below(most_environment),
            .longest_call =
                std::chrono::milliseconds(static_cast<std::int64_t>(m_settings.longest_call_seconds * 1000))};
        DuelLaunch record{.alignment = plan.alignment, .processors = plan.processors, .rounds = {}};
        const auto start = Clock::now();
        IIR2D_TRY(const auto launch, Launch::start(prepared, plan, m_control));
        IIR2D_RETURN_IF_ERROR(note_identity(*launch, Participant::base, m_base));
        IIR2D_RETURN_IF_ERROR(note_identity(*launch, Participant::control, m_base));
        IIR2D_RETURN_IF_ERROR(note_identity(*launch, Participant::now, m_now));
        IIR2D_RETURN_IF_ERROR(warm_up(*launch, plan.order));
        const double start_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
        if (!outputs_agree(prepared, *launch)) return {};
        const int blocks = duel_blocks_of_launch(m_settings, round_ms(), start_ms);
        for (int block = 0; block < blocks; ++block) {
            IIR2D_RETURN_IF_ERROR(measure_block(*launch, record));
            // What is half a launch is no launch: the next look is at what there was before.
            if (out_of_time() && block + 1 < blocks && block + 1 < fewest_blocks) return {};
            if (out_of_time() && block + 1 >= fewest_blocks) break;
        }
        m_case.launches.push_back(std::move(record));
        return {};
    }

    // Keeps what a library says of itself the first time; it must say the same in every launch.
    static LaunchResult<void> note_identity(const Launch& launch, Participant who, LibraryFile& library) {
        const std::string version = launch.version_of(who);
        const std::string fingerprint = launch.fingerprint_of(who);
        if (library.version.empty()) {
            library.version = version;
            library.fingerprint = fingerprint;
        }
        if (library.version == version && library.fingerprint == fingerprint) return {};
        return std::unexpected(LaunchError{.who = who,
                                           .what = quoted(library.path) + changed_sentence,
                                           .of_all = ErrorKind::bad_input,
                                           .ends_duel = true});
    }

    LaunchResult<void> warm_up(Launch& launch, const std::array<Participant, participant_count>& order) {
        for (const auto who : order) {
            const auto index = static_cast<std::size_t>(who);
            // Most of the calls decide: of a thread that has just ended, the system now and then has counted
            // no time yet (once in some thousand calls).
            int with_threads = 0;
            int without = 0;
            for (int i = 0; i < warm_up_calls; ++i) {
                IIR2D_TRY(const auto sample, launch.call(who, 0, 1, m_threads > 1));
                m_call_ms[index] = sample.timed.latency_ms;
                ++(sample.has_threads ? with_threads : without);
                if (sample.timed.latency_ms > 50 && i > 0) break;
            }
            m_has_threads[index] = with_threads > without;
        }
        if (m_case.launches.empty()) choose_calls();
        return {};
    }

    // Chooses how many calls are made in a turn, once for all builds and launches.
    void choose_calls() {
        const auto call_ms = [&](Participant who) { return m_call_ms[static_cast<std::size_t>(who)]; };
        const auto [shortest, longest] = std::minmax(
            {call_ms(Participant::base), call_ms(Participant::now), call_ms(Participant::control)});
        const bool warmed = shortest < warmed_below_ms;
        const auto has_threads = [&](Participant who) {
            return m_has_threads[static_cast<std::size_t>(who)];
        };
        const bool several = warmed && (has_threads(Participant::base) || has_threads(Participant::now));
        const double wanted = std::ceil(std::min(
            {threaded_sample_ms / shortest, longest_sample_ms / longest, 1.0 * most_calls_per_sample}));
        m_case.calls_per_sample = several ? std::max(fewest_threaded_calls, static_cast<int>(wanted)) : 1;
        m_untimed = several ? m_case.calls_per_sample / 2 : warmed ? 1 : 0;
    }

    int untimed_of(Participant who) const {
        return who == Participant::copy && m_case.calls_per_sample == 1 ? 0 : m_untimed;
    }

    double round_ms() const {
        double sum = 0;
        for (const auto who : all_participants)
            sum += (untimed_of(who) + m_case.calls_per_sample) * m_call_ms[static_cast<std::size_t>(who)];
        return sum;
    }

    // Compares what the two sides computed. What they computed once they compute again, launch after launch.
    bool outputs_agree(const PreparedCase& prepared, const Launch& launch) {
        const auto base = launch.output_of(Participant::base);
        const auto now = launch.output_of(Participant::now);
        if (m_case.outputs && m_case.outputs->equal_bits && equal_bits(base, now)) return true;
        std::string why;
        auto outputs = duel::compare_outputs(prepared, m_case.what, base, now, why);
        if (!outputs) {
            end(DuelVerdict::failed, outputs.error().message);
            return false;
        }
        // Of a build whose results vary, the results that differ most.
        if (!m_case.outputs || m_case.outputs->equal_bits ||
            outputs->max_abs_error > m_case.outputs->max_abs_error)
            m_case.outputs = *outputs;
        if (why.empty()) return true;
        m_case.launches.clear();
        m_case.looks.clear();
        end(DuelVerdict::wrong, why);
        return false;
    }

    LaunchResult<void> measure_block(Launch& launch, DuelLaunch& record) {
        auto order = drawn_order(m_draws);
        for (int round = 0; round < 2; ++round) {
            IIR2D_TRY(auto measured, measure_round(launch, order));
            record.rounds.push_back(std::move(measured));
            std::ranges::reverse(order);
        }
        return {};
    }

    LaunchResult<DuelRound> measure_round(Launch& launch,
                                          const std::array<Participant, participant_count>& order) {
        DuelRound round{.order = {},
                        .ms = std::vector<double>(participant_count),
                        .preempted = std::vector<bool>(participant_count)};
        for (const auto who : order) {
            const auto index = static_cast<std::size_t>(who);
            IIR2D_TRY(const auto sample, launch.call(who, untimed_of(who), m_case.calls_per_sample));
            round.order += order_letters[index];
            round.ms[index] = sample.timed.latency_ms;
            round.preempted[index] = sample.timed.preempted;
        }
        return round;
    }

    void look_when_due(const std::function<void(const DuelLook&, bool, std::size_t)>& tell) {
        const std::size_t count = m_case.launches.size();
        const bool at_end = out_of_time() ||
                            m_case.pairs() >= static_cast<std::size_t>(m_settings.rule.most_pairs) ||
                            m_case.launches.size() >= most_duel_launches;
        const bool due = count >= m_next_look;
        const bool enough = m_case.pairs() >= static_cast<std::size_t>(m_settings.rule.least_pairs);
        if (enough && (due || (at_end && count >= 2 && count != m_looked_at))) {
            m_looked_at = count;
            m_next_look = look_after(m_next_look, count);
            DuelLook look =
                m_judge.look(ratios_of(m_case.launches, Participant::now),
                             ratios_of(m_case.launches, Participant::control), at_end ? 1.0 : fraction());
            m_case.looks.push_back(look);
            m_case.verdict = look.verdict;
            if (tell) tell(look, true, m_case.pairs());
        } else if (tell && count >= 2 && !m_glances) {
            tell(DuelLook{}, false, m_case.pairs());
        } else if (tell && count >= 2 && Clock::now() >= m_next_glance) {
            const auto start = Clock::now();
            tell(glance(), false, m_case.pairs());
            const auto end = Clock::now();
            m_next_glance = end + 10 * (end - start);  // a tenth of the time at most
        }
        if (m_case.verdict != DuelVerdict::undecided || !at_end) return;
        const std::string why = !m_case.looks.empty() ? m_case.looks.back().reason
                                : count < 2           ? "there were too few launches for a look"
                                                      : "there were too few pairs for a look";
        const std::string limit =
            m_case.pairs() >= static_cast<std::size_t>(m_settings.rule.most_pairs)
                ? "after the most pairs, " + std::to_string(m_case.pairs())
            : m_case.launches.size() >= most_duel_launches
                ? "after the most launches, " + std::to_string(most_duel_launches)
                : "when its budget of " + format_number(m_settings.budget_seconds) + " s was used up";
        end(DuelVerdict::ambiguous, why + " " + limit);
        if (!m_case.looks.empty()) {
            m_case.looks.back().verdict = DuelVerdict::ambiguous;
            m_case.looks.back().reason = m_case.reason;
        }
    }

    // What a view shows between looks. Nothing is decided by it.
    DuelLook glance() const {
        DuelLook look{.alpha = m_settings.rule.alpha};
        const RatioSettings quick{.alpha = m_settings.rule.alpha, .resamples = 100};
        look.effect = estimate_ratio(ratios_of(m_case.launches, Participant::now), quick);
        look.control = estimate_ratio(ratios_of(m_case.launches, Participant::control), quick);
        return look;
    }

    const DuelSettings& m_settings;
    LibraryFile& m_base;
    LibraryFile& m_now;
    int m_threads;
    Draws m_draws;
    const TaskControl& m_control;
    DuelJudge m_judge;
    DuelCase m_case;
    std::optional<Error> m_of_all;
    bool m_ends_duel = false;
    bool m_glances = false;  // whether somebody looks between looks: they cost time
    Clock::time_point m_next_glance = Clock::now();
    std::vector<int> m_allowed = allowed_processors();
    // Of a launch's warm-up: the last call's time, and whether each call had other threads.
    std::array<double, participant_count> m_call_ms{};
    std::array<bool, participant_count> m_has_threads{};
    int m_untimed = 0;            // calls before a sample
    std::size_t m_looked_at = 0;  // launches
    std::size_t m_next_look = static_cast<std::size_t>(m_settings.launches);
    Clock::time_point m_started = Clock::now();
};

Result<void> check_settings(const DuelSettings& s) {
    const auto wrong = [](std::string text) { return fail(ErrorKind::bad_argument, std::move(text)); };
    if (!(s.rule.margin > 0 && s.rule.margin < 1))
        return wrong("the margin of a duel is above 0 % and below 100 %");
    if (s.launches < 2 || s.launches > 1000)
        return wrong("a duel needs 2 to 1000 launches before its first look");
    if (s.rule.least_pairs < 4 || s.rule.most_pairs < s.rule.least_pairs ||
        s.rule.most_pairs > most_duel_pairs)
        return wrong("the pairs of a duel are LEAST..MOST: at least 4, at most 100000");
    if (!(s.budget_seconds > 0 && s.budget_seconds <= 86'400))
        return wrong("the budget of a case is above 0 and at most 86400 seconds");
    if (!(s.longest_call_seconds > 0 && s.longest_call_seconds <= 86'400))
        return wrong("the longest call of a duel is above 0 and at most 86400 seconds");
    if (s.matrix.device.starts_with("cuda"))
        return wrong("a duel measures on the CPU: give --device cpu, or compare two records of a GPU");
    return {};
}

Result<void> check_unchanged(const char* side, const LibraryFile& library) {
    const auto hash = sha256_of_file(library.path);
    if (hash && *hash == library.sha256) return {};
    return fail(ErrorKind::bad_input, std::string(side) + ": " + quoted(library.path) + changed_sentence);
}

}  // namespace

int duel_blocks_of_launch(const DuelSettings& settings, double round_ms, double start_ms) {
    constexpr double least_ms = 40;
    constexpr int most_blocks = 50;
    // With more there would be too little time for the launches of the first look.
    const double share_ms = 500 * settings.budget_seconds / settings.launches;
    const double wanted = std::min(std::max(least_ms, start_ms), share_ms) / (2 * round_ms);
    const int of_pairs = settings.rule.most_pairs / settings.launches / 4;
    const int most = std::clamp(of_pairs, fewest_blocks, most_blocks);
    return static_cast<int>(std::clamp(wanted, 1.0 * fewest_blocks, 1.0 * most));
}

Result<Duel> run_duel(const DuelSettings& settings, const LibraryFile& base, const LibraryFile& now,
                      const TaskControl& control, const DuelEvents& events) {
    IIR2D_RETURN_IF_ERROR(check_settings(settings));
    IIR2D_TRY(const auto cases, expand(settings.matrix));
    IIR2D_TRY(const auto device, from_kernel(iir2d::Device::cpu(settings.matrix.threads)));
    Duel duel{.settings = settings, .base = base, .now = now};
    duel.device = {.id = device.id(), .name = device.name(), .backend = device.backend(), .usable = true};
    duel.threads = device.threads();
    duel.started_utc = utc_now();
    duel.case_total = static_cast<std::int64_t>(cases.size());
    InputSource inputs(settings.matrix);
    for (std::size_t i = 0; i < cases.size() && !duel.cancelled; ++i) {
        const BenchmarkCase& what = cases[i];
        const auto at = static_cast<double>(i) / static_cast<double>(cases.size());
        control.report(at, "dueling " + what.label);
        CaseDuel one(settings, duel.base, duel.now, what, duel.threads, splitmix64(settings.rule.seed, i),
                     control);
        const auto tell = [&](const DuelLook& look, bool is_look, std::size_t pairs) {
            const double part = std::min(1.0, static_cast<double>(pairs) / settings.rule.most_pairs);
            control.report(at + part / static_cast<double>(cases.size()), "dueling " + what.label);
            if (events.on_progress) {
                events.on_progress({.index = i,
                                    .total = cases.size(),
                                    .key = what.key,
                                    .pairs = pairs,
                                    .is_look = is_look,
                                    .look = look});
            }
        };
        bool complete = false;
        try {
            complete = !control.cancelled() &&
                       one.run(inputs.input_of(what), tell, static_cast<bool>(events.on_progress));
        } catch (const std::bad_alloc&) {
            one.fail_for_memory();
            complete = true;
        }
        if (one.of_all() && (duel.cases.empty() || one.ends_duel())) return std::unexpected(*one.of_all());
        if (!complete) {
            duel.cancelled = true;
            break;
        }
        duel.cases.push_back(one.take());
        if (events.on_case) events.on_case(duel.cases.back());
    }
    if (duel.cases.empty())
        return fail(ErrorKind::cancelled,
                    "the duel was cancelled before its first case was complete: there is nothing to keep");
    IIR2D_RETURN_IF_ERROR(check_unchanged("base", duel.base));
    IIR2D_RETURN_IF_ERROR(check_unchanged("new", duel.now));
    duel.finished_utc = utc_now();
    keep_identity_of_image(duel.settings.matrix);
    control.report(1, "done");
    return duel;
}

}  // namespace workbench
