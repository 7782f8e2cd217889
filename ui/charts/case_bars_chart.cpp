// SPDX-License-Identifier: MIT
#include "ui/charts/case_bars_chart.h"

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QChart>
#include <QFontMetricsF>
#include <QHorizontalBarSeries>
#include <QLegend>
#include <QLogValueAxis>
#include <QPainter>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_style.h"
#include "ui/charts/figures.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr double largestNameShare = 0.5;  // of the chart's width
constexpr double gap = 6;

double endOf(const CaseBarsChart::Bar& bar) {
    return std::max({bar.value, bar.whisker.value_or(0.0), bar.beside.value_or(0.0)});
}

}  // namespace

CaseBarsChart::CaseBarsChart(const QString& name, const QString& fileStem, Look look, QWidget* parent)
    : ChartView(name, fileStem, parent), m_look(std::move(look)) {
    setOverlay([this](QPainter& painter) { draw(painter); });
}

void CaseBarsChart::setLogarithmic(bool on) {
    if (on == m_logarithmic) return;
    m_logarithmic = on;
    if (m_bars.empty()) return;
    makeSeries();
    restyle();
    arrange(size());
    updateOverlay();
}

double CaseBarsChart::largestOverSmallest() const {
    double low = std::numeric_limits<double>::infinity();
    double high = 0;
    for (const Bar& bar : m_bars) {
        if (bar.value <= 0.0) continue;
        low = std::min(low, bar.value);
        high = std::max(high, bar.value);
    }
    return high > 0.0 ? high / low : 1.0;
}

void CaseBarsChart::buildBars(std::vector<Bar> bars, const QString& common, int chosen) {
    m_bars = std::move(bars);
    m_common = common;
    m_chosen = chosen;
    makeSeries();
    const bool two = m_besideSet != nullptr;
    const int row = QFontMetrics(chartFont()).height() + (two ? 12 : m_look.rowPadding);
    setMinimumHeight(std::min(int(m_bars.size()) * row + 90, 16000));
}

void CaseBarsChart::makeSeries() {
    chart()->removeAllSeries();
    for (QAbstractAxis* axis : chart()->axes()) {
        chart()->removeAxis(axis);
        delete axis;
    }
    m_valueAxis = nullptr;
    setHeading(m_common.isEmpty() ? m_look.title : m_look.title + QStringLiteral(" · ") + m_common,
               m_look.reference && !m_look.referenceText.isEmpty());

    double smallest = std::numeric_limits<double>::infinity();
    double largest = m_look.reference.value_or(0.0);
    for (const Bar& bar : m_bars) {
        if (bar.value > 0.0) smallest = std::min(smallest, bar.value);
        largest = std::max(largest, endOf(bar));
    }
    if (largest <= 0.0) largest = 1.0;

    // The axis of a bar chart has its first category at the bottom.
    m_set = new QBarSet(m_look.title);
    QList<qreal> values;
    QList<qreal> others;
    QStringList names;
    for (std::size_t i = m_bars.size(); i-- > 0;) {
        values.append(drawsMarks() ? 0.0 : m_bars[i].value);
        others.append(m_bars[i].beside.value_or(0.0));
        names.append(QString::number(i));
    }
    m_set->append(values);
    auto* series = new QHorizontalBarSeries;
    series->setBarWidth(0.62);
    series->append(m_set);
    m_besideSet = nullptr;
    if (std::ranges::any_of(m_bars, [](const Bar& bar) { return bar.beside.has_value(); })) {
        m_besideSet = new QBarSet(m_look.title);
        m_besideSet->append(others);
        series->append(m_besideSet);
    }
    chart()->addSeries(series);
    if (m_chosen >= 0) m_set->selectBar(int(m_bars.size()) - 1 - m_chosen);

    m_caseAxis = new QBarCategoryAxis;
    m_caseAxis->append(names);
    m_caseAxis->setLabelsVisible(false);  // drawn in draw(): the chart would cut them
    chart()->addAxis(m_caseAxis, Qt::AlignLeft);
    series->attachAxis(m_caseAxis);

    if (m_logarithmic && std::isfinite(smallest)) {
        auto* axis = new QLogValueAxis;
        axis->setBase(10);
        m_low =
            std::pow(10.0, std::floor(std::log10(std::min(smallest, m_look.reference.value_or(smallest)))));
        m_high = std::pow(10.0, std::ceil(std::log10(largest) + 1e-9));
        axis->setRange(m_low, m_high);
        axis->setLabelFormat(QStringLiteral("%.4g"));
        m_valueAxis = axis;
    } else {
        auto* axis = new QValueAxis;
        m_scale = tickScale(lowEnd().value_or(0.0), highEnd().value_or(largest), 4);
        applyScale(*axis, m_scale);
        m_low = m_scale.low;
        m_high = axis->max();
        m_valueAxis = axis;
    }
    m_valueAxis->setTitleText(m_logarithmic && !m_look.logarithmicAxis.isEmpty() ? m_look.logarithmicAxis
                                                                                 : m_look.axis);
    chart()->addAxis(m_valueAxis, Qt::AlignBottom);
    series->attachAxis(m_valueAxis);

    chart()->legend()->hide();  // the axis says what bars and whiskers are
}

