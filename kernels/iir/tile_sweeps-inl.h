// SPDX-License-Identifier: MIT
// Sections over a whole tile, in registers: included once for each instruction set, after Highway or its
// stand-in.
#if defined(IIR2D_TILE_SWEEPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef IIR2D_TILE_SWEEPS_INL_H
#undef IIR2D_TILE_SWEEPS_INL_H
#else
#define IIR2D_TILE_SWEEPS_INL_H
#endif

#include <algorithm>

#include "kernels/iir/sweep_lanes-inl.h"
#include "kernels/iir/transpose-inl.h"
#include "kernels/support/prefetch.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::iir::HWY_NAMESPACE {
namespace {

// to[j][i] = from[i][j], rows `from_pitch` and `to_pitch` apart.
template <class S>
HWY_INLINE void transpose_some(const S* from, std::int64_t from_pitch, std::int64_t rows,
                               std::int64_t columns, S* to, std::int64_t to_pitch) {
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) to[c * to_pitch + r] = from[r * from_pitch + c];
    }
}

// From right to left the processor does not see what comes next: asks for the line of a row that lies two
// tiles on.
template <support::Access Use = support::Access::read, class S>
HWY_INLINE void prefetch_back(const S* row) {
    support::prefetch<Use>(row, -2 * tile_columns * static_cast<std::int64_t>(sizeof(S)));
}

// Where a tile's samples come from and go to; null what is not wanted. In columns, each band_rows long:
// `from`, `to`, `add`. In rows: `rows`, and `by_row`, tile_columns apart.
template <class S>
struct Places {
    const S* rows;
    std::int64_t stride;
    const S* from;
    const S* add;
    S* to;
    S* by_row;
};

// Count sections that have as many terms over a whole tile: square by square, each in registers between
// coming from rows and going to them. A tile is short enough that the processor is at its columns and at the
// next tile's squares while the chain of this one's rows goes on. No sections: samples only move.
template <int Terms, std::int64_t Count, bool Reversed, class S, class A>
HWY_NOINLINE void sweep_squares(const SectionStep<A>* sections, const Places<S>& places,
                                const LaneStates<A>& states) {
    constexpr std::int64_t n = lanes<A>;
    const Tag<A, n> d;
    const Tag<S, n> ds;
    using V = Vector<A, n>;
    const Places<S> p = places;
    constexpr auto count = static_cast<std::size_t>(std::max<std::int64_t>(Count, 1));
    Coefficients<V> c[count];
    for (std::int64_t k = 0; k < Count; ++k) c[k] = in_all_lanes(d, sections[k].c);
    constexpr bool in_pairs = Terms == 1 && Count == 1;
    PairCoefficients<V> pair;
    if constexpr (in_pairs)
        pair = {hn::Set(d, sections->pair.x0), hn::Set(d, sections->pair.x1),
                hn::Set(d, sections->pair.back)};
    constexpr std::int64_t groups = band_rows / n;
    V r1[static_cast<std::size_t>(groups)][count];
    V r2[static_cast<std::size_t>(groups)][count];
    const auto state = [&](std::int64_t group, std::int64_t k) {
        return states.first + 2 * k * states.stride + group * n;
    };
    for (std::int64_t group = 0; group < groups; ++group) {
        for (std::int64_t k = 0; k < Count; ++k) {
            r1[group][k] = hn::LoadU(d, state(group, k));
            if constexpr (Terms == 3) r2[group][k] = hn::LoadU(d, state(group, k) + states.stride);
        }
    }
    V to_first;
    V to_second;
    if constexpr (in_pairs) {
        to_first = hn::Set(d, A(1));
        to_second = c[0].a1;
    }
    for (std::int64_t i = 0; i < tile_columns; i += n) {
        const std::int64_t column = Reversed ? tile_columns - n - i : i;
        unrolled<groups>([&](auto group) {
            constexpr std::int64_t g = group * n;
            V* const s1 = r1[group];
            V* const s2 = r2[group];
            const std::int64_t in_line = column * band_rows + g;
            Vector<S, n> v[static_cast<std::size_t>(n)];
            if (p.rows != nullptr) {
                unrolled<n>([&](auto r) {
                    const S* row = p.rows + (g + r) * p.stride + column;
                    if constexpr (Reversed) prefetch_back(row);
                    v[r] = hn::LoadU(ds, row);
                });
                transpose<S, n>(v);
            } else {
                unrolled<n>([&](auto t) { v[t] = hn::LoadU(ds, p.from + in_line + t * band_rows); });
            }
            const auto along = [&](const auto& finish) {
                if constexpr (in_pairs) {
                    // A pair at a time. Within the tile its last result is kept, not the state.
                    unrolled<n / 2>([&](auto j) {
                        constexpr std::int64_t first = Reversed ? n - 1 - 2 * j : 2 * j;
                        constexpr std::int64_t second = Reversed ? first - 1 : first + 1;
                        const V x1 = promoted(d, v[first]);
                        const V x2 = promoted(d, v[second]);
                        const V of_x = hn::Add(hn::Mul(pair.x0, x2), hn::Mul(pair.x1, x1));
                        const V y1 =
                            hn::Add(hn::Mul(c[0].b0, x1), hn::Mul(j == 0 ? to_first : c[0].a1, s1[0]));
                        s1[0] = hn::Add(of_x, hn::Mul(j == 0 ? to_second : pair.back, s1[0]));
                        v[first] = demoted(ds, finish(y1, first));
                        v[second] = demoted(ds, finish(s1[0], second));
                    });
                } else {
                    unrolled<Count == 0 ? 0 : n>([&](auto j) {
                        constexpr std::int64_t t = Reversed ? n - 1 - j : j;
                        unrolled<Count - 1>([&](auto k) {
                            v[t] = demoted(ds, step<Terms>(c[k], promoted(d, v[t]), s1[k], s2[k]));
                        });
                        constexpr std::int64_t k = Count - 1;
                        v[t] = demoted(ds, finish(step<Terms>(c[k], promoted(d, v[t]), s1[k], s2[k]), t));
                    });
                }
            };
            if (p.add != nullptr) {
                along([&](const V& y, std::int64_t t) {
                    return hn::Add(y, load_as(d, p.add + in_line + t * band_rows));
                });
            } else {
                along([](const V& y, std::int64_t) { return y; });
            }
            if (p.to != nullptr)
                unrolled<n>([&](auto t) { hn::StoreU(v[t], ds, p.to + in_line + t * band_rows); });
            if (p.by_row != nullptr) {
                transpose<S, n>(v);
                unrolled<n>(
                    [&](auto r) { hn::StoreU(v[r], ds, p.by_row + (g + r) * tile_columns + column); });
            }
        });
        if constexpr (in_pairs) {
            to_first = c[0].a1;
            to_second = pair.back;
        }
    }
    for (std::int64_t group = 0; group < groups; ++group) {
        if constexpr (in_pairs) r1[group][0] = hn::Mul(c[0].a1, r1[group][0]);
        for (std::int64_t k = 0; k < Count; ++k) {
            hn::StoreU(r1[group][k], d, state(group, k));
            if constexpr (Terms == 3) hn::StoreU(r2[group][k], d, state(group, k) + states.stride);
        }
    }
}

