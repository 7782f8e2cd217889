// SPDX-License-Identifier: MIT
// Operations in words, and as the kernels' descriptors.
#include <algorithm>
#include <cctype>
#include <string>

#include "core/recipe/recipe.h"
#include "core/support/files.h"

namespace workbench {

namespace {

std::string extent_text(iir2d::Extent e) {
    return std::to_string(e.h) + "x" + std::to_string(e.w);
}

std::string lower(std::string_view text) {
    std::string out(text);
    if (!out.empty()) out[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(out[0])));
    return out;
}

std::string pool_name(iir2d::PoolOp op) {
    switch (op) {
        case iir2d::PoolOp::max:
            return "max pooling";
        case iir2d::PoolOp::avg:
            return "average pooling";
        case iir2d::PoolOp::lp:
            return "Lp pooling";
        case iir2d::PoolOp::adaptive_max:
            return "adaptive max pooling";
        case iir2d::PoolOp::adaptive_avg:
            return "adaptive average pooling";
    }
    return "pooling operation " + std::to_string(static_cast<int>(op));
}

// A filter with one or two parameters shows them; one with many shows those that were changed.
std::string parameters_of(const FilterOperation& filter, const iir2d::FilterRow& row) {
    constexpr int few = 2;
    const bool show_all =
        std::ranges::count(row.parameters, false, &iir2d::FilterParameter::is_switch) <= few;
    std::string text;
    bool changed = false;
    for (const iir2d::FilterParameter& p : row.parameters) {
        const auto given = filter.parameters.find(std::string(p.name));
        const double value = given == filter.parameters.end() ? p.default_value : given->second;
        changed = changed || value != p.default_value;
        if (p.is_switch) {
            if (value != 0.0) text += ", " + lower(p.label);
        } else if (show_all || value != p.default_value) {
            text += ", " + lower(p.label) + " " + format_number(value) +
                    (p.unit.empty() ? "" : " " + std::string(p.unit));
        }
    }
    return show_all || changed ? text : ", default coefficients";
}

std::string describe_filter(const FilterOperation& filter) {
    const auto row = iir2d::filter_row(filter.filter_id);
    if (!row) return "Filter " + std::to_string(filter.filter_id);
    std::string text = std::string(row->name) + parameters_of(filter, *row);
    if (filter.border == iir2d::Border::constant) {
        text += ", border " + format_number(filter.border_const);
    } else if (filter.border != FilterOperation{}.border) {
        text += ", border " + std::string(name_of(filter.border));
    }
    if (filter.precision != FilterOperation{}.precision)
        text += ", " + std::string(name_of(filter.precision));
    if (filter.start != FilterOperation{}.start) text += ", " + std::string(name_of(filter.start)) + " start";
    if (filter.normalise_gain) text += ", gain normalised";
    return text;
}

std::string describe_pool(const PoolOperation& pool) {
    std::string text = pool_name(pool.op);
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    if (is_adaptive(pool.op)) return text + ", output " + extent_text(pool.output);
    text += ", window " + extent_text(pool.window);
    if (pool.stride && *pool.stride != pool.window) text += ", stride " + extent_text(*pool.stride);
    if (pool.padding != iir2d::Extent{0, 0}) text += ", padding " + extent_text(pool.padding);
    if (pool.dilation != iir2d::Extent{1, 1}) text += ", dilation " + extent_text(pool.dilation);
    if (pool.op == iir2d::PoolOp::lp) text += ", p " + format_number(pool.p);
    if (pool.op == iir2d::PoolOp::avg && pool.count_include_pad) text += ", padding counted";
    if (pool.op == iir2d::PoolOp::avg && pool.divisor_override) {
        text += ", divisor " + std::to_string(*pool.divisor_override);
    }
    if (pool.ceil_mode) text += ", ceil mode";
    return text;
}

}  // namespace

std::string operation_name(const Operation& operation) {
    if (const auto* pool = std::get_if<PoolOperation>(&operation.what)) return pool_name(pool->op);
    const int id = std::get<FilterOperation>(operation.what).filter_id;
    const auto row = iir2d::filter_row(id);
    return row ? std::string(row->name) : "filter " + std::to_string(id);
}

std::string describe(const Operation& operation) {
    if (const auto* pool = std::get_if<PoolOperation>(&operation.what)) return describe_pool(*pool);
    return describe_filter(std::get<FilterOperation>(operation.what));
}

iir2d::FilterSpec filter_spec(const FilterOperation& operation) {
    return {.id = operation.filter_id,
            .parameters = {operation.parameters.begin(), operation.parameters.end()},
            .normalise_gain = operation.normalise_gain};
}

iir2d::FilterDesc filter_desc(const FilterOperation& operation, iir2d::Shape shape) {
    return {.shape = shape,
            .filter = filter_spec(operation),
            .border = operation.border,
            .border_const = operation.border_const,
            .precision = operation.precision,
            .start = operation.start};
}

iir2d::PoolDesc pool_desc(const PoolOperation& operation, iir2d::Shape shape, iir2d::ElementType element) {
    return {.op = operation.op,
            .shape = shape,
            .window = operation.window,
            .stride = operation.stride,
            .padding = operation.padding,
            .dilation = operation.dilation,
            .ceil_mode = operation.ceil_mode,
            .p = operation.p,
            .count_include_pad = operation.count_include_pad,
            .divisor_override = operation.divisor_override,
            .output = operation.output,
            .element = element};
}

}  // namespace workbench
