// SPDX-License-Identifier: MIT
// Requirements when nothing was supplied for them, and how time is judged.
#include "core/release/gates.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/benchmark/utc_time.h"
#include "core/release/evidence_files.h"
#include "core/release/log.h"
#include "core/release/requirements.h"
#include "core/release/store.h"
#include "tests/core/release/release_fixture.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::read_text;
using ::testing::SizeIs;
using ::testing::StartsWith;
using testing::write_text;

std::string day_after(int days) {
    return utc_text(std::chrono::system_clock::now() + std::chrono::hours(24 * days)).substr(0, 10);
}

class GatesTest : public testing::ReleaseFixture {
  protected:
    // As another machine writes it whose clock shows `clock`.
    void write_entry(const nlohmann::json& event, const std::string& clock) {
        const auto text = read_text(directory / "log.jsonl");
        write_text(directory / "log.jsonl", text + log_line(*parse_log(text), clock, event));
        const auto state = load_state(directory);
        ASSERT_TRUE(state) << state.error().message;
        ASSERT_TRUE(write_derived_files(directory, *state));
    }
    void write_waiver(const std::string& scope, const std::string& expires, const std::string& clock) {
        write_entry(
            {{"type", "waive"}, {"scope", scope}, {"risk", "r"}, {"owner", "o"}, {"expires", expires}},
            clock);
    }
    std::vector<std::string> notes() const { return verify_release(directory)->notes; }
    // Held but for the C API's report.
    void add_most() {
        ASSERT_TRUE(add("test-report", "tests.xml", testing::test_report(1)));
        ASSERT_TRUE(add("parity-report", "parity.json", R"({"cases": [{"case": "a", "passed": true}]})"));
        ASSERT_TRUE(add("issues", "issues.json", testing::issue_list()));
    }
};

TEST_F(GatesTest, HoldNothingWithoutEvidence) {
    for (const Stage stage : {Stage::dev, Stage::rc, Stage::ga}) {
        fs::remove_all(directory);
        begin(stage);
        const auto evaluation = load_release(directory)->evaluation;
        EXPECT_THAT(evaluation.requirements, SizeIs(requirement_rows().size()));
        for (const auto& r : evaluation.requirements) {
            EXPECT_FALSE(r.holds()) << r.id;
            EXPECT_TRUE(r.nothing_there) << r.id;
            if (r.needed) {
                EXPECT_EQ(r.standing(), Standing::missing) << r.id;
                EXPECT_THAT(r.finding, Not(HasSubstr("not needed"))) << r.id;
                EXPECT_THAT(evaluation.blockers(), Contains(r.id + ": " + r.finding));
            } else {
                EXPECT_EQ(r.standing(), Standing::later) << r.id;
                EXPECT_THAT(r.finding, StartsWith("not needed at this stage: ")) << r.id;
                EXPECT_THAT(evaluation.blockers(), Not(Contains(StartsWith(r.id + ": "))));
            }
        }
        const auto needed =
            std::ranges::count_if(requirement_rows(), [&](const auto& row) { return row.from <= stage; });
        EXPECT_EQ(std::ssize(evaluation.blockers()), needed);
    }
}

TEST_F(GatesTest, HoldNothingOnEmptyReports) {
    begin(Stage::ga);
    ASSERT_TRUE(add("test-report", "tests.xml", "<testsuite></testsuite>"));
    ASSERT_TRUE(add("c-api-report", "c-api.xml", "<testsuite></testsuite>"));
    ASSERT_TRUE(add("packaging-report", "packaging.xml", "<testsuite></testsuite>"));
    ASSERT_TRUE(add("parity-report", "parity.json", R"({"cases": []})"));
    ASSERT_TRUE(add("licence", "LICENSE", ""));
    ASSERT_TRUE(add("notices", "NOTICES", ""));
    ASSERT_TRUE(add("security-review", "security.json", testing::security_review(false)));
    const auto release = load_release(directory);
    for (const auto& r : release->evaluation.requirements) {
        if (r.id == "D.p0") continue;  // a review without findings leaves none open
        EXPECT_FALSE(r.holds()) << r.id << ": " << r.finding;
    }
}

TEST_F(GatesTest, RefuseALoneRecordFile) {
    begin(Stage::rc);
    testing::write_release_record(folder.path() / "smoke", 1);
    const fs::path lone = folder.path() / "smoke" / "record.json";
    for (const char* kind : {"smoke-record", "standard-record", "baseline-record"}) {
        const auto refused = attach(directory, kind, lone, "", "");
        ASSERT_FALSE(refused) << kind;
        EXPECT_EQ(refused.error().kind, ErrorKind::bad_input);
        EXPECT_THAT(
            refused.error().message,
            HasSubstr("record.json\" is a file, and a " + std::string(kind) +
                      " is a record directory: a lone record.json is judged only by what it says of itself"));
    }
    EXPECT_THAT(load_release(directory)->state.attachments, IsEmpty());
    ASSERT_TRUE(attach(directory, "smoke-record", folder.path() / "smoke", "", ""));
}

