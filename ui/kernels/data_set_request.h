// SPDX-License-Identifier: MIT
// Describes the data set that a person asks for, and makes of it core's options and a command line.
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <map>

#include "core/support/error.h"
#include "core/support/task.h"
#include "core/synth/data_set.h"

namespace workbench {

struct DataSetRequest {
    QString folder;
    std::uint64_t count = 140;
    std::uint64_t seed = 1;
    // Empty: the same number of each category; else none of a category that is missing.
    std::map<synth::Category, double> weights = {};
    QStringList targets = {};  // empty: the default ones that are there
    QStringList levels = {};   // empty: V0, V2 and V3
    bool backward = false;
    bool resume = false;  // goes on as the folder's run.json says, whatever else stands here
    friend bool operator==(const DataSetRequest&, const DataSetRequest&) = default;
};

// Returns all options but targets, which have to be looked for.
synth::GenerateOptions optionsOf(const DataSetRequest& request);
// Asks the compilers for the targets and takes what a run that is resumed was begun with.
Result<synth::GenerateOptions> completeOptions(const DataSetRequest& request, const std::stop_token& stop);
// Returns the `iir2d synth generate` that makes it.
QString commandLine(const DataSetRequest& request);

}  // namespace workbench
