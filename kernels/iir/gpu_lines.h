// SPDX-License-Identifier: MIT
// The 32 lines of a block as its warps see them: rows or columns, a lane for each line. Both sweep samples of
// a line in order and hand each to a step; they differ in how samples come to the lanes.
#pragma once

#include "kernels/iir/gpu_parameters.h"
#include "kernels/support/warp.h"

namespace iir2d::iir {

using gpu::Block;
using gpu::for_lanes;
using gpu::Lanes;
using gpu::warp_lanes;

template <class T>
IIR2D_DEVICE T* gpu_address(std::uint64_t address) {
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
}

// Holds what both kinds of lines share: one plane's part of a pass.
template <class S>
struct GpuLineSet {
    const S* in;
    S* out;
    const S* add;
    std::int64_t in_stride;
    std::int64_t out_stride;
    std::int64_t add_stride;
    std::int64_t n;
    int lanes;  // lines that there are, at most 32
    bool reversed;
};

// Returns where the lines of a block lie. `step` is the distance from one line to the next, 1 for columns.
template <class S, bool Rows>
IIR2D_DEVICE GpuLineSet<S> gpu_line_set(const GpuAxis& axis, const GpuPass& pass, std::int64_t block) {
    const std::int64_t plane = block / axis.groups;
    const std::int64_t first = block % axis.groups * warp_lanes;
    const std::int64_t left = axis.lines - first;
    const auto at = [&](const GpuPlanes& planes) {
        return plane * planes.plane_stride + first * (Rows ? planes.row_stride : 1);
    };
    return {gpu_address<const S>(pass.in.data) + at(pass.in),
            gpu_address<S>(pass.out.data) + at(pass.out),
            pass.add.data != 0 ? gpu_address<const S>(pass.add.data) + at(pass.add) : nullptr,
            pass.in.row_stride,
            pass.out.row_stride,
            pass.add.row_stride,
            axis.length,
            left < warp_lanes ? static_cast<int>(left) : warp_lanes,
            pass.reversed != 0};
}

// Reads and writes rows in pieces of gpu_tile samples, side by side, through a transposing tile in shared
// memory: lane l steps along row l of the tile. Two rows are stored together, and one column of all rows is
// read: the distances between rows keep the lanes of both in different banks. Doubles take two banks, and
// rows are 17 apart; floats take one, so the second row of a pair follows the first, and pairs are 33 apart.
template <class S, class A>
struct GpuRows {
    static constexpr bool in_pairs = sizeof(A) == 4;
    static constexpr int tile_elements = warp_lanes * gpu_tile + (in_pairs ? warp_lanes / 2 : warp_lanes);

    GpuLineSet<S> set;
    A* tile;  // this warp's
    const Block& block;

    // Loads sample i of every line, in the pass's direction; 0 where there is no line.
    IIR2D_DEVICE void load(std::int64_t i, Lanes<double>& samples) const {
        const std::int64_t x = set.reversed ? set.n - 1 - i : i;
        for_lanes([&](int l) {
            samples[l] = l < set.lanes ? static_cast<double>(set.in[l * set.in_stride + x]) : 0.0;
        });
    }

    // Steps every line through its samples [first, last), in the pass's direction.
    template <bool Store, class Step>
    IIR2D_DEVICE void sweep(std::int64_t first, std::int64_t last, Step step) const {
        IIR2D_ROLLED
        for (std::int64_t t = first; t < last; t += gpu_tile) {
            const int count = last - t < gpu_tile ? static_cast<int>(last - t) : gpu_tile;
            const std::int64_t x = set.reversed ? set.n - t - count : t;
            fetch(x, count);
            block.warp_sync();
            int column = set.reversed ? count - 1 : 0;
            const int direction = set.reversed ? -1 : 1;
            if (count == gpu_tile) {
                IIR2D_UNROLL
                for (int k = 0; k < gpu_tile; ++k, column += direction) advance<Store>(column, step);
            } else {
                IIR2D_ROLLED
                for (int k = 0; k < count; ++k, column += direction) advance<Store>(column, step);
            }
            block.warp_sync();
            if constexpr (Store) {
                put(x, count);
                block.warp_sync();
            }
        }
    }

    // Adds f(lane) to sample i of what the pass has written.
    template <class F>
    IIR2D_DEVICE void add(std::int64_t i, F f) const {
        const std::int64_t x = set.reversed ? set.n - 1 - i : i;
        for_lanes([&](int l) {
            if (l < set.lanes) {
                S& sample = set.out[l * set.out_stride + x];
                sample = static_cast<S>(static_cast<double>(sample) + f(l));
            }
        });
    }

    // Writes `value` to samples [first, last) of the lanes whose bit is set.
    IIR2D_DEVICE void fill(std::int64_t first, std::int64_t last, std::uint32_t lanes, S value) const {
        IIR2D_ROLLED
        for (std::int64_t t = first; t < last; ++t) {
            const std::int64_t x = set.reversed ? set.n - 1 - t : t;
            for_lanes([&](int l) {
                if ((lanes >> l & 1U) != 0 && l < set.lanes) set.out[l * set.out_stride + x] = value;
            });
        }
    }

  private:
    static constexpr int rows_at_once = 2;
    static_assert(rows_at_once * gpu_tile == warp_lanes);

    IIR2D_DEVICE static int row_of(int k, int lane) { return k * rows_at_once + lane / gpu_tile; }
    // Returns where the tile has a row.
    IIR2D_DEVICE static int place_of_row(int row) {
        return in_pairs ? row * gpu_tile + row / 2 : row * (gpu_tile + 1);
    }
    // Returns where it has the lane's sample of rows 2 k and 2 k + 1.
    IIR2D_DEVICE static int place_of(int k, int lane) {
        return in_pairs ? k * (2 * gpu_tile + 1) + lane : place_of_row(row_of(k, lane)) + lane % gpu_tile;
    }

