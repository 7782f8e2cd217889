// SPDX-License-Identifier: MIT
#include "ui/release/release_table_models.h"

#include <algorithm>
#include <utility>

#include "ui/support/text.h"

namespace workbench {
namespace {

QString shortened(const std::string& hash) {
    return toText(std::string_view(hash).substr(0, 12));
}

// Returns "2025-03-09 17:05" of "2025-03-09T17:05:00Z".
QString minuteOf(const std::string& utc) {
    return toText(std::string_view(utc).substr(0, 16)).replace(QLatin1Char('T'), QLatin1Char(' '));
}

}  // namespace

ReleaseTableModel::ReleaseTableModel(const QString& name, const QString& help, const QStringList& headers,
                                     QObject* parent)
    : QAbstractTableModel(parent), m_name(name), m_help(help), m_headers(headers) {}

int ReleaseTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int ReleaseTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_headers.size());
}

QVariant ReleaseTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Cell& cell = m_rows[std::size_t(index.row())].cells[std::size_t(index.column())];
    const QString& whole = cell.whole.isEmpty() ? cell.text : cell.whole;
    switch (role) {
        case Qt::DisplayRole:
            return bounded(cell.text, longestShown);
        case Qt::ToolTipRole:
            return bounded(whole, 4 * longestShown).toHtmlEscaped();  // what strangers wrote is no markup
        case wholeRole:
            return bounded(whole, 4 * longestShown);
        case markRole:
            return cell.mark ? QVariant(int(*cell.mark)) : QVariant();
        case sortRole:
            return cell.sortKey.isValid() ? cell.sortKey : QVariant(whole);
        default:
            return {};
    }
}

QVariant ReleaseTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return QAbstractTableModel::headerData(section, orientation, role);
    if (role != Qt::DisplayRole || section < 0 || section >= m_headers.size()) return {};
    return m_headers[section];
}

void ReleaseTableModel::setRows(std::vector<Row> rows) {
    const auto [old, now] =
        std::ranges::mismatch(m_rows, rows, std::ranges::equal_to(), &Row::key, &Row::key);
    const int same = int(old - m_rows.begin());
    if (same < rowCount()) {
        beginRemoveRows({}, same, rowCount() - 1);
        m_rows.erase(m_rows.begin() + same, m_rows.end());
        endRemoveRows();
    }
    std::move(rows.begin(), now, m_rows.begin());
    if (same > 0) Q_EMIT dataChanged(index(0, 0), index(same - 1, columnCount() - 1));
    if (same < int(rows.size())) {
        beginInsertRows({}, same, int(rows.size()) - 1);
        std::move(now, rows.end(), std::back_inserter(m_rows));
        endInsertRows();
    }
}

EvidenceModel::EvidenceModel(QObject* parent)
    : ReleaseTableModel(
          tr("Evidence"),
          tr("What was attached, and whether its file is still that: its SHA-256 was just computed."),
          {tr("File"), tr("Kind"), tr("Name"), tr("Commit"), tr("SHA-256"), tr("Attached")}, parent) {}

void EvidenceModel::show(const ReleaseSnapshot& snapshot) {
    std::vector<Row> rows;
    const auto& attachments = snapshot.release.state.attachments;
    for (std::size_t i = 0; i < attachments.size(); ++i) {
        const Attachment& a = attachments[i];
        const EvidenceCheck& check = snapshot.evidence[i];
        rows.push_back({toText(a.name),
                        {{wordOf(check.state), toText(check.problem), markOf(check.state), int(check.state)},
                         {toText(a.kind)},
                         {toText(a.name)},
                         {shortened(a.commit), toText(a.commit)},
                         {shortened(a.sha256), toText(a.sha256)},
                         {minuteOf(a.utc), toText(a.utc)}}});
    }
    setRows(std::move(rows));
}

WaiverModel::WaiverModel(QObject* parent)
    : ReleaseTableModel(
          tr("Waivers"), tr("What was allowed to go unmet, by whom and until when."),
          {tr("State"), tr("Scope"), tr("Days left"), tr("Risk"), tr("Owner"), tr("Counts until")}, parent) {}

void WaiverModel::show(const ReleaseSnapshot& snapshot) {
    std::vector<Row> rows;
    for (const Waiver& waiver : snapshot.release.state.waivers) {
        const int days = days_left(waiver, snapshot.release.evaluation.as_of);
        const bool counts = days >= 0;
        const QString remaining = !counts     ? tr("ended %n day(s) ago", nullptr, -days)
                                  : days == 0 ? tr("its last day")
                                              : tr("%n day(s)", nullptr, days);
        rows.push_back({QStringLiteral("%1 %2").arg(rows.size()).arg(toText(waiver.scope)),
                        {{counts ? tr("counts") : tr("expired"), {}, counts ? Mark::good : Mark::bad},
                         {toText(waiver.scope)},
                         {remaining, {}, {}, days},
                         {toText(waiver.risk)},
                         {toText(waiver.owner)},
                         {toText(waiver.expires)}}});
    }
    setRows(std::move(rows));
}

SignOffModel::SignOffModel(QObject* parent)
    : ReleaseTableModel(tr("Sign-offs"),
                        tr("Who signed what there is, in each role, and whether that still counts."),
                        {tr("State"), tr("Role"), tr("Person"), tr("Why"), tr("Signed"), tr("Key")}, parent) {
}

void SignOffModel::show(const ReleaseSnapshot& snapshot) {
    std::vector<Row> rows;
    const ReleaseState& all = snapshot.release.state;
    for (const Requirement& r : snapshot.release.evaluation.requirements) {
        if (r.role.empty()) continue;
        const auto holder = all.holders.find(r.role);
        const std::string publicKey = holder == all.holders.end() ? std::string() : holder->second;
        const SignOff* last = all.last_sign_off(r.role);
        const QString word = last == nullptr ? tr("pending") : r.met ? tr("valid") : tr("stale");
        const Mark mark = last == nullptr ? Mark::quiet : r.met ? Mark::good : Mark::attention;
        rows.push_back({toText(r.role),
                        {{word, {}, mark},
                         {toText(r.role)},
                         {last == nullptr ? QString() : toText(last->person)},
                         {publicKey.empty() ? tr("no key was named for it") : toText(r.finding)},
                         {last == nullptr ? QString() : minuteOf(last->utc),
                          last == nullptr ? QString() : toText(last->utc)},
                         {shortened(publicKey), toText(publicKey)}}});
    }
    setRows(std::move(rows));
}

}  // namespace workbench
