// SPDX-License-Identifier: MIT
#include "core/release/release.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>

#include "core/support/counted.h"
#include "tests/core/release/release_fixture.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::release_commit;

const std::string far_off = "2999-12-31";

using ReleaseTest = testing::ReleaseFixture;

TEST_F(ReleaseTest, GoesFromNewToPromoted) {
    begin(Stage::ga);
    EXPECT_THAT(blockers(), HasSubstr("A.tests: nothing is attached as test-report"));
    add_all();
    EXPECT_THAT(blockers(), HasSubstr("D.sign-off.kernel-engineer: the kernel-engineer has not signed"));
    EXPECT_THAT(blockers(), Not(HasSubstr("C.")));
    for (const auto role : release_roles) ASSERT_TRUE(sign(std::string(role)));
    EXPECT_EQ(blockers(), "");
    const auto done = promote(directory);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(problems(), "");
    EXPECT_THAT(testing::read_text(directory / "release.md"), HasSubstr("**Promoted** on"));
    // Closed.
    EXPECT_THAT(promote(directory).error().message, HasSubstr("and is closed"));
    EXPECT_FALSE(add("other", "late.txt", "late"));
    EXPECT_FALSE(sign("qa-engineer"));
    EXPECT_EQ(verify_release(directory)->notes, std::vector<std::string>());
}

TEST_F(ReleaseTest, CountsOneThingAsOne) {
    EXPECT_EQ(counted(0, "test"), "0 tests");
    EXPECT_EQ(counted(1, "test"), "1 test");
    EXPECT_EQ(counted(2, "entry", "entries"), "2 entries");
    begin(Stage::rc);
    ASSERT_TRUE(add("test-report", "tests.xml", testing::test_report(1)));
    ASSERT_TRUE(add("parity-report", "parity.json", R"({"cases": [{"case": "a", "passed": true}]})"));
    const auto release = load_release(directory);
    ASSERT_TRUE(release);
    const auto finding = [&](std::string_view id) {
        const auto& all = release->evaluation.requirements;
        const auto found = std::ranges::find(all, id, &Requirement::id);
        return found == all.end() ? std::string() : found->finding;
    };
    EXPECT_EQ(finding("A.tests"), "1 test, 0 skipped, none failed (evidence/tests.xml)");
    EXPECT_EQ(finding("A.parity"), "1 of 1 case");
}

TEST_F(ReleaseTest, NeedsLessForACandidate) {
    begin(Stage::rc);
    add_all();
    EXPECT_EQ(blockers(), "");
    EXPECT_TRUE(promote(directory));
}

TEST_F(ReleaseTest, RefusesARegressionUnlessWaived) {
    begin(Stage::rc);
    add_all(1.6);
    EXPECT_THAT(blockers(), HasSubstr("C.comparison: \"filter:"));
    EXPECT_THAT(blockers(), HasSubstr("is SLOWER at 60.0 % above the base"));
    ASSERT_TRUE(waive(directory, {"C.comparison", "slower on old machines", "O. Wner", far_off, ""}));
    EXPECT_EQ(blockers(), "");
    // It stops counting when its day has passed.
    const auto state = load_release(directory)->state;
    EXPECT_THAT(evaluate_release(directory, state, "2999-12-31T23:59:59Z").blockers(), IsEmpty());
    EXPECT_THAT(evaluate_release(directory, state, "3000-01-01T00:00:00Z").blockers(),
                ElementsAre(HasSubstr("C.comparison")));
}

TEST_F(ReleaseTest, KeepsAClockThatWasSetBackFromRevivingAWaiver) {
    begin(Stage::rc);
    add_all(1.6);
    ASSERT_TRUE(waive(directory, {"C.comparison", "risk", "owner", far_off, ""}));
    auto state = load_release(directory)->state;
    state.waivers[0].latest_clock = "3000-01-01T00:00:00Z";  // another entry was written then
    EXPECT_THAT(evaluate_release(directory, state, "2025-01-01T00:00:00Z").blockers(),
                ElementsAre(HasSubstr("C.comparison")));
}

