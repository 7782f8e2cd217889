// SPDX-License-Identifier: MIT
// Measurements as text: CSV with one row a measurement, JSON with everything.
#pragma once

#include <string>
#include <string_view>

#include "core/support/error.h"
#include "core/tune/data.h"

namespace workbench::tune {

// Writes measurements as CSV. The same measurements give the same text; visits are numbered within their
// problem.
std::string to_csv(const Measurements& all);

// Writes measurements as JSON. What from_json() reads of it gives the same text again.
std::string to_json(const Measurements& all);

// Reads what to_json() writes. bad_input names what is missing, of the wrong type or no measurement.
Result<Measurements> from_json(std::string_view text);

}  // namespace workbench::tune
