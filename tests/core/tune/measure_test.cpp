// SPDX-License-Identifier: MIT
// Visits, the database, its text, and headroom.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/benchmark/draws.h"
#include "core/tune/collect.h"
#include "core/tune/estimate.h"
#include "core/tune/headroom.h"
#include "core/tune/store.h"
#include "core/tune/transfer.h"
#include "core/tune/visit.h"

namespace workbench::tune {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const iir2d::Device two_threads = *iir2d::Device::cpu(2);

NamedProblem one_problem(const std::string& spec) {
    auto problem = problem_from_spec(spec);
    EXPECT_TRUE(problem) << spec;
    auto made = named(*problem, two_threads, "test");
    EXPECT_TRUE(made) << spec;
    return *made;
}

void spin_for(double ms) {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() < ms) {
    }
}

// Takes as long as it is told, by the number of threads that a config sets.
class Pretended : public Subject {
  public:
    explicit Pretended(std::vector<double> ms_by_threads) : m_ms(std::move(ms_by_threads)) {}
    Result<std::size_t> prepare(const iir2d::Config& config) override {
        if (config.part != 0) return fail(ErrorKind::bad_argument, "no parts here");
        m_plans.push_back(config);
        return m_plans.size() - 1;
    }
    Result<void> run(std::size_t which, const std::stop_token&) override {
        const auto threads = static_cast<std::size_t>(m_plans[which].threads);
        spin_for(m_ms[threads]);
        const std::byte before = m_output[12];
        std::memset(m_output.data(), 7, m_output.size());  // a loop would not be short in a test
        if (threads == wrong_threads) m_output[11] = std::byte{8};
        if (threads == lazy_threads) m_output[12] = before;  // not written
        return {};
    }
    std::span<std::byte> output() override { return m_output; }
    std::span<const std::byte> input() override { return m_input; }
    Traffic traffic() override { return {m_input.size(), m_output.size()}; }
    Result<void> judge(const TaskControl&) override {
        ++judged;
        if (!is_right) return fail(ErrorKind::check_failed, "it is not right");
        return {};
    }

    std::size_t wrong_threads = 99;
    std::size_t lazy_threads = 99;
    bool is_right = true;
    int judged = 0;

  private:
    std::vector<double> m_ms;
    std::vector<iir2d::Config> m_plans;
    std::vector<std::byte> m_input = std::vector<std::byte>(4096);
    std::vector<std::byte> m_output = std::vector<std::byte>(4096);
};

iir2d::Config threads(int count) {
    return {.threads = count};
}

Result<Visit> visited(Pretended& subject, const std::vector<iir2d::Config>& configs,
                      VisitSettings settings = {}) {
    CopyProbe probe(1);
    return visit(subject, configs, settings, probe);
}

TEST(TuneVisit, FasterAndSlowerConfigsAreSeenAndSlowOnesStopped) {
    // Static takes 0.2 ms, one half of it, one four times that.
    Pretended subject({0.2, 0.1, 0.8});
    const auto made = visited(subject, {{}, threads(1), threads(2)}, {.rounds_least = 6, .rounds_most = 12});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(subject.judged, 1);
    for (const char* text : {"copy", "static", "static#2"}) {
        const Measurement* const one = made->of(text);
        ASSERT_NE(one, nullptr) << text;
        ASSERT_TRUE(one->figures) << text;
        EXPECT_GE(one->samples.size(), 6U) << text;
        EXPECT_TRUE(std::isfinite(one->figures->ln_use)) << text;
    }
    const Measurement& fast = *made->of("threads:1");
    EXPECT_EQ(fast.status, Status::ok);
    EXPECT_NEAR(std::exp(fast.figures->ln_op), 0.5, 0.2);
    EXPECT_LE(fast.figures->ln_low, fast.figures->ln_high);
    EXPECT_GT(fast.figures->use_ms_p50, fast.figures->op_ms_p50);
    const Measurement& slow = *made->of("threads:2");
    EXPECT_EQ(slow.status, Status::pruned);
    EXPECT_EQ(slow.samples.size(), 5U);
    EXPECT_THAT(slow.reason, HasSubstr("after 5 rounds"));
}

