// SPDX-License-Identifier: MIT
#include "ui/charts/verdict_style.h"

#include <QCoreApplication>
#include <QLocale>

#include "ui/charts/figures.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

QString verdictTr(const char* text) {
    return QCoreApplication::translate("VerdictStyle", text);
}

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
            return verdictTr("The whole interval of the ratio is within the margin.");
        case Verdict::faster:
            return verdictTr(
                "Significantly faster, by more than the margin, by the clock and beside the copy.");
        case Verdict::slower:
            return verdictTr(
                "Significantly slower, by more than the margin, by the clock and beside the copy.");
        case Verdict::ambiguous:
            return verdictTr(
                "Neither the same nor different can be said of these samples: measure again on a quiet "
                "machine, or longer.");
        case Verdict::not_timed:
            break;
    }
    return verdictTr("The case has no samples in one of the two records.");
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
            return verdictTr("Times copy");
        case Metric::latency:
            return verdictTr("Latency");
        case Metric::throughput:
            break;
    }
    return verdictTr("Throughput");
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
    return verdictTr("%1 Mpix/s").arg(rateText(value));
}

QString percentText(double part) {
    return (part >= 0 ? QStringLiteral("+") : QStringLiteral("−")) +
           verdictTr("%1 %").arg(QLocale().toString(std::abs(100 * part), 'f', 1));
}

QString pText(double p) {
    return p < 1e-4 ? QStringLiteral("< ") + QLocale().toString(1e-4, 'f', 4) : QLocale().toString(p, 'g', 3);
}

}  // namespace workbench
