// SPDX-License-Identifier: MIT
#include "ui/window/record_job.h"

#include <QFileInfo>
#include <filesystem>

#include "ui/benchmark/matrix_choices.h"
#include "ui/session/kept_runs.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {

RecordJob::RecordJob(Session& session, QObject* parent) : QObject(parent), m_session(session) {
    connect(&m_runner, &BenchmarkRunner::progressed, this, &RecordJob::progressed);
    connect(&m_runner, &BenchmarkRunner::failed, this, &RecordJob::failed);
    connect(&m_runner, &BenchmarkRunner::cancelledEmpty, this, &RecordJob::cancelled);
    connect(&m_runner, &BenchmarkRunner::finished, this, [this](const RecordPtr& record) {
        // A case that was not timed is no record of what it costs.
        const auto& results = record->run.results;
        if (!results.empty() && results.front().failure) {
            Q_EMIT failed(toSentence(*results.front().failure));
            return;
        }
        m_record = record;
        Q_EMIT measured();
    });
    connect(&m_exporter, &ResultExporter::failed, this, &RecordJob::failed);
    connect(&m_exporter, &ResultExporter::verified, this,
            [this](const QString& directory, bool accepted, const QString& verdict) {
                m_record.reset();
                Q_EMIT written(directory, accepted, verdict);
            });
}

void RecordJob::start() {
    if (isMeasuring() || isWriting()) return;
    const ImagePtr image = m_session.image();
    m_record.reset();
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
                                .device = m_session.deviceSpec(),
                                .threads = m_session.threads()};
    const auto chosen = toMatrix(choices, {.image = image, .recipe = m_session.recipe()});
    if (!chosen) {
        Q_EMIT failed(chosen.error().front().text);
        return;
    }
    const QString path = fromPath(image->info.path);
    m_subject = QFileInfo(path).fileName();
    m_runner.start(chosen->matrix, path, historyFileOf(m_session.settings()));
    Q_EMIT started();
}

void RecordJob::writeInto(const QString& folder) {
    if (!m_record || isWriting()) return;
    const auto directory = new_record_directory(toPath(folder));
    m_exporter.writeRecord(m_record, fromPath(directory));
    Q_EMIT writingStarted();
}

}  // namespace workbench
