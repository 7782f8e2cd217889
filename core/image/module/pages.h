// SPDX-License-Identifier: MIT
// How many images a file holds, and their names. For TIFF in one pass over its directories: the libraries
// start from the first for each.
#pragma once

#include <string>
#include <vector>

#include "core/image/module/open_image.h"

namespace workbench {

inline constexpr int most_images = 10'000;  // more are not counted

int count_images(const OpenImage& file);
std::vector<std::string> names_of_images(const OpenImage& file);

}  // namespace workbench
