// SPDX-License-Identifier: MIT
// Measures two builds of libiir2d in pairs, on one machine. docs/duel.md has the method and its sources.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/benchmark/benchmark.h"
#include "core/duel/library_file.h"
#include "core/evidence/duel_verdict.h"
#include "core/support/error.h"
#include "core/support/task.h"

namespace workbench {

inline constexpr int most_duel_pairs = 100'000;          // of a case
inline constexpr std::size_t most_duel_launches = 1000;  // likewise

struct DuelSettings {
    BenchmarkMatrix matrix;  // cases, input, threads; its iterations are not used
    DuelRule rule;
    int launches = 8;                  // before the first look, each of processes of its own; at least 2
    double budget_seconds = 20;        // of a case
    double longest_call_seconds = 30;  // after which a call counts as hung
};

// The participants of a launch, in the order that a round's times have.
enum class Participant { base, now, control, copy };
inline constexpr std::size_t participant_count = 4;
inline constexpr std::array all_participants = {Participant::base, Participant::now, Participant::control,
                                                Participant::copy};
std::string_view name_of(Participant participant);  // "base", "new", "control", "copy"

// Holds one pair, with the times of control and copy taken beside it.
struct DuelRound {
    std::string order;            // "BNKC": base, new, the copy (K), control
    std::vector<double> ms;       // one a participant
    std::vector<bool> preempted;  // likewise: marked and kept
};

// Processes that were started together.
struct DuelLaunch {
    std::int64_t alignment = 0;     // bytes beyond a page's start at which every plane lies
    std::vector<int> processors;    // that all were kept to, samples beginning on the first; empty: any
    std::vector<DuelRound> rounds;  // two a block, the second in the order of the first turned round
};

// Says how the two sides' results compare, before anything is timed.
struct DuelOutputs {
    bool equal_bits = false;
    double max_abs_error = 0;  // between the two
    std::int64_t max_ulp = 0;
    double bound = 0;  // what they may differ by: each by the contract's bound
    bool bound_is_relative = false;
    std::string base_sha256, now_sha256;  // of the bytes
};

struct DuelCase {
    BenchmarkCase what;
    std::string started_utc;
    DuelVerdict verdict = DuelVerdict::undecided;
    std::string reason;  // of AMBIGUOUS, WRONG and FAILED
    std::optional<DuelOutputs> outputs;
    int calls_per_sample = 1;  // a sample is the median of so many
    std::vector<DuelLaunch> launches;
    std::vector<DuelLook>
        looks;           // after `launches` launches, after half as many again each time, and at the end
    double seconds = 0;  // until the verdict

    std::size_t pairs() const;
    // Returns the last look; null where there was none.
    const DuelLook* last() const { return looks.empty() ? nullptr : &looks.back(); }
};

// Returns the logarithms of new over base, or of control over base, launch by launch.
std::vector<LaunchRatios> ratios_of(const std::vector<DuelLaunch>& launches, Participant participant);
// Returns the median of a participant's milliseconds over the copy's of the same round; absent where there is
// none.
std::optional<double> ratio_to_copy(const DuelCase& c, Participant participant);
// Returns the median of a participant's milliseconds; absent where there is none.
std::optional<double> median_ms(const DuelCase& c, Participant participant);
std::size_t preempted_pairs(const DuelCase& c);

// Returns after how many launches a case is looked at next, `due` being the look before: half as many again
// until that is more than `launches`.
constexpr std::size_t look_after(std::size_t due, std::size_t launches) {
    while (due <= launches) due = (3 * due + 1) / 2;
    return due;
}

// Returns how many blocks of two rounds a launch has, from the milliseconds of a round and of starting and
// warming up the processes. They take about as long as the start, at least 40 ms, and no more than half of
// one launch's share of the budget, where `launches` launches share it; at least 2 blocks, and at most 50 or
// a quarter of its share of the pairs.
int duel_blocks_of_launch(const DuelSettings& settings, double round_ms, double start_ms);

struct Duel {
    DuelSettings settings;
    LibraryFile base, now;
    iir2d::DeviceInfo device;
    int threads = 1;
    std::string started_utc, finished_utc;
    bool cancelled = false;  // cases are those completed before
    std::int64_t case_total = 0;
    std::vector<DuelCase> cases;

    std::size_t count(DuelVerdict verdict) const;
};

// Reports a duel that is being measured, from the thread that measures.
struct DuelProgress {
    std::size_t index = 0;  // of the case
    std::size_t total = 1;
    std::string key;
    std::size_t pairs = 0;
    bool is_look = false;  // else the intervals are the looks' with the whole alpha, and nothing is decided
    DuelLook look;
};
struct DuelEvents {
    std::function<void(const DuelProgress&)> on_progress = {};
    std::function<void(const DuelCase&)> on_case = {};  // when it is complete
};

// Measures on the calling thread. Cancelling returns the complete cases with `cancelled` set; an error when
// there is none. A case that cannot be measured is kept with its reason and the others go on. bad_argument:
// the settings; bad_input: a library, or it was changed while it was measured; device_failure: this system
// cannot do it. What a library or a worker lacks is an error only while no case is complete.
Result<Duel> run_duel(const DuelSettings& settings, const LibraryFile& base, const LibraryFile& now,
                      const TaskControl& control = {}, const DuelEvents& events = {});

// Lists what is wrong with it, worst first: WRONG, FAILED, SLOWER by more than `max_regression` (without a
// limit every SLOWER), and with a limit SAME (by a wide margin) or AMBIGUOUS that may be above it. Empty:
// nothing.
std::vector<std::string> shortcomings(const Duel& duel, std::optional<double> max_regression);

// Returns "12 SAME, 1 SLOWER": those that there are.
std::string verdict_counts(const Duel& duel);

// Returns a ratio as a reader sees it, "+3.2 %", and an interval, "-1 % to +2 %".
std::string change_text(double ratio);
std::string change_text(const Interval& interval);

}  // namespace workbench
