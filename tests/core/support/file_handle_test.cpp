// SPDX-License-Identifier: MIT
#include "core/support/file_handle.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace {

using workbench::FileHandle;

bool is_open(int descriptor) {
    return ::fcntl(descriptor, F_GETFD) != -1;
}

int open_nothing() {
    return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

TEST(FileHandle, ClosesWhatItHoldsOnce) {
    int descriptor = -1;
    {
        FileHandle handle(open_nothing());
        descriptor = handle.get();
        ASSERT_TRUE(handle);
        ASSERT_TRUE(is_open(descriptor));
        FileHandle moved(std::move(handle));
        EXPECT_FALSE(handle);  // NOLINT(bugprone-use-after-move)
        EXPECT_EQ(moved.get(), descriptor);
        EXPECT_TRUE(is_open(descriptor));
    }
    EXPECT_FALSE(is_open(descriptor));
    FileHandle empty;
    EXPECT_FALSE(empty);
    EXPECT_EQ(empty.close(), 0);
}

TEST(FileHandle, AssignedToClosesWhatItHeldBefore) {
    FileHandle first(open_nothing());
    FileHandle second(open_nothing());
    const int of_first = first.get();
    const int of_second = second.get();
    first = std::move(second);
    EXPECT_FALSE(is_open(of_first));
    EXPECT_EQ(first.get(), of_second);
    FileHandle& same = first;
    first = std::move(same);
    EXPECT_EQ(first.get(), of_second) << "assigned to itself";
    EXPECT_TRUE(is_open(of_second));
}

TEST(FileHandle, GivesUpWhatIsReleasedOrClosed) {
    FileHandle handle(open_nothing());
    const int descriptor = handle.release();
    EXPECT_FALSE(handle);
    EXPECT_TRUE(is_open(descriptor));
    FileHandle again(descriptor);
    EXPECT_EQ(again.close(), 0);
    EXPECT_FALSE(again);
    EXPECT_FALSE(is_open(descriptor));
    FileHandle gone(descriptor);
    EXPECT_EQ(gone.close(), EBADF) << "the system's error number";
    EXPECT_FALSE(gone);
}

TEST(FileHandle, DuplicatesFromANumberOnAndForThisProcessAlone) {
    const FileHandle handle(open_nothing());
    const FileHandle second = FileHandle::duplicate(handle.get(), 100);
    ASSERT_TRUE(second);
    EXPECT_GE(second.get(), 100);
    EXPECT_NE(::fcntl(second.get(), F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_FALSE(FileHandle::duplicate(-1));
}

}  // namespace
