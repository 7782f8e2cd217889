// SPDX-License-Identifier: MIT
// Which machine this is, asked once.
#pragma once

#include <cstdint>

namespace iir2d::tune {

// Bytes; 0: the system does not say.
struct Caches {
    std::int64_t l2 = 0;
    std::int64_t l3 = 0;
};
const Caches& caches();

}  // namespace iir2d::tune
