// SPDX-License-Identifier: MIT
// A release's directory: what tampering shows, what a kill leaves, and what is written where.
#include "core/release/store.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/benchmark/synthetic.h"
#include "core/release/log.h"
#include "tests/core/release/release_fixture.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using StoreTest = testing::ReleaseFixture;

TEST_F(StoreTest, NamesTheFileOfAnyAlteredByte) {
    begin(Stage::ga);
    add_all();
    for (const auto role : release_roles) ASSERT_TRUE(sign(std::string(role)));
    ASSERT_EQ(problems(), "");
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
        if (entry.is_regular_file() && entry.path().filename() != ".lock") files.push_back(entry.path());
    }
    // In each file, and in 20 random places more.
    for (std::uint64_t i = 0; i < files.size() + 20; ++i) {
        const fs::path& file = files[i < files.size() ? i : splitmix64(1, i) % files.size()];
        const std::string good = testing::read_text(file);
        std::string bad = good;
        const std::size_t place = splitmix64(2, i) % bad.size();
        bad[place] = static_cast<char>(bad[place] ^ static_cast<char>(1 + splitmix64(3, i) % 255));
        testing::write_text(file, bad);
        const auto inside = fs::relative(file, directory);
        // Of a record's folder, the folder is named.
        const std::string name = *inside.begin() == "evidence"
                                     ? "evidence/" + std::next(inside.begin())->string()
                                     : inside.string();
        EXPECT_THAT("\n" + problems(), HasSubstr("\n" + name + ": ")) << inside << " byte " << place;
        testing::write_text(file, good);
    }
    EXPECT_EQ(problems(), "");
}

TEST_F(StoreTest, FindsWhatIsMissingAddedOrCutOff) {
    begin(Stage::rc);
    add_all();
    const std::string log = testing::read_text(directory / "log.jsonl");
    testing::write_text(directory / "log.jsonl", log.substr(0, log.rfind('\n', log.size() - 2) + 1));
    EXPECT_THAT(problems(), HasSubstr("release.json: it is not what log.jsonl"))
        << "the last entry is cut off";
    testing::write_text(directory / "log.jsonl", log);
    testing::write_text(directory / "notes.txt", "x");
    EXPECT_THAT(problems(), HasSubstr("notes.txt: a release has no such file"));
    fs::remove(directory / "notes.txt");
    fs::rename(directory / "evidence" / "LICENSE", folder.path() / "moved");
    EXPECT_THAT(problems(), HasSubstr("evidence/LICENSE: "));
    fs::create_symlink(folder.path() / "moved", directory / "evidence" / "LICENSE");
    EXPECT_THAT(problems(), HasSubstr("it is a symbolic link"));
    EXPECT_THAT(promote(directory).error().message, HasSubstr("does not verify"));
    fs::remove(directory / "evidence" / "LICENSE");
    fs::rename(folder.path() / "moved", directory / "evidence" / "LICENSE");
    EXPECT_EQ(problems(), "");
    fs::rename(directory, folder.path() / "v2");
    directory = folder.path() / "v2";
    EXPECT_THAT(problems(), HasSubstr("it is the log of release v1"));
}

TEST_F(StoreTest, IsPutRightByTheNextChangeAfterAKill) {
    begin(Stage::rc);
    ASSERT_TRUE(add("other", "a.txt", "a"));
    const auto written = testing::read_text(directory / "release.json");
    const auto markdown = testing::read_text(directory / "release.md");
    ASSERT_TRUE(add("other", "b.txt", "b"));
    // As killed after the log, and before: evidence that no entry names, and an unfinished file.
    testing::write_text(directory / "release.json", written);
    testing::write_text(directory / "release.md", markdown);
    testing::write_text(directory / "evidence" / "orphan", "x");
    const auto verification = verify_release(directory);
    EXPECT_THAT(verification->problems, IsEmpty());
    EXPECT_EQ(verification->notes.size(), 3U);
    ASSERT_TRUE(add("other", "c.txt", "c"));
    // What nobody logged may be somebody's: it stays, is taken where it is the same, and never replaced.
    EXPECT_THAT(verify_release(directory)->notes, ElementsAre(HasSubstr("evidence/orphan: ")));
    EXPECT_THAT(add("other", "orphan", "y").error().message, HasSubstr("is there already"));
    EXPECT_EQ(testing::read_text(directory / "evidence" / "orphan"), "x");
    ASSERT_TRUE(add("other", "orphan", "x"));
    EXPECT_THAT(verify_release(directory)->notes, IsEmpty());
    EXPECT_EQ(problems(), "");
}

