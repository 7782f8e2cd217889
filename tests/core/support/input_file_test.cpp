// SPDX-License-Identifier: MIT
// What is read must be a regular file, and reading and waiting end when they are asked to.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "core/support/files.h"
#include "tests/core/image/image_testing.h"

namespace workbench {
namespace {

using ::testing::HasSubstr;
using testing::ScratchFolder;
using testing::write_bytes;

TEST(InputFile, ReadsAndHashesARegularFile) {
    const ScratchFolder folder;
    const std::string content = std::string(100'000, 'a') + '\0' + "b";
    write_bytes(folder / "f", content);
    EXPECT_EQ(*read_file(folder / "f"), content);
    EXPECT_EQ(*read_file(folder / "f", content.size()), content);
    EXPECT_THAT(read_file(folder / "f", content.size() - 1).error().message,
                HasSubstr("larger than the 100001 bytes"));
    EXPECT_EQ(*sha256_of_file(folder / "f"), sha256_hex(content));
    write_bytes(folder / "empty", "");
    EXPECT_EQ(*read_file(folder / "empty"), "");
}

TEST(InputFile, RefusesWhatHasNoEnd) {
    const ScratchFolder folder;
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    for (const auto& [name, words] :
         {std::pair<std::filesystem::path, const char*>{"/dev/zero", "it is a device"},
          {folder / "pipe", "it is a pipe"},
          {folder.path(), "it is a folder"},
          {folder / "no", "No such file"}}) {
        SCOPED_TRACE(name);
        const auto text = read_file(name);
        ASSERT_FALSE(text);
        EXPECT_EQ(text.error().kind, ErrorKind::bad_input);
        EXPECT_THAT(text.error().message, HasSubstr(words));
        const auto hash = sha256_of_file(name);
        ASSERT_FALSE(hash);
        EXPECT_EQ(hash.error().message, text.error().message);
    }
}

TEST(InputFile, HashingStopsWhenAsked) {
    const ScratchFolder folder;
    write_bytes(folder / "f", "a");
    std::stop_source source;
    source.request_stop();
    const auto hash = sha256_of_file(folder / "f", source.get_token());
    ASSERT_FALSE(hash);
    EXPECT_EQ(hash.error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace workbench
