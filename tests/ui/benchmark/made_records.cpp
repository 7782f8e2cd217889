// SPDX-License-Identifier: MIT
#include "tests/ui/benchmark/made_records.h"

#include <gmock/gmock.h>

#include "core/benchmark/synthetic.h"
#include "tests/ui/benchmark/made_results.h"

namespace workbench {

namespace {

// Spread evenly to both sides of the median, in an order without drift.
std::vector<double> timings(double median, double spread, std::uint64_t seed) {
    std::vector<double> samples;
    for (std::uint64_t i = 0; i < 50; ++i) {
        const double uniform = (double(splitmix64(seed, i) >> 11) + 0.5) / 0x1p53;
        samples.push_back(median * (1 + spread * (2 * uniform - 1)));
    }
    return samples;
}

std::vector<TimedSample> samplesOf(const std::vector<double>& values) {
    std::vector<TimedSample> samples;
    for (const double value : values) samples.push_back({.latency_ms = value});
    return samples;
}

CaseResult timedCase(const MadeTiming& timing, std::uint64_t seed) {
    CaseResult r =
        madeCase(timing.filter, 512, iir2d::Precision::f32, timings(timing.median_ms, timing.spread, seed));
    const auto copies = timings(0.5, 0.002, seed + 77);
    r.parity->bound = parity_bound(r.what);
    r.copy_samples = samplesOf(copies);
    r.memcpy_samples = r.copy_samples;
    static_cast<TimingFigures&>(r) = figures_of(r);
    r.input_sha256 = std::string(64, 'a');
    r.output_sha256 = timing.output;
    return r;
}

}  // namespace

Record madeRecord(const std::vector<MadeTiming>& all, std::uint64_t seed) {
    Record record;
    BenchmarkRun& run = record.run;
    run.matrix.sizes = {{512, 512}};
    run.matrix.filter_ids.clear();
    run.matrix.precisions = {iir2d::Precision::f32};
    run.matrix.device = "cpu";
    run.matrix.iterations = 50;
    run.device = {.id = "cpu", .name = "A Processor", .backend = iir2d::Backend::cpu, .usable = true};
    run.device_reason = "asked for";
    run.started_utc = "2026-01-02T03:04:05Z";
    run.finished_utc = "2026-01-02T03:05:05Z";
    run.copy_method = "non-temporal stores (SSE2)";
    run.preemption_counter = "a counter";
    for (const MadeTiming& timing : all) {
        run.matrix.filter_ids.push_back(timing.filter);
        run.results.push_back(timedCase(timing, seed + 1000 * std::uint64_t(timing.filter)));
    }
    run.case_total = std::int64_t(all.size());
    record.environment = capture_environment(1);
    finish_environment(record.environment);
    record.command_line = bench_command_line(run.matrix, "", "");
    return record;
}

OpenedRecordPtr opened(const Record& record) {
    auto result = record_from_json(record_to_json(record));
    EXPECT_TRUE(result) << result.error().message;
    return std::make_shared<const Record>(std::move(*result));
}

ComparedRecordsPtr fourVerdicts(const CompareSettings& settings) {
    const auto base = opened(madeRecord({{1, 1.0}, {2, 1.0}, {3, 1.0}, {4, 1.0, 0.5}, {5, 1.0}}, 1));
    const auto now = opened(madeRecord({{1, 1.0}, {2, 1.3}, {3, 0.7}, {4, 1.06, 0.5}, {6, 1.0}}, 2));
    const auto compared = compareOpened(base, now, settings);
    EXPECT_TRUE(compared) << compared.error().message;
    return *compared;
}

QString written(const Record& record, const QTemporaryDir& folder, const QString& name) {
    const QString path = folder.filePath(name);
    const auto done = write_record(record, path.toStdString());
    EXPECT_TRUE(done) << done.error().message;
    const auto verification = verify_record(path.toStdString());
    EXPECT_TRUE(verification && verification->problems.empty())
        << (verification ? verification->problems.front() : verification.error().message);
    return path;
}

}  // namespace workbench
