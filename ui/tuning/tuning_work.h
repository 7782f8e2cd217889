// SPDX-License-Identifier: MIT
// The long work of page Tuning as values: what is chosen, the command that does the same, and doing it. No
// widgets.
#pragma once

#include <QString>
#include <QStringList>

#include "core/support/task.h"
#include "iir2d/device.h"
#include "ui/tuning/tuning_state.h"

namespace workbench {

struct TuningWork {
    enum class Kind { retrain, collect, train, evaluate };
    Kind kind = Kind::retrain;
    int seconds = 300;           // retraining, collecting: of all of it
    int problems = 200;          // collecting
    bool forValidation = false;  // collecting: the problems that judge
    int purpose = 0;             // training: of the purposes of the CPU
    QString database;            // empty: the one that retraining leaves
    friend bool operator==(const TuningWork&, const TuningWork&) = default;
};

std::filesystem::path databaseOf(const TuningWork& work);
// Returns the `iir2d` command that does the same, on as many threads (0: all); of judging, one each for the
// headroom and for every model that decides.
QString commandLineOf(const TuningWork& work, int threads, const TuningState* state);
// Returns why the work cannot begin; empty: it can.
QString hindranceOf(const TuningWork& work, const TuningState* state);

struct TuningOutcome {
    QStringList said;  // sentences
    bool isRefused = false;
    bool hasNewModels = false;
    TuningFiguresPtr figures;  // of what was measured, if it was judged
};
Result<TuningOutcome> doWork(const TuningWork& work, const iir2d::Device& device, const TaskControl& control);

}  // namespace workbench
