// SPDX-License-Identifier: MIT
#include "kernels/pool/gpu_plan.h"

#include <algorithm>

#include "kernels/pool/backward.h"
#include "kernels/pool/cpu_gather.h"
#include "kernels/support/warp.h"

namespace iir2d::pool {

namespace {

bool is_2x2_side_by_side(const PoolGeometry& geometry) {
    return !geometry.x.adaptive &&
           std::ranges::all_of(std::initializer_list<const AxisWindows*>{&geometry.x, &geometry.y},
                               [](const AxisWindows* axis) {
                                   return axis->window == 2 && axis->stride == 2 && axis->padding == 0 &&
                                          axis->dilation == 1 && axis->out * 2 <= axis->in;
                               });
}

// "avg", "lp_p2"
std::string stem_of(const PoolDesc& desc) {
    if (is_max(desc.op)) return "pool_max";
    if (desc.op != PoolOp::lp) return "pool_avg";
    return desc.p == 1.0 ? "pool_lp_p1" : desc.p == 2.0 ? "pool_lp_p2" : "pool_lp_power";
}

std::string suffixed(const PoolDesc& desc, const std::string& stem, ElementType accumulator) {
    const bool wide = accumulator == ElementType::f64 && desc.element != ElementType::f64;
    return stem + "_" + std::string(name_of(desc.element)) + (wide ? "_wide" : "");
}

std::string backward_kernel_of(const PoolDesc& desc, const PoolGeometry& geometry) {
    if (desc.op != PoolOp::lp)
        return suffixed(desc, stem_of(desc) + "_backward", backward_accumulator(desc, geometry));
    const bool pairs = divides_in_pairs(desc);
    return (pairs ? "pool_lp_power" : stem_of(desc)) + "_backward_" + std::string(name_of(desc.element));
}

// Every row begins at an address that `bytes` divides.
bool rows_aligned(const GpuPlanes& planes, std::int64_t bytes) {
    const auto elements = bytes / static_cast<std::int64_t>(sizeof(float));
    return planes.data % static_cast<std::uint64_t>(bytes) == 0 && planes.row_stride % elements == 0 &&
           planes.plane_stride % elements == 0;
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
    return a / b + (a % b != 0 ? 1 : 0);
}

constexpr std::int64_t most_blocks = 0x7fffffff;

// Deals out rows of `width` elements of `planes` planes, `elements` neighbours to a lane at a time, and makes
// the launches: `set` puts the units into the parameters.
template <class Parameters>
void launch_rows(const std::string& kernel, Parameters& parameters, const GpuPooling& pooling,
                 std::int64_t rows, std::int64_t width, std::int64_t elements, const MakeLaunch& launch) {
    GpuUnits& units = parameters.units;
    const std::int64_t of_a_step = gpu::warp_lanes * elements;
    units.rows = rows;
    units.steps = std::min(ceil_div(width, of_a_step), pooling.most_steps);
    units.pieces = ceil_div(width, of_a_step * units.steps);
    units.count = pooling.planes * rows * units.pieces;
    const std::int64_t blocks = ceil_div(units.count, pooling.threads / gpu::warp_lanes);
    for (std::int64_t first = 0; first < blocks; first += most_blocks) {
        units.first_block = first;
        const auto count = static_cast<unsigned>(std::min(blocks - first, most_blocks));
        if (!launch({kernel.c_str(), count, pooling.threads, &parameters})) return;
    }
}

}  // namespace

GpuPooling make_gpu_pooling(const PoolDesc& desc, const PoolGeometry& geometry) {
    GpuPooling pooling;
    pooling.accumulator = gathered_accumulator(desc, geometry);
    pooling.kernel = needs_powers(desc) ? stem_of(desc) + "_" + std::string(name_of(desc.element))
                                        : suffixed(desc, stem_of(desc), pooling.accumulator);
    if (is_max(desc.op)) pooling.index_kernel = suffixed(desc, "pool_max_index", pooling.accumulator);
    const bool two_by_two =
        desc.element == ElementType::f32 && pooling.accumulator == ElementType::f32 &&
        is_2x2_side_by_side(geometry) &&
        (desc.op == PoolOp::max || desc.op == PoolOp::avg || (desc.op == PoolOp::lp && desc.p == 2.0));
    if (two_by_two) pooling.two_by_two_kernel = stem_of(desc) + "_2x2_f32";
    pooling.backward_kernel = backward_kernel_of(desc, geometry);
    pooling.planes = geometry.planes();
    pooling.rule = window_rule(desc, geometry);
    return pooling;
}

GpuPooling by_config(GpuPooling pooling, const Config& config) {
    if (config.block != 0) pooling.threads = static_cast<unsigned>(config.block);
    if (config.steps != 0) pooling.most_steps = config.steps;
    if (config.pairs == pairs_off) pooling.two_by_two_kernel.clear();
    return pooling;
}

void for_each_launch(const GpuPooling& pooling, const GpuPlanes& x, const GpuPlanes& y, std::uint64_t argmax,
                     const MakeLaunch& launch) {
    GpuPool job{.x = x, .y = y, .argmax = argmax, .rule = pooling.rule, .units = {}};
    const bool two_by_two =
        argmax == 0 && !pooling.two_by_two_kernel.empty() && rows_aligned(x, 16) && rows_aligned(y, 8);
    const std::string& kernel = argmax != 0  ? pooling.index_kernel
                                : two_by_two ? pooling.two_by_two_kernel
                                             : pooling.kernel;
    launch_rows(kernel, job, pooling, job.rule.rows.out, job.rule.columns.out, two_by_two ? 2 : 1, launch);
}

void for_each_launch(const GpuPooling& pooling, const GpuGradients& data, const MakeLaunch& launch) {
    GpuPoolBackward job{.x = data.x,
                        .y = data.y,
                        .dy = data.dy,
                        .dx = data.dx,
                        .argmax = data.argmax,
                        .rule = pooling.rule,
                        .units = {}};
    launch_rows(pooling.backward_kernel, job, pooling, job.rule.rows.in, job.rule.columns.in, 1, launch);
}

}  // namespace iir2d::pool
