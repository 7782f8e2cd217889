// SPDX-License-Identifier: MIT
// Evaluates how well configs are chosen: the time of a ranking's choice over that of the best config, which
// is chosen in one half of the rounds and timed in the other.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/support/error.h"
#include "core/tune/data.h"
#include "core/tune/headroom.h"

namespace workbench::tune {

// Holds how a model or a table orders the measured configs of one problem.
struct Ranking {
    std::vector<std::string> order;  // what it proposes, best first
    std::string decision;            // what it would run by
    // Predicted logarithms of each config's time over static's, in the order of the configs given; empty:
    // nothing is predicted.
    std::vector<double> gains = {};
    std::optional<double> level = {};  // predicted logarithm of static's time over the copy's
};
// Ranks the configs that a problem was measured by, static first among them.
using Ranker =
    std::function<Result<Ranking>(const MeasuredProblem& problem, const std::vector<std::string>& configs)>;

struct EvaluateOptions {
    HeadroomOptions of;
    std::vector<std::size_t> k{1, 2, 3, 5, 10};
    std::size_t worst = 10;
};

// Holds the regret of the best among the first k of the order.
struct RegretByK {
    std::size_t k = 1;
    Distribution regret;
    double within_2_percent = 0;  // part of the problems
    double time_share = 0;        // what timing k configs and static takes, of what timing all takes
};

// Holds one problem's ratios to its best config.
struct ProblemRegret {
    std::string spec;
    std::string key;
    std::string family;
    std::string best;  // by all rounds
    std::string decision;
    double noise = 1;           // static's time over its own
    double static_regret = 1;   // static's time over the best config's
    double random_regret = 1;   // mean over the configs
    double single_regret = 1;   // of the one config that suits all problems best
    double decision_ratio = 1;  // of its time to static's
    double decision_low = 1;    // the 95 % interval of that
    double decision_high = 1;
    std::vector<double> by_k;
};

struct Evaluation {
    std::size_t problems = 0;
    std::size_t unstable = 0;      // left out: the best config differs between visits
    std::size_t not_measured = 0;  // left out: no visit counts
    std::string single;            // the one config
    Distribution noise, of_static, random, best_single;
    std::vector<RegretByK> by_k;
    double decision_geomean = 1;             // of its time to static's
    double decision_slower = 0;              // part of the problems above 1.02
    double second_static_slower = 0;         // the same of static#2: what noise alone does
    std::vector<std::string> surely_slower;  // specs whose interval lies wholly above 1.02
    std::optional<double> level_rmse;
    std::optional<double> gain_rmse;
    std::optional<double> gain_spearman;  // mean over problems
    std::vector<ProblemRegret> each;      // by the regret of the first config, the worst first
};

// Evaluates a ranker. bad_argument: there is no problem to judge by. Pure: the same measurements and ranker
// give the same.
Result<Evaluation> evaluate(const Measurements& all, const Ranker& ranker, const EvaluateOptions& options);

// Writes one row for each problem, in the order of `each`.
std::string to_csv(const Evaluation& evaluation);

// The text of `tune eval --json` and of report.json: the figures, the `worst` problems,
// and what decisions take where that was timed.
struct DecisionTimes;  // latency.h
std::string to_json(const Evaluation& evaluation, std::size_t worst, const DecisionTimes* times = nullptr);

// Returns the median of the logarithm of static's time over the copy's, over visits that count. Absent: not
// measured.
std::optional<double> level_of(const MeasuredProblem& problem, const HeadroomOptions& options);

}  // namespace workbench::tune
