// SPDX-License-Identifier: MIT
// Both passes over tensors beside pages that are not there: the bits are those on ordinary memory, and
// nothing beside a tensor is read or written.
#include "tests/kernels/guarded_memory.h"
#include "tests/kernels/pool/pool_types_testing.h"

#if defined(__unix__)

namespace {

using namespace iir2d;
using namespace pool_testing;
using kernels_testing::Beside;
using kernels_testing::GuardedMemory;

template <class T>
void expect_within(const PoolDesc& desc, unsigned seed) {
    const auto plan = PoolPlan::make(cpu(), desc);
    ASSERT_TRUE(plan);
    const Shape output = plan->output_shape();
    const auto x = stored<T>(uniform(elements(desc.shape), -1.0F, 1.0F, seed));
    const auto dy = stored<T>(uniform(elements(output), -1.0F, 1.0F, seed + 1));
    std::vector<T> y(dy.size());
    std::vector<T> dx(x.size());
    const bool has_places = desc.op == PoolOp::max || desc.op == PoolOp::adaptive_max;
    std::vector<std::int64_t> argmax(has_places ? y.size() : 0);
    const auto run = [&](const T* from, T* to, std::span<std::int64_t> places, const T* upstream,
                         T* gradient) {
        ASSERT_TRUE(plan->forward({from, desc.element, desc.shape}, {to, desc.element, output}, places));
        ASSERT_TRUE(plan->backward({from, desc.element, desc.shape}, {to, desc.element, output},
                                   {upstream, desc.element, output}, {gradient, desc.element, desc.shape},
                                   places));
    };
    run(x.data(), y.data(), argmax, dy.data(), dx.data());
    for (const Beside beside : {Beside::page_before, Beside::page_behind}) {
        const GuardedMemory<T> guarded_x(x, beside);
        const GuardedMemory<T> guarded_dy(dy, beside);
        const GuardedMemory<T> guarded_y(y.size(), beside);
        const GuardedMemory<T> guarded_dx(x.size(), beside);
        const GuardedMemory<std::int64_t> places(argmax.size(), beside);
        run(guarded_x.data(), guarded_y.data(), places.elements(), guarded_dy.data(), guarded_dx.data());
        EXPECT_TRUE(guarded_y.has_bits_of(y));
        EXPECT_TRUE(guarded_dx.has_bits_of(dx));
        EXPECT_TRUE(places.has_bits_of(argmax));
    }
}

TEST(PoolPages, NothingBesideATensorIsTouched) {
    for (PoolDesc desc : all_ops()) {
        for (const double p : {1.0, 1.5, 2.0, 7.0}) {
            if (desc.op == PoolOp::lp) desc.p = p;
            if (desc.op != PoolOp::lp && p != 1.0) continue;
            for (const std::int64_t width : {1, 7, 16, 33, 70, 530}) {
                // Such rows are for what gathers the gradients of maxima in vectors.
                if (width > 70 && desc.op != PoolOp::max) continue;
                desc.shape = {1, 2, 11, width};
                for (const auto& [window, stride] :
                     {std::pair{1, 1}, std::pair{2, 2}, std::pair{3, 1}, std::pair{3, 2}, std::pair{9, 4}}) {
                    desc.window = {window, std::min<std::int64_t>(window, width)};
                    desc.stride = Extent{stride, stride};
                    desc.output = {window, width / stride + 1};
                    SCOPED_TRACE(to_string(desc));
                    for (const ElementType element : {ElementType::f32, ElementType::f64, ElementType::f16}) {
                        desc.element = element;
                        if (element == ElementType::f32) expect_within<float>(desc, 90);
                        if (element == ElementType::f64) expect_within<double>(desc, 91);
                        if (element == ElementType::f16) expect_within<Float16>(desc, 92);
                        if (HasFailure()) return;
                    }
                }
            }
        }
    }
}

}  // namespace

#endif
