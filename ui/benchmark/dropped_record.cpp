// SPDX-License-Identifier: MIT
#include "ui/benchmark/dropped_record.h"

#include <QFile>
#include <QFileInfo>

#include "core/duel/duel_record.h"
#include "ui/support/paths.h"

namespace workbench {
namespace {

// The beginning of a JSON file; empty where it cannot be read.
QByteArray headOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.read(1 << 16) : QByteArray();
}

bool mayBeRecord(const QString& path) {
    if (QFileInfo(path).isDir()) return true;
    if (!path.endsWith(QLatin1String(".json"), Qt::CaseInsensitive)) return false;
    const QByteArray head = headOf(path);  // where there is none, opening it says why
    return head.contains("iir2d-workbench/record") || head.contains("iir2d-workbench/duel") ||
           !head.contains("\"operations\"");
}

bool mayBeLibrary(const QString& path) {
    const QString name = QFileInfo(path).fileName();
    return name.endsWith(QLatin1String(".so")) || name.contains(QLatin1String(".so.")) ||
           name.endsWith(QLatin1String(".dylib")) || name.endsWith(QLatin1String(".dll"));
}

}  // namespace

DroppedKind droppedKind(const QString& path) {
    if (mayBeLibrary(path)) return DroppedKind::library;
    if (!mayBeRecord(path)) return DroppedKind::other;
    return isDuel(path) ? DroppedKind::duel : DroppedKind::record;
}

bool isDuel(const QString& path) {
    if (is_duel_record(toPath(path))) return true;
    return QFileInfo(path).isFile() && headOf(path).contains("\"iir2d-workbench/duel\"");
}

}  // namespace workbench
