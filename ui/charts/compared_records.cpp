// SPDX-License-Identifier: MIT
#include "ui/charts/compared_records.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "core/support/try.h"
#include "ui/charts/figures.h"
#include "ui/session/kept_runs.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

struct RecordsWords {
    Q_DECLARE_TR_FUNCTIONS(ComparedRecords)
};

const CaseResult* resultOf(const Record& record, const std::string& key) {
    const auto found = std::ranges::find(
        record.run.results, key, [](const CaseResult& r) -> const auto& { return r.what.key; });
    return found == record.run.results.end() ? nullptr : &*found;
}

}  // namespace

ComparedRecordsPtr comparedRecords(OpenedRecordPtr base, OpenedRecordPtr now, RecordComparison comparison) {
    auto compared = std::make_shared<ComparedRecords>();
    std::vector<CaseResult> named;
    for (const CaseComparison& c : comparison.cases) {
        CaseResult result;
        if (const CaseResult* r = resultOf(*now, c.now.key)) result.what = r->what;
        named.push_back(std::move(result));
    }
    const CaseNames names = nameCases(named);
    compared->common = names.common;
    for (std::size_t i = 0; i < named.size(); ++i) {
        const CaseComparison& c = comparison.cases[i];
        QString name = names.cases[qsizetype(i)];
        const CaseResult* base_result = c.base.key == c.now.key ? nullptr : resultOf(*base, c.base.key);
        if (base_result) name = RecordsWords::tr("%1 against %2").arg(name, toText(base_result->what.label));
        compared->names.append(name);
    }
    compared->base = std::move(base);
    compared->now = std::move(now);
    compared->comparison = std::move(comparison);
    return compared;
}

Result<ComparedRecordsPtr> compareOpened(OpenedRecordPtr base, OpenedRecordPtr now,
                                         const CompareSettings& settings, const TaskControl& control) {
    IIR2D_TRY(auto comparison, compare_records(base, now, settings, control));
    return comparedRecords(std::move(base), std::move(now), std::move(comparison));
}

std::vector<double> shownSamples(const Record& record, const std::string& key, Metric metric) {
    const CaseResult* found = resultOf(record, key);
    if (found == nullptr) return {};
    std::vector<double> samples = costs_of(*found, metric);
    for (double& sample : samples) sample = shown_cost(sample, metric);
    return samples;
}

QString recordName(const Record& record) {
    return recordNameAt(QString::fromStdString(record.path));
}

QString recordNameAt(const QString& path) {
    if (path.isEmpty()) return RecordsWords::tr("this run");
    if (isKeptPath(path)) return RecordsWords::tr("%1 of the history").arg(idOfKeptPath(path));
    const QFileInfo file(QDir::cleanPath(path));
    // "record.json" says nothing: its folder does.
    const bool isPlain =
        file.fileName() == QLatin1String("record.json") || file.fileName() == QLatin1String("duel.json");
    return isPlain ? file.absoluteDir().dirName() : file.fileName();
}

QString recordText(const Record& record) {
    QStringList parts{recordName(record), toText(record.run.started_utc), toText(record.run.device.name)};
    if (const auto& commit = record.environment.commit) {
        parts.append(
            RecordsWords::tr("commit %1").arg(toText(*commit).left(10)) +
            (record.environment.dirty.value_or(false) ? RecordsWords::tr(" with changes") : QString()));
    }
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
}

}  // namespace workbench
