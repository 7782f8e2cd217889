// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace iir2d::tune {

// Returns the SHA-256 of the bytes as 64 lower-case hexadecimal digits. Source: FIPS 180-4, 6.2.
std::string sha256_hex(std::string_view bytes);

}  // namespace iir2d::tune
