// SPDX-License-Identifier: MIT
// The record of a duel in place of the baseline's record and its comparison.
#include <gmock/gmock.h>

#include "core/benchmark/named_protocols.h"
#include "tests/core/duel/made_duel.h"
#include "tests/core/release/release_fixture.h"

namespace workbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class DuelEvidence : public testing::ReleaseFixture {
  protected:
    Result<std::string> add_duel(const std::string& name, double ratio, const std::optional<SigningKey>& key,
                                 const std::string& base = testing::baseline_commit,
                                 const std::string& now = testing::release_commit, bool standard = true,
                                 double margin = 0.02) {
        BenchmarkMatrix matrix = standard ? *named_protocol("standard") : quick_settings().matrix;
        matrix.device = "cpu";
        EXPECT_TRUE(
            write_duel_record(made_record(ratio, base, now, matrix, margin), folder.path() / name, key));
        return attach(directory, "duel-record", folder.path() / name, "", "");
    }
};

TEST_F(DuelEvidence, StandsForTheBaselineAndItsComparison) {
    begin(Stage::rc);
    EXPECT_THAT(blockers(), AllOf(HasSubstr("C.baseline: nothing is attached as baseline-record"),
                                  HasSubstr("C.comparison: nothing is attached as baseline-record")));
    const auto added = add_duel("duel", 1.0, keys.at("qa-engineer"));
    ASSERT_TRUE(added) << added.error().message;
    EXPECT_THAT(blockers(), AllOf(Not(HasSubstr("C.baseline")), Not(HasSubstr("C.comparison"))));
    EXPECT_THAT(blockers(), HasSubstr("C.standard"));
}

TEST_F(DuelEvidence, IsRefusedWhereItIsSlowerUnsignedOrOfAnotherCommit) {
    begin(Stage::rc);
    ASSERT_TRUE(add_duel("slower", 1.6, keys.at("qa-engineer")));
    EXPECT_THAT(blockers(), HasSubstr("is SLOWER: +6"));
    ASSERT_TRUE(add_duel("within", 1.1, keys.at("qa-engineer")));
    EXPECT_THAT(blockers(), Not(HasSubstr("C.comparison")));
    ASSERT_TRUE(add_duel("unsigned", 1.0, std::nullopt));
    EXPECT_THAT(blockers(), HasSubstr("C.baseline: evidence/unsigned is not signed"));
    ASSERT_TRUE(add_duel("stranger", 1.0, *SigningKey::generate()));
    EXPECT_THAT(blockers(), HasSubstr("who holds no role of this release"));
    ASSERT_TRUE(add_duel("own", 1.0, keys.at("qa-engineer"), testing::release_commit));
    EXPECT_THAT(blockers(), HasSubstr("is of the release's own commit, no baseline for it"));
    ASSERT_TRUE(add_duel("small", 1.0, keys.at("qa-engineer"), testing::baseline_commit,
                         testing::release_commit, false));
    EXPECT_THAT(blockers(), HasSubstr("was not run by the standard protocol"));
    ASSERT_TRUE(add_duel("wide", 1.6, keys.at("qa-engineer"), testing::baseline_commit,
                         testing::release_commit, true, 0.9));
    EXPECT_THAT(blockers(), HasSubstr("C.comparison: the margin of evidence/wide is 90"));
    ASSERT_TRUE(
        add_duel("other", 1.0, keys.at("qa-engineer"), testing::baseline_commit, std::string(40, '9')));
    EXPECT_THAT(blockers(), HasSubstr("evidence/other is about commit 999999999999, not"));
}

TEST_F(DuelEvidence, CountsWhereItWasAttachedLastAndIsOfTheMeasuredLibrary) {
    begin(Stage::rc);
    ASSERT_TRUE(add_record("standard-record", "standard", 1.25));
    ASSERT_TRUE(add_duel("duel", 1.6, keys.at("qa-engineer")));
    EXPECT_THAT(blockers(),
                HasSubstr("C.comparison: the new library of evidence/duel (bbbbbbbbbbbb) is not the "
                          "one that evidence/standard measured"));
    ASSERT_TRUE(add_record("baseline-record", "baseline", 1.25, keys.at("qa-engineer")));
    EXPECT_THAT(blockers(), Not(HasSubstr("evidence/duel")));
    ASSERT_TRUE(add_duel("again", 1.0, keys.at("qa-engineer")));
    EXPECT_THAT(blockers(), HasSubstr("C.comparison: the new library of evidence/again"));
}

TEST_F(DuelEvidence, NeedsAStandardRecordBesideALaterBaseline) {
    begin(Stage::rc);
    ASSERT_TRUE(add_duel("duel", 1.0, keys.at("qa-engineer")));
    ASSERT_TRUE(add_record("baseline-record", "baseline", 1.25, keys.at("qa-engineer")));
    EXPECT_THAT(blockers(), HasSubstr("C.comparison: nothing is attached as standard-record"));
}

}  // namespace
}  // namespace workbench
