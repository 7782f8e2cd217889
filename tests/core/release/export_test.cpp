// SPDX-License-Identifier: MIT
// A release as one archive, what supplies a requirement, and how evidence stands to what was attached.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstdlib>

#include "core/release/evidence_files.h"
#include "core/support/files.h"
#include "tests/core/release/release_fixture.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_text;
using ::testing::UnorderedElementsAre;
using testing::write_text;

class ExportTest : public testing::ReleaseFixture {
  protected:
    fs::path file(const std::string& name) const { return folder.path() / name; }
    // Unpacked by another program than the one that packed it.
    fs::path unpacked(const fs::path& archive) {
        const fs::path to = folder.path() / ("unpacked" + std::to_string(++m_count));
        fs::create_directory(to);
        const std::string command = "tar -xf '" + archive.string() + "' -C '" + to.string() + "'";
        EXPECT_EQ(std::system(command.c_str()), 0);
        return to / "v1";
    }
    std::vector<std::string> names_in(const fs::path& path) const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(path))
            names.push_back(entry.path().filename().string());
        return names;
    }

  private:
    int m_count = 0;
};

TEST_F(ExportTest, GivesWhatVerifiesWhereItIsUnpacked) {
    begin(Stage::ga);
    add_all();
    for (const auto role : release_roles) ASSERT_TRUE(sign(std::string(role)));
    ASSERT_TRUE(promote(directory));
    for (const char* name : {"v1.tar.gz", "v1.tar", "v1.TGZ"}) {
        const auto hash = export_release(directory, file(name));
        ASSERT_TRUE(hash) << hash.error().message;
        EXPECT_EQ(*hash, *sha256_of_file(file(name)));
        const fs::path copy = unpacked(file(name));
        const auto verification = verify_release(copy);
        ASSERT_TRUE(verification);
        EXPECT_THAT(verification->problems, IsEmpty());
        EXPECT_THAT(verification->notes, IsEmpty());
        EXPECT_THAT(names_in(copy),
                    UnorderedElementsAre("log.jsonl", "release.json", "release.md", "evidence"));
        EXPECT_EQ(read_text(copy / "log.jsonl"), read_text(directory / "log.jsonl"));
        EXPECT_TRUE(load_release(copy)->evaluation.blockers().empty());
    }
    EXPECT_LT(fs::file_size(file("v1.tar.gz")), fs::file_size(file("v1.tar")));
}

TEST_F(ExportTest, GivesTheSameBytesAgainAndElsewhere) {
    begin(Stage::rc);
    add_all();
    ASSERT_TRUE(export_release(directory, file("one.tar.gz")));
    const fs::path copy = unpacked(file("one.tar.gz"));
    fs::last_write_time(copy / "evidence" / "LICENSE",
                        fs::file_time_type::clock::now() - std::chrono::hours(5));
    fs::permissions(copy / "evidence" / "LICENSE", fs::perms::owner_read);
    ASSERT_TRUE(export_release(copy, file("two.tar.gz")));
    EXPECT_EQ(read_text(file("one.tar.gz")), read_text(file("two.tar.gz")));
}

TEST_F(ExportTest, LeavesOutWhatTheLogDoesNotKnow) {
    begin(Stage::rc);
    EXPECT_TRUE(export_release(directory, file("empty.tar")));
    EXPECT_EQ(verify_release(unpacked(file("empty.tar")))->problems, std::vector<std::string>());
    ASSERT_TRUE(add("other", "a.txt", "a"));
    const auto json = read_text(directory / "release.json");
    ASSERT_TRUE(add("other", "b.txt", "b"));
    // As a killed process leaves it.
    write_text(directory / "release.json", json);
    write_text(directory / "evidence" / "orphan", "x");
    write_text(directory / ".iir2d-1-1.tmp", "x");
    ASSERT_TRUE(export_release(directory, file("v1.tar")));
    const auto verification = verify_release(unpacked(file("v1.tar")));
    EXPECT_THAT(verification->problems, IsEmpty());
    EXPECT_THAT(verification->notes, IsEmpty());
}

TEST_F(ExportTest, RefusesAndThenChangesNothing) {
    begin(Stage::rc);
    ASSERT_TRUE(add("other", "a.txt", "a"));
    write_text(file("v1.tar"), "of before");
    const auto refused = [&](const fs::path& name, ErrorKind kind, const std::string& sentence,
                             const TaskControl& control = {}) {
        const auto done = export_release(directory, name, control);
        ASSERT_FALSE(done) << name;
        EXPECT_EQ(done.error().kind, kind) << done.error().message;
        EXPECT_THAT(done.error().message, HasSubstr(sentence));
    };
    refused(file("v1.rar"), ErrorKind::bad_argument, "give a name with .tar.gz or .tar");
    refused(directory / "v1.tar", ErrorKind::bad_argument, "lies in the release itself");
    refused(directory / "evidence" / ".." / "x.tar", ErrorKind::bad_argument, "lies in the release itself");
    refused(file("none") / "v1.tar", ErrorKind::unwritable_output, "could not be written");
    std::stop_source stop;
    stop.request_stop();
    refused(file("v1.tar"), ErrorKind::cancelled, "cancelled", {.stop = stop.get_token()});
    // In the midst of writing, too.
    std::stop_source later;
    refused(file("v1.tar"), ErrorKind::cancelled, "cancelled",
            {.stop = later.get_token(), .progress = [&](double fraction, std::string_view) {
                 if (fraction >= 0.5) later.request_stop();
             }});
    write_text(directory / "evidence" / "a.txt", "b");
    refused(file("v1.tar"), ErrorKind::check_failed,
            "does not verify is not exported: evidence/a.txt: its SHA-256");
    EXPECT_EQ(read_text(file("v1.tar")), "of before");
    EXPECT_THAT(names_in(folder.path()), UnorderedElementsAre("v1", "v1.tar", "a.txt"));
    directory = file("nothing");
    refused(file("v2.tar"), ErrorKind::bad_input, "there is no release in");
}