TEST_F(StoreTest, IsPutRightBeforeAnotherChangeIsKilled) {
    begin(Stage::rc);
    ASSERT_TRUE(add("other", "a.txt", "a"));
    const auto as_of = [&] {
        return std::pair(testing::read_text(directory / "release.json"),
                         testing::read_text(directory / "release.md"));
    };
    const auto left_by_kill = [&](const auto& written) {
        testing::write_text(directory / "release.json", written.first);
        testing::write_text(directory / "release.md", written.second);
    };
    const auto first = as_of();
    ASSERT_TRUE(add("other", "b.txt", "b"));
    left_by_kill(first);
    // What the next change finds, and leaves where it is killed after its line in the log.
    ASSERT_TRUE(Change::begin(directory));
    const auto second = as_of();
    ASSERT_TRUE(add("other", "c.txt", "c"));
    left_by_kill(second);
    EXPECT_EQ(problems(), "");
    ASSERT_TRUE(add("other", "d.txt", "d"));
    EXPECT_THAT(verify_release(directory)->notes, IsEmpty());
}

TEST_F(StoreTest, WritesAndRemovesNothingBehindLinks) {
    begin(Stage::rc);
    ASSERT_TRUE(add("other", "a.txt", "a"));
    const fs::path elsewhere = folder.path() / "elsewhere";
    fs::create_directory(elsewhere);
    testing::write_text(elsewhere / "precious", "x");
    testing::write_text(elsewhere / "a.txt", "a");
    for (const char* name : {"evidence", "release.json", "release.md"}) {
        fs::rename(directory / name, folder.path() / "real");
        fs::create_symlink(*name == 'e' ? elsewhere : elsewhere / "precious", directory / name);
        const auto refused = add("other", "b.txt", "b");
        ASSERT_FALSE(refused) << name;
        EXPECT_EQ(refused.error().kind, ErrorKind::bad_input);
        EXPECT_THAT(refused.error().message, HasSubstr(name));
        fs::remove(directory / name);
        fs::rename(folder.path() / "real", directory / name);
    }
    EXPECT_EQ(testing::read_text(elsewhere / "precious"), "x");
    EXPECT_TRUE(fs::exists(elsewhere / "a.txt"));
    EXPECT_EQ(load_release(directory)->state.attachments.size(), 1U);
    EXPECT_EQ(problems(), "");
}

TEST_F(StoreTest, DoesNotContinueALogThatLostItsEnd) {
    begin(Stage::rc);
    const std::string first = testing::read_text(directory / "log.jsonl");
    ASSERT_TRUE(add("other", "a.txt", "a"));
    const std::string second = testing::read_text(directory / "log.jsonl");
    ASSERT_TRUE(add("other", "b.txt", "b"));
    const std::string log = testing::read_text(directory / "log.jsonl");
    const std::string written = testing::read_text(directory / "release.json");
    for (const auto& text : {first, second}) {
        testing::write_text(directory / "log.jsonl", text);
        const auto refused = add("other", "c.txt", "c");
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().kind, ErrorKind::check_failed);
        EXPECT_EQ(refused.error().message, "log.jsonl ends before the entry that release.json names");
    }
    EXPECT_TRUE(fs::exists(directory / "evidence" / "b.txt"));
    testing::write_text(directory / "log.jsonl", log);
    std::string other = written;
    other.replace(other.find("log_head") + 12, 4, "0000");
    for (const auto& text : {other, std::string("{}"), std::string("[1]"), std::string("no JSON")}) {
        testing::write_text(directory / "release.json", text);
        EXPECT_EQ(add("other", "c.txt", "c").error().kind, ErrorKind::check_failed) << text;
    }
    fs::remove(directory / "release.json");
    EXPECT_THAT(add("other", "c.txt", "c").error().message, HasSubstr("release.json is missing"));
    testing::write_text(directory / "release.json", written);
    EXPECT_TRUE(add("other", "c.txt", "c"));
    EXPECT_EQ(problems(), "");
}

TEST_F(StoreTest, BindsASignOffToTheLogBeforeIt) {
    begin(Stage::ga);
    const auto key = keys.at("qa-engineer");
    const auto state = load_release(directory)->state;
    auto other = state;
    other.log_head = std::string(64, '0');
    const EntryTime time{"2999-03-09T17:05:00Z", "2999-03-09T17:05:00Z"};
    const EntryTime later{"2999-03-09T17:05:01Z", "2999-03-09T17:05:01Z"};
    const auto message = sign_off_message(state, "qa-engineer", "Q", state.seen(), time);
    EXPECT_NE(message, sign_off_message(other, "qa-engineer", "Q", state.seen(), time));
    EXPECT_NE(message, sign_off_message(state, "qa-engineer", "Q", state.seen(), later));
    const auto log = [&](const ReleaseState& signed_state) {
        const std::string text = testing::read_text(directory / "log.jsonl");
        const auto what = sign_off_message(signed_state, "qa-engineer", "Q", state.seen(), time);
        return parse_log(text + log_line(*parse_log(text), time.clock,
                                         {{"type", "sign-off"},
                                          {"role", "qa-engineer"},
                                          {"person", "Q"},
                                          {"key", key.public_key().hex()},
                                          {"seen", state.seen()},
                                          {"signature", *key.sign(what)}}));
    };
    EXPECT_TRUE(replay(*log(state)));
    EXPECT_THAT(replay(*log(other)).error().message, HasSubstr("its signature is not the key's"));
}

