// SPDX-License-Identifier: MIT
#include "ui/benchmark/benchmark_runner.h"

#include <QTemporaryDir>
#include <chrono>
#include <filesystem>

#include "core/recipe/recipe.h"
#include "core/recipe/recipe_copy.h"
#include "core/support/files.h"
#include "core/support/try.h"
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
    auto measured =
        measure_record(matrix, imagePath, matrix.recipe ? keepRecipe(*matrix.recipe) : std::string(), control,
                       reporter(control));
    if (!measured) return std::unexpected(measured.error());
    auto record = std::make_shared<const Record>(std::move(*measured));
    const KeptRun kept = keepRun(historyFile, *record);
    return Measured{.record = std::move(record), .kept = kept};
}

Result<BenchmarkRunner::MeasuredAgain> BenchmarkRunner::measureAgain(const OpenedRecordPtr& original,
                                                                     const ReproduceSettings& settings,
                                                                     const QString& historyFile,
                                                                     const JobControl& control) {
    IIR2D_TRY(auto result, workbench::reproduce(original, settings, control, reporter(control)));
    auto reproduced = std::make_shared<Reproduced>();
    reproduced->compared = comparedRecords(original, result.record, result.comparison);
    reproduced->reproduction = std::move(result);
    const KeptRun kept = keepRun(historyFile, *reproduced->reproduction.record);
    return MeasuredAgain{.reproduced = std::move(reproduced), .kept = kept};
}

}  // namespace workbench
