// SPDX-License-Identifier: MIT
#include "ui/benchmark/comparison_model.h"

#include <QCoreApplication>
#include <array>
#include <cmath>

#include "ui/benchmark/figures_table.h"
#include "ui/benchmark/results_model.h"
#include "ui/charts/figures.h"
#include "ui/charts/verdict_style.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

struct ComparisonWords {
    Q_DECLARE_TR_FUNCTIONS(ComparisonModel)
};

const QString dash = QStringLiteral("–");

// The figure without its unit, which the header has.
QString plainValue(double value, Metric metric) {
    if (metric == Metric::ratio_to_copy) return ratioText(value);
    return metric == Metric::latency ? msText(value) : rateText(value);
}

struct ColumnRow {
    const char* header;  // "%1": the metric's unit
    const char* help;
    bool text;     // left, sorted as text
    bool ofTimed;  // only where both sides have samples
    QVariant (*value)(const CaseComparison&);
    QString (*shown)(const CaseComparison&, Metric);
};

QString joinedNotes(const CaseComparison& c) {
    QStringList all;
    for (const std::string& note : c.notes) all.append(toText(note));
    return all.join(QStringLiteral("; "));
}

QString outputText(const CaseComparison& c) {
    if (!c.same_output) return dash;
    return *c.same_output ? ComparisonWords::tr("same bits") : ComparisonWords::tr("≠ differs");
}

using C = const CaseComparison&;

