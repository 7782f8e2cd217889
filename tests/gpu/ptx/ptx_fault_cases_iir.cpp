// SPDX-License-Identifier: MIT
// Filters of small images, so that a thousand faults take seconds: each of their kernels' ways is gone by
// one.
#include <array>
#include <limits>

#include "tests/gpu/ptx/ptx_fault_cases.h"
#include "tests/gpu/ptx/ptx_launcher.h"

namespace ptx_kernels_test {
namespace {

// A filter of an image of `lines` lines, `along` samples long, of rows or columns.
struct Job {
    FilterDesc filter;  // shape and precision are left out
    std::int64_t along;
    std::int64_t lines;
    bool has_nan = false;
    iir::GpuWays ways = {};
    std::int64_t planes = 1;
};

FilterDesc of(const FilterSpec& filter, Border border, Start start) {
    return {.filter = filter, .border = border, .border_const = 0.25, .start = start};
}

Section first_order(double b0, double b1, double a1) {
    return {.order = 1, .b = {b0, b1, 0}, .a = {a1, 0}, .start_b = {b0, b1, 0}};
}

// Filters of the caller's own: what the table has of second order alone, or not at all.
FilterDesc of(Stage stage, Stage second, Border border, Start start) {
    AxisFilter axis{{std::move(stage)}};
    if (!second.sections.empty()) axis.stages.push_back(std::move(second));
    FilterDesc desc = of(FilterSpec{}, border, start);
    desc.data = {{axis, axis}};
    return desc;
}

FilterDesc sum(double memory, Border border, Start start) {
    return of({.kind = Stage::Kind::sum,
               .causal = {first_order(1.0 - memory, 0.1, memory)},
               .anticausal = {first_order(0.2, 0.3, memory)}},
              {}, border, start);
}

FilterDesc twice_both_ways(Border border, Start start) {
    const std::vector<Section> sections{first_order(0.25, 0.1, 0.75), first_order(0.5, 0.2, 0.6)};
    return of({.kind = Stage::Kind::causal, .sections = sections},
              {.kind = Stage::Kind::anticausal, .sections = sections}, border, start);
}

FilterSpec ema(double alpha) {
    return {.id = 1, .parameters = {{"alpha", alpha}}};
}
FilterSpec both_ways(double alpha) {
    return {.id = 5, .parameters = {{"alpha", alpha}}};
}

// Lines of a block that end at each of a lane's moves, or of two blocks.
std::int64_t lines_of(std::int64_t job) {
    return job % 8 == 0 ? 35 : 17 + 2 * (job % 8);
}

// Rows of whole 16 bytes, and others; both ways, with what is added and without; lines of one segment, of two
// and more. Short memories have warm-ups, of one tile and of two, long ones exact carries; a NaN fills what
// is behind it in its line.
std::vector<Job> axis_jobs(bool packed) {
    const std::int64_t less = packed ? 0 : 1;
    std::vector<Job> jobs;
    std::int64_t k = 0;
    for (const Border border : all_borders) {
        for (const Start start : all_starts) {
            jobs.push_back({of({.id = 5}, border, start), 72 - less, lines_of(k)});
            jobs.push_back({sum(0.5, border, start), 84 - less, lines_of(k++)});
        }
    }
    for (const bool wraps : {true, false}) {
        const Border border = wraps ? Border::wrap : Border::clamp;
        const Start start = wraps ? Start::steady : Start::truncated;
        const std::int64_t along = wraps ? 72 : 204;
        jobs.push_back({of(ema(0.05), border, start), along - less, lines_of(k++), true});
        jobs.push_back({of(both_ways(0.05), border, start), along - less, lines_of(k++), wraps});
        jobs.push_back({sum(0.05, border, start), along - less, lines_of(k++), !wraps});
    }
    for (const double alpha : {0.25, 0.4})
        jobs.push_back({of(both_ways(alpha), Border::mirror, Start::truncated),
                        132 - less,
                        lines_of(k++),
                        false,
                        {.warps = 2}});
    jobs.push_back({of({.id = 5}, Border::mirror, Start::steady), 72 - less, 37, true});
    // A NaN that the line's start has forgotten, though the line comes before itself.
    jobs.push_back({of(ema(0.05), Border::mirror, Start::steady), 72 - less, 29, true});
    jobs.push_back({of({.id = 5}, Border::constant, Start::truncated), 204 - less, 31});
    jobs.push_back({of({.id = 5}, Border::wrap, Start::steady), 12 - less, 27});
    jobs.push_back({sum(0.9, Border::mirror, Start::steady), 204 - less, 25});
    return jobs;
}

std::vector<Job> row_jobs() {
    std::vector<Job> jobs = axis_jobs(true);
    const std::vector<Job> others = axis_jobs(false);
    jobs.insert(jobs.end(), others.begin(), others.end());
    return jobs;
}

std::vector<Job> column_jobs() {
    return axis_jobs(false);
}

// Tiles of a square and of two each way, over which a start is not forgotten, and planes of two; both ways,
// of whole 16 bytes and not, which end at each sixteenth of a square.
std::vector<Job> tile_jobs() {
    std::vector<Job> jobs;
    constexpr iir::GpuWays large{.large_tiles = true};
    const FilterSpec long_memory{.id = 2, .parameters = {{"a", 0.97}}};
    jobs.push_back({of(long_memory, Border::constant, Start::steady), 131, 137, false, large, 2});
    jobs.push_back({of(long_memory, Border::mirror, Start::truncated), 258, 66, false, large});
    jobs.push_back({twice_both_ways(Border::clamp, Start::steady), 133, 140, false, large, 2});
    jobs.push_back({twice_both_ways(Border::mirror, Start::truncated), 150, 196, false, large});
    jobs.push_back({twice_both_ways(Border::mirror, Start::truncated), 149, 195, false, large});
    constexpr std::array borders{Border::mirror, Border::clamp, Border::constant};
    for (std::int64_t k = 0; k < 16; ++k) {
        const Border border = borders[static_cast<std::size_t>(k % 3)];
        const Start start = border == Border::clamp ? Start::steady : Start::truncated;
        const std::int64_t along = k < 8 ? 64 + k : 128 + k;
        const std::int64_t lines = k < 8 ? 130 + k : 70 + 2 * k;
        const iir::GpuWays ways{.large_tiles = k == 1};
        jobs.push_back({of({.id = 2}, border, start), along, lines, k == 4, ways});
    }
    return jobs;
}

Precision precision_of(const std::string& kernel) {
    for (const Precision precision : all_precisions)
        if (kernel.find("_" + std::string(name_of(precision)) + "_") != std::string::npos) return precision;
    throw std::runtime_error(kernel + " has no precision");
}

bool reaches(const FilterDesc& desc, const iir::GpuWays& ways, const std::string& kernel) {
    const auto filter = iir::make_gpu_filter_by(desc, iir::filters_of(desc)->front(), ways);
    bool found = false;
    iir::for_each_launch(filter, {64, 1, 1}, {64, 1, 1}, 64, [&](const iir::GpuLaunch& launch) {
        found = found || launch.kernel == kernel;
        return true;
    });
    return found;
}

// Adds up numbers in the place of what tiles leave: many tiles, of which none is filtered.
FaultRun run_adding(const std::string& kernel, const FilterDesc& desc, std::uint64_t seed,
                    const iir::GpuWays& ways, const Replaced* replaced) {
    const auto filter = iir::make_gpu_filter_by(desc, iir::filters_of(desc)->front(), ways);
    const auto numbers = random_plane(static_cast<std::int64_t>(filter.workspace_bytes / sizeof(float)), 9);
    std::vector<float> carries(numbers.begin(), numbers.end());
    Launcher launcher(By::text, seed, replaced);
    iir::for_each_launch(
        filter, {64, 1, 1}, {64, 1, 1}, launcher.give(carries), [&](const iir::GpuLaunch& one) {
            return one.kernel != kernel ||
                   launcher.launch(one.kernel, one.blocks, one.threads, one.shared_bytes, one.parameters);
        });
    return {{carries.begin(), carries.end()}, launcher.findings_total(), launcher.warp_instructions()};
}

// As many tiles as are loaded at once, fewer and more; planes of two.
std::vector<FaultCase> adding_cases(const std::string& kernel) {
    std::vector<FaultCase> cases;
    const auto add = [&](const Shape& shape, const iir::GpuWays& ways = {}) {
        FilterDesc desc = of({.id = 2, .parameters = {{"a", 0.97}}}, Border::clamp, Start::truncated);
        desc.shape = shape;
        add_case(cases, [=, seed = cases.size() % 2 * 5](const Replaced* replaced) {
            return run_adding(kernel, desc, seed, ways, replaced);
        });
    };
    constexpr std::int64_t square = iir::gpu_square;
    add({.c = 2, .h = 2 * square + 5, .w = 10 * square + 3});
    add({.c = 2, .h = 10 * square + 5, .w = 2 * square + 3});
    add({.h = 18 * square, .w = 18 * square});
    add({.h = 6 * square + 37, .w = 8 * square + 37}, {.large_tiles = true});
    for (std::int64_t tiles = 3; tiles <= 17; ++tiles) {
        add({.h = square, .w = tiles * square});
        add({.h = tiles * square, .w = square + 1});
    }
    return cases;
}

}  // namespace

std::vector<FaultCase> filter_cases(const std::string& kernel) {
    if (kernel.starts_with("iir_add_carries")) return adding_cases(kernel);
    const bool rows = kernel.starts_with("iir_rows");
    const bool tiles = kernel.starts_with("iir_tile");
    std::vector<FaultCase> cases;
    for (const Job& job : rows ? row_jobs() : tiles ? tile_jobs() : column_jobs()) {
        const auto& [filter, along, lines, has_nan, ways, planes] = job;
        FilterDesc desc = filter;
        desc.shape = {.c = planes, .h = rows ? lines : along, .w = rows ? along : lines};
        desc.precision = precision_of(kernel);
        if (!reaches(desc, ways, kernel)) continue;
        std::vector<double> x = random_plane(planes * along * lines, 9);
        // Before the warm-up of the segment behind; in a line that is neither a block's last nor a plane's,
        // or in a plane's last column, from where tiles do not spread it.
        const std::int64_t at = along / 3;
        const std::int64_t line = tiles ? lines - 1 : lines / 2;
        const std::int64_t place = rows ? line * along + at : at * lines + line;
        if (has_nan) x[static_cast<std::size_t>(place)] = std::numeric_limits<double>::quiet_NaN();
        const gpu_iir_test::Run run{
            .seed = cases.size() % 2 * 5, .in_place = cases.size() % 3 == 0, .ways = ways};
        const std::string only = tiles ? "" : kernel;
        add_case(cases, [desc, run, only, x = std::move(x)](const Replaced* replaced) {
            PtxOutcome made = run_ptx(kernels(), desc, x, run, replaced, only);
            return FaultRun{std::move(made.y), made.findings_total, made.warp_instructions};
        });
    }
    return cases;
}

}  // namespace ptx_kernels_test
