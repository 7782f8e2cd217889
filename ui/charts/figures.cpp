// SPDX-License-Identifier: MIT
#include "ui/charts/figures.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/support/text.h"

namespace workbench {
namespace {

struct FiguresWords {
    Q_DECLARE_TR_FUNCTIONS(Figures)
};

// Figures in a chart have no thousands separator: "12345.6" beside "9.8765" lines up better.
QString fixed(double value, int decimals) {
    QLocale plain;
    plain.setNumberOptions(plain.numberOptions() | QLocale::OmitGroupSeparator);
    return plain.toString(value, 'f', decimals);
}

// The parts a case's name is made of, in the order they are read; empty when the case has no such part.
struct Parts {
    QString operation;
    QString border;
    QString precision;  // of pooling: its element type
    QString pass;       // of pooling; forward goes without saying
    QString size;
};

QString extentText(iir2d::Extent e) {
    return QStringLiteral("%1 × %2").arg(e.h).arg(e.w);
}

// "max 3 × 3 stride 2 × 2", "adaptive-avg to 7 × 7"
QString poolText(const PoolOperation& pool) {
    const QString op = toText(iir2d::name_of(pool.op));
    if (is_adaptive(pool.op)) return FiguresWords::tr("%1 to %2").arg(op, extentText(pool.output));
    QString window = op + QLatin1Char(' ') + extentText(pool.window);
    if (pool.stride.value_or(pool.window) == pool.window) return window;
    return FiguresWords::tr("%1 stride %2").arg(window, extentText(*pool.stride));
}

Parts partsOf(const BenchmarkCase& what) {
    Parts parts{.operation = operationText(what), .size = sizeText(what)};
    if (const auto* filter = what.filter()) {
        parts.border = toText(iir2d::name_of(filter->border));
        parts.precision = precisionText(what);
    }
    if (const auto* pool = what.pool()) {
        parts.precision = precisionText(what);
        parts.operation = poolText(pool->pool);  // shorter: charts have little room
        if (pool->pass == PoolPass::backward) parts.pass = FiguresWords::tr("backward");
    }
    return parts;
}

QString joined(const QStringList& parts) {
    QStringList present;
    for (const QString& part : parts) {
        if (!part.isEmpty()) present.append(part);
    }
    return present.join(QStringLiteral(", "));
}

}  // namespace

QString msText(double milliseconds) {
    const double size = std::abs(milliseconds);
    return fixed(milliseconds, size >= 1000 ? 1 : size >= 100 ? 2 : size >= 10 ? 3 : 4);
}

QString msWithUnit(double milliseconds) {
    return FiguresWords::tr("%1 ms").arg(msText(milliseconds));
}

QString ratioText(double ratio) {
    return fixed(ratio, 2) + QStringLiteral("×");
}

QString rateText(double rate) {
    const double size = std::abs(rate);
    return fixed(rate, size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

QString errorText(double error) {
    if (error == 0.0) return QStringLiteral("0");
    return QLocale().toString(error, 'e', 2);
}

bool isTimed(const CaseResult& result) {
    return !result.failure && !result.samples.empty();
}

int preemptedCount(const CaseResult& result) {
    return int(std::ranges::count_if(result.samples, &TimedSample::preempted));
}

QString sizeText(const BenchmarkCase& what) {
    return QStringLiteral("%1 × %2").arg(what.width).arg(what.height);
}

QString operationText(const BenchmarkCase& what) {
    if (const auto* filter = what.filter()) return FiguresWords::tr("Filter %1").arg(filter->filter_id);
    if (const auto* pool = what.pool()) {
        const QString text = poolText(pool->pool);
        const int space = int(text.indexOf(QLatin1Char(' ')));
        return FiguresWords::tr("%1 pool %2").arg(text.left(space), text.mid(space + 1));
    }
    const std::string& name = what.recipe()->name;
    return name.empty() ? FiguresWords::tr("Recipe") : QString::fromStdString(name);
}

QString precisionText(const BenchmarkCase& what) {
    const auto* pool = what.pool();
    return toText(pool ? iir2d::name_of(pool->element) : iir2d::name_of(precision_of(what)));
}

QString familyText(const BenchmarkCase& what) {
    const Parts parts = partsOf(what);
    return joined({parts.operation, parts.border, parts.precision, parts.pass});
}

CaseNames nameCases(const std::vector<CaseResult>& results) {
    std::vector<BenchmarkCase> cases;
    cases.reserve(results.size());
    for (const CaseResult& result : results) cases.push_back(result.what);
    return nameCases(cases);
}

CaseNames nameCases(const std::vector<BenchmarkCase>& cases) {
    CaseNames names;
    std::vector<Parts> all;
    all.reserve(cases.size());
    for (const BenchmarkCase& one : cases) all.push_back(partsOf(one));
    constexpr std::array members = {&Parts::operation, &Parts::border, &Parts::precision, &Parts::pass,
                                    &Parts::size};
    std::array<bool, members.size()> shared{};
    QStringList common;
    for (std::size_t m = 0; m < members.size(); ++m) {
        // Cases that have no such part (pooling has no border) do not stand in the way.
        QString value;
        bool same = true;
        for (const Parts& parts : all) {
            const QString& part = parts.*members[m];
            if (part.isEmpty()) continue;
            if (value.isEmpty()) value = part;
            same = same && part == value;
        }
        // A pass that is not named is the other one.
        if (members[m] == &Parts::pass)
            same = std::ranges::all_of(all, [](const Parts& parts) { return !parts.pass.isEmpty(); });
        shared[m] = cases.size() > 1 && same && !value.isEmpty();
        if (shared[m]) common.append(value);
    }
    names.common = common.join(QStringLiteral(", "));
    for (const Parts& parts : all) {
        QStringList kept;
        for (std::size_t m = 0; m < members.size(); ++m) {
            if (!shared[m]) kept.append(parts.*members[m]);
        }
        QString name = joined(kept);
        kept.clear();
        for (std::size_t m = 0; m + 1 < members.size(); ++m) {
            if (!shared[m]) kept.append(parts.*members[m]);
        }
        QString family = joined(kept);
        names.cases.append(name.isEmpty() ? parts.operation : name);
        names.families.append(family.isEmpty() ? parts.operation : family);
    }
    return names;
}

}  // namespace workbench
