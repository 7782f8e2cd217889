// SPDX-License-Identifier: MIT
// Whether a test runs under the address or the thread sanitizer, by GCC's macros or Clang's features.
#pragma once

#if !defined(__has_feature)
#define __has_feature(feature) 0
#endif

namespace workbench {

#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
inline constexpr bool thread_sanitized = true;
#else
inline constexpr bool thread_sanitized = false;
#endif

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = thread_sanitized;
#endif

}  // namespace workbench
