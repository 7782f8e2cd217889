// SPDX-License-Identifier: MIT
#include "core/duel/own_pages.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "tests/core/duel/duel_testing.h"
#include "tests/mapping_of.h"

namespace workbench::duel {
namespace {

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

    ASSERT_TRUE(copy_to_own_pages(known));
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
