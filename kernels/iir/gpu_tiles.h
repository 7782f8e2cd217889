// SPDX-License-Identifier: MIT
// A filter with one pass along each axis, both the same way, and both axes at once, after Nehab, Maximo, Lima
// and Hoppe 2011
// ("overlapped"): the image is read for what each tile leaves to the tiles right of it and below it, from
// rest; small launches add that up (gpu_carries.h); the image is read again, and written. Nothing is read of
// another tile, so a filter runs in place. docs/gpu-kernels.md.
#pragma once

#include "kernels/iir/gpu_axis.h"
#include "kernels/iir/gpu_parameters.h"
#include "kernels/iir/gpu_start.h"
#include "kernels/support/warp.h"

namespace iir2d::iir {

// A block's dynamic shared memory: one square, a row after another, then the states of the tile's columns
// between two squares. Where carries are made, the states that the rows end with follow their samples, and go
// down the columns with them. Rows are an odd number of 16 bytes apart: eight lanes that read 16 bytes of a
// row each meet in no bank, nor do lanes that read a row's samples.
template <class A, int States, bool Carries>
struct GpuTileShared {
    static constexpr int packed = GpuPacked<A>::count;
    static constexpr int used = (gpu_square + (Carries ? States : 0) + packed - 1) / packed;
    static constexpr int pitch = (used | 1) * packed;
    static constexpr int square_elements = gpu_square * pitch;
    // States of the tile's columns have arrays as long, and so much more for those of rows.
    static constexpr std::int64_t kept_more = 8;
};

constexpr int gpu_square_warps = gpu_square / gpu::warp_lanes;

// Reads lines within the square, for their start.
template <class A>
struct GpuSquareLines {
    const A* first;  // of lane 0
    int lane_step;
    int sample_step;
    int lanes;

    IIR2D_DEVICE void load(std::int64_t i, Lanes<double>& samples) const {
        const int offset = static_cast<int>(i) * sample_step;
        for_lanes([&](int l) {
            samples[l] = l < lanes ? static_cast<double>(first[offset + l * lane_step]) : 0.0;
        });
    }
};

template <class S, class A, int Order, int Sections, bool Carries, GpuFault Fault>
struct GpuTileRun {
    using State = GpuState<A, Sections>;
    static constexpr int states = Order * Sections;
    using Shared = GpuTileShared<A, states, Carries>;
    static constexpr int pitch = Shared::pitch;
    static constexpr int swept_at_once = 16;

    const GpuTiles& job;
    const Block& block;
    std::int64_t plane;
    std::int64_t tile_x;
    std::int64_t tile_y;

    IIR2D_DEVICE A* square() const { return reinterpret_cast<A*>(block.shared()); }
    IIR2D_DEVICE A* kept() const { return square() + Shared::square_elements; }
    IIR2D_DEVICE std::int64_t kept_pitch() const { return job.grid.tile_width + Shared::kept_more; }

    // Return where the tile before this one along its rows left its carries, or where this one leaves them.
    IIR2D_DEVICE A* row_carries(std::int64_t x) const {
        const GpuTileGrid& g = job.grid;
        return gpu_address<A>(g.row_carries) +
               ((plane * g.tiles_y + tile_y) * (g.tiles_x - 1) + x) * states * g.row_pitch;
    }
    IIR2D_DEVICE A* column_carries(std::int64_t y) const {
        const GpuTileGrid& g = job.grid;
        return gpu_address<A>(g.column_carries) +
               ((plane * (g.tiles_y - 1) + y) * g.tiles_x + tile_x) * states * g.tile_width;
    }

    // Loads and stores the state's numbers, of which each has an array, `step` apart.
    IIR2D_DEVICE static void load(State& state, const A* from, std::int64_t step, int lanes) {
        IIR2D_UNROLL
        for (int k = 0; k < states; ++k) {
            for_lanes([&](int l) {
                const A value = l < lanes ? from[k * step + l] : A(0);
                (k % Order == 0 ? state.s1 : state.s2)[k / Order][l] = value;
            });
        }
    }
    IIR2D_DEVICE static void store(const State& state, A* to, std::int64_t step, std::int64_t lane_step,
                                   std::int64_t lanes) {
        IIR2D_UNROLL
        for (int k = 0; k < states; ++k) {
            for_lanes([&](int l) {
                if (l < lanes)
                    to[k * step + l * lane_step] = (k % Order == 0 ? state.s1 : state.s2)[k / Order][l];
            });
        }
    }

