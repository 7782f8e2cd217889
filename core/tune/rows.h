// SPDX-License-Identifier: MIT
// Turns measured problems into rows of numbers, on which models are trained and by which they are asked.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/error.h"
#include "core/tune/data.h"
#include "core/tune/evaluate.h"
#include "iir2d/tune_model.h"

namespace workbench::tune {

// Computes features as the machine that measured has them: its threads are in the key, its caches in its
// description.
class FeatureReader {
  public:
    explicit FeatureReader(const Measurements& all);

    // Returns the rows of the configs, one behind the other. bad_argument: what cannot be computed, also a
    // problem that was measured with more threads than there are here.
    Result<std::vector<float>> rows(const MeasuredProblem& problem,
                                    const std::vector<std::string>& configs) const;

  private:
    std::map<std::string, std::string, std::less<>> m_machines;  // descriptions by id
};

// Holds rows of one width with the values that a model is to predict.
struct TrainingRows {
    std::size_t features = 0;
    std::vector<float> values;
    std::vector<float> targets;
    std::vector<float> weights;
    std::vector<std::size_t> problems;  // of each row, which problem it belongs to

    std::size_t count() const { return targets.size(); }
    // Returns the rows of the problems that are asked for.
    TrainingRows of(const std::vector<bool>& which) const;
};

struct TrainingData {
    std::vector<const MeasuredProblem*> problems;
    std::vector<ProblemLogs> logs;  // as many
    TrainingRows gain;              // a row a config that was timed, static's with 0
    TrainingRows level;             // a row a problem
    std::size_t unstable = 0;       // left out
    std::size_t not_measured = 0;   // left out
};
// Reads the problems of a purpose. bad_argument: there is none, or what FeatureReader::rows() refuses.
Result<TrainingData> training_data(const Measurements& all, std::string_view purpose,
                                   const HeadroomOptions& options);

// Ranks by a model: by predicted gain, then by fewer knobs, then by text; a config is left out whose
// predicted time is more than `threshold` times the best's. The decision is the first if its gain is at least
// the margin, else static.
Ranker ranker_of(iir2d::TreeModel model, const Measurements& all, double threshold);

}  // namespace workbench::tune
