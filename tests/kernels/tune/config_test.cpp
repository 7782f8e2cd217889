// SPDX-License-Identifier: MIT
// Configs as texts, what is valid where, and what plans say of theirs.
#include <algorithm>
#include <string>
#include <vector>

#include "iir2d/tune.h"
#include "tests/kernels/tune/tune_testing.h"

namespace {

using namespace iir2d;
using tune_testing::config;
using tune_testing::cpu;

const FilterDesc a_filter{.shape = {1, 3, 256, 300}, .filter = {.id = 6}};
PoolDesc max_of(std::int64_t window, std::int64_t stride) {
    return {.op = PoolOp::max,
            .shape = {1, 1, 200, 200},
            .window = {window, window},
            .stride = Extent{stride, stride}};
}

TEST(ConfigText, IsReadAsItIsWritten) {
    for (const char* text :
         {"static", "threads:1", "stores:through", "threads:4 stores:past share:planes part:128 strip:256",
          "way:windows", "way:climb/sequence", "way:parts/parts task:65536"}) {
        EXPECT_EQ(text_of(config(text)), text);
    }
    EXPECT_EQ(text_of(config(" task:2^16  threads:2 ")), "threads:2 task:65536");
}

TEST(ConfigText, WrongOnesAreNamed) {
    struct Wrong {
        const char* text;
        const char* part;
    };
    for (const Wrong& wrong :
         {Wrong{"", "\"\""}, Wrong{"speed:2", "speed:2"}, Wrong{"threads", "\"threads\""},
          Wrong{"threads:", "threads:"}, Wrong{"threads:0", "threads:0"}, Wrong{"threads:-1", "threads:-1"},
          Wrong{"threads:2x", "threads:2x"}, Wrong{"threads:99999999999", "threads:99999999999"},
          Wrong{"stores:fast", "through, past"}, Wrong{"way:climb", "way:climb"},
          Wrong{"threads:1 threads:1", "twice"}, Wrong{"task:2^31", "task:2^31"},
          Wrong{"static threads:1", "static"}}) {
        const auto read = config_from_text(wrong.text);
        ASSERT_FALSE(read) << wrong.text;
        EXPECT_EQ(read.error().code, ErrorCode::invalid_argument);
        EXPECT_NE(read.error().message.find(wrong.part), std::string::npos) << read.error().message;
    }
}

void expect_refused(const Result<void>& checked, const std::string& text, const std::string& why) {
    ASSERT_FALSE(checked) << text;
    EXPECT_EQ(checked.error().code, ErrorCode::invalid_argument);
    EXPECT_NE(checked.error().message.find(text), std::string::npos) << checked.error().message;
    EXPECT_NE(checked.error().message.find(why), std::string::npos) << checked.error().message;
}

TEST(ConfigRules, AFilterRefusesWhatItHasNot) {
    if (cpu(2).threads() < 2) GTEST_SKIP() << "one thread: other values are valid";
    const auto refuses = [&](FilterDesc desc, const std::string& text, const std::string& why) {
        expect_refused(check_config(cpu(2), desc, config(text)), text, why);
        EXPECT_FALSE(FilterPlan::make(cpu(2), desc, config(text)));
    };
    refuses(a_filter, "threads:3", "from 1 to 2");
    refuses(a_filter, "part:33", "multiple of 32");
    refuses(a_filter, "strip:100", "multiple of 64");
    refuses(a_filter, "strip:4160", "to 4096");
    refuses(a_filter, "way:windows", "max pooling");
    refuses(a_filter, "task:65536", "pooling");
    FilterDesc desc = a_filter;
    desc.shape.c = 1;
    refuses(desc, "share:rows", "one plane");
    expect_refused(check_config(cpu(2), a_filter, config("threads:1 share:rows")), "share:rows",
                   "one thread");
    desc.filter.id = 5;
    desc.shape = {1, 1, 5, 5000};
    refuses(desc, "part:128", "alone");
    refuses(desc, "stores:past", "alone");
    desc = a_filter;
    desc.filter.id = 1;
    refuses(desc, "strip:256", "no pass is left");
}

TEST(ConfigRules, PoolingRefusesWhatItHasNot) {
    if (cpu(2).threads() < 2) GTEST_SKIP() << "one thread: other values are valid";
    const auto refuses = [&](const PoolDesc& desc, PoolUse use, const std::string& text,
                             const std::string& why) {
        expect_refused(check_config(cpu(2), desc, use, config(text)), text, why);
    };
    refuses(max_of(3, 1), PoolUse::forward, "way:climb/climb", "at least 9");
    refuses(max_of(2, 2), PoolUse::forward, "way:parts/sequence", "at least 3");
    refuses(max_of(5, 1), PoolUse::forward, "way:windows", "at most 3 rows");
    refuses(max_of(16, 8), PoolUse::forward_with_places, "way:climb/climb", "places");
    refuses(max_of(16, 8), PoolUse::backward, "way:parts/parts", "forward");
    refuses(max_of(16, 8), PoolUse::forward, "task:1000", "power of two");
    refuses(max_of(16, 8), PoolUse::forward, "part:128", "filters");
    refuses(max_of(16, 8), PoolUse::forward, "threads:9999", "from 1 to 2");
    refuses(max_of(1, 4), PoolUse::forward, "way:sequence/sequence", "far apart");
    PoolDesc avg = max_of(5, 1);
    avg.op = PoolOp::avg;
    refuses(avg, PoolUse::forward, "way:sequence/sequence", "max pooling");
    PoolDesc wide = max_of(9, 2);
    wide.element = ElementType::f64;
    refuses(wide, PoolUse::forward, "stores:past", "one way");
    EXPECT_TRUE(check_config(cpu(2), wide, PoolUse::forward_with_places, config("task:65536")));
    wide.op = PoolOp::lp;
    wide.p = 4;
    refuses(wide, PoolUse::forward, "task:65536", "one by one");
    EXPECT_FALSE(PoolPlan::make(cpu(2), max_of(3, 1), config("way:climb/climb"), {}));
    EXPECT_FALSE(PoolPlan::make(cpu(2), max_of(3, 1), {}, config("way:windows")));
    EXPECT_TRUE(PoolPlan::make(cpu(2), max_of(16, 8), config("way:climb/climb"), config("task:16384")));
}

template <class... Problem>
void expect_sound_candidates(const Problem&... problem) {
    const Device device = cpu(4);
    const auto list = candidates(device, problem...).value();
    EXPECT_EQ(list, candidates(device, problem...).value());
    ASSERT_LE(list.size(), 64U);
    EXPECT_EQ(list.front(), Config{});
    std::vector<Config> came_to;
    for (const Config& one : list) {
        const auto made = resolved(device, problem..., one);
        ASSERT_TRUE(made) << text_of(one) << ": " << made.error().message;
        EXPECT_EQ(std::ranges::count(came_to, *made), 0) << text_of(one);
        came_to.push_back(*made);
        // What it comes to is itself a config, and comes to itself.
        EXPECT_EQ(resolved(device, problem..., *made).value_or(Config{}), *made) << text_of(*made);
    }
}

TEST(ConfigCandidates, AreFewDistinctAndBeginWithStatic) {
    for (const std::int64_t width : {16, 300, 2000}) {
        for (int id = 1; id <= std::ssize(filter_table()); ++id) {
            for (const std::int64_t planes : {1, 3, 40}) {
                FilterDesc desc{.shape = {1, planes, 64, width}, .filter = {.id = id}};
                expect_sound_candidates(desc);
            }
        }
    }
    for (const PoolUse use : {PoolUse::forward, PoolUse::forward_with_places, PoolUse::backward}) {
        for (const std::int64_t window : {1, 2, 3, 8, 9, 31}) {
            expect_sound_candidates(max_of(window, 1), use);
            expect_sound_candidates(max_of(window, 2), use);
        }
    }
    // One thread, and windows one by one: nothing to choose.
    const PoolDesc gathered{.op = PoolOp::lp, .shape = {1, 1, 50, 50}, .p = 4, .element = ElementType::f64};
    EXPECT_EQ(candidates(cpu(1), gathered, PoolUse::forward).value().size(), 1U);
}

TEST(ConfigResolved, SaysWhatStaticDoes) {
    const Device device = cpu(2);
    if (device.threads() < 2) GTEST_SKIP() << "one thread: other values are chosen";
    EXPECT_EQ(text_of(resolved(device, a_filter, {}).value()),
              "threads:2 stores:through share:planes part:320 strip:320");
    FilterDesc large{.shape = {1, 1, 2048, 2048}, .filter = {.id = 1}};
    EXPECT_EQ(text_of(resolved(device, large, {}).value()), "threads:2 stores:past part:512");
    large.shape = {1, 1, 4096, 8192};
    EXPECT_EQ(resolved(device, large, {}).value().part, 1024);
    EXPECT_EQ(resolved(device, large, config("threads:1")).value().part, 8192);
    large.shape = {1, 1, 16, (1 << 20) + 32};
    EXPECT_EQ(resolved(device, large, config("threads:1")).value().part, 1 << 20);
    // Two parts a thread, and never fewer than 128 columns.
    FilterDesc middle{.shape = {1, 1, 1024, 1024}, .filter = {.id = 1}};
    EXPECT_EQ(resolved(device, middle, {}).value().part, 256);
    middle.shape.w = 300;
    EXPECT_EQ(resolved(device, middle, {}).value().part, 128);
    // Three planes for two threads: large ones are shared.
    middle.shape = {1, 3, 1024, 1024};
    EXPECT_EQ(resolved(device, middle, {}).value().share, share_planes);
    middle.shape.h = 1025;
    EXPECT_EQ(resolved(device, middle, {}).value().share, share_rows);
    FilterDesc small{.shape = {1, 1, 64, 64}, .filter = {.id = 1}};
    EXPECT_EQ(text_of(resolved(device, small, {}).value()), "threads:1 stores:through part:64");
    EXPECT_EQ(text_of(resolved(device, max_of(3, 1), PoolUse::forward, {}).value()),
              "threads:1 stores:through way:windows task:262144");
    PoolDesc pooling = max_of(16, 1);
    pooling.shape = {1, 1, 500, 500};
    EXPECT_EQ(text_of(resolved(device, pooling, PoolUse::forward, {}).value()),
              "threads:2 stores:through way:climb/climb task:262144");
    pooling.window = {3, 3};
    EXPECT_EQ(text_of(resolved(device, pooling, PoolUse::backward, {}).value()),
              "threads:2 stores:through task:65536");
}

TEST(ConfigResolved, SmallPoolingRunsOnOneThreadButForPowers) {
    const Device device = cpu(2);
    if (device.threads() < 2) GTEST_SKIP() << "one thread: there is nothing to choose";
    PoolDesc desc{.window = {1, 1}, .stride = Extent{1, 1}};
    const auto threads_for = [&](PoolUse use, std::int64_t h, std::int64_t w) {
        desc.shape = {1, 1, h, w};
        return resolved(device, desc, use, {}).value().threads;
    };
    for (const PoolUse use : {PoolUse::forward, PoolUse::forward_with_places, PoolUse::backward}) {
        desc.op = use == PoolUse::forward_with_places ? PoolOp::max : PoolOp::avg;
        // 3 * 2^16 elements, where each row counts as 64 more.
        EXPECT_EQ(threads_for(use, 256, 351), 1);
        EXPECT_EQ(resolved(device, desc, use, config("threads:2")).value().threads, 2);
        EXPECT_EQ(threads_for(use, 256, 352), 2);
        EXPECT_EQ(threads_for(use, 2978, 1), 1);
        EXPECT_EQ(threads_for(use, 2979, 1), 2);
        // Other types than f32 count twice, and so do long windows, but not backward.
        desc.element = ElementType::f16;
        EXPECT_EQ(threads_for(use, 256, 175), 1);
        EXPECT_EQ(threads_for(use, 256, 176), 2);
        desc.element = ElementType::f32;
        desc.window = {9, 1};
        desc.stride = Extent{8, 1};
        const std::int64_t most_alone = use == PoolUse::backward ? 607 : 303;
        EXPECT_EQ(threads_for(use, 264, most_alone), 1);
        EXPECT_EQ(threads_for(use, 264, most_alone + 1), 2);
        desc.window = {1, 1};
        desc.stride = Extent{1, 1};
    }
    desc = {.op = PoolOp::lp, .shape = {1, 1, 128, 255}, .window = {1, 1}, .stride = Extent{1, 1}, .p = 2.5};
    EXPECT_EQ(resolved(device, desc, PoolUse::forward, {}).value().threads, 2);
    EXPECT_EQ(resolved(device, desc, PoolUse::backward, {}).value().threads, 2);
}

TEST(ConfigResolved, RowsThatAreNotWholeVectorsAreStoredThroughTheCaches) {
    PoolDesc desc{.op = PoolOp::max, .shape = {1, 1, 14000, 600}, .window = {2, 2}, .stride = Extent{2, 2}};
    for (const PoolUse use : {PoolUse::forward, PoolUse::backward}) {
        desc.shape.w = use == PoolUse::forward ? 600 : 300;  // rows of 300 are written
        desc.shape.h = use == PoolUse::forward ? 14000 : 28000;
        EXPECT_EQ(resolved(cpu(1), desc, use, {}).value().stores, stores_through);
        const auto list = candidates(cpu(1), desc, use).value();
        EXPECT_TRUE(std::ranges::any_of(list, [](const Config& c) { return c.stores == stores_past; }));
        desc.shape.w += use == PoolUse::forward ? 8 : 4;
        EXPECT_EQ(resolved(cpu(1), desc, use, {}).value().stores, stores_past);
    }
}

TEST(ConfigResolved, PlanesOneAfterTheOtherHaveTheThreadsOfOne) {
    const Device device = cpu(2);
    if (device.threads() < 2) GTEST_SKIP() << "one thread: there is nothing to choose";
    const FilterDesc desc{.shape = {1, 7, 100, 100}, .filter = {.id = 1}, .element = ElementType::f16};
    EXPECT_EQ(resolved(device, desc, config("share:rows")).value().threads, 1);
    EXPECT_EQ(resolved(device, desc, config("share:planes")).value().threads, 2);
}

TEST(ConfigChoice, PlansSayWhatTheyWereMadeWith) {
    const TuneOptions before = tune_options();
    set_tune_options({TuneMode::off});
    const auto off = FilterPlan::make(cpu(2), a_filter);
    EXPECT_EQ(off->kernel().chosen_by, "off");
    EXPECT_EQ(off->kernel().config, "static");
    set_tune_options({TuneMode::model});
    EXPECT_EQ(FilterPlan::make(cpu(2), a_filter)->choice().reason, TuneReason::no_model);
    EXPECT_EQ(PoolPlan::make(cpu(2), max_of(3, 1))->backward_choice().reason, TuneReason::no_model);
    set_tune_options(before);

    const auto pinned = FilterPlan::make(cpu(2), a_filter, config("threads:1"));
    EXPECT_EQ(pinned->choice().reason, TuneReason::pinned);
    EXPECT_EQ(pinned->kernel().config, "threads:1");
    EXPECT_EQ(pinned->kernel().config_resolved, "threads:1 stores:through part:320 strip:320");
    EXPECT_EQ(pinned->kernel().variant, off->kernel().variant);
    const auto pool = PoolPlan::make(cpu(2), max_of(3, 1), config("way:parts/parts"), config("task:16384"));
    EXPECT_EQ(pool->kernel().config, "way:parts/parts");
    EXPECT_EQ(pool->backward_kernel().config, "task:16384");
    EXPECT_EQ(pool->backward_kernel().chosen_by, "pinned");
}

TEST(ConfigChoice, ModesHaveNames) {
    for (const TuneMode mode : {TuneMode::off, TuneMode::automatic, TuneMode::model, TuneMode::measure})
        EXPECT_EQ(tune_mode_from_name(name_of(mode)).value(), mode);
    EXPECT_FALSE(tune_mode_from_name("fast"));
}

}  // namespace
