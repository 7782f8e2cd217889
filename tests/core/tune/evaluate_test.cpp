// SPDX-License-Identifier: MIT
// Rankings judged, tables found, and models kept in folders, on measurements made up here.
#include "core/tune/evaluate.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "core/recipe/seen.h"
#include "core/support/file_lock.h"
#include "core/support/files.h"
#include "core/tune/install.h"
#include "core/tune/registry.h"
#include "core/tune/rows.h"
#include "core/tune/table.h"
#include "core/tune/train.h"
#include "core/tune/use.h"
#include "iir2d/tune.h"
#include "iir2d/tune_model.h"

namespace workbench::tune {
namespace {

namespace fs = std::filesystem;

// Times by config: the same in every round, so that each figure is known.
Measurement timed(const std::string& config, double ms, int rounds = 6) {
    Measurement one{.config = config};
    for (int round = 1; round <= rounds; ++round)
        one.samples.push_back({.round = round, .calls = 1, .op_ms = ms, .use_ms = ms, .marked = false});
    one.figures = Figures{.op_ms_min = ms, .op_ms_p50 = ms, .op_ms_mad = 0, .use_ms_p50 = ms};
    return one;
}

using Times = std::vector<std::pair<std::string, double>>;

// Static takes 2 ms, a copy 1 ms.
MeasuredProblem problem(const std::string& spec, const Times& configs, const std::string& set = "train") {
    Visit visit{.machine = "machine", .build = "kernels", .state = VisitState::ok};
    visit.measurements = {timed("copy", 1), timed("static", 2), timed("static#2", 2)};
    for (const auto& [config, ms] : configs) visit.measurements.push_back(timed(config, ms));
    return {.spec = spec,
            .key = "key of " + spec,
            .purpose = "iir-cpu",
            .family = "iir-cpu, causal",
            .set = set,
            .source = "test",
            .visits = {visit, visit}};
}

Measurements measurements(std::vector<MeasuredProblem> problems) {
    Measurements all;
    all.problems = std::move(problems);
    return all;
}

// Proposes configs in a given order, as far as they were measured.
Ranker in_order(std::vector<std::string> order, std::string decision) {
    return [order = std::move(order), decision = std::move(decision)](
               const MeasuredProblem&, const std::vector<std::string>& configs) -> Result<Ranking> {
        Ranking ranking{.order = {}, .decision = decision};
        for (const std::string& config : order)
            if (std::ranges::find(configs, config) != configs.end()) ranking.order.push_back(config);
        return ranking;
    };
}

TEST(Evaluate, FiguresAreThoseOfTheTimes) {
    const Measurements all = measurements({problem("a", {{"threads:1", 1}, {"part:256", 3}}),
                                           problem("b", {{"threads:1", 8}, {"part:256", 1}})});
    EvaluateOptions options{.of = {}, .k = {1, 2, 3}};
    const auto made = evaluate(all, in_order({"part:256", "threads:1", "static"}, "part:256"), options);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->problems, 2U);
    EXPECT_DOUBLE_EQ(made->of_static.geomean, 2);
    EXPECT_DOUBLE_EQ(made->noise.max, 1);
    // part:256 alone: 3 times the best in a, 1 in b.
    EXPECT_NEAR(made->by_k[0].regret.geomean, std::sqrt(3), 1e-12);
    EXPECT_NEAR(made->by_k[0].regret.max, 3, 1e-12);
    EXPECT_NEAR(made->by_k[1].regret.max, 1, 1e-12);
    EXPECT_DOUBLE_EQ(made->by_k[0].within_2_percent, 0.5);
    // In a: 3 + 2 of 6, in b: 1 + 2 of 11.
    EXPECT_NEAR(made->by_k[0].time_share, 8.0 / 17, 1e-12);
    EXPECT_NEAR(made->by_k[2].time_share, 1, 1e-12);
    EXPECT_NEAR(made->random.max, (1.0 + 2 + 8) / 3, 1e-12);
    EXPECT_EQ(made->single, "part:256");
    EXPECT_NEAR(made->best_single.geomean, std::sqrt(3), 1e-12);
    EXPECT_NEAR(made->decision_geomean, std::sqrt(0.75), 1e-12);
    EXPECT_DOUBLE_EQ(made->decision_slower, 0.5);
    EXPECT_THAT(made->surely_slower, ::testing::ElementsAre("a"));
    EXPECT_EQ(made->each.front().spec, "a");
    EXPECT_THAT(to_csv(*made), ::testing::HasSubstr("\na,key of a,\"iir-cpu, causal\",threads:1,part:256,"));
    EXPECT_EQ(to_json(*made, 1),
              to_json(*evaluate(all, in_order({"part:256", "threads:1", "static"}, "part:256"), options), 1));
}

TEST(Evaluate, NothingToJudgeByIsAnError) {
    const auto none = evaluate(measurements({}), in_order({"static"}, "static"), {});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::bad_argument);
    const Measurements all = measurements({problem("a", {})});
    EXPECT_FALSE(evaluate(all, in_order({"threads:1"}, "static"), {}));
}

