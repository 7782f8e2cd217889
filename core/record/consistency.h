// SPDX-License-Identifier: MIT
// Whether what a record says follows from the rest of it.
#pragma once

#include <functional>
#include <string>

#include "core/record/record.h"

namespace workbench {

// Takes a sentence on what does not follow from the record itself. It may quote the record: keys shortened,
// but not escaped.
using Findings = std::function<void(const std::string& sentence)>;

// Finds everything that does not follow: the three below, the number of cases, and of each case its figures,
// parity, samples, traffic and what its GPU did.
void check_consistency(const Record& record, const Findings& found);

// Finds whether it has the cases that its matrix gives, the command line that runs it, and the matrix that
// its protocol names.
void check_matrix(const Record& record, const Findings& found);

// Finds whether times, threads and build fit together.
void check_run(const Record& record, const Findings& found);

}  // namespace workbench
