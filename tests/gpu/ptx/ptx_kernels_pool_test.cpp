// SPDX-License-Identifier: MIT
// The pooling kernels' PTX in every element type, forward and backward: the bits of their source, and nothing
// found.
#include <cmath>
#include <cstdio>

#include "kernels/pool/backward.h"
#include "kernels/pool/geometry.h"
#include "kernels/pool/gpu_plan.h"
#include "tests/gpu/ptx/ptx_launcher.h"
#include "tests/kernels/pool/pool_types_testing.h"

namespace ptx_kernels_test {
namespace {

using namespace pool_testing;

template <class T>
struct Passes {
    std::vector<T> y, dx;
    std::vector<std::int64_t> argmax;
};

struct Tally {
    int cases = 0;
    std::uint64_t lanes = 0;
    std::set<std::string> kernels;
};

// Rows with `gap` unused elements behind each; kernels may read none of them, so they count as unwritten.
template <class T>
struct Held {
    std::vector<T> memory;
    pool::GpuPlanes planes;

    Held(Launcher& launcher, const std::vector<T>* values, const Shape& s, std::int64_t gap)
        : memory(static_cast<std::size_t>(s.n * s.c * s.h * (s.w + gap))),
          planes{launcher.give(memory, false), s.w + gap, s.h * (s.w + gap)} {
        const auto width = static_cast<std::size_t>(s.w);
        for (std::size_t row = 0; values != nullptr && row < values->size() / width; ++row) {
            T* const to = memory.data() + row * static_cast<std::size_t>(s.w + gap);
            std::copy_n(values->begin() + static_cast<std::ptrdiff_t>(row * width), width, to);
            launcher.mark_written(reinterpret_cast<std::uintptr_t>(to), width * sizeof(T));
        }
    }
};

template <class T>
Passes<T> run_passes(By by, const PoolDesc& desc, std::uint64_t seed, std::int64_t gap, bool with_places,
                     Tally& tally) {
    const auto geometry = *pool::make_geometry(desc);
    auto pooling = pool::make_gpu_pooling(desc, geometry);
    if (seed == 0) pooling.least_stacked = 0;
    const std::size_t outputs = elements(geometry.output);
    const auto x = stored<T>(uniform(elements(desc.shape), -1.0F, 1.0F, static_cast<unsigned>(seed)));
    const auto dy = stored<T>(uniform(outputs, -1.0F, 1.0F, static_cast<unsigned>(seed) + 1));
    Launcher launcher(by, seed);
    Held<T> from(launcher, &x, desc.shape, gap);
    Held<T> to(launcher, nullptr, geometry.output, gap);
    Held<T> upstream(launcher, &dy, geometry.output, 0);
    Held<T> gradient(launcher, nullptr, desc.shape, gap);
    Passes<T> made;
    made.argmax.assign(is_max(desc.op) && with_places ? outputs : 0, -9);
    const std::uint64_t argmax = launcher.give(made.argmax, false);
    const auto run = [&](const pool::GpuLaunch& launch) {
        return launcher.launch(launch.kernel, launch.blocks, launch.threads, 0, launch.parameters);
    };
    pool::for_each_launch(pooling, from.planes, to.planes, argmax, run);
    const auto reads = pool::backward_reads(desc.op);
    if (!is_max(desc.op) || with_places)
        pool::for_each_launch(pooling,
                              pool::GpuGradients{.x = reads.x ? from.planes : pool::GpuPlanes{},
                                                 .y = reads.y ? to.planes : pool::GpuPlanes{},
                                                 .dy = upstream.planes,
                                                 .dx = gradient.planes,
                                                 .argmax = argmax},
                              run);
    made.y = to.memory;
    made.dx = gradient.memory;
    tally.lanes += launcher.lanes();
    tally.kernels.insert(launcher.kernels_run().begin(), launcher.kernels_run().end());
    return made;
}

// As pooling's tests have it for powers, which the two C libraries round on their own.
template <class T>
void expect_near(const std::vector<T>& a, const std::vector<T>& b, double wanted) {
    const auto p = as_doubles(a);
    const auto q = as_doubles(b);
    for (std::size_t i = 0; i < p.size(); ++i)
        ASSERT_NEAR(p[i], q[i], wanted * std::max(std::abs(p[i]), std::abs(q[i])) + smallest<T>()) << i;
}

template <class T>
void compare_text(PoolDesc desc, std::uint64_t seed, std::int64_t gap, Tally& tally) {
    desc.element = type_of<T>;
    SCOPED_TRACE(to_string(desc) + " as " + std::string(name_of(desc.element)));
    for (const bool with_places : {true, false}) {
        if (!with_places && !is_max(desc.op)) continue;
        Tally of_source;
        const auto source = run_passes<T>(By::source, desc, seed, gap, with_places, of_source);
        const auto text = run_passes<T>(By::text, desc, seed, gap, with_places, tally);
        ++tally.cases;
        EXPECT_EQ(source.argmax, text.argmax);
        if (desc.op == PoolOp::lp && desc.p != 1.0 && desc.p != 2.0) {
            expect_near(source.y, text.y, tolerance<T>());
            expect_near(source.dx, text.dx, 4 * tolerance<T>());  // of a quotient of what was rounded already
        } else {
            EXPECT_TRUE(same_bits_but_nan(source.y, text.y));
            EXPECT_TRUE(same_bits_but_nan(source.dx, text.dx));
        }
    }
}

template <class T>
class PtxKernelsPool : public ::testing::Test {};
TYPED_TEST_SUITE(PtxKernelsPool, AllTypes, TypeName);

TYPED_TEST(PtxKernelsPool, GiveTheBitsOfTheirSourceAndNothingIsFound) {
    Tally tally;
    std::uint64_t seed = 0;
    for (const PoolDesc& desc : all_cases()) {
        compare_text<TypeParam>(desc, seed % 2 * 5, seed % 3 == 0 ? 3 : 0, tally);
        ++seed;
        if (this->HasFailure()) return;
    }
    for (PoolDesc desc : all_ops()) {
        desc.shape = {1, 2, 10, 140};
        desc.output = {4, 30};
        for (const Extent& window : {Extent{2, 2}, Extent{10, 140}}) {
            desc.window = window;
            compare_text<TypeParam>(desc, 3, 0, tally);
        }
        if (this->HasFailure()) return;
    }
    std::printf("%d cases, %.0f million lane instructions\n", tally.cases,
                static_cast<double>(tally.lanes) / 1e6);
    // Every kernel of the type was among them.
    const std::string suffix = "_" + std::string(name_of(type_of<TypeParam>));
    for (const std::string& kernel : kernels_named("pool_")) {
        const bool of_the_type = kernel.ends_with(suffix) || kernel.ends_with(suffix + "_wide");
        EXPECT_EQ(tally.kernels.contains(kernel), of_the_type) << kernel;
    }
}

}  // namespace
}  // namespace ptx_kernels_test
