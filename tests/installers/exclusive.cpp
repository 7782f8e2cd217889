// SPDX-License-Identifier: MIT
// An atomic file takes no name that is there: installers/check_windows.sh runs this under wine, where fopen's
// "x" says nothing.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/support/atomic_file.h"

int main() {
    const std::filesystem::path target = "exclusive.txt";
    const std::string taken = workbench::temporary_sibling(target).string();
    // The name that comes next is a stranger's.
    const auto digit = taken.rfind('-') + 1;
    const int next = std::stoi(taken.substr(digit)) + 1;
    const std::filesystem::path stranger = taken.substr(0, digit) + std::to_string(next) + ".tmp";
    std::ofstream(stranger, std::ios::binary) << "a stranger's";
    {
        auto file = workbench::AtomicFile::create(target);
        if (!file || std::fputs("ours", file->handle()) < 0 || !file->commit()) {
            std::puts("the file was not written");
            return 1;
        }
    }
    const auto content_of = [](const std::filesystem::path& path) {
        std::ifstream file(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    const bool kept = content_of(stranger) == "a stranger's";
    const bool written = content_of(target) == "ours";
    std::filesystem::remove(stranger);
    if (!kept) std::puts("a name that was there was taken");
    if (!written) std::puts("the file has other content");
    return kept && written ? 0 : 1;
}
