// SPDX-License-Identifier: MIT
#include "core/duel/duel_record.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/duel/duel_layout.h"
#include "core/support/canonical_json.h"
#include "core/support/files.h"
#include "tests/core/duel/duel_testing.h"
#include "tests/core/record/record_testing.h"
#include "tests/core/record/schema_judge.h"
#include "tests/core/record/schema_of.h"

namespace workbench {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
namespace fs = std::filesystem;

const std::string old_commit(40, 'a');
const std::string new_commit(40, 'b');

std::string duel_schema() {
    return testing::schema_of<DuelRecord>(
        "IIR2D Workbench record of a duel, version " + std::to_string(duel_schema_version),
        "A value that could not be had is {\"value\": null, \"reason\": \"...\"}; one that could is "
        "{\"value\": ...}. Times are milliseconds, sizes pixels. docs/duel.md says what each member means.");
}

class DuelRecordTest : public ::testing::Test {
  protected:
    // Writes a record after a change of its JSON, whose seal is made anew.
    std::string problem_of(const std::function<void(nlohmann::json&)>& change) {
        auto json = nlohmann::json::parse(duel_record_to_json(made_record(1.1, old_commit, new_commit)));
        change(json);
        json["content_sha256"] = canonical_sha256_without(json, "content_sha256");
        const fs::path file = m_folder / "duel.json";
        std::ofstream(file) << canonical_json(json);
        const auto verified = verify_duel_record(file);
        if (!verified) return verified.error().message;
        return verified->problems.empty() ? "" : verified->problems.front();
    }
    testing::TemporaryFolder m_temporary;
    fs::path m_folder = m_temporary.path();
};

// IIR2D_UPDATE_GOLDEN=1 writes the file anew.
TEST(DuelSchema, IsMadeFromTheTableOfMembers) {
    const auto file = fs::path(IIR2D_SOURCE_DIR) / "resources/schemas/duel.schema.json";
    if (std::getenv("IIR2D_UPDATE_GOLDEN") != nullptr) testing::write_text(file, duel_schema());
    EXPECT_EQ(duel_schema(), testing::read_text(file));
}

TEST(DuelSchema, AgreesWithAGeneralValidator) {
    auto good = nlohmann::json::parse(duel_record_to_json(made_record(1.1, old_commit, new_commit)));
    auto& launches = good["cases"][0]["launches"];
    launches.erase(launches.begin() + 2, launches.end());
    const auto judged = testing::judge_with_general_validator(good, duel_schema(), [](const auto& json) {
        const auto read = duel_record_from_json(testing::sealed(json));
        return read ? std::string("valid") : read.error().message;
    });
    EXPECT_GT(judged.tried, 300);
    EXPECT_GT(judged.tried - judged.refused, 20) << "some of them fit";
}

TEST_F(DuelRecordTest, IsReadAsItWasWritten) {
    const DuelRecord record = made_record(1.1, old_commit, new_commit);
    EXPECT_EQ(record.duel.cases.at(0).verdict, DuelVerdict::slower);
    const std::string text = duel_record_to_json(record);
    const auto read = duel_record_from_json(text);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(duel_record_to_json(*read), text);
    EXPECT_EQ(read->duel.cases.at(0).launches.at(3).rounds.at(0).preempted.at(1), true);
    EXPECT_EQ(preempted_pairs(read->duel.cases.at(0)), 4U);
    EXPECT_EQ(build_of(read->duel.base).commit, old_commit);
    EXPECT_NEAR(*ratio_to_copy(read->duel.cases.at(0), Participant::base), 2, 0.1);
    EXPECT_THAT(inconsistencies(*read), IsEmpty());
}

TEST_F(DuelRecordTest, IsWrittenVerifiedAndSigned) {
    const auto key = SigningKey::generate();
    ASSERT_TRUE(write_duel_record(made_record(1.1, old_commit, new_commit), m_folder / "rec", *key));
    EXPECT_TRUE(is_duel_record(m_folder / "rec"));
    const auto verified = verify_duel_record(m_folder / "rec");
    ASSERT_TRUE(verified);
    EXPECT_THAT(verified->problems, IsEmpty());
    ASSERT_TRUE(verified->signer);
    EXPECT_EQ(verified->signer->hex(), key->public_key().hex());
    const auto again = write_duel_record(made_record(1.1, old_commit, new_commit), m_folder / "rec");
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().kind, ErrorKind::unwritable_output);
    std::ofstream(m_folder / "rec" / "duel.md", std::ios::app) << "more";
    EXPECT_THAT(verify_duel_record(m_folder / "rec")->problems, Contains(HasSubstr("duel.md")));
}

