// SPDX-License-Identifier: MIT
#include "ui/benchmark/dropped_record.h"

#include <QFileInfo>
#include <string>

#include "core/duel/duel_record.h"
#include "core/support/files.h"
#include "ui/support/paths.h"

namespace workbench {
namespace {

std::string headOf(const QString& path) {
    return beginning_of(toPath(path), 1 << 16);  // where there is none, opening it says why
}

bool mayBeRecord(const QString& path) {
    if (QFileInfo(path).isDir()) return true;
    if (!path.endsWith(QLatin1String(".json"), Qt::CaseInsensitive)) return false;
    const std::string head = headOf(path);
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
