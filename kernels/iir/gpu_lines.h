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
    bool packed;  // of rows: whether all lie in whole, aligned 16 bytes
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
    const S* const in = gpu_address<const S>(pass.in.data) + at(pass.in);
    S* const out = gpu_address<S>(pass.out.data) + at(pass.out);
    const S* const add = pass.add.data != 0 ? gpu_address<const S>(pass.add.data) + at(pass.add) : nullptr;
    const std::uint64_t bits = reinterpret_cast<std::uintptr_t>(in) | reinterpret_cast<std::uintptr_t>(out) |
                               reinterpret_cast<std::uintptr_t>(add) |
                               static_cast<std::uint64_t>(pass.in.row_stride | pass.out.row_stride |
                                                          pass.add.row_stride | axis.length) *
                                   sizeof(S);
    return {in,
            out,
            add,
            pass.in.row_stride,
            pass.out.row_stride,
            pass.add.row_stride,
            axis.length,
            left < warp_lanes ? static_cast<int>(left) : warp_lanes,
            pass.reversed != 0,
            bits % 16 == 0};
}

// Samples side by side, which one instruction loads or stores; together they are aligned.
template <class T, int Count>
struct alignas(sizeof(T) * Count) GpuSome {
    static constexpr int count = Count;
    T value[static_cast<std::size_t>(Count)];
};
template <class T>
using GpuPacked = GpuSome<T, static_cast<int>(16 / sizeof(T))>;

