// SPDX-License-Identifier: MIT
// What a reader of records takes, and that the schema which ships says the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/record/record.h"
#include "core/support/canonical_json.h"
#include "core/support/strict_json.h"
#include "tests/core/record/record_schema.h"
#include "tests/core/record/record_testing.h"
#include "tests/core/record/schema_judge.h"

namespace workbench {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json sample() {
    return json::parse(record_to_json(testing::sample_gpu_record()));
}

std::string complaint(const json& record) {
    const auto valid = record_from_json(testing::sealed(record));
    return valid ? "valid" : valid.error().message;
}

// IIR2D_UPDATE_GOLDEN=1 writes the file anew.
TEST(Schema, IsMadeFromTheTableOfMembers) {
    const auto file = std::filesystem::path(IIR2D_SOURCE_DIR) / "resources/schemas/record.schema.json";
    if (std::getenv("IIR2D_UPDATE_GOLDEN") != nullptr) testing::write_text(file, testing::record_schema());
    EXPECT_EQ(testing::record_schema(), testing::read_text(file));
}

// Every object of the sample, with one key more.
TEST(Schema, RefusesAnUnknownKeyAnywhere) {
    const json good = sample();
    int tried = 0;
    const std::function<void(const json&, const json::json_pointer&)> walk =
        [&](const json& v, const json::json_pointer& place) {
            if (v.is_object()) {
                json bad = good;
                bad[place]["surprise"] = 1;
                EXPECT_THAT(complaint(bad), HasSubstr("surprise")) << place;
                ++tried;
            }
            if (!v.is_structured()) return;
            for (const auto& [key, item] : v.items()) {
                if (v.is_array()) {
                    walk(item, place / std::stoul(key));
                } else {
                    walk(item, place / key);
                }
            }
        };
    walk(good, json::json_pointer(""));
    EXPECT_GT(tried, 80);
}

// Every key of the sample, left out.
TEST(Schema, RequiresEveryKey) {
    const json good = sample();
    int tried = 0;
    const std::function<void(const json&, const json::json_pointer&)> walk =
        [&](const json& v, const json::json_pointer& place) {
            if (v.is_object()) {
                for (const auto& [key, item] : v.items()) {
                    if (key == "content_sha256") continue;  // sealing puts it back
                    json bad = good;
                    bad[place].erase(key);
                    EXPECT_NE(complaint(bad), "valid") << place << " without " << key;
                    ++tried;
                    walk(item, place / key);
                }
            } else if (v.is_array() && !v.empty()) {
                walk(v[0], place / 0);
            }
        };
    walk(good, json::json_pointer(""));
    EXPECT_GT(tried, 100);
}

TEST(Schema, RequiresTheSeal) {
    json unsealed = sample();
    unsealed.erase("content_sha256");
    EXPECT_THAT(record_from_json(canonical_json(unsealed)).error().message,
                HasSubstr("lacks the key \"content_sha256\""));
}

TEST(Schema, RefusesWrongTypesAndRanges) {
    const auto with = [](const char* place, json value) {
        json record = sample();
        record[json::json_pointer(place)] = std::move(value);
        return complaint(record);
    };
    EXPECT_THAT(with("/cases/0/width", "1024"), HasSubstr("cases[0].width"));
    EXPECT_THAT(with("/cases/0/width", 0), HasSubstr("width"));
    EXPECT_THAT(with("/cases/0/width", 10.5), HasSubstr("width"));
    EXPECT_NE(with("/cases/0/started_utc", "2025-03-09 17:05:01"), "valid");
    EXPECT_NE(with("/cases/0/started_utc", "2025-03-09T17:05:01Z\n"), "valid");
    EXPECT_NE(with("/cases/0/input_sha256/value", "ABC"), "valid");
    EXPECT_NE(with("/cases/0/operation/border", "reflect"), "valid");
    EXPECT_NE(with("/cases/0/timing/value/samples_ms", json::array()), "valid");
    EXPECT_NE(with("/cases/0/timing/value/samples_ms/0", -1), "valid");
    EXPECT_NE(with("/cases/0/timing/value/samples_ms/0", nullptr), "valid");
    EXPECT_NE(with("/cases", json::array()), "valid");
    EXPECT_NE(with("/environment/host", nullptr), "valid");
    EXPECT_NE(with("/environment/host", {{"value", nullptr}}), "valid") << "null without a reason";
    EXPECT_NE(with("/environment/host", {{"value", nullptr}, {"reason", ""}}), "valid");
    EXPECT_NE(with("/environment/host", {{"value", "x"}, {"reason", "y"}}), "valid");
    EXPECT_NE(with("/schema_version", 0), "valid");
    EXPECT_NE(with("/schema_version", 2), "valid");
    EXPECT_NE(with("/cases/1/operation/element", "f8"), "valid");
    EXPECT_NE(with("/cases/1/operation/pass", "sideways"), "valid");
    EXPECT_NE(with("/matrix/pool_passes", "forward"), "valid");
    EXPECT_NE(with("/cases/0/gpu_state/value/samples", 1), "valid") << "there is one before and one after";
    EXPECT_NE(with("/cases/0/gpu_state/value/power_w/value/samples", json::array()), "valid");
    EXPECT_NE(with("/cases/0/gpu_state/value/throttle_reasons/value", "power cap"), "valid");
    EXPECT_NE(with("/schema_version", 1.5), "valid");
    EXPECT_NE(with("/cancelled", 0), "valid");
}

TEST(Schema, AgreesWithAGeneralValidator) {
    const auto judged = testing::judge_with_general_validator(sample(), testing::record_schema(), complaint);
    EXPECT_GT(judged.tried, 900);
    EXPECT_GT(judged.tried - judged.refused, 30) << "some of them fit";
}

TEST(ParseStrictly, RefusesHostileText) {
    const auto refused = [](const std::string& text) {
        const auto parsed = parse_strictly(text);
        return parsed ? "accepted" : parsed.error().message;
    };
    EXPECT_THAT(refused("{\"a\": 1, \"a\": 2}"), HasSubstr("the JSON has the key \"a\" twice in one object"));
    EXPECT_THAT(refused("[{\"b\": {\"c\": 1, \"d\": 2, \"c\": 3}}]"), HasSubstr("the key \"c\" twice"));
    EXPECT_EQ(refused("[{\"a\": 1}, {\"a\": 2}]"), "accepted");
    EXPECT_THAT(refused(std::string(1'000'000, '[')), HasSubstr("nested more than 32 deep"));
    std::string objects;
    for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
    EXPECT_THAT(refused(objects), HasSubstr("nested more than 32 deep"));
    EXPECT_THAT(refused("\"\xc3\x28\""), HasSubstr("UTF-8"));
    EXPECT_NE(refused("{} x"), "accepted");
    EXPECT_NE(refused("[NaN]"), "accepted");
    EXPECT_NE(refused("[1e999]"), "accepted");
    EXPECT_NE(refused("[01]"), "accepted");
    EXPECT_NE(refused("[\"a\nb\"]"), "accepted");
    EXPECT_LT(refused("\"" + std::string(100'000, 'x')).size(), 500U);
}

TEST(RecordFromJson, SaysWhenARecordIsNewer) {
    json record = sample();
    record["schema_version"] = 2;
    const auto parsed = record_from_json(testing::sealed(record));
    ASSERT_FALSE(parsed);
    EXPECT_THAT(parsed.error().message, HasSubstr("newer than the version 1"));
}

// Programs before 1.1.0 wrote versions 1 to 4, without a hash of the content.
TEST(RecordFromJson, SaysWhenARecordIsOlder) {
    json record = sample();
    record["schema_version"] = 4;
    record.erase(seal_name);
    const auto parsed = record_from_json(record.dump());
    ASSERT_FALSE(parsed);
    EXPECT_THAT(parsed.error().message, HasSubstr("older than iir2d 1.1.0; read it with the version"));
}

}  // namespace
}  // namespace workbench
