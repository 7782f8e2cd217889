// SPDX-License-Identifier: MIT
#include "ui/charts/verdict_style.h"

#include <QCoreApplication>
#include <QLocale>
#include <QPainter>
#include <array>

#include "ui/charts/figures.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {

struct VerdictLook {
    // Triangles to their side, a square, a diamond, and a ring for what is open.
    enum class Mark { square, left, right, diamond, ring };

    const char* symbol;
    QColor ThemeColours::*colour;
    Mark mark;
    const char* help;
};

namespace {

using Mark = VerdictLook::Mark;

struct VerdictWords {
    Q_DECLARE_TR_FUNCTIONS(VerdictStyle)
};

// In the order of Verdict.
constexpr std::array<VerdictLook, 5> verdictLooks = {{
    {"=", &ThemeColours::text, Mark::square,
     QT_TRANSLATE_NOOP("VerdictStyle", "The whole interval of the ratio is within the margin.")},
    {"◀", &ThemeColours::accent, Mark::left,
     QT_TRANSLATE_NOOP("VerdictStyle",
                       "Significantly faster, by more than the margin, by the clock and beside the copy.")},
    {"▶", &ThemeColours::error, Mark::right,
     QT_TRANSLATE_NOOP("VerdictStyle",
                       "Significantly slower, by more than the margin, by the clock and beside the copy.")},
    {"?", &ThemeColours::warning, Mark::diamond,
     QT_TRANSLATE_NOOP(
         "VerdictStyle",
         "Neither the same nor different can be said of these samples: measure again on a quiet "
         "machine, or longer.")},
    {"–", &ThemeColours::muted, Mark::square,
     QT_TRANSLATE_NOOP("VerdictStyle", "The case has no samples in one of the two records.")},
}};

// In the order of DuelVerdict.
constexpr std::array<VerdictLook, 7> duelLooks = {{
    {"…", &ThemeColours::muted, Mark::ring,
     QT_TRANSLATE_NOOP("VerdictStyle", "Nothing can be said so far: pairs are still measured.")},
    {"=", &ThemeColours::text, Mark::square,
     QT_TRANSLATE_NOOP("VerdictStyle", "The whole interval of the change is within the margin.")},
    {"◀", &ThemeColours::accent, Mark::left,
     QT_TRANSLATE_NOOP("VerdictStyle",
                       "The interval leaves out 0 %, and the new build is faster by more than the margin and "
                       "than the control differs.")},
    {"▶", &ThemeColours::error, Mark::right,
     QT_TRANSLATE_NOOP("VerdictStyle",
                       "The interval leaves out 0 %, and the new build is slower by more than the margin and "
                       "than the control differs.")},
    {"?", &ThemeColours::warning, Mark::diamond,
     QT_TRANSLATE_NOOP("VerdictStyle",
                       "Neither the same nor different can be said with the pairs and the time that there "
                       "were: give more time, or measure on a quiet machine.")},
    {"≠", &ThemeColours::error, Mark::square,
     QT_TRANSLATE_NOOP("VerdictStyle",
                       "The results of the two builds differ by more than they may: it was not timed.")},
    {"✕", &ThemeColours::error, Mark::square,
     QT_TRANSLATE_NOOP("VerdictStyle", "There is nothing to compare: the reason stands in the table.")},
}};

// In the order of Metric.
constexpr std::array metricNames = {QT_TRANSLATE_NOOP("VerdictStyle", "Times copy"),
                                    QT_TRANSLATE_NOOP("VerdictStyle", "Latency"),
                                    QT_TRANSLATE_NOOP("VerdictStyle", "Throughput")};

}  // namespace

AnyVerdict::AnyVerdict(Verdict verdict) : name(name_of(verdict)), look(verdictLooks[std::size_t(verdict)]) {}
AnyVerdict::AnyVerdict(DuelVerdict verdict) : name(name_of(verdict)), look(duelLooks[std::size_t(verdict)]) {}

QString verdictSymbol(const AnyVerdict& verdict) {
    return QString::fromUtf8(verdict.look.symbol);
}

QString verdictText(const AnyVerdict& verdict) {
    return verdictSymbol(verdict) + QLatin1Char(' ') + toText(verdict.name);
}

QString verdictHelp(const AnyVerdict& verdict) {
    return VerdictWords::tr(verdict.look.help);
}

QColor verdictColour(const AnyVerdict& verdict) {
    return themeColours().*verdict.look.colour;
}

void drawVerdict(QPainter& painter, const AnyVerdict& verdict, const QPointF& at) {
    const VerdictLook& look = verdict.look;
    constexpr double r = 5;
    const QColor colour = themeColours().*look.colour;
    painter.setPen(QPen(themeColours().base, 1));
    painter.setBrush(colour);
    const auto polygon = [&](std::initializer_list<QPointF> corners) {
        QPolygonF shape;
        for (const QPointF& corner : corners) shape.append(at + corner);
        painter.drawPolygon(shape);
    };
    switch (look.mark) {
        case Mark::right:
            polygon({{r, 0}, {-r, -r}, {-r, r}});
            break;
        case Mark::left:
            polygon({{-r, 0}, {r, -r}, {r, r}});
            break;
        case Mark::diamond:
            polygon({{0, -r}, {r, 0}, {0, r}, {-r, 0}});
            break;
        case Mark::square:
            painter.drawRect(QRectF(at.x() - 4, at.y() - 4, 8, 8));
            break;
        case Mark::ring:
            painter.setPen(QPen(colour, 1.6));
            painter.setBrush(themeColours().base);
            painter.drawEllipse(at, 4, 4);
            break;
    }
}

QString metricText(Metric metric) {
    return VerdictWords::tr(metricNames[std::size_t(metric)]);
}

QString metricValue(double value, Metric metric) {
    if (metric == Metric::ratio_to_copy) return ratioText(value);
    return metric == Metric::latency ? msWithUnit(value) : VerdictWords::tr("%1 Mpix/s").arg(rateText(value));
}

QString percentText(double part) {
    return (part >= 0 ? QStringLiteral("+") : QStringLiteral("−")) +
           VerdictWords::tr("%1 %").arg(QLocale().toString(std::abs(100 * part), 'f', 1));
}

QString pText(double p) {
    return p < 1e-4 ? QStringLiteral("< ") + QLocale().toString(1e-4, 'f', 4) : QLocale().toString(p, 'g', 3);
}

}  // namespace workbench
