// SPDX-License-Identifier: MIT
// A release from new to promote as a script runs it, the ways to be refused on the way, and kills at any
// moment.
#include <gmock/gmock.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "core/benchmark/synthetic.h"
#include "core/release/log.h"
#include "core/release/requirements.h"
#include "core/support/files.h"
#include "core/support/signing.h"
#include "tests/app/run_program.h"
#include "tests/core/release/release_testing.h"

namespace {

namespace fs = std::filesystem;
namespace made = workbench::testing;
using app_test::error_lines;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using workbench::splitmix64;

const std::string commit = made::release_commit;
std::vector<std::string> role_names() {
    return {workbench::release_roles.begin(), workbench::release_roles.end()};
}

class ReleaseCli : public ::testing::Test {
  protected:
    app_test::Outcome release(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "release");
        arguments.insert(arguments.end(), {"--dir", path("releases")});
        return app_test::run_program(IIR2D_CLI, arguments);
    }
    void succeed(const std::vector<std::string>& arguments) const {
        const auto done = release(arguments);
        EXPECT_EQ(done.code, 0) << arguments[0] << ": " << done.err;
    }
    // The sentence is shown, so that a reader of the test's output sees what a user sees.
    void refused(const std::vector<std::string>& arguments, int code, const std::string& sentence) {
        const auto done = release(arguments);
        EXPECT_EQ(done.code, code) << done.err;
        EXPECT_THAT(error_lines(done.err), ElementsAre(HasSubstr(sentence)));
        std::printf("refused %2d, %s: %s", ++m_refused, arguments[0].c_str(), done.err.c_str());
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    std::string file(const std::string& name, const std::string& content) const {
        made::write_text(folder.path() / name, content);
        return path(name);
    }
    std::string record(const std::string& name, double cost, const std::string& signer = "") const {
        std::optional<workbench::SigningKey> key;
        if (!signer.empty()) key = *workbench::SigningKey::load(path(signer));
        made::write_release_record(folder.path() / name, cost, key, key ? made::baseline_commit : commit);
        return path(name);
    }
    std::vector<std::string> new_arguments(const std::string& id, const std::string& stage) const {
        std::vector<std::string> all = {"new", id, "--stage", stage, "--commit", commit};
        for (const std::string& role : role_names())
            all.insert(all.end(), {"--role", role + "=" + path(role + ".pub")});
        return all;
    }
    std::string seen(const std::string& id) const {
        const auto out = release({"show", id}).out;
        return out.substr(out.rfind("\nseen ") + 6, 64);
    }
    void make_keys() const {
        for (const std::string& role : role_names())
            ASSERT_EQ(app_test::run_program(IIR2D_CLI, {"key", "new", path(role), "-q"}).code, 0);
    }

    made::TemporaryFolder folder;

  private:
    int m_refused = 0;
};

TEST_F(ReleaseCli, ShowsNoControlCharactersOfARecord) {
    make_keys();
    succeed(new_arguments("v2", "rc"));
    const std::string escape = R"({"id": "9", "priority": "P0", "open": true, "title": "\u001b[2J\n  ok"})";
    succeed({"attach", "v2", "issues", file("i.json", made::issue_list(escape)), "--commit", commit});
    for (const char* command : {"evaluate", "show"}) {
        const auto done = release({command, "v2"});
        EXPECT_THAT(done.out + done.err, ::testing::Not(HasSubstr("\x1b")));
        EXPECT_THAT(done.out, HasSubstr("9 ("));
    }
}

TEST_F(ReleaseCli, SaysWhatToDoForEachRequirementThatDoesNotHold) {
    succeed({"new", "v2", "--stage", "dev", "--commit", commit});
    succeed({"attach", "v2", "test-report", file("t.xml", made::test_report(1)), "--commit", commit});
    const std::string text = release({"evaluate", "v2"}).out;
    const std::string json = release({"evaluate", "v2", "--json"}).out;
    for (const auto& row : workbench::requirement_rows()) {
        EXPECT_THAT(text, HasSubstr(" " + row.id + " "));
        EXPECT_THAT(json, HasSubstr("\"remedy\": \"" + row.remedy + "\""));
        const bool missing = row.from == workbench::Stage::dev && row.id != "A.tests";
        EXPECT_EQ(text.find("to do: " + row.remedy + "\n") != std::string::npos, missing) << row.id;
    }
}

TEST_F(ReleaseCli, NamesStagesRolesAndKindsInItsHelpAsTheTablesDo) {
    const auto help = [](const char* command) {
        return app_test::run_program(IIR2D_CLI, {"release", command, "--help"}).out;
    };
    EXPECT_THAT(help("new"), HasSubstr(workbench::needs_of_stages()));
    for (const std::string& role : role_names()) {
        EXPECT_THAT(help("new"), HasSubstr(role));
        EXPECT_THAT(help("sign-off"), HasSubstr(role));
    }
    for (const auto& kind : workbench::evidence_kinds())
        EXPECT_THAT(help("attach"), HasSubstr(std::string(kind.name)));
    EXPECT_THAT(help("waive"), HasSubstr(workbench::waivable_requirements()));
}

// A line as the program would write it, by somebody who wrote it by hand.
TEST_F(ReleaseCli, AcceptsNoForgedPromotion) {
    make_keys();
    succeed(new_arguments("v2", "ga"));
    const fs::path log = folder.path() / "releases" / "v2" / "log.jsonl";
    const std::string text = made::read_text(log);
    const auto before = workbench::parse_log(text);
    ASSERT_TRUE(before);
    made::write_text(log,
                     text + workbench::log_line(*before, before->back().time.utc, {{"type", "promote"}}));
    const std::string sentence =
        "log.jsonl: line 2 (promote): it could not be promoted: A.tests: nothing is attached as test-report";
    refused({"promote", "v2"}, 5, sentence);
    refused({"verify", "v2"}, 5, sentence);
    refused({"export", "v2", path("v2.tar")}, 5, sentence);
    refused({"attach", "v2", "other", file("a.txt", "a")}, 5, sentence);
    EXPECT_THAT(release({"show", "v2"}).out, HasSubstr("**Not accepted**"));
}

TEST_F(ReleaseCli, RefusesALoneRecordFile) {
    make_keys();
    succeed(new_arguments("v2", "rc"));
    refused({"attach", "v2", "smoke-record", record("smoke", 1) + "/record.json"}, 3,
            "a smoke-record is a record directory");
}

TEST_F(ReleaseCli, RunsFromNewToPromoteAndIsRefusedOnTheWay) {
    make_keys();
    refused({"new", "v2", "--stage", "ga", "--commit", commit}, 2,
            "the stage ga needs a key of the kernel-engineer");
    succeed(new_arguments("v2", "ga"));
    refused(new_arguments("v2", "ga"), 6, "already exists");
    refused({"promote", "v2"}, 5, "may not be promoted: A.tests: nothing is attached as test-report");
    refused({"attach", "v2", "test-report", file("t1.xml", made::test_report(1))}, 2, "needs --commit");
    refused({"attach", "v2", "test-report", path("t1.xml"), "--name", "../../t1.xml", "--commit", commit}, 2,
            "is not safe everywhere");
    fs::create_symlink(path("t1.xml"), path("link.xml"));
    refused({"attach", "v2", "test-report", path("link.xml"), "--commit", commit}, 3,
            "it is a symbolic link");
    refused({"attach", "v2", "issues", file("i.json", "[]"), "--commit", commit}, 3,
            "it is not a list of issues");

    const auto report = [&](const std::string& kind, const std::string& name, const std::string& content) {
        succeed({"attach", "v2", kind, file(name, content), "--commit", commit});
    };
    report("test-report", "t1.xml", made::test_report(1));
    report("test-report", "t2.xml", made::test_report(2));
    report("c-api-report", "c.xml", made::test_report(3));
    report("parity-report", "p.json", R"({"cases": [{"case": "a", "passed": true}]})");
    report("issues", "issues.json", made::issue_list());
    report("rebuild", "rebuild.json", made::rebuild_report('a'));
    report("packaging-report", "pack.xml", made::test_report(4));
    report("security-review", "s.json", made::security_review());
    succeed({"attach", "v2", "licence", file("LICENSE", "MIT")});
    succeed({"attach", "v2", "notices", file("NOTICES", "notices")});
    succeed({"attach", "v2", "smoke-record", record("smoke", 1)});
    const auto tampered = record("tampered", 1);
    made::write_text(fs::path(tampered) / "record.md", "faster");
    refused({"attach", "v2", "standard-record", tampered}, 5, "is not accepted: record.md");
    succeed({"attach", "v2", "standard-record", record("slow", 1.5)});
    succeed({"attach", "v2", "baseline-record", record("baseline", 1, "qa-engineer")});
    refused({"evaluate", "v2"}, 5, "C.comparison: \"filter:");
    refused({"waive", "v2", "--scope", "A.parity", "--risk", "r", "--owner", "o", "--expires", "2999-01-01"},
            2, "cannot be waived");
    refused(
        {"waive", "v2", "--scope", "C.comparison", "--risk", "r", "--owner", "o", "--expires", "2001-01-01"},
        2, "the expiry 2001-01-01 is past");
    succeed({"attach", "v2", "standard-record", record("standard", 1.001)});
    refused({"promote", "v2"}, 5, "D.sign-off.kernel-engineer: the kernel-engineer has not signed");
    refused({"sign-off", "v2", "--role", "qa-engineer", "--person", "Q", "--key", path("product-lead"),
             "--seen", seen("v2")},
            2, "this key is not the qa-engineer's");
    refused({"sign-off", "v2", "--role", "qa-engineer", "--person", "Q", "--key", path("qa-engineer"),
             "--seen", std::string(64, '0')},
            5, "look at it again");
    for (const std::string& role : role_names())
        succeed({"sign-off", "v2", "--role", role, "--person", "P " + role, "--key", path(role), "--seen",
                 seen("v2")});
    succeed({"attach", "v2", "other", file("late.txt", "late")});
    refused({"promote", "v2"}, 5, "D.sign-off.kernel-engineer: stale");
    for (const std::string& role : role_names())
        succeed({"sign-off", "v2", "--role", role, "--person", "P " + role, "--key", path(role), "--seen",
                 seen("v2")});
    succeed({"evaluate", "v2"});
    succeed({"promote", "v2"});
    refused({"attach", "v2", "other", file("later.txt", "later")}, 5, "and is closed");
    succeed({"verify", "v2"});
    refused({"export", "v2", path("v2.zip")}, 2, "give a name with .tar.gz or .tar");
    const auto exported = release({"export", "v2", path("v2.tar.gz")});
    EXPECT_EQ(exported.code, 0) << exported.err;
    EXPECT_EQ(exported.out, *workbench::sha256_of_file(path("v2.tar.gz")) + "  " + path("v2.tar.gz") + "\n");
    // Who has the archive alone can verify it.
    fs::create_directory(path("elsewhere"));
    ASSERT_EQ(app_test::run_program("/bin/tar", {"-xf", path("v2.tar.gz"), "-C", path("elsewhere")}).code, 0);
    const auto verified =
        app_test::run_program(IIR2D_CLI, {"release", "verify", "v2", "--dir", path("elsewhere")});
    EXPECT_EQ(verified.code, 0) << verified.err;
    made::write_text(folder.path() / "releases/v2/evidence/LICENSE", "mine");
    refused({"export", "v2", path("v2.tar.gz")}, 5, "does not verify is not exported: evidence/LICENSE");
    refused({"verify", "v2"}, 5, "evidence/LICENSE");
    refused({"show", "../v2"}, 2, "is not the id of a release");
    refused({"show", "v3"}, 3, "there is no release in");
}

// Starts the command and kills it after a while; whether it had ended before.
bool kill_after(const std::vector<std::string>& arguments, std::chrono::microseconds when) {
    const pid_t child = fork();
    if (child == 0) {
        std::vector<char*> argv;
        std::string program = IIR2D_CLI;
        argv.push_back(program.data());
        std::vector<std::string> copy = arguments;
        for (auto& a : copy) argv.push_back(a.data());
        argv.push_back(nullptr);
        if (std::freopen("/dev/null", "w", stdout) == nullptr ||
            std::freopen("/dev/null", "w", stderr) == nullptr)
            _exit(126);
        execv(IIR2D_CLI, argv.data());
        _exit(127);
    }
    std::this_thread::sleep_for(when);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status);
}

class KilledCli : public ReleaseCli {
  protected:
    std::vector<std::string> in_releases(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "release");
        arguments.insert(arguments.end(), {"--dir", path("releases"), "-q"});
        return arguments;
    }
    // A release that may be promoted.
    void make_complete(const std::string& id) const {
        succeed(new_arguments(id, "dev"));
        const auto report = [&](const std::string& kind, const std::string& content) {
            succeed({"attach", id, kind, file(kind, content), "--commit", commit});
        };
        report("test-report", made::test_report(1));
        report("c-api-report", made::test_report(3));
        report("parity-report", R"({"cases": [{"case": "a", "passed": true}]})");
        report("issues", made::issue_list());
    }
    // The i-th command: each changes something that none before it did.
    std::vector<std::string> command(std::uint64_t i) const {
        const std::string n = std::to_string(i), name = "f" + n;
        switch (i % 9) {
            case 0:
                return in_releases({"attach", "v2", "other", file(name, name), "--name", name});
            case 1:
                return in_releases(
                    {"attach", "v2", "smoke-record", record(name, 1 + 0.001 * static_cast<double>(i))});
            case 2:
                return in_releases({"waive", "v2", "--scope", "issue:" + n, "--risk", "r", "--owner", "o",
                                    "--expires", "2999-01-01"});
            case 3:
                return {"history", "add", record(name, 1 + 0.001 * static_cast<double>(i)), "--db",
                        path("h.sqlite")};
            case 4:
                return in_releases({"sign-off", "v2", "--role", "qa-engineer", "--person", "Q" + n, "--key",
                                    path("qa-engineer"), "--seen", seen("v2")});
            case 5:
                return {"key", "new", path("key" + n)};
            case 6:
                return {"bench",
                        "--sizes",
                        "32x32",
                        "--filter-ids",
                        "1",
                        "--precisions",
                        "f32",
                        "--iters",
                        "2",
                        "--warmup",
                        "0",
                        "--record",
                        path("bench" + n),
                        "--sign",
                        path("qa-engineer"),
                        "-q"};
            case 7:
                return in_releases(new_arguments("n" + n, "rc"));
            default:
                make_complete("p" + n);
                return in_releases({"promote", "p" + n});
        }
    }
    // Everything there is: none is half done.
    void check_all(const std::string& which) const {
        for (const auto& entry : fs::directory_iterator(path("releases"))) {
            const std::string id = entry.path().filename().string();
            if (id.starts_with(".iir2d-")) continue;
            const auto verified = release({"verify", id});
            EXPECT_EQ(verified.code, 0) << which << ": " << verified.out << verified.err;
        }
        for (const auto& entry : fs::directory_iterator(folder.path())) {
            const std::string name = entry.path().filename().string();
            std::vector<std::string> arguments;
            if (name == "h.sqlite" && entry.file_size() > 0)
                arguments = {"history", "check", "--db", entry.path().string()};
            if (name.starts_with("bench")) arguments = {"verify", entry.path().string(), "-q"};
            if (name.starts_with("key")) arguments = {"key", "show", entry.path().string()};
            if (arguments.empty()) continue;
            const auto checked = app_test::run_program(IIR2D_CLI, arguments);
            // A history whose first writer was killed has nothing in it yet.
            if (checked.err.find("it is empty") != std::string::npos) continue;
            EXPECT_EQ(checked.code, 0) << which << ": " << checked.err;
        }
    }
    std::size_t logged() const {
        std::size_t lines = 0;
        for (const char c : made::read_text(folder.path() / "releases/v2/log.jsonl")) lines += c == '\n';
        return lines;
    }
};

