// SPDX-License-Identifier: MIT
// Faults planted in the kernels' text, one at a time: each is caught by a finding or by other bits. Those
// that are not are printed; docs/ptx-faults.md has them with the reason.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <limits>
#include <map>

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

// A job that has the kernel in it, and what it gives without a fault.
struct Case {
    FilterDesc desc;
    Run run;
    std::vector<double> x;
    PtxOutcome genuine;
};

bool reaches(const FilterDesc& desc, const std::string& kernel) {
    const auto filter = iir::make_gpu_filter(desc, iir::filters_of(desc)->front());
    bool found = false;
    iir::for_each_launch(filter, {64, 1, 1}, {64, 1, 1}, 64, [&](const iir::GpuLaunch& launch) {
        found = found || launch.kernel == kernel;
        return true;
    });
    return found;
}

// Two segments and many, tiles that are full and not, blocks that are not: small, so that a thousand faults
// take seconds. Short memories have warm-ups, of one tile and of two, long ones exact carries; a NaN fills
// what is behind it.
std::vector<Case> cases_of(const std::string& kernel) {
    const bool rows = kernel.starts_with("iir_rows");
    const Precision precision = kernel.find("_f64_") != std::string::npos     ? Precision::f64
                                : kernel.find("_mixed_") != std::string::npos ? Precision::mixed
                                                                              : Precision::f32;
    std::vector<Case> cases;
    struct Shape2 {
        std::int64_t along, lines;
    };
    const auto add = [&](const FilterSpec& filter, Border border, Start start, Shape2 shape, bool has_nan) {
        const auto [along, lines] = shape;
        FilterDesc desc{.shape = {.h = rows ? lines : along, .w = rows ? along : lines},
                        .filter = filter,
                        .border = border,
                        .border_const = 0.25,
                        .start = start};
        desc.precision = precision;
        if (!reaches(desc, kernel)) return;
        Case one{.desc = desc,
                 .run = {.seed = cases.size() % 2 * 5, .in_place = cases.size() % 3 == 0},
                 .x = random_plane(along * lines, 9)};
        // In the last line, before the warm-up of the segment behind: the other axis spreads it over one line
        // alone.
        const std::int64_t at = along / 3;
        const std::int64_t place = rows ? (lines - 1) * along + at : at * lines + lines - 1;
        if (has_nan) one.x[static_cast<std::size_t>(place)] = std::numeric_limits<double>::quiet_NaN();
        one.genuine = run_ptx(kernels(), desc, one.x, one.run);
        if (one.genuine.findings_total != 0) throw std::runtime_error(one.genuine.findings[0].message);
        cases.push_back(std::move(one));
    };
    if (kernel.starts_with("iir_tile")) {
        for (const Border border : {Border::mirror, Border::clamp, Border::constant}) {
            for (const Shape2 shape : {Shape2{66, 135}, Shape2{135, 65}})
                add({.id = 1}, border, border == Border::clamp ? Start::steady : Start::truncated, shape,
                    border == Border::clamp);
        }
        return cases;
    }
    const FilterSpec short_memories[] = {{.id = 1, .parameters = {{"alpha", 0.05}}},
                                         {.id = 2, .parameters = {{"a", 0.05}}},
                                         {.id = 5, .parameters = {{"alpha", 0.05}}}};
    for (const Border border : all_borders)
        for (const Start start : all_starts) add({.id = rows ? 1 : 5}, border, start, {70, 35}, false);
    for (const int id : {1, 2, 3, 5, 6}) {
        add({.id = id}, Border::mirror, Start::steady, {70, 37}, id == 5);
        add({.id = id}, Border::constant, Start::truncated, {203, 39}, false);
    }
    for (const FilterSpec& filter : short_memories) {
        add(filter, Border::wrap, Start::steady, {70, 41}, true);
        add(filter, Border::clamp, Start::truncated, {203, 33}, true);
    }
    add({.id = 1, .parameters = {{"alpha", 0.4}}}, Border::mirror, Start::truncated, {1100, 5}, false);
    add({.id = 2, .parameters = {{"a", 0.3}}}, Border::mirror, Start::truncated, {1100, 5}, false);
    return cases;
}

enum class Verdict { caught, missed, unreadable };

