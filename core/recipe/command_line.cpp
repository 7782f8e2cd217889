// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <vector>

#include "core/recipe/recipe.h"
#include "core/support/files.h"
#include "core/support/listed.h"
#include "core/support/shell.h"

namespace workbench {

namespace {

// A file whose name begins with a hyphen must not be read as an option.
std::string file_argument(const std::string& path) {
    return path.starts_with('-') ? "./" + path : path;
}

std::string text_of(iir2d::Extent e) {
    return std::to_string(e.h) + "x" + std::to_string(e.w);
}

using Arguments = std::vector<std::string>;

// Values that may begin with a minus sign are joined to their option.
void add_filter(Arguments& arguments, const FilterOperation& filter) {
    const FilterOperation defaults;
    arguments.insert(arguments.end(), {"--filter", std::to_string(filter.filter_id)});
    if (filter.border != defaults.border) {
        arguments.insert(arguments.end(), {"--border", std::string(name_of(filter.border))});
    }
    if (filter.border_const != defaults.border_const && filter.border == iir2d::Border::constant) {
        arguments.push_back("--border-const=" + format_number(filter.border_const));
    }
    if (filter.precision != defaults.precision) {
        arguments.insert(arguments.end(), {"--precision", std::string(name_of(filter.precision))});
    }
    const auto row = iir2d::filter_row(filter.filter_id);
    for (const auto& [name, value] : filter.parameters) {
        const bool is_default = row && std::ranges::any_of(row->parameters, [&](const auto& p) {
                                    return p.name == name && p.default_value == value;
                                });
        if (!is_default) arguments.insert(arguments.end(), {"--param", name + "=" + format_number(value)});
    }
    if (filter.start != defaults.start) {
        arguments.insert(arguments.end(), {"--start", std::string(name_of(filter.start))});
    }
    if (filter.normalise_gain) arguments.push_back("--normalise-gain");
}

void add_pool(Arguments& arguments, const PoolOperation& pool) {
    const PoolOperation defaults;
    arguments.insert(arguments.end(), {"--op", std::string(name_of(pool.op))});
    if (is_adaptive(pool.op)) {
        arguments.insert(arguments.end(), {"--output", text_of(pool.output)});
        return;
    }
    arguments.insert(arguments.end(), {"--window", text_of(pool.window)});
    if (pool.stride && *pool.stride != pool.window) {
        arguments.insert(arguments.end(), {"--stride", text_of(*pool.stride)});
    }
    if (pool.padding != defaults.padding) {
        arguments.insert(arguments.end(), {"--padding", text_of(pool.padding)});
    }
    if (pool.dilation != defaults.dilation) {
        arguments.insert(arguments.end(), {"--dilation", text_of(pool.dilation)});
    }
    if (pool.ceil_mode) arguments.push_back("--ceil-mode");
    if (pool.op == iir2d::PoolOp::lp && pool.p != defaults.p) {
        arguments.insert(arguments.end(), {"--p", format_number(pool.p)});
    }
    if (pool.op == iir2d::PoolOp::avg && pool.count_include_pad) arguments.push_back("--count-include-pad");
    if (pool.op == iir2d::PoolOp::avg && pool.divisor_override) {
        arguments.push_back("--divisor=" + std::to_string(*pool.divisor_override));
    }
}

}  // namespace

std::string command_line(const Recipe& recipe, const std::string& input, const std::string& output,
                         const std::string& recipe_path, const std::string& device, int image_index) {
    std::vector<const Operation*> enabled;
    for (const Operation& operation : recipe.operations) {
        if (operation.enabled) enabled.push_back(&operation);
    }
    const Arguments files{file_argument(input), file_argument(output)};
    Arguments arguments{"iir2d"};
    if (enabled.size() == 1) {
        const auto* filter = std::get_if<FilterOperation>(&enabled[0]->what);
        arguments.push_back(filter ? "filter" : "pool");
        arguments.insert(arguments.end(), files.begin(), files.end());
        if (filter) {
            add_filter(arguments, *filter);
        } else {
            add_pool(arguments, std::get<PoolOperation>(enabled[0]->what));
        }
        // Pooling leaves no channel out.
        if (recipe.keep_alpha && filter) arguments.push_back("--keep-alpha");
    } else {
        arguments.insert(arguments.end(), {"run", file_argument(recipe_path)});
        arguments.insert(arguments.end(), files.begin(), files.end());
    }
    if (image_index > 0) arguments.insert(arguments.end(), {"--page", std::to_string(image_index + 1)});
    if (!device.empty() && device != "auto") arguments.insert(arguments.end(), {"--device", device});

    return joined(arguments, " ", shell_quoted);
}

}  // namespace workbench
