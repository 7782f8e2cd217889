// SPDX-License-Identifier: MIT
// The kernels' PTX, of the compilation that the library embeds: the bits of their source, and nothing found.
#include <algorithm>
#include <cstdio>
#include <set>

#include "tests/gpu/ptx/ptx_launcher.h"

namespace ptx_kernels_test {
namespace {

TEST(PtxKernels, AreAllThereAndNothingIsRefused) {
    EXPECT_TRUE(kernels().refused().empty());
    const std::vector<std::string> executed = ptx::executed_opcodes();
    for (const auto& [opcode, count] : kernels().opcodes())
        EXPECT_TRUE(std::ranges::binary_search(executed, opcode)) << opcode;
    for (const auto& entry : gpu_test::kernel_entries()) {
        const auto* const found = kernels().entry(entry.name);
        ASSERT_NE(found, nullptr) << entry.name;
        EXPECT_EQ(found->parameter_bytes, entry.parameter_bytes) << entry.name;
    }
    EXPECT_EQ(kernels().entries().size(), gpu_test::kernel_entries().size());
}

class PtxKernelsIir : public ::testing::TestWithParam<int> {};

TEST_P(PtxKernelsIir, GiveTheBitsOfTheirSourceAndNothingIsFound) {
    const int id = GetParam();
    int cases = 0;
    std::uint64_t lanes = 0;
    // Rows of whole 16 bytes, too.
    for (const auto& [width, height] :
         {std::pair{1, 1}, std::pair{33, 5}, std::pair{76, 33}, std::pair{71, 45}}) {
        const auto x = random_plane(std::int64_t{width} * height, static_cast<unsigned>(id));
        for (const Border border : all_borders) {
            for (const Start start : all_starts) {
                for (const Precision precision : all_precisions) {
                    for (const bool adjoint : {false, true}) {
                        FilterDesc desc{.shape = {.h = height, .w = width},
                                        .filter = {.id = id},
                                        .border = border,
                                        .border_const = 0.25,
                                        .start = start};
                        desc.precision = precision;
                        const gpu_iir_test::Run run{.seed = static_cast<std::uint64_t>(cases % 2 * 5),
                                                    .in_place = cases % 3 == 0,
                                                    .adjoint = adjoint};
                        const auto source = run_gpu(desc, x, run);
                        const auto made = run_ptx(kernels(), desc, x, run);
                        EXPECT_TRUE(same_bits(source.y, made.y))
                            << describe(desc) << (adjoint ? " adjoint" : "");
                        EXPECT_EQ(made.findings_total, 0U)
                            << describe(desc) << ": "
                            << (made.findings.empty() ? "" : made.findings[0].message);
                        lanes += made.lanes;
                        ++cases;
                    }
                }
            }
        }
    }
    std::printf("%d cases, %.0f million lane instructions\n", cases, static_cast<double>(lanes) / 1e6);
}
INSTANTIATE_TEST_SUITE_P(Filters, PtxKernelsIir,
                         ::testing::Range(1, static_cast<int>(filter_table().size()) + 1));

// Several tiles each way, the last of them not whole, of one square and of more; rows of whole 16 bytes and
// not.
TEST(PtxKernelsTiles, GiveTheBitsOfTheirSourceAndNothingIsFound) {
    struct TiledCase {
        int id, width, height;
        bool large = false;
    };
    std::uint64_t lanes = 0;
    for (const auto& [id, width, height, large] :
         {TiledCase{1, 135, 70}, TiledCase{2, 135, 135}, TiledCase{3, 135, 135}, TiledCase{4, 135, 262},
          TiledCase{5, 135, 135}, TiledCase{5, 136, 200}, TiledCase{2, 135, 135, true},
          TiledCase{3, 200, 140, true}, TiledCase{4, 132, 262, true}}) {
        const auto x = random_plane(std::int64_t{width} * height, static_cast<unsigned>(id));
        for (const Precision precision : all_precisions) {
            for (const Border border : {Border::mirror, Border::constant}) {
                FilterDesc desc{.shape = {.h = height, .w = width},
                                .filter = {.id = id},
                                .border = border,
                                .border_const = 0.25};
                desc.precision = precision;
                const bool mirror = border == Border::mirror;
                const gpu_iir_test::Run run{
                    .seed = mirror ? 0U : 5U, .in_place = mirror, .ways = {.large_tiles = large}};
                const auto made = run_ptx(kernels(), desc, x, run);
                EXPECT_TRUE(same_bits(run_gpu(desc, x, run).y, made.y)) << describe(desc);
                EXPECT_EQ(made.findings_total, 0U)
                    << describe(desc) << ": " << (made.findings.empty() ? "" : made.findings[0].message);
                lanes += made.lanes;
            }
        }
    }
    std::printf("%.0f million lane instructions\n", static_cast<double>(lanes) / 1e6);
}

// The matrices above run every kernel of filters and adjoints.
TEST(PtxKernelsIirMatrix, HasEveryKernel) {
    std::set<std::string> named;
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const Border border : all_borders) {
            for (const Precision precision : all_precisions) {
                for (const bool adjoint : {false, true}) {
                    for (const Shape& shape : {Shape{.h = 45, .w = 70}, Shape{.h = 262, .w = 135}}) {
                        FilterDesc desc{.shape = shape, .filter = {.id = id}, .border = border};
                        desc.precision = precision;
                        const auto make = adjoint ? iir::make_gpu_adjoint : iir::make_gpu_filter;
                        const auto filter = make(desc, iir::filters_of(desc)->front());
                        iir::for_each_launch(filter, {64, 1, 1}, {64, 1, 1}, 64,
                                             [&](const iir::GpuLaunch& launch) {
                                                 named.insert(launch.kernel);
                                                 return true;
                                             });
                    }
                }
            }
        }
    }
    for (const std::string& kernel : kernels_named("iir_")) {
        const bool of_gradient = kernel.starts_with("iir_gradient_");
        EXPECT_TRUE(of_gradient || named.contains(kernel)) << kernel;
    }
}

}  // namespace
}  // namespace ptx_kernels_test
