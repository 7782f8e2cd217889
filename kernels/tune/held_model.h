// SPDX-License-Identifier: MIT
// Models as the library holds them, and what they say of a problem.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "iir2d/tune.h"
#include "iir2d/tune_model.h"
#include "kernels/tune/question.h"

namespace iir2d::tune {

// Families with their configs, the best first.
using Table = std::vector<std::pair<std::string, Config>>;
// Reads the lines `family NAME` and `config FIGURE TEXT` of a table.txt (docs/tuning.md).
Result<Table> table_from_text(std::string_view text);

struct HeldModel {
    TreeModel model;
    Table table;
    std::optional<TuneReason> fault;  // why it may not decide

    std::string name() const { return model.purpose + "/" + model.version + "/" + model.sha256; }
};

struct Ranking {
    std::vector<RankedConfig> sorted;  // the best first
    std::vector<float> gains;          // of those, as logarithms
    std::size_t filtered = 0;
};

// Ranks all candidates by the predicted gain, static's being 0, then by fewer knobs, then by text. `details`:
// with the predicted copies and the features. An error where a feature cannot be computed.
Result<Ranking> rank(const HeldModel& held, const Question& question, const TuneOptions& options,
                     bool details);

// Returns those of a table that are valid for the problem, in order. `other_bits`: also those that change
// bits.
std::vector<Config> from_table(const Table& table, const Question& question, bool other_bits);

}  // namespace iir2d::tune
