// SPDX-License-Identifier: MIT
#include "ui/benchmark/record_drops.h"

#include <utility>

#include "ui/benchmark/duel_actions.h"
#include "ui/benchmark/record_desk.h"
#include "ui/charts/compared_records.h"
#include "ui/session/path_kind.h"
#include "ui/support/paths.h"
#include "ui/widgets/drop_cue.h"

namespace workbench {
namespace {

// Images, recipes and releases are the window's.
bool isForThePage(PathKind kind) {
    return kind == PathKind::library || kind == PathKind::duel || kind == PathKind::record;
}

}  // namespace

RecordDrops::RecordDrops(RecordDesk& desk, DuelActions& duels, std::function<QString()> busyText,
                         QWidget* page)
    : QObject(page), m_desk(desk), m_duels(duels), m_busyText(std::move(busyText)) {
    new DropCue(
        page, [this](const QString& path) { return offerFor(path); },
        [this](const QString& path) { take(path); });
}

QString RecordDrops::offerFor(const QString& path) const {
    const PathKind kind = kind_of(toPath(path));
    if (!isForThePage(kind)) return {};
    const QString name = recordNameAt(path);
    const QString busy = m_busyText();
    if (!busy.isEmpty()) return tr("%1 cannot be taken now: %2").arg(name, busy);
    if (kind == PathKind::library) return tr("Drop to duel with %1").arg(name);
    if (kind == PathKind::duel) return tr("Drop to open the duel %1").arg(name);
    return (m_desk.results().rowCount() > 0 ? tr("Drop to compare with the record %1")
                                            : tr("Drop to open the record %1"))
        .arg(name);
}

void RecordDrops::take(const QString& path) {
    const PathKind kind = kind_of(toPath(path));
    const QString busy = m_busyText();
    if (!busy.isEmpty()) {
        Q_EMIT refused(tr("%1 Drop %2 again when that is done, or cancel it.").arg(busy, recordNameAt(path)));
    } else if (kind == PathKind::library) {
        m_duels.askWith(path);
    } else if (kind == PathKind::record && m_desk.results().rowCount() > 0) {
        m_desk.compareWith(path);
    } else {
        m_desk.open(path);
    }
}

}  // namespace workbench
