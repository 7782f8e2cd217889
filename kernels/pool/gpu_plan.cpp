// SPDX-License-Identifier: MIT
#include "kernels/pool/gpu_plan.h"

#include <algorithm>

#include "kernels/pool/cpu.h"
#include "kernels/support/warp.h"

namespace iir2d::pool {

namespace {

constexpr unsigned threads = 256;

bool is_2x2_side_by_side(const PoolGeometry& geometry) {
    return std::ranges::all_of(std::initializer_list<const AxisWindows*>{&geometry.x, &geometry.y},
                               [](const AxisWindows* axis) {
                                   return axis->window == 2 && axis->stride == 2 && axis->padding == 0 &&
                                          axis->dilation == 1 && axis->out * 2 <= axis->in;
                               });
}

// Windows are summed from their first to their last element.
ElementType accumulator_of(const PoolDesc& desc, const PoolGeometry& geometry) {
    if (desc.op == PoolOp::max) return ElementType::f32;
    if (desc.op == PoolOp::lp && desc.p != 1.0 && desc.p != 2.0) return ElementType::f64;
    return sum_type(additions_along(geometry.x, AxisWay::sequence) +
                    additions_along(geometry.y, AxisWay::sequence));
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

}  // namespace

GpuPooling make_gpu_pooling(const PoolDesc& desc, const PoolGeometry& geometry) {
    GpuPooling pooling;
    pooling.accumulator = accumulator_of(desc, geometry);
    const bool single = pooling.accumulator == ElementType::f32;
    const std::string sum = single ? "_f32_sum" : "_f64_sum";
    const bool small = is_2x2_side_by_side(geometry);
    switch (desc.op) {
        case PoolOp::max:
        case PoolOp::adaptive_max:
            pooling.kernel = "pool_max";
            pooling.index_kernel = "pool_max_index";
            if (small) pooling.two_by_two_kernel = "pool_max_2x2";
            break;
        case PoolOp::avg:
        case PoolOp::adaptive_avg:
            pooling.kernel = "pool_avg" + sum;
            if (small && single) pooling.two_by_two_kernel = "pool_avg_2x2";
            break;
        case PoolOp::lp:
            pooling.kernel = desc.p == 1.0   ? "pool_lp_p1" + sum
                             : desc.p == 2.0 ? "pool_lp_p2" + sum
                                             : "pool_lp_power_f64_sum";
            if (small && single && desc.p == 2.0) pooling.two_by_two_kernel = "pool_lp_p2_2x2";
            break;
    }
    pooling.output_rows = geometry.planes() * geometry.y.out;
    GpuPool& job = pooling.job;
    job.rows = geometry.y;
    job.columns = geometry.x;
    job.include_pad = desc.count_include_pad ? 1 : 0;
    job.has_divisor = desc.divisor_override ? 1 : 0;
    job.divisor = static_cast<double>(desc.divisor_override.value_or(1));
    job.p = desc.p;
    job.inverse_p = 1.0 / desc.p;
    return pooling;
}

void for_each_launch(const GpuPooling& pooling, const GpuPlanes& x, const GpuPlanes& y, std::uint64_t argmax,
                     const std::function<bool(const GpuLaunch&)>& launch) {
    constexpr std::int64_t most_blocks = 0x7fffffff;
    constexpr std::int64_t most_steps = 4;
    GpuPool job = pooling.job;
    job.x = x.data;
    job.x_row_stride = x.row_stride;
    job.x_plane_stride = x.plane_stride;
    job.y = y.data;
    job.y_row_stride = y.row_stride;
    job.y_plane_stride = y.plane_stride;
    job.argmax = argmax;
    const bool two_by_two =
        argmax == 0 && !pooling.two_by_two_kernel.empty() && rows_aligned(x, 16) && rows_aligned(y, 8);
    const std::string& kernel = argmax != 0  ? pooling.index_kernel
                                : two_by_two ? pooling.two_by_two_kernel
                                             : pooling.kernel;
    const std::int64_t outputs_of_a_step = gpu::warp_lanes * (two_by_two ? 2 : 1);
    const std::int64_t steps = std::min(ceil_div(job.columns.out, outputs_of_a_step), most_steps);
    job.steps = static_cast<int>(steps);
    job.pieces = ceil_div(job.columns.out, outputs_of_a_step * steps);
    job.units = pooling.output_rows * job.pieces;
    const std::int64_t blocks = ceil_div(job.units, threads / gpu::warp_lanes);
    for (std::int64_t first = 0; first < blocks; first += most_blocks) {
        job.first_block = first;
        const auto count = static_cast<unsigned>(std::min(blocks - first, most_blocks));
        if (!launch({kernel.c_str(), count, threads, job})) return;
    }
}

}  // namespace iir2d::pool
