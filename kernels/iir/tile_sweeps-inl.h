// SPDX-License-Identifier: MIT
// Sweeps sections over a whole tile, in registers: included once for each instruction set, after Highway or
// its stand-in.
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

// Rows of the tallest bands.
template <class A>
constexpr std::int64_t tallest_band = std::max(least_band_rows, wide_lanes<A>);
static_assert(tallest_band<float> <= most_band_rows && most_band_rows % tallest_band<float> == 0);
static_assert(tallest_band<double> <= most_band_rows && most_band_rows % tallest_band<double> == 0);
// Lanes of vectors along the rows of a band of `Height` rows.
template <class A, std::int64_t Height>
constexpr std::int64_t lanes_along = std::min(Height, wide_lanes<A>);
// Samples of a tile.
template <std::int64_t Height>
constexpr std::int64_t tile_samples = tile_columns* Height;

// Prefetches the cache line of a row that lies two tiles on: from right to left the processor does not
// predict it.
template <support::Access Use = support::Access::read, class S>
HWY_INLINE void prefetch_back(const S* row) {
    support::prefetch<Use>(row, -2 * tile_columns * static_cast<std::int64_t>(sizeof(S)));
}

// Holds where a tile's samples come from and go to; null for what is not wanted. In columns, each as long as
// the band is high: `from`, `to`, `add`, and `kept`, which takes the samples of `rows` as they are. In rows:
// `rows`, and `by_row`, tile_columns apart.
template <class S>
struct Places {
    const S* rows = nullptr;
    std::int64_t stride = 0;
    const S* from = nullptr;
    std::int64_t from_step = 0;  // from a tile to the next one on the right
    const S* add = nullptr;
    S* to = nullptr;
    std::int64_t to_step = 0;  // `add` has the same
    S* kept = nullptr;         // tile_samples from a tile to the next one
};

template <class D, class A>
HWY_INLINE PairCoefficients<hn::Vec<D>> in_all_lanes(D d, const PairCoefficients<A>& p) {
    return {hn::Set(d, p.x0), hn::Set(d, p.x1), hn::Set(d, p.back)};
}

// Along rows the samples of columns 2i and 2i + 1 are taken at once, and the last column of an odd number
// alone, wherever tiles and bands begin. With a section of one term and its state s:
//   y[n] = b0 x[n] + once s,  y[n+1] = x0 x[n+1] + x1 x[n] + twice s.
// s is y[n-1], whose chain is the shortest, `once` a1 and `twice` back; where the row begins s is a1 y[n-1],
// `once` 1 and `twice` a1.

// Computes one sample along a row.
template <int Terms, class V>
HWY_INLINE V step_along(const Coefficients<V>& c, const V& once, const V& x, V& s1, V& s2) {
    if constexpr (Terms != 1) return step<Terms>(c, x, s1, s2);
    s1 = hn::Add(hn::Mul(c.b0, x), hn::Mul(once, s1));
    return s1;
}

// Computes two samples along a row, in place.
template <int Terms, class V>
HWY_INLINE void step_pair(const Coefficients<V>& c, const PairCoefficients<V>& pair, const V& once,
                          const V& twice, V& x1, V& x2, V& s1, V& s2) {
    if constexpr (Terms == 1) {
        const V of_x = hn::Add(hn::Mul(pair.x0, x2), hn::Mul(pair.x1, x1));
        x1 = hn::Add(hn::Mul(c.b0, x1), hn::Mul(once, s1));
        s1 = hn::Add(of_x, hn::Mul(twice, s1));
        x2 = s1;
    } else if constexpr (Terms == 2) {
        x1 = step<Terms>(c, x1, s1, s2);
        x2 = step<Terms>(c, x2, s1, s2);
    } else {
        const V of_x = hn::Add(hn::Mul(c.c1, x2), hn::Mul(pair.x1, x1));
        const V between = hn::Add(hn::Add(hn::Mul(c.c1, x1), s2), hn::Mul(c.a1, s1));
        const V next = hn::Add(hn::Add(of_x, hn::Mul(pair.back, s1)), hn::Mul(c.a1, s2));
        s2 = hn::Add(hn::Mul(c.c2, x2), hn::Mul(c.a2, between));
        x1 = hn::Add(hn::Mul(c.b0, x1), s1);
        x2 = hn::Add(hn::Mul(c.b0, x2), between);
        s1 = next;
    }
}

