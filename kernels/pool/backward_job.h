// SPDX-License-Identifier: MIT
// Holds what the ways through a backward pass share. Each is a class of which a task has one object, with
// make_rows(plane, rows) for rows of dx and chunk_rows() for how many at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stop_token>

#include "kernels/pool/backward.h"
#include "kernels/pool/cpu.h"
#include "kernels/support/element.h"

namespace iir2d::pool {

template <class T>
Planes<const T> planes_of(const ConstTensorView& view) {
    return {static_cast<const T*>(view.data), view.row_stride, view.plane_stride};
}
template <class T>
Planes<T> planes_of(const TensorView& view) {
    return {static_cast<T*>(view.data), view.row_stride, view.plane_stride};
}

template <class T>
struct Job {
    const PoolDesc& desc;
    const PoolGeometry& geometry;
    Planes<const T> x, y, dy;
    Planes<T> dx;
    const std::int64_t* argmax;
    bool non_temporal = false;  // streaming stores, which need finish_stores() at the end
};

// The same rows of neighbouring planes.
struct Rows {
    IndexRange planes;
    IndexRange y;
};

// Makes rows of dx, as many at a time as the kernel wants.
template <class Kernel>
void make_chunks(Kernel& kernel, const Rows& rows, const std::stop_token& stop) {
    const std::int64_t chunk = kernel.chunk_rows();
    for (std::int64_t plane = rows.planes.begin; plane < rows.planes.end; ++plane) {
        for (std::int64_t y = rows.y.begin; y < rows.y.end; y += chunk) {
            if (stop.stop_requested()) return;
            kernel.make_rows(plane, {y, std::min(y + chunk, rows.y.end)});
        }
    }
}

// The base of classes that make one row at a time, by make_row(plane, iy).
template <class Kernel>
class RowByRow {
  public:
    std::int64_t chunk_rows() const { return 1; }
    void make_rows(std::int64_t plane, const IndexRange& rows) {
        for (std::int64_t iy = rows.begin; iy < rows.end; ++iy)
            static_cast<Kernel*>(this)->make_row(plane, iy);
    }

  private:
    friend Kernel;
    RowByRow() = default;
};

}  // namespace iir2d::pool
