// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "tests/core/recipe/recipe_testing.h"

namespace workbench {
namespace {

class Presets : public testing::Test {
  protected:
    void SetUp() override { setenv("IIR2D_RESOURCE_DIR", IIR2D_SOURCE_DIR "/resources", 1); }
    void TearDown() override { unsetenv("IIR2D_RESOURCE_DIR"); }
};

TEST_F(Presets, FiveShipAndEachWorksOnAPhotographAndOnASmallImage) {
    const auto presets = shipped_presets();
    ASSERT_EQ(presets.size(), 5U);
    std::set<std::string> names;
    for (const Preset& preset : presets) {
        SCOPED_TRACE(preset.path.string());
        const auto recipe = load_recipe(preset.path);
        ASSERT_TRUE(recipe) << recipe.error().message;
        EXPECT_EQ(recipe->name, preset.name);
        EXPECT_TRUE(names.insert(preset.name).second);
        EXPECT_TRUE(validate(*recipe, {1, 3, 4000, 6000}));
        const auto result = apply(*recipe, random_image(33, 21, 4), 3, cpu());
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_FALSE(same_bytes(*result, random_image(33, 21, 4)));
        // As the program writes it, so that saving a preset unchanged changes nothing.
        const auto text = to_json(*recipe);
        EXPECT_EQ(recipe_from_json(text), *recipe);
    }
    EXPECT_TRUE(std::ranges::is_sorted(presets, {}, &Preset::name));
}

TEST_F(Presets, WithoutTheFolderThereAreNone) {
    setenv("IIR2D_RESOURCE_DIR", "/nonexistent", 1);
    EXPECT_TRUE(shipped_presets().empty());
}

}  // namespace
}  // namespace workbench
