// SPDX-License-Identifier: MIT
// A file that could not be written whole is not there, and the old one is.
#include <gmock/gmock.h>

#include <fstream>

#include "tests/core/image/image_testing.h"

#if !defined(_WIN32)
#include <sys/stat.h>
#include <unistd.h>

#include "tests/full_disk.h"
#endif

namespace workbench {
namespace {

namespace fs = std::filesystem;
#if !defined(_WIN32)
using testing::FullDisk;
#endif
using testing::bytes_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::make_image;
using testing::ScratchFolder;
using testing::write_bytes;
using enum SampleType;

#if !defined(_WIN32)
class EachFormat : public ::testing::TestWithParam<const char*> {};

TEST_P(EachFormat, LeavesTheOldFileOnAFullDisk) {
    const ScratchFolder folder;
    const std::string name = std::string("old.") + GetParam();
    Image image = make_image(90, 70, 3, u8);
    if (std::string(GetParam()) == "exr" || std::string(GetParam()) == "hdr") image.info.type = f32;
    ASSERT_TRUE(write_image(image, folder / name));
    const auto whole = static_cast<rlim_t>(fs::file_size(folder / name));
    write_bytes(folder / name, "the old content");
    // Where the file's first, middle and last bytes no longer fit.
    for (const rlim_t room : {rlim_t{0}, rlim_t{10}, whole / 2, whole - 200, whole - 1}) {
        SCOPED_TRACE("room for " + std::to_string(room) + " of " + std::to_string(whole) + " bytes");
        const auto written = [&] {
            const FullDisk disk(room);
            return write_image(image, folder / name);
        }();
        ASSERT_FALSE(written);
        EXPECT_EQ(written.error().kind, ErrorKind::unwritable_output);
        EXPECT_THAT(written.error().message, HasSubstr(name));
        EXPECT_EQ(bytes_of(folder / name), "the old content");
        EXPECT_THAT(folder.names(), ElementsAre(name));
    }
    ASSERT_TRUE(write_image(image, folder / name));
    EXPECT_TRUE(read_image(folder / name));
}
INSTANTIATE_TEST_SUITE_P(All, EachFormat,
                         ::testing::Values("png", "jpg", "tif", "exr", "hdr", "webp", "bmp", "tga", "pnm",
                                           "dpx"),
                         [](const auto& test) { return std::string(test.param); });

TEST(WriteFailure, AFolderThatIsNotWritable) {
    const ScratchFolder folder;
    fs::create_directory(folder / "locked");
    write_bytes(folder / "locked/a.png", "old");
    chmod((folder / "locked").c_str(), 0500);
    if (geteuid() == 0) {
        chmod((folder / "locked").c_str(), 0700);
        GTEST_SKIP() << "root may write anywhere";
    }
    const auto written = write_image(make_image(4, 4, 1, u8), folder / "locked/a.png");
    chmod((folder / "locked").c_str(), 0700);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().kind, ErrorKind::unwritable_output);
    EXPECT_EQ(bytes_of(folder / "locked/a.png"), "old");
}

// Works for root too: nobody may create files there.
TEST(WriteFailure, AFolderThatTakesNoFiles) {
    if (!fs::exists("/proc/self")) GTEST_SKIP() << "no /proc here";
    const auto written = write_image(make_image(4, 4, 1, u8), "/proc/self/a.png");
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().kind, ErrorKind::unwritable_output);
    EXPECT_THAT(written.error().message, HasSubstr("/proc/self/a.png"));
}

