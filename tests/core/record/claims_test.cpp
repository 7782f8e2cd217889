// SPDX-License-Identifier: MIT
// How a case ended, whether it is conclusive, and what the report makes of it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/record/record.h"
#include "tests/core/record/record_testing.h"

namespace workbench {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string problems_with(const std::vector<std::pair<const char*, json>>& changes) {
    const testing::TemporaryFolder folder;
    json record = json::parse(record_to_json(testing::sample_record()));
    for (const auto& [place, value] : changes) record[json::json_pointer(place)] = value;
    testing::write_text(folder.path() / "changed.json", testing::sealed(record));
    return testing::problems_of(folder.path() / "changed.json");
}

TEST(RecordClaims, ChecksTheIntervalAndTheEndOfACase) {
    EXPECT_EQ(problems_with({}), "");
    EXPECT_THAT(problems_with({{"/cases/0/timing/value/latency_p50_interval_ms/low", 0.1}}),
                HasSubstr("latency_p50_interval_ms.low is 0.1"));
    EXPECT_THAT(problems_with({{"/cases/0/timing/value/stop_reason", "precision"}}),
                HasSubstr("samples_ms has 3 samples for 3 iterations"))
        << "with a fixed number only the iterations end a case";
    EXPECT_THAT(problems_with({{"/cases/0/timing/value/stop_reason", "boredom"}}), HasSubstr("stop_reason"));
    const json rule = {{"value", {{"precision", 0.01}, {"least", 5}, {"most", 9}, {"most_seconds", 1}}}};
    EXPECT_THAT(
        problems_with({{"/matrix/stopping", rule}, {"/cases/0/timing/value/stop_reason", "most time"}}),
        HasSubstr("samples_ms has 3 samples"))
        << "fewer than the rule's least";
}

TEST(RecordClaims, ChecksWhetherACaseIsConclusive) {
    EXPECT_THAT(problems_with({{"/cases/0/timing/value/inconclusive", {{"value", "a bad day"}}}}),
                HasSubstr("it is called inconclusive although nothing disturbed"));
    EXPECT_THAT(problems_with({{"/matrix/most_disturbed", 0.1}}),
                HasSubstr("it is not called inconclusive for what it was: preempted in 1 of 3 samples"));
}

TEST(RecordClaims, SaysInItsReportWhatMayBeClaimed) {
    Record record = testing::sample_record();
    auto report = record_to_markdown(record);
    EXPECT_THAT(report, HasSubstr("record_id: " + record_id_of(record)));
    EXPECT_THAT(report, HasSubstr("- [ ] It was run by a named protocol."));
    EXPECT_THAT(report, HasSubstr("- [ ] Every case was timed."));
    EXPECT_THAT(report, HasSubstr("- [ ] Every case has at least 20 samples"));
    EXPECT_THAT(report, HasSubstr("- [x] The commit is known and had no uncommitted changes."));
    EXPECT_THAT(report, HasSubstr("Pending. A record approves nothing"));
    record.run.matrix.protocol = "nightly";
    record.run.matrix.cold_cache = true;
    record.reproduces = std::string(64, 'c');
    record.run.results[0].inconclusive = "preempted in 2 of 3 samples";
    report = record_to_markdown(record);
    EXPECT_THAT(report, HasSubstr("- [x] It was run by a named protocol."));
    EXPECT_THAT(report, HasSubstr("The caches are cold"));
    EXPECT_THAT(report, HasSubstr("It measures again what record " + std::string(64, 'c')));
    EXPECT_THAT(report, HasSubstr(" (inconclusive) | "));
    EXPECT_THAT(report, HasSubstr("- [ ] No case is inconclusive."));
}

}  // namespace
}  // namespace workbench