    IIR2D_DEVICE static State rest() {
        State state;
        IIR2D_UNROLL
        for (int k = 0; k < Sections; ++k) {
            for_lanes([&](int l) { state.s1[k][l] = state.s2[k][l] = A(0); });
        }
        return state;
    }

    IIR2D_DEVICE State start(const GpuTileAxis& axis, const GpuSquareLines<A>& lines, double constant) const {
        GpuStart exact[static_cast<std::size_t>(Sections)];
        gpu_short_start_states<Order, Sections>(axis.before, gpu_square, job.steady != 0, constant,
                                                axis.sections, lines, exact);
        State state;
        IIR2D_UNROLL
        for (int k = 0; k < Sections; ++k) {
            for_lanes([&](int l) {
                state.s1[k][l] = static_cast<A>(exact[k].s1[l]);
                state.s2[k][l] = static_cast<A>(exact[k].s2[l]);
            });
        }
        return state;
    }

    // Steps every lane through the samples of the square, some at a time: f(i, step) for those from the i-th,
    // where step(x, l) is the pass's output.
    template <class F>
    IIR2D_DEVICE static void sweep(const GpuTileAxis& axis, State& state, F f) {
        const auto all = [&](auto step) {
            IIR2D_ROLLED
            for (int i = 0; i < gpu_square; i += swept_at_once) f(i, step);
        };
        const GpuStep<A, Order> one(axis.sections[0]);
        if constexpr (Sections == 1) {
            all([&](A x, int l) { return one(x, state.s1[0][l], state.s2[0][l]); });
        } else {
            const GpuStep<A, Order> two(axis.sections[1]);
            all([&](A x, int l) {
                return two(one(x, state.s1[0][l], state.s2[0][l]), state.s1[1][l], state.s2[1][l]);
            });
        }
    }

    // Fetches this warp's 32 rows of a square, of which there are `rows` and `columns`; zeros for the others.
    IIR2D_DEVICE void fetch(const S* from, std::int64_t rows, std::int64_t columns) const {
        const int first = block.warp() * warp_lanes;
        const auto rows_here = static_cast<int>(rows < gpu_square ? rows : gpu_square) - first;
        const auto columns_here = static_cast<int>(columns < gpu_square ? columns : gpu_square);
        const S* const row = from + first * job.in.row_stride;
        A* const to = square() + first * pitch;
        if (job.packed != 0 && job.step > 0) {
            fetch_packed<false>(row, to, rows_here, columns_here);
        } else if (job.packed != 0) {
            fetch_packed<true>(row, to, rows_here, columns_here);
        } else {
            fetch_single(row, to, rows_here, columns_here);
        }
    }

    // Fetches 16 bytes a lane. Where a row's samples go against memory, so do those of 16 bytes.
    template <bool Backwards>
    IIR2D_DEVICE void fetch_packed(const S* row, A* to, int rows, int columns) const {
        using Packed = GpuPacked<S>;
        constexpr int lanes_of_row = gpu_square / Packed::count;
        constexpr int rows_at_once = warp_lanes / lanes_of_row;
        constexpr int at_once = 8;
        const std::int64_t stride = job.in.row_stride;
        IIR2D_ROLLED
        for (int r = 0; r < warp_lanes; r += rows_at_once * at_once) {
            Lanes<Packed> values[static_cast<std::size_t>(at_once)];
            for_lanes([&](int l) {
                const int column = l % lanes_of_row * Packed::count;
                const int row_of_lane = r + l / lanes_of_row;
                const S* from =
                    row + row_of_lane * stride + (Backwards ? 1 - Packed::count - column : column);
                const int there = column < columns ? rows - row_of_lane : 0;
                IIR2D_UNROLL
                for (int k = 0; k < at_once; ++k, from += rows_at_once * stride)
                    values[k][l] =
                        k * rows_at_once < there ? *reinterpret_cast<const Packed*>(from) : Packed{};
            });
            for_lanes([&](int l) {
                const int column = l % lanes_of_row * Packed::count;
                A* const at = to + (r + l / lanes_of_row) * pitch + column;
                IIR2D_UNROLL
                for (int k = 0; k < at_once; ++k) {
                    IIR2D_UNROLL
                    for (int part = 0; part < Packed::count; part += GpuPacked<A>::count) {
                        GpuPacked<A> out;
                        IIR2D_UNROLL
                        for (int i = 0; i < GpuPacked<A>::count; ++i) {
                            const int from = part + i;
                            out.value[i] = static_cast<A>(
                                values[k][l].value[Backwards ? Packed::count - 1 - from : from]);
                        }
                        *reinterpret_cast<GpuPacked<A>*>(at + k * rows_at_once * pitch + part) = out;
                    }
                }
            });
        }
    }

