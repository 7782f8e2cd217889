// SPDX-License-Identifier: MIT
#include "ui/benchmark/result_exporter.h"

#include <QFileInfo>
#include <QMetaObject>
#include <filesystem>
#include <functional>

#include "core/support/files.h"

namespace workbench {
namespace {

std::filesystem::path toPath(const QString& text) {
    return {text.toStdU16String()};
}

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

ResultExporter::~ResultExporter() = default;  // joins: what is being written is written whole

// `work` runs off the GUI thread and gives what to tell in it.
template <class Work>
void ResultExporter::start(Work work) {
    if (m_running) return;
    m_running = true;
    m_thread = std::jthread([this, work = std::move(work)] {
        std::function<void()> tell = work();
        QMetaObject::invokeMethod(
            this,
            [this, tell = std::move(tell)] {
                m_running = false;
                tell();
            },
            Qt::QueuedConnection);
    });
}

void ResultExporter::writeRecord(RecordPtr record, const QString& path) {
    start([this, record = std::move(record), path]() -> std::function<void()> {
        if (const auto done = write_record(*record, toPath(path)); !done) {
            return [this, text = QString::fromStdString(done.error().message)] { Q_EMIT failed(text); };
        }
        const auto verification = verify_record(toPath(path));
        QString text;
        bool accepted = false;
        if (!verification) {
            text =
                tr("It could not be verified: %1").arg(QString::fromStdString(verification.error().message));
        } else if (verification->problems.empty()) {
            accepted = true;
            text = tr("Verified: accepted, %n check(s) passed.", nullptr, int(verification->checked.size()));
        } else {
            QStringList problems;
            for (const std::string& problem : verification->problems) {
                problems.append(QString::fromStdString(problem));
            }
            text = tr("Not accepted: %1").arg(problems.join(QStringLiteral("; ")));
        }
        return [this, path, accepted, text] {
            Q_EMIT written(path, tr("The record"));
            Q_EMIT verified(path, accepted, text);
        };
    });
}

void ResultExporter::writeText(ExportKind kind, RecordPtr record, const QString& path) {
    start([this, kind, record = std::move(record), path]() -> std::function<void()> {
        const auto done = write_file_atomically(toPath(path), textOf(kind, *record));
        if (!done) {
            return [this, message = QString::fromStdString(done.error().message)] { Q_EMIT failed(message); };
        }
        return [this, kind, path] { Q_EMIT written(path, nameOf(kind)); };
    });
}

void ResultExporter::writeFiles(std::vector<RenderedFile> files, const QString& what) {
    if (files.empty()) return;
    start([this, files = std::move(files), what]() -> std::function<void()> {
        for (const RenderedFile& file : files) {
            const auto done = write_file_atomically(
                toPath(file.path), {file.content.constData(), std::size_t(file.content.size())});
            if (!done) {
                return [this, message = QString::fromStdString(done.error().message)] {
                    Q_EMIT failed(message);
                };
            }
        }
        const QString first = files.front().path;
        if (files.size() == 1) return [this, first, what] { Q_EMIT written(first, what); };
        return [this, folder = QFileInfo(first).absolutePath(), count = int(files.size())] {
            Q_EMIT written(folder, tr("%n chart file(s)", nullptr, count));
        };
    });
}

}  // namespace workbench
