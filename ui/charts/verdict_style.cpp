// SPDX-License-Identifier: MIT
#include "ui/charts/verdict_style.h"

#include <QCoreApplication>
#include <QLocale>

#include "ui/charts/figures.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

struct VerdictWords {
    Q_DECLARE_TR_FUNCTIONS(VerdictStyle)
};

}  // namespace

QString verdictSymbol(Verdict verdict) {
    switch (verdict) {
        case Verdict::same:
            return QStringLiteral("=");
        case Verdict::faster:
            return QStringLiteral("◀");
        case Verdict::slower:
            return QStringLiteral("▶");
        case Verdict::ambiguous:
            return QStringLiteral("?");
        case Verdict::not_timed:
            break;
    }
    return QStringLiteral("–");
}

QString verdictText(Verdict verdict) {
    return verdictSymbol(verdict) + QLatin1Char(' ') + toText(name_of(verdict));
}

QString verdictHelp(Verdict verdict) {
    switch (verdict) {
        case Verdict::same:
            return VerdictWords::tr("The whole interval of the ratio is within the margin.");
        case Verdict::faster:
            return VerdictWords::tr(
                "Significantly faster, by more than the margin, by the clock and beside the copy.");
        case Verdict::slower:
            return VerdictWords::tr(
                "Significantly slower, by more than the margin, by the clock and beside the copy.");
        case Verdict::ambiguous:
            return VerdictWords::tr(
                "Neither the same nor different can be said of these samples: measure again on a quiet "
                "machine, or longer.");
        case Verdict::not_timed:
            break;
    }
    return VerdictWords::tr("The case has no samples in one of the two records.");
}

QColor verdictColour(Verdict verdict) {
    const ThemeColours& c = themeColours();
    switch (verdict) {
        case Verdict::same:
            return c.text;
        case Verdict::faster:
            return c.accent;
        case Verdict::slower:
            return c.error;
        case Verdict::ambiguous:
            return c.warning;
        case Verdict::not_timed:
            break;
    }
    return c.muted;
}

QString metricText(Metric metric) {
    switch (metric) {
        case Metric::ratio_to_copy:
            return VerdictWords::tr("Times copy");
        case Metric::latency:
            return VerdictWords::tr("Latency");
        case Metric::throughput:
            break;
    }
    return VerdictWords::tr("Throughput");
}

QString metricValue(double value, Metric metric) {
    switch (metric) {
        case Metric::ratio_to_copy:
            return ratioText(value);
        case Metric::latency:
            return msWithUnit(value);
        case Metric::throughput:
            break;
    }
    return VerdictWords::tr("%1 Mpix/s").arg(rateText(value));
}

QString percentText(double part) {
    return (part >= 0 ? QStringLiteral("+") : QStringLiteral("−")) +
           VerdictWords::tr("%1 %").arg(QLocale().toString(std::abs(100 * part), 'f', 1));
}

QString pText(double p) {
    return p < 1e-4 ? QStringLiteral("< ") + QLocale().toString(1e-4, 'f', 4) : QLocale().toString(p, 'g', 3);
}

}  // namespace workbench
