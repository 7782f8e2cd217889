// SPDX-License-Identifier: MIT
// Gives verdicts a word, a symbol and a colour, so that a reader needs no single one of them.
#pragma once

#include <QColor>
#include <QPointF>
#include <QString>

#include "core/evidence/compare.h"
#include "core/evidence/duel_verdict.h"

class QPainter;

namespace workbench {

// Returns "◀", "▶", "=", "?" or "–": faster and slower point to the side of the chart they lie on.
QString verdictSymbol(Verdict verdict);
QString verdictText(Verdict verdict);   // "▶ SLOWER"
QString verdictHelp(Verdict verdict);   // what it means, one sentence
QColor verdictColour(Verdict verdict);  // of the theme in force, readable on base and panel
// Draws its mark, about 10 wide: shapes as well as colours.
void drawVerdict(QPainter& painter, Verdict verdict, const QPointF& at);

// Return the same for duels, which have "…", "≠" and "✕" too: undecided, wrong and failed.
QString verdictSymbol(DuelVerdict verdict);
QString verdictText(DuelVerdict verdict);
QString verdictHelp(DuelVerdict verdict);
QColor verdictColour(DuelVerdict verdict);
void drawVerdict(QPainter& painter, DuelVerdict verdict, const QPointF& at);

QString metricText(Metric metric);                 // "Times copy"
QString metricValue(double value, Metric metric);  // with its unit: "2.41×", "1.2345 ms", "512.3 Mpix/s"

QString percentText(double part);  // "+3.2 %" from 0.032, signed
QString pText(double p);           // "0.0123", "< 0.0001"

}  // namespace workbench