TEST(WriteFailure, PermissionsAndLinksAreKept) {
    const ScratchFolder folder;
    write_bytes(folder / "a.png", "old");
    chmod((folder / "a.png").c_str(), 0640);
    fs::create_symlink("a.png", folder / "link.png");
    ASSERT_TRUE(write_image(make_image(4, 4, 1, u8), folder / "link.png"));
    EXPECT_TRUE(fs::is_symlink(folder / "link.png"));
    struct stat status {};
    ASSERT_EQ(stat((folder / "a.png").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0640U);
    EXPECT_TRUE(read_image(folder / "a.png"));
}

TEST(WriteFailure, ADeviceIsNotReplaced) {
    const ScratchFolder folder;
    const auto pipe = folder / "pipe.png";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const auto written = write_image(make_image(4, 4, 1, u8), pipe);
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error().message, HasSubstr("regular"));
    EXPECT_TRUE(fs::is_fifo(pipe));
    EXPECT_FALSE(read_image(pipe));
}
#endif

TEST(WriteFailure, NamesThatCannotBe) {
    const ScratchFolder folder;
    const Image image = make_image(4, 4, 3, u8);
    fs::create_directory(folder / "folder.png");
    for (const auto& [name, words] : {std::pair{"none", "extension"},
                                      {"a.xyz", ".xyz"},
                                      {"a.gif", ".png"},
                                      {"missing/a.png", "does not exist"},
                                      {"folder.png", "folder"}}) {
        SCOPED_TRACE(name);
        const auto written = write_image(image, folder / name);
        ASSERT_FALSE(written);
        EXPECT_EQ(written.error().kind, ErrorKind::unwritable_output);
        EXPECT_THAT(written.error().message, HasSubstr(words));
        EXPECT_THAT(folder.names(), ElementsAre("folder.png"));
    }
}

TEST(WriteFailure, ChannelsAndSizesThatTheFormatCannotHold) {
    const ScratchFolder folder;
    for (const auto& [name, channels] : {std::pair{"a.jpg", 4},
                                         {"a.jpg", 2},
                                         {"a.png", 5},
                                         {"a.hdr", 1},
                                         {"a.hdr", 4},
                                         {"a.webp", 1},
                                         {"a.webp", 4},
                                         {"a.bmp", 2},
                                         {"a.tga", 5},
                                         {"a.pnm", 4},
                                         {"a.dpx", 2},
                                         {"a.dpx", 5},
                                         {"a.dpx", 64}}) {
        SCOPED_TRACE(std::string(name) + " " + std::to_string(channels));
        const auto written = write_image(make_image(4, 4, channels, u8), folder / name);
        ASSERT_FALSE(written);
        EXPECT_EQ(written.error().kind, ErrorKind::unwritable_output);
        EXPECT_THAT(written.error().message, HasSubstr("the image has " + std::to_string(channels)));
    }
    for (const char* name : {"a.jpg", "a.webp", "a.tga"}) {
        SCOPED_TRACE(name);
        const auto written = write_image(make_image(70000, 1, 3, u8), folder / name);
        ASSERT_FALSE(written);
        EXPECT_THAT(written.error().message, HasSubstr("the image is 70000 x 1"));
    }
    for (const char* name : {"a.png", "a.tif", "a.exr", "a.hdr", "a.bmp", "a.pnm", "a.dpx"}) {
        SCOPED_TRACE(name);
        ASSERT_TRUE(write_image(make_image(70000, 2, 3, u8), folder / name));
        EXPECT_EQ(read_image(folder / name)->info.width, 70000);
        fs::remove(folder / name);
    }
    EXPECT_FALSE(write_image(Image{}, folder / "a.png"));
    EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(WriteFailure, CancelLeavesNothing) {
    const ScratchFolder folder;
    write_bytes(folder / "a.tif", "old");
    std::stop_source stop;
    const TaskControl control{.stop = stop.get_token(),
                              .progress = [&](double, std::string_view) { stop.request_stop(); }};
    const auto written = write_image(make_image(1500, 2000, 1, u8), folder / "a.tif", {}, control);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().kind, ErrorKind::cancelled);
    EXPECT_EQ(bytes_of(folder / "a.tif"), "old");
    EXPECT_THAT(folder.names(), ElementsAre("a.tif"));
}

}  // namespace
}  // namespace workbench
