// SPDX-License-Identifier: MIT
// The database of visits, its text, and headroom.
#include "core/tune/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/benchmark/draws.h"
#include "core/tune/collect.h"
#include "core/tune/headroom.h"
#include "core/tune/transfer.h"
#include "tests/core/tune/measure_testing.h"

namespace workbench::tune {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

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

TEST_F(TuneDatabase, ARefusedCollectionLeavesTheDatabaseAsItWas) {
    const NamedProblem filter = one_problem("filter:1 border:clamp precision:f32 size:33x17");
    const NamedProblem other = one_problem("filter:2 border:clamp precision:f32 size:35x17");
    CollectOptions asked = options("a.db");
    asked.visits = 1;
    ASSERT_TRUE(collect({filter}, asked, two_threads));
    const std::string before = to_json(all("a.db"));
    asked.set = ProblemSet::validation;
    const auto refused = collect({other, filter}, asked, two_threads);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::check_failed);
    EXPECT_EQ(to_json(all("a.db")), before);
}

TEST_F(TuneDatabase, AProblemThatCannotBeVisitedIsNamedAndTheOthersAreVisited) {
    const NamedProblem large =
        one_problem("filter:1 border:clamp precision:f32 size:262144x262144 planes:16");
    const NamedProblem small = one_problem("filter:1 border:clamp precision:f32 size:33x17");
    for (const std::size_t made : {2U, 0U}) {  // the same call goes on
        const auto done = collect({large, small}, options("a.db"), two_threads);
        ASSERT_TRUE(done) << done.error().message;
        EXPECT_EQ(done->visits, made);
        EXPECT_EQ(done->missing, 2U);
        ASSERT_EQ(done->failed.size(), 1U);
        EXPECT_EQ(done->failed.begin()->first, large.spec);
        EXPECT_THAT(done->failed.begin()->second, HasSubstr("MiB of memory"));
    }
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
    refuses(json, "\"figures\":{", "\"figures\":null,\"others\":{");
    for (const std::string name : {"op_ms_min", "op_ms_p50", "use_ms_p50"})
        refuses(json, "\"" + name + "\":", "\"" + name + "\":-");
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

    for (const char* sql :
         {"UPDATE sample SET op_ms = -1", "UPDATE measurement SET ln_low = NULL",
          "UPDATE measurement SET use_ms_p50 = 0", "UPDATE measurement SET ln_op = 9e999",
          "UPDATE measurement SET op_ms_min = NULL, op_ms_p50 = NULL, op_ms_mad = NULL, use_ms_p50 = NULL,"
          " ln_op = NULL, ln_use = NULL, ln_low = NULL, ln_high = NULL"}) {
        write("changed.db", bytes);
        sqlite3* raw = nullptr;
        ASSERT_EQ(sqlite3_open((folder / "changed.db").c_str(), &raw), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(raw, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sql;
        sqlite3_close(raw);
        const auto store = Store::open_to_read(folder / "changed.db");
        ASSERT_TRUE(store);
        const auto read = store->read_all();
        ASSERT_FALSE(read) << sql;
        EXPECT_EQ(read.error().kind, ErrorKind::bad_input) << sql;
    }
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
        one.figures = Figures{.op_ms_min = factor.front(), .op_ms_p50 = factor.front(), .use_ms_p50 = 1.0};
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
    EXPECT_THAT(knobs_below_gate(made), Not(Contains("stores")));
    EXPECT_THAT(knobs_below_gate(made), Not(Contains("task")));  // nobody has tried it
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
    EXPECT_THAT(knobs_below_gate(made), Contains("threads"));
    EXPECT_EQ(headroom_of(all, {.objective = Objective::op, .with_contended = true}).overall->problems, 2U);
    EXPECT_FALSE(headroom_of(all, {.set = "validation"}).overall);
}

}  // namespace
}  // namespace workbench::tune