// Sweeps Count sections of the same number of terms over a whole tile: square by square, each in registers
// between coming from rows and going to them. A tile is short enough that the processor computes its columns
// and the next tile's squares while the chain of this one's rows goes on. No sections: samples only move.
template <int Terms, std::int64_t Count, bool Reversed, std::int64_t Height, class S, class A>
HWY_NOINLINE void sweep_squares(const SectionStep<A>* sections, const Places<S>& places,
                                const LaneStates<A>& states, std::int64_t tile, S* by_row, bool begins) {
    constexpr std::int64_t n = lanes_along<A, Height>;
    static_assert(n % 2 == 0);
    const Tag<A, n> d;
    const Tag<S, n> ds;
    using V = Vector<A, n>;
    // Nothing is stored in `places` from one tile to the next: a load of more than one of its members would
    // wait until all stores before that one are in the cache.
    Places<S> p = places;
    if (p.rows != nullptr) p.rows += tile * tile_columns;
    if (p.from != nullptr) p.from += tile * p.from_step;
    if (p.add != nullptr) p.add += tile * p.to_step;
    if (p.to != nullptr) p.to += tile * p.to_step;
    if (p.kept != nullptr) p.kept += tile * tile_samples<Height>;
    constexpr auto count = static_cast<std::size_t>(std::max<std::int64_t>(Count, 1));
    Coefficients<V> c[count];
    PairCoefficients<V> pair[count];
    // Not one struct of both: the compiler copies it in pieces, and to load them together waits.
    V once[count];
    V twice[count];
    for (std::int64_t k = 0; k < Count; ++k) {
        c[k] = in_all_lanes(d, sections[k].c);
        pair[k] = in_all_lanes(d, sections[k].pair);
        once[k] = hn::Set(d, begins ? A(1) : sections[k].c.a1);
        twice[k] = hn::Set(d, begins ? sections[k].c.a1 : sections[k].pair.back);
    }
    constexpr std::int64_t groups = Height / n;
    constexpr std::int64_t few = columns_at_once<S, n>;
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
    for (std::int64_t i = 0; i < tile_columns; i += n) {
        const std::int64_t column = Reversed ? tile_columns - n - i : i;
        unrolled_in_place<groups>([&](auto group) IIR2D_INLINE_LAMBDA {
            constexpr std::int64_t g = group * n;
            V* const s1 = r1[group];
            V* const s2 = r2[group];
            Vector<S, n> v[static_cast<std::size_t>(n)];
            // A few columns at a time, from rows to a block of rows again: their chain goes on while the next
            // ones are brought into their lanes.
            unrolled_in_place<n / few>([&](auto part) IIR2D_INLINE_LAMBDA {
                constexpr std::int64_t begin = Reversed ? n - few - part * few : part * few;
                Vector<S, n>* const w = v + begin;
                const std::int64_t in_line = (column + begin) * Height + g;
                if (p.rows != nullptr) {
                    const S* row = p.rows + g * p.stride + column + begin;
                    if constexpr (Reversed && part == 0) {
                        unrolled_in_place<n>([&](auto r)
                                                 IIR2D_INLINE_LAMBDA { prefetch_back(row + r * p.stride); });
                    }
                    load_columns<S, n>(row, p.stride, w);
                    if (p.kept != nullptr) {
                        unrolled_in_place<few>([&](auto t) IIR2D_INLINE_LAMBDA {
                            hn::StoreU(w[t], ds, p.kept + in_line + t * Height);
                        });
                    }
                } else {
                    unrolled_in_place<few>([&](auto t) IIR2D_INLINE_LAMBDA {
                        w[t] = hn::LoadU(ds, p.from + in_line + t * Height);
                    });
                }
                const auto along = [&](const auto& finish) IIR2D_INLINE_LAMBDA {
                    unrolled_in_place<Count == 0 ? 0 : few / 2>([&](auto j) IIR2D_INLINE_LAMBDA {
                        constexpr std::int64_t first = Reversed ? few - 1 - 2 * j : 2 * j;
                        constexpr std::int64_t second = Reversed ? first - 1 : first + 1;
                        constexpr bool at_once = part == 0 && j == 0;
                        V y1 = promoted(d, w[first]);
                        V y2 = promoted(d, w[second]);
                        unrolled_in_place<Count>([&](auto k) IIR2D_INLINE_LAMBDA {
                            step_pair<Terms>(c[k], pair[k], at_once ? once[k] : c[k].a1,
                                             at_once ? twice[k] : pair[k].back, y1, y2, s1[k], s2[k]);
                        });
                        w[first] = demoted(ds, finish(y1, first));
                        w[second] = demoted(ds, finish(y2, second));
                    });
                };
                const auto as_it_is = [](const V& y, std::int64_t) IIR2D_INLINE_LAMBDA { return y; };
                if constexpr (std::is_same_v<S, A>) {
                    along(as_it_is);
                    if (p.add != nullptr) {
                        unrolled_in_place<few>([&](auto t) IIR2D_INLINE_LAMBDA {
                            w[t] = hn::Add(w[t], hn::LoadU(ds, p.add + in_line + t * Height));
                        });
                    }
                } else if (p.add != nullptr) {
                    // Before it is rounded.
                    along([&](const V& y, std::int64_t t) IIR2D_INLINE_LAMBDA {
                        return hn::Add(y, load_as(d, p.add + in_line + t * Height));
                    });
                } else {
                    along(as_it_is);
                }
                if (p.to != nullptr) {
                    unrolled_in_place<few>([&](auto t) IIR2D_INLINE_LAMBDA {
                        hn::StoreU(w[t], ds, p.to + in_line + t * Height);
                    });
                }
                if (by_row != nullptr) {
                    constexpr std::int64_t of_block = block_columns<S, n>;
                    unrolled_in_place<few / of_block>([&](auto block) IIR2D_INLINE_LAMBDA {
                        transpose_within<S, n>(w + block * of_block);
                    });
                }
            });
            if (by_row != nullptr) {
                transpose_across<S, n>(v);
                unrolled_in_place<n>([&](auto r) IIR2D_INLINE_LAMBDA {
                    hn::StoreU(v[r], ds, by_row + (g + r) * tile_columns + column);
                });
            }
        });
        for (std::int64_t k = 0; k < Count; ++k) {
            once[k] = c[k].a1;
            twice[k] = pair[k].back;
        }
    }
    for (std::int64_t group = 0; group < groups; ++group) {
        for (std::int64_t k = 0; k < Count; ++k) {
            hn::StoreU(r1[group][k], d, state(group, k));
            if constexpr (Terms == 3) hn::StoreU(r2[group][k], d, state(group, k) + states.stride);
        }
    }
}

