// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "iir2d/filter.h"
#include "iir2d/iir2d_core.h"

extern "C" int iir2d_c_header_check(void);

namespace {

TEST(CApi, ChecksInTheContractsOrderAndWritesNothing) {
    std::vector<double> in(64, 1.0);
    std::vector<double> out(64, 5.0);
    const IIR2D_Params good{4, 4, 1, IIR2D_BORDER_MIRROR, 0.0F, IIR2D_PRECISION_F32};
    IIR2D_Params p{0, -1, 99, 99, 0.0F, 99};
    using Forward = int (*)(const void*, void*, const IIR2D_Params*);
    const Forward stream = [](const void* i, void* o, const IIR2D_Params* q) {
        return iir2d_forward_cuda_stream(i, o, q, nullptr);
    };
    for (const Forward forward : {Forward{iir2d_forward_cpu}, Forward{iir2d_forward_cuda}, stream}) {
        p = {0, -1, 99, 99, 0.0F, 99};
        EXPECT_EQ(forward(nullptr, out.data(), &p), IIR2D_STATUS_NULL_POINTER);
        EXPECT_EQ(forward(in.data(), nullptr, &p), IIR2D_STATUS_NULL_POINTER);
        EXPECT_EQ(forward(in.data(), out.data(), nullptr), IIR2D_STATUS_NULL_POINTER);
        EXPECT_EQ(forward(in.data(), out.data(), &p), IIR2D_STATUS_INVALID_DIMENSION);
        p.width = 4;
        EXPECT_EQ(forward(in.data(), out.data(), &p), IIR2D_STATUS_INVALID_DIMENSION);
        p.height = 4;
        EXPECT_EQ(forward(in.data(), out.data(), &p), IIR2D_STATUS_INVALID_FILTER_ID);
        p.filter_id = 0;
        EXPECT_EQ(forward(in.data(), out.data(), &p), IIR2D_STATUS_INVALID_FILTER_ID);
        const int count = static_cast<int>(iir2d::filter_table().size());
        p.filter_id = count + 1;
        EXPECT_EQ(forward(in.data(), out.data(), &p), IIR2D_STATUS_INVALID_FILTER_ID);
        p.filter_id = count;
        EXPECT_EQ(forward(in.data(), out.data(), &p), IIR2D_STATUS_INVALID_BORDER_MODE);
        p.border_mode = -1;
        EXPECT_EQ(forward(in.data(), out.data(), &p), IIR2D_STATUS_INVALID_BORDER_MODE);
        p.border_mode = 3;
        EXPECT_EQ(forward(in.data(), out.data(), &p), IIR2D_STATUS_INVALID_PRECISION);
        p.precision = -1;
        EXPECT_EQ(forward(in.data(), out.data(), &p), IIR2D_STATUS_INVALID_PRECISION);
        for (const double v : out) EXPECT_EQ(v, 5.0);
    }
    EXPECT_EQ(iir2d_forward_cuda(in.data(), out.data(), &good), IIR2D_STATUS_CUDA_ERROR);
    EXPECT_EQ(iir2d_forward_cuda_stream(in.data(), out.data(), &good, nullptr), IIR2D_STATUS_CUDA_ERROR);
    for (const double v : out) EXPECT_EQ(v, 5.0);
}

// A GPU would report it only after the launch, and the caller's context would be lost to it.
TEST(CApi, PlanesThatCannotBeFilteredAreRefusedBeforeTheGpuSeesThem) {
    std::vector<float> memory(64, 5.0F);
    char* in = reinterpret_cast<char*>(memory.data());
    char* out = in + 32 * sizeof(float);
    const IIR2D_Params p{4, 4, 1, IIR2D_BORDER_CLAMP, 0.0F, IIR2D_PRECISION_F32};
    for (const auto forward : {iir2d_forward_cpu, iir2d_forward_cuda}) {
        EXPECT_EQ(forward(in + 1, out, &p), IIR2D_STATUS_INVALID_ARGUMENT);
        EXPECT_EQ(forward(in, out + 2, &p), IIR2D_STATUS_INVALID_ARGUMENT);
        EXPECT_EQ(forward(in, in + 8, &p), IIR2D_STATUS_INVALID_ARGUMENT) << "neither in place nor apart";
        EXPECT_THAT(iir2d_last_error(), ::testing::HasSubstr("out overlaps in"));
    }
    EXPECT_EQ(memory, std::vector<float>(64, 5.0F));
}

TEST(CApi, FiltersOnTheCpu) {
    // A single row under constant 0: y = 0.15, 0.1275, ...; the column pass multiplies by 0.15.
    const std::vector<float> in{1, 0, 0};
    std::vector<float> out(3);
    const IIR2D_Params p{3, 1, 1, IIR2D_BORDER_CONSTANT, 0.0F, IIR2D_PRECISION_F32};
    ASSERT_EQ(iir2d_forward_cpu(in.data(), out.data(), &p), IIR2D_STATUS_OK);
    for (int i = 0; i < 3; ++i)
        EXPECT_NEAR(out[static_cast<std::size_t>(i)], 0.15 * 0.15 * std::pow(0.85, i), 1e-8);
    const std::vector<double> in64{1, 0, 0};
    std::vector<double> out64(3);
    IIR2D_Params p64 = p;
    p64.precision = IIR2D_PRECISION_F64;
    ASSERT_EQ(iir2d_forward_cpu(in64.data(), out64.data(), &p64), IIR2D_STATUS_OK);
    for (int i = 0; i < 3; ++i)
        EXPECT_NEAR(out64[static_cast<std::size_t>(i)], 0.15 * 0.15 * std::pow(0.85, i), 1e-16);
}

TEST(CApi, StatusStrings) {
    const std::pair<int, const char*> names[] = {{0, "ok"},
                                                 {-1, "invalid_argument"},
                                                 {-2, "invalid_dimension"},
                                                 {-3, "invalid_filter_id"},
                                                 {-4, "invalid_border_mode"},
                                                 {-5, "invalid_precision"},
                                                 {-6, "null_pointer"},
                                                 {-7, "workspace_error"},
                                                 {-8, "cuda_error"},
                                                 {1, "unknown_status"},
                                                 {-9, "unknown_status"},
                                                 {-2147483647 - 1, "unknown_status"}};
    for (const auto& [status, name] : names) EXPECT_STREQ(iir2d_status_string(status), name);
}

TEST(CApi, VersionAndFingerprint) {
    EXPECT_EQ(iir2d_api_version_major(), 1);
    EXPECT_EQ(iir2d_api_version_minor(), 2);
    EXPECT_EQ(iir2d_api_version_patch(), 0);
    EXPECT_EQ(iir2d_api_version_packed(), 10200);
    const std::string line = iir2d_build_fingerprint();
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_NE(line.find("1.2.0"), std::string::npos);
    EXPECT_NE(line.find("commit"), std::string::npos);
    EXPECT_NE(line.find("CUDA toolkit"), std::string::npos);
}

TEST(CApi, HeaderIsC) {
    EXPECT_EQ(iir2d_c_header_check(), 10200);
}

}  // namespace