TEST(Table, GreedyAddsWhatTakesMostOff) {
    // Alone threads:1 is best; part:256 helps where it does not; strip:256 is never better than both.
    const Measurements all =
        measurements({problem("a", {{"threads:1", 1}, {"part:256", 2}, {"strip:256", 1.5}}),
                      problem("b", {{"threads:1", 1}, {"part:256", 2}, {"strip:256", 1.5}}),
                      problem("c", {{"threads:1", 3}, {"part:256", 1}, {"strip:256", 1.5}})});
    const auto table = make_table(all, "iir-cpu", 3, {});
    ASSERT_TRUE(table) << table.error().message;
    ASSERT_EQ(table->families.size(), 1U);
    const TableFamily& family = table->families.front();
    std::vector<std::string> configs;
    for (const TableEntry& entry : family.entries) configs.push_back(entry.config);
    EXPECT_THAT(configs, ::testing::ElementsAre("threads:1", "part:256", "static"));
    EXPECT_NEAR(family.together, 0.5, 1e-12);
    EXPECT_EQ(table->machine, "machine");
    const auto again = table_from_text(text_of(*table));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(text_of(*again), text_of(*table));
    std::string changed = text_of(*table);
    changed[changed.find("threads:1")] = 'T';
    EXPECT_FALSE(table_from_text(changed));
    EXPECT_EQ(make_table(all, "pool-cpu", 3, {}).error().kind, ErrorKind::bad_argument);
    const auto judged = evaluate(all, ranker_of(*table), {});
    ASSERT_TRUE(judged);
    EXPECT_NEAR(judged->decision_geomean, std::cbrt(0.5 * 0.5 * 1.5), 1e-12);
}

TEST(Table, MeasurementsOfSeveralMachinesAreNotMixed) {
    Measurements all = measurements({problem("a", {}), problem("b", {})});
    all.problems[1].visits[0].machine = all.problems[1].visits[1].machine = "other";
    EXPECT_FALSE(measured_by_one(all, "mine", "kernels"));
    const auto mine = measured_by_one(all, "machine", "kernels");
    ASSERT_TRUE(mine);
    ASSERT_EQ(mine->problems.size(), 1U);
    EXPECT_EQ(mine->problems[0].spec, "a");
    EXPECT_EQ(measured_by_one(measurements({problem("a", {})}), "mine", "none")->problems.size(), 1U);
}

// Folders of models.
class Registry : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "iir2d_registry_XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        m_folder = name;
    }
    ~Registry() override { fs::remove_all(m_folder); }

    static iir2d::TreeModel model() {
        iir2d::TreeModel made{
            .purpose = "iir-cpu", .version = "1", .machine = "m", .kernels = "k", .margin = 0.02F};
        for (const auto name : iir2d::feature_names("iir-cpu")) made.features.emplace_back(name);
        made.gain = {.depth = 0, .base = 0, .tests = {}, .thresholds = {}, .leaves = {-1}};
        made.level = made.gain;
        return made;
    }
    fs::path put(const std::string& place, const std::string& version, const iir2d::TreeModel& model,
                 bool has_report = true) const {
        const fs::path folder = m_folder / place / model.purpose / version;
        fs::create_directories(folder.parent_path());
        const auto written = write_model(folder, {.trees = *iir2d::text_of_model(model),
                                                  .json = "{}",
                                                  .report = has_report ? "{}" : "",
                                                  .table = ""});
        EXPECT_TRUE(written);
        return folder;
    }
    std::vector<std::string> found() const {
        std::vector<std::string> lines;
        for (const RegisteredModel& one : find_models({m_folder / "first", m_folder / "second"}, {"m", "k"}))
            lines.push_back(one.place.filename().string() + " " + one.name + " " +
                            std::string(name_of(one.status)));
        return lines;
    }
    fs::path m_folder;
};

