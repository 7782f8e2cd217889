// SPDX-License-Identifier: MIT
#include "kernels/pool/geometry.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "iir2d/try.h"
#include "kernels/support/describe.h"

namespace iir2d::pool {

namespace {

using support::describe;

constexpr std::int64_t max_int64 = std::numeric_limits<std::int64_t>::max();
// Limits a window, stride, padding or dilation along an axis. With it, no sum or product of positions
// overflows.
constexpr std::int64_t max_parameter = std::numeric_limits<std::int32_t>::max();

std::unexpected<Error> argument_error(std::string message) {
    return std::unexpected(Error{ErrorCode::invalid_argument, std::move(message)});
}

std::unexpected<Error> dimension_error(std::string message) {
    return std::unexpected(Error{ErrorCode::invalid_dimension, std::move(message)});
}

// True when the elements' bytes fit 63 bits. All sizes are at least 1.
bool bytes_fit(const Shape& shape, ElementType type) {
    std::int64_t room = max_int64 / static_cast<std::int64_t>(element_size(type));
    for (const std::int64_t size : {shape.n, shape.c, shape.h, shape.w}) room /= size;
    return room >= 1;
}

Result<void> check_shape(const PoolDesc& desc) {
    const Shape& s = desc.shape;
    if (s.n < 1 || s.c < 1 || s.h < 1 || s.w < 1) {
        return dimension_error("shape " + describe(s) + ": every size must be at least 1");
    }
    if (!bytes_fit(s, desc.element)) {
        return dimension_error("shape " + describe(s) + ": its bytes as " +
                               std::string(name_of(desc.element)) + " do not fit 63 bits");
    }
    return {};
}

Result<void> check_extent(std::string_view field, const Extent& e, std::int64_t minimum) {
    const std::string named = std::string(field) + " " + describe(e);
    if (e.h < minimum || e.w < minimum) {
        return argument_error(named + ": must be at least " + std::to_string(minimum) + " along each axis");
    }
    if (e.h > max_parameter || e.w > max_parameter) {
        return argument_error(named + ": must be at most " + std::to_string(max_parameter) +
                              " along each axis");
    }
    return {};
}

Result<void> check_windows(const PoolDesc& desc) {
    if (auto r = check_extent("window", desc.window, 1); !r) return r;
    if (desc.stride) {
        if (auto r = check_extent("stride", *desc.stride, 1); !r) return r;
    }
    if (auto r = check_extent("padding", desc.padding, 0); !r) return r;
    if (auto r = check_extent("dilation", desc.dilation, 1); !r) return r;
    if (desc.padding.h > desc.window.h / 2 || desc.padding.w > desc.window.w / 2) {
        return argument_error("padding " + describe(desc.padding) + ": must be at most half the window " +
                              describe(desc.window));
    }
    return {};
}

Result<void> check_op(const PoolDesc& desc) {
    switch (desc.op) {
        case PoolOp::max:
            return {};
        case PoolOp::avg:
            if (desc.divisor_override == 0) {
                return argument_error("divisor_override 0: the divisor must not be 0");
            }
            return {};
        case PoolOp::lp:
            if (!std::isfinite(desc.p) || desc.p <= 0.0) {
                return argument_error("p " + describe(desc.p) + ": must be finite and above 0");
            }
            if (desc.padding != Extent{0, 0}) {
                return argument_error("padding " + describe(desc.padding) + ": lp pooling takes no padding");
            }
            return {};
        case PoolOp::adaptive_max:
        case PoolOp::adaptive_avg:
            return check_extent("output", desc.output, 1);
    }
    return argument_error("op " + std::to_string(static_cast<int>(desc.op)) + ": not a pooling operation");
}

// Windows whose ends are rounded outwards: where in is no multiple of out they overlap, and have up to two
// samples more than in / out, rounded down.
AxisWindows adaptive_windows(std::int64_t in, std::int64_t out) {
    const std::int64_t whole = in / out;
    return {.in = in,
            .out = out,
            .window = std::min(in, whole + (in % out == 0 ? 0 : 2)),
            .stride = std::max<std::int64_t>(whole, 1),
            .adaptive = true};
}

// The contract's output size; nothing where it is below 1.
std::optional<AxisWindows> place(std::int64_t in, std::int64_t window, std::int64_t stride,
                                 std::int64_t padding, std::int64_t dilation, bool ceil_mode) {
    AxisWindows axis{in, 0, window, stride, padding, dilation};
    const std::int64_t room = in + 2 * padding - axis.span();
    // C++ rounds quotients toward zero, so a negative one needs a step down to be its floor; ceil has one up.
    std::int64_t steps = room / stride;
    if (room % stride != 0) {
        if (room < 0) --steps;
        if (ceil_mode) ++steps;
    }
    axis.out = steps + 1;
    // Positions count from the first padding sample: a window that would start in the right padding is
    // dropped.
    if (ceil_mode && steps * stride >= in + padding) --axis.out;
    if (axis.out < 1) return std::nullopt;
    return axis;
}

}  // namespace

PoolDesc read_fields(const PoolDesc& desc) {
    PoolDesc read{.op = desc.op, .shape = desc.shape, .element = desc.element};
    if (is_adaptive(desc.op)) {
        read.output = desc.output;
        return read;
    }
    read.window = desc.window;
    read.stride = desc.stride;
    read.padding = desc.padding;  // of lp to be refused
    read.dilation = desc.dilation;
    read.ceil_mode = desc.ceil_mode;
    if (desc.op == PoolOp::lp) read.p = desc.p;
    if (desc.op == PoolOp::avg) {
        read.count_include_pad = desc.count_include_pad;
        read.divisor_override = desc.divisor_override;
    }
    return read;
}

Result<PoolGeometry> make_geometry(const PoolDesc& desc) {
    IIR2D_RETURN_IF_ERROR(check_shape(desc));
    IIR2D_RETURN_IF_ERROR(check_op(desc));
    if (is_adaptive(desc.op)) {
        const auto fits = [](std::int64_t in, std::int64_t out) { return in <= max_int64 / (out + 1); };
        PoolGeometry geometry{desc.shape,
                              {desc.shape.n, desc.shape.c, desc.output.h, desc.output.w},
                              adaptive_windows(desc.shape.h, desc.output.h),
                              adaptive_windows(desc.shape.w, desc.output.w)};
        if (!fits(desc.shape.h, desc.output.h) || !fits(desc.shape.w, desc.output.w) ||
            !bytes_fit(geometry.output, desc.element)) {
            return dimension_error("output " + describe(desc.output) + " of " + describe(desc.shape) +
                                   ": the windows' places or the output's bytes do not fit 63 bits");
        }
        return geometry;
    }
    IIR2D_RETURN_IF_ERROR(check_windows(desc));

    const Extent stride = desc.stride.value_or(desc.window);
    const auto y =
        place(desc.shape.h, desc.window.h, stride.h, desc.padding.h, desc.dilation.h, desc.ceil_mode);
    const auto x =
        place(desc.shape.w, desc.window.w, stride.w, desc.padding.w, desc.dilation.w, desc.ceil_mode);
    if (!y || !x) {
        return dimension_error("window " + describe(desc.window) + ": with padding " +
                               describe(desc.padding) + " and dilation " + describe(desc.dilation) +
                               " it does not fit the " + describe(Extent{desc.shape.h, desc.shape.w}) +
                               " input, the output would be empty");
    }
    PoolGeometry geometry{desc.shape, {desc.shape.n, desc.shape.c, y->out, x->out}, *y, *x};
    // Padding and a dilation can make the output the larger one.
    if (!bytes_fit(geometry.output, desc.element)) {
        return dimension_error("output shape " + describe(geometry.output) + ": its bytes as " +
                               std::string(name_of(desc.element)) + " do not fit 63 bits");
    }
    return geometry;
}

}  // namespace iir2d::pool
