// SPDX-License-Identifier: MIT
// The headers that Clang's programs see, in place of the machine's: the same text of the same source wherever
// it is compiled.
#pragma once

namespace app {

// <math.h> of host sources: declarations alone. The functions are the machine's C library's.
inline constexpr const char* host_math_header = R"header(
#pragma once
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VAL __builtin_huge_val()
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) __builtin_signbit(x)
extern "C" {
double sin(double) noexcept; double cos(double) noexcept; double tan(double) noexcept;
double asin(double) noexcept; double acos(double) noexcept; double atan(double) noexcept;
double sinh(double) noexcept; double cosh(double) noexcept; double tanh(double) noexcept;
double asinh(double) noexcept; double acosh(double) noexcept; double atanh(double) noexcept;
double exp(double) noexcept; double exp2(double) noexcept; double expm1(double) noexcept;
double log(double) noexcept; double log2(double) noexcept; double log10(double) noexcept;
double log1p(double) noexcept; double sqrt(double) noexcept; double cbrt(double) noexcept;
double erf(double) noexcept; double erfc(double) noexcept; double tgamma(double) noexcept;
double lgamma(double) noexcept; double floor(double) noexcept; double ceil(double) noexcept;
double trunc(double) noexcept; double round(double) noexcept; double rint(double) noexcept;
double nearbyint(double) noexcept; double fabs(double) noexcept; double pow(double, double) noexcept;
double atan2(double, double) noexcept; double hypot(double, double) noexcept;
double fmod(double, double) noexcept; double remainder(double, double) noexcept;
double fmin(double, double) noexcept; double fmax(double, double) noexcept;
double fdim(double, double) noexcept; double copysign(double, double) noexcept;
double nextafter(double, double) noexcept; double fma(double, double, double) noexcept;
double ldexp(double, int) noexcept; float sinf(float) noexcept; float cosf(float) noexcept;
float tanf(float) noexcept; float asinf(float) noexcept; float acosf(float) noexcept;
float atanf(float) noexcept; float sinhf(float) noexcept; float coshf(float) noexcept;
float tanhf(float) noexcept; float asinhf(float) noexcept; float acoshf(float) noexcept;
float atanhf(float) noexcept; float expf(float) noexcept; float exp2f(float) noexcept;
float expm1f(float) noexcept; float logf(float) noexcept; float log2f(float) noexcept;
float log10f(float) noexcept; float log1pf(float) noexcept; float sqrtf(float) noexcept;
float cbrtf(float) noexcept; float erff(float) noexcept; float erfcf(float) noexcept;
float tgammaf(float) noexcept; float lgammaf(float) noexcept; float floorf(float) noexcept;
float ceilf(float) noexcept; float truncf(float) noexcept; float roundf(float) noexcept;
float rintf(float) noexcept; float nearbyintf(float) noexcept; float fabsf(float) noexcept;
float powf(float, float) noexcept; float atan2f(float, float) noexcept; float hypotf(float, float) noexcept;
float fmodf(float, float) noexcept; float remainderf(float, float) noexcept;
float fminf(float, float) noexcept; float fmaxf(float, float) noexcept; float fdimf(float, float) noexcept;
float copysignf(float, float) noexcept; float nextafterf(float, float) noexcept;
float fmaf(float, float, float) noexcept; float ldexpf(float, int) noexcept;
}
)header";

