// SPDX-License-Identifier: MIT
// Words about how something stands, and what they mean. No widgets.
#pragma once

#include <QString>
#include <array>

#include "core/release/evidence_files.h"
#include "core/release/gates.h"

namespace workbench {

enum class Mark { good, attention, bad, quiet };

inline constexpr std::array<Standing, 5> allStandings = {Standing::held, Standing::waived, Standing::missing,
                                                         Standing::failed, Standing::later};
QString wordOf(Standing standing);
Mark markOf(Standing standing);
QString wordOf(EvidenceState state);
Mark markOf(EvidenceState state);

}  // namespace workbench
