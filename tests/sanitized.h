// SPDX-License-Identifier: MIT
// Whether a test runs under the address or the thread sanitizer, by GCC's macros or Clang's features.
#pragma once

#if !defined(__has_feature)
#define __has_feature(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define IIR2D_ADDRESS_SANITIZED 1
#else
#define IIR2D_ADDRESS_SANITIZED 0
#endif

#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define IIR2D_THREAD_SANITIZED 1
#else
#define IIR2D_THREAD_SANITIZED 0
#endif

namespace workbench {

inline constexpr bool thread_sanitized = IIR2D_THREAD_SANITIZED != 0;
inline constexpr bool sanitized = IIR2D_ADDRESS_SANITIZED != 0 || thread_sanitized;

}  // namespace workbench