TEST(TuneVisit, ShortCallsAreRepeated) {
    // A call of 1 us; one that is preempted in round 0 is long, and not repeated.
    Pretended subject({0.001, 0.001});
    int most = 0;
    for (int attempt = 0; attempt < 20 && most < 4; ++attempt) {
        const auto made = visited(subject, {{}, threads(1)}, {.rounds_least = 1, .rounds_most = 1});
        ASSERT_TRUE(made);
        most = made->of("static")->samples.front().calls;
        EXPECT_LE(most, 1000);
    }
    EXPECT_GE(most, 4);
}

TEST(TuneVisit, WhatDiffersFromStaticOrIsNotValidIsNeverTimed) {
    Pretended subject({0.01, 0.01, 0.01});
    subject.wrong_threads = 1;
    subject.lazy_threads = 2;
    const auto made =
        visited(subject, {{}, threads(1), threads(2), {.part = 32}}, {.rounds_least = 3, .rounds_most = 3});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->state, VisitState::wrong);
    const Measurement& wrong = *made->of("threads:1");
    EXPECT_EQ(wrong.status, Status::wrong);
    EXPECT_THAT(wrong.reason, HasSubstr("byte 11 of 4096"));
    EXPECT_TRUE(wrong.samples.empty());
    EXPECT_FALSE(wrong.figures);
    // What is not written at all is not what the config before left.
    EXPECT_EQ(made->of("threads:2")->status, Status::wrong);
    EXPECT_EQ(made->of("part:32")->status, Status::invalid);
    EXPECT_EQ(made->of("part:32")->reason, "no parts here");
    EXPECT_TRUE(made->of("static")->figures);
    subject.is_right = false;
    const auto refused = visited(subject, {{}, threads(1)});
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->state, VisitState::wrong);
    EXPECT_EQ(refused->of("static")->status, Status::wrong);
    EXPECT_EQ(refused->of("threads:1")->status, Status::failed);
    EXPECT_TRUE(refused->of("static")->samples.empty());
}

TEST(TuneVisit, AProblemsOwnPlanesAndPlans) {
    for (const char* spec : {"filter:6 border:wrap precision:mixed size:40x30 planes:3",
                             "pool:max window:3x3 stride:2x2 padding:1x1 dtype:f16 places size:33x21",
                             "pool:max window:9x9 stride:4x4 size:64x40 planes:2",
                             "pool:lp window:3x3 stride:2x2 p:3 dtype:f64 pass:backward size:33x21",
                             "pool:adaptive-avg output:3x5 dtype:bf16 pass:backward size:33x21",
                             "pool:max window:2x3 stride:2x3 dtype:f32 pass:backward size:34x20"}) {
        const NamedProblem problem = one_problem(spec);
        const auto configs = configs_of({.kind = Space::Kind::sampled, .count = 3}, problem, 1, two_threads);
        CopyProbe probe(2);
        const auto made =
            visit(problem.problem, *configs, two_threads, {.rounds_least = 1, .rounds_most = 1}, probe);
        ASSERT_TRUE(made) << spec << made.error().message;
        EXPECT_NE(made->state, VisitState::wrong) << spec;
        EXPECT_EQ(made->measurements.size(), configs->size() + 2) << spec;
        for (const Measurement& one : made->measurements) EXPECT_TRUE(one.figures) << spec << one.reason;
    }
}

TEST(TuneVisit, AProblemThatDoesNotFitIsRefusedBeforeMemoryIsTaken) {
    const NamedProblem large =
        one_problem("filter:1 border:clamp precision:f32 size:262144x262144 planes:16");
    CopyProbe probe(1);
    const auto made = visit(large.problem, {{}}, two_threads, {}, probe);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, ErrorKind::device_failure);
    EXPECT_THAT(made.error().message, HasSubstr("MiB of memory"));
}

