// SPDX-License-Identifier: MIT
#include "ui/benchmark/dropped_record.h"

#include <QFile>
#include <QFileInfo>
#include <QMimeData>
#include <QUrl>

namespace workbench {
namespace {

// A directory, or JSON that is no recipe.
bool mayBeRecord(const QString& path) {
    const QFileInfo info(path);
    if (info.isDir()) return true;
    if (!path.endsWith(QLatin1String(".json"), Qt::CaseInsensitive)) return false;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return true;  // opening it says why
    const QByteArray head = file.read(1 << 16);
    return head.contains("iir2d-workbench/record") || !head.contains("\"operations\"");
}

}  // namespace

QString droppedRecord(const QMimeData* data) {
    if (!data || !data->hasUrls()) return {};
    for (const QUrl& url : data->urls()) {
        if (url.isLocalFile() && mayBeRecord(url.toLocalFile())) return url.toLocalFile();
    }
    return {};
}

}  // namespace workbench