// Count sections down a whole tile, `from` tile_columns apart, a few vectors beside each other.
template <int Terms, std::int64_t Count, bool NonTemporal, class S, class A>
HWY_NOINLINE void sweep_down(const SectionStep<A>* sections, const S* from, S* to, std::int64_t to_stride,
                             const LaneStates<A>& states) {
    constexpr std::int64_t n = lanes<A>;
    constexpr std::int64_t beside = Terms == 3 && Count == 2 ? 2 : 4;
    const Tag<A, n> d;
    const Tag<S, n> ds;
    using V = Vector<A, n>;
    Coefficients<V> c[static_cast<std::size_t>(Count)];
    for (std::int64_t k = 0; k < Count; ++k) c[k] = in_all_lanes(d, sections[k].c);
    for (std::int64_t column = 0; column < tile_columns; column += beside * n) {
        V r1[static_cast<std::size_t>(Count)][static_cast<std::size_t>(beside)];
        V r2[static_cast<std::size_t>(Count)][static_cast<std::size_t>(beside)];
        const auto at = [&](std::int64_t k, std::int64_t i) {
            return states.first + 2 * k * states.stride + column + i * n;
        };
        for (std::int64_t k = 0; k < Count; ++k) {
            for (std::int64_t i = 0; i < beside; ++i) {
                r1[k][i] = hn::LoadU(d, at(k, i));
                if constexpr (Terms == 3) r2[k][i] = hn::LoadU(d, at(k, i) + states.stride);
            }
        }
        S* row = to + column;
        unrolled<band_rows>([&](auto r) {
            unrolled<beside>([&](auto i) {
                auto x = hn::LoadU(ds, from + r * tile_columns + column + i * n);
                unrolled<Count>(
                    [&](auto k) { x = demoted(ds, step<Terms>(c[k], promoted(d, x), r1[k][i], r2[k][i])); });
                if constexpr (NonTemporal) {
                    hn::Stream(x, ds, row + i * n);
                } else {
                    hn::StoreU(x, ds, row + i * n);
                }
            });
            row += to_stride;
        });
        for (std::int64_t k = 0; k < Count; ++k) {
            for (std::int64_t i = 0; i < beside; ++i) {
                hn::StoreU(r1[k][i], d, at(k, i));
                if constexpr (Terms == 3) hn::StoreU(r2[k][i], d, at(k, i) + states.stride);
            }
        }
    }
}

}  // namespace
}  // namespace iir2d::iir::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
