// SPDX-License-Identifier: MIT
#include "ui/charts/duel_chart.h"

#include <QChart>
#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_style.h"
#include "ui/charts/figures.h"
#include "ui/charts/verdict_style.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

double percent(double ratio) {
    return 100 * (ratio - 1);
}

Interval inPercent(const Interval& interval) {
    return {percent(interval.low), percent(interval.high)};
}

}  // namespace

DuelChart::DuelChart(QWidget* parent)
    : CaseBarsChart(tr("Change"), QStringLiteral("duel-change"),
                    {.title = tr("Change of the time"),
                     .axis = tr("◀ faster · change in % · slower ▶"),
                     .reference = 0.0,
                     .rowPadding = 14,
                     .figuresAtEnd = true},
                    parent) {}

// All that is decided, and what is estimated of the rest: an interval that is still wide would leave the
// others no room.
void DuelChart::fitAxis(const DuelRows& rows) {
    m_low = -2 * m_margin;
    m_high = 2 * m_margin;
    const auto take = [this](double value) {
        m_low = std::min(m_low, value);
        m_high = std::max(m_high, value);
    };
    for (const DuelRow& row : rows.rows) {
        const DuelLook* look = row.shownLook();
        if (look == nullptr) continue;
        take(1.2 * percent(look->effect.ratio));
        if (row.state != DuelRow::State::done) continue;
        const double estimate = std::abs(percent(look->effect.ratio));
        const auto takeWithin = [&](const Interval& interval, double most) {
            take(std::max(interval.low, -most));
            take(std::min(interval.high, most));
        };
        takeWithin(inPercent(look->effect.interval), 4 * m_margin + 2 * estimate);
        takeWithin(inPercent(look->control.interval), 4 * m_margin + estimate / 2);
    }
    m_low = std::max(m_low, -100.0);  // nothing takes less than no time
}

void DuelChart::showDuel(const DuelRows& rows, int chosen) {
    m_margin = 100 * rows.margin;
    fitAxis(rows);
    m_drawn.clear();
    std::vector<Bar> bars;
    QStringList lines;
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
        const DuelRow& row = rows.rows[i];
        Drawn drawn{.verdict = row.verdict, .isDone = row.state == DuelRow::State::done};
        Bar bar{.name = rows.names[qsizetype(i)], .figure = row.figure()};
        QString words = bar.figure;
        if (const DuelLook* look = row.shownLook()) {
            drawn.effect = inPercent(look->effect.interval);
            if (std::isfinite(look->control.interval.high)) drawn.control = inPercent(look->control.interval);
            bar.value = percent(look->effect.ratio);
            words = tr("%1, change %2, interval %3, control %4, %n pair(s)", nullptr, int(row.pairs))
                        .arg(toText(name_of(row.verdict)), percentText(look->effect.ratio - 1),
                             intervalText(look->effect.interval), intervalText(look->control.interval));
        } else {
            bar.failed = drawn.isDone;
            bar.blank = !drawn.isDone;
            drawn.reason = row.reason;
        }
        bar.toolTip = toText(row.what.label) + QLatin1Char('\n') + words;
        if (drawn.isDone) bar.toolTip += QLatin1Char('\n') + verdictHelp(row.verdict);
        if (const QString notes = row.notes(); !notes.isEmpty()) bar.toolTip += QLatin1Char('\n') + notes;
        lines.append(bar.name + QStringLiteral(": ") + words);
        m_drawn.push_back(drawn);
        bars.push_back(std::move(bar));
    }
    present(int(bars.size()), chosen, tr("No duel yet"), [&] {
        buildBars(std::move(bars), rows.common, chosen);
        // A line of its own says what is drawn how.
        setHeading(heading(), true);
        return tr("Change of each case's time from the base to the new build, with its interval. %1")
            .arg(lines.join(QStringLiteral("; ")));
    });
}

QColor DuelChart::figureColour(std::size_t bar) const {
    const Drawn& drawn = m_drawn[bar];
    return drawn.isDone ? verdictColour(drawn.verdict) : themeColours().muted;
}

void DuelChart::drawInterval(QPainter& painter, const Interval& interval, double y, double cap) const {
    const QRectF plot = chart()->plotArea();
    const double from = xOf(interval.low);
    const double to = xOf(interval.high);
    painter.drawLine(QPointF(from, y), QPointF(to, y));
    const auto end = [&](double x, bool isBeyond, double inwards) {
        if (isBeyond) {
            painter.drawLine(QPointF(x, y), QPointF(x + inwards, y - cap));
            painter.drawLine(QPointF(x, y), QPointF(x + inwards, y + cap));
        } else {
            painter.drawLine(QPointF(x, y - cap), QPointF(x, y + cap));
        }
    };
    end(from, from <= plot.left() + 0.5, cap);
    end(to, to >= plot.right() - 0.5, -cap);
}

void DuelChart::drawBelow(QPainter& painter, const QRectF& plot) const {
    const ThemeColours& c = themeColours();
    QColor band = c.muted;
    band.setAlphaF(0.14F);
    // As verdicts are judged: the lower end is that of the margin turned round.
    const double from = xOf(percent(1 / (1 + m_margin / 100)));
    const double to = xOf(m_margin);
    painter.fillRect(QRectF(from, plot.top(), to - from, plot.height()), band);

    painter.setFont(chartFont());
    painter.setPen(c.muted);
    const QString legend = tr("band: margin ±%1 %  ·  thick: change  ·  pale: control")
                               .arg(QLocale().toString(m_margin, 'g', 3));
    const QFontMetricsF metrics(chartFont());
    const double width = chart()->rect().width() - 2 * normalSpacing;
    const QString shown = metrics.elidedText(legend, Qt::ElideRight, width);
    const double left = std::clamp(plot.center().x() - metrics.horizontalAdvance(shown) / 2,
                                   double(normalSpacing), normalSpacing + width);
    painter.drawText(
        QPointF(std::min(left, normalSpacing + width - metrics.horizontalAdvance(shown)), labelBaseline()),
        shown);

    for (std::size_t i = 0; i < m_drawn.size(); ++i) {
        if (!m_drawn[i].reason.isEmpty()) {
            painter.setPen(c.muted);
            painter.drawText(
                QRectF(plot.left() + normalSpacing, yOf(i) - rowHeight() / 2,
                       plot.width() - 2 * normalSpacing, rowHeight()),
                int(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextSingleLine,
                metrics.elidedText(m_drawn[i].reason, Qt::ElideRight, plot.width() - 2 * normalSpacing));
        }
        if (!m_drawn[i].control) continue;
        QColor pale = c.text;
        pale.setAlphaF(0.38F);
        painter.setPen(linePen(pale, 1.4));
        drawInterval(painter, *m_drawn[i].control, yOf(i) + rowHeight() * 0.27, 2.5);
    }
}

void DuelChart::drawMark(QPainter& painter, std::size_t bar, const QPointF& at) const {
    const Drawn& drawn = m_drawn[bar];
    painter.setPen(linePen(figureColour(bar), 2.4));
    if (drawn.effect) drawInterval(painter, *drawn.effect, at.y(), 5);
    drawVerdict(painter, drawn.verdict, at);
}

}  // namespace workbench
