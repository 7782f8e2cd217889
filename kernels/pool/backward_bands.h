// SPDX-License-Identifier: MIT
// Finds the places of maxima band by band, just before the band's gradients are made from them: the places of
// a whole plane take more memory than its elements, and the system takes longer to hand that memory out than
// the arithmetic takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stop_token>

#include "kernels/pool/backward_job.h"
#include "kernels/support/aligned_array.h"

namespace iir2d::pool {

// Rows with all windows near them, as planes of their own.
struct Band {
    PoolGeometry geometry;
    std::int64_t first_row;     // of what the windows read, in a whole plane
    std::int64_t first_window;  // along y
};

// Returns the band of some rows. Windows are not adaptive.
inline Band band_of(const PoolGeometry& whole, const Rows& band_rows) {
    const AxisWindows& y = whole.y;
    const IndexRange& rows = band_rows.y;
    const std::int64_t planes = band_rows.planes.end - band_rows.planes.begin;
    // A row between windows that lie apart is in none of them: then the window above it is the first one.
    const std::int64_t above = std::min((rows.begin + y.padding) / y.stride, y.out - 1);
    const std::int64_t first = std::min(y.windows_near(rows.begin).begin, above);
    const std::int64_t last = std::max(y.windows_near(rows.end - 1).end - 1, first);
    const std::int64_t first_row = std::max<std::int64_t>(y.start(first), 0);
    const std::int64_t end = std::max(std::min(y.start(last) + y.span(), y.in), rows.end);
    Band band{whole, first_row, first};
    band.geometry.y.in = end - first_row;
    band.geometry.y.out = last - first + 1;
    band.geometry.y.padding = first_row - y.start(first);
    band.geometry.input = {.c = planes, .h = band.geometry.y.in, .w = whole.x.in};
    band.geometry.output = {.c = planes, .h = band.geometry.y.out, .w = whole.x.out};
    return band;
}

// Makes bands of dx by `Kernel`, from places that the forward pass of `finder` gives. A task has one object.
template <class Kernel, class T>
class MaximaOfBands {
  public:
    MaximaOfBands(const Job<T>& job, const CpuKernel& finder, const std::stop_token& stop)
        : m_job(job), m_finder(finder), m_stop(stop) {}

    void operator()(const Rows& rows) {
        const Band band = band_of(m_job.geometry, rows);
        const Shape& out = band.geometry.output;
        const std::int64_t plane = rows.planes.begin;
        make_room(static_cast<std::size_t>(out.c * out.h * out.w));
        const ConstTensorView x{m_job.x.row(plane, band.first_row), m_job.desc.element, band.geometry.input,
                                m_job.x.row_stride, m_job.x.plane_stride};
        const TensorView maxima{m_maxima.data(), m_job.desc.element, out, out.w, out.h * out.w};
        if (!forward_cpu(m_job.desc, band.geometry, m_finder, x, maxima, m_places.data(), 1,
                         {.stop = m_stop}))
            return;  // stopped
        const auto part = [plane](const auto& planes, std::int64_t row) {
            auto moved = planes;
            moved.data = planes.row(plane, row);
            return moved;
        };
        Kernel kernel(Job<T>{.desc = m_job.desc,
                             .geometry = band.geometry,
                             .x = {},
                             .y = {},
                             .dy = part(m_job.dy, band.first_window),
                             .dx = part(m_job.dx, band.first_row),
                             .argmax = m_places.data(),
                             .non_temporal = m_job.non_temporal});
        make_chunks(kernel, {{0, out.c}, {rows.y.begin - band.first_row, rows.y.end - band.first_row}},
                    m_stop);
    }

  private:
    void make_room(std::size_t windows) {
        if (windows <= m_room) return;
        m_places = support::AlignedArray<std::int64_t>(windows);
        m_maxima = support::AlignedArray<T>(windows);
        m_room = windows;
    }

    const Job<T>& m_job;
    const CpuKernel& m_finder;
    std::stop_token m_stop;
    std::size_t m_room = 0;  // in windows
    support::AlignedArray<std::int64_t> m_places;
    support::AlignedArray<T> m_maxima;
};

}  // namespace iir2d::pool
