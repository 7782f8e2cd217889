// SPDX-License-Identifier: MIT
#include "ui/benchmark/result_exporter.h"

#include <QFileInfo>

#include "core/support/files.h"
#include "core/support/try.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

std::string textOf(ExportKind kind, const Record& record) {
    switch (kind) {
        case ExportKind::csv:
            return record_to_csv(record);
        case ExportKind::markdown:
            return record_to_markdown(record);
        default:
            return record_to_json(record);
    }
}

QString nameOf(ExportKind kind) {
    switch (kind) {
        case ExportKind::csv:
            return QStringLiteral("CSV");
        case ExportKind::markdown:
            return QStringLiteral("Markdown");
        default:
            return QStringLiteral("JSON");
    }
}

}  // namespace

ResultExporter::ResultExporter(QObject* parent) : QObject(parent) {}

ResultExporter::~ResultExporter() = default;  // what is being written is written whole

template <class Work>
void ResultExporter::start(Work work) {
    m_job.start(
        {}, [work = std::move(work)](const TaskControl&) -> Result<Export> { return work(); },
        [this](const Result<Export>& done) {
            if (!done) {
                Q_EMIT failed(toText(done.error().message));
                return;
            }
            Q_EMIT written(done->path, done->what);
            if (done->verdict) Q_EMIT verified(done->path, done->verdict->accepted, done->verdict->text);
        });
}

ResultExporter::Verdict ResultExporter::verdictOn(const QString& path) {
    const auto verification = verify_record(toPath(path));
    if (!verification)
        return {false, tr("It could not be verified: %1").arg(toText(verification.error().message))};
    if (verification->problems.empty())
        return {true,
                tr("Verified: accepted, %n check(s) passed.", nullptr, int(verification->checked.size()))};
    QStringList problems;
    for (const std::string& problem : verification->problems) problems.append(toText(problem));
    return {false, tr("Not accepted: %1").arg(problems.join(QStringLiteral("; ")))};
}

void ResultExporter::writeRecord(RecordPtr record, const QString& path) {
    start([record = std::move(record), path]() -> Result<Export> {
        IIR2D_RETURN_IF_ERROR(write_record(*record, toPath(path)));
        return Export{.path = path, .what = tr("The record"), .verdict = verdictOn(path)};
    });
}

void ResultExporter::writeText(ExportKind kind, RecordPtr record, const QString& path) {
    start([kind, record = std::move(record), path]() -> Result<Export> {
        IIR2D_RETURN_IF_ERROR(write_file_atomically(toPath(path), textOf(kind, *record)));
        return Export{.path = path, .what = nameOf(kind), .verdict = {}};
    });
}

void ResultExporter::writeFiles(std::vector<RenderedFile> files, const QString& what) {
    if (files.empty()) return;
    start([files = std::move(files), what]() -> Result<Export> {
        for (const RenderedFile& file : files) {
            IIR2D_RETURN_IF_ERROR(write_file_atomically(
                toPath(file.path), {file.content.constData(), std::size_t(file.content.size())}));
        }
        const QString first = files.front().path;
        if (files.size() == 1) return Export{.path = first, .what = what, .verdict = {}};
        return Export{.path = QFileInfo(first).absolutePath(),
                      .what = tr("%n chart file(s)", nullptr, int(files.size())),
                      .verdict = {}};
    });
}

}  // namespace workbench
