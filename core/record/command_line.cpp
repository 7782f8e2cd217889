// SPDX-License-Identifier: MIT
// The `iir2d bench` command of a matrix.
#include "core/record/command_line.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/record/record.h"
#include "core/support/files.h"
#include "core/support/listed.h"
#include "core/support/shell.h"

namespace workbench {

namespace {

std::string extent_text(iir2d::Extent e) {
    return std::to_string(e.h) + "x" + std::to_string(e.w);
}

// Returns the options of a pooling operation but its kind: one command has one of these for all its kinds.
std::string pool_options(const PoolOperation& pool) {
    if (is_adaptive(pool.op)) return " --output " + extent_text(pool.output);
    std::string text = " --window " + extent_text(pool.window);
    if (pool.stride && *pool.stride != pool.window) text += " --stride " + extent_text(*pool.stride);
    if (pool.padding != iir2d::Extent{0, 0}) text += " --padding " + extent_text(pool.padding);
    if (pool.dilation != iir2d::Extent{1, 1}) text += " --dilation " + extent_text(pool.dilation);
    if (pool.ceil_mode) text += " --ceil-mode";
    if (pool.p != 2.0) text += " --p " + format_number(pool.p);
    if (pool.count_include_pad) text += " --count-include-pad";
    if (pool.divisor_override) text += " --divisor " + std::to_string(*pool.divisor_override);
    return text;
}

std::string filter_options(const BenchmarkMatrix& matrix) {
    if (matrix.filter_ids.empty()) return {};
    return " --filter-ids " + joined(matrix.filter_ids, ",", [](int id) { return std::to_string(id); }) +
           " --border-modes " +
           joined(matrix.borders, ",", [](iir2d::Border b) { return iir2d::name_of(b); }) + " --precisions " +
           joined(matrix.precisions, ",", [](iir2d::Precision p) { return iir2d::name_of(p); });
}

std::string device_options(const BenchmarkMatrix& matrix) {
    std::string text = " --device " + shell_quoted(matrix.device);
    if (matrix.threads > 0) text += " --threads " + std::to_string(matrix.threads);
    return text;
}

std::string timing_options(const BenchmarkMatrix& matrix) {
    std::string text = " --warmup " + std::to_string(matrix.warmup);
    if (matrix.stopping) {
        const StoppingRule& rule = *matrix.stopping;
        text += " --until " + format_number(rule.precision) + " --min-iters " + std::to_string(rule.least) +
                " --max-iters " + std::to_string(rule.most) + " --max-seconds " +
                format_number(rule.most_seconds);
    } else {
        text += " --iters " + std::to_string(matrix.iterations);
    }
    if (matrix.cold_cache) text += " --cold";
    if (matrix.most_disturbed != BenchmarkMatrix{}.most_disturbed)
        text += " --most-disturbed " + format_number(matrix.most_disturbed);
    return text;
}

std::string input_options(const BenchmarkMatrix& matrix, const std::string& image_path) {
    if (matrix.has_image()) return " --image " + shell_quoted(image_path);
    std::string text = " --sizes " + joined(matrix.sizes, ",", [](const BenchmarkSize& s) {
                           return std::to_string(s.width) + "x" + std::to_string(s.height);
                       });
    if (matrix.seed != 1) text += " --seed " + std::to_string(matrix.seed);
    return text;
}

bool is_of_fixed_protocol(const BenchmarkMatrix& matrix) {
    return matrix.protocol == "standard" || matrix.protocol == "smoke";
}

// Pooling operations of one command: those that are not adaptive have one window, those that are one size.
struct PoolGroup {
    std::string options;
    std::vector<iir2d::PoolOp> ops;
};

// Groups operations by their options, in the order of first use.
std::vector<PoolGroup> groups_of(const std::vector<PoolOperation>& pools, bool adaptive) {
    std::vector<PoolGroup> groups;
    std::map<std::string, std::size_t> places;
    for (const PoolOperation& pool : pools) {
        if (is_adaptive(pool.op) != adaptive) continue;
        const auto [place, fresh] = places.emplace(pool_options(pool), groups.size());
        if (fresh) groups.push_back({place->first, {}});
        groups[place->second].ops.push_back(pool.op);
    }
    return groups;
}

// Returns the pooling part of each command.
std::vector<std::string> pool_parts(const BenchmarkMatrix& matrix) {
    const auto plain = groups_of(matrix.pools, false);
    const auto adaptive = groups_of(matrix.pools, true);
    std::string variants;
    if (matrix.pool_elements != std::vector{iir2d::ElementType::f32}) {
        variants += " --pool-dtypes " +
                    joined(matrix.pool_elements, ",", [](iir2d::ElementType t) { return iir2d::name_of(t); });
    }
    if (matrix.pool_passes != std::vector{PoolPass::forward})
        variants +=
            " --pool-passes " + joined(matrix.pool_passes, ",", [](PoolPass p) { return name_of(p); });
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < std::max(plain.size(), adaptive.size()); ++i) {
        std::vector<iir2d::PoolOp> ops;
        std::string options;
        for (const auto* groups : {&plain, &adaptive}) {
            if (i >= groups->size()) continue;
            std::ranges::copy((*groups)[i].ops, std::back_inserter(ops));
            options += (*groups)[i].options;
        }
        parts.push_back(" --pool-ops ");
        parts.back() += joined(ops, ",", [](iir2d::PoolOp op) { return iir2d::name_of(op); });
        parts.back().append(options).append(variants);
    }
    return parts;
}

}  // namespace

std::string bench_command_line(const BenchmarkMatrix& matrix, const std::string& image_path,
                               const std::string& recipe_path) {
    if (is_of_fixed_protocol(matrix))
        return "iir2d bench --protocol " + matrix.protocol + device_options(matrix);
    const std::vector<std::string> pools = pool_parts(matrix);
    const std::string common =
        device_options(matrix) + timing_options(matrix) + input_options(matrix, image_path);
    std::string text = "iir2d bench" + filter_options(matrix);
    if (matrix.recipe) text += " --recipe " + shell_quoted(recipe_path);
    if (!pools.empty()) text += pools.front();
    text += common;
    for (std::size_t i = 1; i < pools.size(); ++i) text += " && iir2d bench" + pools[i] + common;
    return text;
}

std::string case_options(const BenchmarkMatrix& matrix) {
    if (is_of_fixed_protocol(matrix)) return " --protocol " + matrix.protocol + device_options(matrix);
    const std::vector<std::string> pools = pool_parts(matrix);
    return filter_options(matrix) + (pools.empty() ? "" : pools.front()) + device_options(matrix) +
           input_options(matrix, matrix.image_identity ? matrix.image_identity->path : "");
}

bool is_bench_command_line(std::string_view text, const BenchmarkMatrix& matrix) {
    const std::string image_path = matrix.image_identity ? matrix.image_identity->path : "";
    const std::string some_recipe = "recipe.json";
    const std::string wanted = bench_command_line(matrix, image_path, some_recipe);
    const std::string option = " --recipe ";
    // Only options of filters, which hold no text of anyone's, stand before it.
    const auto at = matrix.recipe ? wanted.find(option + some_recipe) : std::string::npos;
    if (at == std::string::npos) return text == wanted;
    const std::string_view before = std::string_view(wanted).substr(0, at + option.size());
    const std::string_view after = std::string_view(wanted).substr(before.size() + some_recipe.size());
    return text.size() >= before.size() + after.size() && text.starts_with(before) && text.ends_with(after) &&
           is_shell_quoted(text.substr(before.size(), text.size() - before.size() - after.size()));
}

}  // namespace workbench
