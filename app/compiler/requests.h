// SPDX-License-Identifier: MIT
// What the compiler process is asked, as functions from JSON to JSON, with the bytes beside them.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/compile/wire.h"

namespace app {

// Returns the answer: "refused" with a sentence where a target is not available or the question is not
// understood.
// The question points into `bytes`, the answer into `parcel`.
nlohmann::json answer_to(const nlohmann::json& question, std::string_view bytes,
                         workbench::compile::Parcel& parcel);

}  // namespace app
