// SPDX-License-Identifier: MIT
// The sentence that iir2d_last_error() returns: each thread has its own.
#pragma once

#include <string>

namespace iir2d::support {

// Returns the calling thread's sentence; "" after a success. Never null.
const char* last_error() noexcept;

void clear_last_error() noexcept;

// Keeps the sentence; where there is no memory for it, one that says so.
void set_last_error(const std::string& sentence) noexcept;

// Keeps a sentence that is never freed.
void set_last_error_literal(const char* sentence) noexcept;

}  // namespace iir2d::support
