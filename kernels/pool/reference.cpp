// SPDX-License-Identifier: MIT
// The pooling contract (docs/pooling.md) in scalar double precision, one window at a time.
#include "iir2d/reference.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "kernels/pool/geometry.h"

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

double avg_of(const Window& window, const PoolDesc& desc, std::int64_t padded_count) {
    double sum = 0.0;
    window.visit([&](std::int64_t, double value) { sum += value; });
    if (desc.divisor_override) return sum / static_cast<double>(*desc.divisor_override);
    if (desc.count_include_pad) return sum / static_cast<double>(padded_count);
    const std::int64_t inside = window.rows.count * window.columns.count;
    return inside == 0 ? 0.0 : sum / static_cast<double>(inside);
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

std::size_t elements(const Shape& s) {
    return static_cast<std::size_t>(s.n * s.c * s.h * s.w);
}

Result<void> check_size(const char* name, std::size_t given, std::size_t needed) {
    if (given == needed) return {};
    return std::unexpected(
        Error{ErrorCode::invalid_dimension, std::string(name) + " has " + std::to_string(given) +
                                                " elements, the descriptor needs " + std::to_string(needed)});
}

}  // namespace

Result<Shape> pool_output_shape(const PoolDesc& desc) {
    const auto geometry = pool::make_geometry(desc);
    if (!geometry) return std::unexpected(geometry.error());
    return geometry->output;
}

Result<void> pool(const PoolDesc& desc, std::span<const double> x, std::span<double> y,
                  std::span<std::int64_t> argmax, const RunControl& control) {
    const auto geometry = pool::make_geometry(desc);
    if (!geometry) return std::unexpected(geometry.error());
    if (auto r = check_size("x", x.size(), elements(geometry->input)); !r) return r;
    if (auto r = check_size("y", y.size(), elements(geometry->output)); !r) return r;
    if (!argmax.empty()) {
        if (desc.op != PoolOp::max) {
            return std::unexpected(
                Error{ErrorCode::invalid_argument,
                      "argmax: only max pooling has one, not " + std::string(name_of(desc.op))});
        }
        if (auto r = check_size("argmax", argmax.size(), y.size()); !r) return r;
    }

    std::size_t next = 0;
    for (std::int64_t plane = 0; plane < geometry->planes(); ++plane) {
        const double* source = x.data() + plane * desc.shape.h * desc.shape.w;
        for (std::int64_t oy = 0; oy < geometry->y.out; ++oy) {
            if (control.stop.stop_requested()) {
                return std::unexpected(Error{ErrorCode::cancelled, "the reference was cancelled"});
            }
            for (std::int64_t ox = 0; ox < geometry->x.out; ++ox, ++next) {
                const Window window{source, desc.shape.w, geometry->y.taps(oy), geometry->x.taps(ox)};
                if (desc.op == PoolOp::max) {
                    const Maximum best = max_of(window);
                    y[next] = best.value;
                    if (!argmax.empty()) argmax[next] = best.index;
                } else if (desc.op == PoolOp::avg) {
                    y[next] =
                        avg_of(window, desc, geometry->y.padded_count(oy) * geometry->x.padded_count(ox));
                } else {
                    y[next] = lp_of(window, desc.p);
                }
            }
        }
    }
    return {};
}

}  // namespace iir2d::reference
