// SPDX-License-Identifier: MIT
// What a C program can get wrong about memory: the struct's size, where it ends, places of maxima that no
// forward pass gave, and numbers at the ends of their types. Some of it only a sanitizer can see.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#if defined(__unix__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "iir2d/iir2d_pool.h"

namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

IIR2D_PoolParams params_4x4(int op) {
    IIR2D_PoolParams p{};
    p.size = sizeof p;
    p.op = op;
    p.n = p.c = 1;
    p.height = p.width = 4;
    p.window_h = p.window_w = 2;
    p.output_h = p.output_w = 2;
    p.p = 2;
    return p;
}

#if defined(__unix__)
// Bytes behind which no memory is readable.
class BytesAtAnEnd {
  public:
    explicit BytesAtAnEnd(std::size_t bytes) : m_page(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
        m_memory = mmap(nullptr, 2 * m_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (m_memory == MAP_FAILED) return;
        mprotect(static_cast<char*>(m_memory) + m_page, m_page, PROT_NONE);
        m_first = static_cast<char*>(m_memory) + m_page - bytes;
    }
    BytesAtAnEnd(const BytesAtAnEnd&) = delete;
    BytesAtAnEnd& operator=(const BytesAtAnEnd&) = delete;
    ~BytesAtAnEnd() {
        if (m_memory != MAP_FAILED) munmap(m_memory, 2 * m_page);
    }
    char* first() const { return m_first; }

  private:
    std::size_t m_page;
    void* m_memory;
    char* m_first = nullptr;
};

// Every function that takes the struct, which has `size` in it and is followed by nothing.
std::array<int, 5> statuses_of(std::size_t size, std::size_t bytes) {
    const BytesAtAnEnd end(bytes);
    EXPECT_NE(end.first(), nullptr);
    IIR2D_PoolParams p = params_4x4(IIR2D_POOL_AVG);
    p.size = size;
    std::memcpy(end.first(), &p, bytes);
    const auto* given = reinterpret_cast<const IIR2D_PoolParams*>(end.first());
    std::int64_t extent[2] = {};
    std::vector<float> x(16, 1.0F);
    std::vector<float> y(16);
    return {iir2d_pool_output_size(given, &extent[0], &extent[1]),
            iir2d_pool_forward_cpu(x.data(), y.data(), nullptr, given),
            iir2d_pool_backward_cpu(nullptr, nullptr, x.data(), y.data(), nullptr, given),
            iir2d_pool_forward_cuda(x.data(), y.data(), nullptr, given, nullptr),
            iir2d_pool_backward_cuda(nullptr, nullptr, x.data(), y.data(), nullptr, given, nullptr)};
}

std::array<int, 5> all_refused() {
    std::array<int, 5> statuses{};
    statuses.fill(IIR2D_STATUS_INVALID_ARGUMENT);
    return statuses;
}

TEST(PoolCLimits, ASizeBeyondAnyStructIsRefusedUnread) {
    for (const std::size_t size :
         {std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max() / 2,
          std::size_t{1} << 40, std::size_t{4097}}) {
        EXPECT_EQ(statuses_of(size, sizeof(IIR2D_PoolParams)), all_refused()) << size;
    }
}

TEST(PoolCLimits, NothingIsReadOfAStructBeforeItsSize) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, sizeof(std::size_t)})
        EXPECT_EQ(statuses_of(size, sizeof(std::size_t)), all_refused()) << size;
}
#endif

TEST(PoolCLimits, PlacesThatLieBetweenNumbersAreRefused) {
    std::vector<char> memory(5 * sizeof(std::int64_t));
    auto* places = reinterpret_cast<std::int64_t*>(memory.data() + 1);
    std::vector<float> x(16, 1.0F);
    std::vector<float> y(4, -5.0F);
    std::vector<float> dx(16, -5.0F);
    for (const int op : {IIR2D_POOL_MAX, IIR2D_POOL_ADAPTIVE_MAX}) {
        const IIR2D_PoolParams p = params_4x4(op);
        EXPECT_EQ(iir2d_pool_forward_cpu(x.data(), y.data(), places, &p), IIR2D_STATUS_INVALID_ARGUMENT);
        EXPECT_EQ(iir2d_pool_backward_cpu(nullptr, nullptr, y.data(), dx.data(), places, &p),
                  IIR2D_STATUS_INVALID_ARGUMENT);
        EXPECT_EQ(iir2d_pool_forward_cuda(x.data(), y.data(), places, &p, nullptr),
                  IIR2D_STATUS_INVALID_ARGUMENT);
        EXPECT_EQ(iir2d_pool_backward_cuda(nullptr, nullptr, y.data(), dx.data(), places, &p, nullptr),
                  IIR2D_STATUS_INVALID_ARGUMENT);
    }
    EXPECT_EQ(y, std::vector<float>(4, -5.0F));
    EXPECT_EQ(dx, std::vector<float>(16, -5.0F));
}