// In the order of ComparisonModel::Column; the case's name is the model's own.
constexpr std::array<ColumnRow, ComparisonModel::column_count> table = {{
    {QT_TRANSLATE_NOOP("ComparisonModel", "Case"),
     QT_TRANSLATE_NOOP("ComparisonModel", "What was measured in both records"), true, false, nullptr,
     nullptr},
    {QT_TRANSLATE_NOOP("ComparisonModel", "Verdict"),
     QT_TRANSLATE_NOOP("ComparisonModel", "What can be said of the difference, and nothing beyond it"), true,
     false, [](C c) -> QVariant { return toText(name_of(c.verdict)); },
     [](C c, Metric) {
         return verdictText(c.verdict) + (c.regression   ? ComparisonWords::tr(", regression")
                                          : c.unresolved ? ComparisonWords::tr(", not shown within the limit")
                                                         : QString());
     }},
    {QT_TRANSLATE_NOOP("ComparisonModel", "Cost ratio"),
     QT_TRANSLATE_NOOP("ComparisonModel",
                       "Median of new over that of base; above 1 is slower, by any metric"),
     false, true, [](C c) -> QVariant { return c.cost_ratio; },
     [](C c, Metric) { return ratioText(c.cost_ratio); }},
    {QT_TRANSLATE_NOOP("ComparisonModel", "95 % interval"),
     QT_TRANSLATE_NOOP("ComparisonModel", "Of the cost ratio, by percentile bootstrap"), false, true,
     [](C c) -> QVariant { return c.ratio_interval.high - c.ratio_interval.low; },
     [](C c, Metric) {
         return ComparisonWords::tr("%1 to %2")
             .arg(ratioText(c.ratio_interval.low), ratioText(c.ratio_interval.high));
     }},
    {QT_TRANSLATE_NOOP("ComparisonModel", "p"),
     QT_TRANSLATE_NOOP("ComparisonModel", "Of no difference: two-sided Mann-Whitney U test"), false, true,
     [](C c) -> QVariant { return c.test.p_value; }, [](C c, Metric) { return pText(c.test.p_value); }},
    {QT_TRANSLATE_NOOP("ComparisonModel", "Base p50, %1"),
     QT_TRANSLATE_NOOP("ComparisonModel", "Median of the base"), false, true,
     [](C c) -> QVariant { return c.base.p50; }, [](C c, Metric m) { return plainValue(c.base.p50, m); }},
    {QT_TRANSLATE_NOOP("ComparisonModel", "New p50, %1"),
     QT_TRANSLATE_NOOP("ComparisonModel", "Median of the new record"), false, true,
     [](C c) -> QVariant { return c.now.p50; }, [](C c, Metric m) { return plainValue(c.now.p50, m); }},
    {QT_TRANSLATE_NOOP("ComparisonModel", "Base p95, %1"),
     QT_TRANSLATE_NOOP("ComparisonModel", "95th percentile of the base's cost"), false, true,
     [](C c) -> QVariant { return c.base.p95; }, [](C c, Metric m) { return plainValue(c.base.p95, m); }},
    {QT_TRANSLATE_NOOP("ComparisonModel", "New p95, %1"),
     QT_TRANSLATE_NOOP("ComparisonModel", "95th percentile of the new record's cost"), false, true,
     [](C c) -> QVariant { return c.now.p95; }, [](C c, Metric m) { return plainValue(c.now.p95, m); }},
    {QT_TRANSLATE_NOOP("ComparisonModel", "Base samples"),
     QT_TRANSLATE_NOOP("ComparisonModel", "Timed iterations of the base, all of them counted"), false, false,
     [](C c) -> QVariant { return qlonglong(c.base.count); },
     [](C c, Metric) { return QString::number(c.base.count); }},
    {QT_TRANSLATE_NOOP("ComparisonModel", "New samples"),
     QT_TRANSLATE_NOOP("ComparisonModel", "Timed iterations of the new record, all of them counted"), false,
     false, [](C c) -> QVariant { return qlonglong(c.now.count); },
     [](C c, Metric) { return QString::number(c.now.count); }},
    {QT_TRANSLATE_NOOP("ComparisonModel", "Base drift"),
     QT_TRANSLATE_NOOP("ComparisonModel",
                       "From the base's first sample to its last, as a part of the median"),
     false, true, [](C c) -> QVariant { return c.base.drift; },
     [](C c, Metric) { return percentText(c.base.drift); }},
    {QT_TRANSLATE_NOOP("ComparisonModel", "New drift"),
     QT_TRANSLATE_NOOP("ComparisonModel", "From the new record's first sample to its last"), false, true,
     [](C c) -> QVariant { return c.now.drift; }, [](C c, Metric) { return percentText(c.now.drift); }},
    {QT_TRANSLATE_NOOP("ComparisonModel", "Output"),
     QT_TRANSLATE_NOOP("ComparisonModel", "Whether the outputs are the same bit for bit"), true, false,
     [](C c) -> QVariant { return outputText(c); }, [](C c, Metric) { return outputText(c); }},
    {QT_TRANSLATE_NOOP("ComparisonModel", "Notes"),
     QT_TRANSLATE_NOOP("ComparisonModel", "What else must be known of the case"), true, false,
     [](C c) -> QVariant { return joinedNotes(c); }, [](C c, Metric) { return joinedNotes(c); }},
}};

QString row(const QString& name, const QString& base, const QString& now) {
    return QStringLiteral(
               "<tr><td>%1&nbsp;&nbsp;</td><td align=right>%2&nbsp;&nbsp;</td>"
               "<td align=right>%3</td></tr>")
        .arg(name.toHtmlEscaped(), base.toHtmlEscaped(), now.toHtmlEscaped());
}

