// SPDX-License-Identifier: MIT
#include "ui/benchmark/history_table.h"

#include <QAction>
#include <QHeaderView>
#include <QScopedValueRollback>
#include <algorithm>
#include <ranges>

#include "core/evidence/history.h"
#include "ui/support/text.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/table_look.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int idRole = Qt::UserRole;
constexpr int duelRole = Qt::UserRole + 1;
constexpr int widestColumn = 320;
constexpr qsizetype longestShown = 500;

}  // namespace

HistoryTable::HistoryTable(QWidget* parent)
    : QTableWidget(0, columns, parent),
      m_open(new QAction(themedIcon(QStringLiteral("open")), tr("Open"), this)),
      m_compare(new QAction(themedIcon(QStringLiteral("split")), tr("Compare with what is shown"), this)) {
    setObjectName(QStringLiteral("historyTable"));
    setAccessibleName(tr("Records of the history"));
    setAccessibleDescription(tr(
        "One row a record, the newest first. Return opens it, F2 writes its note, the context menu compares "
        "it with what is shown."));
    setHorizontalHeaderLabels({tr("Measured (UTC)"), tr("Device"), tr("Cases"), tr("Commit"), tr("Note")});
    setTableLook(*this);
    setSelectionMode(SingleSelection);
    setEditTriggers(EditKeyPressed | SelectedClicked);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    horizontalHeader()->setStretchLastSection(true);
    m_open->setShortcuts({QKeySequence(Qt::Key_Return), QKeySequence(Qt::Key_Enter)});
    m_open->setShortcutContext(Qt::WidgetShortcut);
    addActions({m_open, m_compare});
    connect(m_open, &QAction::triggered, this, &HistoryTable::openChosen);
    connect(m_compare, &QAction::triggered, this, [this] { Q_EMIT compareWanted(chosenId()); });
    connect(this, &QTableWidget::cellDoubleClicked, this, [this](int row, int column) {
        if ((column != note || isDuel(row)) && m_open->isEnabled()) openChosen();
    });
    connect(this, &QTableWidget::cellChanged, this, [this](int row, int column) {
        if (!m_filling && column == note) Q_EMIT noteWritten(idOf(row), item(row, note)->text().trimmed());
    });
    connect(this, &QTableWidget::currentCellChanged, this, [this] {
        showPossible();
        Q_EMIT choiceChanged();
    });
    setFree(true);
}

QString HistoryTable::idOf(int row) const {
    const QTableWidgetItem* first = item(row, measured);
    return first ? first->data(idRole).toString() : QString();
}

QString HistoryTable::chosenId() const {
    return idOf(currentRow());
}

bool HistoryTable::isDuel(int row) const {
    const QTableWidgetItem* first = item(row, measured);
    return first && first->data(duelRole).toBool();
}

bool HistoryTable::isDuelChosen() const {
    return isDuel(currentRow());
}

void HistoryTable::openChosen() {
    if (chosenId().isEmpty()) return;
    if (isDuelChosen()) {
        Q_EMIT openDuelWanted(chosenId());
    } else {
        Q_EMIT openWanted(chosenId());
    }
}

void HistoryTable::setFree(bool free) {
    m_free = free;
    showPossible();
}

void HistoryTable::showPossible() {
    m_open->setEnabled(m_free && rowCount() > 0);
    m_compare->setEnabled(m_free && rowCount() > 0 && !isDuelChosen());
}

void HistoryTable::fill(int row, const Row& shown) {
    const auto put = [&](Column column, const QString& text, const QString& whole = {}) {
        auto* cell = new QTableWidgetItem(text.left(longestShown));
        // What strangers wrote is no markup.
        cell->setToolTip((whole.isEmpty() ? text : whole).left(longestShown).toHtmlEscaped());
        if (column != note || shown.isDuel) cell->setFlags(cell->flags() & ~Qt::ItemIsEditable);
        setItem(row, column, cell);
        return cell;
    };
    QString when = shown.when;
    when.replace(QLatin1Char('T'), QLatin1Char(' ')).remove(QLatin1Char('Z'));
    QTableWidgetItem* first = put(measured, when, tr("Record %1").arg(shown.id));
    first->setData(idRole, shown.id);
    first->setData(duelRole, shown.isDuel);
    put(device, shown.device, shown.help);
    put(cases, shown.cases);
    put(commit, shown.commit, shown.wholeCommit);
    put(note, shown.note);
}

void HistoryTable::showEntries(const std::vector<HistoryEntry>& entries,
                               const std::vector<DuelEntry>& duels) {
    std::vector<Row> rows;
    for (const HistoryEntry& entry : entries | std::views::reverse) {
        rows.push_back({.when = toText(entry.started_utc),
                        .id = toText(entry.record_id),
                        .device = toText(entry.device_name),
                        .help = toText(entry.device_name + "\n" + entry.host),
                        .cases = QString::number(entry.cases),
                        .commit = toText(entry.commit).left(10),
                        .wholeCommit = toText(entry.commit),
                        .note = toText(entry.note)});
    }
    for (const DuelEntry& duel : duels | std::views::reverse) {
        const QString base = toText(duel.base_commit);
        rows.push_back({.when = toText(duel.started_utc),
                        .id = toText(duel.record_id),
                        .device = base.isEmpty() ? tr("duel") : tr("duel with %1").arg(base.left(10)),
                        .help = tr("A duel on %1, base commit %2").arg(toText(duel.host), base),
                        .cases = QString::number(duel.changes.size()),
                        .commit = toText(duel.now_commit).left(10),
                        .wholeCommit = toText(duel.now_commit),
                        .note = toText(duel.note),
                        .isDuel = true});
    }
    std::ranges::stable_sort(rows, std::ranges::greater(), &Row::when);
    const QString before = chosenId();
    {
        const QScopedValueRollback filling(m_filling, true);
        setRowCount(int(rows.size()));
        for (int row = 0; row < int(rows.size()); ++row) {
            fill(row, rows[std::size_t(row)]);
            if (rows[std::size_t(row)].id == before) setCurrentCell(row, measured);
        }
    }
    for (int column = 0; column < note; ++column) {
        resizeColumnToContents(column);
        setColumnWidth(column, std::min(columnWidth(column) + normalSpacing, widestColumn));
    }
    if (currentRow() < 0 && rowCount() > 0) setCurrentCell(0, measured);
    showPossible();
    Q_EMIT choiceChanged();
}

}  // namespace workbench