    IIR2D_DEVICE void fetch_single(const S* row, A* to, int rows, int columns) const {
        constexpr int at_once = 8;
        const std::int64_t stride = job.in.row_stride;
        const int step = job.step;
        IIR2D_ROLLED
        for (int r = 0; r < warp_lanes; r += at_once, row += at_once * stride, to += at_once * pitch) {
            Lanes<S> values[2 * at_once];
            IIR2D_UNROLL
            for (int k = 0; k < at_once; ++k) {
                const bool there = r + k < rows;
                const S* const samples = row + k * stride;
                for_lanes([&](int l) {
                    values[2 * k][l] = there && l < columns ? samples[l * step] : S(0);
                    values[2 * k + 1][l] =
                        there && l + warp_lanes < columns ? samples[(l + warp_lanes) * step] : S(0);
                });
            }
            IIR2D_UNROLL
            for (int k = 0; k < at_once; ++k) {
                for_lanes([&](int l) {
                    to[k * pitch + l] = static_cast<A>(values[2 * k][l]);
                    to[k * pitch + l + warp_lanes] = static_cast<A>(values[2 * k + 1][l]);
                });
            }
        }
    }

    IIR2D_DEVICE State rows_start(std::int64_t down) const {
        if (tile_x == 0) {
            const GpuSquareLines<A> lines{square() + block.warp() * warp_lanes * pitch, pitch, 1, warp_lanes};
            return start(job.rows, lines, job.rows.constant);
        }
        State state = rest();
        if constexpr (!Carries) {
            load(state, row_carries(tile_x - 1) + down + block.warp() * warp_lanes, job.grid.row_pitch,
                 warp_lanes_of(job.grid.height - tile_y * job.grid.tile_height - down));
        }
        return state;
    }
    // Returns how many of this warp's lanes there are.
    IIR2D_DEVICE int warp_lanes_of(std::int64_t left) const {
        left -= block.warp() * warp_lanes;
        return left < warp_lanes ? static_cast<int>(left) : warp_lanes;
    }

    IIR2D_DEVICE void run_rows(State& state) const {
        A* const row = square() + block.warp() * warp_lanes * pitch;
        sweep(job.rows, state, [&](int i, auto& step) {
            using Packed = GpuPacked<A>;
            constexpr int count = swept_at_once / Packed::count;
            for_lanes([&](int l) {
                Packed* const samples = reinterpret_cast<Packed*>(row + l * pitch + i);
                Packed values[static_cast<std::size_t>(count)];
                IIR2D_UNROLL
                for (int k = 0; k < count; ++k) values[k] = samples[k];
                IIR2D_UNROLL
                for (int k = 0; k < swept_at_once; ++k) {
                    A& sample = values[k / Packed::count].value[k % Packed::count];
                    sample = step(sample, l);
                }
                IIR2D_UNROLL
                for (int k = 0; k < count; ++k) samples[k] = values[k];
            });
        });
    }

    // Leaves the rows' last states: for the next tile, and behind the samples of the square.
    IIR2D_DEVICE void leave_rows(const State& state, std::int64_t down) const {
        store(state, row_carries(tile_x) + down + block.warp() * warp_lanes, job.grid.row_pitch, 1,
              warp_lanes_of(job.grid.height - tile_y * job.grid.tile_height - down));
        store(state, square() + block.warp() * warp_lanes * pitch + gpu_square, 1, pitch, warp_lanes);
    }

    // Runs a column a lane through the square: put(i, y) gets what comes of row i.
    template <class F>
    IIR2D_DEVICE void sweep_column(const A* column, int lanes, State& state, F put) const {
        sweep(job.columns, state, [&](int i, auto& step) {
            Lanes<A> y[static_cast<std::size_t>(swept_at_once)];
            IIR2D_UNROLL
            for (int k = 0; k < swept_at_once; ++k) {
                for_lanes(
                    [&](int l) { y[k][l] = !Carries || l < lanes ? column[(i + k) * pitch + l] : A(0); });
            }
            IIR2D_UNROLL
            for (int k = 0; k < swept_at_once; ++k) {
                for_lanes([&](int l) { y[k][l] = step(y[k][l], l); });
                put(i + k, y[k]);
            }
        });
    }