QString sidesOf(const CaseComparison& c, Metric metric) {
    const auto interval = [metric](const CaseFigures& f) {
        return f.count == 0 ? dash
                            : ComparisonWords::tr("%1 to %2")
                                  .arg(metricValue(f.p50_interval.low, metric),
                                       metricValue(f.p50_interval.high, metric));
    };
    const auto value = [metric](const CaseFigures& f, double v) {
        return f.count == 0 ? dash : metricValue(v, metric);
    };
    return QStringLiteral(
               "<table cellspacing=0 cellpadding=1><tr><td></td><td align=right><b>%1</b>&nbsp;"
               "&nbsp;</td><td align=right><b>%2</b></td></tr>")
               .arg(ComparisonWords::tr("base"), ComparisonWords::tr("new")) +
           row(ComparisonWords::tr("median"), value(c.base, c.base.p50), value(c.now, c.now.p50)) +
           row(ComparisonWords::tr("its 95 % interval"), interval(c.base), interval(c.now)) +
           row(ComparisonWords::tr("p95"), value(c.base, c.base.p95), value(c.now, c.now.p95)) +
           row(ComparisonWords::tr("samples"), QString::number(c.base.count), QString::number(c.now.count)) +
           row(ComparisonWords::tr("drift"), percentText(c.base.drift), percentText(c.now.drift)) +
           row(ComparisonWords::tr("preempted"), QString::number(c.base.preempted),
               QString::number(c.now.preempted)) +
           QStringLiteral("</table>");
}

}  // namespace

void ComparisonModel::show(ComparedRecordsPtr compared) {
    beginResetModel();
    m_compared = std::move(compared);
    endResetModel();
}

const CaseComparison* ComparisonModel::caseAt(int row) const {
    if (!m_compared || row < 0 || row >= int(m_compared->comparison.cases.size())) return nullptr;
    return &m_compared->comparison.cases[std::size_t(row)];
}

QString ComparisonModel::missingKey(int row, bool& inNew) const {
    if (!m_compared) return {};
    const RecordComparison& c = m_compared->comparison;
    std::size_t i = std::size_t(row) - c.cases.size();
    inNew = i < c.missing_in_new.size();
    if (inNew) return toText(c.missing_in_new[i]);
    i -= c.missing_in_new.size();
    return i < c.missing_in_base.size() ? toText(c.missing_in_base[i]) : QString();
}

QString ComparisonModel::keyAt(int row) const {
    bool inNew = false;
    const CaseComparison* c = caseAt(row);
    return c ? toText(c->now.key) : missingKey(row, inNew);
}

QString ComparisonModel::missingText(int row) const {
    if (caseAt(row)) return {};
    bool inNew = false;
    if (missingKey(row, inNew).isEmpty()) return {};
    return inNew ? tr("∅ missing in new") : tr("∅ missing in base");
}

int ComparisonModel::rowCount(const QModelIndex& parent) const {
    if (parent.isValid() || !m_compared) return 0;
    const RecordComparison& c = m_compared->comparison;
    return int(c.cases.size() + c.missing_in_new.size() + c.missing_in_base.size());
}

int ComparisonModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : column_count;
}