TEST_F(StoreTest, SignsNothingThatDoesNotVerify) {
    begin(Stage::rc);
    ASSERT_TRUE(add("licence", "LICENSE", "MIT"));
    testing::write_text(directory / "evidence" / "LICENSE", "mine");
    const auto refused = sign("qa-engineer");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::check_failed);
    EXPECT_THAT(refused.error().message, HasSubstr("does not verify: evidence/LICENSE"));
    testing::write_text(directory / "evidence" / "LICENSE", "MIT");
    EXPECT_TRUE(sign("qa-engineer"));
}

TEST_F(StoreTest, IsPutRightAfterAKillInAPromotion) {
    begin(Stage::rc);
    add_all();
    const auto written = testing::read_text(directory / "release.json");
    const auto markdown = testing::read_text(directory / "release.md");
    ASSERT_TRUE(promote(directory));
    testing::write_text(directory / "release.md", markdown);
    EXPECT_EQ(verify_release(directory)->notes.size(), 1U);
    EXPECT_THAT(promote(directory).error().message, HasSubstr("and is closed"));
    EXPECT_THAT(verify_release(directory)->notes, IsEmpty());
    testing::write_text(directory / "release.json", written);
    testing::write_text(directory / "release.md", markdown);
    EXPECT_THAT(promote(directory).error().message, HasSubstr("and is closed"));
    EXPECT_THAT(verify_release(directory)->notes, IsEmpty());
    // What somebody wrote is not put right but named.
    testing::write_text(directory / "release.md", "all is well\n");
    EXPECT_FALSE(promote(directory));
    EXPECT_THAT(problems(), HasSubstr("release.md: it is not what"));
}

TEST_F(StoreTest, VerifiesWhileAnotherWrites) {
    begin(Stage::rc);
    for (int i = 0; i < 30; ++i)
        testing::write_text(folder.path() / ("f" + std::to_string(i)), std::to_string(i));
    const pid_t child = fork();
    if (child == 0) {
        bool good = true;
        for (int i = 0; i < 30; ++i)
            good = good && attach(directory, "other", folder.path() / ("f" + std::to_string(i)), "", "");
        _exit(good ? 0 : 1);
    }
    int status = 0;
    do {
        const auto v = verify_release(directory);
        EXPECT_TRUE(v ? v->problems.empty() : v.error().kind == ErrorKind::unwritable_output)
            << (v ? v->problems.front() : v.error().message);
    } while (waitpid(child, &status, WNOHANG) == 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_EQ(problems(), "");
}

TEST_F(StoreTest, ClearsAwayWhatAKilledProcessLeftUnfinished) {
    begin(Stage::rc);
    // No process has this number: the largest is below.
    for (const auto& place : {directory, directory / "evidence"}) {
        fs::create_directory(place / ".iir2d-999999999-0.tmp");
        testing::write_text(place / ".iir2d-999999999-0.tmp" / "half", "x");
        testing::write_text(place / ".iir2d-999999999-1.tmp", "x");
    }
    EXPECT_EQ(problems(), "");
    EXPECT_EQ(verify_release(directory)->notes.size(), 4U);
    ASSERT_TRUE(add("other", "a.txt", "a"));
    EXPECT_THAT(verify_release(directory)->notes, IsEmpty());
}

TEST_F(StoreTest, TakesChangesOfTwoProcessesOneAfterTheOther) {
    begin(Stage::rc);
    for (int i = 0; i < 20; ++i)
        testing::write_text(folder.path() / ("f" + std::to_string(i)), std::to_string(i));
    pid_t children[2];
    for (int c = 0; c < 2; ++c) {
        children[c] = fork();
        if (children[c] != 0) continue;
        bool good = true;
        for (int i = c; i < 20; i += 2)
            good = good && attach(directory, "other", folder.path() / ("f" + std::to_string(i)), "", "");
        _exit(good ? 0 : 1);
    }
    for (const pid_t child : children) {
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    EXPECT_EQ(load_release(directory)->state.attachments.size(), 20U);
    EXPECT_EQ(problems(), "");
}

}  // namespace
}  // namespace workbench