// What CUDA's headers would declare for device code. Functions are libdevice's.
inline constexpr const char* cuda_prelude = R"header(
#pragma once
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define IIR2D_DEVICE static __inline__ __attribute__((device, always_inline))
#define IIR2D_AXES(NAME, FROM) \
    struct iir2d_##NAME { \
        __declspec(property(get = get_x)) unsigned x; \
        __declspec(property(get = get_y)) unsigned y; \
        __declspec(property(get = get_z)) unsigned z; \
        static __inline__ __attribute__((device, always_inline)) unsigned get_x() { return __nvvm_read_ptx_sreg_##FROM##_x(); } \
        static __inline__ __attribute__((device, always_inline)) unsigned get_y() { return __nvvm_read_ptx_sreg_##FROM##_y(); } \
        static __inline__ __attribute__((device, always_inline)) unsigned get_z() { return __nvvm_read_ptx_sreg_##FROM##_z(); } \
    }; \
    extern const __attribute__((device, weak)) iir2d_##NAME NAME;
IIR2D_AXES(threadIdx, tid)
IIR2D_AXES(blockIdx, ctaid)
IIR2D_AXES(blockDim, ntid)
IIR2D_AXES(gridDim, nctaid)
IIR2D_DEVICE float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
IIR2D_DEVICE float __uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
IIR2D_DEVICE double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
IIR2D_DEVICE void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
IIR2D_DEVICE int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
IIR2D_DEVICE int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }
IIR2D_DEVICE unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
#define IIR2D_SHUFFLE(NAME, HOW, EDGE) \
    IIR2D_DEVICE int NAME(unsigned mask, int v, int by) { return __nvvm_shfl_sync_##HOW##_i32(mask, v, by, EDGE); } \
    IIR2D_DEVICE unsigned NAME(unsigned mask, unsigned v, int by) { return __nvvm_shfl_sync_##HOW##_i32(mask, v, by, EDGE); } \
    IIR2D_DEVICE float NAME(unsigned mask, float v, int by) { return __nvvm_shfl_sync_##HOW##_f32(mask, v, by, EDGE); }
IIR2D_SHUFFLE(__shfl_sync, idx, 0x1f)
IIR2D_SHUFFLE(__shfl_xor_sync, bfly, 0x1f)
IIR2D_SHUFFLE(__shfl_down_sync, down, 0x1f)
IIR2D_SHUFFLE(__shfl_up_sync, up, 0)
#define IIR2D_ATOMIC(NAME, HOW) \
    IIR2D_DEVICE int NAME(int* p, int v) { return __nvvm_atom_##HOW##_gen_i(p, v); }
#define IIR2D_ATOMIC_EITHER(NAME, HOW, HOW_UNSIGNED) \
    IIR2D_ATOMIC(NAME, HOW) \
    IIR2D_DEVICE unsigned NAME(unsigned* p, unsigned v) { return __nvvm_atom_##HOW_UNSIGNED((int*)p, v); }
IIR2D_ATOMIC_EITHER(atomicAdd, add, add_gen_i)
IIR2D_ATOMIC_EITHER(atomicAnd, and, and_gen_i)
IIR2D_ATOMIC_EITHER(atomicOr, or, or_gen_i)
IIR2D_ATOMIC_EITHER(atomicXor, xor, xor_gen_i)
IIR2D_ATOMIC(atomicMin, min)
IIR2D_ATOMIC(atomicMax, max)
IIR2D_DEVICE unsigned atomicMin(unsigned* p, unsigned v) { return __nvvm_atom_min_gen_ui(p, v); }
IIR2D_DEVICE unsigned atomicMax(unsigned* p, unsigned v) { return __nvvm_atom_max_gen_ui(p, v); }
IIR2D_DEVICE float atomicAdd(float* p, float v) { return __nvvm_atom_add_gen_f(p, v); }
IIR2D_DEVICE double atomicAdd(double* p, double v) { return __nvvm_atom_add_gen_d(p, v); }
struct float2 { float x, y; } __attribute__((aligned(8)));
struct float3 { float x, y, z; };
struct float4 { float x, y, z, w; } __attribute__((aligned(16)));
IIR2D_DEVICE float2 make_float2(float x, float y) { return {x, y}; }
IIR2D_DEVICE float3 make_float3(float x, float y, float z) { return {x, y, z}; }
IIR2D_DEVICE float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
#define IIR2D_LEAST(T) \
    IIR2D_DEVICE T min(T a, T b) { return b < a ? b : a; } \
    IIR2D_DEVICE T max(T a, T b) { return a < b ? b : a; }
IIR2D_LEAST(int)
IIR2D_LEAST(unsigned)
IIR2D_LEAST(long long)
IIR2D_LEAST(unsigned long long)
IIR2D_DEVICE int abs(int a) { return a < 0 ? -a : a; }
#define IIR2D_ONE(NAME) \
    extern "C" __attribute__((device)) double __nv_##NAME(double); \
    extern "C" __attribute__((device)) float __nv_##NAME##f(float); \
    IIR2D_DEVICE double NAME(double a) { return __nv_##NAME(a); } \
    IIR2D_DEVICE float NAME##f(float a) { return __nv_##NAME##f(a); }
#define IIR2D_TWO(NAME) \
    extern "C" __attribute__((device)) double __nv_##NAME(double, double); \
    extern "C" __attribute__((device)) float __nv_##NAME##f(float, float); \
    IIR2D_DEVICE double NAME(double a, double b) { return __nv_##NAME(a, b); } \
    IIR2D_DEVICE float NAME##f(float a, float b) { return __nv_##NAME##f(a, b); }
IIR2D_ONE(sin) IIR2D_ONE(cos) IIR2D_ONE(tan) IIR2D_ONE(asin) IIR2D_ONE(acos) IIR2D_ONE(atan) IIR2D_ONE(sinh)
IIR2D_ONE(cosh) IIR2D_ONE(tanh) IIR2D_ONE(asinh) IIR2D_ONE(acosh) IIR2D_ONE(atanh) IIR2D_ONE(exp)
IIR2D_ONE(exp2) IIR2D_ONE(expm1) IIR2D_ONE(log) IIR2D_ONE(log2) IIR2D_ONE(log10) IIR2D_ONE(log1p)
IIR2D_ONE(sqrt) IIR2D_ONE(cbrt) IIR2D_ONE(erf) IIR2D_ONE(erfc) IIR2D_ONE(tgamma) IIR2D_ONE(lgamma)
IIR2D_ONE(floor) IIR2D_ONE(ceil) IIR2D_ONE(trunc) IIR2D_ONE(round) IIR2D_ONE(rint) IIR2D_ONE(nearbyint)
IIR2D_ONE(fabs) IIR2D_ONE(rsqrt) IIR2D_ONE(exp10)
IIR2D_TWO(pow) IIR2D_TWO(atan2) IIR2D_TWO(hypot) IIR2D_TWO(fmod) IIR2D_TWO(remainder) IIR2D_TWO(fmin)
IIR2D_TWO(fmax) IIR2D_TWO(fdim) IIR2D_TWO(copysign) IIR2D_TWO(nextafter)
extern "C" __attribute__((device)) double __nv_fma(double, double, double);
extern "C" __attribute__((device)) float __nv_fmaf(float, float, float);
IIR2D_DEVICE double fma(double a, double b, double c) { return __nv_fma(a, b, c); }
IIR2D_DEVICE float fmaf(float a, float b, float c) { return __nv_fmaf(a, b, c); }
IIR2D_DEVICE float min(float a, float b) { return fminf(a, b); }
IIR2D_DEVICE float max(float a, float b) { return fmaxf(a, b); }
IIR2D_DEVICE double min(double a, double b) { return fmin(a, b); }
IIR2D_DEVICE double max(double a, double b) { return fmax(a, b); }
)header";

}  // namespace app