TEST_F(Registry, TheHighestVersionOfTheFirstPlaceDecides) {
    using ::testing::ElementsAre;
    put("first", "2", model());
    put("first", "10", model());
    put("second", "11", model());
    EXPECT_THAT(found(), ElementsAre("first iir-cpu/10 active", "first iir-cpu/2 shadowed",
                                     "second iir-cpu/11 shadowed"));
    EXPECT_EQ(next_version(m_folder / "first", "iir-cpu"), "11");
    // A flipped byte: the next lower one decides.
    const fs::path trees = m_folder / "first" / "iir-cpu" / "10" / "model.trees";
    std::string text = *read_file(trees);
    text[text.size() / 2] ^= 1;
    ASSERT_TRUE(write_file_atomically(trees, text));
    EXPECT_THAT(found(), ElementsAre("first iir-cpu/10 damaged", "first iir-cpu/2 active",
                                     "second iir-cpu/11 shadowed"));
    fs::remove(m_folder / "first" / "iir-cpu" / "2" / "report.json");
    EXPECT_THAT(found(), ElementsAre("first iir-cpu/10 damaged", "first iir-cpu/2 unproven",
                                     "second iir-cpu/11 active"));
}

TEST_F(Registry, WhatCannotDecideSaysWhy) {
    auto other = model();
    other.machine = "other";
    put("first", "9", other);
    other = model();
    other.kernels = "other";
    put("first", "8", other);
    other = model();
    other.margin.reset();
    put("first", "7", other);
    other = model();
    other.space = 99;
    put("first", "6", other);
    other = model();
    other.features.pop_back();
    put("first", "5", other);
    put("first", "4", model(), false);
    put("first", "1", other, false);  // other features: without a report its table does not decide either
    const fs::path interface = put("first", "3", model()) / "model.trees";
    std::string text = *read_file(interface);
    text.replace(text.find("iir2d.config/1"), 14, "iir2d.config/2");
    ASSERT_TRUE(write_file_atomically(interface, text));
    fs::create_directories(m_folder / "first" / "iir-cpu" / "2");
    EXPECT_THAT(found(),
                ::testing::ElementsAre("first iir-cpu/9 foreign_machine", "first iir-cpu/8 stale_kernels",
                                       "first iir-cpu/7 unproven", "first iir-cpu/6 wrong_space",
                                       "first iir-cpu/5 wrong_features", "first iir-cpu/4 unproven",
                                       "first iir-cpu/3 no_interface", "first iir-cpu/2 unreadable",
                                       "first iir-cpu/1 unproven"));
}

TEST_F(Registry, TheManifestNamesEveryFile) {
    put("first", "1", model());
    put("first", "2", model());
    const fs::path place = m_folder / "first";
    const auto text = manifest_of(place);
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_THAT(*text, ::testing::HasSubstr("\"total_models\":2"));
    ASSERT_TRUE(write_file_atomically(place / "manifest.json", *text));
    EXPECT_TRUE(manifest_differences(place)->empty());
    std::ofstream(place / "note.txt") << "more";
    EXPECT_THAT(*manifest_differences(place), ::testing::ElementsAre("note.txt is not in manifest.json"));
    fs::remove(place / "note.txt");
    EXPECT_TRUE(manifest_differences(place)->empty());
    std::ofstream(place / "iir-cpu" / "1" / "report.json") << "{ }";
    EXPECT_EQ(manifest_differences(place)->size(), 1U);
    fs::remove(place / "iir-cpu" / "1" / "report.json");
    EXPECT_THAT(*manifest_differences(place), ::testing::ElementsAre("iir-cpu/1/report.json is gone"));
    EXPECT_FALSE(manifest_of(m_folder / "absent"));
}

