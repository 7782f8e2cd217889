// SPDX-License-Identifier: MIT
// The pooling kernels, run by the executor, against the reference, over a generated matrix of descriptors and
// kinds of images; the bits against the CPU backend's, where that sums in the same order.
#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "kernels/pool/cpu.h"
#include "kernels/pool/geometry.h"
#include "kernels/pool/gpu_plan.h"
#include "tests/gpu/pool/run_kernel.h"
#include "tests/kernels/pool/pool_sweep.h"

namespace {

using iir2d::Extent;
using iir2d::PoolDesc;
using iir2d::PoolOp;
using iir2d::PoolPlan;
using iir2d::Shape;
namespace pool = iir2d::pool;

struct Options {
    std::uint64_t seed = 0;
    bool with_argmax = true;
    std::int64_t gap = 0;  // unused elements after each row
    bool stacks = false;   // several outputs one below the other a lane, however few there are
};

struct Outcome {
    pool_testing::Pooled pooled;
    std::string kernel;
};

struct alignas(16) Sixteen {
    float v[4];
};

Outcome run_gpu(const PoolDesc& desc, const std::vector<float>& x, const Options& options = {}) {
    const auto geometry = pool::make_geometry(desc);
    if (!geometry) throw std::runtime_error(geometry.error().message);
    auto pooling = pool::make_gpu_pooling(desc, *geometry);
    if (options.stacks) pooling.least_stacked = 0;
    const auto planes_of = [&](const Shape& s) { return static_cast<std::size_t>(s.n * s.c * s.h); };
    const auto in_row = static_cast<std::size_t>(desc.shape.w + options.gap);
    const auto out_row = static_cast<std::size_t>(geometry->output.w + options.gap);
    std::vector<Sixteen> in(planes_of(desc.shape) * in_row / 4 + 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto w = static_cast<std::size_t>(desc.shape.w);
        reinterpret_cast<float*>(in.data())[i / w * in_row + i % w] = x[i];
    }
    std::vector<Sixteen> out(planes_of(geometry->output) * out_row / 4 + 1);
    Outcome outcome;
    auto& pooled = outcome.pooled;
    pooled.y.assign(pool_testing::elements(geometry->output), 0.0F);
    if (desc.op == PoolOp::max && options.with_argmax) pooled.argmax.assign(pooled.y.size(), -777);
    const auto planes = [](void* data, std::size_t row, std::int64_t rows) {
        return pool::GpuPlanes{reinterpret_cast<std::uintptr_t>(data), static_cast<std::int64_t>(row),
                               static_cast<std::int64_t>(row) * rows};
    };
    pool::for_each_launch(pooling, planes(in.data(), in_row, desc.shape.h),
                          planes(out.data(), out_row, geometry->output.h),
                          pooled.argmax.empty() ? 0 : reinterpret_cast<std::uintptr_t>(pooled.argmax.data()),
                          [&](const pool::GpuLaunch& launch) {
                              outcome.kernel = launch.kernel;
                              gpu_pool_test::run_kernel(launch, options.seed);
                              return true;
                          });
    const auto w = static_cast<std::size_t>(geometry->output.w);
    for (std::size_t i = 0; i < pooled.y.size(); ++i) {
        pooled.y[i] = reinterpret_cast<const float*>(out.data())[i / w * out_row + i % w];
    }
    return outcome;
}

// Equal to the bit, but for what a NaN holds.
bool same_values(const std::vector<float>& a, const std::vector<float>& b) {
    return std::ranges::equal(a, b, [](float p, float q) {
        return (std::isnan(p) && std::isnan(q)) || std::memcmp(&p, &q, sizeof p) == 0;
    });
}

struct Count {
    int cases = 0;
    int same_order = 0;
    ~Count() { std::printf("%d pooling cases, %d of them with the CPU's bits\n", cases, same_order); }
};

// Whether the CPU makes no powers, which are not the GPU's to the bit, and sums from the first element to the
// last; a maximum has no order.
bool is_in_the_cpus_order(const PoolDesc& desc) {
    const auto kernel = pool::choose_cpu_kernel(desc, *pool::make_geometry(desc));
    if (desc.op == PoolOp::max) return true;
    if (desc.op == PoolOp::lp && desc.p != 1.0 && desc.p != 2.0) return false;
    return !is_in_parts(kernel.along_x) && !is_in_parts(kernel.along_y);
}

// Several seeds, with and without the argmax, dense and with gaps.
void compare(const PoolDesc& desc, const std::vector<float>& x) {
    static Count count;
    if (!iir2d::reference::pool_output_shape(desc)) return;
    ++count.cases;
    SCOPED_TRACE(pool_testing::to_string(desc));
    const auto got = run_gpu(desc, x, {.seed = 1});
    pool_testing::expect_reference(desc, x, got.pooled);
    ASSERT_FALSE(::testing::Test::HasFatalFailure()) << got.kernel;
    const auto other = run_gpu(desc, x, {.seed = 2, .with_argmax = false, .gap = 4});
    ASSERT_TRUE(same_values(got.pooled.y, other.pooled.y)) << other.kernel;
    if (desc.stride && desc.stride->h == 1) {
        for (const bool with_argmax : {true, false}) {
            const auto stacked = run_gpu(desc, x, {.with_argmax = with_argmax, .stacks = true});
            ASSERT_TRUE(same_values(got.pooled.y, stacked.pooled.y)) << stacked.kernel;
            if (with_argmax) {
                ASSERT_EQ(got.pooled.argmax, stacked.pooled.argmax);
            }
        }
    }
    if (is_in_the_cpus_order(desc)) {
        ++count.same_order;
        ASSERT_TRUE(same_values(got.pooled.y, pool_testing::run(desc, x).y)) << got.kernel;
    }
}

constexpr Shape shapes[] = {{1, 1, 1, 1}, {1, 2, 1, 7}, {2, 1, 5, 3}, {1, 3, 17, 9}, {1, 1, 33, 72}};

void sweep(const PoolDesc& op, const pool_testing::MakeImage& make_image) {
    pool_testing::sweep(op, make_image, shapes, true, compare);
}

TEST(GpuPoolParity, Max) {
    sweep({.op = PoolOp::max}, pool_testing::with_ties);
    sweep({.op = PoolOp::max}, pool_testing::with_extremes);
}

TEST(GpuPoolParity, Average) {
    for (const bool include_pad : {false, true}) {
        sweep({.op = PoolOp::avg, .count_include_pad = include_pad}, pool_testing::signed_noise);
        sweep({.op = PoolOp::avg, .count_include_pad = include_pad}, pool_testing::with_extremes);
    }
    sweep({.op = PoolOp::avg, .divisor_override = -3}, pool_testing::signed_noise);
}

TEST(GpuPoolParity, Lp) {
    for (const double p : {0.05, 0.5, 1.0, 2.0, 3.0, 7.0}) {
        sweep({.op = PoolOp::lp, .p = p}, pool_testing::signed_noise);
        sweep({.op = PoolOp::lp, .p = p}, pool_testing::with_extremes);
    }
}

TEST(GpuPoolParity, LongWindowsAndRows) {
    const Shape shape{1, 1, 130, 1021};
    const auto x = pool_testing::uniform(pool_testing::elements(shape), 0.0F, 1.0F, 77);
    for (const PoolOp op : {PoolOp::max, PoolOp::avg, PoolOp::lp}) {
        for (const Extent& window : {Extent{2, 2}, Extent{3, 3}, Extent{64, 65}, Extent{130, 1021}}) {
            for (const double p : {1.0, 2.0})
                compare({.op = op, .shape = shape, .window = window, .p = p}, x);
        }
    }
}

// Windows of every kind that has loops of its own, inside and at the edges, in rows that end within a stack
// and a step; with values that make some sums be made again.
TEST(GpuPoolParity, SquareWindows) {
    const Shape shape{1, 2, 43, 151};
    for (const bool extreme : {false, true}) {
        const auto x = extreme ? pool_testing::with_extremes(pool_testing::elements(shape), 9)
                               : pool_testing::with_ties(pool_testing::elements(shape), 9);
        for (const std::int64_t side : {2, 3, 4, 5}) {
            for (const std::int64_t stride : {1, 2}) {
                for (const std::int64_t padding : {std::int64_t{0}, side / 2}) {
                    for (const Extent& dilation : {Extent{1, 1}, Extent{2, 1}}) {
                        for (const PoolOp op : {PoolOp::max, PoolOp::avg, PoolOp::lp}) {
                            if (op == PoolOp::avg && dilation.h == 2) continue;
                            for (const double p : {1.0, 2.0}) {
                                if (op != PoolOp::lp && p == 2.0) continue;
                                PoolDesc desc{.op = op,
                                              .shape = shape,
                                              .window = {side, side},
                                              .stride = Extent{stride, stride},
                                              .padding = {padding, padding},
                                              .p = p};
                                if (op != PoolOp::avg) desc.dilation = dilation;
                                compare(desc, x);
                            }
                        }
                    }
                }
            }
        }
    }
}

// The kernels that are meant to be fast are chosen where they can be, and only there.
TEST(GpuPoolParity, TwoByTwoIsChosenWhereMemoryIsAligned) {
    const Shape shape{1, 2, 34, 1036};
    const auto x = pool_testing::signed_noise(pool_testing::elements(shape), 5);
    for (const auto& [op, name] :
         {std::pair{PoolOp::max, "pool_max_2x2_f32"}, std::pair{PoolOp::avg, "pool_avg_2x2_f32"},
          std::pair{PoolOp::lp, "pool_lp_p2_2x2_f32"}}) {
        const PoolDesc desc{.op = op, .shape = shape};
        EXPECT_EQ(run_gpu(desc, x, {.with_argmax = false}).kernel, name);
        EXPECT_NE(run_gpu(desc, x, {.with_argmax = false, .gap = 1}).kernel, name);
        compare(desc, x);
    }
    EXPECT_EQ(run_gpu({.op = PoolOp::max, .shape = shape}, x).kernel, "pool_max_index_f32");
}

// 64-bit counts: nothing is run, only laid out.
TEST(GpuPoolParity, HugeShapesAreLaidOutIn64Bits) {
    const PoolDesc desc{.op = PoolOp::max, .shape = {1, 1, std::int64_t{1} << 38, 3}};
    const auto geometry = pool::make_geometry(desc);
    ASSERT_TRUE(geometry);
    const auto pooling = pool::make_gpu_pooling(desc, *geometry);
    std::int64_t blocks = 0;
    pool::for_each_launch(pooling, {16, 3, 0}, {16, 1, 0}, 0, [&](const pool::GpuLaunch& launch) {
        EXPECT_EQ(static_cast<const pool::GpuPool*>(launch.parameters)->units.first_block, blocks);
        blocks += launch.blocks;
        return true;
    });
    EXPECT_EQ(blocks, (std::int64_t{1} << 37) / 8);
}

}  // namespace
