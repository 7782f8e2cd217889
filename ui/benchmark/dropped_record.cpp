// SPDX-License-Identifier: MIT
#include "ui/benchmark/dropped_record.h"

#include <QFile>
#include <QFileInfo>

namespace workbench {

bool mayBeRecord(const QString& path) {
    if (QFileInfo(path).isDir()) return true;
    if (!path.endsWith(QLatin1String(".json"), Qt::CaseInsensitive)) return false;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return true;  // opening it says why
    const QByteArray head = file.read(1 << 16);
    return head.contains("iir2d-workbench/record") || !head.contains("\"operations\"");
}

}  // namespace workbench
