// SPDX-License-Identifier: MIT
// No process of a worker is left when its program is gone, however that ended.
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "tests/core/worker/worker_testing.h"

extern char** environ;  // NOLINT: POSIX has it without a header

namespace workbench::worker::testing {
namespace {

using namespace std::chrono_literals;

// State letter and parent of a process; 'X' when there is none.
struct Facts {
    char state = 'X';
    int parent = 0;
};
Facts facts_of(int process_id) {
    std::ifstream stat("/proc/" + std::to_string(process_id) + "/stat");
    Facts facts;
    std::string number, name;
    if (!(stat >> number >> name >> facts.state >> facts.parent)) return {};
    return facts;
}

// A zombie has ended: only the system's first process, to which it was given, has not collected it.
bool has_ended(int process_id) {
    const char state = facts_of(process_id).state;
    return state == 'X' || state == 'Z';
}

// Generous, because the machine may be busy; ordinarily it is milliseconds.
bool ends_soon(int process_id) {
    for (const auto deadline = std::chrono::steady_clock::now() + 20s;
         std::chrono::steady_clock::now() < deadline;) {
        if (has_ended(process_id)) return true;
        std::this_thread::sleep_for(1ms);
    }
    return false;
}

struct Family {
    pid_t program = -1;
    int idle = 0;
    int busy = 0;
    int server = 0;
};

Family start_family() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe(ends), 0);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    ::posix_spawn_file_actions_addclose(&actions, ends[0]);
    std::string name = IIR2D_ORPHAN_PARENT;
    std::array<char*, 2> words{name.data(), nullptr};
    Family family;
    EXPECT_EQ(::posix_spawn(&family.program, name.c_str(), &actions, nullptr, words.data(), environ), 0);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    std::FILE* output = ::fdopen(ends[0], "r");
    EXPECT_EQ(std::fscanf(output, "%d %d", &family.idle, &family.busy), 2);
    std::fclose(output);
    family.server = facts_of(family.busy).parent;
    return family;
}

TEST(Orphans, NoneAreLeftByAProgramThatIsKilled) {
    const Family family = start_family();
    ASSERT_FALSE(has_ended(family.busy));
    ASSERT_EQ(facts_of(family.idle).parent, family.server);
    ASSERT_EQ(::kill(family.program, SIGKILL), 0);
    ::waitpid(family.program, nullptr, 0);
    EXPECT_TRUE(ends_soon(family.server));
    EXPECT_TRUE(ends_soon(family.idle));
    EXPECT_TRUE(ends_soon(family.busy));
}

TEST(Orphans, NoneAreLeftByAServerThatIsKilled) {
    const Family family = start_family();
    ASSERT_GT(family.server, 1);  // 0 would be the group of this test
    ASSERT_EQ(::kill(family.server, SIGKILL), 0);
    EXPECT_TRUE(ends_soon(family.idle));
    EXPECT_TRUE(ends_soon(family.busy));
    ::kill(family.program, SIGKILL);
    ::waitpid(family.program, nullptr, 0);
}

TEST(Orphans, AnInterruptInTheTerminalIsForTheProgramAlone) {
    const Family family = start_family();
    EXPECT_NE(::getpgid(family.server), ::getpgid(family.program));
    EXPECT_NE(::getpgid(family.busy), ::getpgid(family.program));
    ::kill(family.program, SIGKILL);
    ::waitpid(family.program, nullptr, 0);
    EXPECT_TRUE(ends_soon(family.busy));
}

TEST(Orphans, APoolThatIsDestroyedLeavesNoProcess) {
    int child = 0;
    int server = 0;
    {
        WorkerPool pool(options());
        auto lease = pool.borrow();
        ASSERT_TRUE(lease);
        child = lease->process_id();
        server = facts_of(child).parent;
    }
    // Collected, not only ended.
    EXPECT_EQ(facts_of(child).state, 'X');
    EXPECT_EQ(facts_of(server).state, 'X');
}

}  // namespace
}  // namespace workbench::worker::testing
