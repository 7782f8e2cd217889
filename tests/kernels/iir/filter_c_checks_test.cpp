// SPDX-License-Identifier: MIT
// What iir2d_filter.h refuses, in which order, and what the last error says of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "iir2d/iir2d_filter.h"
#include "tests/kernels/iir/filter_c_testing.h"

namespace {

using namespace filter_c_testing;
using ::testing::HasSubstr;

// Everything is wrong at first, and put right in the order of the checks.
TEST(FilterCApi, ChecksInTheContractsOrderAndWritesNothing) {
    const std::vector<double> x(64, 1.0);
    std::vector<double> y(64, 5.0);
    const double values[] = {2.0};
    IIR2D_FilterParams p{};
    p.size = 8;
    p.filter_id = 99;
    p.border_mode = 4;
    p.precision = 3;
    p.element = 7;
    p.start = 2;
    p.normalise_gain = 2;
    p.n = p.c = 1;
    p.width = 4;
    p.x_stride[2] = 3;
    p.y_stride[2] = 3;
    p.parameters = values;
    p.parameter_sets = 3;
    p.threads = -1;
    const auto fails = [&](int status, const char* sentence) {
        EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), y.data(), &p), status) << sentence;
        EXPECT_THAT(iir2d_last_error(), HasSubstr(sentence));
        EXPECT_EQ(iir2d_filter_forward_cuda(x.data(), y.data(), &p, nullptr, 0, nullptr), status) << sentence;
        EXPECT_THAT(iir2d_last_error(), HasSubstr(sentence));
        std::size_t bytes = 77;
        EXPECT_EQ(iir2d_filter_workspace_cuda(&p, 0, 0, &bytes), status) << sentence;
        EXPECT_EQ(bytes, 77U);
        EXPECT_EQ(y, std::vector<double>(64, 5.0));
    };
    EXPECT_EQ(iir2d_filter_forward_cpu(nullptr, y.data(), &p), IIR2D_STATUS_NULL_POINTER);
    EXPECT_STREQ(iir2d_last_error(), "x is null");
    EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), nullptr, &p), IIR2D_STATUS_NULL_POINTER);
    EXPECT_STREQ(iir2d_last_error(), "y is null");
    EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), y.data(), nullptr), IIR2D_STATUS_NULL_POINTER);
    EXPECT_STREQ(iir2d_last_error(), "params is null");
    EXPECT_EQ(iir2d_filter_workspace_cuda(&p, 0, 0, nullptr), IIR2D_STATUS_NULL_POINTER);
    fails(IIR2D_STATUS_INVALID_ARGUMENT, "size is 8");
    p.size = sizeof p;
    fails(IIR2D_STATUS_INVALID_DIMENSION, "height is 0: it must be at least 1");
    p.height = 2;
    fails(IIR2D_STATUS_INVALID_DIMENSION, "x_stride[2] is 3: a row has 4 elements");
    p.x_stride[2] = 0;
    fails(IIR2D_STATUS_INVALID_DIMENSION, "y_stride[2] is 3: a row has 4 elements");
    p.y_stride[2] = 0;
    fails(IIR2D_STATUS_INVALID_FILTER_ID, "filter 99 does not exist");
    p.filter_id = 1;
    fails(IIR2D_STATUS_INVALID_BORDER_MODE, "border mode 4 is unknown: use 0 to 3");
    p.border_mode = 3;
    fails(IIR2D_STATUS_INVALID_PRECISION, "precision 3 is unknown: use 0 to 2");
    p.precision = IIR2D_PRECISION_F64;
    fails(IIR2D_STATUS_INVALID_PRECISION, "element 7 is unknown: use 0 to 3");
    p.element = IIR2D_ELEMENT_F16;
    fails(IIR2D_STATUS_INVALID_PRECISION, "precision f64 does not go with elements of f16");
    p.element = IIR2D_ELEMENT_F64;
    p.precision = IIR2D_PRECISION_F32;
    fails(IIR2D_STATUS_INVALID_PRECISION, "precision f32 does not go with elements of f64");
    p.precision = IIR2D_PRECISION_F64;
    fails(IIR2D_STATUS_INVALID_ARGUMENT, "start 2 is unknown: use 0 or 1");
    p.start = 1;
    fails(IIR2D_STATUS_INVALID_ARGUMENT, "normalise_gain is 2: give 0 or 1");
    p.normalise_gain = 0;
    fails(IIR2D_STATUS_INVALID_ARGUMENT, "threads is -1");
    p.threads = 1;
    fails(IIR2D_STATUS_INVALID_ARGUMENT, "parameter_sets is 3: give 1, or one for each of the 1 planes");
    p.parameter_sets = 0;
    fails(IIR2D_STATUS_INVALID_ARGUMENT, "parameter_sets is 0");
    p.parameter_sets = 1;
    fails(IIR2D_STATUS_INVALID_ARGUMENT, "alpha 2 of filter 1 (EMA) is out of range: give 0 to 0.999");
    p.parameters = nullptr;
    const auto* torn = reinterpret_cast<const char*>(x.data()) + 2;
    EXPECT_EQ(iir2d_filter_forward_cpu(torn, y.data(), &p), IIR2D_STATUS_INVALID_ARGUMENT);
    EXPECT_STREQ(iir2d_last_error(), "x: data is not at a multiple of its element's 8 bytes");
    EXPECT_EQ(iir2d_filter_forward_cpu(y.data(), y.data() + 1, &p), IIR2D_STATUS_INVALID_ARGUMENT);
    EXPECT_THAT(iir2d_last_error(), HasSubstr("y overlaps x"));
    EXPECT_EQ(y, std::vector<double>(64, 5.0));
    EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), y.data(), &p), IIR2D_STATUS_OK);
    EXPECT_STREQ(iir2d_last_error(), "");
    EXPECT_EQ(iir2d_filter_forward_cuda(x.data(), y.data(), &p, nullptr, 0, nullptr),
              IIR2D_STATUS_CUDA_ERROR);
    EXPECT_STRNE(iir2d_last_error(), "");
}