TEST_F(ReleaseTest, WaivesAP1ForACandidateOnly) {
    for (const Stage stage : {Stage::rc, Stage::ga}) {
        fs::remove_all(folder.path());
        fs::create_directory(folder.path());
        begin(stage);
        add_all();
        ASSERT_TRUE(
            add("issues", "issues-2.json",
                testing::issue_list(R"({"id": "17", "priority": "P1", "open": true, "title": "slow"},)"
                                    R"({"id": "16", "priority": "P1", "open": false, "title": "old"})")));
        EXPECT_THAT(blockers(), HasSubstr("A.p1: open P1: 17 (slow)\n"));
        ASSERT_TRUE(waive(directory, {"issue:17", "it is slow", "O. Wner", far_off, ""}));
        EXPECT_THAT(blockers(), Not(HasSubstr("A.p1")));
        EXPECT_EQ(blockers().find("D.p1: open P1: 17") != std::string::npos, stage == Stage::ga);
    }
}

TEST_F(ReleaseTest, NeverWaivesWhatMustHold) {
    begin(Stage::rc);
    for (const char* scope : {"A.parity", "A.tests", "A.p0", "C.baseline", "D.sign-off.qa-engineer", "D.p1",
                              "issue:", "everything"}) {
        EXPECT_THAT(waive(directory, {scope, "risk", "owner", far_off, ""}).error().message,
                    HasSubstr("cannot be waived"));
    }
    EXPECT_FALSE(waive(directory, {"issue:1", "", "owner", far_off, ""}));
    EXPECT_FALSE(waive(directory, {"issue:1", "risk", "  ", far_off, ""}));
    EXPECT_FALSE(waive(directory, {"", "risk", "owner", far_off, ""}));
    EXPECT_THAT(waive(directory, {"issue:1", "risk", "owner", "2020-01-01", ""}).error().message,
                HasSubstr("is past"));
    EXPECT_FALSE(waive(directory, {"issue:1", "risk", "owner", "soon", ""}));
    EXPECT_FALSE(waive(directory, {"issue:1", std::string(501, 'x'), "owner", far_off, ""}));
    EXPECT_FALSE(waive(directory, {"issue:1", "a\x1b[2J", "owner", far_off, ""}));
}

TEST_F(ReleaseTest, TakesTheSignatureOfWhoHoldsTheRoleOnWhatTheySaw) {
    begin(Stage::ga);
    add_all();
    const std::string seen = load_release(directory)->state.seen();
    EXPECT_THAT(sign_off(directory, "qa-engineer", "Q", keys.at("product-lead"), seen).error().message,
                HasSubstr("this key is not the qa-engineer's"));
    EXPECT_THAT(
        sign_off(directory, "qa-engineer", "Q", keys.at("qa-engineer"), std::string(64, '0')).error().message,
        HasSubstr("look at it again"));
    EXPECT_FALSE(sign_off(directory, "intern", "Q", keys.at("qa-engineer"), seen));
    EXPECT_FALSE(sign_off(directory, "qa-engineer", "", keys.at("qa-engineer"), seen));
    for (const auto role : release_roles) ASSERT_TRUE(sign(std::string(role)));
    EXPECT_EQ(blockers(), "");
    ASSERT_TRUE(add("other", "later.txt", "later"));
    EXPECT_THAT(blockers(), HasSubstr("D.sign-off.qa-engineer: stale: A Person signed"));
    EXPECT_THAT(promote(directory).error().message, HasSubstr("stale"));
}