// Reads and writes rows in pieces of gpu_tile samples, side by side, through a tile in shared memory that has
// them in the pass's direction: lane l steps along row l of the tile. Rows are an odd number of 16 bytes
// apart, so that eight lanes that read 16 bytes of a row each meet in no bank.
template <class S, class A>
struct GpuRows {
    static constexpr int pitch = gpu_tile + GpuPacked<A>::count;
    static constexpr int tile_elements = warp_lanes * pitch;

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
        if (set.packed && first % packed == 0 && (last - first) % packed == 0) {
            sweep_as<Store, true>(first, last, step);
        } else {
            sweep_as<Store, false>(first, last, step);
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
    static constexpr int packed = GpuPacked<S>::count;
    static constexpr int bytes_at_once = 64;  // of a lane, on their way from memory

    // Which samples of a piece a lane moves: `Count` side by side, of one row and then of rows a step below.
    template <int Count>
    struct Share {
        static constexpr int lanes_of_row = gpu_tile / Count;
        static constexpr int step = warp_lanes / lanes_of_row;
        static constexpr int moves = gpu_tile / Count;
        IIR2D_DEVICE static int row(int lane) { return lane / lanes_of_row; }
        IIR2D_DEVICE static int column(int lane) { return lane % lanes_of_row * Count; }
    };
    using Single = Share<1>;
    using Packed = Share<packed>;

    // Where a piece of the lines lies in memory, and how long it is.
    struct Place {
        std::int64_t x;
        int count;
    };

    // Returns the place of the samples from the t-th, in the pass's direction.
    IIR2D_DEVICE Place place_of(std::int64_t t, std::int64_t last) const {
        const int count = last - t < gpu_tile ? static_cast<int>(last - t) : gpu_tile;
        return {set.reversed ? set.n - t - count : t, count};
    }

    template <bool Store, bool Packs, class Step>
    IIR2D_DEVICE void sweep_as(std::int64_t first, std::int64_t last, Step& step) const {
        IIR2D_ROLLED
        for (std::int64_t t = first; t < last; t += gpu_tile) {
            const Place place = place_of(t, last);
            if constexpr (!Packs) {
                copy_to_tile<false, Single, 1>(place);
            } else if (set.reversed) {
                copy_to_tile<true, Packed, packed>(place);
            } else {
                copy_to_tile<false, Packed, packed>(place);
            }
            block.warp_sync();
            if (place.count == gpu_tile) {
                step_piece<Store>(step);
            } else {
                IIR2D_ROLLED
                for (int k = 0; k < place.count; ++k) {
                    for_lanes([&](int l) {
                        A& sample = tile[l * pitch + k];
                        const A result = step(sample, l);
                        if (Store) sample = result;
                    });
                }
            }
            block.warp_sync();
            if constexpr (Store) {
                if (set.add != nullptr) {
                    put<true, Packs>(place);
                } else {
                    put<false, Packs>(place);
                }
                block.warp_sync();
            }
        }
    }

    template <bool Store, class Step>
    IIR2D_DEVICE void step_piece(Step& step) const {
        using Some = GpuPacked<A>;
        constexpr int at_once = 8;  // samples
        constexpr int count = at_once / Some::count;
        for_lanes([&](int l) {
            Some* samples = reinterpret_cast<Some*>(tile + l * pitch);
            IIR2D_ROLLED
            for (int first = 0; first < gpu_tile; first += at_once, samples += count) {
                Some values[static_cast<std::size_t>(count)];
                IIR2D_UNROLL
                for (int k = 0; k < count; ++k) values[k] = samples[k];
                IIR2D_UNROLL
                for (int k = 0; k < at_once; ++k) {
                    A& sample = values[k / Some::count].value[k % Some::count];
                    sample = step(sample, l);
                }
                if constexpr (Store) {
                    IIR2D_UNROLL
                    for (int k = 0; k < count; ++k) samples[k] = values[k];
                }
            }
        });
    }

    // Copies a piece of the input, as many samples at once as have registers to wait in.
    template <bool Reversed, class Moved, int Count>
    IIR2D_DEVICE void copy_to_tile(Place place) const {
        constexpr int at_once = bytes_at_once / static_cast<int>(sizeof(S)) / Count;
        constexpr int part = Count < GpuPacked<A>::count ? Count : GpuPacked<A>::count;  // of an access
        for_lanes([&](int l) {
            const int column = Moved::column(l);
            const int rows = column < place.count ? set.lanes - Moved::row(l) : 0;
            const S* from = set.in + Moved::row(l) * set.in_stride + place.x + column;
            const bool backwards = Count == 1 ? set.reversed : Reversed;
            A* to = tile + Moved::row(l) * pitch + (backwards ? place.count - Count - column : column);
            IIR2D_ROLLED
            for (int first = 0; first < Moved::moves; first += at_once) {
                GpuSome<S, Count> moved[static_cast<std::size_t>(at_once)];
                IIR2D_UNROLL
                for (int m = 0; m < at_once; ++m, from += Moved::step * set.in_stride) {
                    moved[m] = (first + m) * Moved::step < rows
                                   ? *reinterpret_cast<const GpuSome<S, Count>*>(from)
                                   : GpuSome<S, Count>{};
                }
                IIR2D_UNROLL
                for (int m = 0; m < at_once; ++m, to += Moved::step * pitch) {
                    IIR2D_UNROLL
                    for (int k = 0; k < Count; k += part) {
                        GpuSome<A, part> some;
                        IIR2D_UNROLL
                        for (int i = 0; i < part; ++i)
                            some.value[i] =
                                static_cast<A>(moved[m].value[Reversed ? Count - 1 - k - i : k + i]);
                        if (column < place.count) *reinterpret_cast<GpuSome<A, part>*>(to + k) = some;
                    }
                }
            }
        });
    }

    template <bool Adds, bool Packs>
    IIR2D_DEVICE void put(Place place) const {
        if constexpr (!Packs) {
            put_share<Adds, false, Single, 1>(place);
        } else if (set.reversed) {
            put_share<Adds, true, Packed, packed>(place);
        } else {
            put_share<Adds, false, Packed, packed>(place);
        }
    }
    // Writes a piece of the tile, some moves at a time: what is added to them is loaded together.
    template <bool Adds, bool Reversed, class Moved, int Count>
    IIR2D_DEVICE void put_share(Place place) const {
        constexpr int at_once = (sizeof(A) == sizeof(float) ? 16 : 4) / (Count == 1 ? 2 : Count);
        constexpr int part = Count < GpuPacked<A>::count ? Count : GpuPacked<A>::count;  // of an access
        for_lanes([&](int l) {
            const int column = Moved::column(l);
            const int rows = column < place.count ? set.lanes - Moved::row(l) : 0;
            S* to = set.out + Moved::row(l) * set.out_stride + place.x + column;
            const S* from = Adds ? set.add + Moved::row(l) * set.add_stride + place.x + column : nullptr;
            const bool backwards = Count == 1 ? set.reversed : Reversed;
            const int column_in_tile = backwards ? place.count - Count - column : column;
            const A* sample = tile + Moved::row(l) * pitch + (column < place.count ? column_in_tile : 0);
            IIR2D_ROLLED
            for (int first = 0; first < Moved::moves; first += at_once) {
                S added[static_cast<std::size_t>(at_once * Count)];
                if constexpr (Adds) {
                    IIR2D_UNROLL
                    for (int k = 0; k < at_once; ++k, from += Moved::step * set.add_stride) {
                        if ((first + k) * Moved::step < rows) {
                            const GpuSome<S, Count> some = *reinterpret_cast<const GpuSome<S, Count>*>(from);
                            IIR2D_UNROLL
                            for (int i = 0; i < Count; ++i) added[k * Count + i] = some.value[i];
                        }
                    }
                }
                A values[static_cast<std::size_t>(at_once * Count)];
                IIR2D_UNROLL
                for (int k = 0; k < at_once * Count; k += part) {
                    const auto some = *reinterpret_cast<const GpuSome<A, part>*>(
                        sample + k / Count * Moved::step * pitch + k % Count);
                    IIR2D_UNROLL
                    for (int i = 0; i < part; ++i) values[k + i] = some.value[i];
                }
                sample += at_once * Moved::step * pitch;
                IIR2D_UNROLL
                for (int k = 0; k < at_once; ++k, to += Moved::step * set.out_stride) {
                    S stored[static_cast<std::size_t>(Count)];
                    IIR2D_UNROLL
                    for (int i = 0; i < Count; ++i) {
                        A value = values[k * Count + (Reversed ? Count - 1 - i : i)];
                        if constexpr (Adds) value += static_cast<A>(added[k * Count + i]);
                        stored[i] = static_cast<S>(value);
                    }
                    if ((first + k) * Moved::step < rows) gpu::store_together(to, stored);
                }
            }
        });
    }
};

// Bytes of a column that a lane has on their way at once: as many as have registers, of which ptxas finds
// fewer for newer GPUs.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1200
constexpr int gpu_bytes_under_way = 16;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
constexpr int gpu_bytes_under_way = 32;
#else
constexpr int gpu_bytes_under_way = 64;
#endif

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

