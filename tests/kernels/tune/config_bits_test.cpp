// SPDX-License-Identifier: MIT
// No config changes a bit: every candidate, and values that are none, against static on the same planes.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tests/kernels/tune/tune_testing.h"
#include "tests/sanitized.h"

namespace {

using namespace iir2d;
using tune_testing::config;
using tune_testing::cpu;
using tune_testing::Planes;

constexpr int threads = 3;

// Under sanitizers all cases take minutes: one in so many runs there. The library has no threads there, and
// so fewer configs.
constexpr int one_in = workbench::sanitized ? 29 : 1;

struct Comparisons {
    int cases = 0;
    int made = 0;
    bool leave_out_next_case() { return cases++ % one_in != 0; }
};

void expect_more_than(int comparisons, const Comparisons& compared) {
    EXPECT_GT(compared.made, comparisons / one_in / (workbench::sanitized ? 3 : 1));
}

// The candidates and, of these texts, those that are valid; `static` is left out.
template <class... Problem>
std::vector<Config> configs_of(const std::vector<std::string>& more, const Problem&... problem) {
    std::vector<Config> configs = candidates(cpu(threads), problem...).value();
    EXPECT_EQ(configs.front(), Config{});
    configs.erase(configs.begin());
    for (const std::string& text : more) {
        const Config one = config(text);
        if (check_config(cpu(threads), problem..., one)) configs.push_back(one);
    }
    return configs;
}

struct FilterCase {
    FilterDesc desc;
    bool dense = false;
    bool in_place = false;
};

void expect_static_bits(const FilterCase& one, Comparisons& compared) {
    if (compared.leave_out_next_case()) return;
    const ElementType element = element_of(one.desc);
    Planes x(element, one.desc.shape, one.dense);
    x.fill_with_hard_values(7);
    const auto run = [&](const Config& chosen) {
        const auto plan = FilterPlan::make(cpu(threads), one.desc, chosen);
        EXPECT_TRUE(plan) << plan.error().message;
        Planes y(element, one.desc.shape, one.dense);
        if (one.in_place) {
            y.fill_with_hard_values(7);
        } else {
            y.fill(0x55);
        }
        const auto done = plan->run(one.in_place ? ConstTensorView(y.view()) : x.view(), y.view());
        EXPECT_TRUE(done) << done.error().message;
        return y;
    };
    const Planes expected = run({});
    for (const Config& chosen : configs_of(
             {"part:32", "strip:64", "threads:2 part:96 strip:128 stores:past", "stores:past share:planes",
              "share:rows stores:past", "strip:256", "threads:2 strip:1024"},
             one.desc)) {
        ++compared.made;
        EXPECT_TRUE(run(chosen) == expected)
            << "filter " << one.desc.filter.id << " border " << name_of(one.desc.border) << " "
            << name_of(one.desc.precision) << " " << one.desc.shape.w << "x" << one.desc.shape.h << " of "
            << name_of(element) << ": " << text_of(chosen);
    }
}

TEST(ConfigBits, FiltersKeepTheirs) {
    Comparisons compared;
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const Border border : {Border::clamp, Border::mirror, Border::wrap, Border::constant}) {
            for (const Precision precision : {Precision::f32, Precision::mixed, Precision::f64}) {
                for (const Start start : {Start::truncated, Start::steady}) {
                    FilterDesc desc{.shape = {1, 3, 79, 33}, .filter = {.id = id}, .border = border};
                    desc.border_const = 0.25;
                    desc.precision = precision;
                    desc.start = start;
                    expect_static_bits({desc, false, start == Start::steady}, compared);
                    if (start == Start::steady && precision != Precision::f32) continue;
                    desc.shape = {1, 2, 37, 258};
                    expect_static_bits({desc}, compared);
                }
            }
        }
    }
    expect_more_than(3000, compared);
}

TEST(ConfigBits, RowsAloneOtherElementsAndFiltersOfEachPlaneKeepTheirs) {
    Comparisons compared;
    for (const int id : {2, 4, 5, 6, 8}) {
        FilterDesc desc{.shape = {1, 2, 7, 4501}, .filter = {.id = id}};
        expect_static_bits({desc}, compared);
        desc.shape = {2, 3, 67, 130};
        expect_static_bits({desc, true}, compared);
        for (const ElementType element : {ElementType::f16, ElementType::bf16}) {
            desc.element = element;
            expect_static_bits({desc}, compared);
        }
        desc.element.reset();
        for (int plane = 0; plane < 6; ++plane)
            desc.data.push_back(*make_filter({.id = 1 + (id + plane) % 8}));
        expect_static_bits({desc}, compared);
    }
    expect_more_than(300, compared);
}

// Large enough that static's stores go past the caches and its planes are dealt out.
TEST(ConfigBits, LargeAndManyPlanesKeepTheirs) {
    Comparisons compared;
    expect_static_bits({{.shape = {1, 1, 1500, 1480}, .filter = {.id = 1}}}, compared);
    expect_static_bits({{.shape = {1, 13, 64, 96}, .filter = {.id = 6}}}, compared);
    expect_more_than(20, compared);
}

struct Outcome {
    Planes y;
    std::vector<std::int64_t> places;
    bool operator==(const Outcome&) const = default;
};

