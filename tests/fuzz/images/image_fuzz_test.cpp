// SPDX-License-Identifier: MIT
// The driver's own parts: mutations that can be had again, and sentences told apart.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "core/image/image_io.h"
#include "tests/fuzz/images/counts.h"
#include "tests/fuzz/images/mutate.h"

namespace workbench::fuzz {
namespace {

TEST(Mutate, FollowsFromTheSeedAlone) {
    const std::vector<std::string> others{std::string(100, 'a'), std::string(3000, 'b')};
    std::set<std::string> different;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        Random once(seed);
        Random again(seed);
        const std::string made = mutate(others[seed % 2], others, once);
        ASSERT_EQ(made, mutate(others[seed % 2], others, again));
        ASSERT_FALSE(made.empty());
        ASSERT_LT(made.size(), 100'000U);
        different.insert(made);
    }
    EXPECT_GT(different.size(), 450U);
}

TEST(Mutate, TakesFilesOfOneByte) {
    const std::vector<std::string> others{"x"};
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        Random random(seed);
        EXPECT_FALSE(mutate("x", others, random).empty());
    }
}

// A file that is refused as it is would be no start for anything.
TEST(Corpus, IsReadWhole) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(IIR2D_IMAGE_CORPUS)) {
        if (entry.path().extension() == ".py") continue;
        ++files;
        EXPECT_LT(entry.file_size(), 9000U) << entry.path();
        const auto image = read_image(entry.path());
        EXPECT_TRUE(image) << image.error().message;
    }
    EXPECT_GE(files, 50U);
}

TEST(Mutate, RepairsTheChecksumsOfPng) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(IIR2D_IMAGE_CORPUS)) {
        std::ifstream stream(entry.path(), std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
        std::string repaired = bytes;
        if (entry.path().extension() == ".png") {
            ++files;
            repaired[30] = static_cast<char>(repaired[30] + 1);  // in the first checksum
            ASSERT_NE(repaired, bytes);
        }
        repair_checksums(repaired);
        EXPECT_TRUE(repaired == bytes) << entry.path();
    }
    EXPECT_GE(files, 3U);
}

// 32,767 layers that are not there: the decoder complains about each.
TEST(Found, EndlessComplaintsAreOneSentence) {
    std::ifstream stream(IIR2D_IMAGE_CORPUS "/layer.psd", std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    const std::size_t layers = 34 + static_cast<unsigned char>(bytes[33]) + 8;  // after the resources
    bytes.replace(layers, 2, "\x7f\xff");
    const auto path =
        std::filesystem::temp_directory_path() / ("iir2d-layers-" + std::to_string(::getpid()) + ".psd");
    std::ofstream(path, std::ios::binary) << bytes;
    const auto image = read_image(path);
    std::filesystem::remove(path);
    ASSERT_FALSE(image);
    EXPECT_THAT(image.error().message, ::testing::HasSubstr("hit end of file"));
    EXPECT_LT(image.error().message.size(), 1000U);
}

End end_of_sentence(const std::string& what) {
    return end_of({ErrorKind::bad_input, "\"a.psd\" could not be read: the PSD decoder " + what +
                                             "; the file is damaged or hostile"});
}

TEST(Counts, KnowsTheSentences) {
    EXPECT_EQ(end_of_sentence("crashed (signal 11, segmentation fault)"), End::died);
    EXPECT_EQ(end_of_sentence("ended by itself with exit code 1"), End::died);
    EXPECT_EQ(end_of_sentence("was ended from outside (signal 9, killed)"), End::died);
    EXPECT_EQ(end_of_sentence("needed more memory than the 256 MiB that it may take"), End::memory);
    EXPECT_EQ(end_of_sentence("took more than the 20 s of processor time that it may take"), End::time);
    EXPECT_EQ(end_of_sentence("gave no sign of life for 120 s"), End::time);
    EXPECT_EQ(end_of_sentence("gave an answer without sense"), End::other);
    EXPECT_EQ(end_of_sentence("was ended: it sent bytes that are not a frame"), End::other);
    EXPECT_EQ(end_of({ErrorKind::bad_input, "\"a.png\" is damaged or incomplete: CRC error"}), End::refused);
    EXPECT_EQ(end_of({ErrorKind::cancelled, "reading was cancelled"}), End::time);
    EXPECT_EQ(end_of({ErrorKind::device_failure, "images cannot be read or written"}), End::other);
    EXPECT_EQ(signal_of({ErrorKind::bad_input, "the decoder crashed (signal 11, segmentation fault); x"}),
              "signal 11");
    EXPECT_EQ(signal_of({ErrorKind::bad_input, "ended by itself"}), "");
}

TEST(Counts, AreAddedUp) {
    Counts counts;
    counts["png"].ends = {5, 4, 3, 2, 1, 0};
    counts["png"].signals["signal 11"] = 3;
    counts["psd"].ends = {1, 1, 1, 1, 1, 1};
    EXPECT_THAT(as_table(counts),
                ::testing::HasSubstr("| png | 15 | 5 | 4 | 3 | 2 | 1 | 0 | signal 11: 3 |"));
    EXPECT_THAT(as_table(counts), ::testing::HasSubstr("| all | 21 | 6 | 5 | 4 | 3 | 2 | 1 |"));
    EXPECT_THAT(as_json(counts), ::testing::HasSubstr("\"png\": {\"files\": 15, \"read\": 5"));
}

}  // namespace
}  // namespace workbench::fuzz
