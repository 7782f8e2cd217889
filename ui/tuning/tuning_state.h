// SPDX-License-Identifier: MIT
// Reads the tuner's state on this machine, and what measurements say of its models. Read on any thread;
// values that never change. No widgets.
#pragma once

#include <QString>
#include <QStringList>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/support/error.h"
#include "core/support/task.h"
#include "core/tune/evaluate.h"
#include "core/tune/headroom.h"
#include "core/tune/registry.h"
#include "core/tune/use.h"
#include "iir2d/tune.h"

namespace workbench {

struct TuningState {
    tune::ModelHost host;
    std::vector<std::filesystem::path> places;
    std::vector<tune::RegisteredModel> models;
    tune::UseStatistics kept;  // what files have, without what this process counted since
    std::vector<tune::LearnedEntry> learned;
    QStringList readFailures;  // what could not be read

    bool isHere(const tune::LearnedEntry& entry) const;  // of this machine and these kernels
    const tune::RegisteredModel* active(std::string_view purpose) const;
};
using TuningStatePtr = std::shared_ptr<const TuningState>;
TuningStatePtr readTuningState();

// Holds one config of a measured problem. Ratios are of its time to static's.
struct JudgedConfig {
    std::string config;
    double measured = 1;
    std::optional<double> predicted;
};
struct JudgedProblem {
    std::string spec, key, family, set, decision;
    std::optional<double> copies;           // static's time over a copy's, measured
    std::optional<double> predictedCopies;  // the same, predicted
    std::vector<JudgedConfig> configs;      // static first

    const JudgedConfig* of(std::string_view config) const;
};
struct JudgedPurpose {
    std::string purpose, model;
    QString whyNot;  // there is nothing to judge, or by; then nothing of what follows is there
    tune::Evaluation evaluation;
    std::vector<JudgedProblem> problems;
};
struct TuningFigures {
    std::filesystem::path database;
    tune::HeadroomOptions options;
    tune::Headroom headroom;
    std::vector<JudgedPurpose> purposes;

    const JudgedPurpose* of(std::string_view purpose) const;
    const JudgedProblem* problemOfKey(std::string_view key) const;
};
using TuningFiguresPtr = std::shared_ptr<const TuningFigures>;

// Judges the models that decide by the problems of a database, all or those of one set.
Result<TuningFiguresPtr> judgeDatabase(const std::filesystem::path& database, const std::string& set,
                                       const TaskControl& control);

// Returns the database that retraining leaves.
std::filesystem::path retrainDatabase();

}  // namespace workbench