void CaseBarsChart::restyle() {
    if (m_set == nullptr || m_caseAxis == nullptr) return;
    styleAxis(*m_caseAxis, false);
    styleAxis(*m_valueAxis, true);
    QColor colour = themeColours().*m_look.colour;
    m_set->setPen(Qt::NoPen);
    m_set->setBorderColor(Qt::transparent);
    m_set->setSelectedColor(colour);
    if (m_chosen >= 0) colour.setAlphaF(0.62F);
    m_set->setColor(colour);
    m_set->setBrush(colour);
    if (m_besideSet == nullptr) return;
    // Told apart by more than colour: the other is hatched.
    m_besideSet->setPen(linePen(themeColours().accent2, 1));
    m_besideSet->setBrush(QBrush(themeColours().accent2, Qt::BDiagPattern));
}

QColor CaseBarsChart::figureColour(std::size_t bar) const {
    return m_bars[bar].failed ? themeColours().error : themeColours().text;
}

void CaseBarsChart::arrange(const QSizeF& size) {
    QFont bold = chartFont();  // as the chosen one is
    bold.setBold(true);
    const QFontMetricsF metrics(bold);
    double names = 0;
    double figures = 0;
    for (const Bar& bar : m_bars) {
        names = std::max(names, metrics.horizontalAdvance(bar.name));
        figures = std::max(figures, metrics.horizontalAdvance(bar.figure));
    }
    m_nameWidth = std::min(names + 1, size.width() * largestNameShare);
    setFreeEdges(int(m_nameWidth + 2 * gap), int(figures + 2 * gap), 4);
    spreadTicks(size.width() - m_nameWidth - figures - 4 * gap);
}

// The chart draws all numbers of an axis as dots where one is wider than the room between two ticks.
void CaseBarsChart::spreadTicks(double room) {
    auto* axis = qobject_cast<QValueAxis*>(m_valueAxis);
    if (axis == nullptr) return;
    const QFontMetricsF metrics(chartFont());
    const auto width = [&](double value) {
        return metrics.horizontalAdvance(QString::number(value, 'f', m_scale.decimals)) + gap;
    };
    const double widest = std::max(width(m_low), width(m_high));
    // Half a number stands beyond either end of the plot.
    const double betweenTicks = (room - widest) * m_scale.step / (m_high - m_low);
    int every = 1;
    for (const int next : {2, 5, 10}) {
        if (betweenTicks * every < widest) every = next;
    }
    axis->setTickInterval(m_scale.step * every);
}

double CaseBarsChart::rowHeight() const {
    return chart()->plotArea().height() / double(std::max<std::size_t>(1, m_bars.size()));
}

