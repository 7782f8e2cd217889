// SPDX-License-Identifier: MIT
// The judge. Scalar, double, one line at a time; written to be read beside the contract, not to be fast.
#include "iir2d/reference.h"

#include <algorithm>
#include <utility>

#include "kernels/iir/plan_checks.h"
#include "kernels/iir/reference_line.h"
#include "kernels/support/guard.h"

namespace iir2d::reference {

Result<void> filter(const FilterDesc& desc, std::span<const double> x, std::span<double> y,
                    const RunControl& control) {
    return support::guarded_result("the reference", [&]() -> Result<void> {
        const auto filters = iir::filters_of(desc);
        if (!filters) return std::unexpected(filters.error());
        const Shape& s = desc.shape;
        if (auto sizes = check_sizes(s, x.size(), y.size()); !sizes) return sizes;
        const LineJob across{desc.border, desc.start, desc.border_const};
        const auto width = static_cast<std::size_t>(s.w);
        const auto height = static_cast<std::size_t>(s.h);
        const auto cancelled = [] {
            return std::unexpected(Error{ErrorCode::cancelled, "the reference was cancelled"});
        };

        for (std::size_t plane = 0; plane < static_cast<std::size_t>(s.n * s.c); ++plane) {
            const double* in = x.data() + plane * width * height;
            double* out = y.data() + plane * width * height;
            const FilterData& data = (*filters)[filters->size() == 1 ? 0 : plane];
            const LineJob down{desc.border, desc.start, constant_below(desc, data)};
            for (std::size_t row = 0; row < height; ++row) {
                if (control.stop.stop_requested()) return cancelled();
                Line line(in + row * width, in + (row + 1) * width);
                line = run_axis(data.horizontal, std::move(line), across);
                std::copy(line.begin(), line.end(), out + row * width);
            }
            for (std::size_t column = 0; column < width; ++column) {
                if (control.stop.stop_requested()) return cancelled();
                Line line(height);
                for (std::size_t row = 0; row < height; ++row) line[row] = out[row * width + column];
                line = run_axis(data.vertical, std::move(line), down);
                for (std::size_t row = 0; row < height; ++row) out[row * width + column] = line[row];
            }
        }
        return {};
    });
}

}  // namespace iir2d::reference
