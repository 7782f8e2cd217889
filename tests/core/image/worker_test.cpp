// SPDX-License-Identifier: MIT
// A file that crashes, hangs or bloats a decoder costs that file and a sentence; what comes after is read.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "core/image/library_version.h"
#include "core/image/memory_need.h"
#include "core/image/worker_limits.h"
#include "tests/core/image/hostile_testing.h"
#include "tests/core/image/image_testing.h"
#include "tests/core/image/small_files.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using testing::bytes_of;
using testing::expect_refused;
using ::testing::HasSubstr;
using testing::make_image;
using ::testing::Not;
using testing::same_bits;
using testing::ScratchFolder;
using testing::write_bytes;

const fs::path samples = fs::path(IIR2D_SOURCE_DIR) / "resources/samples";

std::string with_bytes(std::string bytes, std::size_t first, const std::string& others) {
    return bytes.replace(first, others.size(), others);
}

struct Whole {
    const char* name;
    std::string bytes;
};

std::vector<Whole> whole_files(const ScratchFolder& folder) {
    return {{"small.sgi", testing::small_sgi()},
            {"small.psd", testing::small_psd()},
            {"small.cin", testing::small_cineon()},
            {"small.iff", testing::small_file("iff", folder / "made.iff")},
            {"small.ico", testing::small_file("ico", folder / "made.ico")},
            {"small.dpx", testing::small_file("dpx", folder / "made.dpx")}};
}

TEST(ImageWorker, MayTakeNoMoreThanThePixelsThatItSharesLeave) {
    constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
    ASSERT_EQ(setenv("IIR2D_MEMORY_LIMIT", "2147483648", 1), 0);
    ImageInfo info;
    info.native_bytes = 4096 * mebibyte;
    const auto alone = limits_to_decode(info, 0).memory_bytes;
    EXPECT_EQ(limits_to_decode(info, 64 * mebibyte).memory_bytes, alone - 64 * mebibyte);
    // What it needs to run at all, it may take.
    EXPECT_GE(limits_to_decode(info, 4096 * mebibyte).memory_bytes, 256 * mebibyte);
    ASSERT_EQ(unsetenv("IIR2D_MEMORY_LIMIT"), 0);
}

TEST(ImageWorker, FormatsWithWeakDecodersAreRead) {
    const ScratchFolder folder;
    for (const auto& [name, bytes] : whole_files(folder)) {
        SCOPED_TRACE(name);
        write_bytes(folder / name, bytes);
        const auto image = read_image(folder / name);
        ASSERT_TRUE(image) << image.error().message;
        EXPECT_EQ(image->info.width, testing::small_width);
        EXPECT_EQ(image->info.height, testing::small_height);
    }
}

TEST(ImageWorker, ADecodersCrashCostsOneFile) {
    const ScratchFolder folder;
    const std::string ones(4, '\xff');
    // A colour profile's tag that points beyond it: OpenImageIO 2.4 reads there.
    write_bytes(folder / "bad.jpg", with_bytes(bytes_of(samples / "rocket.jpg"), 174, ones));
    for (int round = 0; round < 3; ++round) {
        const auto bad = read_image(folder / "bad.jpg");
        ASSERT_FALSE(bad);
        expect_refused(bad.error(), folder / "bad.jpg");
        EXPECT_THAT(bad.error().message, HasSubstr("the JPEG decoder crashed"));
        EXPECT_THAT(bad.error().message, HasSubstr("signal 11"));
        const auto probed = probe_image(folder / "bad.jpg");
        ASSERT_FALSE(probed);
        EXPECT_THAT(probed.error().message, HasSubstr("the JPEG decoder crashed"));
        const auto good = read_image(samples / "rocket.jpg");
        ASSERT_TRUE(good) << good.error().message;
        EXPECT_EQ(good->info.format, "jpeg");
    }
}

TEST(ImageWorker, SizesThatAreNotTrueAreRefusedBeforeTheyAreTaken) {
    const ScratchFolder folder;
    const std::string huge("\x7f\xff\xff\xff", 4);
    const struct {
        const char* name;
        std::string bytes;
    } hostile[] = {
        {"size.dpx", with_bytes(testing::small_file("dpx", folder / "made.dpx"), 32, huge)},
        {"resource.psd", with_bytes(testing::small_psd(), 72, "\x7f")},
        {"samples.sgi", with_bytes(testing::small_sgi(), 3, std::string(1, '\0'))},
    };
    for (const auto& [name, bytes] : hostile) {
        SCOPED_TRACE(name);
        write_bytes(folder / name, bytes);
        const auto image = read_image(folder / name);
        ASSERT_FALSE(image);
        expect_refused(image.error(), folder / name);
        EXPECT_TRUE(read_image(samples / "rocket.jpg"));
    }
}

