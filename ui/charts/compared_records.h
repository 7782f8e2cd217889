// SPDX-License-Identifier: MIT
// Holds two opened records and the result of comparing them, for every view of a comparison. Immutable.
#pragma once

#include <QStringList>
#include <memory>
#include <vector>

#include "core/evidence/compare.h"
#include "core/record/record.h"

namespace workbench {

using OpenedRecordPtr = RecordPtr;

struct ComparedRecords {
    OpenedRecordPtr base;
    OpenedRecordPtr now;
    RecordComparison comparison;
    QStringList names;  // one a case of the comparison, as short as can be
    QString common;     // what all of them share
};
using ComparedRecordsPtr = std::shared_ptr<const ComparedRecords>;

// Gives the same errors as compare_records(). Any thread.
Result<ComparedRecordsPtr> compareOpened(OpenedRecordPtr base, OpenedRecordPtr now,
                                         const CompareSettings& settings, const TaskControl& control = {});
// Takes a comparison that is there already.
ComparedRecordsPtr comparedRecords(OpenedRecordPtr base, OpenedRecordPtr now, RecordComparison comparison);

// Returns what the samples of a case are in the comparison's metric; empty where the record has no such case.
std::vector<double> shownSamples(const Record& record, const std::string& key, Metric metric);

// Returns "monday" for /records/monday, "this run" for what lies in no file.
QString recordName(const Record& record);
QString recordNameAt(const QString& path);
// Returns name, time, device and commit, by which a reader tells records apart.
QString recordText(const Record& record);

}  // namespace workbench
