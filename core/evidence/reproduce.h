// SPDX-License-Identifier: MIT
// Measuring again what a record measured, and what came of it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/evidence/compare.h"
#include "core/record/record.h"
#include "core/support/task.h"

namespace workbench {

struct ReproduceSettings {
    CompareSettings compare = {};  // allow_unlike is set where build or machine differ in what must be alike
    std::string image;             // where the record's image is now; empty: where it was
    std::string device;            // empty: the record's
};

struct Reproduction {
    RecordPtr record;  // the new one, which names the old one
    std::string original_id;
    // What this build and machine have unlike the record: "library: the record's 1234..., this one's
    // 5678...".
    std::vector<std::string> differences;
    std::vector<std::string> changed_outputs;  // keys of cases whose output is not the same bit for bit
    std::vector<std::string> not_reproduced;   // keys of cases that were not computed, or not before
    RecordComparison comparison;               // of the timings
    // Outputs bit for bit, every case there, and the comparison passed.
    bool reproduced() const;
};

// Verifies the record, checks build, machine and inputs, runs the same matrix on the same inputs. Inputs that
// are not those of the record are bad_input: nothing is measured on others. check_failed when the record is
// not accepted; cancelled when it was, whatever was complete.
Result<Reproduction> reproduce(const std::filesystem::path& record, const ReproduceSettings& settings,
                               const TaskControl& control = {},
                               const std::function<void(const CaseResult&)>& on_result = {});

// Reproduces a record that was verified before.
Result<Reproduction> reproduce(const RecordPtr& before, const ReproduceSettings& settings,
                               const TaskControl& control = {},
                               const std::function<void(const CaseResult&)>& on_result = {});

// Returns how long reproducing `record` is expected to take: what its runs and copies took, and 30 % for the
// rest.
double reproduction_seconds(const Record& record);

// Describes for a person what differs, what changed, the timings' verdicts.
std::string reproduction_to_text(const Reproduction& reproduction);

}  // namespace workbench
