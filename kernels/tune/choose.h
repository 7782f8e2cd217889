// SPDX-License-Identifier: MIT
// Chooses the config of a plan.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "iir2d/config.h"
#include "iir2d/plan.h"
#include "iir2d/tensor.h"
#include "iir2d/tune.h"
#include "kernels/tune/explore.h"
#include "kernels/tune/learned.h"
#include "kernels/tune/question.h"

namespace iir2d::tune {

// A plan's part in the measuring of its problem: the turn that it was made for, which its first run takes.
struct Turn {
    Turn(std::shared_ptr<Exploration> measuring, Exploration::Turn its_first, LearnedPlace where)
        : exploration(std::move(measuring)), first(its_first), place(std::move(where)) {}

    std::shared_ptr<Exploration> exploration;
    Exploration::Turn first;
    LearnedPlace place;
    mutable std::atomic<bool> is_first_taken{false};
};

// Holds the config that a run is executed by; the run counts as `index` of what is measured, absent where all
// was measured.
struct RunTurn {
    Config config;
    std::optional<std::size_t> index;
};
RunTurn turn_of_run(const Turn& turn);

struct Decision {
    Choice choice;
    std::shared_ptr<const Turn> turn = nullptr;
};

// Holds what a plan is made with: nothing, so that tune_options() decide, a config, or options of its own.
using Given = std::variant<std::monostate, Config, TuneOptions>;

// Returns why static is the choice without a config where nobody has to be asked about the problem: the mode
// is off, or there is nothing to ask. Counts nothing: whoever runs static for it calls count().
std::optional<TuneReason> static_at_once(Purpose purpose);
void count(TuneReason reason);

// Returns the choice for a plan; an error only where the config that was given is not valid.
Result<Decision> choose(const Given& given, const Question& question);

// Returns what choose() would say without a config, and every candidate.
Explanation explain(const Question& question, const TuneOptions& options);

// Puts the choice's texts into the identity.
void describe(const Choice& choice, KernelIdentity& kernel);

// Ends a run that was timed.
void add_run(const Turn& turn, std::size_t index, double milliseconds);
// Counts a run whose rows do not lie as the stores of its config ask: row strides have to be multiples of 32
// bytes, the first row of a plane has to begin at a multiple of `first_row` bytes. Strides are resolved.
void count_veto(const Config& config, const TensorView& y, std::int64_t first_row = 32);

// Returns prepare(config)(), a Result<void>, by the plan's config `own`; where the plan has a turn, by that
// of whose turn the run is, and timed.
template <class Prepare>
Result<void> watched(const std::shared_ptr<const Turn>& turn, const Config& own, const Prepare& prepare) {
    const RunScope scope;
    if (turn == nullptr) return prepare(own)();
    const RunTurn now = turn_of_run(*turn);
    const auto run = prepare(now.config);
    const RunClock clock;
    auto done = run();
    const double milliseconds = clock.milliseconds();
    if (now.index && done && scope.was_alone() && !clock.was_preempted())
        add_run(*turn, *now.index, milliseconds);
    return done;
}

}  // namespace iir2d::tune
