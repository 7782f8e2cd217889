// SPDX-License-Identifier: MIT
#include "ui/benchmark/record_drops.h"

#include <utility>

#include "ui/benchmark/dropped_record.h"
#include "ui/benchmark/duel_actions.h"
#include "ui/benchmark/record_desk.h"
#include "ui/charts/compared_records.h"
#include "ui/widgets/drop_cue.h"

namespace workbench {

RecordDrops::RecordDrops(RecordDesk& desk, DuelActions& duels, std::function<QString()> busyText,
                         QWidget* page)
    : QObject(page), m_desk(desk), m_duels(duels), m_busyText(std::move(busyText)) {
    new DropCue(
        page, [this](const QString& path) { return offerFor(path); },
        [this](const QString& path) { take(path); });
}

QString RecordDrops::offerFor(const QString& path) const {
    const DroppedKind kind = droppedKind(path);
    if (kind == DroppedKind::other) return {};
    const QString name = recordNameAt(path);
    const QString busy = m_busyText();
    if (!busy.isEmpty()) return tr("%1 cannot be taken now: %2").arg(name, busy);
    if (kind == DroppedKind::library) return tr("Drop to duel with %1").arg(name);
    if (kind == DroppedKind::duel) return tr("Drop to open the duel %1").arg(name);
    return (m_desk.results().rowCount() > 0 ? tr("Drop to compare with the record %1")
                                            : tr("Drop to open the record %1"))
        .arg(name);
}

void RecordDrops::take(const QString& path) {
    const DroppedKind kind = droppedKind(path);
    const QString busy = m_busyText();
    if (!busy.isEmpty()) {
        Q_EMIT refused(tr("%1 Drop %2 again when that is done, or cancel it.").arg(busy, recordNameAt(path)));
    } else if (kind == DroppedKind::library) {
        m_duels.askWith(path);
    } else if (kind == DroppedKind::record && m_desk.results().rowCount() > 0) {
        m_desk.compareWith(path);
    } else {
        m_desk.open(path);
    }
}

}  // namespace workbench
