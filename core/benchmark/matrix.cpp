// SPDX-License-Identifier: MIT
// From a matrix to its cases: names, validation, memory and time beforehand.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "core/benchmark/benchmark.h"
#include "core/benchmark/parity.h"
#include "core/support/files.h"
#include "core/support/memory.h"
#include "core/support/try.h"
#include "core/support/utf8.h"
#include "iir2d/reference.h"

namespace workbench {

namespace {

constexpr int most_iterations = 1'000'000;
// A plane of more samples than this fits no machine that this runs on, and keeps every product below exact.
constexpr std::int64_t longest_side = std::int64_t{1} << 31;

std::string size_text(std::int64_t width, std::int64_t height) {
    return std::to_string(width) + "x" + std::to_string(height);
}

std::string extent_text(iir2d::Extent e) {
    return std::to_string(e.h) + "x" + std::to_string(e.w);
}

std::string gigabytes(double bytes) {
    return fmt::format("{:.1f} GB", bytes / 1e9);
}

std::string pool_key(const PoolOperation& pool) {
    if (is_adaptive(pool.op))
        return "pool:" + std::string(iir2d::name_of(pool.op)) + " output:" + extent_text(pool.output);
    std::string key = "pool:" + std::string(iir2d::name_of(pool.op)) + " window:" + extent_text(pool.window) +
                      " stride:" + extent_text(pool.stride.value_or(pool.window));
    if (pool.padding != iir2d::Extent{0, 0}) key += " padding:" + extent_text(pool.padding);
    if (pool.dilation != iir2d::Extent{1, 1}) key += " dilation:" + extent_text(pool.dilation);
    if (pool.ceil_mode) key += " ceil";
    if (pool.op == iir2d::PoolOp::lp) key += " p:" + format_number(pool.p);
    if (pool.op == iir2d::PoolOp::avg && pool.count_include_pad) key += " include-pad";
    if (pool.op == iir2d::PoolOp::avg && pool.divisor_override) {
        key += " divisor:" + std::to_string(*pool.divisor_override);
    }
    return key;
}

// Twelve hex digits of what the recipe does; its name and its switched-off operations do nothing.
std::string recipe_digest(Recipe recipe) {
    recipe.name.clear();
    std::erase_if(recipe.operations, [](const Operation& o) { return !o.enabled; });
    const std::string json = to_json(recipe);
    return sha256_hex(json).substr(0, 12);
}

iir2d::Precision recipe_precision(const Recipe& recipe) {
    auto precision = iir2d::Precision::f32;
    for (const Operation& operation : recipe.operations) {
        const auto* filter = std::get_if<FilterOperation>(&operation.what);
        if (filter && operation.enabled) precision = std::max(precision, filter->precision);
    }
    return precision;
}

BenchmarkCase filter_case(BenchmarkSize size, int id, iir2d::Border border, iir2d::Precision precision) {
    BenchmarkCase what;
    const std::string text = size_text(size.width, size.height);
    const std::string border_name(iir2d::name_of(border));
    const std::string precision_name(iir2d::name_of(precision));
    what.key = "filter:" + std::to_string(id) + " border:" + border_name + " precision:" + precision_name +
               " size:" + text;
    what.label = "F" + std::to_string(id) + " " + border_name + " " + precision_name + " " + text;
    what.width = size.width;
    what.height = size.height;
    what.operation = FilterCase{id, border, precision};
    return what;
}

// The key has everything that differs from a plain forward pooling of f32, so that equal keys mean the same
// work.
BenchmarkCase pool_case(BenchmarkSize size, const PoolOperation& pool, iir2d::ElementType element,
                        PoolPass pass) {
    BenchmarkCase what;
    const std::string text = size_text(size.width, size.height);
    const std::string type(iir2d::name_of(element));
    const bool plain_type = element == iir2d::ElementType::f32;
    const bool backward = pass == PoolPass::backward;
    what.key = pool_key(pool) + (plain_type ? "" : " dtype:" + type) + (backward ? " pass:backward" : "") +
               " size:" + text;
    what.label = std::string(iir2d::name_of(pool.op)) + " " +
                 (is_adaptive(pool.op) ? "to " + extent_text(pool.output) : extent_text(pool.window)) +
                 (plain_type ? "" : " " + type) + (backward ? " backward" : "") + " " + text;
    what.width = size.width;
    what.height = size.height;
    what.operation = PoolCase{pool, element, pass};
    return what;
}

BenchmarkCase recipe_case(BenchmarkSize size, int channels, const Recipe& recipe) {
    BenchmarkCase what;
    const std::string text = size_text(size.width, size.height);
    what.key = "recipe:" + recipe_digest(recipe) + " channels:" + std::to_string(channels) + " size:" + text;
    what.label = (recipe.name.empty() ? "Recipe" : recipe.name) + " " + text;
    what.width = size.width;
    what.height = size.height;
    what.channels = channels;
    what.operation = RecipeCase{recipe};
    return what;
}

std::vector<BenchmarkSize> sizes_of(const BenchmarkMatrix& matrix) {
    if (matrix.image) return {{matrix.image->pixels.width(), matrix.image->pixels.height()}};
    return matrix.sizes;
}

int channels_of(const BenchmarkMatrix& matrix) {
    return matrix.image ? matrix.image->pixels.channels() : 1;
}

Result<void> check_counts(const BenchmarkMatrix& matrix) {
    if (matrix.iterations < 1 || matrix.iterations > most_iterations) {
        return fail(ErrorKind::bad_argument, "iterations " + std::to_string(matrix.iterations) +
                                                 " is out of range: 1 to " + std::to_string(most_iterations));
    }
    if (matrix.stopping) {
        if (auto wrong = wrong_with(*matrix.stopping); !wrong.empty())
            return fail(ErrorKind::bad_argument, wrong);
    }
    if (matrix.warmup < 0 || matrix.warmup > most_iterations) {
        return fail(ErrorKind::bad_argument, "warmup " + std::to_string(matrix.warmup) +
                                                 " is out of range: 0 to " + std::to_string(most_iterations));
    }
    if (matrix.threads < 0) {
        return fail(ErrorKind::bad_argument, "threads " + std::to_string(matrix.threads) +
                                                 " is out of range: at least 1, or 0 for all");
    }
    return {};
}

Result<void> check_lists(const BenchmarkMatrix& matrix) {
    if (matrix.filter_ids.empty() && matrix.pools.empty() && !matrix.recipe) {
        return fail(ErrorKind::bad_argument,
                    "there is nothing to measure: give at least one filter, pooling operation or recipe");
    }
    if (!matrix.filter_ids.empty() && matrix.borders.empty()) {
        return fail(
            ErrorKind::bad_argument,
            "the list of borders is empty: filters need at least one of clamp, mirror, wrap, constant");
    }
    if (!matrix.filter_ids.empty() && matrix.precisions.empty()) {
        return fail(ErrorKind::bad_argument,
                    "the list of precisions is empty: filters need at least one of f32, mixed, f64");
    }
    if (!matrix.pools.empty() && matrix.pool_elements.empty()) {
        return fail(ErrorKind::bad_argument,
                    "the list of element types is empty: pooling needs at least one of f32, f64, f16, bf16");
    }
    if (!matrix.pools.empty() && matrix.pool_passes.empty()) {
        return fail(ErrorKind::bad_argument,
                    "the list of passes is empty: pooling needs at least one of forward, backward");
    }
    for (const int id : matrix.filter_ids) {
        IIR2D_RETURN_IF_ERROR(from_kernel(iir2d::filter_row(id)));
    }
    const std::size_t name = matrix.recipe ? utf8_character_count(matrix.recipe->name) : 0;
    if (name > longest_recipe_name) {
        return fail(ErrorKind::bad_argument, "the recipe's name has " + std::to_string(name) +
                                                 " characters: a record holds at most " +
                                                 std::to_string(longest_recipe_name));
    }
    if (matrix.recipe && std::ranges::none_of(matrix.recipe->operations, &Operation::enabled)) {
        return fail(ErrorKind::bad_argument,
                    "the recipe has no operation that is switched on: there is nothing to measure");
    }
    return {};
}

Result<void> check_sizes(const BenchmarkMatrix& matrix) {
    if (matrix.image) {
        if (matrix.image->pixels.empty() || matrix.image->pixels.plane_size() < 1) {
            return fail(ErrorKind::bad_argument, "the image to measure on is empty");
        }
        return {};
    }
    if (matrix.sizes.empty()) {
        return fail(ErrorKind::bad_argument,
                    "the list of sizes is empty: give at least one, such as 1024x1024");
    }
    for (const BenchmarkSize size : matrix.sizes) {
        if (size.width < 1 || size.height < 1) {
            return fail(ErrorKind::bad_argument, "size " + size_text(size.width, size.height) +
                                                     " is out of range: width and height are at least 1");
        }
        if (size.width > longest_side || size.height > longest_side) {
            return fail(ErrorKind::bad_argument, "size " + size_text(size.width, size.height) +
                                                     " is out of range: width and height are at most " +
                                                     std::to_string(longest_side));
        }
    }
    return {};
}

double element_bytes(const BenchmarkCase& what) {
    if (const auto* pool = what.pool()) return static_cast<double>(iir2d::element_size(pool->element));
    return precision_of(what) == iir2d::Precision::f64 ? 8 : 4;
}

// Beside its input: what a pass reads and writes, as the copy does, and the reference's doubles of all that.
double pool_memory(const BenchmarkCase& what, const PoolCase& pool) {
    const iir2d::Shape input{1, 1, what.height, what.width};
    const auto traffic = pool_traffic(pool.pool, input, pool.element, pool.pass);
    const auto output =
        iir2d::reference::pool_output_shape(pool_desc(pool.pool, input, iir2d::ElementType::f64));
    if (!traffic || !output) return 0;
    const double plane = static_cast<double>(what.width) * static_cast<double>(what.height);
    return 2 * static_cast<double>(traffic->read + traffic->written) +
           16 * (plane + static_cast<double>(output->h) * static_cast<double>(output->w));
}

// Input, output and the copy's target; the reference works on two double planes, and one is kept.
double memory_needed(const BenchmarkCase& what, bool input_is_there) {
    const double plane = static_cast<double>(what.width) * static_cast<double>(what.height);
    double bytes = plane * what.channels * element_bytes(what) * (input_is_there ? 2 : 3) + plane * 24;
    if (const auto* pool = what.pool()) bytes += pool_memory(what, *pool);
    if (const Recipe* recipe = what.recipe())
        bytes += static_cast<double>(memory_estimate(*recipe, {1, what.channels, what.height, what.width}));
    return bytes;
}

Result<void> check_case(const BenchmarkCase& what, bool input_is_there) {
    const iir2d::Shape shape{1, what.channels, what.height, what.width};
    if (const auto* pool = what.pool()) {
        IIR2D_RETURN_IF_ERROR(
            from_kernel(iir2d::reference::pool_output_shape(pool_desc(pool->pool, shape, pool->element))));
    }
    if (const Recipe* recipe = what.recipe()) {
        IIR2D_RETURN_IF_ERROR(validate(*recipe, shape));
    }
    const double needed = memory_needed(what, input_is_there);
    const auto available = available_memory_bytes();
    if (available && needed > 0.9 * static_cast<double>(*available)) {
        return fail(ErrorKind::bad_argument, "size " + size_text(what.width, what.height) + " needs about " +
                                                 gigabytes(needed) + " of memory and " +
                                                 gigabytes(static_cast<double>(*available)) +
                                                 " are free: choose a smaller one");
    }
    return {};
}

}  // namespace

Result<PoolPass> pool_pass_from_name(std::string_view name) {
    for (const PoolPass pass : {PoolPass::forward, PoolPass::backward}) {
        if (name == name_of(pass)) return pass;
    }
    return fail(ErrorKind::bad_argument,
                "pass \"" + std::string(name) + "\" is not known: give forward or backward");
}

Result<Traffic> pool_traffic(const PoolOperation& pool, iir2d::Shape input, iir2d::ElementType element,
                             PoolPass pass) {
    IIR2D_TRY(const auto output,
              from_kernel(iir2d::reference::pool_output_shape(pool_desc(pool, input, element))));
    const auto count = [](const iir2d::Shape& s) {
        return static_cast<std::uint64_t>(s.n * s.c * s.h * s.w);
    };
    const std::uint64_t x = count(input) * iir2d::element_size(element);
    const std::uint64_t y = count(output) * iir2d::element_size(element);
    if (pass == PoolPass::forward) return Traffic{.read = x, .written = y};
    std::uint64_t read = y;
    if (is_max(pool.op)) read += count(output) * sizeof(std::int64_t);
    if (pool.op == iir2d::PoolOp::lp) read += x + y;
    return Traffic{.read = read, .written = x};
}

std::optional<Traffic> traffic_of(const BenchmarkCase& what) {
    const iir2d::Shape shape{1, what.channels, what.height, what.width};
    if (const auto* pool = what.pool()) {
        const auto traffic = pool_traffic(pool->pool, shape, pool->element, pool->pass);
        return traffic ? std::optional(*traffic) : std::nullopt;
    }
    const auto* filter = what.filter();
    if (filter == nullptr) return std::nullopt;
    const auto plane = static_cast<std::uint64_t>(what.width) * static_cast<std::uint64_t>(what.height) *
                       iir2d::element_size(storage_type(filter->precision));
    return Traffic{.read = plane, .written = plane};
}

iir2d::Precision precision_of(const BenchmarkCase& what) {
    if (const auto* filter = what.filter()) return filter->precision;
    if (const Recipe* recipe = what.recipe()) return recipe_precision(*recipe);
    return what.pool()->element == iir2d::ElementType::f64 ? iir2d::Precision::f64 : iir2d::Precision::f32;
}

std::vector<BenchmarkCase> cases_of(const BenchmarkMatrix& matrix, int recipe_channels) {
    std::vector<BenchmarkCase> cases;
    std::set<std::string> keys;
    const auto add = [&](BenchmarkCase what) {
        if (keys.insert(what.key).second) cases.push_back(std::move(what));
    };
    for (const BenchmarkSize size : sizes_of(matrix)) {
        for (const int id : matrix.filter_ids) {
            for (const iir2d::Border border : matrix.borders) {
                for (const iir2d::Precision precision : matrix.precisions) {
                    add(filter_case(size, id, border, precision));
                }
            }
        }
        for (const PoolOperation& pool : matrix.pools) {
            for (const iir2d::ElementType element : matrix.pool_elements) {
                for (const PoolPass pass : matrix.pool_passes) add(pool_case(size, pool, element, pass));
            }
        }
        if (matrix.recipe) add(recipe_case(size, recipe_channels, *matrix.recipe));
    }
    return cases;
}

Result<std::vector<BenchmarkCase>> expand(const BenchmarkMatrix& matrix) {
    for (const auto& check : {check_counts, check_lists, check_sizes}) {
        IIR2D_RETURN_IF_ERROR(check(matrix));
    }
    auto cases = cases_of(matrix, channels_of(matrix));
    for (const BenchmarkCase& what : cases) {
        IIR2D_RETURN_IF_ERROR(check_case(what, matrix.image != nullptr));
    }
    return cases;
}

double estimated_seconds(const BenchmarkMatrix& matrix) {
    // One pass over a plane at a few gigabytes a second; an operation is some passes, the two copies of each
    // iteration are one each, and the scalar reference is about a hundred times an operation's pass.
    constexpr double bytes_per_second = 4e9;
    constexpr double operation_passes = 3;
    constexpr double copy_passes = 2;
    constexpr double reference_seconds_per_sample = 60e-9;
    constexpr double iteration_overhead = 1e-3;
    double seconds = 0;
    for (const BenchmarkCase& what : cases_of(matrix, channels_of(matrix))) {
        const double samples =
            static_cast<double>(what.width) * static_cast<double>(what.height) * what.channels;
        const double pass = samples * element_bytes(what) * 2 / bytes_per_second;
        const Recipe* recipe = what.recipe();
        const double operations =
            recipe ? static_cast<double>(std::ranges::count_if(recipe->operations, &Operation::enabled))
                   : 1.0;
        const double iterations = std::max(0, matrix.warmup) + std::max(0, matrix.iterations);
        seconds += iterations * (pass * (operation_passes * operations + copy_passes) + iteration_overhead) +
                   samples * operations * reference_seconds_per_sample;
    }
    return seconds;
}

double parity_bound(const BenchmarkCase& what) {
    double bound = 0;
    const auto add = [&bound](const Operation& operation, iir2d::ElementType element) {
        // An operation that cannot be made has no result to judge; its own error says so.
        if (const auto step = error_step(operation, element)) bound = bound * step->gain + step->own;
    };
    if (const Recipe* recipe = what.recipe()) {
        for (const Operation& operation : recipe->operations) {
            if (operation.enabled) add(operation, iir2d::ElementType::f32);
        }
    } else if (const auto* pool = what.pool()) {
        bound = pool_bound(pool->pool, pool->element, pool->pass);
    } else if (const auto* filter = what.filter()) {
        add({.what = FilterOperation{.filter_id = filter->filter_id,
                                     .border = filter->border,
                                     .precision = filter->precision}},
            storage_type(filter->precision));
    }
    return bound;
}

}  // namespace workbench