// What the changes do to a decoder is its business.
TEST(ImageWorker, MutatedFilesOfWeakDecodersDoNoHarm) {
    const ScratchFolder folder;
    for (const auto& [name, bytes] : whole_files(folder)) {
        SCOPED_TRACE(name);
        testing::Xorshift random(bytes.size());
        for (int round = 0; round < 30; ++round) {
            std::string mutant = bytes;
            constexpr char extremes[] = {'\0', '\1', '\x7f', '\x80', '\xff'};
            const std::size_t range = std::min<std::size_t>(bytes.size(), round % 2 == 0 ? 64 : 800);
            for (int i = 0; i < 2; ++i) mutant[random() % range] = extremes[random() % 5];
            write_bytes(folder / name, mutant);
            const auto image = read_image(folder / name, {.memory_limit = testing::small_limit});
            if (!image) expect_refused(image.error(), folder / name);
        }
    }
    EXPECT_TRUE(read_image(samples / "rocket.jpg"));
}

TEST(ImageWorker, ManyReadAtOnceWhileSomeCrash) {
    const ScratchFolder folder;
    write_bytes(folder / "bad.jpg",
                with_bytes(bytes_of(samples / "rocket.jpg"), 174, std::string(4, '\xff')));
    const auto expected = read_image(samples / "astronaut.png");
    ASSERT_TRUE(expected);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i) {
        threads.emplace_back([&, i] {
            for (int round = 0; round < 3; ++round) {
                if (i % 2 == 0) {
                    EXPECT_FALSE(read_image(folder / "bad.jpg"));
                } else {
                    const auto image = read_image(samples / "astronaut.png");
                    EXPECT_TRUE(image && same_bits(image->pixels, expected->pixels));
                }
            }
        });
    }
}

// Samples lie in memory that was the worker's; a copy's must not.
TEST(ImageWorker, ACopyOfAnImageIsItsOwn) {
    auto image = read_image(samples / "rocket.jpg");
    ASSERT_TRUE(image);
    PlanarImage copy = image->pixels;
    ASSERT_TRUE(same_bits(copy, image->pixels));
    const float old = image->pixels.plane_f32(1)[7];
    copy.plane_f32(1)[7] = old + 1;
    EXPECT_EQ(image->pixels.plane_f32(1)[7], old);
    const PlanarImage moved = std::move(image->pixels);
    EXPECT_EQ(moved.plane_f32(1)[7], old);
}

TEST(ImageWorker, HeaderAndNamesCanBeCancelled) {
    std::stop_source stop;
    stop.request_stop();
    const auto info = probe_image(samples / "rocket.jpg", 0, stop.get_token());
    ASSERT_FALSE(info);
    EXPECT_EQ(info.error().kind, ErrorKind::cancelled) << info.error().message;
    const auto names = image_names(samples / "rocket.jpg", stop.get_token());
    ASSERT_FALSE(names);
    EXPECT_EQ(names.error().kind, ErrorKind::cancelled) << names.error().message;
    EXPECT_TRUE(probe_image(samples / "rocket.jpg")) << "and the next is read";
}

TEST(ImageWorker, CancelledInTheMiddleReadsTheNext) {
    const ScratchFolder folder;
    ASSERT_TRUE(write_image(make_image(1500, 3000, 1, SampleType::u8), folder / "a.png"));
    std::stop_source stop;
    const TaskControl control{.stop = stop.get_token(),
                              .progress = [&](double, std::string_view) { stop.request_stop(); }};
    const auto image = read_image(folder / "a.png", {}, control);
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().kind, ErrorKind::cancelled);
    EXPECT_TRUE(read_image(folder / "a.png"));
}

// The processes that a process has started and that still run.
std::vector<int> children_of(int parent) {
    std::vector<int> children;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        std::ifstream stat(entry.path() / "stat");
        std::string number, name, state;
        int its_parent = 0;
        if (stat >> number >> name >> state >> its_parent && its_parent == parent)
            children.push_back(std::stoi(number));
    }
    return children;
}

