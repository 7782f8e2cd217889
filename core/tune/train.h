// SPDX-License-Identifier: MIT
// Trains a model of a purpose from measurements, and describes what is kept of that.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/support/error.h"
#include "core/support/task.h"
#include "core/tune/data.h"
#include "core/tune/headroom.h"
#include "iir2d/tune_model.h"

namespace workbench::tune {

struct TrainOptions {
    std::string purpose;
    std::string version = "1";
    std::uint64_t seed = 1;
    Objective objective = Objective::both;
    bool with_contended = false;
};

// The files of a model. Report and table are empty where there is nothing to put into them.
struct ModelFiles {
    std::string trees;   // model.trees
    std::string json;    // model.json
    std::string report;  // report.json; without it a model is unproven
    std::string table;   // table.txt
};

struct Trained {
    iir2d::TreeModel model;
    ModelFiles files;
    std::size_t problems = 0;
    std::size_t rows = 0;
    std::size_t left_out = 0;  // problems without a figure that holds
    std::string unproven;      // why it may not decide; empty: it may
};

// Trains on the problems of the set `train` of `measured`, made by one machine and build, and judges by those
// of the set `validation` of `validation` that this machine and this build visited, if there are any.
// check_failed: a key is in both, or XGBoost's predictions are not ours. bad_argument: there is nothing to
// train on, or no XGBoost.
Result<Trained> train(const Measurements& measured, const Measurements* validation,
                      const TrainOptions& options, const TaskControl& control = {});

// Joins databases; a problem that is in several has the visits of all.
Measurements united(std::vector<Measurements> parts);

}  // namespace workbench::tune
