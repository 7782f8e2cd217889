// SPDX-License-Identifier: MIT
// iir2d_filter.h on device memory, over the stand-in driver: strides, parameter sets, 16-bit elements,
// workspaces, capture, and whose context the work is in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "tests/gpu/api/filter_c_cuda_testing.h"

namespace {

using namespace filter_c_testing;
using ::testing::HasSubstr;

class FilterCCuda : public FilterOnDevice {};

TEST_P(FilterCCuda, ForwardHasThePlansBits) {
    const Shape s{2, 3, 21, 37};
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
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
    const auto memory = planes<float>(6000, 8);
    for (const int id : {1, 6}) {
        for (const auto& in : layouts) {
            for (const auto& out : layouts) {
                if (out[0] == 0 || out[1] == 0) continue;
                std::vector<float> dense;
                for (std::int64_t i = 0; i < count_of(s); ++i) dense.push_back(memory[place(s, in, i)]);
                IIR2D_FilterParams p = params(s, id);
                const auto expected = filter(p, dense, -7.0F);
                std::copy_n(in, 3, p.x_stride);
                std::copy_n(out, 3, p.y_stride);
                auto result = filter(p, memory, -7.0F);
                for (std::int64_t i = 0; i < count_of(s); ++i) {
                    float& value = result[place(s, out, i)];
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
        EXPECT_EQ(filter(p, part_of(x, plane * 660, 660), -7.0F), part_of(all, plane * 660, 660)) << plane;
    }
}

TEST_P(FilterCCuda, SixteenBitElementsAreTheRoundedResultOfF32) {
    const Shape s{2, 2, 11, 300};
    const auto count = static_cast<std::size_t>(count_of(s));
    for (const auto element : {ElementType::f16, ElementType::bf16}) {
        const auto [x, wide] = rounded_to(element, planes<float>(count_of(s), 4));
        for (const int id : {1, 6}) {
            IIR2D_FilterParams p = params(s, id);
            const auto expected = narrowed(filter(p, wide, -7.0F), element);
            p.element = static_cast<int>(element);
            EXPECT_EQ(filter<std::uint16_t>(p, x, 7), expected) << id;
            // With gaps, and every channel of an image the same.
            const std::int64_t strides[3] = {4000, 0, 310};
            std::vector<std::uint16_t> memory(8000);
            std::vector<std::uint16_t> dense;
            for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = x[i % count];
            for (std::int64_t i = 0; i < count_of(s); ++i) dense.push_back(memory[place(s, strides, i)]);
            const auto from_dense = filter<std::uint16_t>(p, dense, 7);
            std::copy_n(strides, 3, p.x_stride);
            const auto out = upload(std::vector<std::uint16_t>(count));
            forward(p, upload(memory), out, workspace(p));
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
    const Workspace w = workspace(p);
    const int allocations = fake_cuda::counts().allocations;
    const auto graph = context->record_graph(stream.get(), [&]() -> Result<void> {
        forward(p, in, out, w);
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
