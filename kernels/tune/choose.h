// SPDX-License-Identifier: MIT
// How a plan gets its config.
#pragma once

#include <optional>

#include "iir2d/config.h"
#include "iir2d/plan.h"
#include "iir2d/tune.h"

namespace iir2d::tune {

// Returns the choice for a plan, its config not resolved: the one that was given, or static.
Choice choose(const std::optional<Config>& pinned);

// Puts the choice's texts into the identity.
void describe(const Choice& choice, KernelIdentity& kernel);

}  // namespace iir2d::tune