TEST_F(ReleaseTest, JudgesEvidenceByWhatItSays) {
    begin(Stage::rc);
    add_all();
    ASSERT_TRUE(add("test-report", "red.xml", testing::test_report(5, false)));
    EXPECT_THAT(blockers(), HasSubstr("A.tests: evidence/red.xml: 1 test failed: A.works"));
    EXPECT_THAT(blockers(), HasSubstr("B.two-runs: evidence/red.xml"));
    ASSERT_TRUE(add("test-report", "green-1.xml", testing::test_report(6)));
    EXPECT_THAT(blockers(), Not(HasSubstr("A.tests")));
    EXPECT_THAT(blockers(), HasSubstr("B.two-runs: evidence/red.xml")) << "one of the last two";
    ASSERT_TRUE(add("test-report", "green-2.xml", testing::test_report(7)));
    EXPECT_EQ(blockers(), "");
    ASSERT_TRUE(add("parity-report", "bad.json", R"({"cases": [{"case": "f", "passed": false}]})"));
    ASSERT_TRUE(add("rebuild", "differs.json", testing::rebuild_report('b')));
    ASSERT_TRUE(
        add("security-review", "s.json",
            testing::security_review(true, R"({"id":"S1","priority":"P0","open":true,"title":"hole"})")));
    ASSERT_TRUE(add("issues", "i.json",
                    testing::issue_list(R"({"id":"9","priority":"P0","open":true,"title":"x"})")));
    ASSERT_TRUE(add("c-api-report", "old.xml", testing::test_report(8), std::string(40, 'e')));
    EXPECT_THAT(blockers(), HasSubstr("A.parity: evidence/bad.json: out of bounds: f"));
    EXPECT_THAT(blockers(),
                HasSubstr("B.rebuild: the library differs from build to build and no reason is stated"));
    EXPECT_THAT(blockers(), HasSubstr("D.p0: open P0: S1 (hole)"));
    EXPECT_THAT(blockers(), HasSubstr("A.p0: open P0: 9 (x)"));
    EXPECT_THAT(blockers(),
                HasSubstr("A.c-api: evidence/old.xml is about commit eeeeeeeeeeee, not 0123456789ab"));
    ASSERT_TRUE(add("rebuild", "differs-2.json", testing::rebuild_report('b', "\"a time stamp\"")));
    EXPECT_THAT(blockers(), Not(HasSubstr("B.rebuild")));
}

TEST_F(ReleaseTest, AcceptsABaselineOnlyFromWhoHoldsARole) {
    begin(Stage::rc);
    ASSERT_TRUE(add_record("baseline-record", "unsigned", 1));
    EXPECT_THAT(blockers(), HasSubstr("C.baseline: evidence/unsigned is not signed"));
    ASSERT_TRUE(add_record("baseline-record", "stranger", 1.01, *SigningKey::generate()));
    EXPECT_THAT(blockers(), HasSubstr("who holds no role of this release"));
}

TEST_F(ReleaseTest, IsNoBaselineOfItself) {
    begin(Stage::rc);
    add_all();
    EXPECT_EQ(blockers(), "");
    testing::write_release_record(folder.path() / "own", 1.25, keys.at("qa-engineer"));
    ASSERT_TRUE(attach(directory, "baseline-record", folder.path() / "own", "", ""));
    EXPECT_THAT(blockers(), HasSubstr("C.baseline: evidence/own is of the release's own commit"));
    EXPECT_THAT(blockers(), HasSubstr("C.comparison: evidence/own is of the release's own commit"));
}

TEST_F(ReleaseTest, CountsARunOnceHoweverItIsLaidOut) {
    begin(Stage::rc);
    add_all();
    std::string text = testing::test_report(2);
    text.insert(text.find("<testcase"), " \n");
    ASSERT_TRUE(add("test-report", "tests-3.xml", text));
    EXPECT_THAT(blockers(),
                HasSubstr("B.two-runs: evidence/tests-2.xml and evidence/tests-3.xml are one run"));
}

TEST_F(ReleaseTest, ShowsNoControlCharactersOfStrangers) {
    begin(Stage::rc);
    ASSERT_TRUE(add("issues", "i.json",
                    testing::issue_list("{\"id\": \"9\", \"priority\": \"P0\", \"open\": true, \"title\": "
                                        "\"\\u001b[2J\\u009b2J\\n  ok  A.tests\"}")));
    EXPECT_THAT(blockers(), HasSubstr("A.p0: open P0: 9 ([2J2J   ok  A.tests)\n"));
    EXPECT_THAT(testing::read_text(directory / "release.md"), Not(HasSubstr("\x1b")));
}

