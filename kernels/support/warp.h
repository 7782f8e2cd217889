// SPDX-License-Identifier: MIT
// The operations that a GPU kernel's body is written in, so that one source runs on the GPU and, in tests, on
// the CPU. A Lanes<T> is one value per lane of a warp: a register on the GPU, an array of 32 on the CPU. A
// body is a plain function of one parameter struct and a Block; it may not know more of the machine than this
// header.
//
// Rules for bodies, which keep the two builds equal to the bit:
// - fused() where a multiply-add is wanted; both builds forbid the compiler's own contraction;
// - every lane of a warp reaches every collective and every warp of a block every barrier: no early return;
// - a lane reads what another lane of its warp stored to shared memory only after warp_sync(), and what
// another
//   warp stored, to shared or to global memory, only after barrier();
// - no atomics on floating-point data, no waiting for another block.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#define IIR2D_DEVICE __device__ __forceinline__
#define IIR2D_BOTH __host__ __device__ __forceinline__
#define IIR2D_UNROLL _Pragma("unroll")
#define IIR2D_UNROLL_BY_4 _Pragma("unroll 4")
#define IIR2D_ROLLED _Pragma("unroll 1")
#else
#define IIR2D_DEVICE inline
#define IIR2D_BOTH inline
#define IIR2D_UNROLL
#define IIR2D_UNROLL_BY_4
#define IIR2D_ROLLED
#endif

namespace iir2d::gpu {

constexpr int warp_lanes = 32;

// One T per lane.
template <class T>
struct Lanes {
#if defined(__CUDACC__)
    T value;
    IIR2D_DEVICE T& operator[](int) {
        return value;
    }
    IIR2D_DEVICE const T& operator[](int) const {
        return value;
    }
#else
    T value[warp_lanes];
    T& operator[](int lane) {
        return value[lane];
    }
    const T& operator[](int lane) const {
        return value[lane];
    }
#endif
};

// Runs f(lane) in every lane.
template <class F>
IIR2D_DEVICE void for_lanes(F f) {
#if defined(__CUDACC__)
    f(static_cast<int>(threadIdx.x % warp_lanes));
#else
    for (int lane = 0; lane < warp_lanes; ++lane) f(lane);
#endif
}

// Bit l is set where f(l) holds; the same in every lane.
template <class F>
IIR2D_DEVICE std::uint32_t ballot(F f) {
#if defined(__CUDACC__)
    return __ballot_sync(0xffffffffU, f(static_cast<int>(threadIdx.x % warp_lanes)));
#else
    std::uint32_t bits = 0;
    for (int lane = 0; lane < warp_lanes; ++lane) bits |= (f(lane) ? 1U : 0U) << lane;
    return bits;
#endif
}

// a * b + c, rounded once.
IIR2D_DEVICE float fused(float a, float b, float c) {
#if defined(__CUDACC__)
    return fmaf(a, b, c);
#else
    return std::fma(a, b, c);
#endif
}
IIR2D_DEVICE double fused(double a, double b, double c) {
#if defined(__CUDACC__)
    return fma(a, b, c);
#else
    return std::fma(a, b, c);
#endif
}

// Stores one value, or values of 16 bytes together: `to` is aligned to that. Of four floats nvcc makes four
// stores where it cannot tell that nothing else is stored between them.
template <class T, std::size_t Count>
IIR2D_DEVICE void store_together(T* to, const T (&values)[Count]) {
#if defined(__CUDACC__)
    if constexpr (Count == 4 && sizeof(T) == sizeof(float)) {
        asm volatile("st.v4.f32 [%0], {%1, %2, %3, %4};"
                     :
                     : "l"(to), "f"(values[0]), "f"(values[1]), "f"(values[2]), "f"(values[3])
                     : "memory");
        return;
    } else if constexpr (Count == 2 && sizeof(T) == sizeof(double)) {
        *reinterpret_cast<double2*>(to) = make_double2(values[0], values[1]);
        return;
    }
#endif
    for (std::size_t i = 0; i < Count; ++i) to[i] = values[i];
}

template <class T>
IIR2D_DEVICE bool is_finite(T value) {
    return value - value == T(0);
}

template <class T>
IIR2D_DEVICE T quiet_nan() {
    return static_cast<T>(__builtin_nanf(""));
}

#if defined(__CUDACC__)

extern __shared__ __align__(16) unsigned char dynamic_shared_memory[];

// The block that a body runs in, seen from one of its warps. Blocks are one-dimensional.
struct Block {
    IIR2D_DEVICE std::int64_t index() const { return blockIdx.x; }
    IIR2D_DEVICE int warp() const { return static_cast<int>(threadIdx.x / warp_lanes); }
    IIR2D_DEVICE int warps() const { return static_cast<int>(blockDim.x / warp_lanes); }
    IIR2D_DEVICE unsigned char* shared() const { return dynamic_shared_memory; }
    IIR2D_DEVICE void barrier() const { __syncthreads(); }
    IIR2D_DEVICE void warp_sync() const { __syncwarp(); }
};

#else

// The CPU's block: the executor says what it is and how its warps wait for each other.
class Block {
  public:
    // Lets the other warps of the block run up to the same barrier.
    using Wait = void (*)(void* executor, int warp);

    Block(std::int64_t index, int warp, int warps, unsigned char* shared, Wait wait, void* executor)
        : m_index(index),
          m_warp(warp),
          m_warps(warps),
          m_shared(shared),
          m_wait(wait),
          m_executor(executor) {}

    std::int64_t index() const { return m_index; }
    int warp() const { return m_warp; }
    int warps() const { return m_warps; }
    unsigned char* shared() const { return m_shared; }
    void barrier() const { m_wait(m_executor, m_warp); }
    void warp_sync() const {}  // lanes run one statement at a time already

  private:
    std::int64_t m_index;
    int m_warp;
    int m_warps;
    unsigned char* m_shared;
    Wait m_wait;
    void* m_executor;
};

#endif

}  // namespace iir2d::gpu
