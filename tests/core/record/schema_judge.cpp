// SPDX-License-Identifier: MIT
#include "tests/core/record/schema_judge.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

namespace workbench::testing {

using nlohmann::json;

Judged judge_with_general_validator(const json& good, const std::string& schema_text,
                                    const std::function<std::string(const json&)>& complaint) {
    const json document = json::parse(schema_text);
    valijson::Schema schema;
    valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(document), schema);
    const auto expected = [&](const json& value) {
        valijson::Validator validator(valijson::Validator::kStrongTypes);
        return validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(value), nullptr);
    };
    EXPECT_TRUE(expected(good));
    const json others[] = {nullptr,
                           true,
                           "",
                           "x",
                           std::string(64, 'a'),
                           -1,
                           0,
                           1,
                           7,
                           1.5,
                           -0.5,
                           1e300,
                           std::int64_t{1} << 60,
                           json::object(),
                           json::array(),
                           json::array({1}),
                           json{{"value", 1}},
                           json{{"value", nullptr}, {"reason", "x"}},
                           std::string(5000, 'x'),
                           "2025-03-09T17:05:01Z"};
    std::size_t turn = 0;
    Judged judged;
    const std::function<void(const json&, const json::json_pointer&)> walk =
        [&](const json& v, const json::json_pointer& place) {
            for (int k = 0; k < 3; ++k) {
                json changed = good;
                changed[place] = others[turn++ % std::size(others)];
                const std::string said = complaint(changed);
                const bool fits = said == "valid";
                // A schema cannot say what must be as another member is.
                const bool follows = place.to_string().ends_with("/index") ||
                                     place.to_string().ends_with("/version") ||
                                     said.find("rising list") != said.npos ||
                                     said.find("must be null, with a reason") != said.npos ||
                                     said.find("must not be null") != said.npos ||
                                     said.find("has a word that is not known") != said.npos;
                if (place.to_string() == "/content_sha256" || (follows && !fits)) continue;
                EXPECT_EQ(fits, expected(changed)) << place << " as " << changed[place] << ": " << said;
                ++judged.tried;
                judged.refused += fits ? 0 : 1;
            }
            if (!v.is_structured()) return;
            for (const auto& [key, item] : v.items())
                walk(item, v.is_array() ? place / std::stoul(key) : place / key);
        };
    walk(good, json::json_pointer(""));
    return judged;
}

}  // namespace workbench::testing
