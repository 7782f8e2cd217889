// SPDX-License-Identifier: MIT
#include "ui/benchmark/duel_model.h"

#include <QCoreApplication>
#include <QTextDocument>
#include <array>
#include <utility>

#include "ui/benchmark/figures_table.h"
#include "ui/benchmark/results_model.h"
#include "ui/charts/figures.h"
#include "ui/charts/verdict_style.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

using R = const DuelRow&;

struct DuelColumn {
    const char* header;
    const char* help;
    bool text;              // left, sorted as text
    QVariant (*value)(R);   // to sort by and to copy; invalid where there is none
    QString (*shown)(R);    // where there is a value
    QVariant (*copied)(R);  // where that is not the value
};

QVariant numberOf(const std::optional<double>& value) {
    return value ? QVariant(*value) : QVariant();
}
template <class Of>
QVariant ofLook(R row, Of of) {
    const DuelLook* look = row.shownLook();
    return look ? QVariant(of(*look)) : QVariant();
}
double intervalWidth(const RatioEstimate& estimate) {
    return estimate.interval.high - estimate.interval.low;
}
QString verdictOf(R row) {
    return row.state == DuelRow::State::done ? verdictText(row.verdict) : row.figure();
}

// In the order of DuelModel::Column; the case's name is the model's own.
constexpr std::array<DuelColumn, DuelModel::column_count> duelColumns = {{
    {QT_TRANSLATE_NOOP("DuelModel", "Case"),
     QT_TRANSLATE_NOOP("DuelModel", "What is called in both builds, with default parameters"), true, nullptr,
     nullptr, nullptr},
    {QT_TRANSLATE_NOOP("DuelModel", "Verdict"),
     QT_TRANSLATE_NOOP("DuelModel", "What can be said of the change, and nothing beyond it"), true,
     [](R r) -> QVariant {
         return r.state == DuelRow::State::done ? QVariant(toText(name_of(r.verdict))) : QVariant(r.figure());
     },
     [](R r) { return verdictOf(r); }, nullptr},
    {QT_TRANSLATE_NOOP("DuelModel", "Change"),
     QT_TRANSLATE_NOOP("DuelModel", "Of the time, from the base to the new build: above 0 is slower"), false,
     [](R r) { return ofLook(r, [](const DuelLook& l) { return l.effect.ratio - 1; }); },
     [](R r) { return percentText(r.look->effect.ratio - 1); }, nullptr},
    {QT_TRANSLATE_NOOP("DuelModel", "Interval"),
     QT_TRANSLATE_NOOP(
         "DuelModel",
         "Of the change: all intervals of a case's looks together leave the truth out with at most 5 %. "
         "While it is measured the newest pairs are shown, and only looks decide"),
     false, [](R r) { return ofLook(r, [](const DuelLook& l) { return intervalWidth(l.effect); }); },
     [](R r) { return intervalText(r.look->effect.interval); },
     [](R r) { return QVariant(intervalText(r.look->effect.interval)); }},
    {QT_TRANSLATE_NOOP("DuelModel", "Control"),
     QT_TRANSLATE_NOOP("DuelModel", "The interval of the base against itself, measured beside it"), false,
     [](R r) { return ofLook(r, [](const DuelLook& l) { return intervalWidth(l.control); }); },
     [](R r) { return intervalText(r.look->control.interval); },
     [](R r) { return QVariant(intervalText(r.look->control.interval)); }},
    {QT_TRANSLATE_NOOP("DuelModel", "Pairs"),
     QT_TRANSLATE_NOOP("DuelModel", "How often both builds were timed, one after the other"), false,
     [](R r) -> QVariant {
         return r.state == DuelRow::State::waiting ? QVariant() : QVariant(qlonglong(r.pairs));
     },
     [](R r) { return QString::number(r.pairs); }, nullptr},
    {QT_TRANSLATE_NOOP("DuelModel", "Base, ms"), QT_TRANSLATE_NOOP("DuelModel", "Median time of the base"),
     false, [](R r) { return numberOf(r.baseMs); }, [](R r) { return msText(*r.baseMs); }, nullptr},
    {QT_TRANSLATE_NOOP("DuelModel", "New, ms"),
     QT_TRANSLATE_NOOP("DuelModel", "Median time of the new build"), false,
     [](R r) { return numberOf(r.nowMs); }, [](R r) { return msText(*r.nowMs); }, nullptr},
    {QT_TRANSLATE_NOOP("DuelModel", "Base, × copy"),
     QT_TRANSLATE_NOOP("DuelModel", "Median of the base's time over a copy's of the same planes, next to it"),
     false, [](R r) { return numberOf(r.baseToCopy); }, [](R r) { return ratioText(*r.baseToCopy); },
     nullptr},
    {QT_TRANSLATE_NOOP("DuelModel", "New, × copy"),
     QT_TRANSLATE_NOOP("DuelModel", "The same of the new build"), false,
     [](R r) { return numberOf(r.nowToCopy); }, [](R r) { return ratioText(*r.nowToCopy); }, nullptr},
    {QT_TRANSLATE_NOOP("DuelModel", "Time, s"), QT_TRANSLATE_NOOP("DuelModel", "What the verdict took"),
     false,
     [](R r) -> QVariant {
         return r.state == DuelRow::State::done && r.seconds > 0 ? QVariant(r.seconds) : QVariant();
     },
     [](R r) { return QString::number(r.seconds, 'f', 1); }, nullptr},
    {QT_TRANSLATE_NOOP("DuelModel", "Notes"),
     QT_TRANSLATE_NOOP("DuelModel", "The reason, and what else must be known of the case"), true,
     [](R r) -> QVariant { return r.notes().isEmpty() ? QVariant() : QVariant(r.notes()); },
     [](R r) { return r.notes(); }, nullptr},
}};

}  // namespace