void expect_static_bits(const PoolDesc& desc, PoolUse use, Comparisons& compared) {
    if (compared.leave_out_next_case()) return;
    const Shape out = PoolPlan::make(cpu(1), desc)->output_shape();
    Planes x(desc.element, desc.shape);
    x.fill_with_hard_values(11);
    Planes y(desc.element, out);
    std::vector<std::int64_t> places(is_max(desc.op) ? static_cast<std::size_t>(out.n * out.c * out.h * out.w)
                                                     : 0);
    const auto made = PoolPlan::make(cpu(1), desc)->forward(x.view(), y.view(), places);
    ASSERT_TRUE(made) << made.error().message;
    Planes dy(desc.element, out);
    dy.fill_with_hard_values(13);
    const auto run = [&](const Config& chosen) {
        const bool backward = use == PoolUse::backward;
        const auto plan =
            PoolPlan::make(cpu(threads), desc, backward ? Config{} : chosen, backward ? chosen : Config{});
        EXPECT_TRUE(plan) << plan.error().message;
        Outcome outcome{Planes(desc.element, backward ? desc.shape : out), {}};
        outcome.y.fill(0x55);
        if (use == PoolUse::forward_with_places) outcome.places.assign(places.size(), -77);
        const auto done = backward ? plan->backward(x.view(), y.view(), dy.view(), outcome.y.view(), places)
                                   : plan->forward(x.view(), outcome.y.view(), outcome.places);
        EXPECT_TRUE(done) << done.error().message;
        return outcome;
    };
    const Outcome expected = run({});
    for (const Config& chosen :
         configs_of({"way:sequence/sequence", "way:sequence/parts", "way:climb/sequence", "way:climb/parts",
                     "threads:2 task:2^10 stores:past", "task:2^30", "threads:1 task:2^12 way:parts/climb"},
                    desc, use)) {
        ++compared.made;
        EXPECT_TRUE(run(chosen) == expected)
            << name_of(desc.op) << " " << desc.window.h << "x" << desc.window.w << " of "
            << name_of(desc.element) << " use " << static_cast<int>(use) << ": " << text_of(chosen);
    }
}

constexpr std::array elements{ElementType::f32, ElementType::f64, ElementType::f16, ElementType::bf16};
constexpr std::array uses{PoolUse::forward, PoolUse::forward_with_places, PoolUse::backward};

TEST(ConfigBits, MaximaKeepTheirs) {
    struct Windows {
        Extent window, stride, padding = {0, 0}, dilation = {1, 1};
    };
    Comparisons compared;
    for (const Windows& w : {Windows{{2, 2}, {2, 2}},
                             {{3, 3}, {1, 1}, {1, 1}},
                             {{3, 3}, {2, 2}, {1, 1}},
                             {{5, 5}, {1, 2}},
                             {{7, 7}, {3, 3}},
                             {{8, 8}, {1, 1}},
                             {{9, 9}, {2, 2}, {4, 4}},
                             {{16, 16}, {8, 8}},
                             {{31, 12}, {4, 3}, {3, 5}},
                             {{10, 11}, {1, 1}, {0, 2}, {2, 1}},
                             {{9, 4}, {3, 1}, {1, 1}, {1, 3}},
                             {{1, 17}, {1, 1}}}) {
        for (const ElementType element : elements) {
            PoolDesc desc{.op = PoolOp::max, .shape = {1, 3, 71, 83}, .window = w.window, .stride = w.stride};
            desc.padding = w.padding;
            desc.dilation = w.dilation;
            desc.element = element;
            for (const PoolUse use : uses) expect_static_bits(desc, use, compared);
        }
    }
    expect_more_than(1500, compared);
}

// Rows so long that elements gather the gradients of maxima, in parts where they begin on cache lines.
TEST(ConfigBits, GradientsOfMaximaInLongRowsKeepTheirs) {
    Comparisons compared;
    for (const std::int64_t width : {520, 1030}) {
        for (const std::int64_t padding : {0, 1}) {
            PoolDesc desc{
                .op = PoolOp::max, .shape = {1, 2, 21, width}, .window = {3, 3}, .stride = Extent{2, 2}};
            desc.padding = {padding, padding};
            expect_static_bits(desc, PoolUse::backward, compared);
        }
    }
    expect_more_than(20, compared);
}

TEST(ConfigBits, SumsAndAdaptiveWindowsKeepTheirs) {
    Comparisons compared;
    for (const ElementType element : elements) {
        for (const Extent window : {Extent{2, 2}, Extent{3, 3}, Extent{7, 5}, Extent{26, 31}}) {
            for (const PoolOp op : {PoolOp::avg, PoolOp::lp}) {
                PoolDesc desc{.op = op, .shape = {1, 3, 61, 75}, .window = window, .stride = Extent{2, 1}};
                desc.element = element;
                desc.p = window.h == 3 ? 1.0 : window.h == 7 ? 2.5 : 2.0;
                expect_static_bits(desc, PoolUse::forward, compared);
                expect_static_bits(desc, PoolUse::backward, compared);
            }
        }
        for (const PoolOp op : {PoolOp::adaptive_max, PoolOp::adaptive_avg}) {
            for (const Extent output : {Extent{6, 5}, Extent{12, 15}}) {
                PoolDesc desc{.op = op, .shape = {1, 3, 60, 75}};
                desc.output = output;
                desc.element = element;
                expect_static_bits(desc, PoolUse::forward, compared);
                expect_static_bits(desc, PoolUse::backward, compared);
            }
        }
    }
    expect_more_than(500, compared);
}

}  // namespace