// Sweeps Count sections of the same number of terms over the first `columns` columns of a tile, in memory.
template <int Terms, std::int64_t Count, std::int64_t Height, class S, class A>
HWY_NOINLINE void sweep_some(const SectionStep<A>* sections, const Places<S>& places, std::int64_t columns,
                             bool reversed, const LaneStates<A>& states, bool begins) {
    constexpr std::int64_t n = lanes_along<A, Height>;
    constexpr auto sections_count = static_cast<std::size_t>(Count);
    const Tag<A, n> d;
    using V = Vector<A, n>;
    Coefficients<V> c[sections_count];
    PairCoefficients<V> pair[sections_count];
    for (std::int64_t k = 0; k < Count; ++k) {
        c[k] = in_all_lanes(d, sections[k].c);
        pair[k] = in_all_lanes(d, sections[k].pair);
    }
    const std::int64_t even = columns / 2 * 2;
    for (std::int64_t lane = 0; lane < Height; lane += n) {
        const Places<S> p{.from = places.from + lane,
                          .add = places.add == nullptr ? nullptr : places.add + lane,
                          .to = places.to + lane};
        V s1[sections_count];
        V s2[sections_count];
        V once[sections_count];
        V twice[sections_count];
        const auto state = [&](std::int64_t k) { return states.first + 2 * k * states.stride + lane; };
        for (std::int64_t k = 0; k < Count; ++k) {
            s1[k] = hn::LoadU(d, state(k));
            s2[k] = hn::LoadU(d, state(k) + states.stride);
            once[k] = hn::Set(d, begins ? A(1) : sections[k].c.a1);
            twice[k] = hn::Set(d, begins ? sections[k].c.a1 : sections[k].pair.back);
        }
        const auto go_on = [&] {
            for (std::int64_t k = 0; k < Count; ++k) {
                once[k] = c[k].a1;
                twice[k] = pair[k].back;
            }
        };
        const auto load = [&](std::int64_t t) { return load_as(d, p.from + t * Height); };
        const auto put = [&](const V& y, std::int64_t t) {
            const std::int64_t at = t * Height;
            store_from(d, p.add == nullptr ? y : hn::Add(y, load_as(d, p.add + at)), p.to + at);
        };
        const auto alone = [&] {
            if (even == columns) return;
            V y = load(even);
            for (std::int64_t k = 0; k < Count; ++k) y = step_along<Terms>(c[k], once[k], y, s1[k], s2[k]);
            put(y, even);
            go_on();
        };
        if (reversed) alone();
        for (std::int64_t i = 0; i < even; i += 2) {
            const std::int64_t first = reversed ? even - 1 - i : i;
            const std::int64_t second = reversed ? first - 1 : first + 1;
            V y1 = load(first);
            V y2 = load(second);
            for (std::int64_t k = 0; k < Count; ++k)
                step_pair<Terms>(c[k], pair[k], once[k], twice[k], y1, y2, s1[k], s2[k]);
            put(y1, first);
            put(y2, second);
            go_on();
        }
        if (!reversed) alone();
        for (std::int64_t k = 0; k < Count; ++k) {
            hn::StoreU(s1[k], d, state(k));
            hn::StoreU(s2[k], d, state(k) + states.stride);
        }
    }
}