void DuelModel::show(DuelRows rows) {
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

void DuelModel::setRow(int row, const DuelRow& now) {
    m_rows.rows[std::size_t(row)] = now;
    Q_EMIT dataChanged(index(row, 0), index(row, column_count - 1));
}

int DuelModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.rows.size());
}

int DuelModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : column_count;
}

QVariant DuelModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const DuelRow& row = m_rows.rows[std::size_t(index.row())];
    const DuelColumn& column = duelColumns[std::size_t(index.column())];
    const bool isName = index.column() == case_name;
    QVariant value = isName ? QVariant(toText(row.what.label)) : column.value(row);
    switch (role) {
        case Qt::DisplayRole:
            if (isName) return m_rows.names[index.row()];
            return value.isValid() ? column.shown(row) : QString();
        case ResultsModel::ValueRole:
            return value;
        case FiguresTable::CopyRole:
            return value.isValid() && column.copied ? column.copied(row) : QVariant();
        case Qt::ToolTipRole:
            if (isName) return toText(row.what.key);
            if (index.column() == verdict && row.state == DuelRow::State::done)
                return verdictHelp(row.verdict);
            if (index.column() == notes && value.isValid()) return Qt::convertFromPlainText(row.notes());
            return QCoreApplication::translate("DuelModel", column.help);
        case Qt::TextAlignmentRole:
            return int((column.text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        case Qt::ForegroundRole:
            if (row.state == DuelRow::State::waiting) return themeColours().muted;
            if (index.column() == verdict && row.state == DuelRow::State::done)
                return verdictColour(row.verdict);
            return {};
        case Qt::FontRole:
            return column.text ? QVariant() : QVariant(tabularFont());
        default:
            return {};
    }
}

QVariant DuelModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
    const DuelColumn& column = duelColumns[std::size_t(section)];
    switch (role) {
        case Qt::DisplayRole:
            return QCoreApplication::translate("DuelModel", column.header);
        case Qt::ToolTipRole:
            return QCoreApplication::translate("DuelModel", column.help);
        case Qt::TextAlignmentRole:
            return int((column.text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        default:
            return {};
    }
}

}  // namespace workbench
