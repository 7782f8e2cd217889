// SPDX-License-Identifier: MIT
// A recurrence that fades out runs through subnormal numbers, which many processors compute a hundred times
// slower. Backends flush them to zero while they compute; what is lost is below 1.2e-38 (2.3e-308 in double).
#pragma once

#include <cstdint>

#if defined(__SSE2__) || defined(_M_X64)
#include <xmmintrin.h>
#endif

namespace iir2d::support {

// How this thread computes with floating-point numbers: the processor's control word; 0 where it is unknown.
using FloatControl = std::uint64_t;

#if defined(__SSE2__) || defined(_M_X64)
// Bit 15: results are flushed; bit 6: operands are.
inline constexpr FloatControl flush_bits = 0x8040;
inline FloatControl float_control() {
    return _mm_getcsr();
}
inline void set_float_control(FloatControl control) {
    _mm_setcsr(static_cast<unsigned int>(control));
}
#elif defined(__aarch64__) && defined(__GNUC__)
inline constexpr FloatControl flush_bits = FloatControl{1} << 24;
inline FloatControl float_control() {
    FloatControl control = 0;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    return control;
}
inline void set_float_control(FloatControl control) {
    asm volatile("msr fpcr, %0" : : "r"(control));
}
#else
inline constexpr FloatControl flush_bits = 0;
inline FloatControl float_control() {
    return 0;
}
inline void set_float_control(FloatControl) {}
#endif

// Sets this thread's control for the lifetime of the object.
class ScopedFloatControl {
  public:
    explicit ScopedFloatControl(FloatControl control) : m_saved(float_control()) {
        set_float_control(control);
    }
    ~ScopedFloatControl() { set_float_control(m_saved); }
    ScopedFloatControl(const ScopedFloatControl&) = delete;
    ScopedFloatControl& operator=(const ScopedFloatControl&) = delete;

  private:
    FloatControl m_saved;
};

// Flushes subnormal numbers on this thread for the lifetime of the object. NaN and infinity are untouched.
class FlushDenormals : public ScopedFloatControl {
  public:
    FlushDenormals() : ScopedFloatControl(float_control() | flush_bits) {}
};

}  // namespace iir2d::support
