// SPDX-License-Identifier: MIT
// Every allocation that a call makes fails once: the call answers an error, and neither throws nor ends the
// program, whichever thread it was.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "iir2d/iir2d_core.h"
#include "iir2d/iir2d_filter.h"
#include "iir2d/iir2d_pool.h"
#include "iir2d/plan.h"
#include "iir2d/reference.h"
#include "tests/kernels/memory/failing_new.h"
#include "tests/sanitized.h"

namespace {

using namespace iir2d;

using failing_new::Failure;
using failing_new::FailureElsewhere;
using failing_new::Who;

// What a call came to. Text would need memory.
enum class Outcome { good, no_memory, no_gpu, other, threw };

Outcome outcome_of(int status) {
    switch (status) {
        case IIR2D_STATUS_OK:
            return Outcome::good;
        case IIR2D_STATUS_WORKSPACE_ERROR:
            return Outcome::no_memory;
        case IIR2D_STATUS_CUDA_ERROR:
            return Outcome::no_gpu;
        default:
            return Outcome::other;
    }
}
template <class T>
Outcome outcome_of(const Result<T>& result) {
    return result ? Outcome::good : outcome_of(static_cast<int>(result.error().code));
}

struct Call {
    const char* name;
    std::function<Outcome()> make;
};

Outcome outcome_of(const Call& call) {
    try {
        return call.make();
    } catch (...) {
        return Outcome::threw;
    }
}

// Fails allocation 0, 1, 2, ... of the call until it makes fewer than that.
void fail_each(const Call& call, Who who) {
    SCOPED_TRACE(call.name);
    const Outcome undisturbed = outcome_of(call);
    ASSERT_TRUE(undisturbed == Outcome::good || undisturbed == Outcome::no_gpu);
    std::int64_t n = 0;
    constexpr std::int64_t most = 5000;
    for (; n < most; ++n) {
        Outcome outcome{};
        {
            const Failure failure(who, n);
            outcome = outcome_of(call);
        }
        ASSERT_TRUE(outcome == undisturbed || outcome == Outcome::no_memory)
            << "allocation " << n << ": outcome " << static_cast<int>(outcome);
        if (failing_new::failed() == 0) break;
    }
    EXPECT_LT(n, most);
}

// A plane that is just large enough for more than one thread (iir::threads_worth()): of several small ones
// each thread would take its own (iir::deals_planes()), and none would share rows.
constexpr std::int64_t side = 256;
constexpr std::int64_t planes = 1;
constexpr auto count = static_cast<std::size_t>(planes * side * side);
// As many elements, in so many rows that a pass of pooling is shared too (pool::threads_of()).
constexpr std::int64_t pool_height = 8 * side;
constexpr std::int64_t pool_width = side / 8;

struct Planes {
    std::vector<float> x = std::vector<float>(count, 1.0F);
    std::vector<float> y = std::vector<float>(count);
    std::vector<float> dy = std::vector<float>(count, 1.0F);
    std::vector<float> dx = std::vector<float>(count);
    std::vector<std::int64_t> argmax = std::vector<std::int64_t>(count);
};

IIR2D_PoolParams params(int op, std::int64_t window) {
    IIR2D_PoolParams p{};
    p.size = sizeof p;
    p.op = op;
    p.n = 1;
    p.c = planes;
    p.height = pool_height;
    p.width = pool_width;
    p.window_h = p.window_w = window;
    p.output_h = p.output_w = 31;
    p.p = 3;
    return p;
}

IIR2D_FilterParams filter_params(int id) {
    IIR2D_FilterParams p{};
    p.size = sizeof p;
    p.filter_id = id;
    p.border_mode = IIR2D_BORDER_MIRROR;
    p.n = 1;
    p.c = planes;
    p.height = p.width = side;
    p.parameter_sets = 1;
    p.poll = [](void*, double) { return 0; };
    return p;
}

void add_filter_calls(std::vector<Call>& calls, Planes& planes_of) {
    float* const x = planes_of.x.data();
    float* const y = planes_of.y.data();
    float* const dy = planes_of.dy.data();
    float* const dx = planes_of.dx.data();
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        const IIR2D_FilterParams p = filter_params(id);
        IIR2D_FilterParams sets = p;
        sets.parameter_sets = planes;
        IIR2D_FilterParams narrow = p;
        narrow.element = IIR2D_ELEMENT_BF16;
        for (const IIR2D_FilterParams& kind : {p, sets, narrow}) {
            calls.push_back(
                {"filter with fields", [=] { return outcome_of(iir2d_filter_forward_cpu(x, y, &kind)); }});
            IIR2D_FilterParams small = kind;  // the gradients take memory often
            small.height = small.width = 20;
            calls.push_back({"filter backward", [=] {
                                 double dp[10 * planes];
                                 return outcome_of(iir2d_filter_backward_cpu(x, dy, dx, dp, &small));
                             }});
        }
        calls.push_back(
            {"filter with fields on a GPU",
             [=] { return outcome_of(iir2d_filter_forward_cuda(x, y, &p, dx, side * side * 64, nullptr)); }});
        calls.push_back({"workspace", [=] {
                             std::size_t bytes = 0;
                             return outcome_of(iir2d_filter_workspace_cuda(&sets, 0, 0, &bytes));
                         }});
    }
    calls.push_back({"devices", [] {
                         std::size_t bytes = 0;
                         return outcome_of(iir2d_describe_devices(nullptr, 0, &bytes));
                     }});
}