// As on a disk that fills.
TEST_F(ExportTest, LeavesTheOldArchiveWhenItCannotBeWrittenWhole) {
    begin(Stage::rc);
    ASSERT_TRUE(add("other", "a.txt", std::string(200'000, 'a')));
    write_text(file("v1.tar"), "of before");
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto old = signal(SIGXFSZ, SIG_IGN);
    const rlimit small{100'000, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto done = export_release(directory, file("v1.tar"));
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, old);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, ErrorKind::unwritable_output);
    EXPECT_THAT(done.error().message, HasSubstr("File too large"));
    EXPECT_EQ(read_text(file("v1.tar")), "of before");
    EXPECT_THAT(names_in(folder.path()), UnorderedElementsAre("v1", "v1.tar", "a.txt"));
}

TEST_F(ExportTest, EvidenceMatchesIsChangedOrMissing) {
    begin(Stage::rc);
    ASSERT_TRUE(add("other", "a.txt", "a"));
    const Attachment attachment = load_release(directory)->state.attachments[0];
    EXPECT_EQ(check_evidence(directory, attachment)->state, EvidenceState::matches);
    write_text(directory / "evidence" / "a.txt", "b");
    EXPECT_EQ(check_evidence(directory, attachment)->state, EvidenceState::changed);
    EXPECT_THAT(check_evidence(directory, attachment)->problem, HasSubstr("its SHA-256 is"));
    fs::remove(directory / "evidence" / "a.txt");
    EXPECT_EQ(check_evidence(directory, attachment)->state, EvidenceState::missing);
    EXPECT_THAT(check_evidence(directory, attachment)->problem, HasSubstr("does not exist"));
    std::stop_source stop;
    stop.request_stop();
    write_text(directory / "evidence" / "a.txt", "a");
    EXPECT_EQ(check_evidence(directory, attachment, stop.get_token()).error().kind, ErrorKind::cancelled);
}

TEST_F(ExportTest, EachRequirementSaysHowItStandsAndWhatSuppliesIt) {
    begin(Stage::rc);
    const auto requirement = [this](const std::string& id) {
        const auto release = load_release(directory);
        for (const auto& r : release->evaluation.requirements) {
            if (r.id == id) return r;
        }
        ADD_FAILURE() << "no requirement " << id;
        return Requirement{};
    };
    EXPECT_EQ(requirement("A.tests").standing(), Standing::missing);
    EXPECT_THAT(requirement("A.tests").kinds, ElementsAre("test-report"));
    EXPECT_THAT(requirement("A.tests").waivable, IsEmpty());
    EXPECT_EQ(requirement("D.licence").standing(), Standing::later);
    EXPECT_EQ(requirement("D.sign-off.qa-engineer").role, "qa-engineer");
    EXPECT_THAT(requirement("A.c-api").waivable, ElementsAre("A.c-api"));
    ASSERT_TRUE(add("c-api-report", "c-api.xml", testing::test_report(1, false)));
    EXPECT_EQ(requirement("A.c-api").standing(), Standing::failed);
    ASSERT_TRUE(waive(directory, {"A.c-api", "risk", "owner", "2999-12-31", ""}));
    EXPECT_EQ(requirement("A.c-api").standing(), Standing::waived);
    EXPECT_THAT(requirement("A.c-api").waivable, IsEmpty());
    ASSERT_TRUE(add("issues", "issues.json",
                    testing::issue_list(R"({"id": "17", "priority": "P1", "open": true, "title": "a"},
                                            {"id": "18", "priority": "P1", "open": true, "title": "b"})")));
    EXPECT_THAT(requirement("A.p1").waivable, ElementsAre("issue:17", "issue:18"));
    ASSERT_TRUE(waive(directory, {"issue:17", "risk", "owner", "2999-12-31", ""}));
    EXPECT_THAT(requirement("A.p1").waivable, ElementsAre("issue:18"));
    EXPECT_EQ(requirement("A.p0").standing(), Standing::held);
    EXPECT_EQ(days_left({"A.c-api", "r", "o", "2025-03-09", ""}, "2025-03-09T23:59:59Z"), 0);
    EXPECT_EQ(days_left({"A.c-api", "r", "o", "2025-03-09", ""}, "2025-02-27T00:00:00Z"), 10);
    EXPECT_EQ(days_left({"A.c-api", "r", "o", "2025-03-09", ""}, "2025-03-10T00:00:00Z"), -1);
}

TEST_F(ExportTest, ACancelledLoadIsCancelled) {
    begin(Stage::rc);
    std::stop_source stop;
    stop.request_stop();
    const TaskControl control{.stop = stop.get_token()};
    EXPECT_EQ(load_release(directory, control).error().kind, ErrorKind::cancelled);
    EXPECT_EQ(promote(directory, control).error().kind, ErrorKind::cancelled);
    write_text(file("a.txt"), "a");
    EXPECT_EQ(attach(directory, "other", file("a.txt"), "", "", control).error().kind, ErrorKind::cancelled);
    EXPECT_TRUE(load_release(directory)->state.attachments.empty());
    EXPECT_EQ(problems(), "");
}

}  // namespace
}  // namespace workbench
