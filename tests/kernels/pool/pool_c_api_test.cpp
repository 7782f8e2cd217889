// SPDX-License-Identifier: MIT
#include <cstring>

#include "iir2d/iir2d_pool.h"
#include "tests/kernels/pool/pool_c_testing.h"
#include "tests/kernels/pool/pool_types_testing.h"

namespace {

IIR2D_PoolParams params_6x8(int op) {
    return pool_testing::params(op, 1, 2, 6, 8);
}

iir2d::PoolDesc desc_of(const IIR2D_PoolParams& p) {
    return {.op = static_cast<iir2d::PoolOp>(p.op),
            .shape = {p.n, p.c, p.height, p.width},
            .window = {2, 3},
            .output = {4, 5},
            .element = static_cast<iir2d::ElementType>(p.element)};
}

template <class T>
void both_passes() {
    using namespace pool_testing;
    for (const int op :
         {IIR2D_POOL_MAX, IIR2D_POOL_AVG, IIR2D_POOL_LP, IIR2D_POOL_ADAPTIVE_MAX, IIR2D_POOL_ADAPTIVE_AVG}) {
        SCOPED_TRACE(op);
        IIR2D_PoolParams p = params_6x8(op);
        p.element = static_cast<int>(type_of<T>);
        const auto x = stored<T>(uniform(96, -1.0F, 1.0F, 1));
        const auto expected = run_in<T>(desc_of(p), x);
        std::int64_t height = 0;
        std::int64_t width = 0;
        ASSERT_EQ(iir2d_pool_output_size(&p, &height, &width), IIR2D_STATUS_OK);
        ASSERT_EQ(static_cast<std::size_t>(2 * height * width), expected.y.size());
        std::vector<T> y(expected.y.size());
        std::vector<std::int64_t> argmax(expected.argmax.size());
        ASSERT_EQ(iir2d_pool_forward_cpu(x.data(), y.data(), argmax.empty() ? nullptr : argmax.data(), &p),
                  IIR2D_STATUS_OK);
        EXPECT_TRUE(same_bits_but_nan(y, expected.y));
        EXPECT_EQ(argmax, expected.argmax);
        const auto dy = stored<T>(uniform(y.size(), -1.0F, 1.0F, 2));
        std::vector<T> dx(x.size());
        ASSERT_EQ(iir2d_pool_backward_cpu(x.data(), y.data(), dy.data(), dx.data(), nullptr, &p),
                  IIR2D_STATUS_OK);
        EXPECT_TRUE(same_bits_but_nan(dx, backward_in<T>(desc_of(p), x, expected, dy)));
    }
}

TEST(PoolCApi, BothPassesInEveryType) {
    both_passes<float>();
    both_passes<double>();
    both_passes<iir2d::Float16>();
    both_passes<iir2d::BFloat16>();
}

TEST(PoolCApi, StrideAndDilationOfZeroAreTheDefaults) {
    IIR2D_PoolParams p = params_6x8(IIR2D_POOL_AVG);
    std::int64_t size[4] = {};
    ASSERT_EQ(iir2d_pool_output_size(&p, &size[0], &size[1]), IIR2D_STATUS_OK);
    p.stride_h = 2;
    p.stride_w = 3;
    p.dilation_h = p.dilation_w = 1;
    ASSERT_EQ(iir2d_pool_output_size(&p, &size[2], &size[3]), IIR2D_STATUS_OK);
    EXPECT_EQ(size[0], size[2]);
    EXPECT_EQ(size[1], size[3]);
    p.stride_h = 0;  // one alone is no default
    EXPECT_EQ(iir2d_pool_output_size(&p, &size[2], &size[3]), IIR2D_STATUS_INVALID_ARGUMENT);
}

TEST(PoolCApi, TheStructMayGrow) {
    struct Longer {
        IIR2D_PoolParams known;
        std::int64_t later;
    };
    Longer longer{params_6x8(IIR2D_POOL_MAX), 0};
    longer.known.size = sizeof longer;
    std::int64_t height = 0;
    std::int64_t width = 0;
    EXPECT_EQ(iir2d_pool_output_size(&longer.known, &height, &width), IIR2D_STATUS_OK);
    longer.later = 1;  // a wish that this library does not know
    EXPECT_EQ(iir2d_pool_output_size(&longer.known, &height, &width), IIR2D_STATUS_INVALID_ARGUMENT);
    IIR2D_PoolParams p = params_6x8(IIR2D_POOL_MAX);
    for (const std::size_t size : {std::size_t{0}, std::size_t{8}, std::size_t{151}, std::size_t{4097}}) {
        p.size = size;
        EXPECT_EQ(iir2d_pool_output_size(&p, &height, &width), IIR2D_STATUS_INVALID_ARGUMENT) << size;
    }
}

TEST(PoolCApi, RefusesAndWritesNothing) {
    std::vector<float> x(96, 1.0F);
    std::vector<float> y(96, -5.0F);
    std::vector<std::int64_t> argmax(96, -5);
    const IIR2D_PoolParams good = params_6x8(IIR2D_POOL_AVG);
    EXPECT_EQ(iir2d_pool_forward_cpu(nullptr, y.data(), nullptr, &good), IIR2D_STATUS_NULL_POINTER);
    EXPECT_EQ(iir2d_pool_forward_cpu(x.data(), nullptr, nullptr, &good), IIR2D_STATUS_NULL_POINTER);
    EXPECT_EQ(iir2d_pool_forward_cpu(x.data(), y.data(), nullptr, nullptr), IIR2D_STATUS_NULL_POINTER);
    EXPECT_EQ(iir2d_pool_output_size(&good, nullptr, nullptr), IIR2D_STATUS_NULL_POINTER);
    EXPECT_EQ(iir2d_pool_forward_cpu(x.data(), y.data(), argmax.data(), &good),
              IIR2D_STATUS_INVALID_ARGUMENT);
    struct Bad {
        void (*spoil)(IIR2D_PoolParams&);
        int status;
    };
    const Bad all[] = {
        {[](IIR2D_PoolParams& p) { p.op = 5; }, IIR2D_STATUS_INVALID_ARGUMENT},
        {[](IIR2D_PoolParams& p) { p.op = -1; }, IIR2D_STATUS_INVALID_ARGUMENT},
        {[](IIR2D_PoolParams& p) { p.element = 4; }, IIR2D_STATUS_INVALID_ARGUMENT},
        {[](IIR2D_PoolParams& p) { p.ceil_mode = 2; }, IIR2D_STATUS_INVALID_ARGUMENT},
        {[](IIR2D_PoolParams& p) { p.n = 0; }, IIR2D_STATUS_INVALID_DIMENSION},
        {[](IIR2D_PoolParams& p) { p.window_w = 0; }, IIR2D_STATUS_INVALID_ARGUMENT},
        {[](IIR2D_PoolParams& p) { p.window_w = 9; }, IIR2D_STATUS_INVALID_DIMENSION},
        {[](IIR2D_PoolParams& p) { p.padding_h = 2; }, IIR2D_STATUS_INVALID_ARGUMENT},
        {[](IIR2D_PoolParams& p) { p.height = std::int64_t{1} << 62; }, IIR2D_STATUS_INVALID_DIMENSION}};
    for (const Bad& bad : all) {
        IIR2D_PoolParams p = good;
        bad.spoil(p);
        EXPECT_EQ(iir2d_pool_forward_cpu(x.data(), y.data(), nullptr, &p), bad.status);
        EXPECT_EQ(iir2d_pool_backward_cpu(nullptr, nullptr, x.data(), y.data(), nullptr, &p), bad.status);
    }
    // Which pointers may be null depends on the op.
    const auto backward = [&](int op, const void* in, const void* out, const std::int64_t* places) {
        const IIR2D_PoolParams p = params_6x8(op);
        return iir2d_pool_backward_cpu(in, out, x.data(), y.data(), places, &p);
    };
    EXPECT_EQ(backward(IIR2D_POOL_LP, nullptr, x.data(), nullptr), IIR2D_STATUS_NULL_POINTER);
    EXPECT_EQ(backward(IIR2D_POOL_LP, x.data(), nullptr, nullptr), IIR2D_STATUS_NULL_POINTER);
    EXPECT_EQ(backward(IIR2D_POOL_MAX, nullptr, nullptr, nullptr), IIR2D_STATUS_NULL_POINTER);
    EXPECT_EQ(y, std::vector<float>(96, -5.0F));
    EXPECT_EQ(argmax, std::vector<std::int64_t>(96, -5));
    EXPECT_EQ(backward(IIR2D_POOL_AVG, nullptr, nullptr, nullptr), IIR2D_STATUS_OK);
    // Without a GPU, or without a context of the caller's, the process stays as it is.
    EXPECT_EQ(iir2d_pool_forward_cuda(x.data(), y.data(), nullptr, &good, nullptr), IIR2D_STATUS_CUDA_ERROR);
    EXPECT_EQ(iir2d_pool_backward_cuda(nullptr, nullptr, x.data(), y.data(), nullptr, &good, nullptr),
              IIR2D_STATUS_CUDA_ERROR);
}

// The numbers are the interface.
static_assert(IIR2D_POOL_MAX == 0 && IIR2D_POOL_AVG == 1 && IIR2D_POOL_LP == 2 &&
              IIR2D_POOL_ADAPTIVE_MAX == 3 && IIR2D_POOL_ADAPTIVE_AVG == 4);
static_assert(IIR2D_ELEMENT_F32 == 0 && IIR2D_ELEMENT_F64 == 1 && IIR2D_ELEMENT_F16 == 2 &&
              IIR2D_ELEMENT_BF16 == 3);
static_assert(offsetof(IIR2D_PoolParams, size) == 0 && offsetof(IIR2D_PoolParams, op) == sizeof(std::size_t));
static_assert(offsetof(IIR2D_PoolParams, x_stride) == 152);  // the size of 1.1
static_assert(sizeof(void*) != 8 || sizeof(IIR2D_PoolParams) == 272);

}  // namespace
