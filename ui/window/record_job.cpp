// SPDX-License-Identifier: MIT
#include "ui/window/record_job.h"

#include <QFileInfo>
#include <filesystem>

#include "ui/benchmark/benchmark_runner.h"
#include "ui/benchmark/matrix_choices.h"
#include "ui/benchmark/result_exporter.h"
#include "ui/session/kept_runs.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {

struct RecordJob::Impl {
    explicit Impl(Session& s) : session(s) {}
    Session& session;
    BenchmarkRunner runner;
    ResultExporter exporter;
    RecordPtr record;
    QString subject;
};

RecordJob::RecordJob(Session& session, QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>(session)) {
    connect(&m_impl->runner, &BenchmarkRunner::progressed, this, &RecordJob::progressed);
    connect(&m_impl->runner, &BenchmarkRunner::failed, this, &RecordJob::failed);
    connect(&m_impl->runner, &BenchmarkRunner::cancelledEmpty, this, &RecordJob::cancelled);
    connect(&m_impl->runner, &BenchmarkRunner::finished, this, [this](const RecordPtr& record) {
        // A case that was not timed is no record of what it costs.
        const auto& results = record->run.results;
        if (!results.empty() && results.front().failure) {
            Q_EMIT failed(toSentence(*results.front().failure));
            return;
        }
        m_impl->record = record;
        Q_EMIT measured();
    });
    connect(&m_impl->exporter, &ResultExporter::failed, this, &RecordJob::failed);
    connect(&m_impl->exporter, &ResultExporter::verified, this,
            [this](const QString& directory, bool accepted, const QString& verdict) {
                m_impl->record.reset();
                Q_EMIT written(directory, accepted, verdict);
            });
}

RecordJob::~RecordJob() = default;

bool RecordJob::isMeasuring() const {
    return m_impl->runner.isRunning();
}

bool RecordJob::isWriting() const {
    return m_impl->exporter.isRunning();
}

RecordPtr RecordJob::record() const {
    return m_impl->record;
}

QString RecordJob::subject() const {
    return m_impl->subject;
}

void RecordJob::start() {
    if (isMeasuring() || isWriting()) return;
    const ImagePtr image = m_impl->session.image();
    m_impl->record.reset();
    if (image && image->info.image_index > 0) {
        // Whoever measures it again opens the file's first page.
        Q_EMIT failed(tr("A record names its image by a file, and this is page %1 of one: save the page as a "
                         "file of its own, open that and record it.")
                          .arg(image->info.image_index + 1));
        return;
    }
    const MatrixChoices choices{.source = MatrixChoices::Source::image,
                                .sizes = {},
                                .customSizes = {},
                                .filterIds = {},
                                .recipe = true,
                                .device = m_impl->session.deviceSpec(),
                                .threads = m_impl->session.threads()};
    const auto chosen = toMatrix(choices, {.image = image, .recipe = m_impl->session.recipe()});
    if (!chosen) {
        Q_EMIT failed(chosen.error().front().text);
        return;
    }
    const QString path = fromPath(image->info.path);
    m_impl->subject = QFileInfo(path).fileName();
    m_impl->runner.start(chosen->matrix, path, historyFileOf(m_impl->session.settings()));
    Q_EMIT started();
}

void RecordJob::cancel() {
    m_impl->runner.cancel();
}

void RecordJob::writeInto(const QString& folder) {
    if (!m_impl->record || isWriting()) return;
    const auto directory = new_record_directory(toPath(folder));
    m_impl->exporter.writeRecord(m_impl->record, fromPath(directory));
    Q_EMIT writingStarted();
}

void RecordJob::discard() {
    if (!isWriting()) m_impl->record.reset();
}

}  // namespace workbench
