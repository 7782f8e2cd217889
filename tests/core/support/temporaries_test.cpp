// SPDX-License-Identifier: MIT
// Temporary files and folders: whose they are, and who may remove them.
#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "core/support/atomic_file.h"
#include "core/support/files.h"
#include "tests/core/image/image_testing.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using testing::bytes_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::ScratchFolder;
using ::testing::StartsWith;
using testing::write_bytes;

// A number that no process has.
int gone() {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
    return child;
}

std::string temporary_of(int process) {
    return ".iir2d-" + std::to_string(process) + "-7.tmp";
}

TEST(Leftovers, OfAProcessThatIsGoneAreRemoved) {
    const ScratchFolder folder;
    write_bytes(folder / temporary_of(gone()), "half");
    fs::create_directories(folder / temporary_of(gone()) / "inside");
    fs::create_symlink("elsewhere", folder / temporary_of(gone()));
    remove_leftovers(folder.path());
    EXPECT_THAT(folder.names(), IsEmpty());
}

// The same file under the name that it would have in another PID namespace, where its process has a number
// that nobody has here.
TEST(Leftovers, WhatIsClaimedStays) {
    const ScratchFolder folder;
    const std::string other = temporary_of(gone());
    {
        auto file = AtomicFile::create(folder / "f");
        ASSERT_TRUE(file);
        fs::create_hard_link(file->path(), folder / other);
        remove_leftovers(folder.path());
        EXPECT_TRUE(fs::exists(folder / other)) << "in the making";
        std::fputs("done", file->handle());
        ASSERT_TRUE(file->commit());
        fs::remove(folder / other);
        EXPECT_EQ(bytes_of(folder / "f"), "done");
    }
    {
        TemporaryFolder inside(folder / "d");
        ASSERT_EQ(inside.failure(), 0);
        const fs::path renamed = folder / temporary_of(gone());
        fs::rename(inside.path(), renamed);
        remove_leftovers(folder.path());
        EXPECT_TRUE(fs::exists(renamed));
        inside.release();
        remove_leftovers(folder.path());
        EXPECT_FALSE(fs::exists(renamed));
    }
}

// A process in a PID namespace of its own has another number there than here.
TEST(Leftovers, OfAProcessInAnotherNamespaceStay) {
    const ScratchFolder folder;
    int ready[2] = {};
    ASSERT_EQ(pipe(ready), 0);
    const pid_t outer = fork();
    if (outer == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) _exit(0);
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            const auto file = AtomicFile::create(folder / "f");
            const char answer = file && getpid() == 1 ? 'y' : 'n';
            static_cast<void>(!write(ready[1], &answer, 1));
            pause();
        }
        close(ready[1]);
        wait(nullptr);
        _exit(0);
    }
    close(ready[1]);
    char answer = 0;
    const bool made = read(ready[0], &answer, 1) == 1 && answer == 'y';
    close(ready[0]);
    if (made) {
        ASSERT_THAT(folder.names(), ElementsAre(StartsWith(".iir2d-1-")));
        // Number 1 is in use here too: under one that is not, it looks like a leftover.
        fs::rename(folder / folder.names()[0], folder / temporary_of(gone()));
        remove_leftovers(folder.path());
        EXPECT_EQ(folder.names().size(), 1U);
    }
    kill(outer, SIGKILL);  // and with it the process in the namespace
    waitpid(outer, nullptr, 0);
    if (!made) GTEST_SKIP() << "this system lets this user make no PID namespace";
}

TEST(Temporaries, AreDiscardedByWhoEndsWithoutReturning) {
    const ScratchFolder folder;
    const pid_t child = fork();
    if (child == 0) {
        const auto file = AtomicFile::create(folder / "f");
        const TemporaryFolder inside(folder / "d");
        write_bytes(inside.path() / "x", "half");
        auto finished = AtomicFile::create(folder / "kept");
        const bool good = file && inside.failure() == 0 && finished && finished->commit();
        discard_temporaries();
        _exit(good ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_THAT(folder.names(), ElementsAre("kept"));
}

}  // namespace
}  // namespace workbench
