// SPDX-License-Identifier: MIT
// Filters that no row of the table has: long cascades and sums of cascades, from their data. What they must
// give follows from what the simpler ones give, which other tests hold against the contract.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/iir/cpu.h"
#include "tests/kernels/iir/iir_testing.h"

namespace {

using namespace iir2d;
using namespace iir_test;

Section second_order(double b0, double b1, double b2, double a1, double a2) {
    return {.order = 2, .b = {b0, b1, b2}, .a = {a1, a2}, .start_b = {b0, b1, b2}};
}

std::vector<Section> cascade(std::size_t sections) {
    const std::vector<Section> all{second_order(0.2, 0.2, 0.2, 0.3, -0.1),
                                   {.order = 1, .b = {0.3, 0, 0}, .a = {0.7, 0}, .start_b = {0.3, 0, 0}},
                                   second_order(0.3, 0.1, 0.1, 0.2, -0.05),
                                   {.order = 1, .b = {0.3, 0.2, 0}, .a = {0.5, 0}, .start_b = {0.3, 0.2, 0}},
                                   second_order(0.5, 0.1, 0.1, 0.4, -0.2)};
    std::vector<Section> cascade;
    for (std::size_t i = 0; i < sections; ++i) cascade.push_back(all[i % all.size()]);
    return cascade;
}

AxisFilter of_stage(Stage stage) {
    return {{std::move(stage)}};
}

std::vector<double> run(const FilterDesc& desc, const FilterData& data, const std::vector<double>& x) {
    const auto job = iir::make_cpu_job(desc, data, 2);
    std::vector<double> y(x.size());
    const Shape& s = desc.shape;
    EXPECT_TRUE(iir::forward_cpu(job, {x.data(), ElementType::f64, s, s.w, s.w * s.h},
                                 {y.data(), ElementType::f64, s, s.w, s.w * s.h}, {}));
    return y;
}

// Calls f with every border and start, and with the axis that is filtered; the other one is left as it is.
template <class F>
void for_each_case(const F& f) {
    const AxisFilter as_it_is =
        of_stage({.sections = {{.order = 0, .b = {1, 0, 0}, .a = {0, 0}, .start_b = {1, 0, 0}}}});
    for (const Shape& shape : {Shape{.h = 75, .w = 70}, Shape{.h = 300, .w = 45}, Shape{.h = 3, .w = 5000},
                               Shape{.h = 5, .w = 9}}) {
        const auto x = random_plane(count_of(shape), 31);
        for (const auto [border, start] : all_modes) {
            for (const bool vertical : {false, true}) {
                const FilterDesc desc{.shape = shape,
                                      .border = border,
                                      .border_const = 0.25,
                                      .precision = Precision::f64,
                                      .start = start};
                const auto filtered = [&](const AxisFilter& axis) {
                    return run(desc, vertical ? FilterData{as_it_is, axis} : FilterData{axis, as_it_is}, x);
                };
                SCOPED_TRACE(describe(desc) + (vertical ? " columns" : " rows"));
                f(filtered);
            }
        }
    }
}

TEST(CpuPasses, ASumOfCascadesIsTheSumOfWhatTheyGive) {
    for (const std::size_t sections : {1, 2, 4}) {
        for_each_case([&](const auto& filtered) {
            const auto causal =
                filtered(of_stage({.kind = Stage::Kind::causal, .sections = cascade(sections)}));
            const auto anticausal =
                filtered(of_stage({.kind = Stage::Kind::anticausal, .sections = cascade(sections)}));
            auto expected = causal;
            for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += anticausal[i];
            const auto both = filtered(of_stage(
                {.kind = Stage::Kind::sum, .causal = cascade(sections), .anticausal = cascade(sections)}));
            EXPECT_LE(max_abs_difference(both, expected), 1e-13) << sections << " sections";
        });
    }
}

TEST(CpuPasses, ACascadeIsItsSectionsOneAfterTheOther) {
    for (const Stage::Kind kind : {Stage::Kind::causal, Stage::Kind::anticausal}) {
        for (const std::size_t sections : {2, 5, 11}) {
            for_each_case([&](const auto& filtered) {
                AxisFilter one_by_one;
                for (const Section& section : cascade(sections))
                    one_by_one.stages.push_back({.kind = kind, .sections = {section}});
                EXPECT_LE(
                    max_abs_difference(filtered(of_stage({.kind = kind, .sections = cascade(sections)})),
                                       filtered(one_by_one)),
                    1e-13)
                    << sections << " sections";
            });
        }
    }
}

}  // namespace
