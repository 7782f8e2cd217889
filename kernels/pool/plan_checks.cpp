// SPDX-License-Identifier: MIT
#include "kernels/pool/plan_checks.h"

#include <cstddef>
#include <string>

#include "kernels/support/describe.h"
#include "kernels/support/view.h"

namespace iir2d::pool {

Result<ForwardViews> check_forward(const PoolDesc& desc, const PoolGeometry& geometry,
                                   const ConstTensorView& x, const TensorView& y) {
    const auto x_strides = support::check_view("x", x, desc.element, geometry.input);
    if (!x_strides) return std::unexpected(x_strides.error());
    const auto y_strides = support::check_output_view("y", y, desc.element, geometry.output);
    if (!y_strides) return std::unexpected(y_strides.error());
    if (support::views_overlap(x, *x_strides, y, *y_strides)) {
        return std::unexpected(
            Error{ErrorCode::invalid_argument, "y overlaps x: pooling does not run in place"});
    }
    return ForwardViews{support::resolved(x, *x_strides), support::resolved(y, *y_strides)};
}

Result<Backward> check_backward(const PoolDesc& desc, const PoolGeometry& geometry,
                                const BackwardReads& reads, const ConstTensorView& x,
                                const ConstTensorView& y, const ConstTensorView& dy, const TensorView& dx) {
    Backward data{.dx = dx};
    const auto dx_strides = support::check_output_view("dx", dx, desc.element, geometry.input);
    if (!dx_strides) return std::unexpected(dx_strides.error());
    data.dx = support::resolved(dx, *dx_strides);
    struct Read {
        const char* name;
        const ConstTensorView& view;
        const Shape& shape;
        bool wanted;
        ConstTensorView& resolved;
    };
    for (const Read& read :
         {Read{"x", x, geometry.input, reads.x, data.x}, Read{"y", y, geometry.output, reads.y, data.y},
          Read{"dy", dy, geometry.output, true, data.dy}}) {
        if (!read.wanted) continue;
        const auto strides = support::check_view(read.name, read.view, desc.element, read.shape);
        if (!strides) return std::unexpected(strides.error());
        if (support::views_overlap(read.view, *strides, dx, *dx_strides)) {
            return std::unexpected(Error{ErrorCode::invalid_argument,
                                         std::string("dx overlaps ") + read.name + ": it must lie apart"});
        }
        read.resolved = support::resolved(read.view, *strides);
    }
    return data;
}

namespace {

// That the op has places, that they lie where numbers of 64 bits may, and that there is one for each element
// of the output.
Result<void> check_places(const PoolDesc& desc, std::span<const std::int64_t> argmax, const Shape& output) {
    if (!is_max(desc.op)) {
        return std::unexpected(Error{ErrorCode::invalid_argument, "argmax: only max pooling has one, not " +
                                                                      std::string(name_of(desc.op))});
    }
    if (reinterpret_cast<std::uintptr_t>(argmax.data()) % alignof(std::int64_t) != 0)
        return std::unexpected(Error{ErrorCode::invalid_argument, "argmax: not aligned to its elements"});
    const std::size_t needed = places(argmax.data(), output).size();
    if (argmax.size() == needed) return {};
    return std::unexpected(Error{ErrorCode::invalid_dimension,
                                 "argmax has " + std::to_string(argmax.size()) + " elements, the output " +
                                     support::describe(output) + " has " + std::to_string(needed)});
}

Result<void> check_apart(std::span<const std::int64_t> argmax, const char* name,
                         const ConstTensorView& view) {
    const auto begin = reinterpret_cast<std::uintptr_t>(argmax.data());
    if (!support::overlap({begin, begin + argmax.size_bytes()}, support::bytes_of(view))) return {};
    return std::unexpected(
        Error{ErrorCode::invalid_argument, std::string("argmax overlaps ") + name + ": it must lie apart"});
}

}  // namespace

Result<void> check_argmax(const PoolDesc& desc, const ForwardViews& views,
                          std::span<const std::int64_t> argmax) {
    if (argmax.empty()) return {};
    if (auto good = check_places(desc, argmax, views.y.shape); !good) return good;
    if (auto good = check_apart(argmax, "x", views.x); !good) return good;
    return check_apart(argmax, "y", views.y);
}

Result<void> check_argmax(const PoolDesc& desc, const Backward& data, std::span<const std::int64_t> argmax) {
    if (argmax.empty()) return {};
    if (auto good = check_places(desc, argmax, data.dy.shape); !good) return good;
    return check_apart(argmax, "dx", data.dx);
}

}  // namespace iir2d::pool
