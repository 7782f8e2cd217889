// SPDX-License-Identifier: MIT
// The parts of `iir2d tune`.
#pragma once

#include <string>

#include "app/iir2d/options.h"
#include "core/tune/data.h"

namespace app {

void add_tune_reports(CLI::App& tune, Action& chosen);  // headroom, export, import
void add_tune_use(CLI::App& tune, Action& chosen);      // select, stats, learned
void add_tune_train(CLI::App& tune, Action& chosen);    // train, table
void add_tune_eval(CLI::App& tune, Action& chosen);
void add_tune_models(CLI::App& tune, Action& chosen);  // models, manifest
void add_tune_retrain(CLI::App& tune, Action& chosen);

// Adds what all commands that make figures of measurements take.
void add_figures(CLI::App& command, bool& with_contended, bool& json);

Result<workbench::tune::Measurements> read_database(const std::string& file);

}  // namespace app
