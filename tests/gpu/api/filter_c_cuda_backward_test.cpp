// SPDX-License-Identifier: MIT
// The adjoint and the gradients of iir2d_filter.h on device memory, over the stand-in driver.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/gpu/api/filter_c_cuda_testing.h"

namespace {

using namespace filter_c_testing;

// Images further apart than their channels, rows further than they are long.
constexpr std::int64_t wide_strides[3] = {1300, 400, 40};

class FilterCCudaBackward : public FilterOnDevice {
  protected:
    // Everything at once; dx may be null.
    void backward(const IIR2D_FilterParams& p, const cuda::DeviceBuffer& x, const cuda::DeviceBuffer& dy,
                  void* dx, const cuda::DeviceBuffer& dp) {
        const Workspace w = workspace(p, true, true);
        EXPECT_EQ(iir2d_filter_backward_cuda(address(x), address(dy), dx, static_cast<double*>(address(dp)),
                                             &p, w.at(), w.bytes, stream.get()),
                  IIR2D_STATUS_OK)
            << iir2d_last_error();
    }
};

TEST_P(FilterCCudaBackward, HasThePlansBitsAndTheHostsValues) {
    const Shape s{2, 3, 21, 37};
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const Precision precision : iir_test::all_precisions) {
            const auto run = [&]<class T>(T) {
                const IIR2D_FilterParams p = params(s, id, precision);
                const auto dy = planes<T>(count_of(s), 3);
                const auto dx = adjoint(p, dy, T(-7));
                std::vector<T> of_plan(dy.size());
                const auto plan = FilterPlan::make(gpu(), desc_of(p));
                ASSERT_TRUE(plan) << plan.error().message;
                const auto done =
                    plan->backward({}, view(dy, s), {of_plan.data(), storage_type(precision), s});
                ASSERT_TRUE(done) << done.error().message;
                EXPECT_EQ(dx, of_plan) << iir_test::describe(desc_of(p));
                std::vector<T> on_host(dy.size());
                ASSERT_EQ(iir2d_filter_backward_cpu(nullptr, dy.data(), on_host.data(), nullptr, &p),
                          IIR2D_STATUS_OK);
                const double bound = precision == Precision::f64 ? 1e-12 : 1e-5;
                for (std::size_t i = 0; i < dx.size(); ++i)
                    ASSERT_NEAR(static_cast<double>(dx[i]), static_cast<double>(on_host[i]), bound)
                        << iir_test::describe(desc_of(p));
            };
            precision == Precision::f64 ? run(double{}) : run(float{});
        }
    }
}

TEST_P(FilterCCudaBackward, TakesViewsSetsAndSixteenBits) {
    const Shape s{2, 2, 9, 35};
    const auto memory = planes<float>(4000, 8);
    for (const int id : {2, 6}) {
        IIR2D_FilterParams p = params(s, id);
        std::vector<float> dense;
        for (std::int64_t i = 0; i < count_of(s); ++i) dense.push_back(memory[place(s, wide_strides, i)]);
        const auto expected = adjoint(p, dense, -7.0F);
        for (auto* strides : {p.dy_stride, p.dx_stride}) std::copy_n(wide_strides, 3, strides);
        auto result = adjoint(p, memory, -7.0F);
        for (std::int64_t i = 0; i < count_of(s); ++i) {
            float& value = result[place(s, wide_strides, i)];
            EXPECT_EQ(value, expected[static_cast<std::size_t>(i)]);
            value = -7.0F;
        }
        EXPECT_EQ(std::ranges::count(result, -7.0F), 4000) << "a gap was written";

        const double sets[] = {0.5, 0.0, 0.9, 0.0, 0.3, 1.0, 0.7, 0.0};
        const std::size_t values = id == 6 ? 2 : 1;
        IIR2D_FilterParams many = params(s, id);
        many.parameters = sets;
        many.parameter_sets = 4;
        const auto all = adjoint(many, dense, -7.0F);
        for (std::int64_t plane = 0; plane < 4; ++plane) {
            IIR2D_FilterParams one = params({1, 1, 9, 35}, id);
            one.parameters = sets + values * static_cast<std::size_t>(plane);
            EXPECT_EQ(adjoint(one, part_of(dense, plane * 315, 315), -7.0F), part_of(all, plane * 315, 315));
        }

        for (const auto element : {ElementType::f16, ElementType::bf16}) {
            const auto [dy, wide] = rounded_to(element, dense);
            IIR2D_FilterParams plain = params(s, id);
            const auto rounded = narrowed(adjoint(plain, wide, -7.0F), element);
            plain.element = static_cast<int>(element);
            EXPECT_EQ(adjoint<std::uint16_t>(plain, dy, 7), rounded) << id;
        }
    }
}

