// SPDX-License-Identifier: MIT
// The record of a duel with every verdict, from made pairs: its verdicts follow from them, as those of any
// record that verifies.
#pragma once

#include "core/duel/duel_record.h"

namespace workbench {

Result<DuelRecord> everyVerdict();

}  // namespace workbench