// Says what is kept of a tile that is swept down: its samples, ordinarily or past the caches, or the states
// alone.
enum class Kept { stored, streamed, nothing };

// Sweeps Count sections down a whole tile, `from` tile_columns apart, a few vectors beside each other.
template <int Terms, std::int64_t Count, Kept Results, std::int64_t Height, class S, class A>
HWY_NOINLINE void sweep_down(const SectionStep<A>* sections, const S* from, S* to, std::int64_t to_stride,
                             const LaneStates<A>& states, std::int64_t tile) {
    constexpr std::int64_t n = wide_lanes<A>;
    constexpr std::int64_t group = std::min<std::int64_t>(beside<Terms, Count>, tile_columns / n);
    const Tag<A, n> d;
    const Tag<S, n> ds;
    using V = Vector<A, n>;
    Coefficients<V> c[static_cast<std::size_t>(Count)];
    for (std::int64_t k = 0; k < Count; ++k) c[k] = in_all_lanes(d, sections[k].c);
    for (std::int64_t column = 0; column < tile_columns; column += group * n) {
        V r1[static_cast<std::size_t>(Count)][static_cast<std::size_t>(group)];
        V r2[static_cast<std::size_t>(Count)][static_cast<std::size_t>(group)];
        const auto at = [&](std::int64_t k, std::int64_t i) {
            return states.first + 2 * k * states.stride + tile * tile_columns + column + i * n;
        };
        for (std::int64_t k = 0; k < Count; ++k) {
            for (std::int64_t i = 0; i < group; ++i) {
                r1[k][i] = hn::LoadU(d, at(k, i));
                if constexpr (Terms == 3) r2[k][i] = hn::LoadU(d, at(k, i) + states.stride);
            }
        }
        S* row = to + column;
        unrolled_in_place<Height>([&](auto r) IIR2D_INLINE_LAMBDA {
            unrolled_in_place<group>([&](auto i) IIR2D_INLINE_LAMBDA {
                V y = load_as(d, from + r * tile_columns + column + i * n);
                unrolled_in_place<Count>(
                    [&](auto k) IIR2D_INLINE_LAMBDA { y = step<Terms>(c[k], y, r1[k][i], r2[k][i]); });
                const auto x = demoted(ds, y);
                if constexpr (Results == Kept::streamed) {
                    hn::Stream(x, ds, row + i * n);
                } else if constexpr (Results == Kept::stored) {
                    hn::StoreU(x, ds, row + i * n);
                }
            });
            row += to_stride;
        });
        for (std::int64_t k = 0; k < Count; ++k) {
            for (std::int64_t i = 0; i < group; ++i) {
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