TEST_F(KilledCli, VerifiesAfterAKillAtAnyMoment) {
    make_keys();
    succeed(new_arguments("v2", "rc"));
    // How long such a command takes here, so that kills fall into all of it.
    const auto start = std::chrono::steady_clock::now();
    succeed({"attach", "v2", "other", file("first.txt", "first")});
    const auto whole =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
    int killed = 0, ended = 0;
    std::size_t entries = 0;
    for (std::uint64_t i = 0; i < IIR2D_KILLS; ++i) {
        const auto arguments = command(i);
        const auto when =
            std::chrono::microseconds(splitmix64(4, i) % static_cast<std::uint64_t>(whole.count() * 5 / 4));
        (kill_after(arguments, when) ? ended : killed) += 1;
        check_all("kill " + std::to_string(i));
        EXPECT_GE(logged(), entries) << "nothing that was logged is lost";
        // Again, to the end: what was done is done, what was not is not in its way.
        const auto again = app_test::run_program(IIR2D_CLI, arguments);
        EXPECT_EQ(again.out.find("is there already"), std::string::npos) << again.out;
        EXPECT_EQ(again.err.find("although the log"), std::string::npos) << again.err;
        entries = logged();
    }
    std::printf("%d killed, %d had ended, %zu log entries\n", killed, ended, entries);
    EXPECT_GT(killed, 0);
    succeed({"attach", "v2", "other", file("last.txt", "last")});
    for (const auto& entry : fs::directory_iterator(path("releases"))) {
        const std::string id = entry.path().filename().string();
        if (id.starts_with(".iir2d-")) continue;
        EXPECT_THAT(release({"verify", id}).out, ::testing::Not(HasSubstr("note ")));
    }
}

}  // namespace