// dx and dp on the device, of f32 and f64, sets and strides, beside the host's.
TEST_P(FilterCCudaBackward, GivesTheGradientsOfParameters) {
    const Shape s{2, 2, 19, 33};
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const bool in_double : {false, true}) {
            for (const bool with_sets : {false, true}) {
                const auto run = [&]<class T>(T) {
                    IIR2D_FilterParams p = params(s, id, in_double ? Precision::f64 : Precision::f32);
                    p.start = id % 2;
                    std::int32_t values = 0;
                    ASSERT_EQ(iir2d_filter_count(id, &values), IIR2D_STATUS_OK);
                    p.parameter_sets = with_sets ? 4 : 1;
                    const auto count = static_cast<std::size_t>(values * p.parameter_sets);
                    const auto x = planes<T>(count_of(s), 3);
                    const auto dy = planes<T>(count_of(s), 4);
                    std::vector<T> dx(x.size());
                    std::vector<double> dp(count);
                    ASSERT_EQ(iir2d_filter_backward_cpu(x.data(), dy.data(), dx.data(), dp.data(), &p),
                              IIR2D_STATUS_OK);
                    const auto x_there = upload(x);
                    const auto dy_there = upload(dy);
                    const auto dp_there = upload(std::vector<double>(count, -9.0));
                    // dx in the place of dy, whose values the parameters have seen by then.
                    backward(p, x_there, dy_there, address(dy_there), dp_there);
                    const auto found = download<double>(dp_there, count);
                    for (std::size_t i = 0; i < count; ++i) {
                        EXPECT_NEAR(found[i], dp[i], (in_double ? 1e-10 : 1e-4) * (1.0 + std::abs(dp[i])))
                            << iir_test::describe(desc_of(p)) << " " << i;
                    }
                    const auto dx_found = download<T>(dy_there, x.size());
                    for (std::size_t i = 0; i < dx.size(); ++i)
                        ASSERT_NEAR(static_cast<double>(dx_found[i]), static_cast<double>(dx[i]), 1e-5);
                    if (with_sets) return;
                    const auto plan = FilterPlan::make(gpu(), desc_of(p));
                    std::vector<double> of_plan(count);
                    std::vector<T> dx_of_plan(x.size());
                    const auto done = plan->backward(view(x, s), view(dy, s),
                                                     {dx_of_plan.data(), element_of(desc_of(p)), s}, of_plan);
                    ASSERT_TRUE(done) << done.error().message;
                    EXPECT_EQ(of_plan, found);
                    EXPECT_EQ(dx_of_plan, dx_found);
                };
                in_double ? run(double{}) : run(float{});
            }
        }
    }
}

// Sixteen-bit elements, images further apart than their channels, and dp alone: the bits of dense f32.
TEST_P(FilterCCudaBackward, OfViewsAndSixteenBitsHasTheSameGradients) {
    const Shape s{2, 2, 9, 35};
    const auto gradient = [&](const IIR2D_FilterParams& p, const cuda::DeviceBuffer& x,
                              const cuda::DeviceBuffer& dy) {
        const auto dp = upload(std::vector<double>(2, -9.0));
        backward(p, x, dy, nullptr, dp);
        return download<double>(dp, 2);
    };
    for (const auto element : {ElementType::f16, ElementType::bf16}) {
        const Narrowed x = rounded_to(element, planes<float>(count_of(s), 1));
        const Narrowed dy = rounded_to(element, planes<float>(count_of(s), 2));
        IIR2D_FilterParams p = params(s, 6);
        const auto expected = gradient(p, upload(x.as_floats), upload(dy.as_floats));
        EXPECT_EQ(expected[1], 0.0) << "a switch";
        p.element = static_cast<int>(element);
        EXPECT_EQ(gradient(p, upload(x.elements), upload(dy.elements)), expected);
        for (auto* strides : {p.x_stride, p.dy_stride}) std::copy_n(wide_strides, 3, strides);
        const auto with_gaps = [&](const std::vector<std::uint16_t>& dense) {
            std::vector<std::uint16_t> memory(3000, 0x7fff);  // a NaN
            for (std::int64_t i = 0; i < count_of(s); ++i)
                memory[place(s, wide_strides, i)] = dense[static_cast<std::size_t>(i)];
            return upload(memory);
        };
        EXPECT_EQ(gradient(p, with_gaps(x.elements), with_gaps(dy.elements)), expected);
    }
}

TEST_P(FilterCCudaBackward, MayBeCaptured) {
    const Shape s{2, 2, 16, 40};
    IIR2D_FilterParams p = params(s, 6);
    const auto x = upload(planes<float>(count_of(s), 6));
    const auto dy = planes<float>(count_of(s), 5);
    const auto expected = adjoint(p, dy, -7.0F);
    const auto buffer = upload(dy);
    const auto dp = upload(std::vector<double>(2, -9.0));
    const Workspace w = workspace(p, true, true);
    const int allocations = fake_cuda::counts().allocations;
    const auto call = [&](std::size_t given) {
        return iir2d_filter_backward_cuda(address(x), address(buffer), address(buffer),
                                          static_cast<double*>(address(dp)), &p, w.at(), given, stream.get());
    };
    EXPECT_EQ(call(w.bytes - 1), IIR2D_STATUS_WORKSPACE_ERROR);
    const auto graph = context->record_graph(stream.get(), [&]() -> Result<void> {
        EXPECT_EQ(call(w.bytes), IIR2D_STATUS_OK) << iir2d_last_error();
        return {};
    });
    ASSERT_TRUE(graph) << graph.error().message;
    EXPECT_EQ(fake_cuda::counts().allocations, allocations);
    EXPECT_EQ(download<float>(buffer, dy.size()), dy);
    ASSERT_TRUE(context->launch(stream.get(), *graph));
    EXPECT_EQ(download<float>(buffer, dy.size()), expected);
    EXPECT_NE(download<double>(dp, 2)[0], -9.0);
}

INSTANTIATE_TEST_SUITE_P(Driver, FilterCCudaBackward, stand_in::at_once_and_queued(), stand_in::name_of_run);

}  // namespace
