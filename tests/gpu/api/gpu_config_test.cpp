// SPDX-License-Identifier: MIT
// Configs on a GPU, over the stand-in driver, whose launches the executor runs: which are valid, that block,
// steps, pairs and graph change no bit, and that warps and carry stay within the precision's bound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "iir2d/config.h"
#include "iir2d/plan.h"
#include "iir2d/tune.h"
#include "iir2d/tune_model.h"
#include "kernels/iir/cuda.h"
#include "kernels/tune/decider.h"
#include "tests/gpu/api/stand_in_testing.h"
#include "tests/gpu/fake_cuda/counts.h"
#include "tests/kernels/pool/pool_types_testing.h"

namespace {

using namespace iir2d;
using ::testing::HasSubstr;

class GpuConfigs : public stand_in::StandInTest {
  protected:
    // Some samples are what no recurrence forgets.
    static std::vector<float> samples(const Shape& shape, bool with_non_finite) {
        auto x = random_floats(shape);
        if (with_non_finite) {
            x[x.size() / 3] = std::numeric_limits<float>::quiet_NaN();
            x[x.size() / 2] = -std::numeric_limits<float>::infinity();
            x[x.size() - 2] = -0.0F;
        }
        return x;
    }
    template <class S>
    static std::vector<S> filtered(const FilterDesc& desc, const std::vector<S>& x, const Config& config) {
        const auto plan = FilterPlan::make(gpu(), desc, config);
        EXPECT_TRUE(plan) << plan.error().message;
        std::vector<S> y(x.size());
        for (int i = 0; i < 3; ++i) {  // from the second run on launches may be a graph
            const auto done =
                plan->run(view(x, desc.shape), {y.data(), storage_type(desc.precision), desc.shape});
            EXPECT_TRUE(done) << done.error().message;
        }
        return y;
    }
    template <class S>
    static bool is_same(const std::vector<S>& a, const std::vector<S>& b) {
        return std::memcmp(a.data(), b.data(), a.size() * sizeof(S)) == 0;
    }
    // Of the candidates that only `other_bits` has, how many differ from static; all are within the bound.
    template <class S>
    static int changed_within_the_bound(const FilterDesc& desc) {
        const auto plain = random_floats(desc.shape);
        const std::vector<S> x(plain.begin(), plain.end());
        const auto expected = iir_test::run_reference(desc, std::vector<double>(x.begin(), x.end()));
        const auto by_rule = filtered<S>(desc, x, {});
        const double bound = FilterPlan::make(gpu(), desc, Config{})->precision().max_abs_error.value_or(0);
        EXPECT_GT(bound, 0);
        int changed = 0;
        const auto configs = candidates(gpu(), desc, true);
        for (const Config& config : *configs) {
            const auto y = filtered<S>(desc, x, config);
            const double error =
                iir_test::max_abs_difference(std::vector<double>(y.begin(), y.end()), expected);
            EXPECT_LE(error, bound) << text_of(config);
            if (!is_same(y, by_rule)) {
                ++changed;
                EXPECT_TRUE(config.warps != 0 || config.carry != 0) << text_of(config);
            }
        }
        return changed;
    }
    static FilterDesc filter(int id, Border border, Precision precision, const Shape& shape) {
        return {.shape = shape, .filter = {.id = id}, .border = border, .precision = precision};
    }
};

TEST_P(GpuConfigs, NoCandidateChangesABitOfAFilter) {
    for (int id = 1; id <= 8; ++id) {
        for (const Border border : {Border::clamp, Border::mirror, Border::wrap, Border::constant}) {
            const auto desc = filter(id, border, Precision::f32, {.c = 2, .h = 45, .w = 70});
            const auto x = samples(desc.shape, id % 2 == 0);
            const auto expected = filtered<float>(desc, x, {});
            const auto configs = candidates(gpu(), desc);
            ASSERT_TRUE(configs);
            EXPECT_EQ(configs->front(), Config{});
            EXPECT_EQ(configs->size(), 2U) << "graph:off alone";
            for (const Config& config : *configs)
                EXPECT_TRUE(is_same(filtered<float>(desc, x, config), expected))
                    << id << " " << text_of(config);
        }
    }
}

TEST_P(GpuConfigs, WarpsAndCarryStayWithinTheBound) {
    int changed = 0;
    for (const int id : {2, 5, 6, 8}) {
        changed +=
            changed_within_the_bound<float>(filter(id, Border::wrap, Precision::f32, {.h = 40, .w = 600}));
        changed +=
            changed_within_the_bound<double>(filter(id, Border::wrap, Precision::f64, {.h = 40, .w = 600}));
    }
    // Few warps have segments that are long enough for a warm-up.
    const auto wide = filter(6, Border::wrap, Precision::f32, {.h = 33, .w = 1100});
    changed += changed_within_the_bound<float>(wide);
    const auto configs = candidates(gpu(), wide, true);
    EXPECT_TRUE(std::ranges::any_of(*configs, [](const Config& c) { return c.carry == carry_exact; }));
    EXPECT_EQ(resolved(gpu(), wide, *config_from_text("warps:2"))->carry, carry_warmup);
    const auto narrow = filter(6, Border::wrap, Precision::f32, {.h = 40, .w = 600});
    EXPECT_EQ(resolved(gpu(), narrow, {})->carry, carry_exact);
    EXPECT_GT(changed, 0) << "what cannot change a bit is no knob of other bits";
}

// The knobs arrive in the launches.
TEST_P(GpuConfigs, SegmentsAndWarmUpsAreAsTheConfigSays) {
    const auto desc = filter(6, Border::wrap, Precision::f32, {.h = 64, .w = 1024});
    const auto filters = *iir::filters_of(desc);
    const auto stage = [&](const iir::GpuWays& ways) {
        return iir::make_gpu_job(desc, filters, ways).filters.front().stages.front();
    };
    EXPECT_EQ(stage({}).threads, 512U);
    EXPECT_EQ(stage({.warps = 2}).threads, 64U);
    EXPECT_EQ(stage({.warps = 2}).axis.segment, 512);
    EXPECT_GE(stage({.warps = 2}).axis.passes[0].warmup, 0);
    EXPECT_EQ(stage({.warps = 2, .carry = carry_exact}).axis.passes[0].warmup, -1);
}

TEST_P(GpuConfigs, NoCandidateChangesABitOfPooling) {
    using pool_testing::same_bits_but_nan;
    const Shape shape{.n = 2, .c = 2, .h = 37, .w = 150};
    const auto x = samples(shape, true);
    std::vector<PoolDesc> all;
    for (const PoolOp op : {PoolOp::max, PoolOp::avg, PoolOp::lp}) {
        all.push_back({.op = op, .shape = {.n = 2, .c = 2, .h = 36, .w = 152}});
        all.push_back({.op = op, .shape = shape, .window = {3, 5}, .stride = Extent{1, 1}});
    }
    all.push_back({.op = PoolOp::adaptive_avg, .shape = shape, .output = {7, 33}});
    for (const PoolDesc& desc : all) {
        const bool two_by_two = desc.window == Extent{2, 2} && !is_adaptive(desc.op);
        const auto image = samples(desc.shape, true);
        const auto run = [&](const Config& forward, const Config& backward) {
            const auto plan = PoolPlan::make(gpu(), desc, forward, backward);
            EXPECT_TRUE(plan) << plan.error().message;
            const Shape& result = plan->output_shape();
            std::vector<float> y(pool_testing::elements(result));
            EXPECT_TRUE(plan->forward(view(image, desc.shape), {y.data(), ElementType::f32, result}));
            std::vector<float> dx(image.size());
            const std::vector<float> dy(y.size(), 0.5F);
            EXPECT_TRUE(plan->backward(view(image, desc.shape), view(y, result), view(dy, result),
                                       {dx.data(), ElementType::f32, desc.shape}));
            return std::pair(y, dx);
        };
        const auto expected = run({}, {});
        const auto forward = *candidates(gpu(), desc, PoolUse::forward);
        EXPECT_EQ(std::ranges::any_of(forward, [](const Config& c) { return c.pairs == pairs_off; }),
                  two_by_two);
        EXPECT_GT(forward.size(), 4U);
        for (const Config& config : forward)
            EXPECT_TRUE(same_bits_but_nan(run(config, {}).first, expected.first)) << text_of(config);
        const auto backward = candidates(gpu(), desc, PoolUse::backward);
        for (const Config& config : *backward)
            EXPECT_TRUE(same_bits_but_nan(run({}, config).second, expected.second)) << text_of(config);
    }
}

TEST_P(GpuConfigs, PairsAndBlocksAreAsTheConfigSays) {
    const PoolDesc desc{.op = PoolOp::max, .shape = {.h = 64, .w = 1024}};
    const auto variant = [&](const char* text) {
        return PoolPlan::make(gpu(), desc, *config_from_text(text), Config{})->kernel().variant;
    };
    EXPECT_EQ(variant("static"), "pool_max_2x2_f32");
    EXPECT_EQ(variant("pairs:on"), "pool_max_2x2_f32");
    EXPECT_EQ(variant("pairs:off"), "pool_max_f32");
    EXPECT_EQ(text_of(*resolved(gpu(), desc, PoolUse::forward, {})), "block:256 steps:4 pairs:on");
    // A row of 512 outputs has 8 steps of 64, of 32 outputs 16.
    EXPECT_EQ(resolved(gpu(), desc, PoolUse::forward, *config_from_text("steps:16"))->steps, 8);
    EXPECT_EQ(resolved(gpu(), desc, PoolUse::forward, *config_from_text("steps:16 pairs:off"))->steps, 16);
}

TEST_P(GpuConfigs, GraphOffMakesEveryLaunch) {
    const auto desc = filter(1, Border::mirror, Precision::f32, {.h = 45, .w = 70});
    const auto x = *DeviceTensor::upload(gpu(), view(random_floats(desc.shape), desc.shape));
    const auto y = *DeviceTensor::make(gpu(), ElementType::f32, desc.shape);
    for (const auto& [text, graphs] : {std::pair("graph:off", 0), std::pair("graph:on", 3)}) {
        const auto plan = *FilterPlan::make(gpu(), desc, *config_from_text(text));
        const auto before = fake_cuda::counts().graph_launches;
        for (int i = 0; i < 4; ++i) ASSERT_TRUE(plan.run(x, y));
        EXPECT_EQ(fake_cuda::counts().graph_launches - before, graphs) << text;
    }
}

TEST_P(GpuConfigs, WhatIsNotValidIsNamed) {
    const auto of_filter = [&](const FilterDesc& desc, const char* text) {
        const auto checked = check_config(gpu(), desc, *config_from_text(text));
        return checked ? std::string() : checked.error().message;
    };
    const auto segments = filter(6, Border::wrap, Precision::f64, {.h = 45, .w = 600});
    const auto tiles = filter(1, Border::clamp, Precision::f32, {.h = 128, .w = 128});
    EXPECT_EQ(of_filter(segments, "warps:8 carry:exact graph:on"), "");
    EXPECT_THAT(of_filter(segments, "warps:16"), HasSubstr("warps:16: warps is a power of two from 1 to 8"));
    EXPECT_THAT(of_filter(segments, "warps:3"), HasSubstr("warps:3"));
    EXPECT_THAT(of_filter(tiles, "warps:2"), HasSubstr("in tiles"));
    EXPECT_THAT(of_filter(tiles, "carry:exact"), HasSubstr("in tiles"));
    EXPECT_THAT(of_filter(tiles, "threads:1"), HasSubstr("threads:1: it is of the CPU"));
    EXPECT_THAT(of_filter(tiles, "block:64"), HasSubstr("of pooling"));
    const auto of_pool = [&](const PoolDesc& desc, const char* text) {
        const auto checked = check_config(gpu(), desc, PoolUse::forward, *config_from_text(text));
        return checked ? std::string() : checked.error().message;
    };
    const PoolDesc wide{.op = PoolOp::max, .shape = {.h = 64, .w = 64}, .window = {3, 3}};
    EXPECT_EQ(of_pool(wide, "block:64 steps:8"), "");
    EXPECT_THAT(of_pool(wide, "block:32"), HasSubstr("block:32: block is 64, 128 or 256"));
    EXPECT_THAT(of_pool(wide, "block:512"), HasSubstr("block:512"));
    EXPECT_THAT(of_pool(wide, "steps:65"), HasSubstr("steps:65"));
    EXPECT_THAT(of_pool(wide, "pairs:on"), HasSubstr("2x2"));
    EXPECT_THAT(of_pool(wide, "graph:off"), HasSubstr("of filters"));
    EXPECT_THAT(of_pool(wide, "way:parts/parts"), HasSubstr("it is of the CPU"));
    const auto on_cpu = check_config(*Device::cpu(), tiles, *config_from_text("graph:off"));
    ASSERT_FALSE(on_cpu);
    EXPECT_THAT(on_cpu.error().message, HasSubstr("graph:off: it is of GPUs"));
    EXPECT_FALSE(FilterPlan::make(gpu(), tiles, *config_from_text("warps:2")));
}

TEST_P(GpuConfigs, KeysAndIdsAreTheGpus) {
    const auto desc = filter(1, Border::clamp, Precision::f32, {.h = 128, .w = 128});
    const auto key = problem_key(gpu(), desc);
    ASSERT_TRUE(key);
    EXPECT_THAT(*key, HasSubstr(" device:cuda target:sm_90 threads:"));
    EXPECT_NE(*machine_id(gpu()), *machine_id());
    EXPECT_EQ(*machine_id(gpu()), *machine_id(*Device::cuda(0)));
    EXPECT_NE(kernels_id(Backend::cuda), kernels_id());
    EXPECT_EQ(kernels_id(Backend::cuda).size(), 16U);
}

// A model of a purpose: `name` below 1.5 halves the time.
TreeModel model_of(const char* purpose, const char* name) {
    TreeModel model;
    model.purpose = purpose;
    model.version = "1";
    model.machine = *machine_id(*Device::cuda(0));
    model.kernels = std::string(kernels_id(Backend::cuda));
    model.margin = 0.02F;
    for (const std::string_view feature : feature_names(purpose)) model.features.emplace_back(feature);
    const auto at = std::ranges::find(model.features, name);
    model.gain.depth = 1;
    model.gain.tests = {static_cast<std::uint16_t>(at - model.features.begin())};
    model.gain.thresholds = {100.0F};
    model.gain.leaves = {-0.5F, 0.0F};
    return model;
}

TEST_P(GpuConfigs, AModelOfThisGpuDecidesAndAnotherDoesNot) {
    const PoolDesc desc{.op = PoolOp::max, .shape = {.h = 64, .w = 1024}};
    set_tune_options({.mode = TuneMode::model});
    TreeModel model = model_of("pool-cuda", "c_block");
    const auto loaded = load_model(*text_of_model(model));
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_FALSE(*loaded) << name_of(**loaded);
    const auto plan = *PoolPlan::make(gpu(), desc);
    EXPECT_EQ(plan.choice().reason, TuneReason::model);
    EXPECT_EQ(plan.choice().config.block, 64);
    EXPECT_EQ(plan.backward_choice().reason, TuneReason::no_model) << "no purpose is of the backward pass";
    EXPECT_EQ(PoolPlan::make(*Device::cpu(), desc)->choice().reason, TuneReason::no_model);
    forget_models();
    model.machine = *machine_id();
    EXPECT_EQ(load_model(*text_of_model(model)).value(), TuneReason::foreign_machine);
    EXPECT_EQ(PoolPlan::make(gpu(), desc)->choice().reason, TuneReason::foreign_machine);
    forget_models();
    model = model_of("iir-cuda", "c_warps");
    model.gain.thresholds = {3.0F};
    ASSERT_FALSE(load_model(*text_of_model(model)).value());
    const auto segments = filter(6, Border::wrap, Precision::f32, {.h = 45, .w = 600});
    EXPECT_EQ(FilterPlan::make(gpu(), segments)->choice().reason, TuneReason::static_as_good)
        << "warps change bits, which nobody allowed";
    const TuneOptions allowed{.mode = TuneMode::model, .other_bits = true};
    const auto chosen = FilterPlan::make(gpu(), segments, allowed)->choice();
    EXPECT_EQ(chosen.reason, TuneReason::model);
    EXPECT_TRUE(chosen.config.warps == 1 || chosen.config.warps == 2) << text_of(chosen.config);
    forget_models();
    set_tune_options({});
}

// By a learned entry and by a table, as by a model's candidates.
TEST_P(GpuConfigs, WhatChangesBitsDecidesOnlyWhereItMay) {
    const auto segments = filter(6, Border::wrap, Precision::f32, {.h = 45, .w = 600});
    const TuneOptions plain{};
    const TuneOptions allowed{.other_bits = true};
    const auto choice = [&](const TuneOptions& options) {
        return FilterPlan::make(gpu(), segments, options)->choice();
    };
    EXPECT_EQ(
        import_learned("1\t" + *machine_id(gpu()) + "\t" + std::string(kernels_id(Backend::cuda)) + "\t" +
                       *problem_key(gpu(), segments) + "\twarps:2\t0.5\t14\t2026-01-02T03:04:05Z\n"),
        0U);
    EXPECT_EQ(choice(plain).reason, TuneReason::no_model);
    EXPECT_EQ(choice(allowed).reason, TuneReason::learned);
    forget_learned();

    TreeModel model = model_of("iir-cuda", "c_warps");
    std::swap(model.features[0], model.features[1]);
    const std::string table =
        "iir2d-table 1\npurpose iir-cuda\nfamily iir-cuda, both ways, to 2^16, one plane\n"
        "config 0.5 warps:2\nconfig 0.9 graph:off\n";
    EXPECT_EQ(load_model(*text_of_model(model), true, table).value(), TuneReason::wrong_features);
    EXPECT_EQ(choice(plain).reason, TuneReason::table);
    EXPECT_EQ(text_of(choice(plain).config), "graph:off");
    EXPECT_EQ(text_of(choice(allowed).config), "warps:2");
    // Of two GPUs in a machine, the other one's.
    model.machine = "0123456789abcdef";
    tune::Decider::of_process().hold(std::make_shared<const tune::HeldModel>(
        tune::HeldModel{model, *tune::table_from_text(table), TuneReason::wrong_features}));
    EXPECT_EQ(choice(plain).reason, TuneReason::foreign_machine);
    EXPECT_EQ(choice(plain).config, Config{});
    forget_models();
}

INSTANTIATE_TEST_SUITE_P(Tune, GpuConfigs, stand_in::at_once_and_queued(), stand_in::name_of_run);

}  // namespace
