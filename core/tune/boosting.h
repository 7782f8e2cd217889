// SPDX-License-Identifier: MIT
// Trains gradient-boosted trees by XGBoost's library, which is opened only when trees are trained: nothing
// else needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/error.h"
#include "core/support/task.h"
#include "core/tune/rows.h"
#include "iir2d/tune_model.h"

namespace workbench::tune {

struct BoostSettings {
    int most_trees = 160;
    int depth = 6;
    double eta = 0.1;
    double subsample = 0.8;
    int patience = 20;  // trees without an improvement on what is held out, after which training stops
    std::uint64_t seed = 1;
};

struct Boosted {
    iir2d::TreeEnsemble trees;
    std::vector<double> curve;           // root mean square of the errors after each tree
    std::vector<double> held_out_curve;  // empty without rows held out
    std::vector<double> importance;      // per feature, what its tests took off the loss
    double difference = 0;               // greatest, between XGBoost's predictions of the rows and ours
};

class Boosting {
  public:
    // Opens XGBoost. bad_argument: this build or this machine has no XGBoost; says which.
    static Result<Boosting> open();
    // Returns XGBoost's version, such as "1.7.4".
    const std::string& version() const;

    // Trains on one thread: the same rows and settings give the same trees. With rows held out it stops by
    // them, and the trees up to the best are kept. Precondition: there are rows.
    Result<Boosted> train(const TrainingRows& rows, const TrainingRows& held_out,
                          const BoostSettings& settings, const TaskControl& control = {}) const;

  private:
    struct Library;
    explicit Boosting(std::shared_ptr<const Library> library) : m_library(std::move(library)) {}
    std::shared_ptr<const Library> m_library;
};

// Returns the first `trees` trees of a model that XGBoost wrote as JSON, and in `importance` what each
// feature's tests took off the loss. bad_input: it is not such a model of at most this depth.
Result<iir2d::TreeEnsemble> trees_from_xgboost(std::string_view json, std::size_t trees, std::size_t depth,
                                               std::vector<double>& importance);

}  // namespace workbench::tune
