// SPDX-License-Identifier: MIT
// The pooling kernels of every element type, forward and backward, run by the executor: the bits of the CPU's
// passes, which are held to the reference.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <stdexcept>

#include "kernels/pool/backward.h"
#include "kernels/pool/geometry.h"
#include "kernels/pool/gpu_plan.h"
#include "tests/gpu/pool/run_kernel.h"
#include "tests/kernels/pool/pool_types_testing.h"

namespace {

using namespace iir2d;
using namespace pool_testing;

// Dense planes, or planes with unused elements between rows, as a kernel is given them.
template <class T>
class OnGpu {
  public:
    OnGpu(const std::vector<T>& values, const Shape& shape, std::int64_t gap)
        : m_shape(shape),
          m_row(static_cast<std::size_t>(shape.w + gap)),
          m_memory(static_cast<std::size_t>(shape.n * shape.c * shape.h) * m_row) {
        for (std::size_t i = 0; i < values.size(); ++i) m_memory[place(i)] = values[i];
    }
    pool::GpuPlanes planes() {
        const auto row = static_cast<std::int64_t>(m_row);
        return {reinterpret_cast<std::uintptr_t>(m_memory.data()), row, row * m_shape.h};
    }
    std::vector<T> values() const {
        std::vector<T> out(elements(m_shape));
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = m_memory[place(i)];
        return out;
    }

  private:
    std::size_t place(std::size_t i) const {
        const auto w = static_cast<std::size_t>(m_shape.w);
        return i / w * m_row + i % w;
    }
    Shape m_shape;
    std::size_t m_row;
    std::vector<T> m_memory;
};

struct Passes {
    int forward = 0;
    int backward = 0;
    ~Passes() { std::printf("%d cases forward, %d backward\n", forward, backward); }
};

template <class T>
void compare(PoolDesc desc, std::uint64_t seed, std::int64_t gap) {
    static Passes passes;
    desc.element = type_of<T>;
    SCOPED_TRACE(to_string(desc) + " as " + std::string(name_of(desc.element)));
    const auto geometry = *pool::make_geometry(desc);
    const auto pooling = pool::make_gpu_pooling(desc, geometry);
    const auto x = stored<T>(uniform(elements(desc.shape), -1.0F, 1.0F, static_cast<unsigned>(seed)));
    const auto expected = run_in<T>(desc, x, 2);

    OnGpu<T> from(x, desc.shape, gap);
    OnGpu<T> to(std::vector<T>(expected.y.size()), geometry.output, gap);
    std::vector<std::int64_t> argmax(expected.argmax.size(), -9);
    const auto argmax_address = argmax.empty() ? 0 : reinterpret_cast<std::uintptr_t>(argmax.data());
    const auto run = [&](const pool::GpuLaunch& launch) {
        gpu_pool_test::run_kernel(launch, seed);
        return true;
    };
    pool::for_each_launch(pooling, from.planes(), to.planes(), argmax_address, run);
    ++passes.forward;
    // The CPU adds long rows of floats up in another order, and cubes them without powers.
    const bool is_power = desc.op == PoolOp::lp && desc.p != 1.0 && desc.p != 2.0;
    const bool same_order =
        desc.element != ElementType::f32 ||
        (geometry.x.adaptive && !pool::choose_cpu_kernel(desc, geometry).variant.starts_with("parts")) ||
        (geometry.x.window * geometry.y.window <= 16 && !is_power);
    if (same_order) {
        ASSERT_TRUE(same_bits_but_nan(to.values(), expected.y)) << pooling.kernel;
    }
    ASSERT_EQ(argmax, expected.argmax);
    if (!argmax.empty()) {
        OnGpu<T> alone(std::vector<T>(expected.y.size()), geometry.output, 0);
        pool::for_each_launch(pooling, from.planes(), alone.planes(), 0, run);
        ASSERT_TRUE(same_bits_but_nan(alone.values(), expected.y)) << "without the argmax";
    }

    const auto dy = stored<T>(uniform(expected.y.size(), -1.0F, 1.0F, static_cast<unsigned>(seed) + 1));
    OnGpu<T> y(expected.y, geometry.output, gap);
    OnGpu<T> upstream(dy, geometry.output, 0);
    OnGpu<T> dx(x, desc.shape, gap);  // what is there before does not matter
    const auto reads = pool::backward_reads(desc.op);
    pool::for_each_launch(pooling,
                          pool::GpuGradients{.x = reads.x ? from.planes() : pool::GpuPlanes{},
                                             .y = reads.y ? y.planes() : pool::GpuPlanes{},
                                             .dy = upstream.planes(),
                                             .dx = dx.planes(),
                                             .argmax = argmax_address},
                          run);
    ++passes.backward;
    // The CPU takes the powers of gradients in vectors, the GPU one by one.
    if (is_power && pool::scatters_norms(desc)) {
        double worst = 0.0;
        ASSERT_TRUE(gradients_agree(desc, x, expected.y, dy, dx.values(), worst)) << pooling.backward_kernel;
        return;
    }
    ASSERT_TRUE(same_bits_but_nan(dx.values(), backward_in<T>(desc, x, expected, dy, 3)))
        << pooling.backward_kernel;
}

template <class T>
class GpuPoolTypes : public ::testing::Test {};
TYPED_TEST_SUITE(GpuPoolTypes, AllTypes, TypeName);

TYPED_TEST(GpuPoolTypes, HaveTheCpusBits) {
    for (const PoolDesc& desc : all_cases()) {
        compare<TypeParam>(desc, 1, 0);
        compare<TypeParam>(desc, 2, 3);
        if (::testing::Test::HasFatalFailure()) return;
    }
}

TYPED_TEST(GpuPoolTypes, LongRows) {
    for (PoolDesc desc : all_ops()) {
        desc.shape = {1, 2, 9, 1021};
        desc.window = {3, 3};
        desc.stride = Extent{2, 2};
        desc.output = {4, 300};
        compare<TypeParam>(desc, 7, 0);
    }
}

}  // namespace
