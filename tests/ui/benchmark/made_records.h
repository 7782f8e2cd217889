// SPDX-License-Identifier: MIT
// Records made by hand for what compares, reproduces and remembers them.
#pragma once

#include <QString>
#include <QTemporaryDir>
#include <functional>
#include <string>
#include <vector>

#include "core/record/record.h"
#include "ui/charts/compared_records.h"

namespace workbench {

// How a case of madeRecord() is timed.
struct MadeTiming {
    int filter = 1;
    double median_ms = 1;  // of some 50 samples; the copy takes 0.5 ms
    double spread = 0.01;  // relative, deterministic
    std::string output = std::string(64, 'b');
};

// Of cases at 512x512 in f32, on a device "cpu" named "A Processor"; it verifies when it is written.
Record madeRecord(const std::vector<MadeTiming>& timings, std::uint64_t seed = 1);
OpenedRecordPtr opened(const Record& record);
// Four cases of which one each is SAME, SLOWER, FASTER and AMBIGUOUS, and one missing on each side.
ComparedRecordsPtr fourVerdicts(const CompareSettings& settings = {});
// Writes it to a new directory of `folder` and gives its path.
QString written(const Record& record, const QTemporaryDir& folder, const QString& name);

}  // namespace workbench