TEST(FilterCApi, ErrorsNameTheFieldAndItsValue) {
    const std::vector<float> x(96, 1.0F);
    std::vector<float> y(96, 5.0F);
    const double unstable[] = {0.2, 0.2, 0.2, 1.5, 0.2};
    const double near_one[] = {0.2, 0.2, 0.2, 1.9999999, -0.9999999};
    const double second_set[] = {0.5, 0.5, 0.999, 1.0};
    const double infinite[] = {std::numeric_limits<double>::infinity()};
    struct Bad {
        void (*spoil)(IIR2D_FilterParams&);
        const double* parameters;
        int status;
        const char* sentence;
    };
    const Bad all[] = {
        {[](auto& p) { p.n = -1; }, nullptr, IIR2D_STATUS_INVALID_DIMENSION, "n is -1"},
        {[](auto& p) { p.c = 0; }, nullptr, IIR2D_STATUS_INVALID_DIMENSION, "c is 0"},
        {[](auto& p) { p.width = std::int64_t{1} << 60; }, nullptr, IIR2D_STATUS_INVALID_DIMENSION,
         "63 bits"},
        {[](auto& p) { p.x_stride[0] = -1, p.x_stride[2] = 6; }, nullptr, IIR2D_STATUS_INVALID_DIMENSION,
         "x_stride[0] is -1"},
        {[](auto& p) { p.x_stride[1] = std::int64_t{1} << 62, p.x_stride[2] = 6; }, nullptr,
         IIR2D_STATUS_INVALID_DIMENSION, "63 bits"},
        {[](auto& p) { p.y_stride[0] = 48, p.y_stride[2] = 6; }, nullptr, IIR2D_STATUS_INVALID_DIMENSION,
         "lie over each other"},
        {[](auto& p) { p.y_stride[0] = 24, p.y_stride[1] = 24, p.y_stride[2] = 6; }, nullptr,
         IIR2D_STATUS_INVALID_DIMENSION, "lie over each other"},
        {[](auto& p) { p.filter_id = 3; }, unstable, IIR2D_STATUS_INVALID_ARGUMENT, "unstable"},
        {[](auto& p) { p.filter_id = 3; }, near_one, IIR2D_STATUS_INVALID_ARGUMENT, "unstable in f32"},
        {[](auto& p) { p.parameter_sets = 4; }, second_set, IIR2D_STATUS_INVALID_ARGUMENT,
         "parameters of plane 3: alpha 1 of filter 1 (EMA) is out of range"},
        {[](auto&) {}, infinite, IIR2D_STATUS_INVALID_ARGUMENT, "alpha inf of filter 1"},
        {[](auto& p) { p.threads = 2000; }, nullptr, IIR2D_STATUS_INVALID_ARGUMENT, "threads is 2000"}};
    for (const Bad& bad : all) {
        IIR2D_FilterParams p = params({2, 2, 4, 6});
        bad.spoil(p);
        p.parameters = bad.parameters;
        EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), y.data(), &p), bad.status) << bad.sentence;
        EXPECT_THAT(iir2d_last_error(), HasSubstr(bad.sentence));
    }
    EXPECT_EQ(y, std::vector<float>(96, 5.0F));
}

