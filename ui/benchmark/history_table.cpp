// SPDX-License-Identifier: MIT
#include "ui/benchmark/history_table.h"

#include <QAction>
#include <QHeaderView>
#include <QScopedValueRollback>

#include "core/evidence/history.h"
#include "ui/support/text.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/table_look.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int idRole = Qt::UserRole;
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
    connect(m_open, &QAction::triggered, this, [this] { Q_EMIT openWanted(chosenId()); });
    connect(m_compare, &QAction::triggered, this, [this] { Q_EMIT compareWanted(chosenId()); });
    connect(this, &QTableWidget::cellDoubleClicked, this, [this](int row, int column) {
        if (column != note && m_open->isEnabled()) Q_EMIT openWanted(idOf(row));
    });
    connect(this, &QTableWidget::cellChanged, this, [this](int row, int column) {
        if (!m_filling && column == note) Q_EMIT noteWritten(idOf(row), item(row, note)->text().trimmed());
    });
    connect(this, &QTableWidget::currentCellChanged, this, &HistoryTable::choiceChanged);
    setFree(true);
}

QString HistoryTable::idOf(int row) const {
    const QTableWidgetItem* first = item(row, measured);
    return first ? first->data(idRole).toString() : QString();
}

QString HistoryTable::chosenId() const {
    return idOf(currentRow());
}

void HistoryTable::setFree(bool free) {
    m_open->setEnabled(free && rowCount() > 0);
    m_compare->setEnabled(free && rowCount() > 0);
}

void HistoryTable::showEntries(const std::vector<HistoryEntry>& entries) {
    const QString before = chosenId();
    {
        const QScopedValueRollback filling(m_filling, true);
        setRowCount(int(entries.size()));
        for (int row = 0; row < int(entries.size()); ++row) {
            const HistoryEntry& entry = entries[entries.size() - 1 - std::size_t(row)];
            const auto put = [&](Column column, const QString& text, const QString& whole = {}) {
                auto* cell = new QTableWidgetItem(text.left(longestShown));
                // What strangers wrote is no markup.
                cell->setToolTip((whole.isEmpty() ? text : whole).left(longestShown).toHtmlEscaped());
                if (column != note) cell->setFlags(cell->flags() & ~Qt::ItemIsEditable);
                setItem(row, column, cell);
                return cell;
            };
            QString when = toText(entry.started_utc);
            when.replace(QLatin1Char('T'), QLatin1Char(' ')).remove(QLatin1Char('Z'));
            put(measured, when, tr("Record %1").arg(toText(entry.record_id)))
                ->setData(idRole, toText(entry.record_id));
            put(device, toText(entry.device_name), toText(entry.device_name + "\n" + entry.host));
            put(cases, QString::number(entry.cases));
            put(commit, toText(entry.commit).left(10), toText(entry.commit));
            put(note, toText(entry.note));
            if (toText(entry.record_id) == before) setCurrentCell(row, measured);
        }
    }
    for (int column = 0; column < note; ++column) {
        resizeColumnToContents(column);
        setColumnWidth(column, std::min(columnWidth(column) + normalSpacing, widestColumn));
    }
    if (currentRow() < 0 && rowCount() > 0) setCurrentCell(0, measured);
    Q_EMIT choiceChanged();
}

}  // namespace workbench
