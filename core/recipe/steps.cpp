// SPDX-License-Identifier: MIT
#include "core/recipe/steps.h"

#include <algorithm>

namespace workbench {

std::string Step::prefix() const {
    return "operation " + std::to_string(number) + " (" + operation_name(*operation) + "): ";
}

std::vector<Step> steps_of(const Recipe& recipe, iir2d::Shape shape) {
    std::vector<Step> steps;
    for (std::size_t i = 0; i < recipe.operations.size(); ++i) {
        const Operation& operation = recipe.operations[i];
        if (!operation.enabled) continue;
        Step step{.number = i + 1, .operation = &operation, .input = shape, .output = shape};
        if (const auto* filter = step.filter()) step.element = iir2d::storage_type(filter->precision);
        if (step.pool()) step.output = validate(operation, shape).value_or(shape);
        shape = step.output;
        steps.push_back(step);
    }
    return steps;
}

bool asks_f64(const std::vector<Step>& steps) {
    return std::ranges::any_of(
        steps, [](const Step& s) { return s.filter() && s.element == iir2d::ElementType::f64; });
}

double samples(iir2d::Shape s) {
    return static_cast<double>(s.n) * static_cast<double>(s.c) * static_cast<double>(s.h) *
           static_cast<double>(s.w);
}

}  // namespace workbench
