// SPDX-License-Identifier: MIT
#pragma once

namespace workbench {

// How long a test waits for something that must happen. On a busy machine it takes a while.
inline constexpr int patience_ms = 30000;

}  // namespace workbench
