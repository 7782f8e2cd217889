// SPDX-License-Identifier: MIT
// A band of rows through a causal filter's rows and columns at once, in tiles that stay in registers and the
// first-level cache; compiled for several instruction sets, of which the best that runs is chosen once.
// Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/iir/coefficients.h"

namespace iir2d::iir {

// Rows of a band, and columns of a tile: states and the columns of a strip are padded to it.
inline constexpr std::int64_t band_rows = 16;
inline constexpr std::int64_t tile_columns = 32;

// An axis as a cascade; `Arithmetic` is float or double.
template <class Arithmetic>
using Cascade = std::vector<SectionStep<Arithmetic>>;

template <class Sample, class Arithmetic, class Out>
struct RasterBand {
    const Sample* in;
    std::int64_t in_stride;  // samples from one row to the next
    Out* out;
    std::int64_t out_stride;
    std::int64_t rows;     // at most band_rows
    std::int64_t columns;  // a multiple of tile_columns, except for a strip that ends with the row
    const Cascade<Arithmetic>* horizontal;
    const Cascade<Arithmetic>* vertical;  // may be empty: then rows alone are filtered
    // Per section s1 then s2, each of band_rows lanes; as they are left of the strip, then right of it.
    Arithmetic* row_states;
    // Per section s1 then s2, each `column_states_stride` long, at the strip's first column; as they are
    // above the band, then below it.
    Arithmetic* column_states;
    std::int64_t column_states_stride;
    bool past_caches;  // stores that do not read what they replace; for images larger than the caches
};

void filter_band(const RasterBand<float, float, float>& band);
void filter_band(const RasterBand<float, double, float>& band);
void filter_band(const RasterBand<double, double, double>& band);
void filter_band(const RasterBand<float, double, double>& band);

}  // namespace iir2d::iir
