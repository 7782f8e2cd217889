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

// Half of what 32 bits hold, so that sums of two numbers fit too.
bool fits_32_bits(const AxisWindows& axis) {
    return std::ranges::all_of(std::initializer_list<std::int64_t>{axis.in, axis.out, axis.window,
                                                                   axis.stride, axis.padding, axis.dilation},
                               [](std::int64_t number) { return number <= 1 << 30; });
}

std::int32_t narrow(std::int64_t number) {
    return static_cast<std::int32_t>(number);
}

GpuWholeAxis whole_axis(AxisWindows axis) {
    if (axis.adaptive) {
        if (axis.in % axis.out != 0) return {};
        axis.window = axis.stride = axis.in / axis.out;
        axis.padding = 0;
        axis.dilation = 1;
    }
    if (!fits_32_bits(axis)) return {};
    const std::int64_t room = axis.in + axis.padding - axis.span();
    if (room < 0) return {};
    return {.begin = narrow(ceil_div(axis.padding, axis.stride)),
            .end = narrow(std::min(axis.out, room / axis.stride + 1)),
            .window = narrow(axis.window),
            .stride = narrow(axis.stride),
            .padding = narrow(axis.padding),
            .dilation = narrow(axis.dilation)};
}

GpuWhole whole_windows(const PoolGeometry& geometry) {
    GpuWhole whole{.rows = whole_axis(geometry.y),
                   .columns = whole_axis(geometry.x),
                   .row_step = 0,
                   .square = 0,
                   .stack_bits = 0};
    const std::int64_t taps = std::int64_t{whole.rows.window} * whole.columns.window;
    if (taps == 0 || taps > 1 << 30)
        return {.rows = {}, .columns = {}, .row_step = 0, .square = 0, .stack_bits = 0};
    const std::int32_t side = whole.columns.window;
    const bool has_loads_of_its_own = side == 2 || side == 3 || side == 5;
    if (has_loads_of_its_own && whole.rows.window == side && whole.columns.dilation == 1) whole.square = side;
    return whole;
}

GpuNearAxis near_axis(const AxisWindows& axis, bool include_pad) {
    std::int32_t shift = 0;
    while (std::int64_t{1} << shift < axis.stride) ++shift;
    const std::int64_t multiplier = ceil_div(std::int64_t{1} << (31 + shift), axis.stride);
    return {.in = narrow(axis.in),
            .out = narrow(axis.out),
            .window = narrow(axis.window),
            .stride = narrow(axis.stride),
            .padding = narrow(axis.padding),
            .counted_padding = include_pad ? narrow(axis.padding) : 0,
            .multiplier = static_cast<std::uint32_t>(multiplier),
            .shift = shift};
}

GpuNear near_windows(const PoolGeometry& geometry, bool include_pad) {
    GpuNear near = {};
    for (const AxisWindows* axis : {&geometry.y, &geometry.x}) {
        if (axis->adaptive || axis->dilation != 1 || !fits_32_bits(*axis)) return {};
        near.most = std::max(near.most, narrow(axis->most_windows_near()));
    }
    if (near.most > 3) return {};
    near.rows = near_axis(geometry.y, include_pad);
    near.columns = near_axis(geometry.x, include_pad);
    return near;
}

// Neighbouring windows of a column share rows of the input, and there are enough of them for stacks.
bool has_stacks(const GpuPooling& pooling) {
    const GpuWhole& whole = pooling.whole;
    const std::int64_t outputs = pooling.planes * pooling.rule.rows.out * pooling.rule.columns.out;
    return whole.square != 0 && whole.rows.stride == 1 && whole.rows.dilation == 1 &&
           outputs >= pooling.least_stacked;
}

// Rows that warps of one block take side by side, as a power of two: where they read the same rows of the
// input, so that a multiprocessor's cache has them.
std::int32_t group_bits(const AxisWindows& axis, std::int32_t stacked, unsigned threads) {
    if (axis.adaptive || axis.span() <= axis.stride) return 0;
    std::int32_t bits = 0;
    while ((2U << bits) * gpu::warp_lanes <= threads && axis.out >= (std::int64_t{8} * stacked) << bits)
        ++bits;
    return bits;
}

// Deals out rows of `width` elements of `planes` planes, `elements` neighbours to a lane at a time, and makes
// the launches: `set` puts the units into the parameters.
template <class Parameters>
void launch_rows(const std::string& kernel, Parameters& parameters, const GpuPooling& pooling,
                 std::int64_t rows, std::int64_t width, std::int64_t elements, std::int32_t group_bits,
                 std::int32_t stacked, const MakeLaunch& launch) {
    GpuUnits& units = parameters.units;
    const std::int64_t of_a_step = gpu::warp_lanes * elements;
    const std::int64_t most_steps = std::min(pooling.most_steps, std::int64_t{64} / stacked);
    units.rows = rows;
    units.steps = static_cast<std::int32_t>(std::min(ceil_div(width, of_a_step), most_steps));
    units.pieces = ceil_div(width, of_a_step * units.steps);
    units.group_bits = group_bits;
    units.groups = ceil_div(rows, std::int64_t{1} << group_bits);
    units.count = pooling.planes * units.groups * units.pieces << group_bits;
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
    pooling.whole = whole_windows(geometry);
    pooling.near = near_windows(geometry, desc.count_include_pad);
    if (needs_powers(desc)) pooling.whole.square = 0;  // powers take longer than loads
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
    GpuPool job{.x = x, .y = y, .argmax = argmax, .rule = pooling.rule, .whole = pooling.whole, .units = {}};
    const bool two_by_two =
        argmax == 0 && !pooling.two_by_two_kernel.empty() && rows_aligned(x, 16) && rows_aligned(y, 8);
    const std::string& kernel = argmax != 0  ? pooling.index_kernel
                                : two_by_two ? pooling.two_by_two_kernel
                                             : pooling.kernel;
    const std::int32_t bits = !two_by_two && has_stacks(pooling) ? most_stack_bits : 0;
    const std::int32_t stacked = 1 << bits;
    job.whole.stack_bits = bits;
    job.whole.row_step = job.whole.rows.dilation * x.row_stride;
    launch_rows(kernel, job, pooling, ceil_div(job.rule.rows.out, stacked), job.rule.columns.out,
                two_by_two ? 2 : 1, group_bits(job.rule.rows, stacked, pooling.threads), stacked, launch);
}

void for_each_launch(const GpuPooling& pooling, const GpuGradients& data, const MakeLaunch& launch) {
    GpuPoolBackward job{.x = data.x,
                        .y = data.y,
                        .dy = data.dy,
                        .dx = data.dx,
                        .argmax = data.argmax,
                        .rule = pooling.rule,
                        .near = pooling.near,
                        .units = {}};
    launch_rows(pooling.backward_kernel, job, pooling, job.rule.rows.in, job.rule.columns.in, 1, 0, 1,
                launch);
}

}  // namespace iir2d::pool
