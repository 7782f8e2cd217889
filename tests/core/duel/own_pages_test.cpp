// SPDX-License-Identifier: MIT
#include "core/duel/own_pages.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "tests/core/duel/duel_testing.h"

namespace workbench::duel {
namespace {

struct Mapping {
    std::string access;      // as "r-xp"
    std::uint64_t file = 0;  // its inode; 0: memory without a file
};

// The mapping of this process that an address is in.
Mapping mapping_of(const void* address) {
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        std::istringstream words(line);
        std::uintptr_t first = 0;
        std::uintptr_t end = 0;
        char dash = 0;
        Mapping found;
        std::string offset, device;
        words >> std::hex >> first >> dash >> end >> found.access >> offset >> device >> std::dec >>
            found.file;
        if (words && first <= wanted && wanted < end) return found;
    }
    return {};
}

TEST(OwnPages, HoldTheCodeOfALibraryThatGoesOnWorking) {
    const auto known = loaded_objects();
    void* const library = ::dlopen(planted("near").c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    void* const symbol = ::dlsym(library, "iir2d_api_version_major");
    ASSERT_NE(symbol, nullptr);
    EXPECT_NE(mapping_of(symbol).file, 0U);
    std::array<unsigned char, 32> code{};
    std::memcpy(code.data(), symbol, code.size());

    const auto* const constant =
        reinterpret_cast<const char* (*)()>(::dlsym(library, "iir2d_build_fingerprint"))();
    EXPECT_NE(mapping_of(constant).file, 0U);

    const bool done = copy_to_own_pages(known);
#if defined(__SANITIZE_ADDRESS__)
    EXPECT_FALSE(done);
    GTEST_SKIP() << "under AddressSanitizer nothing is copied";
#endif
    ASSERT_TRUE(done);
    EXPECT_EQ(mapping_of(constant).file, 0U);
    EXPECT_EQ(mapping_of(constant).access, "r--p");
    EXPECT_STREQ(constant, "planted");
    EXPECT_EQ(mapping_of(symbol).file, 0U);
    EXPECT_EQ(mapping_of(symbol).access, "r-xp");
    EXPECT_EQ(std::memcmp(code.data(), symbol, code.size()), 0);
    EXPECT_EQ(reinterpret_cast<int (*)()>(symbol)(), 1);
    // Of the libraries that were there before none is touched.
    EXPECT_NE(mapping_of(reinterpret_cast<const void*>(&std::strlen)).file, 0U);
    EXPECT_EQ(::dlsym(library, "iir2d_api_version_major"), symbol);
    EXPECT_EQ(::dlclose(library), 0);
}

}  // namespace
}  // namespace workbench::duel
