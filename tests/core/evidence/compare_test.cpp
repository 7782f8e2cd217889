// SPDX-License-Identifier: MIT
#include "core/evidence/compare.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "core/benchmark/synthetic.h"
#include "core/record/record.h"
#include "tests/core/record/record_testing.h"

namespace workbench {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::string key = "filter:1 border:mirror precision:f32 size:1024x1024";

// As timings are on a quiet machine: 2 % spread and a tail of slow ones.
std::vector<double> timings(std::uint64_t seed, double median, double spread = 0.02, std::size_t count = 50) {
    std::vector<double> samples(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto uniform = [&](std::uint64_t k) {
            return (static_cast<double>(splitmix64(seed, 3 * i + k) >> 11) + 0.5) / 0x1p53;
        };
        const double normal =
            std::sqrt(-2 * std::log(uniform(0))) * std::cos(2 * std::numbers::pi * uniform(1));
        samples[i] = median * std::exp(spread * normal) * (uniform(2) < 0.05 ? 1.5 : 1.0);
    }
    return samples;
}

std::vector<TimedSample> samples_of(const std::vector<double>& milliseconds) {
    std::vector<TimedSample> samples;
    for (const double ms : milliseconds) samples.push_back({ms, false});
    return samples;
}

CaseResult case_of(const std::string& name, std::uint64_t seed, double median, double spread = 0.02) {
    CaseResult c;
    c.what.key = name;
    c.what.width = c.what.height = 1024;
    const bool wide = name.find("f64") != std::string::npos;
    c.what.operation = FilterCase{.precision = wide ? iir2d::Precision::f64 : iir2d::Precision::f32};
    c.input_sha256 = std::string(64, 'a');
    c.output_sha256 = std::string(64, 'b');
    c.parity = Parity{.passed = true};
    c.samples = samples_of(timings(seed, median, spread));
    c.copy_samples = samples_of(timings(seed + 1'000'000, 1, spread));
    return c;
}

// As a GPU does that reached its power limit.
void throttle(CaseResult& c) {
    c.gpu = GpuStates{.samples = 2, .throttle_reasons = 0x4U};
}

Record record_of(std::vector<CaseResult> cases) {
    Record r;
    r.record_id = std::string(64, '1');
    r.run.device = {.id = "cpu", .name = "A Processor", .usable = true, .why_not = {}, .properties = {}};
    r.environment.cpu_model = std::string("A Processor");
    r.run.case_total = static_cast<std::int64_t>(cases.size());
    r.run.results = std::move(cases);
    return r;
}

auto compare(const Record& base, const Record& now, const CompareSettings& settings,
             const TaskControl& control = {}) {
    return compare_records(std::make_shared<const Record>(base), std::make_shared<const Record>(now),
                           settings, control);
}

Verdict verdict_of(double base, double now, std::uint64_t seed, Metric metric, double spread = 0.02) {
    const auto comparison = compare(record_of({case_of(key, 2 * seed, base, spread)}),
                                    record_of({case_of(key, 2 * seed + 1, now, spread)}), {.metric = metric});
    return comparison->cases.at(0).verdict;
}

TEST(CompareRecords, TellsAPlantedSlowdownFromNoChange) {
    for (const Metric metric : {Metric::ratio_to_copy, Metric::latency, Metric::throughput}) {
        for (std::uint64_t trial = 0; trial < 20; ++trial) {
            EXPECT_EQ(verdict_of(3, 3.3, trial, metric), Verdict::slower) << name_of(metric) << trial;
            EXPECT_EQ(verdict_of(3, 3, trial, metric), Verdict::same) << name_of(metric) << trial;
            EXPECT_EQ(verdict_of(3.3, 3, trial, metric), Verdict::faster) << name_of(metric) << trial;
        }
    }
}

TEST(CompareRecords, SaysAmbiguousWhereSamplesScatterTooMuch) {
    int ambiguous = 0;
    for (std::uint64_t trial = 0; trial < 20; ++trial)
        ambiguous += verdict_of(3, 3.05, trial, Metric::latency, 0.3) == Verdict::ambiguous;
    EXPECT_GE(ambiguous, 18);
}

TEST(CompareRecords, KeepsTheSenseOfEachMetric) {
    const auto base = record_of({case_of(key, 1, 2)});
    const auto now = record_of({case_of(key, 2, 4)});
    const auto throughput = compare(base, now, {.metric = Metric::throughput});
    const auto& c = throughput->cases.at(0);
    EXPECT_NEAR(c.cost_ratio, 2, 0.05);
    EXPECT_NEAR(c.base.p50, 1024 * 1024 / 2e3, 10);
    EXPECT_NEAR(c.now.p50, 1024 * 1024 / 4e3, 5);
    EXPECT_LE(c.now.p50_interval.low, c.now.p50);
    EXPECT_GE(c.now.p50_interval.high, c.now.p50);
    EXPECT_EQ(c.verdict, Verdict::slower);
}

TEST(CompareRecords, HoldsTheLimit) {
    const auto base = record_of({case_of(key, 1, 3)});
    const auto slower = record_of({case_of(key, 2, 3.6)});
    const auto strict = compare(base, slower, {});
    EXPECT_TRUE(strict->cases.at(0).regression);
    EXPECT_THAT(shortcomings(*strict), ElementsAre(HasSubstr("is SLOWER at")));
    const auto lenient = compare(base, slower, {.max_regression = 0.25});
    EXPECT_EQ(lenient->cases.at(0).verdict, Verdict::slower);
    EXPECT_FALSE(lenient->cases.at(0).regression);
    EXPECT_THAT(shortcomings(*lenient), IsEmpty());
    const auto beyond = compare(base, slower, {.max_regression = 0.15});
    EXPECT_THAT(shortcomings(*beyond), ElementsAre(HasSubstr("the limit is 15.0 %")));
}

TEST(CompareRecords, DoesNotPassWhatIsNotShownToBeWithinTheLimit) {
    auto now = case_of(key, 2, 4);
    throttle(now);
    const auto comparison =
        compare(record_of({case_of(key, 1, 3)}), record_of({now}), {.max_regression = 0.2});
    EXPECT_EQ(comparison->cases.at(0).verdict, Verdict::ambiguous);
    EXPECT_TRUE(comparison->cases.at(0).unresolved);
    EXPECT_THAT(shortcomings(*comparison), ElementsAre(HasSubstr("is AMBIGUOUS at")));
}

TEST(CompareRecords, TakesAnAmbiguousCaseForWithinTheLimitOnlyWhereItsWholeIntervalIs) {
    int above = 0, within = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        const auto comparison =
            compare(record_of({case_of(key, seed, 3, 0.3)}), record_of({case_of(key, seed + 500, 3, 0.3)}),
                    {.margin = 0.1, .max_regression = 0.25});
        const auto& c = comparison->cases.at(0);
        if (c.verdict != Verdict::ambiguous || std::abs(c.base.drift) > 0.1 || std::abs(c.now.drift) > 0.1)
            continue;
        EXPECT_EQ(c.unresolved, !shortcomings(*comparison).empty());
        if (!c.notes.empty()) continue;  // the clock and the copy disagree
        EXPECT_EQ(c.unresolved, c.ratio_interval.high > 1.25) << seed;
        (c.ratio_interval.high > 1.25 ? above : within) += 1;
    }
    EXPECT_GT(above, 0);
    EXPECT_GT(within, 0);
}

