// SPDX-License-Identifier: MIT
#include "ui/benchmark/duel_plan.h"

#include <QCoreApplication>
#include <utility>

namespace workbench {
namespace {

struct PlanWords {
    Q_DECLARE_TR_FUNCTIONS(DuelPlan)
};

}  // namespace

std::expected<DuelPlan, QString> planDuel(MatrixChoices choices, const MatrixContext& context) {
    DuelPlan plan;
    if (choices.device.startsWith(QLatin1String("cuda"))) {
        plan.leftOut.append(PlanWords::tr("It measures on the CPU, not on %1: compare two records of a GPU.")
                                .arg(choices.device));
    }
    choices.device = QStringLiteral("cpu");
    if (std::exchange(choices.recipe, false)) {
        plan.leftOut.append(PlanWords::tr(
            "The recipe is left out: it is not one call of the library. Its filters and pooling can "
            "be chosen one by one."));
    }
    if (choices.filterIds.empty() && choices.pools.ops.empty()) {
        return std::unexpected(
            PlanWords::tr("There is nothing to duel: choose a filter or a pooling operation in the form."));
    }
    auto chosen = toMatrix(choices, context);
    if (!chosen) return std::unexpected(chosen.error().front().text);
    plan.matrix = std::move(chosen->matrix);
    plan.cases = chosen->cases;
    return plan;
}

}  // namespace workbench
