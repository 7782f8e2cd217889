// SPDX-License-Identifier: MIT
// Faults planted in the kernels' text, one at a time: each is caught by a finding or by other bits.
#include <cstdio>

#include "tests/gpu/ptx/ptx_kernels_testing.h"

namespace ptx_kernels_test {
namespace {

// The text of one kernel, with what stands before all of them.
std::string text_of(const std::string& kernel) {
    const std::string& all = kernels_text();
    const std::string header = all.substr(0, all.find(".visible .entry"));
    const std::size_t begin = all.find(".visible .entry " + kernel + "(");
    if (begin == std::string::npos) throw std::runtime_error("no kernel " + kernel);
    return header + all.substr(begin, all.find("\n}\n", begin) + 3 - begin);
}

// Runs what a kernel is in on cases that reach its paths, with the kernel's text replaced.
bool is_caught(const std::string& kernel, const std::string& text) {
    auto changed = ptx::Module::parse(text);
    if (!changed) return true;
    for (const int id : {1, 2, 5}) {
        for (const auto& [width, height] : {std::pair{300, 40}, std::pair{40, 300}}) {
            for (const Border border : all_borders) {
                for (const Start start : all_starts) {
                    const FilterDesc desc{.shape = {.h = height, .w = width},
                                          .filter = {.id = id},
                                          .border = border,
                                          .border_const = 0.25,
                                          .start = start};
                    const auto filters = iir::filters_of(desc);
                    const auto filter = iir::make_gpu_filter(desc, filters->front());
                    bool reaches = false;
                    iir::for_each_launch(filter, {256, width, height * width}, {256, width, height * width},
                                         256, [&](const iir::GpuLaunch& launch) {
                                             reaches = reaches || launch.kernel == kernel;
                                             return true;
                                         });
                    if (!reaches) continue;
                    const auto x = random_plane(std::int64_t{width} * height, 9);
                    const auto run = [&](const ptx::Module& module) -> PtxOutcome {
                        return run_ptx(module, desc, x);
                    };
                    const auto genuine = run(kernels());
                    const auto made = run(*changed);
                    if (made.findings_total != 0 || !same_bits(genuine.y, made.y)) return true;
                }
            }
        }
    }
    return false;
}

struct Planted {
    const char* kernel;
    int caught;  // at least: the rest is in paths that none of the cases takes
};
class PlantedFaults : public ::testing::TestWithParam<Planted> {};

// Each barrier taken away alone. A missing bar.warp.sync changes no bit while lanes run in step: only a race
// is found. Those that nobody misses are printed: they are owed cases that reach them (carries, lines of
// several tiles and passes), or a reason why there can be none.
TEST_P(PlantedFaults, EachBarrierIsMissed) {
    const std::string kernel = GetParam().kernel;
    std::string text = text_of(kernel);
    // The kernel of the other axis, unchanged.
    const std::string other = kernel.find("rows") != std::string::npos ? "iir_columns" + kernel.substr(8)
                                                                       : "iir_rows" + kernel.substr(11);
    const std::string other_text = text_of(other);
    const std::string rest = other_text.substr(other_text.find(".visible .entry"));
    int planted = 0, caught = 0;
    for (const std::string barrier : {"bar.sync", "bar.warp.sync"}) {
        for (std::size_t at = text.find(barrier); at != std::string::npos; at = text.find(barrier, at + 1)) {
            std::string changed = text;
            changed.replace(at, text.find(';', at) - at, "");
            ++planted;
            const bool is = is_caught(kernel, changed + rest);
            caught += is ? 1 : 0;
            if (!is)
                std::printf("%s: %s at byte %zu is not missed by any case\n", kernel.c_str(), barrier.c_str(),
                            at);
        }
    }
    std::printf("%s: %d of %d caught\n", kernel.c_str(), caught, planted);
    EXPECT_GT(planted, 0);
    EXPECT_GE(caught, GetParam().caught);
}
INSTANTIATE_TEST_SUITE_P(Kernels, PlantedFaults,
                         ::testing::Values(Planted{"iir_rows_f32_order1_x1", 9},
                                           Planted{"iir_columns_f32_order1_x1", 2}),
                         [](const auto& one) { return std::string(one.param.kernel); });

}  // namespace
}  // namespace ptx_kernels_test