TEST(FilterCApi, TheStructMayGrow) {
    struct Longer {
        IIR2D_FilterParams known;
        double later;
    };
    const std::vector<float> x(12, 1.0F);
    std::vector<float> y(12);
    Longer longer{params({1, 1, 3, 4}), 0.0};
    longer.known.size = sizeof longer;
    EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), y.data(), &longer.known), IIR2D_STATUS_OK);
    longer.later = 1.0;
    EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), y.data(), &longer.known), IIR2D_STATUS_INVALID_ARGUMENT);
    EXPECT_THAT(iir2d_last_error(), HasSubstr("does not know"));
    for (const std::size_t size : {std::size_t{0}, sizeof(IIR2D_FilterParams) - 1, std::size_t{4097}}) {
        longer.known.size = size;
        EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), y.data(), &longer.known), IIR2D_STATUS_INVALID_ARGUMENT);
        EXPECT_THAT(iir2d_last_error(), HasSubstr("size is " + std::to_string(size)));
    }
}

TEST(FilterCApi, EachThreadHasItsLastError) {
    std::int32_t count = 0;
    ASSERT_EQ(iir2d_filter_count(-5, &count), IIR2D_STATUS_INVALID_FILTER_ID);
    const std::string here = iir2d_last_error();
    EXPECT_THAT(here, HasSubstr("filter -5"));
    std::string before;
    std::string after;
    std::thread([&] {
        before = iir2d_last_error();
        static_cast<void>(iir2d_filter_count(77, &count));
        after = iir2d_last_error();
    }).join();
    EXPECT_EQ(before, "");
    EXPECT_THAT(after, HasSubstr("filter 77"));
    EXPECT_EQ(iir2d_last_error(), here);
    // What has no status leaves it as it is.
    static_cast<void>(iir2d_status_string(0));
    static_cast<void>(iir2d_filter_key(1));
    static_cast<void>(iir2d_api_version_packed());
    EXPECT_EQ(iir2d_last_error(), here);
    // The plain functions set it too.
    EXPECT_EQ(iir2d_forward_cpu(nullptr, nullptr, nullptr), IIR2D_STATUS_NULL_POINTER);
    EXPECT_STREQ(iir2d_last_error(), "in is null");
    ASSERT_EQ(iir2d_filter_count(1, &count), IIR2D_STATUS_OK);
    EXPECT_STREQ(iir2d_last_error(), "");
}

}  // namespace
