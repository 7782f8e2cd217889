// SPDX-License-Identifier: MIT
// Members of records, for whatever describes a kernel as records do.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/synth/judge.h"

namespace workbench::synth {

// Makes the member "ir"; `compiler` describes the compiler.
nlohmann::json ir_json(const std::string& target, bool is_backward, const nlohmann::json& compiler,
                       const std::string& text);
// Makes the member "verification".
nlohmann::json verification_json(const Verification& one, const std::vector<Target>& targets);
// Makes the member "backward": the kernel, or why there is none.
nlohmann::json backward_json(const Backward& backward);

}  // namespace workbench::synth
