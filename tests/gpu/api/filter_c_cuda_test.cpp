// SPDX-License-Identifier: MIT
// iir2d_filter.h on device memory, over the stand-in driver: strides, parameter sets, 16-bit elements,
// workspaces, capture, and whose context the work is in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "iir2d/convert.h"
#include "iir2d/iir2d_filter.h"
#include "kernels/device/cuda/context.h"
#include "tests/gpu/api/stand_in_testing.h"
#include "tests/gpu/fake_cuda/counts.h"
#include "tests/kernels/iir/filter_c_testing.h"

namespace {

using namespace filter_c_testing;
using ::testing::HasSubstr;

class FilterCCuda : public stand_in::StandInTest {
  protected:
    void SetUp() override {
        StandInTest::SetUp();
        context = *cuda::Context::get(0);
        stream = *context->make_stream();
    }

    template <class T>
    cuda::DeviceBuffer upload(const std::vector<T>& values) {
        const std::size_t bytes = values.size() * sizeof(T);
        auto buffer = *context->allocate(bytes, stream.get());
        EXPECT_TRUE(context->upload(stream.get(), buffer.get(), values.data(), bytes));
        EXPECT_TRUE(context->synchronize(stream.get()));
        return buffer;
    }
    // By the C interface, too.
    template <class T>
    std::vector<T> download(const cuda::DeviceBuffer& buffer, std::size_t count) {
        std::vector<T> values(count);
        EXPECT_EQ(iir2d_copy_to_host_cuda(values.data(), address(buffer), count * sizeof(T), stream.get()),
                  IIR2D_STATUS_OK)
            << iir2d_last_error();
        return values;
    }
    static void* address(const cuda::DeviceBuffer& buffer) {
        return reinterpret_cast<void*>(static_cast<std::uintptr_t>(buffer.get()));
    }

    // Filters `memory` into as much of it, with the workspace that the library asks for.
    template <class T>
    std::vector<T> filter(const IIR2D_FilterParams& p, const std::vector<T>& memory, T gap) {
        const auto in = upload(memory);
        const auto out = upload(std::vector<T>(memory.size(), gap));
        std::size_t bytes = 0;
        EXPECT_EQ(iir2d_filter_workspace_cuda(&p, 0, 0, &bytes), IIR2D_STATUS_OK) << iir2d_last_error();
        const auto workspace = *context->allocate(std::max<std::size_t>(bytes, 16), stream.get());
        EXPECT_EQ(iir2d_filter_forward_cuda(address(in), address(out), &p,
                                            bytes > 0 ? address(workspace) : nullptr, bytes, stream.get()),
                  IIR2D_STATUS_OK)
            << iir2d_last_error();
        return download<T>(out, memory.size());
    }

    // The adjoint of `memory`, into as much of it, likewise.
    template <class T>
    std::vector<T> adjoint(const IIR2D_FilterParams& p, const std::vector<T>& memory, T gap) {
        const auto in = upload(memory);
        const auto out = upload(std::vector<T>(memory.size(), gap));
        std::size_t bytes = 0;
        EXPECT_EQ(iir2d_filter_workspace_cuda(&p, 1, 0, &bytes), IIR2D_STATUS_OK) << iir2d_last_error();
        const auto workspace = *context->allocate(std::max<std::size_t>(bytes, 16), stream.get());
        EXPECT_EQ(iir2d_filter_backward_cuda(nullptr, address(in), address(out), nullptr, &p,
                                             bytes > 0 ? address(workspace) : nullptr, bytes, stream.get()),
                  IIR2D_STATUS_OK)
            << iir2d_last_error();
        return download<T>(out, memory.size());
    }

