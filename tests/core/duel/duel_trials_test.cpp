// SPDX-License-Identifier: MIT
// The file of trials that duel_bench adds to.
#include "tests/bench/duel_trials.h"

#include <gmock/gmock.h>

namespace workbench {
namespace {

using ::testing::HasSubstr;

DuelTrial trial(int number, const std::string& verdict, double seconds) {
    return {.state = "idle",
            .what = "filter 4",
            .size = 512,
            .threads = 2,
            .planted_percent = 10,
            .rows = 162,
            .columns = 150,
            .planted_ratio = 1.098,
            .number = number,
            .verdict = verdict,
            .ratio = 1.1,
            .low = 1.08,
            .high = 1.12,
            .control = 1.001,
            .pairs = 400,
            .seconds = seconds,
            .load = 0.5 * number,
            .build = "0123456789ab"};
}

TEST(DuelTrials, AreReadBackAndGoOnAfterALineThatWasCut) {
    DuelTrial failed = trial(1, "FAILED", 0);
    failed.reason = "new: \"crashed\", while it computed\nsomething";
    const std::string whole = duel_trials_header() + line_of(trial(0, "SLOWER", 1.5)) + line_of(failed);
    const std::string cut = line_of(trial(2, "SAME", 2)).substr(0, 40);
    const auto read = read_duel_trials(whole + cut);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->complete_bytes, whole.size());
    ASSERT_EQ(read->trials.size(), 2U);
    EXPECT_EQ(line_of(read->trials[0]), line_of(trial(0, "SLOWER", 1.5)));
    EXPECT_TRUE(read->trials[0].is_of_same_cell(read->trials[1]));
    EXPECT_EQ(read->trials[1].reason, "new: 'crashed', while it computed something");
    EXPECT_EQ(read_duel_trials(duel_trials_header().substr(0, 10))->complete_bytes, 0U);
    EXPECT_EQ(read_duel_trials("")->trials.size(), 0U);
}

TEST(DuelTrials, NameTheLineThatIsNone) {
    const auto other = read_duel_trials("case,size,threads\n");
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(other.error().message, HasSubstr("line 1 "));
    std::string line = line_of(trial(0, "SAME", 2));
    line.replace(line.find("512"), 3, "5x2");
    const auto none = read_duel_trials(duel_trials_header() + line_of(trial(0, "SAME", 2)) + line);
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().message, HasSubstr("line 3 "));
}

TEST(DuelTrials, AreCountedByCellAndOverAllCells) {
    std::vector<DuelTrial> trials = {trial(0, "SLOWER", 1), trial(1, "SLOWER", 2), trial(2, "AMBIGUOUS", 9),
                                     trial(3, "FAILED", 0)};
    trials.push_back(trial(0, "SAME", 4));
    trials.back().size = 2048;
    const std::string table = duel_trials_table(trials);
    EXPECT_THAT(table,
                HasSubstr("| idle | 2 % | filter 4 | 512 | 2 | 10 % | +9.8 % | 4 | 0 | 0 | 2 | 1 | 1 | "
                          "1.5 | 0.0 to 1.5 |\n"));
    EXPECT_THAT(table,
                HasSubstr("| idle | 2 % | filter 4 | 2048 | 2 | 10 % | +9.8 % | 1 | 1 | 0 | 0 | 0 | 0 | "
                          "4.0 | 0.0 to 0.0 |\n"));
    EXPECT_THAT(table, HasSubstr("Builds: 0123456789ab\n"));
    EXPECT_THAT(duel_trials_summary(trials),
                HasSubstr("| idle | 2 % | 10 % | 1.5 | 5 | 1 | 0 | 2 | 1 | 1 | 2.0 | 0.0 to 1.5 |\n"));
}

}  // namespace
}  // namespace workbench
