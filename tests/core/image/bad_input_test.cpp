// SPDX-License-Identifier: MIT
// Files that are damaged, hostile or no images: one sentence that names the file, or the image that is in it;
// never half of one, never a crash.
#include <gmock/gmock.h>

#include <cstdint>

#include "tests/core/image/hostile_testing.h"
#include "tests/core/image/image_testing.h"

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
using testing::small_limit;
using testing::write_bytes;
using enum SampleType;

void expect_sane(const Image& image) {
    EXPECT_EQ(image.pixels.width(), image.info.width);
    EXPECT_EQ(image.pixels.height(), image.info.height);
    EXPECT_EQ(image.pixels.channels(), image.info.channels);
    EXPECT_EQ(static_cast<int>(image.info.channel_names.size()), image.info.channels);
    EXPECT_GE(image.info.image_count, 1);
    EXPECT_GT(image.info.image_count, image.info.image_index);
}

std::vector<std::string> corpus() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(fs::path(IIR2D_SOURCE_DIR) / "tests/core/image/corpus")) {
        if (entry.path().extension() != ".md") names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
}

class Corpus : public ::testing::TestWithParam<std::string> {};

// bad-* are refused, ok-* open, any-* may do either.
TEST_P(Corpus, IsRefusedOrRead) {
    const fs::path path = fs::path(IIR2D_SOURCE_DIR) / "tests/core/image/corpus" / GetParam();
    const auto info = probe_image(path);
    if (!info) expect_refused(info.error(), path);
    const auto image = read_image(path, {.memory_limit = small_limit});
    if (image) {
        expect_sane(*image);
        EXPECT_FALSE(GetParam().starts_with("bad-")) << "it was read as " << image->info.format << ", "
                                                     << image->info.width << " x " << image->info.height;
    } else {
        expect_refused(image.error(), path);
        EXPECT_FALSE(GetParam().starts_with("ok-")) << image.error().message;
    }
}
INSTANTIATE_TEST_SUITE_P(Files, Corpus, ::testing::ValuesIn(corpus()), [](const auto& test) {
    std::string name = test.param;
    for (char& c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    return name;
});

struct Kind {
    const char* extension;
    SampleType type;
    int channels;
};

// One small file of each format.
constexpr Kind kinds[] = {{"png", u8, 3},  {"png", u16, 1}, {"jpg", u8, 3},  {"tif", u8, 3},
                          {"tif", f32, 3}, {"exr", f16, 3}, {"exr", f32, 1}, {"hdr", f32, 3},
                          {"webp", u8, 3}, {"bmp", u8, 3},  {"bmp", u8, 1},  {"tga", u8, 4},
                          {"pnm", u8, 3},  {"pnm", u8, 1},  {"dpx", u16, 3}, {"dpx", u8, 1}};

class Damaged : public ::testing::TestWithParam<Kind> {
  protected:
    fs::path whole_file(const ScratchFolder& folder) const {
        const auto path = folder / (std::string("whole.") + GetParam().extension);
        const auto written = write_image(make_image(23, 11, GetParam().channels, GetParam().type), path);
        EXPECT_TRUE(written) << written.error().message;
        return path;
    }
};

// Cut off anywhere it is refused, unless what was cut off held no pixels.
TEST_P(Damaged, TruncatedFilesAreRefused) {
    const ScratchFolder folder;
    const auto whole = whole_file(folder);
    const auto intact = read_image(whole);
    ASSERT_TRUE(intact) << intact.error().message;
    const std::string bytes = bytes_of(whole);
    const auto cut = folder / (std::string("cut.") + GetParam().extension);
    const std::size_t step = std::max<std::size_t>(1, bytes.size() / 60);
    int read = 0;
    for (std::size_t length = 0; length < bytes.size(); length += length + 32 < bytes.size() ? step : 1) {
        write_bytes(cut, bytes.substr(0, length));
        const auto image = read_image(cut, {.memory_limit = small_limit});
        if (!image) {
            expect_refused(image.error(), cut);
            continue;
        }
        ++read;
        EXPECT_TRUE(same_bits(image->pixels, intact->pixels))
            << length << " of " << bytes.size() << " bytes gave another image";
    }
    RecordProperty("read_all_the_same", read);
}

// A few changed bytes: an error or an image, and no crash. The same every time.
TEST_P(Damaged, MutatedFilesDoNoHarm) {
    const ScratchFolder folder;
    const std::string bytes = bytes_of(whole_file(folder));
    const auto changed = folder / (std::string("changed.") + GetParam().extension);
    testing::Xorshift random(bytes.size());
    for (int round = 0; round < 60; ++round) {
        std::string mutant = bytes;
        // Headers matter most: every other change is in the first 256 bytes.
        for (std::uint64_t i = 0, changes = 1 + random() % 4; i < changes; ++i) {
            const std::size_t range =
                random() % 2 == 0 ? std::min<std::size_t>(256, mutant.size()) : mutant.size();
            const std::size_t at = random() % range;
            constexpr unsigned char extremes[] = {0x00, 0x01, 0x7F, 0x80, 0xFF};
            mutant[at] = static_cast<char>(random() % 2 == 0 ? extremes[random() % 5] : random() % 256);
        }
        if (random() % 8 == 0) mutant.resize(random() % mutant.size());
        write_bytes(changed, mutant);
        const auto image = read_image(changed, {.memory_limit = small_limit});
        if (image) {
            expect_sane(*image);
        } else {
            expect_refused(image.error(), changed);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, Damaged, ::testing::ValuesIn(kinds), [](const auto& test) {
    return std::string(test.param.extension) + "_" + std::string(name_of(test.param.type)) + "_" +
           std::to_string(test.param.channels);
});

TEST(BadInput, ThingsThatAreNoFiles) {
    const ScratchFolder folder;
    for (const auto& [path, words] : {std::pair{folder / "missing.png", "does not exist"},
                                      {folder.path(), "folder"},
                                      {fs::path("/dev/null"), "regular"},
                                      {fs::path(""), "does not exist"}}) {
        SCOPED_TRACE(path.string());
        for (const auto& error : {read_image(path).error(), probe_image(path).error()}) {
            EXPECT_EQ(error.kind, ErrorKind::bad_input);
            EXPECT_THAT(error.message, HasSubstr(words));
        }
    }
}

TEST(BadInput, AHugeFileIsRefusedBeforeItIsRead) {
    const ScratchFolder folder;
    const auto path = folder / "large.pnm";
    write_bytes(path, "P5\n10000 10000\n255\n");
    fs::resize_file(path, 100'000'019);  // sparse: the pixels are all there
    const auto info = probe_image(path);
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->memory_bytes, 400'000'000U);
    const auto image = read_image(path, {.memory_limit = std::uint64_t{128} << 20});
    ASSERT_FALSE(image);
    EXPECT_THAT(image.error().message, HasSubstr("10000 x 10000"));
    EXPECT_THAT(image.error().message, HasSubstr("128 MiB"));
}

}  // namespace
}  // namespace workbench
