// SPDX-License-Identifier: MIT
// How a plan gets its config.
#pragma once

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

// A plan's turn in the measuring of its problem.
struct Turn {
    std::shared_ptr<Exploration> exploration;
    std::size_t index = 0;
    LearnedPlace place;
};

struct Decision {
    Choice choice;
    std::shared_ptr<const Turn> turn = nullptr;
};

// What a plan is made with: nothing, so that tune_options() decide, a config, or options of its own.
using Given = std::variant<std::monostate, Config, TuneOptions>;

// Returns the choice for a plan of that purpose where nobody has to be asked about its problem: a config is
// given, the mode is off, or there is nothing to ask. Its config is not resolved.
std::optional<Choice> choose_at_once(const Given& given, Purpose purpose);

// Returns the choice for a plan; an error only where the config that was given is not valid.
Result<Decision> choose(const Given& given, const Question& question);

// The same of plans that only have `static`, on a GPU.
Result<Choice> choose_static(const Given& given, const Device& device);

// Returns what choose() would say without a config, and every candidate.
Explanation explain(const Question& question, const TuneOptions& options);

// Puts the choice's texts into the identity.
void describe(const Choice& choice, KernelIdentity& kernel);

// Ends a run that was timed.
void add_run(const Turn& turn, double milliseconds);
// Counts a run whose rows do not lie as the stores of its config ask: at multiples of 32 bytes. Strides are
// resolved.
void count_veto(const Config& config, const TensorView& y);

// Returns run(), a Result<void>, timed where the plan has a turn.
template <class Run>
Result<void> watched(const std::shared_ptr<const Turn>& turn, const Run& run) {
    const RunScope scope;
    if (turn == nullptr) return run();
    const RunClock clock;
    auto done = run();
    const double milliseconds = clock.milliseconds();
    if (done && scope.was_alone() && !clock.was_preempted()) add_run(*turn, milliseconds);
    return done;
}

}  // namespace iir2d::tune