TEST(CompareRecords, TakesNoDoubtfulSamplesForWithinTheLimit) {
    auto now = case_of(key, 2, 3);
    throttle(now);
    const auto comparison =
        compare(record_of({case_of(key, 1, 3)}), record_of({now}), {.max_regression = 0.25});
    EXPECT_EQ(comparison->cases.at(0).verdict, Verdict::ambiguous);
    EXPECT_NEAR(comparison->cases.at(0).cost_ratio, 1, 0.05);
    EXPECT_TRUE(comparison->cases.at(0).unresolved);
}

TEST(CompareRecords, ListsWhatIsMissing) {
    const auto base = record_of({case_of(key, 1, 3), case_of("only in base", 1, 3)});
    const auto now = record_of({case_of(key, 2, 3), case_of("only in new", 1, 3)});
    const auto comparison = compare(base, now, {});
    EXPECT_THAT(comparison->missing_in_new, ElementsAre("only in base"));
    EXPECT_THAT(comparison->missing_in_base, ElementsAre("only in new"));
    EXPECT_THAT(shortcomings(*comparison), ElementsAre(HasSubstr("\"only in base\" is missing in the new"),
                                                       HasSubstr("missing in the base")));
}

TEST(CompareRecords, RefusesUnlikeRecordsUnlessToldTo) {
    const auto base = record_of({case_of(key, 1, 3)});
    auto now = record_of({case_of(key, 2, 3)});
    now.run.device.id = "cuda:0";
    now.run.device.name = "A GPU";
    const auto refused = compare(base, now, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::check_failed);
    EXPECT_THAT(refused.error().message,
                HasSubstr("unlike, devices: base cpu (A Processor), new cuda:0 (A GPU)"));
    const auto told = compare(base, now, {.allow_unlike = true});
    ASSERT_TRUE(told);
    EXPECT_THAT(told->unlike, ElementsAre(StartsWith("devices")));
    EXPECT_THAT(comparison_to_markdown(*told), HasSubstr("The records are unlike"));
    EXPECT_THAT(comparison_to_json(*told), HasSubstr("\"allow_unlike\": true"));
}