    // Runs the columns of a square, `right` and `down` of the tile's corner. The warp behind those of the
    // samples has the states of the rows in its lanes: what a column makes of them is what it makes of a
    // row's state.
    IIR2D_DEVICE void run_columns(std::int64_t right, std::int64_t down, bool is_last, S* to,
                                  std::int64_t rows, std::int64_t columns) const {
        const GpuTileGrid& g = job.grid;
        const int first = block.warp() * warp_lanes;
        const bool of_states = Carries && block.warp() == gpu_square_warps;
        const int lanes = of_states ? states : warp_lanes;
        const A* const column = square() + first;
        const std::int64_t place = of_states ? g.tile_width : right + first;
        State state = rest();
        if (down > 0) {
            load(state, kept() + place, kept_pitch(), lanes);
        } else if (tile_y == 0) {
            state = start(job.columns, {column, 1, pitch, lanes}, of_states ? 0.0 : job.columns.constant);
        } else if constexpr (!Carries) {
            load(state, column_carries(tile_y - 1) + place, g.tile_width, warp_lanes_of(columns));
        }
        if constexpr (Carries) {
            sweep_column(column, lanes, state, [](int, const auto&) {});
        } else if (rows >= gpu_square && first + warp_lanes <= columns) {
            S* out = to + first * job.step;
            sweep_column(column, lanes, state, [&](int, const auto& y) {
                for_lanes([&](int l) { out[l * job.step] = static_cast<S>(y[l]); });
                out += job.out.row_stride;
            });
        } else {
            S* out = to + first * job.step;
            const int columns_here = warp_lanes_of(columns);
            sweep_column(column, lanes, state, [&](int i, const auto& y) {
                for_lanes([&](int l) {
                    if (i < rows && l < columns_here) out[l * job.step] = static_cast<S>(y[l]);
                });
                out += job.out.row_stride;
            });
        }
        if (!is_last) {
            store(state, kept() + place, kept_pitch(), 1, lanes);
        } else if constexpr (Carries) {
            if (of_states) {
                store(state, row_carries(tile_x) + g.tile_height, 1, g.row_pitch, states);
            } else {
                store(state, column_carries(tile_y) + place, g.tile_width, 1, warp_lanes_of(columns));
            }
        }
    }

    IIR2D_DEVICE void barrier() const {
        if constexpr (Fault != GpuFault::no_barrier) block.barrier();
    }

    IIR2D_DEVICE void operator()() const {
        const GpuTileGrid& g = job.grid;
        const bool to_right = tile_x + 1 < g.tiles_x;
        const bool to_below = tile_y + 1 < g.tiles_y;
        const std::int64_t left = tile_x * g.tile_width;
        const std::int64_t top = tile_y * g.tile_height;
        const std::int64_t width = g.width - left < g.tile_width ? g.width - left : g.tile_width;
        std::int64_t height = g.height - top < g.tile_height ? g.height - top : g.tile_height;
        if (Carries && !to_right && !to_below) height = 0;  // leaves nothing to anybody
        const S* const in = gpu_address<const S>(job.in.data) + plane * job.in.plane_stride +
                            top * job.in.row_stride + left * job.step;
        S* const out = gpu_address<S>(job.out.data) + plane * job.out.plane_stride +
                       top * job.out.row_stride + left * job.step;
        IIR2D_ROLLED
        for (std::int64_t down = 0; down < height; down += gpu_square) {
            State rows = rest();
            IIR2D_ROLLED
            for (std::int64_t right = 0; right < width; right += gpu_square) {
                const bool is_end = right + gpu_square >= width;
                if (block.warp() < gpu_square_warps) {
                    fetch(in + down * job.in.row_stride + right * job.step, height - down, width - right);
                    block.warp_sync();
                    if (right == 0) rows = rows_start(down);
                    run_rows(rows);
                    if (Carries && is_end && to_right) leave_rows(rows, down);
                }
                barrier();
                const bool has_column = block.warp() < gpu_square_warps || (is_end && to_right);
                if ((!Carries || to_below) && has_column) {
                    run_columns(right, down, down + gpu_square >= height,
                                out + down * job.out.row_stride + right * job.step, height - down,
                                width - right);
                }
                barrier();  // the next square takes this one's place
            }
        }
    }
};

template <class S, class A, int Order, int Sections, bool Carries, GpuFault Fault = GpuFault::none>
IIR2D_DEVICE void gpu_run_tile(const GpuTiles& job, const Block& block) {
    const GpuTileGrid& g = job.grid;
    const std::int64_t next = job.first_block + block.index();
    const std::int64_t tile = Carries == (job.step < 0) ? job.blocks - 1 - next : next;
    const std::int64_t row = tile / g.tiles_x;
    const GpuTileRun<S, A, Order, Sections, Carries, Fault> run{job, block, row / g.tiles_y, tile % g.tiles_x,
                                                                row % g.tiles_y};
    run();
}

}  // namespace iir2d::iir
