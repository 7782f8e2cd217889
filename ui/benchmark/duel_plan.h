// SPDX-License-Identifier: MIT
// Selects those of the benchmark form's cases that can be duelled. Pure.
#pragma once

#include <QString>
#include <QStringList>
#include <expected>

#include "ui/benchmark/matrix_choices.h"

namespace workbench {

struct DuelPlan {
    BenchmarkMatrix matrix;  // on the CPU
    std::size_t cases = 0;
    QStringList leftOut;  // what the form has and a duel has not, each a sentence
};

// Plans a duel. The error says what to choose in the form.
std::expected<DuelPlan, QString> planDuel(MatrixChoices choices, const MatrixContext& context);

}  // namespace workbench