double CaseBarsChart::xOf(double value) const {
    const QRectF plot = chart()->plotArea();
    double share = (value - m_low) / (m_high - m_low);
    if (m_logarithmic && m_low > 0.0) {
        share = std::log(std::max(value, m_low) / m_low) / std::log(m_high / m_low);
    }
    return plot.left() + std::clamp(share, 0.0, 1.0) * plot.width();
}

double CaseBarsChart::yOf(std::size_t bar) const {
    return chart()->plotArea().top() + (double(bar) + 0.5) * rowHeight();
}

void CaseBarsChart::drawRow(QPainter& painter, std::size_t index) const {
    const ThemeColours& c = themeColours();
    const Bar& bar = m_bars[index];
    const QRectF plot = chart()->plotArea();
    const double height = rowHeight();
    const double y = yOf(index);
    const bool chosen = int(index) == m_chosen;
    if (chosen) {
        QColor band = c.accent;
        band.setAlphaF(0.10F);
        painter.fillRect(QRectF(0, y - height / 2, chart()->rect().width(), height), band);
    }
    QFont font = chartFont();
    font.setBold(chosen);
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    painter.setPen(bar.failed ? c.error : chosen ? c.text : c.muted);
    painter.drawText(QRectF(gap, y - height / 2, m_nameWidth, height),
                     int(Qt::AlignRight | Qt::AlignVCenter) | Qt::TextSingleLine,
                     metrics.elidedText(bar.name, Qt::ElideMiddle, m_nameWidth));
    // Of two bars this one is the lower.
    const double own = bar.beside ? y + height * 0.155 : y;
    if (bar.whisker) {
        const double cap = std::min(8.0, height * (bar.beside ? 0.25 : 0.4)) / 2;
        const double from = xOf(bar.whiskerFrom.value_or(bar.value));
        const double to = xOf(*bar.whisker);
        painter.setPen(linePen(drawsMarks() ? figureColour(index) : c.text, drawsMarks() ? 1.8 : 1.2));
        painter.drawLine(QPointF(from, own), QPointF(to, own));
        painter.drawLine(QPointF(to, own - cap), QPointF(to, own + cap));
        if (bar.whiskerFrom) painter.drawLine(QPointF(from, own - cap), QPointF(from, own + cap));
    }
    if (drawsMarks() && !bar.failed && !bar.blank) drawMark(painter, index, QPointF(xOf(bar.value), own));
    painter.setFont(font);
    painter.setPen(figureColour(index));
    const double mark = drawsMarks() ? 4 : 0;  // a narrow interval leaves the mark the last
    const double end = m_look.figuresAtEnd ? plot.right() : bar.failed ? plot.left() : xOf(endOf(bar)) + mark;
    const double x = end + gap;
    painter.drawText(QRectF(x, y - height / 2, chart()->rect().right() - x, height),
                     int(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextSingleLine, bar.figure);
}

void CaseBarsChart::draw(QPainter& painter) const {
    const ThemeColours& c = themeColours();
    const QRectF plot = chart()->plotArea();
    drawBelow(painter, plot);
    if (const auto line = m_look.reference) {
        painter.setPen(linePen(c.text, 1.2, Qt::DashLine));
        painter.drawLine(QPointF(xOf(*line), plot.top()), QPointF(xOf(*line), plot.bottom()));
    }
    for (std::size_t i = 0; i < m_bars.size(); ++i) drawRow(painter, i);
    if (m_look.reference && !m_look.referenceText.isEmpty()) {
        painter.setFont(chartFont());
        painter.setPen(c.text);
        painter.drawText(QPointF(xOf(*m_look.reference) + 4, labelBaseline()), m_look.referenceText);
    }
}

int CaseBarsChart::caseAt(const QPointF& position) const {
    const QRectF plot = chart()->plotArea();
    if (position.y() < plot.top() || position.y() >= plot.bottom() || m_bars.empty()) return -1;
    return std::min(int((position.y() - plot.top()) / rowHeight()), int(m_bars.size()) - 1);
}

QString CaseBarsChart::toolTipAt(const QPointF& position) const {
    const int index = caseAt(position);
    return index < 0 ? QString() : m_bars[std::size_t(index)].toolTip;
}

QSize CaseBarsChart::sizeHint() const {
    return {480, std::max(240, minimumHeight())};
}

// Results -----------------------------------------------------------------------------------------------

ResultBarsChart::ResultBarsChart(const QString& name, const QString& fileStem, Look look, Figures figures,
                                 QWidget* parent)
    : CaseBarsChart(name, fileStem, std::move(look), parent), m_figures(std::move(figures)) {}

QString ResultBarsChart::build(const std::vector<CaseResult>& results, int chosen) {
    const CaseNames names = nameCases(results);
    std::vector<Bar> bars;
    QStringList lines;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const CaseResult& r = results[i];
        const QString label = toText(r.what.label);
        Bar bar;
        if (isTimed(r)) {
            bar = m_figures.bar(r);
            lines.append(QStringLiteral("%1: %2").arg(label, m_figures.words(r)));
        } else {
            bar.failed = true;
            bar.figure = tr("not timed");
            bar.toolTip = tr("%1\nNot timed: %2").arg(label, toText(r.failure.value_or("")));
            lines.append(tr("%1: not timed").arg(label));
        }
        bar.name = names.cases[qsizetype(i)];
        bars.push_back(std::move(bar));
    }
    buildBars(std::move(bars), names.common, chosen);
    return QStringLiteral("%1 %2").arg(m_figures.subject, lines.join(QStringLiteral("; ")));
}