TEST(CompareRecords, RefusesOtherInputs) {
    auto other = case_of(key, 2, 3);
    other.input_sha256 = std::string(64, 'c');
    const auto refused = compare(record_of({case_of(key, 1, 3)}), record_of({other}), {});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("inputs: base aaaaaaaaaaaa, new cccccccccccc"));
}

TEST(CompareRecords, PairsPrecisionsAndSizesOnlyWhenToldTo) {
    const std::string f64 = "filter:1 border:mirror precision:f64 size:1024x1024";
    const std::string small = "filter:1 border:mirror precision:f32 size:512x512";
    for (const std::string& other : {f64, small}) {
        auto c = case_of(other, 2, 6);
        if (other == small) c.what.width = c.what.height = 512;
        const auto base = record_of({case_of(key, 1, 3)});
        const auto refused = compare(base, record_of({c}), {});
        ASSERT_FALSE(refused);
        EXPECT_THAT(refused.error().message, HasSubstr("unlike in precision or size"));
        const auto told = compare(base, record_of({c}), {.allow_unlike = true});
        ASSERT_TRUE(told) << told.error().message;
        EXPECT_EQ(told->cases.at(0).base.key, key);
        EXPECT_EQ(told->cases.at(0).now.key, other);
        EXPECT_THAT(told->unlike, ElementsAre(HasSubstr(other == small ? "sizes" : "precisions")));
    }
}

TEST(CompareRecords, SaysWhatACaseThatWasNotTimedLacks) {
    auto failed = case_of(key, 2, 3);
    failed.samples.clear();
    failed.failure = "parity: it differs";
    const auto comparison = compare(record_of({case_of(key, 1, 3)}), record_of({failed}), {});
    EXPECT_EQ(comparison->cases.at(0).verdict, Verdict::not_timed);
    EXPECT_THAT(shortcomings(*comparison), ElementsAre(HasSubstr("new was not timed: parity: it differs")));
    EXPECT_THAT(comparison_to_markdown(*comparison), HasSubstr("1 NOT TIMED"));
}

TEST(CompareRecords, NotesWhatAReaderMustKnow) {
    auto now = case_of(key, 2, 3);
    now.output_sha256 = std::string(64, 'd');
    for (std::size_t i = 0; i < now.samples.size(); ++i) {
        now.samples[i].preempted = i < 40;
        now.samples[i].latency_ms *= 1 + 0.005 * static_cast<double>(i);
    }
    const auto comparison = compare(record_of({case_of(key, 1, 3)}), record_of({now}), {});
    EXPECT_EQ(comparison->cases.at(0).verdict, Verdict::ambiguous);
    EXPECT_THAT(comparison->cases.at(0).notes,
                ElementsAre(HasSubstr("new drifts by"), HasSubstr("preempted in 40 of 50"),
                            HasSubstr("outputs differ"), HasSubstr("no verdict from samples that drift")));
}

TEST(CompareRecords, GivesNoVerdictWhereTheMachineChangedAndNotTheProgram) {
    // Everything takes 30 % longer, the copy too.
    auto now = case_of(key, 2, 3.9);
    for (TimedSample& copy : now.copy_samples) copy.latency_ms *= 1.3;
    const auto base = record_of({case_of(key, 1, 3)});
    const auto by_clock = compare(base, record_of({now}), {.metric = Metric::latency});
    EXPECT_EQ(by_clock->cases.at(0).verdict, Verdict::ambiguous);
    EXPECT_THAT(by_clock->cases.at(0).notes,
                ElementsAre(HasSubstr("by latency it is SLOWER, by ratio-to-copy SAME")));
    EXPECT_EQ(compare(base, record_of({now}), {})->cases.at(0).verdict, Verdict::same);
    // Only the copy does.
    auto copy_slower = case_of(key, 2, 3);
    for (TimedSample& copy : copy_slower.copy_samples) copy.latency_ms *= 1.3;
    const auto beside = compare(base, record_of({copy_slower}), {});
    EXPECT_EQ(beside->cases.at(0).verdict, Verdict::ambiguous);
}

