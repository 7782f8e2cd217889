// SPDX-License-Identifier: MIT
// Whether the process was pushed off a processor while something was timed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace workbench {

enum class PreemptionScope { thread, process };

// Involuntary context switches so far, of the calling thread or of every thread of the process; absent where
// the system does not count them.
std::optional<std::int64_t> involuntary_switches(PreemptionScope scope);

// Names that counter, for records; empty where there is none.
std::string_view preemption_counter(PreemptionScope scope);

}  // namespace workbench
