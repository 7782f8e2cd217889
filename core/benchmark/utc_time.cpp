// SPDX-License-Identifier: MIT
#include "core/benchmark/utc_time.h"

#include <fmt/format.h>

namespace workbench {

std::string utc_text(std::chrono::system_clock::time_point when) {
    const auto second = std::chrono::floor<std::chrono::seconds>(when);
    const auto day = std::chrono::floor<std::chrono::days>(second);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time(second - day);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       time.hours().count(), time.minutes().count(), time.seconds().count());
}

std::string utc_now() {
    return utc_text(std::chrono::system_clock::now());
}

}  // namespace workbench