std::vector<Call> c_calls(Planes& planes_of) {
    std::vector<Call> calls;
    float* const x = planes_of.x.data();
    float* const y = planes_of.y.data();
    float* const dy = planes_of.dy.data();
    float* const dx = planes_of.dx.data();
    std::int64_t* const argmax = planes_of.argmax.data();
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        calls.push_back({"filter", [=] {
                             const IIR2D_Params p{
                                 side, side, id, IIR2D_BORDER_MIRROR, 0.0F, IIR2D_PRECISION_F32};
                             return outcome_of(iir2d_forward_cpu(x, y, &p));
                         }});
        calls.push_back({"filter on a GPU", [=] {
                             const IIR2D_Params p{
                                 side, side, id, IIR2D_BORDER_MIRROR, 0.0F, IIR2D_PRECISION_F32};
                             return outcome_of(iir2d_forward_cuda(x, y, &p));
                         }});
    }
    add_filter_calls(calls, planes_of);
    for (int op = IIR2D_POOL_MAX; op <= IIR2D_POOL_ADAPTIVE_AVG; ++op) {
        for (const std::int64_t window : {2, 9}) {
            const IIR2D_PoolParams p = params(op, window);
            const bool is_max = op == IIR2D_POOL_MAX || op == IIR2D_POOL_ADAPTIVE_MAX;
            calls.push_back({"output size", [=] {
                                 std::int64_t size[2];
                                 return outcome_of(iir2d_pool_output_size(&p, &size[0], &size[1]));
                             }});
            calls.push_back({"pool", [=] { return outcome_of(iir2d_pool_forward_cpu(x, y, nullptr, &p)); }});
            calls.push_back({"pool backward", [=] {
                                 return outcome_of(iir2d_pool_backward_cpu(x, dy, dy, dx, nullptr, &p));
                             }});
            calls.push_back({"pool on a GPU", [=] {
                                 return outcome_of(iir2d_pool_forward_cuda(x, y, nullptr, &p, nullptr));
                             }});
            calls.push_back({"pool backward on a GPU", [=] {
                                 return outcome_of(iir2d_pool_backward_cuda(
                                     x, dy, dy, dx, is_max ? argmax : nullptr, &p, nullptr));
                             }});
            if (!is_max) continue;
            calls.push_back(
                {"pool with places", [=] { return outcome_of(iir2d_pool_forward_cpu(x, y, argmax, &p)); }});
        }
    }
    calls.push_back({"a bad output size", [=] {
                         IIR2D_PoolParams p = params(IIR2D_POOL_AVG, 2);
                         p.padding_h = 7;
                         std::int64_t size[2];
                         const int status = iir2d_pool_output_size(&p, &size[0], &size[1]);
                         // Its sentence takes memory too.
                         return status == IIR2D_STATUS_INVALID_ARGUMENT ? Outcome::good : outcome_of(status);
                     }});
    calls.push_back({"fingerprint", [] {
                         const char* text = iir2d_build_fingerprint();
                         return text != nullptr && *text != '\0' ? Outcome::good : Outcome::other;
                     }});
    return calls;
}

TEST(Memory, NoCFunctionThrowsWhicheverAllocationFails) {
    Planes memory;
    for (const Call& call : c_calls(memory)) {
        fail_each(call, Who::nth);
        fail_each(call, Who::nth_and_later);
    }
}

std::vector<Call> plan_calls(Planes& planes_of) {
    std::vector<Call> calls;
    const Device cpu = *Device::cpu();
    const Shape pooled{.n = 1, .c = planes, .h = pool_height, .w = pool_width};
    for (const PoolOp op :
         {PoolOp::max, PoolOp::avg, PoolOp::lp, PoolOp::adaptive_max, PoolOp::adaptive_avg}) {
        const PoolDesc desc{.op = op, .shape = pooled, .window = {9, 9}, .p = 3, .output = {31, 31}};
        const PoolPlan plan = *PoolPlan::make(cpu, desc);
        const ConstTensorView x(planes_of.x.data(), ElementType::f32, pooled);
        const TensorView y{planes_of.y.data(), ElementType::f32, plan.output_shape()};
        const TensorView dx{planes_of.dx.data(), ElementType::f32, pooled};
        calls.push_back({"plan", [=] { return outcome_of(PoolPlan::make(cpu, desc)); }});
        calls.push_back({"forward", [=] { return outcome_of(plan.forward(x, y)); }});
        calls.push_back({"backward", [=] { return outcome_of(plan.backward(x, y, y, dx)); }});
    }
    const Shape shape{.n = 1, .c = planes, .h = side, .w = side};
    const ConstTensorView x(planes_of.x.data(), ElementType::f32, shape);
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        const FilterDesc desc{.shape = shape, .filter = {.id = id}};
        const FilterPlan plan = *FilterPlan::make(cpu, desc);
        const TensorView y{planes_of.y.data(), ElementType::f32, shape};
        calls.push_back({"filter's plan", [=] { return outcome_of(FilterPlan::make(cpu, desc)); }});
        calls.push_back({"filter", [=] { return outcome_of(plan.run(x, y)); }});
    }
    return calls;
}