    std::shared_ptr<cuda::Context> context;
    cuda::Stream stream;
};

TEST_P(FilterCCuda, BackwardHasThePlansBitsAndTheHostsValues) {
    const Shape s{2, 3, 21, 37};
    for (int id = 1; id <= 8; ++id) {
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

TEST_P(FilterCCuda, BackwardTakesViewsSetsAndSixteenBits) {
    const Shape s{2, 2, 9, 35};
    const auto count = static_cast<std::size_t>(count_of(s));
    const auto memory = planes<float>(4000, 8);
    const auto at = [](std::size_t i) {  // n 1300, c 400, rows 40
        return i / 630 * 1300 + i % 630 / 315 * 400 + i % 315 / 35 * 40 + i % 35;
    };
    for (const int id : {2, 6}) {
        IIR2D_FilterParams p = params(s, id);
        std::vector<float> dense;
        for (std::size_t i = 0; i < count; ++i) dense.push_back(memory[at(i)]);
        const auto expected = adjoint(p, dense, -7.0F);
        for (auto* strides : {p.dy_stride, p.dx_stride}) {
            strides[0] = 1300;
            strides[1] = 400;
            strides[2] = 40;
        }
        auto result = adjoint(p, memory, -7.0F);
        for (std::size_t i = 0; i < count; ++i) {
            EXPECT_EQ(result[at(i)], expected[i]);
            result[at(i)] = -7.0F;
        }
        EXPECT_EQ(std::ranges::count(result, -7.0F), 4000) << "a gap was written";

        const double sets[] = {0.5, 0.0, 0.9, 0.0, 0.3, 1.0, 0.7, 0.0};
        const std::size_t values = id == 6 ? 2 : 1;
        IIR2D_FilterParams many = params(s, id);
        many.parameters = sets;
        many.parameter_sets = 4;
        const auto all = adjoint(many, dense, -7.0F);
        for (std::size_t plane = 0; plane < 4; ++plane) {
            IIR2D_FilterParams one = params({1, 1, 9, 35}, id);
            one.parameters = sets + values * plane;
            const auto first = static_cast<std::ptrdiff_t>(plane * 315);
            const std::vector<float> part(dense.begin() + first, dense.begin() + first + 315);
            EXPECT_EQ(adjoint(one, part, -7.0F),
                      std::vector<float>(all.begin() + first, all.begin() + first + 315));
        }

        for (const auto element : {ElementType::f16, ElementType::bf16}) {
            std::vector<std::uint16_t> dy(count);
            convert_elements(dense.data(), ElementType::f32, dy.data(), element, count);
            std::vector<float> wide(count);
            convert_elements(dy.data(), element, wide.data(), ElementType::f32, count);
            IIR2D_FilterParams plain = params(s, id);
            const auto of_wide = adjoint(plain, wide, -7.0F);
            std::vector<std::uint16_t> rounded(count);
            convert_elements(of_wide.data(), ElementType::f32, rounded.data(), element, count);
            plain.element = static_cast<int>(element);
            EXPECT_EQ(adjoint<std::uint16_t>(plain, dy, 7), rounded) << id;
        }
    }
}

// dx and dp on the device, of f32 and f64, sets and strides, beside the host's.
TEST_P(FilterCCuda, BackwardGivesTheGradientsOfParameters) {
    const Shape s{2, 2, 19, 33};
    for (int id = 1; id <= 8; ++id) {
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
                    std::size_t bytes = 0;
                    ASSERT_EQ(iir2d_filter_workspace_cuda(&p, 1, 1, &bytes), IIR2D_STATUS_OK);
                    const auto workspace = *context->allocate(bytes, stream.get());
                    const auto x_there = upload(x);
                    const auto dy_there = upload(dy);
                    const auto dp_there = upload(std::vector<double>(count, -9.0));
                    auto* dp_address = static_cast<double*>(address(dp_there));
                    // dx in the place of dy, whose values the parameters have seen by then.
                    ASSERT_EQ(
                        iir2d_filter_backward_cuda(address(x_there), address(dy_there), address(dy_there),
                                                   dp_address, &p, address(workspace), bytes, stream.get()),
                        IIR2D_STATUS_OK)
                        << iir2d_last_error();
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
TEST_P(FilterCCuda, BackwardOfViewsAndSixteenBitsHasTheSameGradients) {
    const Shape s{2, 2, 9, 35};
    const auto count = static_cast<std::size_t>(count_of(s));
    const auto gradient = [&](const IIR2D_FilterParams& p, const cuda::DeviceBuffer& x,
                              const cuda::DeviceBuffer& dy) {
        std::size_t bytes = 0;
        EXPECT_EQ(iir2d_filter_workspace_cuda(&p, 1, 1, &bytes), IIR2D_STATUS_OK);
        const auto workspace = *context->allocate(bytes, stream.get());
        const auto dp = upload(std::vector<double>(2, -9.0));
        EXPECT_EQ(
            iir2d_filter_backward_cuda(address(x), address(dy), nullptr, static_cast<double*>(address(dp)),
                                       &p, address(workspace), bytes, stream.get()),
            IIR2D_STATUS_OK)
            << iir2d_last_error();
        return download<double>(dp, 2);
    };
    for (const auto element : {ElementType::f16, ElementType::bf16}) {
        std::vector<std::uint16_t> narrow[2];
        std::vector<float> wide[2];
        for (const unsigned i : {0U, 1U}) {
            const auto values = planes<float>(count_of(s), i + 1);
            narrow[i].resize(count);
            wide[i].resize(count);
            convert_elements(values.data(), ElementType::f32, narrow[i].data(), element, count);
            convert_elements(narrow[i].data(), element, wide[i].data(), ElementType::f32, count);
        }
        IIR2D_FilterParams p = params(s, 6);
        const auto expected = gradient(p, upload(wide[0]), upload(wide[1]));
        EXPECT_EQ(expected[1], 0.0) << "a switch";
        p.element = static_cast<int>(element);
        EXPECT_EQ(gradient(p, upload(narrow[0]), upload(narrow[1])), expected);
        for (auto* strides : {p.x_stride, p.dy_stride}) {
            strides[0] = 1300;
            strides[1] = 400;
            strides[2] = 40;
        }
        std::vector<std::uint16_t> apart[2];
        for (const unsigned i : {0U, 1U}) {
            apart[i].resize(3000, 0x7fff);  // a NaN
            for (std::size_t k = 0; k < count; ++k)
                apart[i][k / 630 * 1300 + k % 630 / 315 * 400 + k % 315 / 35 * 40 + k % 35] = narrow[i][k];
        }
        EXPECT_EQ(gradient(p, upload(apart[0]), upload(apart[1])), expected);
    }
}

TEST_P(FilterCCuda, BackwardMayBeCaptured) {
    const Shape s{2, 2, 16, 40};
    IIR2D_FilterParams p = params(s, 6);
    const auto x = upload(planes<float>(count_of(s), 6));
    const auto dy = planes<float>(count_of(s), 5);
    const auto expected = adjoint(p, dy, -7.0F);
    const auto buffer = upload(dy);
    const auto dp = upload(std::vector<double>(2, -9.0));
    std::size_t bytes = 0;
    ASSERT_EQ(iir2d_filter_workspace_cuda(&p, 1, 1, &bytes), IIR2D_STATUS_OK);
    const auto workspace = *context->allocate(bytes, stream.get());
    const int allocations = fake_cuda::counts().allocations;
    const auto backward = [&](std::size_t given) {
        return iir2d_filter_backward_cuda(address(x), address(buffer), address(buffer),
                                          static_cast<double*>(address(dp)), &p, address(workspace), given,
                                          stream.get());
    };
    EXPECT_EQ(backward(bytes - 1), IIR2D_STATUS_WORKSPACE_ERROR);
    const auto graph = context->record_graph(stream.get(), [&]() -> Result<void> {
        EXPECT_EQ(backward(bytes), IIR2D_STATUS_OK) << iir2d_last_error();
        return {};
    });
    ASSERT_TRUE(graph) << graph.error().message;
    EXPECT_EQ(fake_cuda::counts().allocations, allocations);
    EXPECT_EQ(download<float>(buffer, dy.size()), dy);
    ASSERT_TRUE(context->launch(stream.get(), *graph));
    EXPECT_EQ(download<float>(buffer, dy.size()), expected);
    EXPECT_NE(download<double>(dp, 2)[0], -9.0);
}

TEST_P(FilterCCuda, ForwardHasThePlansBits) {
    const Shape s{2, 3, 21, 37};
    for (int id = 1; id <= 8; ++id) {
        for (const Precision precision : iir_test::all_precisions) {
            const auto run = [&]<class T>(T) {
                const IIR2D_FilterParams p = params(s, id, precision);
                const auto x = planes<T>(count_of(s), 3);
                const auto plan = FilterPlan::make(gpu(), desc_of(p));
                ASSERT_TRUE(plan) << plan.error().message;
                const auto tensor = *DeviceTensor::upload(gpu(), view(x, s));
                ASSERT_TRUE(plan->run(tensor, tensor));
                EXPECT_EQ(filter(p, x, T(-7)), values<T>(tensor)) << iir_test::describe(desc_of(p));
            };
            precision == Precision::f64 ? run(double{}) : run(float{});
        }
    }
}

TEST_P(FilterCCuda, ViewsHaveTheBitsOfTheirDenseCopies) {
    const Shape s{3, 2, 9, 35};
    const std::int64_t layouts[][3] = {
        {2000, 700, 40}, {400, 1300, 40}, {0, 400, 40}, {700, 0, 40}, {0, 0, 35}};
    const auto at = [&](const std::int64_t(&strides)[3], std::int64_t i) {
        const std::int64_t plane = i / (s.h * s.w);
        return static_cast<std::size_t>(plane / s.c * strides[0] + plane % s.c * strides[1] +
                                        i % (s.h * s.w) / s.w * strides[2] + i % s.w);
    };
    const auto memory = planes<float>(6000, 8);
    for (const int id : {1, 6}) {
        for (const auto& in : layouts) {
            for (const auto& out : layouts) {
                if (out[0] == 0 || out[1] == 0) continue;
                std::vector<float> dense;
                for (std::int64_t i = 0; i < count_of(s); ++i) dense.push_back(memory[at(in, i)]);
                IIR2D_FilterParams p = params(s, id);
                const auto expected = filter(p, dense, -7.0F);
                std::copy_n(in, 3, p.x_stride);
                std::copy_n(out, 3, p.y_stride);
                auto result = filter(p, memory, -7.0F);
                for (std::int64_t i = 0; i < count_of(s); ++i) {
                    float& value = result[at(out, i)];
                    EXPECT_EQ(value, expected[static_cast<std::size_t>(i)]);
                    value = -7.0F;
                }
                EXPECT_EQ(std::ranges::count(result, -7.0F), 6000) << "a gap was written";
            }
        }
    }
}

TEST_P(FilterCCuda, ParameterSetsAreALoopOverThePlanes) {
    const Shape s{2, 2, 20, 33};
    const auto x = planes<float>(count_of(s), 2);
    const double sigmas[] = {1.0, 0.0, 2.5, 0.0, 9.0, 1.0, 0.5, 0.0};
    IIR2D_FilterParams p = params(s, 6);
    p.parameters = sigmas;
    p.parameter_sets = 4;
    const auto all = filter(p, x, -7.0F);
    p.n = p.c = p.parameter_sets = 1;
    for (std::ptrdiff_t plane = 0; plane < 4; ++plane) {
        p.parameters = sigmas + 2 * plane;
        const std::vector<float> one(x.begin() + plane * 660, x.begin() + (plane + 1) * 660);
        EXPECT_EQ(filter(p, one, -7.0F),
                  std::vector<float>(all.begin() + plane * 660, all.begin() + (plane + 1) * 660))
            << plane;
    }
}

TEST_P(FilterCCuda, SixteenBitElementsAreTheRoundedResultOfF32) {
    const Shape s{2, 2, 11, 300};
    const auto count = static_cast<std::size_t>(count_of(s));
    for (const auto element : {ElementType::f16, ElementType::bf16}) {
        std::vector<std::uint16_t> x(count);
        auto wide = planes<float>(count_of(s), 4);
        convert_elements(wide.data(), ElementType::f32, x.data(), element, count);
        convert_elements(x.data(), element, wide.data(), ElementType::f32, count);
        for (const int id : {1, 6}) {
            IIR2D_FilterParams p = params(s, id);
            const auto filtered = filter(p, wide, -7.0F);
            std::vector<std::uint16_t> expected(count);
            convert_elements(filtered.data(), ElementType::f32, expected.data(), element, count);
            p.element = static_cast<int>(element);
            EXPECT_EQ(filter<std::uint16_t>(p, x, 7), expected) << id;
            // With gaps, and every channel of an image the same.
            p.x_stride[0] = 4000;
            p.x_stride[2] = 310;
            std::vector<std::uint16_t> memory(8000);
            std::vector<std::uint16_t> dense;
            for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = x[i % count];
            for (std::int64_t i = 0; i < count_of(s); ++i) {
                dense.push_back(
                    memory[static_cast<std::size_t>(i / 6600 * 4000 + i % 3300 / 300 * 310 + i % 300)]);
            }
            IIR2D_FilterParams plain = params(s, id);
            plain.element = p.element;
            const auto from_dense = filter<std::uint16_t>(plain, dense, 7);
            const IIR2D_FilterParams result = p;
            const auto in = upload(memory);
            const auto out = upload(std::vector<std::uint16_t>(count));
            std::size_t bytes = 0;
            ASSERT_EQ(iir2d_filter_workspace_cuda(&result, 0, 0, &bytes), IIR2D_STATUS_OK);
            const auto workspace = *context->allocate(bytes, stream.get());
            ASSERT_EQ(iir2d_filter_forward_cuda(address(in), address(out), &result, address(workspace), bytes,
                                                stream.get()),
                      IIR2D_STATUS_OK)
                << iir2d_last_error();
            EXPECT_EQ(download<std::uint16_t>(out, count), from_dense);
        }
    }
}

TEST_P(FilterCCuda, WorksInTheStreamsContextAndLeavesTheCallersAsItWas) {
    const cuda::Driver& driver = **cuda::driver();
    const Shape s{1, 1, 8, 40};
    const IIR2D_FilterParams p = params(s, 1);
    const auto x = planes<float>(count_of(s), 1);
    const auto buffer = upload(x);
    cuda::ContextHandle current = nullptr;
    ASSERT_EQ(driver.cuCtxGetCurrent(&current), cuda::success);
    ASSERT_EQ(current, nullptr);
    // Another device's context is current.
    cuda::ContextHandle other = nullptr;
    ASSERT_EQ(driver.cuDevicePrimaryCtxRetain(&other, 1), cuda::success);
    ASSERT_EQ(driver.cuCtxPushCurrent(other), cuda::success);
    EXPECT_EQ(iir2d_filter_forward_cuda(address(buffer), address(buffer), &p, nullptr, 0, stream.get()),
              IIR2D_STATUS_OK)
        << iir2d_last_error();
    EXPECT_STREQ(iir2d_last_error(), "");
    ASSERT_EQ(driver.cuCtxGetCurrent(&current), cuda::success);
    EXPECT_EQ(current, other);
    EXPECT_EQ(driver.cuCtxPopCurrent(&current), cuda::success);
    EXPECT_EQ(download<float>(buffer, x.size()), filter(p, x, -7.0F));
}

TEST_P(FilterCCuda, WorksOnTheLegacyStreamInAThreadThatHasNoContext) {
    const cuda::Driver& driver = **cuda::driver();
    const Shape s{1, 1, 8, 40};
    const IIR2D_FilterParams p = params(s, 1);
    const auto x = planes<float>(count_of(s), 1);
    const auto in = upload(x);
    const auto out = upload(std::vector<float>(x.size(), -7.0F));
    const auto dx = upload(std::vector<float>(x.size(), -7.0F));
    std::vector<float> y(x.size()), slopes(x.size());
    std::thread([&] {
        EXPECT_EQ(iir2d_filter_forward_cuda(address(in), address(out), &p, nullptr, 0, nullptr),
                  IIR2D_STATUS_OK)
            << iir2d_last_error();
        EXPECT_EQ(
            iir2d_filter_backward_cuda(nullptr, address(in), address(dx), nullptr, &p, nullptr, 0, nullptr),
            IIR2D_STATUS_OK)
            << iir2d_last_error();
        for (auto [to, from] : {std::pair{&y, &out}, std::pair{&slopes, &dx}}) {
            EXPECT_EQ(
                iir2d_copy_to_host_cuda(to->data(), address(*from), to->size() * sizeof(float), nullptr),
                IIR2D_STATUS_OK)
                << iir2d_last_error();
        }
        cuda::ContextHandle current = nullptr;
        EXPECT_EQ(driver.cuCtxGetCurrent(&current), cuda::success);
        EXPECT_EQ(current, nullptr);
    }).join();
    EXPECT_EQ(y, filter(p, x, -7.0F));
    EXPECT_EQ(slopes, adjoint(p, x, -7.0F));
}

TEST_P(FilterCCuda, RefusesWorkspacesThatDoNotDo) {
    const Shape s{1, 2, 8, 40};
    const IIR2D_FilterParams p = params(s, 6);
    const auto x = upload(planes<float>(count_of(s), 1));
    const auto y = upload(std::vector<float>(640, -7.0F));
    const auto workspace = *context->allocate(4096, stream.get());
    const auto fails = [&](void* memory, std::size_t bytes, const char* sentence) {
        EXPECT_EQ(iir2d_filter_forward_cuda(address(x), address(y), &p, memory, bytes, stream.get()),
                  IIR2D_STATUS_WORKSPACE_ERROR);
        EXPECT_THAT(iir2d_last_error(), HasSubstr(sentence));
        EXPECT_THAT(iir2d_last_error(), HasSubstr("needs 2560 bytes"));
    };
    fails(nullptr, 4096, "workspace is null");
    fails(static_cast<char*>(address(workspace)) + 8, 4096, "not aligned to 16");
    fails(address(workspace), 2559, "has 2559 bytes");
    EXPECT_EQ(download<float>(y, 640), std::vector<float>(640, -7.0F));
}

TEST_P(FilterCCuda, AllocatesNothingAndMayBeCaptured) {
    const Shape s{2, 2, 16, 40};
    IIR2D_FilterParams p = params(s, 6);
    p.element = IIR2D_ELEMENT_F16;
    std::vector<std::uint16_t> x(static_cast<std::size_t>(count_of(s)), 0x3800);  // 0.5
    const auto expected = filter<std::uint16_t>(p, x, 7);
    const auto in = upload(x);
    const auto out = upload(std::vector<std::uint16_t>(x.size(), 7));
    std::size_t bytes = 0;
    ASSERT_EQ(iir2d_filter_workspace_cuda(&p, 0, 0, &bytes), IIR2D_STATUS_OK);
    const auto workspace = *context->allocate(bytes, stream.get());
    const int allocations = fake_cuda::counts().allocations;
    const auto graph = context->record_graph(stream.get(), [&]() -> Result<void> {
        EXPECT_EQ(
            iir2d_filter_forward_cuda(address(in), address(out), &p, address(workspace), bytes, stream.get()),
            IIR2D_STATUS_OK)
            << iir2d_last_error();
        return {};
    });
    ASSERT_TRUE(graph) << graph.error().message;
    EXPECT_EQ(fake_cuda::counts().allocations, allocations);
    EXPECT_EQ(download<std::uint16_t>(out, x.size()), std::vector<std::uint16_t>(x.size(), 7));
    ASSERT_TRUE(context->launch(stream.get(), *graph));
    EXPECT_EQ(download<std::uint16_t>(out, x.size()), expected);
}

INSTANTIATE_TEST_SUITE_P(Driver, FilterCCuda, stand_in::at_once_and_queued(), stand_in::name_of_run);

}  // namespace