// A copy is another version, with other trees: its model.json says of which.
TEST_F(Registry, AnActivatedModelIsDescribedAsTheCopyThatItIs) {
    const fs::path first = put("first", "4", model());
    std::ofstream(first / "model.json") << R"({"version": "4", "trees_sha256": "old", "seed": 7})";
    ASSERT_EQ(::setenv("IIR2D_CONFIG_DIR", (m_folder / "config").c_str(), 1), 0);
    const auto models = find_models({m_folder / "first"}, {"m", "k"});
    ASSERT_EQ(models.size(), 1U);
    const auto version = activate_model(models[0]);
    std::ofstream(first / "model.json") << "[";
    const auto refused = activate_model(models[0]);
    const auto all = find_models({own_models()}, {"m", "k"});
    ::unsetenv("IIR2D_CONFIG_DIR");
    ASSERT_TRUE(version) << version.error().message;
    EXPECT_EQ(*version, "1");
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].model->version, "1");
    EXPECT_EQ(*read_file(all[0].path / "model.json"), "{\n  \"version\": \"1\",\n  \"trees_sha256\": \"" +
                                                          all[0].model->sha256 + "\",\n  \"seed\": 7\n}\n");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::bad_input);
}

// A program's use of the tuner, with files and counters of its own.
class TunerInUse : public Registry {
  protected:
    void SetUp() override {
        Registry::SetUp();
        ASSERT_EQ(::setenv("IIR2D_CONFIG_DIR", (m_folder / "config").c_str(), 1), 0);
        iir2d::forget_learned();
        iir2d::set_tune_options({});
        begin_use();
    }
    void TearDown() override {
        end_use();
        iir2d::forget_models();
        iir2d::forget_learned();
        iir2d::set_tune_options({});
        ::unsetenv("IIR2D_CONFIG_DIR");
    }
    static void decide() {
        const auto cpu = iir2d::Device::cpu(1);
        ASSERT_TRUE(iir2d::FilterPlan::make(*cpu, {.shape = {1, 1, 8, 8}, .filter = {.id = 1}}));
    }
    static void meet() {
        SeenOperations::of_process().note({.operation = FilterOperation{}, .shape = {1, 1, 8, 8}});
    }
    static std::uint64_t kept(const std::string& counter) {
        const auto all = kept_statistics();
        EXPECT_TRUE(all) << all.error().message;
        return all && all->counters.contains(counter) ? all->counters.at(counter) : 0;
    }
    fs::path file(const std::string& name) const { return m_folder / "config" / "tune" / name; }
    static iir2d::TreeModel model_of_here() {
        iir2d::TreeModel made = model();
        made.machine = iir2d::machine_id().value_or("");
        made.kernels = iir2d::kernels_id();
        return made;
    }

    static inline const iir2d::FilterDesc grey{.shape = {1, 1, 300, 700}, .filter = {.id = 6}};
};