TEST_F(DuelRecordTest, IsRefusedWhereAVerdictDoesNotFollowFromThePairs) {
    EXPECT_EQ(problem_of([](nlohmann::json&) {}), "");
    EXPECT_THAT(problem_of([](nlohmann::json& j) { j["cases"][0]["verdict"] = "SAME"; }),
                HasSubstr("its verdict is not that of its last look"));
    EXPECT_THAT(problem_of([](nlohmann::json& j) {
                    j["cases"][0]["verdict"] = j["cases"][0]["looks"][0]["verdict"] = "SAME";
                }),
                HasSubstr("a look's verdict does not follow from the pairs"));
    EXPECT_THAT(
        problem_of([](nlohmann::json& j) { j["cases"][0]["launches"][0]["rounds"][0]["ms"][1] = 9.5; }),
        HasSubstr("a look's figures do not follow from the pairs"));
    EXPECT_THAT(
        problem_of([](nlohmann::json& j) { j["cases"][0]["launches"][0]["rounds"][1]["order"] = "BNCK"; }),
        HasSubstr("in the order of the first turned round"));
    EXPECT_THAT(
        problem_of([](nlohmann::json& j) { j["cases"][0]["outputs"]["value"]["equal_bits"] = false; }),
        HasSubstr("equal bits and other hashes"));
    EXPECT_THAT(problem_of([](nlohmann::json& j) {
                    j["matrix"]["filter_ids"] = {1, 2};
                }),
                HasSubstr("as many cases as its matrix"));
    EXPECT_THAT(problem_of([](nlohmann::json& j) { j["command_line"] = "iir2d duel a b"; }),
                HasSubstr("its command line"));
    EXPECT_THAT(problem_of([](nlohmann::json& j) {
                    j["matrix"]["protocol"] = {{"value", "standard"}};
                }),
                HasSubstr("its matrix is not that of the protocol standard"));
    EXPECT_THAT(problem_of([](nlohmann::json& j) { j["surprise"] = 1; }), HasSubstr("unknown key"));
    EXPECT_THAT(problem_of([](nlohmann::json& j) { j["schema_version"] = 3; }), HasSubstr("newer than"));
}

TEST_F(DuelRecordTest, IsRefusedWithAnotherAlphaOrTooManyLaunches) {
    EXPECT_THAT(problem_of([](nlohmann::json& j) { j["rule"]["alpha"] = 0.9; }), HasSubstr("alpha"));
    EXPECT_THAT(problem_of([](nlohmann::json& j) {
                    auto& launches = j["cases"][0]["launches"];
                    const auto one = launches[0];
                    while (launches.size() <= most_duel_launches) launches.push_back(one);
                }),
                HasSubstr("launches"));
}

