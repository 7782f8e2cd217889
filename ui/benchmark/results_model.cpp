// SPDX-License-Identifier: MIT
#include "ui/benchmark/results_model.h"

#include <QColor>
#include <QCoreApplication>
#include <QFont>
#include <algorithm>
#include <array>

#include "ui/benchmark/figures_table.h"
#include "ui/charts/figures.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

struct ResultsWords {
    Q_DECLARE_TR_FUNCTIONS(ResultsModel)
};

const QString dash = QStringLiteral("–");

// A column: what it is called, what it is, and how it is read and written. `value` is invalid when a case has
// none.
struct ColumnRow {
    const char* header;
    const char* help;
    QVariant (*value)(const CaseResult&);
    QString (*text)(const QVariant&);
};

QString asIs(const QVariant& value) {
    return value.toString();
}
QString asMs(const QVariant& value) {
    return msText(value.toDouble());
}
QString asRatio(const QVariant& value) {
    return ratioText(value.toDouble());
}
QString asRate(const QVariant& value) {
    return rateText(value.toDouble());
}
QString asError(const QVariant& value) {
    return errorText(value.toDouble());
}

// A figure of a timed case.
template <auto Get>
QVariant timed(const CaseResult& r) {
    if (!isTimed(r)) return {};
    return Get(r);
}

QVariant parityValue(const CaseResult& r) {
    if (!r.parity) return {};  // it could not be computed
    return r.parity->passed ? ResultsWords::tr("passed") : ResultsWords::tr("failed");
}

QVariant errorValue(const CaseResult& r) {
    if (!r.parity) return {};  // it could not be computed
    return r.parity->bound_is_relative ? r.parity->max_relative_error : r.parity->max_abs_error;
}

QVariant kernelValue(const CaseResult& r) {
    if (r.kernel.name.empty()) return {};
    const QString text = toText(r.kernel.name);
    return r.kernel.variant.empty() ? text : text + QLatin1Char('/') + toText(r.kernel.variant);
}

QVariant throttleValue(const CaseResult& r) {
    const std::string words = throttled_by(r);
    return words.empty() ? QVariant() : QVariant(toText(words));
}

using R = const CaseResult&;

