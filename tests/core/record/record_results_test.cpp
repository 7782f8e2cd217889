// SPDX-License-Identifier: MIT
// Results read back are those that were written: the record made of them again is the same, byte for byte.
#include "core/record/record_results.h"

#include <gmock/gmock.h>

#include "core/record/record_json.h"
#include "tests/core/record/record_testing.h"

namespace workbench {
namespace {

using ::testing::HasSubstr;

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