TEST_F(DuelRecordTest, IsRefusedWhereLooksWereChosenByWhatTheyFound) {
    const auto problems = [](auto change) {
        DuelRecord record = made_record(1.1, old_commit, new_commit);
        change(record.duel, record.duel.cases.at(0));
        return inconsistencies(record);
    };
    EXPECT_THAT(problems([](Duel& duel, DuelCase&) { duel.settings.launches = 4; }),
                Contains("case 1: a look is not where one was due"));
    EXPECT_THAT(problems([](Duel&, DuelCase& c) { c.launches.push_back(c.launches.front()); }),
                Contains("case 1: its last look is not at all of its launches"));
    EXPECT_THAT(problems([](Duel& duel, DuelCase&) { duel.settings.launches = 12; }),
                Contains("case 1: a look that was not due has not spent everything"));
    EXPECT_THAT(problems([](Duel& duel, DuelCase&) { duel.settings.rule.most_pairs = 30; }),
                Not(Contains("case 1: measuring went on after the most pairs")));
    EXPECT_THAT(problems([](Duel& duel, DuelCase&) { duel.settings.rule.most_pairs = 24; }),
                Contains("case 1: measuring went on after the most pairs"));
}

TEST_F(DuelRecordTest, IsRefusedWhereWhatWasTimedWasNotComparedOrIsOutOfBounds) {
    DuelRecord far = made_record(1.1, old_commit, new_commit);
    far.duel.cases.at(0).outputs->max_abs_error = 2e-5;
    EXPECT_THAT(inconsistencies(far),
                ElementsAre("case 1: its results differ by more than the bound and it is not WRONG"));
    DuelRecord failed = made_record(1.1, old_commit, new_commit);
    failed.duel.cases.at(0).verdict = DuelVerdict::failed;
    failed.duel.cases.at(0).launches.resize(5);  // before the first look
    failed.duel.cases.at(0).looks.clear();
    EXPECT_THAT(inconsistencies(failed), IsEmpty());
    failed.duel.cases.at(0).outputs.reset();
    EXPECT_THAT(inconsistencies(failed),
                ElementsAre("case 1: it was timed and its results were not compared"));
}

TEST_F(DuelRecordTest, IsRefusedWhereACaseHidesTheVerdictOfItsLastLook) {
    for (const auto verdict : {DuelVerdict::ambiguous, DuelVerdict::failed, DuelVerdict::same}) {
        DuelRecord hidden = made_record(1.1, old_commit, new_commit);
        ASSERT_EQ(hidden.duel.cases.at(0).verdict, DuelVerdict::slower);
        hidden.duel.cases.at(0).verdict = verdict;
        EXPECT_THAT(inconsistencies(hidden), ElementsAre("case 1: its verdict is not that of its last look"));
    }
}

TEST_F(DuelRecordTest, MayHaveLaunchesOfDifferentLength) {
    DuelRecord record = made_record(1.1, old_commit, new_commit);
    DuelCase& c = record.duel.cases.at(0);
    for (std::size_t i = 0; i < c.launches.size(); ++i) {
        auto& rounds = c.launches[i].rounds;
        const auto once = rounds;
        for (std::size_t k = 0; k < i; ++k) rounds.insert(rounds.end(), once.begin(), once.end());
    }
    DuelRule rule = record.duel.settings.rule;
    rule.seed = splitmix64(rule.seed, 0);
    c.looks = {DuelJudge(rule).look(ratios_of(c.launches, Participant::now),
                                    ratios_of(c.launches, Participant::control), 0.5)};
    EXPECT_EQ(c.looks[0].effect.pairs, 4U * 36);
    EXPECT_EQ(c.looks[0].verdict, DuelVerdict::slower);
    EXPECT_THAT(inconsistencies(record), IsEmpty());
}

TEST_F(DuelRecordTest, IsRefusedWhereAValueWasChangedWithoutItsSeal) {
    std::string text = duel_record_to_json(made_record(1.1, old_commit, new_commit));
    text.replace(text.find("\"seconds\": 1.5"), 14, "\"seconds\": 2.5");
    const auto read = duel_record_from_json(text);
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("was changed"));
}