QVariant ComparisonModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const CaseComparison* c = caseAt(index.row());
    const ColumnRow& column = table[std::size_t(index.column())];
    const bool has = c && (!column.ofTimed || c->verdict != Verdict::not_timed);
    switch (role) {
        case Qt::DisplayRole:
            if (index.column() == case_name) return c ? m_compared->names[index.row()] : keyAt(index.row());
            if (!c && index.column() == verdict) return missingText(index.row());
            if (!has) return index.column() == notes ? QString() : dash;
            return column.shown(*c, m_compared->comparison.settings.metric);
        case ResultsModel::ValueRole:
            if (index.column() == case_name) return keyAt(index.row());
            if (!c && index.column() == verdict) return missingText(index.row());
            return has ? column.value(*c) : QVariant();
        case FiguresTable::CopyRole:
            if (index.column() == interval && has)
                return column.shown(*c, m_compared->comparison.settings.metric);
            return {};
        case Qt::TextAlignmentRole:
            return int((column.text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        case Qt::FontRole: {
            if (index.column() != verdict || !c) return column.text ? QVariant() : QVariant(tabularFont());
            QFont bold;
            bold.setBold(c->verdict != Verdict::same && c->verdict != Verdict::not_timed);
            return bold;
        }
        case Qt::ForegroundRole:
            if (!c) return themeColours().warning;
            if (index.column() == verdict) return verdictColour(c->verdict);
            if (index.column() == output && c->same_output == false) return themeColours().warning;
            return has ? QVariant() : QVariant(themeColours().muted);
        case Qt::ToolTipRole:
            return c ? keyAt(index.row()) + QLatin1Char('\n') + verdictHelp(c->verdict)
                     : keyAt(index.row()) + QLatin1Char('\n') + missingText(index.row());
        default:
            return {};
    }
}

QVariant ComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= column_count)
        return QAbstractTableModel::headerData(section, orientation, role);
    const ColumnRow& column = table[std::size_t(section)];
    switch (role) {
        case Qt::DisplayRole: {
            QString text = ComparisonWords::tr(column.header);
            if (m_compared && text.contains(QLatin1String("%1")))
                text = text.arg(toText(unit_of(m_compared->comparison.settings.metric)));
            return text;
        }
        case Qt::ToolTipRole:
            return ComparisonWords::tr(column.help);
        case Qt::TextAlignmentRole:
            return int((column.text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        default:
            return {};
    }
}

QString evidenceOf(const ComparisonModel& model, int index) {
    const ComparedRecordsPtr& compared = model.compared();
    if (!compared || index < 0) return ComparisonWords::tr("Choose a case to see what its verdict rests on.");
    const QString key = QStringLiteral("<p><b>%1</b></p>").arg(model.keyAt(index).toHtmlEscaped());
    const CaseComparison* c = model.caseAt(index);
    if (!c) {
        return key + QStringLiteral("<p>%1</p>")
                         .arg(ComparisonWords::tr("%1: there is nothing to compare it with.")
                                  .arg(model.missingText(index)));
    }
    const CompareSettings& s = compared->comparison.settings;
    QString out = key;
    out += QStringLiteral("<p><b style=\"color:%1\">%2</b>%3<br>%4</p>")
               .arg(verdictColour(c->verdict).name(), verdictText(c->verdict),
                    c->regression   ? ComparisonWords::tr(" – a regression")
                    : c->unresolved ? ComparisonWords::tr(" – not shown to be within the limit")
                                    : QString(),
                    verdictHelp(c->verdict));
    if (c->verdict != Verdict::not_timed) {
        out +=
            QStringLiteral("<p>%1<br>%2<br>%3</p>")
                .arg(ComparisonWords::tr("Cost ratio <b>%1</b> (%2), 95 % interval %3 to %4, of %5 resamples")
                         .arg(ratioText(c->cost_ratio), percentText(c->cost_ratio - 1),
                              ratioText(c->ratio_interval.low), ratioText(c->ratio_interval.high))
                         .arg(s.bootstrap.resamples),
                     ComparisonWords::tr("p %1 (significant below %3): Mann-Whitney U, %2")
                         .arg(pText(c->test.p_value).toHtmlEscaped(),
                              c->test.exact ? ComparisonWords::tr("counted exactly")
                                            : ComparisonWords::tr("normal approximation"),
                              pText(s.significance)),
                     ComparisonWords::tr("Metric: %1. Margin: %2. Limit: %3.")
                         .arg(metricText(s.metric), toText(percent_text(s.margin)),
                              s.max_regression ? toText(percent_text(*s.max_regression))
                                               : ComparisonWords::tr("none")));
    }
    out += sidesOf(*c, s.metric);
    QStringList list;
    if (c->same_output) {
        list.append(*c->same_output ? ComparisonWords::tr("the outputs are the same bit for bit")
                                    : ComparisonWords::tr("the outputs differ bit for bit"));
    }
    for (const std::string& note : c->notes) {
        const QString text = toText(note);
        if (!list.contains(text)) list.append(text);
    }
    if (!list.isEmpty()) {
        out += QStringLiteral("<ul style=\"margin-left:-20px\">");
        for (const QString& text : list) out += QStringLiteral("<li>%1</li>").arg(text.toHtmlEscaped());
        out += QStringLiteral("</ul>");
    }
    return out;
}

}  // namespace workbench