TEST_F(ReleaseTest, TellsNamesApartByMoreThanCase) {
    begin(Stage::rc);
    ASSERT_TRUE(add("other", "a.txt", "a"));
    testing::write_text(folder.path() / "b", "b");
    EXPECT_THAT(attach(directory, "other", folder.path() / "b", "A.TXT", "").error().message,
                HasSubstr("evidence/a.txt is attached already"));
    fs::create_directory(folder.path() / "two");
    testing::write_text(folder.path() / "two" / "a", "1");
    testing::write_text(folder.path() / "two" / "A", "2");
    EXPECT_THAT(attach(directory, "other", folder.path() / "two", "", "").error().message,
                HasSubstr("in case only"));
}

TEST_F(ReleaseTest, RefusesEvidenceThatIsUnsafeOrNone) {
    begin(Stage::rc);
    testing::write_text(folder.path() / "a.xml", testing::test_report(1));
    const auto from = folder.path() / "a.xml";
    for (const char* name : {"../a.xml", "/etc/passwd", "a/b", ".hidden", "a b", "con:x"}) {
        EXPECT_THAT(attach(directory, "test-report", from, name, release_commit).error().message,
                    HasSubstr("is not safe everywhere"));
    }
    fs::create_symlink(from, folder.path() / "link.xml");
    EXPECT_THAT(
        attach(directory, "test-report", folder.path() / "link.xml", "", release_commit).error().message,
        HasSubstr("it is a symbolic link"));
    testing::write_release_record(folder.path() / "r", 1);
    fs::create_symlink(from, folder.path() / "r" / "link");
    EXPECT_FALSE(attach(directory, "smoke-record", folder.path() / "r", "", ""));
    ASSERT_EQ(mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
    EXPECT_FALSE(attach(directory, "other", folder.path() / "pipe", "", ""));
    EXPECT_FALSE(attach(directory, "other", folder.path() / "none", "", ""));
    EXPECT_FALSE(attach(directory, "no-such-kind", from, "", release_commit));
    EXPECT_THAT(attach(directory, "test-report", from, "", "").error().message, HasSubstr("needs --commit"));
    EXPECT_THAT(attach(directory, "issues", from, "", release_commit).error().message,
                HasSubstr("cannot be read as issues"));
    EXPECT_FALSE(attach(directory, "standard-record", from, "", ""));
    ASSERT_TRUE(attach(directory, "test-report", from, "", release_commit));
    EXPECT_THAT(attach(directory, "test-report", from, "", release_commit).error().message,
                HasSubstr("attached already"));
    EXPECT_THAT(attach(directory, "test-report", from, "other.xml", release_commit).error().message,
                HasSubstr("the same content is attached as evidence/a.xml"));
    EXPECT_EQ(problems(), "");
    // A folder of links where evidence goes is not followed either.
    EXPECT_FALSE(fs::exists(folder.path() / "other.xml"));
}

TEST_F(ReleaseTest, RefusesToBeginWithoutWhatItNeeds) {
    auto release = plan(Stage::rc);
    release.holders.erase("qa-engineer");
    EXPECT_THAT(new_release(folder.path(), release).error().message,
                HasSubstr("needs a key of the qa-engineer"));
    release.holders["qa-engineer"] = release.holders["product-lead"];
    EXPECT_THAT(new_release(folder.path(), release).error().message,
                HasSubstr("one sign-off is one person's"));
    release = plan(Stage::rc);
    release.id = "../v1";
    EXPECT_FALSE(new_release(folder.path(), release));
    release = plan(Stage::rc);
    release.commit = "HEAD";
    EXPECT_FALSE(new_release(folder.path(), release));
    release = plan(Stage::rc);
    release.max_regression = 1.5;
    EXPECT_FALSE(new_release(folder.path(), release));
    begin(Stage::rc);
    EXPECT_EQ(new_release(folder.path(), plan(Stage::rc)).error().kind, ErrorKind::unwritable_output);
    EXPECT_EQ(load_release(folder.path() / "none").error().kind, ErrorKind::bad_input);
    EXPECT_FALSE(attach(folder.path(), "other", folder.path(), "", ""));
    EXPECT_FALSE(fs::exists(folder.path() / ".lock")) << "no lock where there is no release";
}

}  // namespace
}  // namespace workbench
