// SPDX-License-Identifier: MIT
// The files and the device of a command that makes one image of one.
#pragma once

#include <string>

#include "app/iir2d/options.h"
#include "core/recipe/recipe.h"

namespace app {

struct Files {
    std::string input;
    std::string output;
    bool quiet = false;
    PageOption page;
    DeviceOptions device;
    OutputOptions out;

    void add_to(CLI::App& command);
    Result<int> process(workbench::Recipe recipe, const Interruption& interruption) const;
};

}  // namespace app
