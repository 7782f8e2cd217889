// SPDX-License-Identifier: MIT
// A recipe's text: one that is read is written as a text that gives the same recipe, and everything that
// describes or scales it takes it.
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "core/recipe/recipe.h"
#include "tests/fuzz/json_mutation.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
    return fuzzing::mutate_json_text(data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace workbench;
    const auto recipe = recipe_from_json({reinterpret_cast<const char*>(data), size});
    if (!recipe) return 0;
    const std::string written = to_json(*recipe);
    const auto again = recipe_from_json(written);
    // Fields that an adaptive op does not read are not written, so the texts are compared.
    if (!again || to_json(*again) != written) std::abort();
    for (const Operation& operation : recipe->operations) static_cast<void>(describe(operation));
    static_cast<void>(command_line(*recipe, "in.png", "out.png", "recipe.json", "auto"));
    const iir2d::Shape shapes[] = {{.w = 0}, {1, 3, 37, 41}, {1, 4, 20000, 30000}};
    for (const iir2d::Shape& shape : shapes) {
        static_cast<void>(validate(*recipe, shape));
        static_cast<void>(memory_estimate(*recipe, shape));
    }
    for (const double factor : {0.3, 2.0, 7.5}) {
        if (validate(*recipe, {.w = 0}) && !validate(scaled(*recipe, factor), {.w = 0})) std::abort();
    }
    return 0;
}
