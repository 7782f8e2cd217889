// SPDX-License-Identifier: MIT
// Writes figures and cases as text, so that charts and table agree. Pure.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "core/benchmark/benchmark.h"

namespace workbench {

QString msText(double milliseconds);      // "1.2345", at least four significant digits; no unit
QString msWithUnit(double milliseconds);  // "1.2345 ms"
QString ratioText(double ratio);          // "2.41×"
QString rateText(double rate);            // "512.3": three digits or more; no unit
QString errorText(double error);          // "2.38e-07"; "0" when exact

// Returns whether a case was timed, and so has figures: no failure, at least one sample.
bool isTimed(const CaseResult& result);
int preemptedCount(const CaseResult& result);

QString sizeText(const BenchmarkCase& what);       // "1024 × 1024"
QString operationText(const BenchmarkCase& what);  // "Filter 4", "max pool 2 × 2", the recipe's name
QString precisionText(const BenchmarkCase& what);  // "mixed"; of pooling its element type, "f16"
// Returns what makes a line of the throughput chart: everything but the size.
QString familyText(const BenchmarkCase& what);

// Names as short as they can be and still tell the cases apart: what all have in common (a border, a
// precision, a size) is left out of each and named once.
struct CaseNames {
    QStringList cases;     // one a result
    QStringList families;  // one a result: the case's name without its size
    QString common;        // "mirror, f32"; may be empty
};
CaseNames nameCases(const std::vector<BenchmarkCase>& cases);
CaseNames nameCases(const std::vector<CaseResult>& results);

}  // namespace workbench