// A GPU would report it only after the launch, and the caller's context would be lost to it.
TEST(PoolCLimits, TensorsThatCannotBePooledAreRefusedBeforeTheGpuSeesThem) {
    std::vector<float> memory(64, 1.0F);
    char* x = reinterpret_cast<char*>(memory.data());
    char* apart = x + 32 * sizeof(float);
    const IIR2D_PoolParams p = params_4x4(IIR2D_POOL_AVG);
    EXPECT_EQ(iir2d_pool_forward_cuda(x + 1, apart, nullptr, &p, nullptr), IIR2D_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(iir2d_pool_forward_cuda(x, apart + 2, nullptr, &p, nullptr), IIR2D_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(iir2d_pool_forward_cuda(x, x + 8, nullptr, &p, nullptr), IIR2D_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(iir2d_pool_backward_cuda(nullptr, nullptr, x + 1, apart, nullptr, &p, nullptr),
              IIR2D_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(iir2d_pool_backward_cuda(nullptr, nullptr, x, x + 8, nullptr, &p, nullptr),
              IIR2D_STATUS_INVALID_ARGUMENT);
}

TEST(PoolCLimits, PlacesThatNoForwardPassGaveAddNothing) {
    const std::vector<float> dy(4, 1.0F);
    for (const int op : {IIR2D_POOL_MAX, IIR2D_POOL_ADAPTIVE_MAX}) {
        const IIR2D_PoolParams p = params_4x4(op);
        for (const std::int64_t place : {lowest, lowest + 1, std::int64_t{-1}, std::int64_t{16}, highest}) {
            const std::vector<std::int64_t> argmax(4, place);
            std::vector<float> dx(16, -5.0F);
            ASSERT_EQ(iir2d_pool_backward_cpu(nullptr, nullptr, dy.data(), dx.data(), argmax.data(), &p),
                      IIR2D_STATUS_OK);
            EXPECT_EQ(dx, std::vector<float>(16, 0.0F)) << place;
        }
    }
}

// Every number of the struct at the ends of its type: a status, and no arithmetic that leaves the type. A
// plan is made of what passes the checks; its run is refused, because y is x.
TEST(PoolCLimits, NumbersAtTheEndsOfTheirTypes) {
    std::int64_t IIR2D_PoolParams::*const fields[] = {
        &IIR2D_PoolParams::n,         &IIR2D_PoolParams::c,          &IIR2D_PoolParams::height,
        &IIR2D_PoolParams::width,     &IIR2D_PoolParams::window_h,   &IIR2D_PoolParams::window_w,
        &IIR2D_PoolParams::stride_h,  &IIR2D_PoolParams::stride_w,   &IIR2D_PoolParams::padding_h,
        &IIR2D_PoolParams::padding_w, &IIR2D_PoolParams::dilation_h, &IIR2D_PoolParams::dilation_w,
        &IIR2D_PoolParams::output_h,  &IIR2D_PoolParams::output_w,   &IIR2D_PoolParams::divisor_override};
    const std::int64_t values[] = {lowest,      lowest + 1,  lowest / 2,  -1,          0,      highest / 8,
                                   highest / 5, highest / 4, highest / 2, highest - 1, highest};
    std::vector<float> x(16, 1.0F);
    int refused = 0;
    int planned = 0;
    for (int op = IIR2D_POOL_MAX; op <= IIR2D_POOL_ADAPTIVE_AVG; ++op) {
        for (const auto one : fields) {
            for (const auto other : fields) {
                for (const std::int64_t value : values) {
                    IIR2D_PoolParams p = params_4x4(op);
                    p.element = IIR2D_ELEMENT_F16;
                    p.*one = value;
                    p.*other = -(value / 2);
                    std::int64_t height = -5;
                    std::int64_t width = -5;
                    const int status = iir2d_pool_output_size(&p, &height, &width);
                    const int run = iir2d_pool_forward_cpu(x.data(), x.data(), nullptr, &p);
                    EXPECT_EQ(iir2d_pool_forward_cuda(x.data(), x.data(), nullptr, &p, nullptr), run);
                    if (status == IIR2D_STATUS_OK) {
                        ++planned;
                        EXPECT_GE(height, 1);
                        EXPECT_GE(width, 1);
                        EXPECT_EQ(run, IIR2D_STATUS_INVALID_ARGUMENT);
                        continue;
                    }
                    EXPECT_EQ(run, status);
                    ++refused;
                    EXPECT_EQ(height, -5);
                    EXPECT_EQ(width, -5);
                    EXPECT_TRUE(status == IIR2D_STATUS_INVALID_ARGUMENT ||
                                status == IIR2D_STATUS_INVALID_DIMENSION)
                        << status;
                }
            }
        }
    }
    EXPECT_GT(refused, 1000);
    EXPECT_GT(planned, 1000);
    EXPECT_EQ(x, std::vector<float>(16, 1.0F));
}

// The longest row whose bytes 63 bits can count; four times its length they cannot.
TEST(PoolCLimits, APlanOfTheLongestRow) {
    std::vector<float> x(16, 1.0F);
    for (const int op : {IIR2D_POOL_MAX, IIR2D_POOL_AVG, IIR2D_POOL_LP}) {
        IIR2D_PoolParams p = params_4x4(op);
        p.element = IIR2D_ELEMENT_F16;
        p.height = p.window_h = 1;
        p.width = highest / 2;
        std::int64_t height = 0;
        std::int64_t width = 0;
        ASSERT_EQ(iir2d_pool_output_size(&p, &height, &width), IIR2D_STATUS_OK);
        EXPECT_EQ(height, 1);
        EXPECT_EQ(width, highest / 4);
        EXPECT_EQ(iir2d_pool_forward_cpu(x.data(), x.data(), nullptr, &p), IIR2D_STATUS_INVALID_ARGUMENT);
    }
}

}  // namespace