TEST(ImageWorker, AWorkerEndedFromOutsideIsNotBlamedOnTheFile) {
    const ScratchFolder folder;
    ASSERT_TRUE(write_image(make_image(3000, 3000, 1, SampleType::u8), folder / "a.png"));
    for (const int signal : {SIGKILL, SIGTERM}) {
        Result<Image> image;
        // The child may have sent everything before it is ended: then once more.
        for (int round = 0; round < 20 && image; ++round) {
            const TaskControl control{.progress = [&](double, std::string_view) {
                for (const int server : children_of(getpid()))
                    for (const int child : children_of(server)) kill(child, signal);
            }};
            image = read_image(folder / "a.png", {}, control);
        }
        ASSERT_FALSE(image);
        EXPECT_EQ(image.error().kind, ErrorKind::device_failure);
        EXPECT_THAT(image.error().message, HasSubstr("a.png\" could not be read: the image worker was ended "
                                                     "from outside (signal " +
                                                     std::to_string(signal)));
        EXPECT_THAT(image.error().message, Not(HasSubstr("damaged")));
        EXPECT_TRUE(read_image(folder / "a.png")) << "the next one is read";
    }
}

TEST(ImageWorker, APipeIsNotWaitedFor) {
    const ScratchFolder folder;
    const fs::path pipe = folder / "pipe.png";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    for (const auto& error : {read_image(pipe).error(), probe_image(pipe).error()}) {
        expect_refused(error, pipe);
        EXPECT_THAT(error.message, HasSubstr("is not a regular file"));
    }
}

TEST(ImageWorker, TheListedFormatsAreThoseOfTheModule) {
    const auto known = image_formats();
    ASSERT_TRUE(known) << known.error().message;
    std::vector<std::string> both;
    for (const FormatAbility& format : *known) {
        if (format.reads && format.writes)
            both.insert(both.end(), format.extensions.begin(), format.extensions.end());
    }
    EXPECT_THAT(both, ::testing::IsSupersetOf(readable_extensions()));
    EXPECT_THAT(both, ::testing::IsSupersetOf(writable_extensions()));
    EXPECT_THAT(image_library_version(), ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

// A page a kilobyte; names are found in one pass, where OpenImageIO starts from the first page for each.
TEST(ImageWorker, PagesOfATiffAreCountedInOnePass) {
    const ScratchFolder folder;
    constexpr std::uint32_t pages = 5000;
    std::string bytes("II\x2a\0\x08\0\0\0", 8);
    const auto put = [&bytes](std::uint32_t value, int size) {
        for (int i = 0; i < size; ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 255));
    };
    constexpr std::uint32_t directory_bytes = 2 + 9 * 12 + 4 + 8;
    for (std::uint32_t page = 0; page < pages; ++page) {
        const std::uint32_t start = 8 + page * directory_bytes;
        const std::uint32_t name_at = start + directory_bytes - 8;
        const std::uint32_t entries[][4] = {{256, 4, 1, 1}, {257, 4, 1, 1}, {258, 3, 1, 8},
                                            {259, 3, 1, 1}, {262, 3, 1, 1}, {273, 4, 1, 8},
                                            {277, 3, 1, 1}, {279, 4, 1, 1}, {285, 2, 8, name_at}};
        put(9, 2);
        for (const auto& [tag, type, count, value] : entries) {
            put(tag, 2);
            put(type, 2);
            put(count, 4);
            put(value, 4);
        }
        put(page + 1 < pages ? start + directory_bytes : 0, 4);
        std::string name = "p" + std::to_string(page);
        name.resize(8, '\0');
        bytes += name;
    }
    write_bytes(folder / "pages.tif", bytes);
    const auto info = probe_image(folder / "pages.tif");
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->image_count, static_cast<int>(pages));
    const auto names = image_names(folder / "pages.tif");
    ASSERT_TRUE(names) << names.error().message;
    ASSERT_EQ(names->size(), pages);
    EXPECT_EQ(names->front(), "p0");
    EXPECT_EQ(names->back(), "p" + std::to_string(pages - 1));
}

TEST(ImageWorker, MemoryIsSaidBeforeItIsTaken) {
    const auto info = probe_image(samples / "rocket.jpg");
    ASSERT_TRUE(info);
    const auto pixels = static_cast<std::uint64_t>(info->width * info->height * info->channels);
    EXPECT_EQ(memory_of_samples(*info, false), pixels * 4);
    EXPECT_EQ(memory_of_samples(*info, true), pixels * 8);
    EXPECT_GE(memory_to_read(*info, false), pixels * 4 + pixels * 2);
    const iir2d::Shape shape{.n = 1, .c = 3, .h = 1000, .w = 1000};
    EXPECT_EQ(memory_to_write(shape, "a.webp") - memory_to_write(shape, "a.png"), 6'000'000U);
}

}  // namespace
}  // namespace workbench
