// SPDX-License-Identifier: MIT
#include "core/duel/library_file.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/support/files.h"
#include "tests/core/record/record_testing.h"

namespace workbench {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class LibraryFileTest : public ::testing::Test {
  protected:
    testing::TemporaryFolder m_temporary;
    fs::path m_folder = m_temporary.path();
};

std::string bytes_of_the_library() {
    std::string bytes(fs::file_size(IIR2D_REAL_LIBRARY), '\0');
    std::ifstream in(IIR2D_REAL_LIBRARY, std::ios::binary);
    EXPECT_TRUE(in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())));
    return bytes;
}

TEST_F(LibraryFileTest, FindsTheFileThePrefixTheBuildDirectoryAndItself) {
    const fs::path real = fs::canonical(IIR2D_REAL_LIBRARY);
    const auto file = find_library("BASE", IIR2D_REAL_LIBRARY);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->path, real);
    EXPECT_EQ(file->sha256, *sha256_of_file(real));
    const auto build = find_library("BASE", IIR2D_BINARY_DIR);
    ASSERT_TRUE(build) << build.error().message;
    EXPECT_EQ(build->path, real);
    fs::create_directories(m_folder / "lib");
    fs::create_symlink(real, m_folder / "lib" / "libiir2d.so.1");
    const auto prefix = find_library("BASE", m_folder.string());
    ASSERT_TRUE(prefix) << prefix.error().message;
    EXPECT_EQ(prefix->path, real);
    const auto own = find_library("NEW", ".");
    ASSERT_TRUE(own) << own.error().message;
    EXPECT_EQ(own->path, real);
}

TEST_F(LibraryFileTest, SaysWhatIsWrongWithWhatIsNone) {
    const auto missing = find_library("BASE", (m_folder / "nowhere").string());
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(missing.error().message, HasSubstr("does not exist or cannot be reached"));
    const auto empty = find_library("NEW", m_folder.string());
    ASSERT_FALSE(empty);
    EXPECT_THAT(empty.error().message, HasSubstr("has no libiir2d"));
    std::ofstream(m_folder / "text.so") << "no library";
    const auto text = find_library("BASE", (m_folder / "text.so").string());
    ASSERT_FALSE(text);
    EXPECT_THAT(text.error().message, HasSubstr("it is not a shared library (ELF)"));
}

TEST_F(LibraryFileTest, SaysThatALibraryIsOfAnotherArchitecture) {
    std::string bytes = bytes_of_the_library();
    bytes[18] = '\x14';  // PowerPC
    bytes[19] = '\0';
    std::ofstream(m_folder / "foreign.so", std::ios::binary) << bytes;
    const auto foreign = find_library("BASE", (m_folder / "foreign.so").string());
    ASSERT_FALSE(foreign);
    EXPECT_EQ(foreign.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(foreign.error().message, HasSubstr("another architecture (ELF machine 20, 64 bits)"));
}

// Whoever opens such a file crashes.
TEST_F(LibraryFileTest, SaysThatALibraryIsCutOff) {
    const std::string bytes = bytes_of_the_library();
    const fs::path file = m_folder / "cut.so";
    for (const std::size_t kept : {std::size_t{40}, std::size_t{100}, std::size_t{5000}, bytes.size() / 2}) {
        std::ofstream(file, std::ios::binary) << bytes.substr(0, kept);
        const auto cut = find_library("NEW", file.string());
        ASSERT_FALSE(cut) << kept;
        EXPECT_EQ(cut.error().kind, ErrorKind::bad_input);
        EXPECT_THAT(cut.error().message, HasSubstr("it is cut off")) << kept;
    }
}

}  // namespace
}  // namespace workbench
