// SPDX-License-Identifier: MIT
// The order in which the libraries of the image module are loaded.
#include "core/image/library_order.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <link.h>
#include <pthread.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <utility>

#include "core/image/module_loader.h"

namespace {

namespace fs = std::filesystem;
using workbench::libraries_in_order;
using workbench::NeededLibrary;

TEST(LibraryOrder, HasEachLibraryBehindThoseItNeeds) {
    const std::vector<NeededLibrary> all = libraries_in_order(workbench::images_module_path());
    ASSERT_GT(all.size(), 4U);
    const auto place = [&](const std::string& begin) {
        return std::ranges::find_if(all,
                                    [&](const NeededLibrary& one) {
                                        return one.file.filename().string().starts_with(begin);
                                    }) -
               all.begin();
    };
    EXPECT_LT(place("libOpenImageIO_Util.so"), place("libOpenImageIO.so"));
    EXPECT_LT(place("libOpenImageIO.so"), static_cast<std::ptrdiff_t>(all.size()));
    EXPECT_LT(place("libc.so"), place("libstdc++.so"));
    for (std::size_t i = 0; i < all.size(); ++i)
        for (const NeededLibrary& needed : libraries_in_order(all[i].file))
            EXPECT_LT(place(needed.file.filename().string()), static_cast<std::ptrdiff_t>(i))
                << all[i].file << " needs " << needed.file;
}

class Folder {
  public:
    Folder() : m_path((fs::temp_directory_path() / "iir2d_order_XXXXXX").string()) {
        EXPECT_NE(mkdtemp(m_path.data()), nullptr);
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    fs::path path() const { return m_path; }

  private:
    std::string m_path;
};

template <class T>
std::string bytes_of(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

// A library that is a header, two segments, a dynamic section and a table of strings.
struct Library {
    ElfW(Ehdr) header{};
    ElfW(Phdr) load{.p_type = PT_LOAD};
    ElfW(Phdr) dynamic{.p_type = PT_DYNAMIC};
    std::vector<ElfW(Dyn)> entries;
    std::string strings = std::string(1, '\0');

    static constexpr std::size_t begin = sizeof(ElfW(Ehdr)) + 2 * sizeof(ElfW(Phdr));

    Library() {
        std::memcpy(header.e_ident, ELFMAG, SELFMAG);
        // What is of this machine is taken from a library of it.
        ElfW(Ehdr) own{};
        std::ifstream(workbench::images_module_path(), std::ios::binary)
            .read(reinterpret_cast<char*>(&own), sizeof(own));
        header.e_ident[EI_CLASS] = own.e_ident[EI_CLASS];
        header.e_ident[EI_DATA] = own.e_ident[EI_DATA];
        header.e_machine = own.e_machine;
        header.e_type = ET_DYN;
        header.e_phoff = sizeof(header);
        header.e_phentsize = sizeof(ElfW(Phdr));
        header.e_phnum = 2;
    }
    void add(std::int64_t tag, const std::string& text) {
        entries.push_back({.d_tag = tag, .d_un = {.d_val = strings.size()}});
        strings += text + '\0';
    }
    // Adds what says where the strings are, and the end.
    void close() {
        const std::size_t table = begin + (entries.size() + 3) * sizeof(ElfW(Dyn));
        entries.push_back({.d_tag = DT_STRTAB, .d_un = {.d_ptr = table}});
        entries.push_back({.d_tag = DT_STRSZ, .d_un = {.d_val = strings.size()}});
        entries.push_back({.d_tag = DT_NULL, .d_un = {}});
        dynamic.p_offset = dynamic.p_vaddr = begin;
        dynamic.p_filesz = entries.size() * sizeof(ElfW(Dyn));
        load.p_filesz = table + strings.size();
    }
    std::string text() const {
        std::string made = bytes_of(header) + bytes_of(load) + bytes_of(dynamic);
        for (const ElfW(Dyn) & entry : entries) made += bytes_of(entry);
        return made + strings;
    }
    fs::path write(const fs::path& file) const {
        fs::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text();
        return file;
    }
};

// One that needs the C library.
Library plain() {
    Library made;
    made.add(DT_NEEDED, "libc.so.6");
    made.close();
    return made;
}

TEST(LibraryOrder, NamesTheSystemsLibrariesBareAndOthersByTheirFiles) {
    const Folder folder;
    Library top;
    top.add(DT_RUNPATH, "$ORIGIN/a:$ORIGIN/b");
    top.add(DT_NEEDED, "libplain.so");
    top.close();
    // The first of that name is of another machine: the dynamic linker goes on to the next folder.
    Library other = plain();
    other.header.e_machine = EM_S390;
    other.write(folder.path() / "a" / "libplain.so");
    const fs::path second = plain().write(folder.path() / "b" / "libplain.so");
    const auto all = libraries_in_order(top.write(folder.path() / "top.so"));
    ASSERT_GE(all.size(), 2U);
    EXPECT_EQ(all.back().file, second);
    EXPECT_EQ(all.back().name, second.string());
    const auto& c = all[all.size() - 2];
    EXPECT_EQ(c.name, "libc.so.6");
    EXPECT_EQ(c.file.filename(), "libc.so.6");
    EXPECT_TRUE(c.file.is_absolute());
}

TEST(LibraryOrder, BelievesNoNumberOfADynamicSection) {
    const Folder folder;
    const auto order_of = [&](const Library& library) {
        return libraries_in_order(library.write(folder.path() / "file.so"));
    };
    ASSERT_FALSE(order_of(plain()).empty());
    const auto changed = [&](auto change) {
        Library made = plain();
        change(made);
        return order_of(made);
    };
    constexpr auto huge = std::numeric_limits<std::uint64_t>::max() - 8;
    EXPECT_TRUE(changed([](Library& one) { one.header.e_machine = EM_S390; }).empty());
    EXPECT_TRUE(changed([](Library& one) { one.header.e_type = ET_EXEC; }).empty());
    EXPECT_TRUE(changed([](Library& one) { one.header.e_phoff = huge; }).empty());
    EXPECT_TRUE(changed([](Library& one) { one.dynamic.p_offset = huge; }).empty());
    EXPECT_TRUE(changed([](Library& one) { one.dynamic.p_filesz = huge; }).empty());
    EXPECT_TRUE(changed([](Library& one) { one.load.p_offset = huge; }).empty());
    // The name begins behind the table, or does not end in it.
    EXPECT_TRUE(changed([](Library& one) { one.entries[0].d_un.d_val = one.strings.size(); }).empty());
    EXPECT_TRUE(changed([](Library& one) { one.entries[0].d_un.d_val = huge; }).empty());
    EXPECT_TRUE(changed([](Library& one) { one.entries[2].d_un.d_val = 4; }).empty());
    // The table is behind its segment.
    EXPECT_TRUE(changed([](Library& one) { one.entries[1].d_un.d_ptr = huge; }).empty());
    EXPECT_TRUE(changed([](Library& one) { one.entries[2].d_un.d_val = huge; }).empty());
    // The section ends before its entries say so, and what stands behind its end does not count.
    EXPECT_TRUE(changed([](Library& one) { one.dynamic.p_filesz = sizeof(ElfW(Dyn)); }).empty());
    EXPECT_TRUE(changed([](Library& one) { std::swap(one.entries[1], one.entries[3]); }).empty());
    // Cut off anywhere.
    const std::string whole = plain().text();
    for (std::size_t bytes = 0; bytes < whole.size(); bytes += 8) {
        std::ofstream(folder.path() / "cut.so", std::ios::binary) << whole.substr(0, bytes);
        EXPECT_TRUE(libraries_in_order(folder.path() / "cut.so").empty()) << bytes;
    }
}

TEST(LibraryOrder, IsEmptyForWhatIsNoLibrary) {
    const Folder temporary;
    const fs::path folder = temporary.path();
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
}

#ifdef __GLIBC__
TEST(LibraryOrder, LeavesTheStacksOfLaterThreadsAsTheyWere) {
    const auto stack = [] {
        pthread_attr_t attributes;
        std::size_t bytes = 0;
        EXPECT_EQ(pthread_getattr_default_np(&attributes), 0);
        EXPECT_EQ(pthread_attr_getstacksize(&attributes, &bytes), 0);
        pthread_attr_destroy(&attributes);
        return bytes;
    };
    const std::size_t before = stack();
    workbench::load_libraries_in_order(workbench::images_module_path());
    EXPECT_EQ(stack(), before);
}
#endif

}  // namespace
