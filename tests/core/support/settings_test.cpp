// SPDX-License-Identifier: MIT
#include "core/support/settings.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/support/atomic_file.h"
#include "core/support/files.h"

namespace workbench {
namespace {

using ::testing::ElementsAre;
namespace fs = std::filesystem;

class SettingsTest : public ::testing::Test {
  protected:
    SettingsTest() {
        fs::create_directories(folder);
        setenv("IIR2D_CONFIG_DIR", folder.c_str(), 1);
    }
    ~SettingsTest() override {
        unsetenv("IIR2D_CONFIG_DIR");
        fs::remove_all(folder);
    }
    void write(const std::string& text) { std::ofstream(folder / "settings.json") << text; }
    nlohmann::json stored() { return nlohmann::json::parse(*read_file(folder / "settings.json")); }

    fs::path folder = temporary_sibling(fs::temp_directory_path() / "iir2d-settings");
};

TEST_F(SettingsTest, WhatIsSavedIsLoaded) {
    Settings settings;
    settings.device = "cpu";
    settings.threads = 3;
    settings.theme = Theme::dark;
    settings.recent_files = {"/b", "/a"};
    settings.window_state = "AAAA";
    ASSERT_TRUE(save_settings(settings, Settings{}));
    EXPECT_EQ(load_settings(), settings);
}

TEST_F(SettingsTest, TwoWindowsKeepWhatEachChanged) {
    ASSERT_TRUE(save_settings({.recent_files = {"/old"}}, Settings{}));
    const Settings base = load_settings();
    Settings first = base;
    Settings second = base;
    first.theme = Theme::light;
    first.add_recent_file("/of-the-first");
    second.threads = 7;
    second.add_recent_file("/of-the-second");
    second.export_directory = "/exports";
    ASSERT_TRUE(save_settings(first, base));
    ASSERT_TRUE(save_settings(second, base));
    const Settings both = load_settings();
    EXPECT_EQ(both.theme, Theme::light);
    EXPECT_EQ(both.threads, 7);
    EXPECT_EQ(both.export_directory, "/exports");
    EXPECT_THAT(both.recent_files, ElementsAre("/of-the-second", "/of-the-first", "/old"));
}

TEST_F(SettingsTest, EachListOfFilesIsItsOwn) {
    ASSERT_TRUE(save_settings({.recent_files = {"/old"}}, Settings{}));
    const Settings base = load_settings();
    Settings mine = base;
    for (int i = 0; i < 12; ++i) mine.add_duel_base("/base-" + std::to_string(i));
    mine.duel_source = "/repository";
    ASSERT_TRUE(save_settings(mine, base));
    const Settings read = load_settings();
    EXPECT_THAT(read.recent_files, ElementsAre("/old"));
    EXPECT_EQ(read.duel_bases, mine.duel_bases);
    EXPECT_EQ(read.duel_bases.size(), 10U);
    EXPECT_EQ(read.duel_bases.front(), "/base-11");
    EXPECT_EQ(read.duel_source, "/repository");
}

TEST_F(SettingsTest, AFileTakenOffTheListStaysOffAndOneOpenedAgainComesFirst) {
    ASSERT_TRUE(save_settings({.recent_files = {"/a", "/b", "/c"}}, Settings{}));
    const Settings base = load_settings();
    Settings other = base;
    other.add_recent_file("/x");
    ASSERT_TRUE(save_settings(other, base));
    Settings mine = base;
    std::erase(mine.recent_files, "/a");
    mine.add_recent_file("/c");
    ASSERT_TRUE(save_settings(mine, base));
    EXPECT_THAT(load_settings().recent_files, ElementsAre("/c", "/x", "/b"));

    // "Clear the list" clears what it showed.
    const Settings shown = load_settings();
    Settings cleared = shown;
    cleared.recent_files.clear();
    ASSERT_TRUE(save_settings(cleared, shown));
    EXPECT_TRUE(load_settings().recent_files.empty());
}

TEST_F(SettingsTest, KeysAndValuesOfANewerVersionSurvive) {
    write(R"({"schema_version": 9, "theme": "sepia", "new_key": {"a": [1, 2.5]}, "threads": 2})");
    const Settings base = load_settings();
    Settings mine = base;
    mine.threads = 5;
    ASSERT_TRUE(save_settings(mine, base));
    EXPECT_EQ(stored(),
              nlohmann::json::parse(
                  R"({"schema_version": 9, "theme": "sepia", "new_key": {"a": [1, 2.5]}, "threads": 5})"));
}

TEST_F(SettingsTest, ADamagedFileIsKeptAside) {
    write("{ not json");
    EXPECT_EQ(load_settings(), Settings{});
    EXPECT_EQ(*read_file(folder / "settings.json.damaged"), "{ not json");
    EXPECT_FALSE(fs::exists(folder / "settings.json"));
}

TEST_F(SettingsTest, ManyWritersLoseNothing) {
    ASSERT_TRUE(save_settings(Settings{}, Settings{}));
    const Settings base = load_settings();
    constexpr int writers = 8;
    std::atomic<int> failed = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < writers; ++i) {
            threads.emplace_back([&, i] {
                Settings mine = base;
                mine.add_recent_file("/" + std::to_string(i));
                if (!save_settings(mine, base)) ++failed;
            });
        }
    }
    EXPECT_EQ(failed, 0);
    EXPECT_EQ(load_settings().recent_files.size(), std::size_t{writers});
}

}  // namespace
}  // namespace workbench
