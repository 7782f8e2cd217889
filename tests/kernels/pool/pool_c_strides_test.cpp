// SPDX-License-Identifier: MIT
// What 1.2 added to IIR2D_PoolParams: strides, threads and poll; and that 1.1's struct still does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "iir2d/iir2d_pool.h"
#include "tests/kernels/pool/pool_c_testing.h"
#include "tests/kernels/pool/pool_testing.h"

namespace {

using pool_testing::params;
using pool_testing::uniform;
using ::testing::HasSubstr;

constexpr int all_ops[] = {IIR2D_POOL_MAX, IIR2D_POOL_AVG, IIR2D_POOL_LP, IIR2D_POOL_ADAPTIVE_MAX,
                           IIR2D_POOL_ADAPTIVE_AVG};

bool has_argmax(int op) {
    return op == IIR2D_POOL_MAX || op == IIR2D_POOL_ADAPTIVE_MAX;
}

// Where element `i` of a dense tensor lies in a view.
struct Layout {
    std::int64_t strides[3];
    std::size_t at(std::int64_t i, std::int64_t c, std::int64_t height, std::int64_t width) const {
        const std::int64_t plane = i / (height * width);
        return static_cast<std::size_t>(plane / c * strides[0] + plane % c * strides[1] +
                                        i % (height * width) / width * strides[2] + i % width);
    }
};

struct Tensor {
    std::int64_t height;
    std::int64_t width;
};

TEST(PoolCStrides, ViewsHaveTheBitsOfTheirDenseCopies) {
    constexpr std::int64_t n = 3;
    constexpr std::int64_t c = 2;
    const Layout views[] = {{{2000, 700, 30}}, {{400, 1300, 30}}, {{500, 250, 20}}};
    const Layout repeated[] = {{{0, 300, 20}}, {{300, 0, 20}}, {{0, 0, 20}}};
    for (const int op : all_ops) {
        const IIR2D_PoolParams dense = params(op, n, c, 9, 14);
        std::int64_t height = 0;
        std::int64_t width = 0;
        ASSERT_EQ(iir2d_pool_output_size(&dense, &height, &width), IIR2D_STATUS_OK);
        const auto memory = uniform(6000, -1.0F, 1.0F, 7);
        const auto gather = [&](const Layout& view, const Tensor& t) {
            std::vector<float> values;
            for (std::int64_t i = 0; i < n * c * t.height * t.width; ++i)
                values.push_back(memory[view.at(i, c, t.height, t.width)]);
            return values;
        };
        const auto expect_scattered = [&](std::vector<float> result, const Layout& view, const Tensor& t,
                                          const std::vector<float>& expected) {
            for (std::size_t i = 0; i < expected.size(); ++i) {
                float& value = result[view.at(static_cast<std::int64_t>(i), c, t.height, t.width)];
                EXPECT_EQ(value, expected[i]) << op << " " << i;
                value = -7.0F;
            }
            EXPECT_EQ(std::ranges::count(result, -7.0F), 6000) << "a gap was written";
        };
        const Tensor in{9, 14};
        const Tensor out{height, width};
        const auto outputs = static_cast<std::size_t>(n * c * height * width);
        std::vector<Layout> read(std::begin(views), std::end(views));
        read.insert(read.end(), std::begin(repeated), std::end(repeated));
        for (const Layout& from : read) {
            for (const Layout& to : views) {
                const auto x = gather(from, in);
                const auto dy = gather(from, out);
                std::vector<float> y(outputs);
                std::vector<float> dx(x.size());
                std::vector<std::int64_t> argmax(has_argmax(op) ? outputs : 0);
                auto* places = argmax.empty() ? nullptr : argmax.data();
                ASSERT_EQ(iir2d_pool_forward_cpu(x.data(), y.data(), places, &dense), IIR2D_STATUS_OK);
                ASSERT_EQ(iir2d_pool_backward_cpu(x.data(), y.data(), dy.data(), dx.data(), places, &dense),
                          IIR2D_STATUS_OK);
                IIR2D_PoolParams p = dense;
                std::copy_n(from.strides, 3, p.x_stride);
                std::copy_n(to.strides, 3, p.y_stride);
                std::vector<float> result(6000, -7.0F);
                std::vector<std::int64_t> found(argmax.size());
                auto* found_places = found.empty() ? nullptr : found.data();
                ASSERT_EQ(iir2d_pool_forward_cpu(memory.data(), result.data(), found_places, &p),
                          IIR2D_STATUS_OK)
                    << iir2d_last_error();
                expect_scattered(result, to, out, y);
                EXPECT_EQ(found, argmax);
                // y as it was written, dy from a view, dx into one.
                std::copy_n(from.strides, 3, p.dy_stride);
                std::copy_n(to.strides, 3, p.dx_stride);
                std::vector<float> gradient(6000, -7.0F);
                ASSERT_EQ(iir2d_pool_backward_cpu(memory.data(), result.data(), memory.data(),
                                                  gradient.data(), found_places, &p),
                          IIR2D_STATUS_OK)
                    << iir2d_last_error();
                expect_scattered(gradient, to, in, dx);
            }
        }
    }
}

TEST(PoolCStrides, TheStructOf1_1StillDoes) {
    for (const int op : all_ops) {
        const IIR2D_PoolParams p = params(op, 1, 2, 6, 8);
        std::int64_t height = 0;
        std::int64_t width = 0;
        ASSERT_EQ(iir2d_pool_output_size(&p, &height, &width), IIR2D_STATUS_OK);
        const auto x = uniform(96, -1.0F, 1.0F, 1);
        std::vector<float> expected(static_cast<std::size_t>(2 * height * width));
        ASSERT_EQ(iir2d_pool_forward_cpu(x.data(), expected.data(), nullptr, &p), IIR2D_STATUS_OK);
        // As a program of then has it: 152 bytes, and memory of its own behind them.
        std::vector<unsigned char> then(sizeof p, 0xA5);
        const std::size_t size = 152;
        std::memcpy(then.data(), &p, size);
        std::memcpy(then.data(), &size, sizeof size);
        const auto* params_then = reinterpret_cast<const IIR2D_PoolParams*>(then.data());
        std::vector<float> y(expected.size());
        ASSERT_EQ(iir2d_pool_forward_cpu(x.data(), y.data(), nullptr, params_then), IIR2D_STATUS_OK)
            << iir2d_last_error();
        EXPECT_EQ(y, expected);
    }
}

TEST(PoolCStrides, ErrorsNameTheFieldAndItsValue) {
    const std::vector<float> x(400, 1.0F);
    std::vector<float> y(400, 5.0F);
    struct Bad {
        void (*spoil)(IIR2D_PoolParams&);
        int status;
        const char* sentence;
    };
    const Bad all[] = {
        {[](auto& p) { p.op = 7; }, IIR2D_STATUS_INVALID_ARGUMENT, "op 7 is unknown: use 0 to 4"},
        {[](auto& p) { p.element = -1; }, IIR2D_STATUS_INVALID_ARGUMENT, "element -1 is unknown"},
        {[](auto& p) { p.ceil_mode = 3; }, IIR2D_STATUS_INVALID_ARGUMENT, "ceil_mode is 3: give 0 or 1"},
        {[](auto& p) { p.size = 151; }, IIR2D_STATUS_INVALID_ARGUMENT, "size is 151"},
        {[](auto& p) { p.x_stride[2] = 7; }, IIR2D_STATUS_INVALID_DIMENSION,
         "x_stride[2] is 7: a row has 8 elements"},
        {[](auto& p) { p.x_stride[0] = 1; }, IIR2D_STATUS_INVALID_DIMENSION, "x_stride[2] is 0"},
        {[](auto& p) { p.x_stride[1] = -8, p.x_stride[2] = 8; }, IIR2D_STATUS_INVALID_DIMENSION,
         "x_stride[1] is -8"},
        {[](auto& p) { p.y_stride[2] = 8; }, IIR2D_STATUS_INVALID_DIMENSION, "lie over each other"},
        {[](auto& p) { p.threads = -3; }, IIR2D_STATUS_INVALID_ARGUMENT, "threads is -3"},
    };
    for (const Bad& bad : all) {
        IIR2D_PoolParams p = params(IIR2D_POOL_AVG, 2, 2, 6, 8);
        bad.spoil(p);
        EXPECT_EQ(iir2d_pool_forward_cpu(x.data(), y.data(), nullptr, &p), bad.status) << bad.sentence;
        EXPECT_THAT(iir2d_last_error(), HasSubstr(bad.sentence));
    }
    IIR2D_PoolParams p = params(IIR2D_POOL_LP, 2, 2, 6, 8);
    EXPECT_EQ(iir2d_pool_backward_cpu(nullptr, x.data(), x.data(), y.data(), nullptr, &p),
              IIR2D_STATUS_NULL_POINTER);
    EXPECT_STREQ(iir2d_last_error(), "x is null");
    p.dx_stride[2] = 8;
    EXPECT_EQ(iir2d_pool_backward_cpu(x.data(), x.data(), x.data(), y.data(), nullptr, &p),
              IIR2D_STATUS_INVALID_DIMENSION);
    EXPECT_THAT(iir2d_last_error(), HasSubstr("dx: "));
    EXPECT_EQ(y, std::vector<float>(400, 5.0F));
}

TEST(PoolCStrides, StridesOfWhatIsNotReadSayNothing) {
    const std::vector<float> array(400, 1.0F);
    std::vector<float> dx(400);
    const std::vector<std::int64_t> argmax(80);
    IIR2D_PoolParams p = params(IIR2D_POOL_AVG, 2, 2, 6, 8);
    p.x_stride[2] = p.y_stride[2] = 1;
    EXPECT_EQ(iir2d_pool_backward_cpu(nullptr, nullptr, array.data(), dx.data(), nullptr, &p),
              IIR2D_STATUS_OK)
        << iir2d_last_error();
    p.op = IIR2D_POOL_MAX;
    EXPECT_EQ(iir2d_pool_backward_cpu(nullptr, nullptr, array.data(), dx.data(), argmax.data(), &p),
              IIR2D_STATUS_OK)
        << iir2d_last_error();
    EXPECT_EQ(iir2d_pool_backward_cpu(array.data(), nullptr, array.data(), dx.data(), nullptr, &p),
              IIR2D_STATUS_INVALID_DIMENSION);
    EXPECT_THAT(iir2d_last_error(), HasSubstr("x_stride[2] is 1"));
    p.x_stride[2] = 0;
    p.op = IIR2D_POOL_LP;
    EXPECT_EQ(iir2d_pool_backward_cpu(array.data(), array.data(), array.data(), dx.data(), nullptr, &p),
              IIR2D_STATUS_INVALID_DIMENSION);
    EXPECT_THAT(iir2d_last_error(), HasSubstr("y_stride[2] is 1"));
}

TEST(PoolCStrides, ArgmaxLiesApart) {
    IIR2D_PoolParams p = params(IIR2D_POOL_MAX, 1, 1, 6, 8);
    p.element = IIR2D_ELEMENT_F64;
    std::vector<double> x(48, 1.0);
    std::vector<double> y(48, 5.0);
    const auto fails = [&](int status, const char* name) {
        EXPECT_EQ(status, IIR2D_STATUS_INVALID_ARGUMENT) << name;
        EXPECT_EQ(iir2d_last_error(), std::string("argmax overlaps ") + name + ": it must lie apart");
        EXPECT_EQ(x, std::vector<double>(48, 1.0));
        EXPECT_EQ(y, std::vector<double>(48, 5.0));
    };
    const auto at = [](double* place) { return reinterpret_cast<std::int64_t*>(place); };
    fails(iir2d_pool_forward_cpu(x.data(), y.data(), at(&x[47]), &p), "x");
    fails(iir2d_pool_forward_cpu(x.data(), y.data(), at(y.data()), &p), "y");
    fails(iir2d_pool_forward_cuda(x.data(), y.data(), at(y.data()), &p, nullptr), "y");
    fails(iir2d_pool_backward_cpu(nullptr, nullptr, x.data(), y.data(), at(&y[47]), &p), "dx");
    fails(iir2d_pool_backward_cuda(nullptr, nullptr, x.data(), y.data(), at(&y[47]), &p, nullptr), "dx");
}

struct Asked {
    std::thread::id caller = std::this_thread::get_id();
    bool elsewhere = false;
    int calls = 0;
    int cancel_at = -1;
    static int poll(void* user, double fraction) {
        auto& asked = *static_cast<Asked*>(user);
        asked.elsewhere = asked.elsewhere || std::this_thread::get_id() != asked.caller;
        EXPECT_GE(fraction, 0.0);
        EXPECT_LE(fraction, 1.0);
        return asked.calls++ == asked.cancel_at ? 1 : 0;
    }
};

TEST(PoolCStrides, PollIsCalledByTheCallerAndCancels) {
    for (const bool gaps : {false, true}) {
        IIR2D_PoolParams p = params(IIR2D_POOL_LP, 2, 2, 1200, 1200);
        p.p = 2.5;
        p.poll = Asked::poll;
        if (gaps) p.x_stride[0] = 2 * 1200 * 1200 + 64, p.x_stride[1] = 1200 * 1200, p.x_stride[2] = 1200;
        std::vector<float> x(4 * 1200 * 1200 + 64, 0.5F);
        std::vector<float> y(4 * 600 * 400);
        std::vector<float> dx(4 * 1200 * 1200);
        const auto run = [&](Asked& asked, bool backward) {
            p.user = &asked;
            return backward ? iir2d_pool_backward_cpu(x.data(), y.data(), y.data(), dx.data(), nullptr, &p)
                            : iir2d_pool_forward_cpu(x.data(), y.data(), nullptr, &p);
        };
        for (const bool backward : {false, true}) {
            p.threads = 0;
            Asked one_of_many;
            EXPECT_EQ(run(one_of_many, backward), IIR2D_STATUS_OK) << iir2d_last_error();
            EXPECT_FALSE(one_of_many.elsewhere);
            // Others could do the work before the caller asks again.
            p.threads = 1;
            for (const int at : {-1, 0, 2}) {
                Asked asked{.cancel_at = at};
                const int status = run(asked, backward);
                EXPECT_EQ(status, at < 0 ? IIR2D_STATUS_OK : IIR2D_STATUS_CANCELLED) << iir2d_last_error();
                EXPECT_FALSE(asked.elsewhere);
                if (at < 0) {
                    EXPECT_GE(asked.calls, 3);
                } else {
                    EXPECT_EQ(asked.calls, at + 1) << "not called again";
                    EXPECT_THAT(iir2d_last_error(), HasSubstr("cancelled"));
                }
            }
        }
    }
    // What is wrong is said before the function is called.
    std::vector<float> x(96, 1.0F);
    IIR2D_PoolParams p = params(IIR2D_POOL_AVG, 1, 2, 6, 8);
    Asked asked;
    p.poll = Asked::poll;
    p.user = &asked;
    EXPECT_EQ(iir2d_pool_forward_cpu(x.data(), x.data(), nullptr, &p), IIR2D_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(iir2d_pool_backward_cpu(nullptr, nullptr, x.data(), x.data(), nullptr, &p),
              IIR2D_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(asked.calls, 0);
}

TEST(PoolCStrides, EveryNumberOfThreadsGivesTheSameBits) {
    const auto x = uniform(2 * 300 * 400, -1.0F, 1.0F, 3);
    for (const int op : all_ops) {
        IIR2D_PoolParams p = params(op, 1, 2, 300, 400);
        std::int64_t height = 0;
        std::int64_t width = 0;
        ASSERT_EQ(iir2d_pool_output_size(&p, &height, &width), IIR2D_STATUS_OK);
        std::vector<float> expected;
        for (const int threads : {1, 2, 7, 0}) {
            p.threads = threads;
            std::vector<float> y(static_cast<std::size_t>(2 * height * width));
            ASSERT_EQ(iir2d_pool_forward_cpu(x.data(), y.data(), nullptr, &p), IIR2D_STATUS_OK);
            if (expected.empty()) expected = y;
            EXPECT_EQ(y, expected) << threads;
        }
    }
}

}  // namespace