#if defined(__linux__) && !IIR2D_ADDRESS_SANITIZED && !IIR2D_THREAD_SANITIZED
// Pages of the process in memory.
long resident_pages() {
    long all = 0;
    long resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident;
}

// What a call takes, threads and all, it gives back.
TEST(Memory, CallsDoNotGrowTheProcess) {
    constexpr long enough = 128;  // half a MiB; it was 2 pages a call on threads
    Planes memory;
    for (const Call& call : c_calls(memory)) {
        // A thread that takes part for the first time takes memory once; what is lost, every call takes
        // again.
        long grown = enough;
        for (int round = 0; round < 10 && grown >= enough; ++round) {
            const long before = resident_pages();
            for (int i = 0; i < 300; ++i) static_cast<void>(call.make());
            grown = resident_pages() - before;
        }
        EXPECT_LT(grown, enough) << call.name;
    }
}
#endif

TEST(Memory, NoPlanThrowsWhicheverAllocationFails) {
    Planes memory;
    for (const Call& call : plan_calls(memory)) fail_each(call, Who::nth);
}

TEST(Memory, NoReferenceThrowsWhicheverAllocationFails) {
    const Shape shape{.h = 6, .w = 6};
    const std::vector<double> x(36, 1.0);
    std::vector<double> y(36);
    std::vector<double> pooled(9);
    const PoolDesc pool{.op = PoolOp::avg, .shape = shape};
    const FilterDesc filter{.shape = shape, .filter = {.id = 3}};
    fail_each({"pool", [&] { return outcome_of(reference::pool(pool, x, pooled)); }}, Who::nth);
    fail_each({"pool backward", [&] { return outcome_of(reference::pool_backward(pool, x, {}, pooled, y)); }},
              Who::nth);
    fail_each({"output shape", [&] { return outcome_of(reference::pool_output_shape(pool)); }}, Who::nth);
    fail_each({"filter", [&] { return outcome_of(reference::filter(filter, x, y)); }}, Who::nth);
}

// No memory for any thread but the caller's: an error where one of them took part, and the result where not.
TEST(Memory, AThreadThatHasNoMemoryIsAnError) {
    Planes memory;
    for (const auto& calls : {c_calls(memory), plan_calls(memory)}) {
        for (const Call& call : calls) {
            SCOPED_TRACE(call.name);
            for (int i = 0; i < 5; ++i) {
                Outcome outcome{};
                {
                    const FailureElsewhere failure;
                    outcome = outcome_of(call);
                }
                ASSERT_TRUE(outcome == Outcome::good || outcome == Outcome::no_gpu ||
                            outcome == Outcome::no_memory)
                    << static_cast<int>(outcome);
            }
        }
    }
}

// Shapes that pass every check and that no machine has memory for.
TEST(Memory, SizesThatNoVectorCanHaveAreErrors) {
    const Device cpu = *Device::cpu();
    constexpr std::int64_t huge = std::int64_t{1} << 61;
    for (const PoolOp op : {PoolOp::max, PoolOp::avg, PoolOp::lp}) {
        const PoolDesc desc{.op = op,
                            .shape = {.h = 1, .w = huge},
                            .window = {1, 1},
                            .stride = Extent{1, 1},
                            .p = 3,
                            .element = ElementType::f16};
        const auto plan = PoolPlan::make(cpu, desc);
        ASSERT_TRUE(plan) << plan.error().message;
        // Addresses that no pass may touch before it has its rows.
        const auto at = [](std::uintptr_t place) { return reinterpret_cast<void*>(place); };
        const ConstTensorView x(at(std::uintptr_t{1} << 62), ElementType::f16, desc.shape);
        const ConstTensorView dy(at(2), ElementType::f16, desc.shape);
        const TensorView dx{at((std::uintptr_t{1} << 63) + 2), ElementType::f16, desc.shape};
        if (op == PoolOp::lp) continue;  // reads its input first
        Outcome outcome{};
        try {
            outcome = outcome_of(plan->backward(x, {}, dy, dx));
        } catch (...) {
            outcome = Outcome::threw;
        }
        EXPECT_EQ(outcome, Outcome::no_memory) << name_of(op);
    }
}

}  // namespace
