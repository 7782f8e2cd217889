// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace workbench::testing {

struct Judged {
    int tried = 0;
    int refused = 0;
};

// Replaces every value of a good document by others, and expects a general validator of JSON Schema to say of
// each what `complaint` says: "valid", or what is wrong.
Judged judge_with_general_validator(const nlohmann::json& good, const std::string& schema_text,
                                    const std::function<std::string(const nlohmann::json&)>& complaint);

}  // namespace workbench::testing
