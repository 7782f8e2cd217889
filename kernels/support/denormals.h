// SPDX-License-Identifier: MIT
// A recurrence that fades out runs through subnormal numbers, which many processors compute a hundred times
// slower. Backends flush them to zero while they compute; what is lost is below 1.2e-38 (2.3e-308 in double).
#pragma once

#include <cstdint>

#if defined(__SSE2__) || defined(_M_X64)
#include <xmmintrin.h>
#endif

namespace iir2d::support {

// Flushes subnormal numbers on this thread for the lifetime of the object. NaN and infinity are untouched.
class FlushDenormals {
  public:
#if defined(__SSE2__) || defined(_M_X64)
    // Bit 15: results are flushed; bit 6: operands are.
    FlushDenormals() : m_saved(_mm_getcsr()) {
        _mm_setcsr(m_saved | 0x8040U);
    }
    ~FlushDenormals() {
        _mm_setcsr(m_saved);
    }
#elif defined(__aarch64__) && defined(__GNUC__)
    FlushDenormals() {
        asm volatile("mrs %0, fpcr" : "=r"(m_saved));
        asm volatile("msr fpcr, %0" : : "r"(m_saved | (std::uint64_t{1} << 24)));
    }
    ~FlushDenormals() {
        asm volatile("msr fpcr, %0" : : "r"(m_saved));
    }
#else
    FlushDenormals() = default;
    ~FlushDenormals() = default;
#endif
    FlushDenormals(const FlushDenormals&) = delete;
    FlushDenormals& operator=(const FlushDenormals&) = delete;

  private:
#if defined(__SSE2__) || defined(_M_X64)
    unsigned int m_saved;
#elif defined(__aarch64__) && defined(__GNUC__)
    std::uint64_t m_saved = 0;
#endif
};

}  // namespace iir2d::support