    // Returns where the lanes' first samples of a piece are; the rows that follow are a step apart. Kept as a
    // running sum: sixteen addresses of their own would cost a register pair each.
    IIR2D_DEVICE static Lanes<std::int64_t> first_offset(std::int64_t stride, std::int64_t x) {
        Lanes<std::int64_t> offset;
        for_lanes([&](int l) { offset[l] = row_of(0, l) * stride + x + l % gpu_tile; });
        return offset;
    }

    IIR2D_DEVICE void fetch(std::int64_t x, int count) const {
        Lanes<S> values[gpu_tile];
        Lanes<std::int64_t> offset = first_offset(set.in_stride, x);
        IIR2D_UNROLL
        for (int k = 0; k < gpu_tile; ++k) {
            for_lanes([&](int l) {
                const bool there = row_of(k, l) < set.lanes && l % gpu_tile < count;
                values[k][l] = there ? set.in[offset[l]] : S(0);
                offset[l] += rows_at_once * set.in_stride;
            });
        }
        IIR2D_UNROLL
        for (int k = 0; k < gpu_tile; ++k) {
            for_lanes([&](int l) { tile[place_of(k, l)] = static_cast<A>(values[k][l]); });
        }
    }

    template <bool Store, class Step>
    IIR2D_DEVICE void advance(int column, Step& step) const {
        for_lanes([&](int l) {
            A& sample = tile[place_of_row(l) + column];
            const A result = step(sample, l);
            if (Store) sample = result;
        });
    }

    IIR2D_DEVICE void put(std::int64_t x, int count) const {
        Lanes<std::int64_t> offset = first_offset(set.out_stride, x);
        Lanes<std::int64_t> add_offset = first_offset(set.add_stride, x);
        IIR2D_UNROLL_BY_4  // what is more unrolled wants more registers than there are
            for (int k = 0; k < gpu_tile; ++k) {
            for_lanes([&](int l) {
                if (row_of(k, l) < set.lanes && l % gpu_tile < count) {
                    A sample = tile[place_of(k, l)];
                    if (set.add != nullptr) sample += static_cast<A>(set.add[add_offset[l]]);
                    set.out[offset[l]] = static_cast<S>(sample);
                }
                offset[l] += rows_at_once * set.out_stride;
                add_offset[l] += rows_at_once * set.add_stride;
            });
        }
    }
};

// Reads and writes columns, which lie side by side in memory already: a row of 32 samples goes to the lanes
// as it is.
template <class S, class A>
struct GpuColumns {
    static constexpr int tile_elements = 0;

    GpuLineSet<S> set;
    A* tile;
    const Block& block;

    IIR2D_DEVICE void load(std::int64_t i, Lanes<double>& samples) const {
        const S* row = set.in + (set.reversed ? set.n - 1 - i : i) * set.in_stride;
        for_lanes([&](int l) { samples[l] = l < set.lanes ? static_cast<double>(row[l]) : 0.0; });
    }

    template <bool Store, class Step>
    IIR2D_DEVICE void sweep(std::int64_t first, std::int64_t last, Step step) const {
        std::int64_t t = first;
        IIR2D_ROLLED
        for (; t + batch <= last; t += batch) advance<Store, batch>(t, step);
        IIR2D_ROLLED
        for (; t < last; ++t) advance<Store, 1>(t, step);
    }

    template <class F>
    IIR2D_DEVICE void add(std::int64_t i, F f) const {
        S* row = set.out + row_of(i) * set.out_stride;
        for_lanes([&](int l) {
            if (l < set.lanes) row[l] = static_cast<S>(static_cast<double>(row[l]) + f(l));
        });
    }

    IIR2D_DEVICE void fill(std::int64_t first, std::int64_t last, std::uint32_t lanes, S value) const {
        IIR2D_ROLLED
        for (std::int64_t t = first; t < last; ++t) {
            S* row = set.out + row_of(t) * set.out_stride;
            for_lanes([&](int l) {
                if ((lanes >> l & 1U) != 0 && l < set.lanes) row[l] = value;
            });
        }
    }

  private:
    static constexpr int batch = 8;  // rows under way at once

    IIR2D_DEVICE std::int64_t row_of(std::int64_t t) const { return set.reversed ? set.n - 1 - t : t; }

    template <bool Store, int Count, class Step>
    IIR2D_DEVICE void advance(std::int64_t t, Step& step) const {
        Lanes<S> values[static_cast<std::size_t>(Count)];
        const std::int64_t direction = set.reversed ? -1 : 1;
        std::int64_t from = row_of(t) * set.in_stride;
        IIR2D_UNROLL
        for (int k = 0; k < Count; ++k, from += direction * set.in_stride) {
            for_lanes([&](int l) { values[k][l] = l < set.lanes ? set.in[from + l] : S(0); });
        }
        std::int64_t to = row_of(t) * set.out_stride;
        std::int64_t add = row_of(t) * set.add_stride;
        IIR2D_UNROLL
        for (int k = 0; k < Count; ++k, to += direction * set.out_stride, add += direction * set.add_stride) {
            for_lanes([&](int l) {
                A result = step(static_cast<A>(values[k][l]), l);
                if (Store && l < set.lanes) {
                    if (set.add != nullptr) result += static_cast<A>(set.add[add + l]);
                    set.out[to + l] = static_cast<S>(result);
                }
            });
        }
    }
};

}  // namespace iir2d::iir