// A program that is killed has written what it counted before.
TEST_F(TunerInUse, WhatIsCountedIsWrittenWhileAProgramRuns) {
    decide();
    {
        const UseKeeper keeper(std::chrono::milliseconds(5));
        for (int i = 0; i < 2000 && !fs::exists(file("stats.json")); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(kept("calls"), 1U);
}

TEST_F(TunerInUse, WhatCannotBeWrittenIsWrittenTheNextTime) {
    decide();
    meet();
    fs::create_directories(file("stats.json"));  // a folder, in whose place no file is put
    EXPECT_FALSE(keep_use());
    EXPECT_EQ(unkept_statistics().calls, 1U);
    fs::remove(file("stats.json"));
    decide();
    {
        const auto held = FileLock::acquire(file("lock"));
        ASSERT_TRUE(held) << held.error().message;
        EXPECT_FALSE(keep_use());
    }
    EXPECT_EQ(unkept_statistics().calls, 2U);
    EXPECT_TRUE(keep_use());
    EXPECT_EQ(kept("calls"), 2U);
    EXPECT_EQ(kept_statistics()->seen.size(), 1U);
    EXPECT_EQ(unkept_statistics().calls, 0U);
    EXPECT_TRUE(keep_use());
    EXPECT_EQ(kept("calls"), 2U);
}

TEST_F(TunerInUse, WhatIsCountedWithoutADecisionIsWritten) {
    EXPECT_TRUE(keep_use());
    EXPECT_FALSE(fs::exists(file("")));
    EXPECT_EQ(iir2d::import_learned("no entry\n"), 1U);
    EXPECT_TRUE(keep_use());
    EXPECT_EQ(kept("bad_lines"), 1U);
    EXPECT_EQ(kept("calls"), 0U);
}

TEST_F(TunerInUse, InTheModeOffNothingIsCountedOrWritten) {
    decide();
    ASSERT_TRUE(keep_use());
    const std::string before = *read_file(file("stats.json"));
    decide();
    iir2d::set_tune_options({.mode = iir2d::TuneMode::off});
    decide();
    EXPECT_TRUE(keep_use());
    EXPECT_EQ(*read_file(file("stats.json")), before);
    end_use();
    EXPECT_EQ(kept("calls"), 2U) << "of before";
    EXPECT_EQ(kept("off"), 0U);
    meet();
    decide();
    EXPECT_TRUE(keep_use());
    EXPECT_EQ(unkept_statistics().calls, 0U);
    iir2d::set_tune_options({});
    begin_use();
    decide();
    EXPECT_TRUE(keep_use());
    EXPECT_EQ(kept("calls"), 3U);
    EXPECT_EQ(kept("off"), 0U);
    EXPECT_EQ(kept_statistics()->seen.size(), 0U);
}

TEST_F(TunerInUse, ADamagedFileIsCountedFromZero) {
    decide();
    ASSERT_TRUE(keep_use());
    ASSERT_TRUE(write_file_atomically(file("stats.json"), "["));
    EXPECT_FALSE(kept_statistics());
    decide();
    ASSERT_TRUE(reset_statistics());
    EXPECT_EQ(kept("calls"), 0U);
    EXPECT_EQ(unkept_statistics().calls, 0U);
}

TEST_F(TunerInUse, ATableDecidesOnlyForAModelWithAReport) {
    iir2d::TreeModel other = model_of_here();
    std::swap(other.features[0], other.features[1]);
    const fs::path folder = put("first", "1", other, false);
    std::ofstream(folder / "table.txt") << "iir2d-table 1\npurpose iir-cpu\n"
                                           "family iir-cpu, both ways, to 2^20, one plane\n"
                                           "config 0.9 part:256\n";
    const auto reason = [&] {
        begin_use(m_folder / "first");
        return iir2d::FilterPlan::make(*iir2d::Device::cpu(2), grey)->choice().reason;
    };
    EXPECT_EQ(reason(), iir2d::TuneReason::unproven);
    std::ofstream(folder / "report.json") << "{}";
    EXPECT_EQ(reason(), iir2d::TuneReason::table);
}

TEST_F(TunerInUse, WhatIsForgottenWhileAProgramRunsIsNotWrittenAgain) {
    const auto two = *iir2d::Device::cpu(2);
    if (two.threads() < 2) GTEST_SKIP() << "one processor has one way";
    iir2d::TreeModel one_thread = model_of_here();
    const auto at = std::ranges::find(one_thread.features, "c_threads") - one_thread.features.begin();
    one_thread.gain = {.depth = 1,
                       .base = 0,
                       .tests = {static_cast<std::uint16_t>(at)},
                       .thresholds = {1.5F},
                       .leaves = {-0.5F, 0}};
    ASSERT_TRUE(iir2d::load_read_model(one_thread));
    iir2d::set_tune_options({.mode = iir2d::TuneMode::measure, .top_k = 1});
    const auto plan = iir2d::FilterPlan::make(two, grey);
    ASSERT_TRUE(plan) << plan.error().message;
    if (plan->choice().reason != iir2d::TuneReason::exploring) GTEST_SKIP() << "known caches are needed";
    const std::vector<float> samples(std::size_t{300} * 700, 0.5F);
    std::vector<float> filtered(samples.size());
    const iir2d::ConstTensorView x(samples.data(), iir2d::ElementType::f32, grey.shape);
    const iir2d::TensorView y{.data = filtered.data(), .type = iir2d::ElementType::f32, .shape = grey.shape};
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (unkept_statistics().settled == 0 && std::chrono::steady_clock::now() < end)
        ASSERT_TRUE(plan->run(x, y));
    if (unkept_statistics().settled == 0) GTEST_SKIP() << "others took the processors: no run counted";
    ASSERT_TRUE(keep_use());
    EXPECT_EQ(learned_entries(*kept_learned()).size(), 1U);
    EXPECT_EQ(*forget_learned(std::nullopt), 1U);
    decide();
    ASSERT_TRUE(keep_use());
    EXPECT_EQ(*kept_learned(), "");
}

}  // namespace
}  // namespace workbench::tune
