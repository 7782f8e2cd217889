// SPDX-License-Identifier: MIT
#include "ui/benchmark/benchmark_runner.h"

#include <QMetaObject>
#include <QTemporaryDir>
#include <chrono>
#include <filesystem>

#include "core/recipe/recipe.h"
#include "core/support/files.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

// How often progress is told. A bar redrawn at every iteration would take the processors from the kernels.
constexpr auto progressInterval = std::chrono::milliseconds(250);

// A benchmarked recipe has to lie in a file to be named by a command. Its name says what is in it, so that
// the command still does the same tomorrow. Empty when it could not be written.
std::string keepRecipe(const Recipe& recipe) {
    const std::string json = to_json(recipe);
    const std::string hash = sha256_hex(json);
    const std::filesystem::path path =
        config_directory() / "copied-recipes" / ("recipe-" + hash.substr(0, 12) + ".json");
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    return save_recipe(recipe, path) ? path.string() : std::string();
}

}  // namespace

BenchmarkRunner::BenchmarkRunner(QObject* parent) : QObject(parent) {}

BenchmarkRunner::~BenchmarkRunner() = default;  // the thread's destructor asks it to stop and joins

void BenchmarkRunner::start(BenchmarkMatrix matrix, const QString& imagePath, const QString& historyFile) {
    if (m_running) return;
    m_running = true;
    m_thread = std::jthread([this, matrix = std::move(matrix), path = imagePath.toStdString(), historyFile](
                                const std::stop_token& stop) { run(matrix, path, historyFile, stop); });
}

void BenchmarkRunner::cancel() {
    m_thread.request_stop();
}

template <class Deliver>
void BenchmarkRunner::post(Deliver deliver, bool last) {
    QMetaObject::invokeMethod(
        this,
        [this, last, deliver = std::move(deliver)] {
            if (last) m_running = false;
            deliver();
        },
        Qt::QueuedConnection);
}

// Tells progress seldom, and at once when what is done changes.
TaskControl BenchmarkRunner::watched(const std::stop_token& stop) {
    struct Told {
        std::chrono::steady_clock::time_point when;
        std::string what;
    };
    return {.stop = stop,
            .progress = [this, told = std::make_shared<Told>()](double fraction, std::string_view what) {
                const auto now = std::chrono::steady_clock::now();
                if (now - told->when < progressInterval && what == told->what) return;
                told->when = now;
                told->what = what;
                post([this, fraction, text = QString::fromUtf8(what.data(), qsizetype(what.size()))] {
                    Q_EMIT progressed(fraction, text);
                });
            }};
}

void BenchmarkRunner::tellFailure(const Error& error) {
    if (error.kind == ErrorKind::cancelled) {
        post([this] { Q_EMIT cancelledEmpty(); }, true);
    } else {
        post([this, text = QString::fromStdString(error.message)] { Q_EMIT failed(text); }, true);
    }
}

void BenchmarkRunner::run(const BenchmarkMatrix& matrix, const std::string& imagePath,
                          const QString& historyFile, const std::stop_token& stop) {
    auto measured = measure_record(
        matrix, imagePath, matrix.recipe ? keepRecipe(*matrix.recipe) : std::string(), watched(stop),
        [this](const CaseResult& result) {
            post([this, copy = std::make_shared<const CaseResult>(result)] { Q_EMIT caseFinished(copy); });
        });
    if (!measured) {
        tellFailure(measured.error());
        return;
    }
    auto record = std::make_shared<const Record>(std::move(*measured));
    const KeptRun kept = keepRun(historyFile, *record);
    post([this, kept, done = std::move(record)] { Q_EMIT finished(done, kept); }, true);
}

void BenchmarkRunner::reproduce(OpenedRecordPtr original, ReproduceSettings settings,
                                const QString& historyFile) {
    if (m_running) return;
    m_running = true;
    m_thread = std::jthread([this, original = std::move(original), settings = std::move(settings),
                             historyFile](const std::stop_token& stop) {
        runReproduction(original, settings, historyFile, stop);
    });
}

void BenchmarkRunner::runReproduction(const OpenedRecordPtr& original, const ReproduceSettings& settings,
                                      const QString& historyFile, const std::stop_token& stop) {
    auto result = workbench::reproduce(*original, settings, watched(stop), [this](const CaseResult& one) {
        post([this, copy = std::make_shared<const CaseResult>(one)] { Q_EMIT caseFinished(copy); });
    });
    if (!result) {
        tellFailure(result.error());
        return;
    }
    auto reproduced_records = std::make_shared<Reproduced>();
    reproduced_records->compared =
        comparedRecords(original, std::make_shared<const Record>(result->record), result->comparison);
    reproduced_records->reproduction = std::move(*result);
    const KeptRun kept = keepRun(historyFile, reproduced_records->reproduction.record);
    post(
        [this, kept, done = std::shared_ptr<const Reproduced>(std::move(reproduced_records))] {
            Q_EMIT reproduced(done, kept);
        },
        true);
}

}  // namespace workbench
