// SPDX-License-Identifier: MIT
// Kernels as anybody writes them, compiled by nvcc for ptx_run_test.py. The first are run and compared with
// what Python computes; of those from WIDE on it is asked that nothing is refused.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cassert>

#define KERNEL extern "C" __global__ void

KERNEL saxpy(float a, const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

KERNEL block_sums(const int* x, int* sums, int n) {
    extern __shared__ int held[];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    held[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) held[t] += held[t + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = held[0];
}

KERNEL shuffles(const float* x, float* sum, int* up, int* butterfly, int* broadcast) {
    const int t = threadIdx.x;
    float s = x[t];
    for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(~0U, s, o);
    sum[t] = s;
    up[t] = __shfl_up_sync(~0U, t, 3, 16);
    butterfly[t] = __shfl_xor_sync(~0U, t, 5);
    broadcast[t] = __shfl_sync(~0U, t * t, 7);
}

KERNEL votes(const int* x, unsigned* ballot, int* all, int* any, unsigned* same) {
    const int t = threadIdx.x;
    ballot[t] = __ballot_sync(~0U, x[t] > 0);
    all[t] = __all_sync(~0U, x[t] > -100);
    any[t] = __any_sync(~0U, x[t] > 100);
    same[t] = __match_any_sync(~0U, x[t] & 3);
}

KERNEL atomics(const unsigned* x, unsigned* bins, int* extremes, float* total, unsigned long long* wide,
               int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(bins + x[i] % 7, 1U);
    atomicMax(extremes, static_cast<int>(x[i]));
    atomicMin(extremes + 1, static_cast<int>(x[i]));
    atomicAdd_block(total, 1.0F);
    atomicAdd(wide, static_cast<unsigned long long>(x[i]));
    atomicXor(bins + 7, x[i]);
}

KERNEL collatz(const unsigned* x, int* steps) {
    unsigned v = x[threadIdx.x];
    int count = 0;
    while (v != 1) {
        v = v % 2 == 0 ? v / 2 : 3 * v + 1;
        ++count;
    }
    steps[threadIdx.x] = count;
}

__device__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
KERNEL recursion(int* y) {
    y[threadIdx.x] = fibonacci(threadIdx.x % 11);
}

KERNEL vectors(const float4* x, float4* y, int shift) {
    const int i = threadIdx.x;
    const float4 v = x[(i + shift) % blockDim.x];
    y[i] = make_float4(v.w, v.z, v.y, v.x);
}

KERNEL checked(const int* x, int* y) {
    assert(x[threadIdx.x] >= 0);
    y[threadIdx.x] = x[threadIdx.x];
}

// WIDE
#define UNARY(T, F)                         \
    KERNEL unary_##F(const T* x, T* y) {    \
        y[threadIdx.x] = F(x[threadIdx.x]); \
    }
#define BINARY(T, F)                                        \
    KERNEL binary_##F(const T* x, T* y) {                   \
        y[threadIdx.x] = F(x[threadIdx.x], y[threadIdx.x]); \
    }
#define UNARIES(F) UNARY(float, F##f) UNARY(double, F)
#define BINARIES(F) BINARY(float, F##f) BINARY(double, F)
template <class T>
__device__ T integers(T x, T y) {
    T r = x + y;
    r ^= x * y;
    r -= y != 0 ? x / y : T(0);
    r |= y != 0 ? x % y : T(1);
    r &= ~(x << (y & 7));
    r += x >> (y & 7);
    switch (static_cast<int>(x & 7)) {
        case 0:
            return r + 3;
        case 1:
            return r * 5;
        case 2:
            return r - 7;
        case 3:
            return r ^ 11;
        case 4:
            return y;
        case 5:
            return x * x;
        default:
            return -r;
    }
}
#define INTEGERS(T, N)                                                \
    KERNEL integers_##N(const T* x, T* y) {                           \
        y[threadIdx.x] = integers<T>(x[threadIdx.x], y[threadIdx.x]); \
    }

KERNEL bits(const unsigned* a, unsigned* y) {
    const unsigned i = threadIdx.x, x = a[i];
    const unsigned long long q = (static_cast<unsigned long long>(x) << 32U) | x;
    y[i] = __popc(x) + __clz(x) + __ffs(x) + __brev(x) + __byte_perm(x, i, 0x1234) +
           __funnelshift_l(x, i, 5) + __popcll(q) + __clzll(q) + __sad(x, i, 7) + __umulhi(x, i) +
           __dp4a(static_cast<int>(x), 3, 3) + static_cast<unsigned>(__umul64hi(q, i)) +
           static_cast<unsigned>(__brevll(q));
}

