// SPDX-License-Identifier: MIT
// One writer at a time, across processes, and where the file system has no locks.
#include "core/support/file_lock.h"

#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "tests/core/image/image_testing.h"

namespace {

// The number that flock() fails with; 0: it does not.
std::atomic<int> flock_fails_with{0};

}  // namespace

// Stands before the C library's, also for the code that is tested.
extern "C" int flock(int descriptor, int operation) noexcept {
    if (flock_fails_with != 0) {
        errno = flock_fails_with;
        return -1;
    }
    return static_cast<int>(syscall(SYS_flock, descriptor, operation));
}

namespace workbench {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::ScratchFolder;
using namespace std::chrono_literals;

TEST(FileLock, IsHeldByOneAtATime) {
    const ScratchFolder folder;
    auto held = FileLock::acquire(folder / "lock");
    ASSERT_TRUE(held);
    const auto second = FileLock::acquire(folder / "lock", 30ms);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, ErrorKind::unwritable_output);
    EXPECT_THAT(second.error().message, HasSubstr("is being changed by another process: try again"));
    std::jthread release([&] {
        std::this_thread::sleep_for(30ms);
        held = FileLock::acquire(folder / "another");
    });
    EXPECT_TRUE(FileLock::acquire(folder / "lock", 1min)) << "it was given up";
}

TEST(FileLock, AFolderIsHeldByOneAtATimeAndStaysEmpty) {
    const ScratchFolder folder;
    {
        const auto held = FileLock::of_folder(folder.path());
        ASSERT_TRUE(held) << held.error().message;
        const auto second = FileLock::of_folder(folder.path());
        ASSERT_FALSE(second);
        EXPECT_EQ(second.error().kind, ErrorKind::unwritable_output);
        EXPECT_THAT(second.error().message, HasSubstr("is being written by another process"));
    }
    EXPECT_TRUE(FileLock::of_folder(folder.path()));
    EXPECT_TRUE(fs::is_empty(folder.path()));
    EXPECT_FALSE(FileLock::of_folder(folder / "none"));
}

TEST(FileLock, WaitingForItStopsWhenAsked) {
    const ScratchFolder folder;
    const auto held = FileLock::acquire(folder / "lock");
    ASSERT_TRUE(held);
    std::stop_source source;
    source.request_stop();
    const auto wanted = FileLock::acquire(folder / "lock", 1h, source.get_token());
    ASSERT_FALSE(wanted);
    EXPECT_EQ(wanted.error().kind, ErrorKind::cancelled);
}

TEST(FileLock, IsGivenUpByAProcessThatIsKilled) {
    const ScratchFolder folder;
    int ready[2] = {};
    ASSERT_EQ(pipe(ready), 0);
    const pid_t other = fork();
    if (other == 0) {
        const auto held = FileLock::acquire(folder / "lock");
        const char answer = held ? 'y' : 'n';
        static_cast<void>(!write(ready[1], &answer, 1));
        pause();
        _exit(0);
    }
    char answer = 0;
    ASSERT_EQ(read(ready[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
    EXPECT_FALSE(FileLock::acquire(folder / "lock", 10ms));
    kill(other, SIGKILL);
    waitpid(other, nullptr, 0);
    EXPECT_TRUE(FileLock::acquire(folder / "lock", 1min));
    close(ready[0]);
    close(ready[1]);
}

TEST(FileLock, SaysWhyItCannotBe) {
    const ScratchFolder folder;
    const auto nowhere = FileLock::acquire(folder / "no/lock");
    ASSERT_FALSE(nowhere);
    EXPECT_THAT(nowhere.error().message, HasSubstr("No such file"));
    fs::create_symlink("elsewhere", folder / "link");
    EXPECT_FALSE(FileLock::acquire(folder / "link")) << "somebody else may have put the link there";
    EXPECT_FALSE(fs::exists(folder / "elsewhere"));
    flock_fails_with = EBADF;
    const auto broken = FileLock::acquire(folder / "lock");
    flock_fails_with = 0;
    EXPECT_FALSE(broken);
}

TEST(FileLock, WithoutLocksEverybodyGetsOne) {
    const ScratchFolder folder;
    for (const int number : {ENOLCK, EOPNOTSUPP, ENOSYS}) {
        flock_fails_with = number;
        const auto first = FileLock::acquire(folder / "lock", 10ms);
        const auto second = FileLock::acquire(folder / "lock", 10ms);
        flock_fails_with = 0;
        EXPECT_TRUE(first) << number;
        EXPECT_TRUE(second) << number;
    }
}

}  // namespace
}  // namespace workbench