TEST(TuneEstimate, MarkedRoundsDoNotCountWhileFiveOthersDo) {
    std::vector<Sample> config;
    std::vector<Sample> first;
    for (int round = 1; round <= 7; ++round) {
        const bool marked = round <= 2;
        config.push_back({.round = round, .op_ms = marked ? 50.0 : 2.0, .use_ms = 3, .marked = marked});
        first.push_back({.round = round, .op_ms = 1, .use_ms = 3});
    }
    const Pairs quiet = pairs_of(config, first, first);
    EXPECT_FALSE(quiet.are_disturbed());
    EXPECT_EQ(quiet.counted().size(), 5U);
    EXPECT_DOUBLE_EQ(medians_of(quiet.counted()).op, std::log(2.0));
    EXPECT_DOUBLE_EQ(medians_of(quiet.counted()).y(Objective::both), std::log(2.0));
    EXPECT_DOUBLE_EQ(medians_of(quiet.counted()).y(Objective::use), 0.0);
    config[2].marked = true;
    const Pairs busy = pairs_of(config, first, first);
    EXPECT_TRUE(busy.are_disturbed());
    EXPECT_EQ(busy.counted().size(), 7U);
    // Against the mean of both statics' logarithms.
    std::vector<Sample> second = first;
    for (Sample& one : second) one.op_ms = 4;
    EXPECT_DOUBLE_EQ(pairs_of(config, first, second).all.back().ln_op, 0.0);
}

class TuneDatabase : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "iir2d_tune_XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder = name;
    }
    void TearDown() override { fs::remove_all(folder); }
    std::vector<NamedProblem> some() const {
        auto made = generate_problems({.count = 3, .max_samples = 1 << 14}, two_threads);
        EXPECT_TRUE(made) << made.error().message;
        return made.value_or(std::vector<NamedProblem>{});
    }
    CollectOptions options(const std::string& name) const {
        return {.out = folder / name,
                .space = {.kind = Space::Kind::sampled, .count = 2},
                .rounds_least = 2,
                .rounds_most = 2};
    }
    Measurements all(const std::string& name) const {
        const auto store = Store::open_to_read(folder / name);
        EXPECT_TRUE(store) << store.error().message;
        auto read = store->read_all();
        EXPECT_TRUE(read) << read.error().message;
        return *read;
    }
    ErrorKind refusal(const std::string& name) const {
        const auto store = Store::open_to_read(folder / name);
        EXPECT_FALSE(store) << name;
        const auto writing = Store::open(folder / name);
        EXPECT_FALSE(writing) << name;
        return store ? ErrorKind::cancelled : store.error().kind;
    }
    fs::path folder;
};

TEST_F(TuneDatabase, ACollectionGoesOnWithWhatIsMissing) {
    const auto problems = some();
    CollectOptions asked = options("a.db");
    asked.visits = 1;
    auto done = collect(problems, asked, two_threads);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(done->visits, 3U);
    asked.visits = 2;
    EXPECT_EQ(collect(problems, asked, two_threads)->visits, 3U);
    EXPECT_EQ(collect(problems, asked, two_threads)->visits, 0U);
    const Measurements before = all("a.db");
    ASSERT_EQ(before.problems.size(), 3U);
    for (const MeasuredProblem& problem : before.problems) {
        ASSERT_EQ(problem.visits.size(), 2U);
        EXPECT_EQ(problem.visits[0].output_sha256, problem.visits[1].output_sha256);
        EXPECT_NE(problem.visits[0].seed, problem.visits[1].seed);
    }
    // Another config costs its own timings alone.
    const NamedProblem filter = one_problem("filter:1 border:clamp precision:f32 size:33x17");
    asked.out = folder / "b.db";
    asked.space = {.kind = Space::Kind::given, .count = 0, .configs = {threads(2)}};
    ASSERT_TRUE(collect({filter}, asked, two_threads));
    asked.space.configs.push_back({.part = 32});
    ASSERT_EQ(collect({filter}, asked, two_threads)->visits, 2U);
    const Visit again = all("b.db").problems.front().visits.back();
    EXPECT_EQ(again.of("threads:2"), nullptr);
    EXPECT_NE(again.of("part:32"), nullptr);
    // A key is in one set.
    asked.set = ProblemSet::validation;
    const auto both = collect({filter}, asked, two_threads);
    ASSERT_FALSE(both);
    EXPECT_EQ(both.error().kind, ErrorKind::check_failed);
    asked.set = ProblemSet::train;
    asked.out = folder / "c.db";
    asked.budget_seconds = 1e-9;
    EXPECT_EQ(collect(problems, asked, two_threads)->missing, 6U);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(collect(problems, asked, two_threads, {.stop = stop.get_token()}).error().kind,
              ErrorKind::cancelled);
}