// In the order of ResultsModel::Column.
constexpr std::array<ColumnRow, ResultsModel::column_count> table = {{
    {QT_TRANSLATE_NOOP("ResultsModel", "Case"), QT_TRANSLATE_NOOP("ResultsModel", "What was measured"),
     [](R r) -> QVariant { return toText(r.what.label); }, asIs},
    {QT_TRANSLATE_NOOP("ResultsModel", "Failure"),
     QT_TRANSLATE_NOOP("ResultsModel", "Why a case was not timed"),
     [](R r) -> QVariant { return r.failure ? QVariant(toText(*r.failure)) : QVariant(); }, asIs},
    {QT_TRANSLATE_NOOP("ResultsModel", "Throttled"),
     QT_TRANSLATE_NOOP("ResultsModel",
                       "What held the GPU's clocks back while the case was timed: not a figure to compare"),
     throttleValue, asIs},
    {QT_TRANSLATE_NOOP("ResultsModel", "p50, ms"),
     QT_TRANSLATE_NOOP("ResultsModel", "Median latency, milliseconds"),
     timed<[](R r) { return r.latency.p50; }>, asMs},
    {QT_TRANSLATE_NOOP("ResultsModel", "p95, ms"),
     QT_TRANSLATE_NOOP("ResultsModel", "95th percentile of the latency, milliseconds"),
     timed<[](R r) { return r.latency.p95; }>, asMs},
    {QT_TRANSLATE_NOOP("ResultsModel", "÷ copy"),
     QT_TRANSLATE_NOOP(
         "ResultsModel",
         "p50 as a multiple of moving what the case reads and writes, measured in the same run"),
     timed<[](R r) { return r.ratio_to_copy; }>, asRatio},
    {QT_TRANSLATE_NOOP("ResultsModel", "Mpix/s"),
     QT_TRANSLATE_NOOP("ResultsModel", "Throughput at p50, million pixels a second"),
     timed<[](R r) { return r.throughput_mpix_per_s_p50; }>, asRate},
    {QT_TRANSLATE_NOOP("ResultsModel", "GB/s"),
     QT_TRANSLATE_NOOP("ResultsModel",
                       "Throughput at p50, 1e9 bytes a second: what it reads and writes, each once"),
     timed<[](R r) { return r.throughput_gb_per_s_p50; }>, asRate},
    {QT_TRANSLATE_NOOP("ResultsModel", "Parity"),
     QT_TRANSLATE_NOOP("ResultsModel", "Agreement with the double-precision reference, before timing"),
     parityValue, asIs},
    {QT_TRANSLATE_NOOP("ResultsModel", "Max error"),
     QT_TRANSLATE_NOOP("ResultsModel", "Largest error against the reference: absolute, of pooling relative"),
     errorValue, asError},
    {QT_TRANSLATE_NOOP("ResultsModel", "Bound"),
     QT_TRANSLATE_NOOP("ResultsModel", "What the largest error may be"),
     [](R r) -> QVariant { return r.parity ? QVariant(r.parity->bound) : QVariant(); }, asError},
    {QT_TRANSLATE_NOOP("ResultsModel", "Min, ms"),
     QT_TRANSLATE_NOOP("ResultsModel", "Shortest latency, milliseconds"),
     timed<[](R r) { return r.latency.min; }>, asMs},
    {QT_TRANSLATE_NOOP("ResultsModel", "p5, ms"),
     QT_TRANSLATE_NOOP("ResultsModel", "5th percentile of the latency, milliseconds"),
     timed<[](R r) { return r.latency.p5; }>, asMs},
    {QT_TRANSLATE_NOOP("ResultsModel", "p99, ms"),
     QT_TRANSLATE_NOOP("ResultsModel", "99th percentile of the latency, milliseconds"),
     timed<[](R r) { return r.latency.p99; }>, asMs},
    {QT_TRANSLATE_NOOP("ResultsModel", "Max, ms"),
     QT_TRANSLATE_NOOP("ResultsModel", "Longest latency, milliseconds"),
     timed<[](R r) { return r.latency.max; }>, asMs},
    {QT_TRANSLATE_NOOP("ResultsModel", "Mean, ms"),
     QT_TRANSLATE_NOOP("ResultsModel", "Mean latency, milliseconds"),
     timed<[](R r) { return r.latency.mean; }>, asMs},
    {QT_TRANSLATE_NOOP("ResultsModel", "SD, ms"),
     QT_TRANSLATE_NOOP("ResultsModel", "Standard deviation of the latency, milliseconds"),
     timed<[](R r) { return r.latency.standard_deviation; }>, asMs},
    {QT_TRANSLATE_NOOP("ResultsModel", "MAD, ms"),
     QT_TRANSLATE_NOOP("ResultsModel", "Median absolute deviation of the latency, milliseconds"),
     timed<[](R r) { return r.latency.median_absolute_deviation; }>, asMs},
    {QT_TRANSLATE_NOOP("ResultsModel", "Copy p50, ms"),
     QT_TRANSLATE_NOOP("ResultsModel",
                       "Median latency of moving what the case reads and writes, milliseconds"),
     timed<[](R r) { return r.copy_latency.p50; }>, asMs},
    {QT_TRANSLATE_NOOP("ResultsModel", "Samples"),
     QT_TRANSLATE_NOOP("ResultsModel", "Timed iterations, all kept"),
     timed<[](R r) { return qlonglong(r.samples.size()); }>, asIs},
    {QT_TRANSLATE_NOOP("ResultsModel", "Preempted"),
     QT_TRANSLATE_NOOP("ResultsModel",
                       "Samples during which the system took a processor away: marked, not dropped"),
     timed<[](R r) { return preemptedCount(r); }>, asIs},
    {QT_TRANSLATE_NOOP("ResultsModel", "Size, px"),
     QT_TRANSLATE_NOOP("ResultsModel", "Width and height of the plane, pixels"),
     // Sorts by area.
     [](R r) -> QVariant { return sizeText(r.what); }, asIs},
    {QT_TRANSLATE_NOOP("ResultsModel", "Operation"),
     QT_TRANSLATE_NOOP("ResultsModel", "Filter, pooling operation or recipe"),
     [](R r) -> QVariant { return operationText(r.what); }, asIs},
    {QT_TRANSLATE_NOOP("ResultsModel", "Pass"),
     QT_TRANSLATE_NOOP("ResultsModel", "Of pooling: forward, or backward from the result's gradient"),
     [](R r) -> QVariant {
         const auto* pool = r.what.pool();
         return pool ? QVariant(toText(name_of(pool->pass))) : QVariant();
     },
     asIs},
    {QT_TRANSLATE_NOOP("ResultsModel", "Border"),
     QT_TRANSLATE_NOOP("ResultsModel", "How a filter continues the picture beyond its edge"),
     [](R r) -> QVariant {
         const auto* filter = r.what.filter();
         return filter ? QVariant(toText(iir2d::name_of(filter->border))) : QVariant();
     },
     asIs},
    {QT_TRANSLATE_NOOP("ResultsModel", "Precision"),
     QT_TRANSLATE_NOOP("ResultsModel",
                       "f32, mixed (f32 with f64 inside) or f64; of pooling also f16 or bf16"),
     [](R r) -> QVariant { return precisionText(r.what); }, asIs},
    {QT_TRANSLATE_NOOP("ResultsModel", "Kernel"),
     QT_TRANSLATE_NOOP("ResultsModel", "The kernel and variant that the plan chose"), kernelValue, asIs},
}};

