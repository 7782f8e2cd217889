// SPDX-License-Identifier: MIT
// The pooling contract (docs/pooling.md) in scalar double precision, one window at a time.
#include "iir2d/reference.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "kernels/pool/geometry.h"
#include "kernels/support/guard.h"

namespace iir2d::reference {

namespace {

using pool::PoolGeometry;
using pool::Taps;

// One window of one input plane: the taps inside the input, visited in row-major order.
struct Window {
    const double* plane;
    std::int64_t width;
    Taps rows;
    Taps columns;

    template <class Visit>
    void visit(Visit visit_one) const {
        for (std::int64_t r = 0; r < rows.count; ++r) {
            for (std::int64_t c = 0; c < columns.count; ++c) {
                const std::int64_t index =
                    (rows.first + r * rows.step) * width + columns.first + c * columns.step;
                visit_one(index, plane[index]);
            }
        }
    }
};

struct Maximum {
    double value = -std::numeric_limits<double>::infinity();
    std::int64_t index = -1;
};

// The first maximum; a NaN is above every number, and the first NaN wins.
Maximum max_of(const Window& window) {
    Maximum best;
    window.visit([&](std::int64_t index, double value) {
        const bool above = std::isnan(value) ? !std::isnan(best.value) : value > best.value;
        if (best.index < 0 || above) best = {value, index};
    });
    return best;
}

// It is 1 for a window with no tap inside the input, whose sum is 0.
double divisor_of(const Window& window, const PoolDesc& desc, std::int64_t padded_count) {
    if (desc.op == PoolOp::avg && desc.divisor_override) return static_cast<double>(*desc.divisor_override);
    if (desc.op == PoolOp::avg && desc.count_include_pad) return static_cast<double>(padded_count);
    const std::int64_t inside = window.rows.count * window.columns.count;
    return inside == 0 ? 1.0 : static_cast<double>(inside);
}

double avg_of(const Window& window, double divisor) {
    double sum = 0.0;
    window.visit([&](std::int64_t, double value) { sum += value; });
    return sum / divisor;
}

// The norm of the window divided by its largest magnitude, times that magnitude: no power overflows, and the
// largest element contributes exactly 1.
double lp_of(const Window& window, double p) {
    double largest = 0.0;
    bool has_nan = false;
    window.visit([&](std::int64_t, double value) {
        has_nan = has_nan || std::isnan(value);
        largest = std::fmax(largest, std::fabs(value));
    });
    if (has_nan) return std::numeric_limits<double>::quiet_NaN();
    if (largest == 0.0 || std::isinf(largest)) return largest;
    double sum = 0.0;
    window.visit([&](std::int64_t, double value) { sum += std::pow(std::fabs(value) / largest, p); });
    return largest * std::pow(sum, 1.0 / p);
}

// Returns the gradient of an element from one window of a norm: dy * sgn(x) * abs(x)^(p-1) * y^(1-p).
long double lp_share(double x, double y, double dy, double p) {
    if (x == 0.0 || y == 0.0) return 0.0L;
    const long double power = std::pow(std::fabs(static_cast<long double>(x)) / static_cast<long double>(y),
                                       static_cast<long double>(p) - 1);
    // A power of 0 is 1 whatever its base, but a NaN in the window is no number.
    return std::isnan(y) ? std::numeric_limits<long double>::quiet_NaN()
                         : static_cast<long double>(dy) * std::copysign(power, static_cast<long double>(x));
}

std::size_t elements(const Shape& s) {
    return static_cast<std::size_t>(s.n * s.c * s.h * s.w);
}

Result<void> check_size(const char* name, std::size_t given, std::size_t needed) {
    if (given == needed) return {};
    return std::unexpected(
        Error{ErrorCode::invalid_dimension, std::string(name) + " has " + std::to_string(given) +
                                                " elements, the descriptor needs " + std::to_string(needed)});
}

// visit(number of the output, window, its taps inside input and padding) for every window of every plane.
template <class Visit>
Result<void> for_each_window(const PoolGeometry& geometry, std::span<const double> x,
                             const RunControl& control, Visit visit) {
    std::size_t next = 0;
    for (std::int64_t plane = 0; plane < geometry.planes(); ++plane) {
        const double* source = x.data() + plane * geometry.input.h * geometry.input.w;
        for (std::int64_t oy = 0; oy < geometry.y.out; ++oy) {
            if (control.stop.stop_requested()) {
                return std::unexpected(Error{ErrorCode::cancelled, "the reference was cancelled"});
            }
            for (std::int64_t ox = 0; ox < geometry.x.out; ++ox, ++next) {
                const Window window{source, geometry.input.w, geometry.y.taps(oy), geometry.x.taps(ox)};
                visit(next, window, geometry.y.padded_count(oy) * geometry.x.padded_count(ox));
            }
        }
    }
    return {};
}

}  // namespace

Result<Shape> pool_output_shape(const PoolDesc& desc) {
    return support::guarded_result("the reference", [&]() -> Result<Shape> {
        const auto geometry = pool::make_geometry(desc);
        if (!geometry) return std::unexpected(geometry.error());
        return geometry->output;
    });
}

Result<void> pool(const PoolDesc& desc, std::span<const double> x, std::span<double> y,
                  std::span<std::int64_t> argmax, const RunControl& control) {
    return support::guarded_result("the reference", [&]() -> Result<void> {
        const auto geometry = pool::make_geometry(desc);
        if (!geometry) return std::unexpected(geometry.error());
        if (auto r = check_size("x", x.size(), elements(geometry->input)); !r) return r;
        if (auto r = check_size("y", y.size(), elements(geometry->output)); !r) return r;
        if (!argmax.empty()) {
            if (!is_max(desc.op)) {
                return std::unexpected(
                    Error{ErrorCode::invalid_argument,
                          "argmax: only max pooling has one, not " + std::string(name_of(desc.op))});
            }
            if (auto r = check_size("argmax", argmax.size(), y.size()); !r) return r;
        }

        const bool maximum = is_max(desc.op);
        return for_each_window(
            *geometry, x, control, [&](std::size_t next, const Window& window, std::int64_t padded) {
                if (maximum) {
                    const Maximum best = max_of(window);
                    y[next] = best.value;
                    if (!argmax.empty()) argmax[next] = best.index;
                } else {
                    y[next] = desc.op == PoolOp::lp ? lp_of(window, desc.p)
                                                    : avg_of(window, divisor_of(window, desc, padded));
                }
            });
    });
}

Result<void> pool_backward(const PoolDesc& desc, std::span<const double> x, std::span<const double> y,
                           std::span<const double> dy, std::span<double> dx, const RunControl& control) {
    return support::guarded_result("the reference", [&]() -> Result<void> {
        const auto geometry = pool::make_geometry(desc);
        if (!geometry) return std::unexpected(geometry.error());
        if (auto r = check_size("x", x.size(), elements(geometry->input)); !r) return r;
        if (auto r = check_size("dx", dx.size(), elements(geometry->input)); !r) return r;
        if (auto r = check_size("dy", dy.size(), elements(geometry->output)); !r) return r;
        if (desc.op == PoolOp::lp) {
            if (auto r = check_size("y", y.size(), elements(geometry->output)); !r) return r;
        }
        const bool maximum = is_max(desc.op);
        std::vector<long double> sums(dx.size(), 0.0L);
        auto done = for_each_window(
            *geometry, x, control, [&](std::size_t next, const Window& window, std::int64_t padded) {
                long double* plane = sums.data() + (window.plane - x.data());
                const auto gradient = static_cast<long double>(dy[next]);
                if (maximum) {
                    const Maximum best = max_of(window);
                    if (best.index >= 0) plane[best.index] += gradient;
                    return;
                }
                const auto divisor = static_cast<long double>(divisor_of(window, desc, padded));
                window.visit([&](std::int64_t index, double value) {
                    plane[index] += desc.op == PoolOp::lp ? lp_share(value, y[next], dy[next], desc.p)
                                                          : gradient / divisor;
                });
            });
        std::ranges::transform(sums, dx.begin(), [](long double sum) { return static_cast<double>(sum); });
        return done;
    });
}

}  // namespace iir2d::reference
