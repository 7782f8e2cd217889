// SPDX-License-Identifier: MIT
#include "core/record/proc_text.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace workbench {
namespace {

TEST(ProcFile, IsReadWholeOrNotAtAll) {
    const auto file =
        std::filesystem::path(::testing::TempDir()) / ("iir2d_proc-" + std::to_string(::getpid()));
    const std::string text(10000, 'x');
    std::ofstream(file) << text;
    EXPECT_EQ(proc_file_text(file), text);
    std::ofstream(file, std::ios::trunc).close();
    EXPECT_EQ(proc_file_text(file), "");
    std::filesystem::remove(file);
    EXPECT_FALSE(proc_file_text(file));
    // A folder can be opened and not read.
    EXPECT_FALSE(proc_file_text(::testing::TempDir()));
}

TEST(OsRelease, GivesThePrettyName) {
    EXPECT_EQ(os_release_name("NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n"),
              "Debian GNU/Linux 12 (bookworm)");
    EXPECT_EQ(os_release_name("PRETTY_NAME=Arch"), "Arch");
    EXPECT_EQ(os_release_name("PRETTY_NAME='Odd \"one\"'\n"), "Odd \"one\"");
    EXPECT_FALSE(os_release_name("NAME=x\n"));
    EXPECT_FALSE(os_release_name("PRETTY_NAME=\n"));
    EXPECT_FALSE(os_release_name(""));
}

constexpr const char* two_packages =
    "processor\t: 0\nmodel name\t: Some CPU @ 2.00GHz\nphysical id\t: 0\ncore id\t\t: 0\n\n"
    "processor\t: 1\nmodel name\t: Some CPU @ 2.00GHz\nphysical id\t: 0\ncore id\t\t: 1\n\n"
    "processor\t: 2\nmodel name\t: Some CPU @ 2.00GHz\nphysical id\t: 0\ncore id\t\t: 0\n\n"
    "processor\t: 3\nmodel name\t: Some CPU @ 2.00GHz\nphysical id\t: 1\ncore id\t\t: 0\n\n";

TEST(CpuInfo, CountsCoresOnceHoweverManyThreadsTheyHave) {
    EXPECT_EQ(cpuinfo_physical_cores(two_packages), 3);
    EXPECT_EQ(cpuinfo_model(two_packages), "Some CPU @ 2.00GHz");
}

TEST(CpuInfo, SaysNothingWhereTheFileDoesNot) {
    EXPECT_FALSE(cpuinfo_physical_cores("processor : 0\nBogoMIPS : 50\n"));
    EXPECT_FALSE(cpuinfo_physical_cores("core id : 0\n")) << "a core of no package";
    EXPECT_FALSE(cpuinfo_model("processor : 0\n"));
    EXPECT_EQ(cpuinfo_model("processor : 0\nModel\t\t: Raspberry Pi 5\n"), "Raspberry Pi 5");
}

TEST(LoadAverage, IsTheFirstFigure) {
    EXPECT_EQ(loadavg_one_minute("0.42 0.30 0.25 1/234 5678\n"), 0.42);
    EXPECT_FALSE(loadavg_one_minute(""));
    EXPECT_FALSE(loadavg_one_minute("n/a"));
}

TEST(MemInfo, IsInBytes) {
    constexpr const char* text = "MemTotal:       16384 kB\nMemFree:  1 kB\nMemAvailable:    8192 kB\n";
    EXPECT_EQ(meminfo_bytes(text, "MemTotal"), 16384U * 1024);
    EXPECT_EQ(meminfo_bytes(text, "MemAvailable"), 8192U * 1024);
    EXPECT_FALSE(meminfo_bytes(text, "SwapTotal"));
    EXPECT_FALSE(meminfo_bytes("MemTotal: lots kB\n", "MemTotal"));
}

TEST(Governor, IsOneNameOrAllOfThem) {
    EXPECT_EQ(combined_governor({"performance\n", "performance\n"}), "performance");
    EXPECT_EQ(combined_governor({"schedutil\n", "performance\n"}), "performance, schedutil");
    EXPECT_FALSE(combined_governor({}));
    EXPECT_FALSE(combined_governor({"\n"}));
}

}  // namespace
}  // namespace workbench