    // Rows are on their way from memory while those before them are worked on.
    template <bool Store, class Step>
    IIR2D_DEVICE void sweep(std::int64_t first, std::int64_t last, Step step) const {
        std::int64_t t = first;
        Lanes<S> next[static_cast<std::size_t>(batch)];
        if (t + batch <= last) fetch(set.in, set.in_stride, t, next);
        IIR2D_ROLLED
        for (; t + batch <= last; t += batch) {
            Lanes<S> rows[static_cast<std::size_t>(batch)];
            IIR2D_UNROLL
            for (int k = 0; k < batch; ++k) rows[k] = next[k];
            if (t + 2 * batch <= last) fetch(set.in, set.in_stride, t + batch, next);
            advance<Store>(t, rows, step);
        }
        IIR2D_ROLLED
        for (; t < last; ++t) {
            Lanes<S> row[1];
            fetch(set.in, set.in_stride, t, row);
            advance<Store>(t, row, step);
        }
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
    static constexpr int batch = gpu_bytes_under_way / static_cast<int>(sizeof(A));  // rows

    IIR2D_DEVICE std::int64_t row_of(std::int64_t t) const { return set.reversed ? set.n - 1 - t : t; }

    template <std::size_t Count>
    IIR2D_DEVICE void fetch(const S* from, std::int64_t stride, std::int64_t t,
                            Lanes<S> (&rows)[Count]) const {
        const S* row = from + row_of(t) * stride;
        const std::int64_t step = set.reversed ? -stride : stride;
        IIR2D_UNROLL
        for (std::size_t k = 0; k < Count; ++k, row += step) {
            for_lanes([&](int l) { rows[k][l] = l < set.lanes ? row[l] : S(0); });
        }
    }

    template <bool Store, std::size_t Count, class Step>
    IIR2D_DEVICE void advance(std::int64_t t, const Lanes<S> (&rows)[Count], Step& step) const {
        constexpr std::size_t at_once = Count < 4 ? Count : 4;  // of what is added
        S* row = set.out + row_of(t) * set.out_stride;
        const std::int64_t next = set.reversed ? -set.out_stride : set.out_stride;
        IIR2D_UNROLL
        for (std::size_t first = 0; first < Count; first += at_once) {
            Lanes<S> added[at_once];
            if (Store && set.add != nullptr)
                fetch(set.add, set.add_stride, t + static_cast<std::int64_t>(first), added);
            IIR2D_UNROLL
            for (std::size_t k = 0; k < at_once; ++k, row += next) {
                for_lanes([&](int l) {
                    A result = step(static_cast<A>(rows[first + k][l]), l);
                    if (Store && l < set.lanes) {
                        if (set.add != nullptr) result += static_cast<A>(added[k][l]);
                        row[l] = static_cast<S>(result);
                    }
                });
            }
        }
    }
};

}  // namespace iir2d::iir
