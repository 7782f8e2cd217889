// SPDX-License-Identifier: MIT
#include "ui/charts/verdict_style.h"

#include <QCoreApplication>
#include <QLocale>
#include <array>

#include "ui/charts/figures.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

struct VerdictWords {
    Q_DECLARE_TR_FUNCTIONS(VerdictStyle)
};

struct VerdictLook {
    const char* symbol;
    QColor ThemeColours::*colour;
    const char* help;
};

// In the order of Verdict.
constexpr std::array<VerdictLook, 5> verdictLooks = {{
    {"=", &ThemeColours::text,
     QT_TRANSLATE_NOOP("VerdictStyle", "The whole interval of the ratio is within the margin.")},
    {"◀", &ThemeColours::accent,
     QT_TRANSLATE_NOOP("VerdictStyle",
                       "Significantly faster, by more than the margin, by the clock and beside the copy.")},
    {"▶", &ThemeColours::error,
     QT_TRANSLATE_NOOP("VerdictStyle",
                       "Significantly slower, by more than the margin, by the clock and beside the copy.")},
    {"?", &ThemeColours::warning,
     QT_TRANSLATE_NOOP(
         "VerdictStyle",
         "Neither the same nor different can be said of these samples: measure again on a quiet "
         "machine, or longer.")},
    {"–", &ThemeColours::muted,
     QT_TRANSLATE_NOOP("VerdictStyle", "The case has no samples in one of the two records.")},
}};

// In the order of Metric.
constexpr std::array metricNames = {QT_TRANSLATE_NOOP("VerdictStyle", "Times copy"),
                                    QT_TRANSLATE_NOOP("VerdictStyle", "Latency"),
                                    QT_TRANSLATE_NOOP("VerdictStyle", "Throughput")};

const VerdictLook& lookOf(Verdict verdict) {
    return verdictLooks[std::size_t(verdict)];
}

}  // namespace

QString verdictSymbol(Verdict verdict) {
    return QString::fromUtf8(lookOf(verdict).symbol);
}

QString verdictText(Verdict verdict) {
    return verdictSymbol(verdict) + QLatin1Char(' ') + toText(name_of(verdict));
}

QString verdictHelp(Verdict verdict) {
    return VerdictWords::tr(lookOf(verdict).help);
}

QColor verdictColour(Verdict verdict) {
    return themeColours().*lookOf(verdict).colour;
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