// Tries the case first that caught the last fault of the kind.
Verdict judge(const std::string& kernel, const std::string& text, const std::vector<Case>& cases,
              std::size_t& first) {
    const auto changed = ptx::Module::parse(text);
    if (!changed) return Verdict::unreadable;
    for (std::size_t k = 0; k < cases.size(); ++k) {
        const std::size_t which = (first + k) % cases.size();
        const Case& one = cases[which];
        const Replaced replaced{
            .kernel = kernel, .module = &*changed, .budget = 2 * one.genuine.warp_instructions + 100'000};
        const auto made = run_ptx(kernels(), one.desc, one.x, one.run, &replaced);
        if (made.findings_total != 0 || !same_bits(one.genuine.y, made.y)) {
            first = which;
            return Verdict::caught;
        }
    }
    return Verdict::missed;
}

// A kernel's text with one of its lines changed.
struct Fault {
    const char* kind;
    std::size_t begin;  // of the line
    std::size_t end;
    std::string line;  // in its place
};

// Changes digits at `at` to a number that is larger by `more`.
std::string larger(const std::string& line, std::size_t at, std::size_t end, long more) {
    const long value = std::stol(line.substr(at, end - at));
    return line.substr(0, at) + std::to_string(value + more) + line.substr(end);
}

// What can be planted in a line.
void plant(const std::string& line, std::size_t begin, std::size_t end, std::vector<Fault>& faults) {
    const auto add = [&](const char* kind, std::string changed) {
        faults.push_back({kind, begin, end, std::move(changed)});
    };
    const bool is_barrier = line.find("bar.sync") != std::string::npos;
    if (is_barrier || line.find("bar.warp.sync") != std::string::npos) add("a barrier left out", "");
    if (is_barrier)
        add("a barrier under a branch",
            "{ .reg .pred q; .reg .b32 t; mov.u32 t, %tid.x; setp.ne.u32 q, t, 5; @q " + line + " }");
    if (line.find("st.global") != std::string::npos || line.find("st.shared") != std::string::npos) {
        const long bytes = line.find("64 ") != std::string::npos ? 8 : 4;
        const std::size_t close = line.find(']');
        const std::size_t plus = line.find('+');
        add("a store moved", plus < close
                                 ? larger(line, plus + 1, close, bytes)
                                 : line.substr(0, close) + "+" + std::to_string(bytes) + line.substr(close));
    }
    if (const std::size_t guard = line.find('@'); guard != std::string::npos) {
        std::string changed = line;
        if (changed[guard + 1] == '!')
            changed.erase(guard + 1, 1);
        else
            changed.insert(guard + 1, "!");
        add("a predicate inverted", changed);
    }
    if (const std::size_t constant = line.find(", 0f"); constant != std::string::npos) {
        std::string changed = line;
        changed.replace(constant + 2, 10,
                        line.substr(constant + 2, 10) == "0f3E800000" ? "0f3F000000" : "0f3E800000");
        add("a constant changed", changed);
    } else if (const std::size_t wide = line.find(", 0d"); wide != std::string::npos) {
        std::string changed = line;
        changed.replace(wide + 2, 18, "0d3FD0000000000000");
        add("a constant changed", changed);
    } else if (const std::size_t last = line.rfind(", ");
               last != std::string::npos && line.find("add.s") != std::string::npos &&
               (std::isdigit(static_cast<unsigned char>(line[last + 2])) != 0 || line[last + 2] == '-')) {
        add("a constant changed", larger(line, last + 2, line.find(';'), 1));
    }
}

std::vector<Fault> faults_of(const std::string& text, std::size_t body) {
    std::vector<Fault> faults;
    for (std::size_t begin = body; begin < text.size();) {
        const std::size_t end = text.find('\n', begin);
        plant(text.substr(begin, end - begin), begin, end, faults);
        begin = end + 1;
    }
    return faults;
}

struct Planted {
    const char* kernel;
    // Of the text that CI compiles: what no case can reach and what changes nothing (docs/ptx-faults.md).
    std::size_t missed;
};
class PlantedFaults : public ::testing::TestWithParam<Planted> {};

TEST_P(PlantedFaults, AreCaught) {
    const std::string kernel = GetParam().kernel;
    const std::string text = text_of(kernel);
    const std::vector<Case> cases = cases_of(kernel);
    ASSERT_FALSE(cases.empty());
    const auto faults = faults_of(text, text.find(".visible .entry"));
    struct Count {
        int planted = 0;
        int caught = 0;
        std::size_t first = 0;
    };
    std::map<std::string, Count> counts;
    std::size_t missed = 0;
    // All of them take minutes; each barrier and every fourth of the others, seconds.
    const bool all = std::getenv("IIR2D_PTX_FAULTS") != nullptr;
    std::size_t others = 0;
    std::size_t missed_barriers = 0;
    for (const Fault& fault : faults) {
        const bool is_barrier = std::string_view(fault.kind).starts_with("a barrier");
        if (!all && !is_barrier && others++ % 4 != 0) continue;
        Count& count = counts[fault.kind];
        ++count.planted;
        const std::string changed = text.substr(0, fault.begin) + fault.line + text.substr(fault.end);
        const Verdict verdict = judge(kernel, changed, cases, count.first);
        ASSERT_NE(verdict, Verdict::unreadable) << fault.kind << ": " << fault.line;
        if (verdict == Verdict::caught) {
            ++count.caught;
            continue;
        }
        ++missed;
        missed_barriers += is_barrier ? 1 : 0;
        std::printf(
            "%s, line %td: %s is missed by every case:%s\n", kernel.c_str(),
            std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(fault.begin), '\n') + 1,
            fault.kind, text.substr(fault.begin, fault.end - fault.begin).c_str());
    }
    for (const auto& [kind, count] : counts)
        std::printf("%s, %zu cases: %s: %d of %d caught\n", kernel.c_str(), cases.size(), kind.c_str(),
                    count.caught, count.planted);
    EXPECT_LE(missed_barriers, 1);
    const bool is_known = kernels().target() == "sm_75" && text.find("release 13.0") != std::string::npos;
    EXPECT_TRUE(all || !is_known || missed <= GetParam().missed) << missed;
}
INSTANTIATE_TEST_SUITE_P(
    Kernels, PlantedFaults,
    ::testing::Values(Planted{"iir_rows_f32_order1_x1", 14}, Planted{"iir_rows_f64_order1_x1", 14},
                      Planted{"iir_columns_f32_order1_x1", 13}, Planted{"iir_columns_f64_order1_x1", 6},
                      Planted{"iir_tile_carries_f32_order1_x1", 11}, Planted{"iir_tiles_f32_order1_x1", 14}),
    [](const auto& one) { return std::string(one.param.kernel); });

}  // namespace
}  // namespace ptx_kernels_test
