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
const char* const roles[] = {"kernel-engineer", "platform-engineer", "qa-engineer", "product-lead"};

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
        made::write_release_record(folder.path() / name, cost, key);
        return path(name);
    }
    std::vector<std::string> new_arguments(const std::string& id, const std::string& stage) const {
        std::vector<std::string> all = {"new", id, "--stage", stage, "--commit", commit};
        for (const std::string role : roles)
            all.insert(all.end(), {"--role", role + "=" + path(role + ".pub")});
        return all;
    }
    std::string seen(const std::string& id) const {
        const auto out = release({"show", id}).out;
        return out.substr(out.rfind("\nseen ") + 6, 64);
    }
    void make_keys() const {
        for (const std::string role : roles)
            ASSERT_EQ(app_test::run_program(IIR2D_CLI, {"key", "new", path(role), "-q"}).code, 0);
    }

    made::TemporaryFolder folder;

  private:
    int m_refused = 0;
};

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
    refused({"evaluate", "v2"}, 5, "C.comparison: \"filter:1");
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
    for (const std::string role : roles)
        succeed({"sign-off", "v2", "--role", role, "--person", "P " + role, "--key", path(role), "--seen",
                 seen("v2")});
    succeed({"attach", "v2", "other", file("late.txt", "late")});
    refused({"promote", "v2"}, 5, "D.sign-off.kernel-engineer: stale");
    for (const std::string role : roles)
        succeed({"sign-off", "v2", "--role", role, "--person", "P " + role, "--key", path(role), "--seen",
                 seen("v2")});
    succeed({"evaluate", "v2"});
    succeed({"promote", "v2"});
    refused({"attach", "v2", "other", file("later.txt", "later")}, 5, "and is closed");
    succeed({"verify", "v2"});
    made::write_text(folder.path() / "releases/v2/evidence/LICENSE", "mine");
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

TEST_F(ReleaseCli, VerifiesAfterAKillAtAnyMoment) {
    make_keys();
    succeed(new_arguments("v2", "rc"));
    const std::string base = path("releases"), db = path("h.sqlite");
    const std::string r = record("r", 1);
    // How long such a command takes here, so that kills fall into all of it.
    const auto start = std::chrono::steady_clock::now();
    succeed({"attach", "v2", "other", file("first.txt", "first")});
    const auto whole =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
    int killed = 0, ended = 0;
    std::size_t entries = 0;
    for (std::uint64_t i = 0; i < IIR2D_KILLS; ++i) {
        const std::string name = "f" + std::to_string(i);
        const std::vector<std::string> commands[] = {
            {"release", "attach", "v2", "other", file(name, name), "--dir", base, "-q"},
            {"release", "attach", "v2", "smoke-record", r, "--name", name, "--dir", base, "-q"},
            {"release", "waive", "v2", "--scope", "issue:" + name, "--risk", "r", "--owner", "o", "--expires",
             "2999-01-01", "--dir", base},
            {"history", "add", r, "--db", db},
            {"release", "sign-off", "v2", "--role", "qa-engineer", "--person", "Q", "--key",
             path("qa-engineer"), "--seen", i % 5 == 4 ? seen("v2") : "", "--dir", base},
            {"key", "new", path("key" + std::to_string(i))},
            {"bench", "--sizes", "32x32", "--filter-ids", "1", "--precisions", "f32", "--iters", "2",
             "--warmup", "0", "--record", path("bench" + std::to_string(i)), "--sign", path("qa-engineer"),
             "-q"}};
        const auto when =
            std::chrono::microseconds(splitmix64(4, i) % static_cast<std::uint64_t>(whole.count() * 5 / 4));
        (kill_after(commands[i % std::size(commands)], when) ? ended : killed) += 1;

        const auto verified = release({"verify", "v2"});
        EXPECT_EQ(verified.code, 0) << "kill " << i << ": " << verified.out << verified.err;
        std::size_t now = 0;
        for (const char c : made::read_text(folder.path() / "releases/v2/log.jsonl")) now += c == '\n';
        EXPECT_GE(now, entries) << "nothing that was logged is lost";
        entries = now;
        if (fs::exists(db)) {
            const auto checked = app_test::run_program(IIR2D_CLI, {"history", "check", "--db", db});
            EXPECT_EQ(checked.code, 0) << "kill " << i << ": " << checked.err;
        }
        const auto bench = path("bench" + std::to_string(i));
        if (fs::exists(bench)) {
            const auto checked = app_test::run_program(IIR2D_CLI, {"verify", bench});
            EXPECT_EQ(checked.code, 0) << "kill " << i << ": " << checked.err;
        }
    }
    std::printf("%d killed, %d had ended, %zu log entries\n", killed, ended, entries);
    succeed({"attach", "v2", "other", file("last.txt", "last")});
    EXPECT_THAT(release({"verify", "v2"}).out, ::testing::Not(HasSubstr("note ")));
}

}  // namespace