TEST_F(GatesTest, KeepAWaiverExpiredThatWasSeenExpired) {
    begin(Stage::dev);
    add_most();
    const std::string tomorrow = day_after(1);
    write_waiver("A.c-api", tomorrow, utc_now());
    EXPECT_EQ(blockers(), "");
    const auto state = *load_state(directory);
    EXPECT_THAT(evaluate_release(directory, state, utc_now()).blockers(), IsEmpty());
    // Another entry, at a later time; then the clock is set back.
    write_waiver("issue:1", "2999-12-31", day_after(3) + "T00:00:00Z");
    EXPECT_THAT(blockers(), HasSubstr("A.c-api: nothing is attached as c-api-report"));
    write_waiver("issue:2", "2999-12-31", utc_now());
    EXPECT_THAT(blockers(), HasSubstr("A.c-api: nothing is attached as c-api-report"));
    EXPECT_FALSE(promote(directory));
}

// What was written by a clock years ahead ends the waivers before it and no others.
TEST_F(GatesTest, RecoverFromAClockThatWasAhead) {
    begin(Stage::dev);
    add_most();
    const std::string tomorrow = day_after(1);
    write_waiver("A.c-api", tomorrow, utc_now());
    write_waiver("issue:1", "2999-12-31", "2099-01-01T00:00:00Z");
    EXPECT_THAT(problems(),
                HasSubstr("log.jsonl: line 6 (waive): it is dated 2099-01-01T00:00:00Z, more than a "
                          "day ahead of this machine's clock ("));
    EXPECT_THAT(blockers(), HasSubstr("A.c-api: "));
    // By the clock that is right: its day counts, though the log's last date is later.
    const auto done = waive(directory, {"A.c-api", "risk", "owner", tomorrow, ""});
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(problems(), "");
    const auto last = parse_log(read_text(directory / "log.jsonl"))->back();
    EXPECT_THAT(notes(),
                ElementsAre("log.jsonl: line 7 (waive): the clock was at " + last.time.clock +
                            ", more than a day before 2099-01-01T00:00:00Z of the entry before it: one "
                            "of the two was wrong"));
    EXPECT_EQ(last.time.utc, "2099-01-01T00:00:00Z") << "dates do not go back";
    EXPECT_LT(last.time.clock, tomorrow + "T23:59:59Z");
    EXPECT_EQ(blockers(), "");
    ASSERT_TRUE(sign("qa-engineer")) << "a signature holds for such a date too";
    const auto promoted = promote(directory);
    ASSERT_TRUE(promoted) << promoted.error().message;
    EXPECT_EQ(problems(), "");
    ASSERT_TRUE(export_release(directory, folder.path() / "v1.tar"));
}

// Nothing else has to be changed before a release can be signed and promoted.
TEST_F(GatesTest, ArePassedAfterAClockThatWasAhead) {
    begin(Stage::dev);
    add_most();
    ASSERT_TRUE(add("c-api-report", "c-api.xml", testing::test_report(3)));
    write_waiver("issue:1", "2999-12-31", "2099-01-01T00:00:00Z");
    EXPECT_NE(problems(), "");
    ASSERT_TRUE(promote(directory));
    EXPECT_EQ(problems(), "");
}

TEST_F(GatesTest, JudgeAPromotedReleaseAsOfItsPromotion) {
    begin(Stage::dev);
    add_most();
    write_waiver("A.c-api", day_after(1), utc_now());
    ASSERT_TRUE(promote(directory));
    const auto release = load_release(directory);
    EXPECT_EQ(release->evaluation.as_of, release->state.promoted_utc);
    EXPECT_THAT(release->evaluation.blockers(), IsEmpty());
}

// Files are measured before they are read: those of this test say that they have many bytes, and have none.
TEST_F(GatesTest, RefuseWhatIsTooLargeWithoutReadingIt) {
    begin(Stage::rc);
    const auto sparse = [this](const fs::path& path, std::uintmax_t size) {
        write_text(path, "x");
        fs::resize_file(path, size);
        return path;
    };
    EXPECT_THAT(attach(directory, "other", sparse(folder.path() / "big", largest_evidence_file + 1), "", "")
                    .error()
                    .message,
                HasSubstr("it has 67108865 bytes, the most is 67108864"));
    const fs::path record = folder.path() / "record";
    fs::create_directory(record);
    for (int i = 0; i < 60; ++i) sparse(record / ("f" + std::to_string(i)), std::uintmax_t{1} << 30);
    EXPECT_THAT(attach(directory, "smoke-record", record, "", "").error().message,
                HasSubstr("its files have more than 268435456 bytes in all"));
    // Attached small, and large when it is read.
    for (int i = 0; i < 17; ++i) {
        const std::string name = "f" + std::to_string(i);
        ASSERT_TRUE(add("other", name, name));
        fs::resize_file(evidence_path(directory, name), largest_evidence_file);
        if (i == 15) fs::resize_file(evidence_path(directory, name), largest_evidence_file - 1000);
    }
    EXPECT_EQ(problems(),
              "evidence: it has more than 1073741824 bytes in all, the most that a release may have\n");
    EXPECT_EQ(load_release(directory).error().kind, ErrorKind::bad_input);
    EXPECT_FALSE(add("other", "more", "more"));
    EXPECT_FALSE(export_release(directory, folder.path() / "v1.tar"));
}

}  // namespace
}  // namespace workbench