TEST_F(TuneDatabase, ExportImportExportGivesTheSameBytes) {
    ASSERT_TRUE(collect(some(), options("a.db"), two_threads));
    const Measurements first = all("a.db");
    const std::string json = to_json(first);
    const auto read = from_json(json);
    ASSERT_TRUE(read) << read.error().message;
    {
        auto store = Store::open(folder / "b.db");
        ASSERT_TRUE(store);
        EXPECT_TRUE(*store->is_empty());
        ASSERT_TRUE(store->write_all(*read));
        EXPECT_FALSE(*store->is_empty());
    }
    EXPECT_EQ(to_json(all("b.db")), json);
    EXPECT_EQ(to_csv(all("b.db")), to_csv(first));
    EXPECT_EQ(
        to_csv(first).substr(0, to_csv(first).find('\n')),
        "set,spec,key,family,machine,kernels,visit,state,parallel_ratio,config,status,reason,samples,marked,"
        "copy_ms_p50,op_ms_min,op_ms_p50,op_ms_mad,use_ms_p50,ln_op,ln_use,ln_low,ln_high");
    const auto refuses = [&](std::string text, const std::string& from, const std::string& to) {
        const auto at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        const auto wrong = from_json(text);
        ASSERT_FALSE(wrong) << from << " -> " << to;
        EXPECT_EQ(wrong.error().kind, ErrorKind::bad_input);
    };
    refuses(json, "\"version\":1", "\"version\":2");
    refuses(json, "iir2d-tune-measurements", "something else");
    refuses(json, "\"state\":\"", "\"state\":\"x");
    refuses(json, "\"id\":\"", "\"id\":\"0");
    refuses(json, "\"samples\":[[", "\"samples\":[[0,");
    refuses(json, "\"spec\":", "\"spice\":");
    refuses(json, "\"rounds\":2", "\"rounds\":-2");
    EXPECT_FALSE(from_json(json.substr(0, json.size() / 2)));
}

