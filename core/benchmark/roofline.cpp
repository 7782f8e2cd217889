// SPDX-License-Identifier: MIT
#include "core/benchmark/roofline.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "core/support/try.h"
#include "iir2d/device.h"
#include "iir2d/plan.h"

namespace workbench {

namespace {

// t multiplications and t - 1 additions.
double section_operations(const iir2d::Section& section) {
    double taps = 0;
    for (const double b : section.b) taps += b != 0 ? 1 : 0;
    for (int k = 0; k < std::min<int>(section.order, 2); ++k)
        taps += section.a[static_cast<std::size_t>(k)] != 0 ? 1 : 0;
    return std::max(0.0, 2 * taps - 1);
}

double cascade_operations(const std::vector<iir2d::Section>& sections) {
    double operations = 0;
    for (const auto& section : sections) operations += section_operations(section);
    return operations;
}

double samples_of(const iir2d::Shape& shape) {
    return static_cast<double>(shape.n) * static_cast<double>(shape.c) * static_cast<double>(shape.h) *
           static_cast<double>(shape.w);
}

Result<double> filter_operations(const FilterOperation& filter, const iir2d::Shape& shape) {
    IIR2D_TRY(const auto data, from_kernel(iir2d::make_filter(filter_spec(filter))));
    return samples_of(shape) *
           (operations_per_sample(data.horizontal) + operations_per_sample(data.vertical));
}

Result<double> recipe_operations(const Recipe& recipe, iir2d::Shape shape) {
    double operations = 0;
    for (const Operation& operation : recipe.operations) {
        if (!operation.enabled) continue;
        const auto* filter = std::get_if<FilterOperation>(&operation.what);
        IIR2D_TRY(const auto one, filter ? filter_operations(*filter, shape)
                                         : pool_operations(std::get<PoolOperation>(operation.what), shape,
                                                           iir2d::ElementType::f32, PoolPass::forward));
        operations += one;
        IIR2D_TRY(shape, validate(operation, shape));
    }
    return operations;
}

bool is_in_double(const BenchmarkCase& what) {
    return precision_of(what) != iir2d::Precision::f32;  // mixed keeps its state in f64
}

}  // namespace

double operations_per_sample(const iir2d::AxisFilter& axis) {
    double operations = 0;
    for (const auto& stage : axis.stages) {
        if (stage.kind == iir2d::Stage::Kind::sum) {
            operations += cascade_operations(stage.causal) + cascade_operations(stage.anticausal) + 1;
        } else {
            operations += cascade_operations(stage.sections);
        }
    }
    return operations;
}

Result<double> pool_operations(const PoolOperation& pool, iir2d::Shape input, iir2d::ElementType element,
                               PoolPass pass) {
    IIR2D_TRY(const auto cpu, from_kernel(iir2d::choose_device("cpu", 1)));
    IIR2D_TRY(const auto plan,
              from_kernel(iir2d::PoolPlan::make(cpu.device, pool_desc(pool, input, element))));
    const iir2d::Shape output = plan.output_shape();
    // Windows are rectangles of a grid: the samples in all of them are a product of rows and columns.
    double rows = 0;
    double columns = 0;
    for (std::int64_t y = 0; y < output.h; ++y) rows += static_cast<double>(plan.window(y, 0).rows);
    for (std::int64_t x = 0; x < output.w; ++x) columns += static_cast<double>(plan.window(0, x).columns);
    const double s = rows * columns * static_cast<double>(input.n * input.c);
    const double n = samples_of(output);
    const bool backward = pass == PoolPass::backward;
    if (iir2d::is_max(pool.op)) return backward ? n : std::max(0.0, s - n);
    if (pool.op == iir2d::PoolOp::lp) return backward ? 2 * n + 3 * s : 2 * s;
    return backward ? n + s : s;
}

Result<double> operation_count(const BenchmarkCase& what) {
    const iir2d::Shape shape{1, what.channels, what.height, what.width};
    if (const Recipe* recipe = what.recipe()) return recipe_operations(*recipe, shape);
    if (const auto* pool = what.pool()) return pool_operations(pool->pool, shape, pool->element, pool->pass);
    return filter_operations({.filter_id = what.filter()->filter_id}, shape);
}

std::vector<RooflinePoint> roofline_points(const std::vector<CaseResult>& results) {
    std::vector<RooflinePoint> points;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const CaseResult& r = results[i];
        if (r.samples.empty() || r.bytes_moved == 0 || !(r.latency.p50 > 0)) continue;
        const auto operations = operation_count(r.what);
        if (!operations || !(*operations > 0)) continue;
        const double bytes = static_cast<double>(r.bytes_moved);
        RooflinePoint p{.index = i, .operations = *operations, .intensity = *operations / bytes};
        p.gflops = *operations / r.latency.p50 / 1e6;
        if (r.copy_latency.p50 > 0) p.copy_gb_per_s = bytes / r.copy_latency.p50 / 1e6;
        p.in_double = is_in_double(r.what);
        if (p.copy_gb_per_s > 0) p.of_bandwidth_ceiling = p.gflops / (p.intensity * p.copy_gb_per_s);
        points.push_back(p);
    }
    return points;
}

double bandwidth_ceiling(const std::vector<RooflinePoint>& points) {
    double most = 0;
    for (const RooflinePoint& p : points) most = std::max(most, p.copy_gb_per_s);
    return most;
}

}  // namespace workbench
