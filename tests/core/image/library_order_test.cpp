// SPDX-License-Identifier: MIT
// The order in which the libraries of the image module are loaded.
#include "core/image/library_order.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "core/image/module_loader.h"

namespace {

namespace fs = std::filesystem;
using workbench::libraries_in_order;

TEST(LibraryOrder, HasEachLibraryBehindThoseItNeeds) {
    const std::vector<fs::path> all = libraries_in_order(workbench::images_module_path());
    ASSERT_GT(all.size(), 4U);
    const auto place = [&](const std::string& begin) {
        return std::ranges::find_if(
                   all, [&](const fs::path& file) { return file.filename().string().starts_with(begin); }) -
               all.begin();
    };
    EXPECT_LT(place("libOpenImageIO_Util.so"), place("libOpenImageIO.so"));
    EXPECT_LT(place("libOpenImageIO.so"), static_cast<std::ptrdiff_t>(all.size()));
    EXPECT_LT(place("libc.so"), place("libstdc++.so"));
    for (std::size_t i = 0; i < all.size(); ++i)
        for (const fs::path& needed : libraries_in_order(all[i]))
            EXPECT_LT(place(needed.filename().string()), static_cast<std::ptrdiff_t>(i))
                << all[i] << " needs " << needed;
}

TEST(LibraryOrder, IsEmptyForWhatIsNoLibrary) {
    std::string name = (fs::temp_directory_path() / "iir2d_order_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    const fs::path folder = name;
    const auto order_of = [&](std::string_view bytes) {
        std::ofstream(folder / "file.so", std::ios::binary) << bytes;
        return libraries_in_order(folder / "file.so");
    };
    std::string module(1 << 16, '\0');
    std::ifstream(workbench::images_module_path(), std::ios::binary)
        .read(module.data(), static_cast<std::streamsize>(module.size()));
    for (const std::size_t bytes : {0, 3, 40, 64, 200, 1000})
        EXPECT_TRUE(order_of(module.substr(0, bytes)).empty());
    std::string huge = module.substr(0, 4096);
    std::fill(huge.begin() + 64, huge.end(), '\x7f');  // segments and sizes beyond any file
    EXPECT_TRUE(order_of(huge).empty());
    EXPECT_TRUE(libraries_in_order(folder).empty());
    EXPECT_TRUE(libraries_in_order(folder / "missing").empty());
    fs::remove_all(folder);
}

}  // namespace
