// SPDX-License-Identifier: MIT
// Files that appear whole or not at all.
#include "core/support/atomic_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdio>
#include <string>

#include "core/support/files.h"
#include "tests/core/image/image_testing.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using testing::bytes_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScratchFolder;
using testing::write_bytes;

TEST(AtomicFile, AppearsWhenItIsCommitted) {
    const ScratchFolder folder;
    auto file = AtomicFile::create(folder / "f");
    ASSERT_TRUE(file) << file.error().message;
    std::fputs("new", file->handle());
    EXPECT_FALSE(fs::exists(folder / "f"));
    EXPECT_EQ(file->path().parent_path(), folder.path());
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(bytes_of(folder / "f"), "new");
    EXPECT_THAT(folder.names(), ElementsAre("f"));
}

TEST(AtomicFile, LeavesTheOldFileWhenItIsNotCommitted) {
    const ScratchFolder folder;
    write_bytes(folder / "f", "old");
    {
        auto file = AtomicFile::create(folder / "f");
        ASSERT_TRUE(file);
        std::fputs("half", file->handle());
    }
    EXPECT_EQ(bytes_of(folder / "f"), "old");
    EXPECT_THAT(folder.names(), ElementsAre("f"));
}

TEST(AtomicFile, KeepsThePermissionsOfTheFileItReplaces) {
    const ScratchFolder folder;
    write_bytes(folder / "f", "old");
    ASSERT_EQ(chmod((folder / "f").c_str(), 0640), 0);
    ASSERT_TRUE(write_file_atomically(folder / "f", "new"));
    struct stat status {};
    ASSERT_EQ(stat((folder / "f").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0640U);
    EXPECT_EQ(bytes_of(folder / "f"), "new");
}

TEST(AtomicFile, FollowsALinkAndLeavesIt) {
    const ScratchFolder folder;
    fs::create_directory(folder / "d");
    write_bytes(folder / "d/target", "old");
    fs::create_symlink("d/target", folder / "link");
    ASSERT_TRUE(write_file_atomically(folder / "link", "new"));
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(bytes_of(folder / "d/target"), "new");
}

TEST(AtomicFile, FollowsALinkToWhatIsNotThereYet) {
    const ScratchFolder folder;
    fs::create_directory(folder / "d");
    fs::create_symlink("second", folder / "first");
    fs::create_symlink(folder / "d/target", folder / "second");
    ASSERT_TRUE(write_file_atomically(folder / "first", "new"));
    EXPECT_TRUE(fs::is_symlink(folder / "first"));
    EXPECT_TRUE(fs::is_symlink(folder / "second"));
    EXPECT_EQ(bytes_of(folder / "d/target"), "new");

    fs::create_symlink("no/target", folder / "nowhere");
    fs::create_symlink("round", folder / "round");
    for (const auto& [name, words] :
         {std::pair{"nowhere", "no\" does not exist"}, {"round", "symbolic links"}}) {
        const auto written = write_file_atomically(folder / name, "new");
        ASSERT_FALSE(written);
        EXPECT_EQ(written.error().kind, ErrorKind::unwritable_output);
        EXPECT_THAT(written.error().message, HasSubstr(words));
        EXPECT_TRUE(fs::is_symlink(folder / name));
    }
}

TEST(AtomicFile, WritesToADeviceAndAPipeThemselves) {
    EXPECT_TRUE(write_file_atomically("/dev/null", "gone"));
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    const ScratchFolder folder;
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    const auto unread = AtomicFile::create(folder / "pipe");
    ASSERT_FALSE(unread);
    EXPECT_THAT(unread.error().message, HasSubstr("no program reads from"));
    const FileHandle reader(open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK));
    EXPECT_TRUE(write_file_atomically(folder / "pipe", "through"));
    char text[16] = {};
    EXPECT_EQ(read(reader.get(), text, sizeof text), 7);
    EXPECT_STREQ(text, "through");
    EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
    // As a shell's >(command), and /dev/stdout before a pipe: a link that names no path.
    int ends[2] = {};
    ASSERT_EQ(pipe(ends), 0);
    const FileHandle out(ends[0]);
    const FileHandle in(ends[1]);
    EXPECT_TRUE(write_file_atomically("/dev/fd/" + std::to_string(in.get()), "by link"));
    EXPECT_EQ(read(out.get(), text, sizeof text), 7);
    EXPECT_STREQ(text, "by link");
}

TEST(AtomicFile, SaysWhyItCannotBeMade) {
    const ScratchFolder folder;
    for (const auto& [path, words] : {std::pair<fs::path, const char*>{folder.path(), "it names a folder"},
                                      {folder / "no/f", "does not exist"},
                                      {"", "it names a folder"}}) {
        const auto file = AtomicFile::create(path);
        ASSERT_FALSE(file) << path;
        EXPECT_EQ(file.error().kind, ErrorKind::unwritable_output);
        EXPECT_THAT(file.error().message, HasSubstr(words));
    }
    EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(AtomicFile, AFullDeviceIsNoticedAtTheEnd) {
    auto file = AtomicFile::create("/dev/full");
    ASSERT_TRUE(file);
    std::fputs("text", file->handle());
    const auto done = file->commit();
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error().message, HasSubstr("No space left"));
}

TEST(AtomicFile, AnotherAssignedToItDiscardsTheFirst) {
    const ScratchFolder folder;
    auto first = AtomicFile::create(folder / "a");
    auto second = AtomicFile::create(folder / "b");
    ASSERT_TRUE(first && second);
    std::fputs("b", second->handle());
    *first = *std::move(second);
    EXPECT_EQ(folder.names().size(), 1U);
    ASSERT_TRUE(first->commit());
    EXPECT_THAT(folder.names(), ElementsAre("b"));
    EXPECT_EQ(bytes_of(folder / "b"), "b");
}

TEST(FileHandle, ClosesAndDuplicates) {
    int number = -1;
    {
        FileHandle file(open("/dev/null", O_RDONLY));
        ASSERT_TRUE(file);
        const FileHandle second = FileHandle::duplicate(file.get(), 100);
        ASSERT_TRUE(second);
        EXPECT_GE(second.get(), 100);
        EXPECT_NE(fcntl(second.get(), F_GETFD) & FD_CLOEXEC, 0);
        number = file.get();
        EXPECT_EQ(file.close(), 0);
        EXPECT_EQ(file.close(), 0) << "a second time there is nothing to close";
        EXPECT_EQ(fcntl(number, F_GETFD), -1);
        FileHandle moved(open("/dev/null", O_RDONLY));
        number = moved.get();
        file = std::move(moved);
        EXPECT_EQ(file.get(), number);
    }
    EXPECT_EQ(fcntl(number, F_GETFD), -1);
    EXPECT_FALSE(FileHandle::duplicate(-1));
    EXPECT_EQ(FileHandle(12345).close(), EBADF);
}

}  // namespace
}  // namespace workbench
