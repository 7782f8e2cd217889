// SPDX-License-Identifier: MIT
#include "ui/release/release_tables.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHeaderView>
#include <algorithm>
#include <utility>

#include "ui/support/text.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int markRole = Qt::UserRole;
constexpr int wholeRole = Qt::UserRole + 1;
constexpr int widestColumn = 320;

QString shortened(const std::string& hash) {
    return toText(std::string_view(hash).substr(0, 12));
}

// "2025-03-09T17:05:00Z" as "2025-03-09 17:05".
QString minuteOf(const std::string& utc) {
    return toText(std::string_view(utc).substr(0, 16)).replace(QLatin1Char('T'), QLatin1Char(' '));
}

}  // namespace

ReleaseTable::ReleaseTable(const QString& name, const QString& help, const QStringList& headers,
                           QWidget* parent)
    : QTableWidget(0, int(headers.size()), parent) {
    setAccessibleName(name);
    setAccessibleDescription(help);
    setHorizontalHeaderLabels(headers);
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setEditTriggers(NoEditTriggers);
    setWordWrap(false);
    setShowGrid(false);
    setAlternatingRowColors(true);
    setTabKeyNavigation(false);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollMode(ScrollPerPixel);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    horizontalHeader()->setStretchLastSection(true);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* copy = new QAction(themedIcon(QStringLiteral("copy")), tr("Copy rows"), this);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, &ReleaseTable::copySelection);
    addAction(copy);
}

void ReleaseTable::setRows(const std::vector<std::vector<Cell>>& rows) {
    const int current = currentRow();
    QStringList content;
    setRowCount(int(rows.size()));
    for (int row = 0; row < int(rows.size()); ++row) {
        for (int column = 0; column < int(rows[std::size_t(row)].size()); ++column) {
            const Cell& cell = rows[std::size_t(row)][std::size_t(column)];
            content << cell.text;
            auto* one = new QTableWidgetItem(bounded(cell.text, longestShown));
            const QString whole = bounded(cell.whole.isEmpty() ? cell.text : cell.whole, 4 * longestShown);
            one->setToolTip(whole.toHtmlEscaped());  // what strangers wrote is no markup
            one->setData(wholeRole, whole);
            if (cell.mark) one->setData(markRole, int(*cell.mark));
            setItem(row, column, one);
        }
    }
    if (current >= 0 && current < rowCount()) setCurrentCell(current, 0);
    colour();
    // What a user has widened stays as it is while the same is shown.
    if (rows.empty() || std::exchange(m_fitted, content) == content) return;
    resizeColumnsToContents();
    for (int column = 0; column < columnCount(); ++column) {
        setColumnWidth(column, std::min(columnWidth(column) + normalSpacing, widestColumn));
    }
}

void ReleaseTable::colour() {
    for (int row = 0; row < rowCount(); ++row) {
        for (int column = 0; column < columnCount(); ++column) {
            QTableWidgetItem* one = item(row, column);
            if (one && one->data(markRole).isValid())
                one->setForeground(colourOf(Mark(one->data(markRole).toInt())));
        }
    }
}

void ReleaseTable::changeEvent(QEvent* event) {
    QTableWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) colour();
}

void ReleaseTable::copySelection() const {
    QStringList lines;
    for (int row = 0; row < rowCount(); ++row) {
        if (!selectionModel()->isRowSelected(row)) continue;
        QStringList cells;
        for (int column = 0; column < columnCount(); ++column) {
            cells << item(row, column)->data(wholeRole).toString().simplified();
        }
        lines << cells.join(QLatin1Char('\t'));
    }
    if (!lines.isEmpty()) QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

EvidenceTable::EvidenceTable(QWidget* parent)
    : ReleaseTable(
          tr("Evidence"),
          tr("What was attached, and whether its file is still that: its SHA-256 was just computed."),
          {tr("File"), tr("Kind"), tr("Name"), tr("Commit"), tr("SHA-256"), tr("Attached")}, parent) {
    setObjectName(QStringLiteral("evidenceTable"));
}

void EvidenceTable::display(const ReleaseView& view) {
    std::vector<std::vector<Cell>> rows;
    const auto& attachments = view.release.state.attachments;
    for (std::size_t i = 0; i < attachments.size(); ++i) {
        const Attachment& a = attachments[i];
        const EvidenceCheck& check = view.evidence[i];
        rows.push_back({{wordOf(check.state), toText(check.problem), markOf(check.state)},
                        {toText(a.kind)},
                        {toText(a.name)},
                        {shortened(a.commit), toText(a.commit)},
                        {shortened(a.sha256), toText(a.sha256)},
                        {minuteOf(a.utc), toText(a.utc)}});
    }
    setRows(rows);
}

WaiverTable::WaiverTable(QWidget* parent)
    : ReleaseTable(tr("Waivers"), tr("What was allowed to go unmet, by whom and until when."),
                   {tr("State"), tr("Scope"), tr("Days left"), tr("Risk"), tr("Owner"), tr("Counts until")},
                   parent) {
    setObjectName(QStringLiteral("waiverTable"));
}

void WaiverTable::display(const ReleaseView& view) {
    std::vector<std::vector<Cell>> rows;
    for (const Waiver& waiver : view.release.state.waivers) {
        const int days = days_left(waiver, view.release.evaluation.as_of);
        const bool counts = days >= 0;
        rows.push_back({{counts ? tr("counts") : tr("expired"), {}, counts ? Mark::good : Mark::bad},
                        {toText(waiver.scope)},
                        {counts ? (days == 0 ? tr("its last day") : tr("%n day(s)", nullptr, days))
                                : tr("ended %n day(s) ago", nullptr, -days)},
                        {toText(waiver.risk)},
                        {toText(waiver.owner)},
                        {toText(waiver.expires)}});
    }
    setRows(rows);
}

SignOffTable::SignOffTable(QWidget* parent)
    : ReleaseTable(tr("Sign-offs"),
                   tr("Who signed what there is, in each role, and whether that still counts."),
                   {tr("State"), tr("Role"), tr("Person"), tr("Why"), tr("Signed"), tr("Key")}, parent) {
    setObjectName(QStringLiteral("signOffTable"));
}

void SignOffTable::display(const ReleaseView& view) {
    std::vector<std::vector<Cell>> rows;
    const ReleaseState& all = view.release.state;
    for (const Requirement& r : view.release.evaluation.requirements) {
        if (r.role.empty()) continue;
        const auto holder = all.holders.find(r.role);
        const std::string holdersKey = holder == all.holders.end() ? std::string() : holder->second;
        const SignOff* last = all.last_sign_off(r.role);
        const QString word = last == nullptr ? tr("pending") : r.met ? tr("valid") : tr("stale");
        const Mark mark = last == nullptr ? Mark::quiet : r.met ? Mark::good : Mark::attention;
        rows.push_back({{word, {}, mark},
                        {toText(r.role)},
                        {last == nullptr ? QString() : toText(last->person)},
                        {holdersKey.empty() ? tr("no key was named for it") : toText(r.finding)},
                        {last == nullptr ? QString() : minuteOf(last->utc),
                         last == nullptr ? QString() : toText(last->utc)},
                        {shortened(holdersKey), toText(holdersKey)}});
    }
    setRows(rows);
}

}  // namespace workbench
