// SPDX-License-Identifier: MIT
#include <algorithm>
#include <system_error>

#include "core/recipe/recipe.h"
#include "core/support/files.h"

namespace workbench {

std::vector<Preset> shipped_presets() {
    std::vector<Preset> presets;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(resource_directory() / "presets", error), end;
         !error && entry != end; entry.increment(error)) {
        if (entry->path().extension() != ".json") continue;
        // One that cannot be read is still offered, by its file's name: loading it says what is wrong.
        const auto recipe = load_recipe(entry->path());
        const bool named = recipe && !recipe->name.empty();
        presets.push_back({named ? recipe->name : entry->path().stem().string(), entry->path()});
    }
    std::ranges::sort(presets, {}, &Preset::name);
    return presets;
}

}  // namespace workbench
