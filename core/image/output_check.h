// SPDX-License-Identifier: MIT
// Inside core/image only: what can be said of an output before it is written.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/image/formats.h"
#include "core/support/error.h"

namespace workbench {

Result<const Format*> format_for(const std::filesystem::path& path);
Result<void> check_fits(const std::filesystem::path& path, const Format& format, std::int64_t width,
                        std::int64_t height, std::int64_t channels);
Result<void> check_place(const std::filesystem::path& path);

}  // namespace workbench