KERNEL halves(const __half* x, __half* y) {
    const __half a = x[threadIdx.x], b = y[threadIdx.x];
    __half r = __hfma(__hadd(a, b), a, __hsub(a, b));
    r = __hmax(__hmin(r, __hneg(b)), __habs(a));
    if (__hlt(a, b)) r = __hdiv(a, b);
    if (__hgeu(a, r)) r = hsqrt(r);
    y[threadIdx.x] = __hadd(__hadd(r, hexp(a)), __hadd_sat(htanh(a), hlog(b)));
}
KERNEL half_pairs(const __half2* x, __half2* y) {
    const __half2 a = x[threadIdx.x], b = y[threadIdx.x];
    __half2 r = __hfma2(__hadd2(a, b), a, __hmul2(a, b));
    r = __hadd2(__hmax2(r, a), __hgt2(a, b));
    if (__hbeq2(a, b)) r = b;
    y[threadIdx.x] = __lowhigh2highlow(r);
}
#if __CUDA_ARCH__ >= 800
KERNEL brains(const __nv_bfloat16* x, __nv_bfloat16* y) {
    const __nv_bfloat16 a = x[threadIdx.x], b = y[threadIdx.x];
    __nv_bfloat16 r = __hfma(__hadd(a, b), a, __hsub(a, b));
    if (__hlt(a, b)) r = __hdiv(a, b);
    y[threadIdx.x] = __hadd(__hmax(r, a), hexp(b));
}
KERNEL reductions(const unsigned* x, unsigned* y) {
    y[threadIdx.x] = __reduce_add_sync(~0U, x[threadIdx.x]) + __reduce_max_sync(~0U, x[threadIdx.x]);
}
#endif

KERNEL conversions(const float* f, const double* d, long long* y, __half* h, __nv_bfloat16* b) {
    const int i = threadIdx.x;
    y[i] = __float2int_rn(f[i]) + __float2uint_rd(f[i]) + __float2ll_rz(f[i]) + __double2int_ru(d[i]) +
           static_cast<signed char>(f[i]) + static_cast<unsigned short>(d[i]) + __double2hiint(d[i]);
    h[i] = __float2half_rz(f[i]);
    h[i + 32] = __double2half(d[i]);
    b[i] = __float2bfloat16_rn(f[i]);
    y[i] += __half2int_rz(h[i]) + __bfloat162uint_rn(b[i]);
}

__constant__ float table[5] = {1, 2, 3, 4, 5};
__device__ const char* const words = "hello";
__managed__ int counter = 3;
struct Large {
    int a[100];
    double d;
    char c[7];
};
KERNEL everything(const __grid_constant__ Large large, float4* y, const float4* x, int k) {
    extern __shared__ float4 held4[];
    const int i = threadIdx.x;
    float own[16];
    for (int j = 0; j < 16; ++j) own[j] = static_cast<float>(j * i);
    held4[i] = __ldg(x + i);
    __syncthreads();
    float4 v = held4[(i + k) % blockDim.x];
    v.x += static_cast<float>(large.a[i % 100]) + own[(i + k) & 15] + table[i % 5];
    v.y += static_cast<float>(large.d) + static_cast<float>(large.c[i % 7] + words[i % 5] + counter);
    v.z += static_cast<float>(__syncthreads_count(i & 1) + static_cast<int>(clock64()));
    __threadfence();
    __nanosleep(20);
    __stcs(y + i, v);
}

// Calls of macros are no statements: the formatter would indent each by the one before.
// clang-format off
UNARIES(sin) UNARIES(cos) UNARIES(tan) UNARIES(exp) UNARIES(exp2) UNARIES(log) UNARIES(log2)
UNARIES(log1p) UNARIES(tanh) UNARIES(sqrt) UNARIES(rsqrt) UNARIES(cbrt) UNARIES(erf) UNARIES(floor)
UNARIES(ceil) UNARIES(trunc) UNARIES(fabs) UNARIES(round) BINARIES(pow) BINARIES(atan2) BINARIES(hypot)
BINARIES(fmod) BINARIES(fmin) BINARIES(fmax) BINARY(float, __fadd_rd) BINARY(float, __fmul_ru)
BINARY(float, __fdiv_rz) BINARY(double, __ddiv_ru) BINARY(float, __fdividef) UNARY(float, __sinf)
UNARY(float, __expf) UNARY(float, __logf) UNARY(float, __saturatef) INTEGERS(signed char, s8)
INTEGERS(unsigned char, u8) INTEGERS(short, s16) INTEGERS(unsigned short, u16) INTEGERS(int, s32)
INTEGERS(unsigned, u32) INTEGERS(long long, s64) INTEGERS(unsigned long long, u64)
    // clang-format on
