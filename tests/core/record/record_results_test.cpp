// SPDX-License-Identifier: MIT
// Results read back are those that were written: the record made of them again is the same, byte for byte.
#include "core/record/record_results.h"

#include <gmock/gmock.h>

#include "core/record/record_json.h"
#include "tests/core/record/record_testing.h"

namespace workbench {
namespace {

using ::testing::HasSubstr;

std::filesystem::path golden(const std::string& name) {
    return std::filesystem::path(IIR2D_SOURCE_DIR) / "tests/core/record/golden" / name;
}

class RecordResults : public ::testing::TestWithParam<bool> {};

TEST_P(RecordResults, MakeTheSameRecordAgain) {
    Record record = GetParam() ? testing::sample_gpu_record() : testing::sample_record();
    const std::string json = record_to_json(record);
    auto results = results_of_record(*parse_record(json));
    ASSERT_TRUE(results) << results.error().message;
    EXPECT_EQ(results->front().what.key, record.run.results.front().what.key);
    record.run.results = std::move(*results);
    EXPECT_EQ(record_to_json(record), json);
}
INSTANTIATE_TEST_SUITE_P(CpuAndGpu, RecordResults, ::testing::Bool());

TEST(OldRecordResults, AreReadWithWhatTheySay) {
    for (const char* name : {"record-1.json", "record-2.json", "record-3.json", "record.json"}) {
        const auto record = parse_record(testing::read_text(golden(name)));
        ASSERT_TRUE(record) << name;
        const auto results = results_of_record(*record);
        ASSERT_TRUE(results) << name << ": " << results.error().message;
        ASSERT_EQ(results->size(), record->at("cases").size()) << name;
        for (std::size_t i = 0; i < results->size(); ++i) {
            const auto& timing = value_of(record->at("cases")[i].at("timing"));
            EXPECT_EQ((*results)[i].failure.has_value(), timing.is_null()) << name;
            if (timing.is_null()) continue;
            EXPECT_EQ((*results)[i].samples.size(), timing.at("samples_ms").size()) << name;
            EXPECT_EQ((*results)[i].latency.p50, timing.at("latency_ms").at("p50").get<double>()) << name;
        }
    }
}

TEST(BrokenRecordResults, AreRefusedByCase) {
    auto json = *parse_record(record_to_json(testing::sample_record()));
    json["cases"][0]["timing"]["value"]["preempted"] = {1000000};
    const auto results = results_of_record(json);
    ASSERT_FALSE(results);
    EXPECT_EQ(results.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(results.error().message, HasSubstr("case 1 of the record"));
}

}  // namespace
}  // namespace workbench
