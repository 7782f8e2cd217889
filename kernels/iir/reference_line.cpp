// SPDX-License-Identifier: MIT
#include "kernels/iir/reference_line.h"

#include <string>
#include <utility>

#include "kernels/iir/analysis.h"
#include "kernels/support/describe.h"

namespace iir2d::reference {

namespace {

History truncated_start(const Section& s, const Extended& x) {
    const auto& c = s.start_b;
    if (s.order == 0) return {};
    if (s.order == 1) return {.y1 = c[0] * x[-1] + c[1] * x[-2]};
    const double y2 = c[0] * x[-2] + c[1] * x[-3] + c[2] * x[-4];
    return {.y1 = c[0] * x[-1] + c[1] * x[-2] + c[2] * x[-3] + s.a[0] * y2, .y2 = y2};
}

// History after `steps` samples that end at x[-1], from `start`.
History run_before(const Section& s, const Extended& x, std::int64_t steps, History start) {
    History h = start;
    for (std::int64_t i = -steps; i < 0; ++i) {
        const double y =
            s.b[0] * x[i] + s.b[1] * x[i - 1] + s.b[2] * x[i - 2] + s.a[0] * h.y1 + s.a[1] * h.y2;
        h = {.y1 = y, .y2 = h.y1};
    }
    return h;
}

Matrix multiply(const Matrix& p, const Matrix& q) {
    return {p[0] * q[0] + p[1] * q[2], p[0] * q[1] + p[1] * q[3], p[2] * q[0] + p[3] * q[2],
            p[2] * q[1] + p[3] * q[3]};
}

Matrix power(Matrix base, std::int64_t exponent) {
    Matrix result{1, 0, 0, 1};
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1) result = multiply(result, base);
        base = multiply(base, base);
    }
    return result;
}

// The history h that one more period leaves as it is: h = M^P h + r, where r is what a period leaves from
// rest.
History periodic_start(const Section& s, const Extended& x, std::int64_t period) {
    const History r = run_before(s, x, period, {});
    const Matrix i_m = one_minus_period(s, period);
    const double determinant = i_m[0] * i_m[3] - i_m[1] * i_m[2];
    return {.y1 = (i_m[3] * r.y1 - i_m[1] * r.y2) / determinant,
            .y2 = (i_m[0] * r.y2 - i_m[2] * r.y1) / determinant};
}

History steady_start(const Section& s, const Extended& x) {
    switch (x.border) {
        case Border::mirror:
        case Border::wrap:
            return periodic_start(s, x, period_of(x.border, x.size()));
        case Border::clamp:
        case Border::constant:
            break;
    }
    const double level = iir::dc_gain(s) * x[-1];
    return {.y1 = level, .y2 = level};
}

}  // namespace

std::int64_t period_of(Border border, std::int64_t n) {
    return border == Border::mirror ? 2 * n : n;
}

Matrix one_minus_period(const Section& s, std::int64_t period) {
    const Matrix m = power({s.a[0], s.a[1], 1.0, 0.0}, period);
    return {1.0 - m[0], -m[1], -m[2], 1.0 - m[3]};
}

History start_history(const Section& s, const Extended& x, Start start) {
    return start == Start::steady ? steady_start(s, x) : truncated_start(s, x);
}

Line run_section(const Section& s, const Line& input, bool reversed, const LineJob& job) {
    const Extended x{input, job.border, job.constant, reversed};
    History h = start_history(s, x, job.start);
    Line output(input.size());
    const auto put = [&](std::int64_t i, double y) {
        output[static_cast<std::size_t>(reversed ? x.size() - 1 - i : i)] = y;
    };
    if (s.form == Section::Form::state_space) {
        double s1 = s.b[1] * x[-1] + s.b[2] * x[-2] + s.a[0] * h.y1 + s.a[1] * h.y2;
        double s2 = s.b[2] * x[-1] + s.a[1] * h.y1;
        for (std::int64_t i = 0; i < x.size(); ++i) {
            const double y = s.b[0] * x[i] + s1;
            s1 = s.b[1] * x[i] + s.a[0] * y + s2;
            s2 = s.b[2] * x[i] + s.a[1] * y;
            put(i, y);
        }
        return output;
    }
    for (std::int64_t i = 0; i < x.size(); ++i) {
        const double y =
            s.b[0] * x[i] + s.b[1] * x[i - 1] + s.b[2] * x[i - 2] + s.a[0] * h.y1 + s.a[1] * h.y2;
        h = {.y1 = y, .y2 = h.y1};
        put(i, y);
    }
    return output;
}

// Under the steady start the border constant goes through the sections as the line does, so a later section
// reads what the earlier ones made of it. Under the truncated start every section reads border_const itself.
Line run_cascade(const std::vector<Section>& sections, Line line, bool reversed, LineJob job) {
    for (const Section& s : sections) {
        line = run_section(s, line, reversed, job);
        if (job.start == Start::steady) job.constant *= iir::dc_gain(s);
    }
    return line;
}

Line run_axis(const AxisFilter& axis, Line line, LineJob job) {
    for (const Stage& stage : axis.stages) {
        switch (stage.kind) {
            case Stage::Kind::causal:
                line = run_cascade(stage.sections, std::move(line), false, job);
                break;
            case Stage::Kind::anticausal:
                line = run_cascade(stage.sections, std::move(line), true, job);
                break;
            case Stage::Kind::sum: {
                const Line p = run_cascade(stage.causal, line, false, job);
                const Line q = run_cascade(stage.anticausal, line, true, job);
                for (std::size_t i = 0; i < line.size(); ++i) line[i] = p[i] + q[i];
                break;
            }
        }
        if (job.start == Start::steady) job.constant *= iir::dc_gain(stage);
    }
    return line;
}

Result<void> check_sizes(const Shape& s, std::size_t first, std::size_t second) {
    if (s.n >= 1 && s.c >= 1 && s.h >= 1 && s.w >= 1 &&
        first == static_cast<std::size_t>(s.n * s.c * s.h * s.w) && second == first) {
        return {};
    }
    return std::unexpected(Error{ErrorCode::invalid_dimension,
                                 "shape " + support::describe(s) + " does not fit spans of " +
                                     std::to_string(first) + " and " + std::to_string(second) + " elements"});
}

double constant_below(const FilterDesc& desc, const FilterData& data) {
    return desc.start == Start::steady ? desc.border_const * dc_gain(data.horizontal) : desc.border_const;
}

}  // namespace iir2d::reference
