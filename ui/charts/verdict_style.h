// SPDX-License-Identifier: MIT
// Gives verdicts a word, a symbol and a colour, so that a verdict can be read by any one of them alone.
#pragma once

#include <QColor>
#include <QPointF>
#include <QString>
#include <string_view>

#include "core/evidence/compare.h"
#include "core/evidence/duel_verdict.h"

class QPainter;

namespace workbench {

struct VerdictLook;

// Holds a verdict of a comparison or of a duel.
struct AnyVerdict {
    // NOLINTBEGIN(google-explicit-constructor): callers give either kind
    AnyVerdict(Verdict verdict);
    AnyVerdict(DuelVerdict verdict);
    // NOLINTEND(google-explicit-constructor)

    std::string_view name;
    const VerdictLook& look;
};

// Returns "◀", "▶", "=", "?" or "–": faster and slower point to the side of the chart they lie on. Duels have
// "…", "≠" and "✕" too: undecided, wrong and failed.
QString verdictSymbol(const AnyVerdict& verdict);
QString verdictText(const AnyVerdict& verdict);   // "▶ SLOWER"
QString verdictHelp(const AnyVerdict& verdict);   // what it means, one sentence
QColor verdictColour(const AnyVerdict& verdict);  // of the theme in force, readable on base and panel
// Draws its mark, about 10 wide: shapes as well as colours.
void drawVerdict(QPainter& painter, const AnyVerdict& verdict, const QPointF& at);

QString metricText(Metric metric);                 // "Times copy"
QString metricValue(double value, Metric metric);  // with its unit: "2.41×", "1.2345 ms", "512.3 Mpix/s"

QString percentText(double part);  // "+3.2 %" from 0.032, signed
QString pText(double p);           // "0.0123", "< 0.0001"

}  // namespace workbench