TEST_F(DuelRecordTest, HasAReportThatNamesWhatIsWrong) {
    const std::string slower = duel_record_to_markdown(made_record(1.1, old_commit, new_commit));
    EXPECT_THAT(slower, HasSubstr("# Duel: 1 SLOWER"));
    EXPECT_THAT(slower, HasSubstr("| F1 mirror f32 96x80 | SLOWER | +9.8 % |"));
    EXPECT_THAT(slower, HasSubstr("equal bits"));
    EXPECT_THAT(duel_record_to_markdown(made_record(1, old_commit, new_commit)), HasSubstr("# Duel: 1 SAME"));
}

TEST_F(DuelRecordTest, IsKeptInAHistoryAsARelativeChange) {
    ASSERT_TRUE(write_duel_record(made_record(1.1, old_commit, new_commit), m_folder / "rec"));
    auto history = History::open(m_folder / "history.sqlite");
    ASSERT_TRUE(history);
    const auto added = add_duel_to(*history, m_folder / "rec", "the new loop");
    ASSERT_TRUE(added) << added.error().message;
    EXPECT_TRUE(added->added);
    const auto duels = *history->duels();
    ASSERT_THAT(duels, SizeIs(1));
    EXPECT_EQ(duels[0].base_commit, old_commit);
    EXPECT_EQ(duels[0].changes.at(0).verdict, "SLOWER");
    EXPECT_NEAR(duels[0].changes.at(0).ratio, 1.1, 0.01);

    const auto measured = made_record(1.2, old_commit, new_commit);  // and lies in no file
    const auto second = add_duel_to(*history, measured);
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_TRUE(second->added);
    EXPECT_FALSE(add_duel_to(*history, measured)->added);
    EXPECT_EQ(history->duel(measured.record_id.substr(0, 12)), duel_record_to_json(measured));
    EXPECT_FALSE(history->record(measured.record_id)) << "a duel is no benchmark's record";
    EXPECT_FALSE(history->duel("ffff"));
}

TEST(Shortcomings, AreCasesThatAWideMarginCallsSame) {
    DuelRecord record = made_record(1.6, old_commit, new_commit, quick_settings().matrix, 0.9);
    ASSERT_EQ(record.duel.cases.at(0).verdict, DuelVerdict::same);
    EXPECT_THAT(
        shortcomings(record.duel, 0.25),
        ElementsAre(HasSubstr("is SAME by a margin of 90.0 %, and not shown to be within the limit")));
    EXPECT_THAT(shortcomings(record.duel, 0.8), IsEmpty());
    EXPECT_THAT(shortcomings(record.duel, std::nullopt), IsEmpty());
}

TEST(Shortcomings, AreWrongFailedAndTooSlowCasesTheWorstFirst) {
    DuelRecord record = made_record(1.1, old_commit, new_commit);
    EXPECT_THAT(shortcomings(record.duel, std::nullopt), ElementsAre(HasSubstr("is SLOWER: +9.8 %,")));
    EXPECT_THAT(shortcomings(record.duel, 0.25), IsEmpty());
    DuelCase wrong{.what = record.duel.cases[0].what, .verdict = DuelVerdict::wrong, .reason = "by 1"};
    DuelCase failed{.what = wrong.what, .verdict = DuelVerdict::failed, .reason = "new: crashed"};
    DuelCase unclear{.what = wrong.what, .verdict = DuelVerdict::ambiguous, .reason = "too wide"};
    record.duel.cases.insert(record.duel.cases.end(), {unclear, failed, wrong});
    EXPECT_THAT(shortcomings(record.duel, 0.05), ElementsAre(HasSubstr("WRONG"), HasSubstr("FAILED"),
                                                             HasSubstr("SLOWER"), HasSubstr("AMBIGUOUS")));
    EXPECT_EQ(verdict_counts(record.duel), "1 SLOWER, 1 AMBIGUOUS, 1 WRONG, 1 FAILED");
}

}  // namespace
}  // namespace workbench
