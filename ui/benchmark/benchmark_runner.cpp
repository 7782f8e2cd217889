// SPDX-License-Identifier: MIT
#include "ui/benchmark/benchmark_runner.h"

#include <QTemporaryDir>
#include <chrono>
#include <filesystem>

#include "core/recipe/recipe.h"
#include "core/recipe/recipe_copy.h"
#include "core/support/files.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

// A bar redrawn at every iteration would take the processors from the kernels.
constexpr auto progressInterval = std::chrono::milliseconds(250);

// The file that a command names for a benchmarked recipe. Empty when it could not be written.
std::string keepRecipe(const Recipe& recipe) {
    const auto path = save_recipe_copy(recipe);
    return path ? path->string() : std::string();
}

}  // namespace

BenchmarkRunner::BenchmarkRunner(QObject* parent) : QObject(parent) {
    m_job.setProgressInterval(progressInterval);
    connect(&m_job, &Job::progressed, this, &BenchmarkRunner::progressed);
}

BenchmarkRunner::~BenchmarkRunner() = default;

void BenchmarkRunner::start(BenchmarkMatrix matrix, const QString& imagePath, const QString& historyFile) {
    m_job.start(
        {},
        [this, matrix = std::move(matrix), path = imagePath.toStdString(),
         historyFile](const JobControl& control) { return measure(matrix, path, historyFile, control); },
        [this](const Result<Measured>& done) {
            if (done) {
                Q_EMIT finished(done->record, done->kept);
            } else {
                tellFailure(done.error());
            }
        });
}

void BenchmarkRunner::reproduce(OpenedRecordPtr original, ReproduceSettings settings,
                                const QString& historyFile) {
    m_job.start(
        {},
        [this, original = std::move(original), settings = std::move(settings), historyFile](
            const JobControl& control) { return measureAgain(original, settings, historyFile, control); },
        [this](const Result<MeasuredAgain>& done) {
            if (done) {
                Q_EMIT reproduced(done->reproduced, done->kept);
            } else {
                tellFailure(done.error());
            }
        });
}

void BenchmarkRunner::tellFailure(const Error& error) {
    if (error.kind == ErrorKind::cancelled) {
        Q_EMIT cancelledEmpty();
    } else {
        Q_EMIT failed(toText(error.message));
    }
}

std::function<void(const CaseResult&)> BenchmarkRunner::reporter(const JobControl& control) {
    return [this, &control](const CaseResult& result) {
        control.post(
            [this, copy = std::make_shared<const CaseResult>(result)] { Q_EMIT caseFinished(copy); });
    };
}

Result<BenchmarkRunner::Measured> BenchmarkRunner::measure(const BenchmarkMatrix& matrix,
                                                           const std::string& imagePath,
                                                           const QString& historyFile,
                                                           const JobControl& control) {
    auto record = std::make_shared<Record>();
    record->environment = capture_environment(matrix.threads);
    auto run = run_benchmark(matrix, control, reporter(control));
    if (!run) return std::unexpected(run.error());
    finish_environment(record->environment);
    record->environment.threads = run->threads;
    record->command_line =
        bench_command_line(matrix, imagePath, matrix.recipe ? keepRecipe(*matrix.recipe) : std::string());
    record->run = std::move(*run);
    const KeptRun kept = keepRun(historyFile, *record);
    return Measured{.record = std::move(record), .kept = kept};
}

Result<BenchmarkRunner::MeasuredAgain> BenchmarkRunner::measureAgain(const OpenedRecordPtr& original,
                                                                     const ReproduceSettings& settings,
                                                                     const QString& historyFile,
                                                                     const JobControl& control) {
    const std::u8string named(original->measured.path.begin(), original->measured.path.end());
    std::filesystem::path path(named);
    const QTemporaryDir copies;  // of a record that lies in the history alone, or was restored
    if (path.empty() || isKeptPath(toText(original->measured.path))) {
        path = toPath(copies.filePath(QStringLiteral("record.json")));
        if (auto written = write_file_atomically(path, original->json); !written)
            return std::unexpected(written.error());
    }
    auto result = workbench::reproduce(path, settings, control, reporter(control));
    if (!result) return std::unexpected(result.error());
    auto again = opened_record_of(result->record);
    if (!again) return std::unexpected(again.error());
    auto reproduced = std::make_shared<Reproduced>();
    reproduced->compared = comparedRecords(original, std::make_shared<const OpenedRecord>(std::move(*again)),
                                           result->comparison);
    reproduced->reproduction = std::move(*result);
    const KeptRun kept = keepRun(historyFile, reproduced->reproduction.record);
    return MeasuredAgain{.reproduced = std::move(reproduced), .kept = kept};
}

}  // namespace workbench
