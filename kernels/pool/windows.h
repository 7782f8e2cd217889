// SPDX-License-Identifier: MIT
// Computes where pooling windows lie along one axis, as a rule that the CPU and the GPU compile
// (docs/pooling.md, "Windows").
#pragma once

#include <cstdint>

#include "kernels/support/warp.h"

namespace iir2d::pool {

// a / b for 0 <= a and 0 < b. A GPU divides 32 bits in a few instructions and 64 in many.
IIR2D_BOTH std::int64_t quotient(std::int64_t a, std::int64_t b) {
#if defined(__CUDACC__)
    if (((a | b) >> 32) == 0) return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
#endif
    return a / b;
}

// The positions first, first + step, ... of one window along one axis that lie inside the input.
struct Taps {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t step = 1;
};

// Holds a half-open range.
struct IndexRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    IIR2D_BOTH bool empty() const { return begin >= end; }
};

// The windows along one axis: window o has its tap k at o * stride - padding + k * dilation, for k in
// [0, window); or, adaptive, [floor(o * in / out), ceil((o + 1) * in / out)), and what they else have is not
// read. Made by make_geometry, which has ruled out every overflow below.
struct AxisWindows {
    std::int64_t in = 1;
    std::int64_t out = 1;
    std::int64_t window = 1;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
    std::int64_t dilation = 1;
    bool adaptive = false;

    // Returns the position of tap 0; negative in the padding.
    IIR2D_BOTH std::int64_t start(std::int64_t o) const { return o * stride - padding; }

    // Returns how many positions lie from a window's first tap to its last, both included.
    IIR2D_BOTH std::int64_t span() const { return (window - 1) * dilation + 1; }

    // Returns the taps of window o inside the input. None only where dilation steps over the whole input.
    IIR2D_BOTH Taps taps(std::int64_t o) const {
        if (adaptive) {
            const std::int64_t first = scaled(o, in, out);
            return {first, scaled_up(o + 1, in, out) - first, 1};
        }
        const IndexRange k = taps_inside(start(o), 0, in);
        return {start(o) + k.begin * dilation, k.empty() ? 0 : k.end - k.begin, dilation};
    }

    // Returns how many taps of window o lie inside the input or its padding.
    IIR2D_BOTH std::int64_t padded_count(std::int64_t o) const {
        if (adaptive) return taps(o).count;
        const IndexRange k = taps_inside(start(o), -padding, in + padding);
        return k.empty() ? 0 : k.end - k.begin;
    }

    // Returns the windows whose tap k lies inside the input: one contiguous range.
    IIR2D_BOTH IndexRange windows_with_tap(std::int64_t k) const {
        const std::int64_t offset = k * dilation - padding;  // of tap k from o * stride
        const std::int64_t begin = offset >= 0 ? 0 : ceil_div(-offset, stride);
        const std::int64_t end = in - offset <= 0 ? 0 : ceil_div(in - offset, stride);
        return {at_most(begin, out), at_most(end, out)};
    }

    // Returns a range with all windows that have position i as a tap: all of them do, but for dilation.
    IIR2D_BOTH IndexRange windows_near(std::int64_t i) const {
        if (adaptive) return {scaled(i, out, in), scaled_up(i + 1, out, in)};
        const std::int64_t from_first = i + padding;  // of position i from the first window's start
        const std::int64_t begin = from_first < span() ? 0 : ceil_div(from_first - span() + 1, stride);
        return {at_most(begin, out), at_most(from_first / stride + 1, out)};
    }

    // Returns an upper bound of how many windows have one position as a tap.
    IIR2D_BOTH std::int64_t most_windows_near() const {
        return at_most(out, adaptive ? out / in + 2 : (span() - 1) / stride + 1);
    }

    IIR2D_BOTH bool has_tap(std::int64_t o, std::int64_t i) const {
        return dilation == 1 || (i - start(o)) % dilation == 0;
    }

  private:
    // Return floor and ceil of a * b / c, where a is at most c + 1 and in * out fits 63 bits.
    IIR2D_BOTH static std::int64_t scaled(std::int64_t a, std::int64_t b, std::int64_t c) {
        const std::int64_t whole = b / c;
        const std::int64_t rest = b % c;
        return a * whole + a * rest / c;
    }
    IIR2D_BOTH static std::int64_t scaled_up(std::int64_t a, std::int64_t b, std::int64_t c) {
        const std::int64_t whole = b / c;
        const std::int64_t rest = b % c;
        return a * whole + ceil_div(a * rest, c);
    }
    IIR2D_BOTH static std::int64_t at_most(std::int64_t a, std::int64_t b) { return b < a ? b : a; }
    IIR2D_BOTH static std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
        return a / b + (a % b != 0 ? 1 : 0);
    }

    IIR2D_BOTH IndexRange taps_inside(std::int64_t first, std::int64_t low, std::int64_t high) const {
        // Most windows lie inside, and a division is long on a GPU.
        if (first >= low && first + span() <= high) return {0, window};
#if defined(__CUDACC__)
        // A division would take registers from all the kernel.
        IndexRange k;
        std::int64_t at = first;
        for (; k.begin < window && at < low; ++k.begin) at += dilation;
        for (k.end = k.begin; k.end < window && at < high; ++k.end) at += dilation;
        return k;
#else
        const std::int64_t begin = first >= low ? 0 : ceil_div(low - first, dilation);
        const std::int64_t end = first >= high ? 0 : ceil_div(high - first, dilation);
        return {at_most(begin, window), at_most(end, window)};
#endif
    }
};

}  // namespace iir2d::pool