TEST(CompareRecords, RefusesSettingsOutOfRange) {
    const auto r = record_of({case_of(key, 1, 3)});
    for (const double margin : {0.0, -1.0, 1.0, std::nan("")})
        EXPECT_EQ(compare(r, r, {.margin = margin}).error().kind, ErrorKind::bad_argument);
    for (const double limit : {-0.1, 101.0, std::nan("")})
        EXPECT_EQ(compare(r, r, {.max_regression = limit}).error().kind, ErrorKind::bad_argument);
    EXPECT_FALSE(metric_from_name("speed"));
}

TEST(CompareRecords, RefusesRecordsWithNothingInCommon) {
    const auto refused = compare(record_of({case_of("a", 1, 3)}), record_of({case_of("b", 1, 3)}), {});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("no case in common: the first of the base is \"a\""));
    EXPECT_FALSE(compare(record_of({}), record_of({}), {}));
}

TEST(LoadRecord, ReadsARecordThatVerifies) {
    const testing::TemporaryFolder folder;
    const auto directory = folder.path() / "r";
    ASSERT_TRUE(write_record(testing::sample_gpu_record(), directory));
    const auto record = load_record(directory);
    ASSERT_TRUE(record) << record.error().message;
    EXPECT_EQ(record->record_id.size(), 64U);
    EXPECT_EQ(record->path, directory.string());
    EXPECT_EQ(record->run.device.id, "cuda:0");
    EXPECT_EQ(*record->environment.commit, "0123456789abcdef0123456789abcdef01234567");
    ASSERT_EQ(record->run.results.size(), 3U);
    const auto& cases = record->run.results;
    EXPECT_THAT(latencies_of(cases[0].samples), ElementsAre(0.5, 0.75, 0.25));
    EXPECT_THAT(throttled_by(cases[0]), HasSubstr("power cap"));
    EXPECT_EQ(preempted_count(cases[0].samples), 1U);
    EXPECT_EQ(precision_of(cases[0].what), iir2d::Precision::f32);
    EXPECT_THAT(*cases[2].failure, HasSubstr("parity"));
    EXPECT_EQ(load_record(directory / "record.json")->record_id, record->record_id);

    testing::write_text(directory / "record.md", "other");
    const auto refused = load_record(directory);
    EXPECT_EQ(refused.error().kind, ErrorKind::check_failed);
    EXPECT_THAT(refused.error().message, HasSubstr("is not accepted: record.md"));
    EXPECT_EQ(load_record(folder.path() / "none").error().kind, ErrorKind::bad_input);
}

TEST(LoadRecord, StopsWhenAsked) {
    const testing::TemporaryFolder folder;
    ASSERT_TRUE(write_record(testing::sample_record(), folder.path() / "r"));
    std::stop_source source;
    source.request_stop();
    const auto opened = load_record(folder.path() / "r", {.stop = source.get_token()});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, ErrorKind::cancelled);
}

TEST(IsOfThisMachine, ComparesHostAndProcessor) {
    Record record;
    EXPECT_FALSE(is_of_this_machine(record)) << "nothing known is nothing alike";
    record.environment.host = host_name();
    record.environment.cpu_model = processor_model();
    if (!record.environment.host || !record.environment.cpu_model)
        GTEST_SKIP() << record.environment.host.reason << record.environment.cpu_model.reason;
    EXPECT_TRUE(is_of_this_machine(record));
    *record.environment.cpu_model += " of another kind";
    EXPECT_FALSE(is_of_this_machine(record));
}

TEST(ComparisonReport, EscapesWhatAHostileRecordSays) {
    auto base = record_of({case_of("a|b\n# c", 1, 3)});
    base.environment.host = std::string("<script>");
    const auto comparison = compare(base, base, {});
    const auto text = comparison_to_markdown(*comparison);
    EXPECT_THAT(text, HasSubstr("a\\|b # c"));
    EXPECT_THAT(text, HasSubstr("\\<script\\>"));
    EXPECT_THAT(text, Not(HasSubstr("\n# c")));
    const auto json = nlohmann::json::parse(comparison_to_json(*comparison));
    EXPECT_EQ(json.at("passed"), true);
    EXPECT_EQ(json.at("cases").at(0).at("verdict"), "SAME");
}

