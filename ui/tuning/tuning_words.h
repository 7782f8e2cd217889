// SPDX-License-Identifier: MIT
// The tuner's words for people: why something was decided, what a model's status means. No widgets.
#pragma once

#include <QString>

#include "core/tune/registry.h"
#include "iir2d/tune.h"

namespace workbench {

// Returns why a config was chosen, as a sentence without its end.
QString reasonWords(iir2d::TuneReason reason);
// Returns what a mode asks.
QString modeWords(iir2d::TuneMode mode);
QString statusWords(const tune::RegisteredModel& model);
// Returns what a predicted or measured ratio to static's time means: "7 % faster", "as fast".
QString gainWords(double ratio);
// Returns why a candidate is proposed or not.
QString keptWords(const iir2d::Explanation& said, std::size_t candidate, const iir2d::TuneOptions& options);

// Returns what in a config differs from static: the knob's name, "several", or "static".
QString knobOf(const std::string& config);

}  // namespace workbench