bool isText(int column) {
    switch (column) {
        case ResultsModel::case_name:
        case ResultsModel::failure:
        case ResultsModel::throttled:
        case ResultsModel::parity:
        case ResultsModel::size:
        case ResultsModel::operation:
        case ResultsModel::pass:
        case ResultsModel::border:
        case ResultsModel::precision:
        case ResultsModel::kernel:
            return true;
        default:
            return false;
    }
}

QString spoken(const CaseResult& r) {
    if (r.failure) return toText("failed: " + *r.failure);
    const std::string throttle = throttled_by(r);
    return toText(r.what.key + (throttle.empty() ? "" : "\nthrottled: " + throttle));
}

}  // namespace

bool ResultsModel::anyFailed() const {
    return std::ranges::any_of(m_results, [](const CaseResult& r) { return r.failure.has_value(); });
}

bool ResultsModel::anyThrottled() const {
    return std::ranges::any_of(m_results, [](const CaseResult& r) { return !throttled_by(r).empty(); });
}

void ResultsModel::clear() {
    beginResetModel();
    m_results.clear();
    endResetModel();
}

void ResultsModel::append(const CaseResult& result) {
    const int row = int(m_results.size());
    beginInsertRows({}, row, row);
    m_results.push_back(result);
    endInsertRows();
}

void ResultsModel::replace(std::vector<CaseResult> results) {
    beginResetModel();
    m_results = std::move(results);
    endResetModel();
}

int ResultsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_results.size());
}

int ResultsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : column_count;
}

QVariant ResultsModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const CaseResult& result = m_results[std::size_t(index.row())];
    const ColumnRow& column = table[std::size_t(index.column())];
    switch (role) {
        case Qt::DisplayRole: {
            const QVariant value = column.value(result);
            if (value.isValid()) return column.text(value);
            return index.column() == failure || index.column() == throttled ? QString() : dash;
        }
        case ValueRole:
            // By area, not by the text of the width.
            if (index.column() == size) return qlonglong(result.what.width * result.what.height);
            return column.value(result);
        case FiguresTable::CopyRole:
            // The size is sorted by its area and copied as it is read.
            return index.column() == size ? column.value(result) : QVariant();
        case Qt::TextAlignmentRole:
            return int((isText(index.column()) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        case Qt::FontRole:
            return isText(index.column()) ? QVariant() : QVariant(tabularFont());
        case Qt::ForegroundRole:
            if (index.column() == failure) return themeColours().error;
            if (index.column() == throttled) return themeColours().warning;
            if (index.column() == parity && result.parity) {
                return result.parity->passed ? themeColours().success : themeColours().error;
            }
            return isTimed(result) ? QVariant() : QVariant(themeColours().muted);
        case Qt::ToolTipRole:
            return spoken(result);
        default:
            return {};
    }
}

QVariant ResultsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= column_count) {
        return QAbstractTableModel::headerData(section, orientation, role);
    }
    const ColumnRow& column = table[std::size_t(section)];
    switch (role) {
        case Qt::DisplayRole:
            return ResultsWords::tr(column.header);
        case Qt::ToolTipRole:
            return ResultsWords::tr(column.help);
        case Qt::TextAlignmentRole:
            return int((isText(section) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        default:
            return {};
    }
}

ResultsOrder::ResultsOrder(QObject* parent) : QSortFilterProxyModel(parent) {
    setSortRole(ResultsModel::ValueRole);
    setSortCaseSensitivity(Qt::CaseInsensitive);
}

bool ResultsOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const QVariant a = left.data(sortRole());
    const QVariant b = right.data(sortRole());
    // Descending, the proxy asks with the sides exchanged.
    if (a.isValid() != b.isValid()) return a.isValid() == (sortOrder() == Qt::AscendingOrder);
    if (!a.isValid()) return left.row() < right.row();
    if (a.typeId() == QMetaType::QString) return QSortFilterProxyModel::lessThan(left, right);
    return a.toDouble() < b.toDouble();
}

}  // namespace workbench
