// SPDX-License-Identifier: MIT
// Makes the charts and tables of page Tuning as values. No widgets.
#pragma once

#include <map>
#include <string>

#include "ui/charts/plot.h"
#include "ui/tuning/tuning_state.h"
#include "ui/widgets/text_table.h"

namespace workbench {

// Plots regret by k with the noise floor as a band, static and the best single config as lines.
Plot regretPlot(const JudgedPurpose& judged);

// Plots predicted against measured time of every config, both over a copy's; a case is a problem, by its
// index.
Plot predictionPlot(const JudgedPurpose& judged, int chosenProblem);

struct TableValues {
    QStringList headers;
    QList<TextTableModel::Row> rows;
};
TableValues modelRows(const TuningState& state);
TableValues candidateRows(const iir2d::Explanation& said, const iir2d::TuneOptions& options,
                          const JudgedProblem* measured);
TableValues problemRows(const JudgedPurpose& judged);
TableValues judgedConfigRows(const JudgedProblem& problem);
TableValues headroomRows(const tune::Headroom& headroom);
TableValues counterRows(const std::map<std::string, std::uint64_t>& counters);
TableValues learnedRows(const TuningState& state);

}  // namespace workbench