TEST_F(TuneDatabase, HostileFilesAreRefused) {
    ASSERT_TRUE(collect(some(), options("a.db"), two_threads));
    std::ifstream in(folder / "a.db", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const auto write = [&](const std::string& name, const std::string& text) {
        std::ofstream(folder / name, std::ios::binary) << text;
    };
    write("text.db",
          "these are no measurements, but long enough to have a header of a hundred bytes and so "
          "more than the hundred that a database begins with");
    EXPECT_EQ(refusal("text.db"), ErrorKind::bad_input);
    write("truncated.db", bytes.substr(0, bytes.size() / 2));
    EXPECT_EQ(refusal("truncated.db"), ErrorKind::bad_input);
    std::string newer = bytes;
    newer[63] = 2;  // user_version
    write("newer.db", newer);
    EXPECT_EQ(refusal("newer.db"), ErrorKind::bad_input);
    std::string foreign = bytes;
    foreign[71] = 'H';  // application_id
    write("foreign.db", foreign);
    EXPECT_EQ(refusal("foreign.db"), ErrorKind::bad_input);
    EXPECT_FALSE(Store::open_to_read(folder / "absent.db"));
    EXPECT_EQ(Store::open(folder / "no folder" / "a.db").error().kind, ErrorKind::unwritable_output);

    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open((folder / "a.db").c_str(), &raw), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(raw, "UPDATE sample SET op_ms = -1", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(raw);
    const auto store = Store::open_to_read(folder / "a.db");
    ASSERT_TRUE(store);
    EXPECT_EQ(store->read_all().error().kind, ErrorKind::bad_input);
}

// The text with one thing changed, drawn from a number.
std::string damaged(std::string text, std::uint64_t number) {
    Draws draws(number);
    const std::size_t at = draws.below(text.size());
    switch (draws.below(4)) {
        case 0:
            text[at] = static_cast<char>(draws.below(256));
            break;
        case 1:
            text.erase(at, 1 + draws.below(40));
            break;
        case 2:
            text.insert(at, text.substr(draws.below(text.size()), 1 + draws.below(40)));
            break;
        default:
            text.resize(at);
    }
    return text;
}

TEST_F(TuneDatabase, WhatIsDamagedAnywhereIsReadOrRefused) {
    ASSERT_TRUE(collect(some(), options("a.db"), two_threads));
    const std::string json = to_json(all("a.db"));
    std::ifstream in(folder / "a.db", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    int refused = 0;
    for (std::uint64_t i = 0; i < 300; ++i) {
        const auto read = from_json(damaged(json, i));
        if (read) {
            EXPECT_FALSE(to_json(*read).empty());
        } else {
            EXPECT_EQ(read.error().kind, ErrorKind::bad_input) << read.error().message;
            ++refused;
        }
        if (i % 4 != 0) continue;
        std::ofstream(folder / "b.db", std::ios::binary) << damaged(bytes, i);
        fs::remove(folder / "b.db-journal");
        const auto store = Store::open_to_read(folder / "b.db");
        if (!store) {
            EXPECT_EQ(store.error().kind, ErrorKind::bad_input) << i << store.error().message;
        } else if (const auto rows = store->read_all(); !rows) {
            EXPECT_EQ(rows.error().kind, ErrorKind::bad_input) << i << rows.error().message;
        }
    }
    EXPECT_GT(refused, 150);
}

// A visit with exact times, as factors of static's.
Visit made_visit(const std::vector<std::pair<std::string, std::vector<double>>>& factors, double ratio = 1) {
    Visit visit{.machine = "m", .build = "b", .started_utc = "2026-01-01T00:00:00Z", .parallel_ratio = ratio};
    const auto add = [&](const std::string& config, const std::vector<double>& factor) {
        Measurement one{.config = config};
        for (std::size_t i = 0; i < factor.size(); ++i)
            one.samples.push_back({.round = static_cast<int>(i) + 1, .op_ms = factor[i], .use_ms = 1.0});
        visit.measurements.push_back(one);
    };
    const std::size_t rounds = factors.front().second.size();
    visit.rounds = static_cast<int>(rounds);
    add("static", std::vector<double>(rounds, 1));
    add("static#2", std::vector<double>(rounds, 1));
    for (const auto& [config, factor] : factors) add(config, factor);
    return visit;
}

TEST_F(TuneDatabase, AVisitOnBusyProcessorsIsContendedAlsoAfterwards) {
    auto store = Store::open(folder / "a.db");
    ASSERT_TRUE(store);
    const auto number =
        store->add(one_problem("filter:1 border:clamp precision:f32 size:9x9"), ProblemSet::train);
    ASSERT_TRUE(number);
    Visit busy = made_visit({{"threads:1", {1, 1}}}, 2.0);
    ASSERT_TRUE(store->add(*number, busy));
    EXPECT_EQ(busy.state, VisitState::ok);  // the least so far
    Visit quiet = made_visit({{"threads:1", {1, 1}}}, 1.1);
    ASSERT_TRUE(store->add(*number, quiet));
    Visit near = made_visit({{"threads:1", {1, 1}}}, 1.2);
    ASSERT_TRUE(store->add(*number, near));
    const Measurements read = all("a.db");
    const auto& visits = read.problems.front().visits;
    EXPECT_EQ(visits[0].state, VisitState::contended);
    EXPECT_EQ(visits[1].state, VisitState::ok);
    EXPECT_EQ(visits[2].state, VisitState::ok);
}

TEST_F(TuneDatabase, WhatWasWrongBeforeAKillIsSaidAfterIt) {
    const NamedProblem filter = one_problem("filter:1 border:clamp precision:f32 size:33x17");
    CollectOptions asked = options("a.db");
    asked.visits = 1;
    {
        auto store = Store::open(asked.out);
        ASSERT_TRUE(store);
        Visit wrong = made_visit({{"threads:2", {1, 1}}});
        wrong.machine = machine_of(two_threads)->id;
        wrong.build = build_of_kernels().id;
        wrong.state = VisitState::wrong;
        wrong.measurements.back() = {.config = "threads:2", .status = Status::wrong, .reason = "byte 3"};
        ASSERT_TRUE(store->add(*store->add(filter, ProblemSet::train), wrong));
    }
    const auto done = collect({filter}, asked, two_threads);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_THAT(done->wrong, ::testing::ElementsAre(filter.spec + ": threads:2: byte 3"));
}

MeasuredProblem problem_of(std::vector<Visit> visits, const std::string& family = "f") {
    return {.spec = "s",
            .key = "k",
            .purpose = "p",
            .family = family,
            .set = "train",
            .source = "",
            .visits = std::move(visits)};
}

TEST(TuneHeadroom, TheBestIsFoundByOneHalfAndJudgedByTheOther) {
    // Lucky in odd rounds alone; the other is as good as it looks. use_ms are 1: the objective is op.
    const Measurements all{
        .meta = {},
        .machines = {},
        .builds = {},
        .problems = {problem_of({made_visit({{"threads:1", {0.5, 1, 0.5, 1, 0.5, 1}},
                                             {"stores:past", {0.8, 0.8, 0.8, 0.8, 0.8, 0.8}},
                                             {"threads:1 stores:past", {2, 2, 2, 2, 2, 2}}})})}};
    const Headroom made = headroom_of(all, {.objective = Objective::op});
    ASSERT_TRUE(made.overall);
    EXPECT_EQ(made.overall->problems, 1U);
    // By odd rounds threads:1, which is 1 in even ones; by even ones stores:past, 0.8 in odd ones.
    EXPECT_NEAR(made.overall->headroom.geomean, std::exp(-(0 + std::log(0.8)) / 2), 1e-12);
    EXPECT_NEAR(made.overall->noise.geomean, 1, 1e-12);
    ASSERT_EQ(made.overall->knobs.size(), 2U);
    EXPECT_EQ(made.overall->knobs[0].knob, "threads");
    EXPECT_NEAR(made.overall->knobs[1].gain.geomean, 1 / 0.8, 1e-12);
    EXPECT_FALSE(is_worthless(made, "stores"));
    EXPECT_FALSE(is_worthless(made, "task"));  // nobody has tried it
    EXPECT_NEAR(headroom_of(all, {.objective = Objective::both}).overall->headroom.geomean, 1, 1e-12);
    EXPECT_THAT(to_markdown(made, {.objective = Objective::op}), HasSubstr("| f | 1 | 1.118 |"));
}

TEST(TuneHeadroom, WhatDoesNotCountIsSaid) {
    const std::vector<double> even(6, 1.0);
    const auto visit_of = [&](double factor) {
        return made_visit({{"threads:1", std::vector<double>(6, factor)}});
    };
    Visit contended = visit_of(0.5);
    contended.state = VisitState::contended;
    Visit wrong = visit_of(0.5);
    wrong.state = VisitState::wrong;
    const Measurements all{.meta = {},
                           .machines = {},
                           .builds = {},
                           .problems = {problem_of({visit_of(0.5), visit_of(0.7)}), problem_of({contended}),
                                        problem_of({wrong}), problem_of({visit_of(0.998)}, "g")}};
    const Headroom made = headroom_of(all, {.objective = Objective::op});
    EXPECT_EQ(made.unstable, 1U);
    EXPECT_EQ(made.not_measured, 2U);
    EXPECT_EQ(made.contended_visits, 1U);
    EXPECT_EQ(made.wrong_visits, 1U);
    EXPECT_EQ(made.overall->problems, 1U);
    EXPECT_TRUE(is_worthless(made, "threads"));
    EXPECT_EQ(headroom_of(all, {.objective = Objective::op, .with_contended = true}).overall->problems, 2U);
    EXPECT_FALSE(headroom_of(all, {.set = "validation"}).overall);
}

}  // namespace
}  // namespace workbench::tune