LatencyChart::LatencyChart(QWidget* parent)
    : ResultBarsChart(
          tr("Latency"), QStringLiteral("latency"),
          {.title = tr("Latency"),
           .axis = tr("p50, whisker to p95 (ms)"),
           .logarithmicAxis = tr("p50, whisker to p95 (ms, log)")},
          {.subject = tr("Bars of the median latency by case."),
           .bar =
               [](const CaseResult& r) {
                   return Bar{.value = r.latency.p50,
                              .whisker = r.latency.p95,
                              .figure = msText(r.latency.p50),
                              .toolTip = tr("%1\np50 %2\np95 %3\np5 %4\n%5 of a copy")
                                             .arg(toText(r.what.label), msWithUnit(r.latency.p50),
                                                  msWithUnit(r.latency.p95), msWithUnit(r.latency.p5),
                                                  ratioText(r.ratio_to_copy))};
               },
           .words =
               [](const CaseResult& r) {
                   return tr("p50 %1, p95 %2").arg(msWithUnit(r.latency.p50), msWithUnit(r.latency.p95));
               }},
          parent) {}

RatioChart::RatioChart(QWidget* parent)
    : ResultBarsChart(
          tr("Against a copy"), QStringLiteral("ratio-to-copy"),
          {.title = tr("Latency against a copy"),
           .axis = tr("Multiple of copying the same plane"),
           .colour = &ThemeColours::accent2,
           .reference = 1.0,
           .referenceText = tr("1×: a copy")},
          {.subject = tr("Bars of the median latency as a multiple of copying the plane, by case."),
           .bar =
               [](const CaseResult& r) {
                   return Bar{.value = r.ratio_to_copy,
                              .figure = ratioText(r.ratio_to_copy),
                              .toolTip = tr("%1\n%2 of a copy\np50 %3\ncopy p50 %4")
                                             .arg(toText(r.what.label), ratioText(r.ratio_to_copy),
                                                  msWithUnit(r.latency.p50), msWithUnit(r.copy_latency.p50))};
               },
           .words = [](const CaseResult& r) { return ratioText(r.ratio_to_copy); }},
          parent) {}

}  // namespace workbench
