// SPDX-License-Identifier: MIT
// Holds what the ways through a backward pass share. Each is a class of which a task has one object, with
// make_rows(plane, rows) for rows of dx and chunk_rows() for how many at a time.
#pragma once

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

}  // namespace iir2d::pool