TEST(CompareRecords, SaysWhatAHostileRecordSaysOnOneLine) {
    const std::string hostile = "a\x1b[2J\nPASSED\xff";
    const std::string shown = "\"a\\x1b[2J\\nPASSED\\xff\"";
    const auto none = compare(record_of({case_of(hostile, 1, 3)}), record_of({case_of("b", 1, 3)}), {});
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().message, HasSubstr("the first of the base is " + shown));
    auto base = record_of({case_of(hostile, 1, 3), case_of(hostile + " more", 1, 3)});
    auto now = record_of({case_of(hostile, 1, 3)});
    EXPECT_THAT(shortcomings(*compare(base, now, {})),
                Contains("\"a\\x1b[2J\\nPASSED\\xff more\" is missing in the new record"));
    now.environment.cpu_model = hostile;
    EXPECT_THAT(compare(base, now, {}).error().message, HasSubstr("a\\x1b[2J\\nPASSED\\xff"));
}

TEST(CompareRecords, StopsBetweenCasesWhenAsked) {
    const auto base = record_of({case_of(key, 1, 1), case_of("filter:2 " + key, 2, 1)});
    std::stop_source source;
    std::vector<std::string> told;
    const TaskControl control{.stop = source.get_token(),
                              .progress = [&](double fraction, std::string_view what) {
                                  told.emplace_back(what);
                                  EXPECT_EQ(fraction, 0);
                                  source.request_stop();
                              }};
    const auto compared = compare(base, base, {}, control);
    ASSERT_FALSE(compared);
    EXPECT_EQ(compared.error().kind, ErrorKind::cancelled);
    EXPECT_THAT(told, ElementsAre("comparing " + key)) << "the second case was not begun";
}

TEST(DuelCommand, NamesBothBuildsWhereACaseIsAmbiguousOnOneHost) {
    auto base = record_of({case_of(key, 1, 3, 0.3)});
    auto now = record_of({case_of(key, 2, 3.05, 0.3)});
    for (Record* r : {&base, &now}) {
        r->environment.host = std::string("desk");
        r->run.matrix.sizes = {{1024, 1024}};
        r->run.matrix.filter_ids = {1};
        r->run.matrix.device = "cpu";
    }
    base.environment.library_path = std::string("/old/libiir2d.so");
    now.environment.library_path = std::string("/new/libiir2d.so");
    base.environment.library_sha256 = std::string(64, 'a');
    now.environment.library_sha256 = std::string(64, 'b');
    const auto comparison = compare(base, now, {});
    ASSERT_EQ(comparison->cases.at(0).verdict, Verdict::ambiguous);
    const std::string command = duel_command(*comparison);
    EXPECT_EQ(
        command,
        "iir2d duel /old/libiir2d.so /new/libiir2d.so --filter-ids 1 --border-modes mirror --precisions "
        "f32,mixed --device cpu --sizes 1024x1024");
    EXPECT_THAT(comparison_to_markdown(*comparison), HasSubstr("Measured in pairs"));
    EXPECT_THAT(comparison_to_json(*comparison), HasSubstr("\"duel_command\": \"" + command + "\""));

    auto elsewhere = now;
    elsewhere.environment.host = std::string("other");
    EXPECT_EQ(duel_command(*compare(base, elsewhere, {})), "");
    EXPECT_THAT(comparison_to_json(*compare(base, elsewhere, {})), HasSubstr("\"duel_command\": null"));
    auto same_build = now;
    same_build.environment.library_sha256 = base.environment.library_sha256;
    EXPECT_EQ(duel_command(*compare(base, same_build, {})), "");
    // The new build took the old one's place: its commit is named.
    auto replaced = now;
    replaced.environment.library_path = base.environment.library_path;
    base.environment.commit = std::string(40, 'c');
    replaced.environment.commit = std::string(40, 'd');
    EXPECT_THAT(duel_command(*compare(base, replaced, {})),
                StartsWith("iir2d duel --rev " + std::string(40, 'c') + " /old/libiir2d.so "));
}

}  // namespace
}  // namespace workbench
