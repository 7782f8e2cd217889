// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>

namespace workbench {

// "2025-03-09T17:05:00Z".
std::string utc_text(std::chrono::system_clock::time_point when);
std::string utc_now();

}  // namespace workbench
