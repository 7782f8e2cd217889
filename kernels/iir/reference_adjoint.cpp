// SPDX-License-Identifier: MIT
// The judge's adjoint and gradients, line by line from docs/filters.md, "Adjoint and gradient of the
// parameters": everything goes backwards through what the filter did, from the gradient g of its outputs.
#include "kernels/iir/reference_adjoint.h"

#include <algorithm>
#include <utility>

#include "iir2d/reference.h"
#include "iir2d/try.h"
#include "kernels/iir/analysis.h"
#include "kernels/iir/dual_filter.h"
#include "kernels/iir/reference_line.h"
#include "kernels/support/guard.h"

namespace iir2d::reference {

namespace {

// The gradient of a section's history and of what lies behind it. Lines begin where the section begins.
struct Costate {
    Line l;       // of each sample of the recurrence: l[i] = g[i] + a1 l[i+1] + a2 l[i+2]
    double m1;    // of y[-1]
    double m2;    // of y[-2]
    Line before;  // of the input u[-1-k], at k
};

double at(const Line& line, std::int64_t i) {
    return i < static_cast<std::int64_t>(line.size()) ? line[static_cast<std::size_t>(i)] : 0.0;
}

// (I - M^P)^-T (m1, m2): the gradient of the history that a period leaves from rest.
History before_the_period(const Section& s, const Costate& c, std::int64_t period) {
    const Matrix m = one_minus_period(s, period);
    const double determinant = m[0] * m[3] - m[1] * m[2];
    return {.y1 = (m[3] * c.m1 - m[2] * c.m2) / determinant, .y2 = (m[0] * c.m2 - m[1] * c.m1) / determinant};
}

// visit(t, z1) for the samples u[-1-t] of the period before the line: z1 is the gradient of y[-1-t].
void back_through_period(const Section& s, const Costate& c, std::int64_t period, const auto& visit) {
    History z = before_the_period(s, c, period);
    for (std::int64_t t = 0; t < period; ++t) {
        visit(t, z.y1);
        z = {.y1 = s.a[0] * z.y1 + z.y2, .y2 = s.a[1] * z.y1};
    }
}

Costate costate_of(const Section& s, const Line& g, const LineJob& job) {
    const auto n = static_cast<std::int64_t>(g.size());
    Costate c{Line(g.size()), 0.0, 0.0, Line(4)};
    for (std::int64_t i = n - 1; i >= 0; --i) {
        c.l[static_cast<std::size_t>(i)] =
            g[static_cast<std::size_t>(i)] + s.a[0] * at(c.l, i + 1) + s.a[1] * at(c.l, i + 2);
    }
    c.m1 = s.a[0] * at(c.l, 0) + s.a[1] * at(c.l, 1);
    c.m2 = s.a[1] * at(c.l, 0);
    const bool truncated = job.start == Start::truncated;
    const bool periodic = !truncated && iir::is_periodic(job.border);
    const std::int64_t period = period_of(job.border, n);
    if (periodic) c.before.resize(static_cast<std::size_t>(period + 2));
    c.before[0] = s.b[1] * at(c.l, 0) + s.b[2] * at(c.l, 1);
    c.before[1] = s.b[2] * at(c.l, 0);
    if (truncated && s.order == 1) {
        for (std::size_t k = 0; k < 2; ++k) c.before[k] += s.start_b[k] * c.m1;
    } else if (truncated && s.order == 2) {
        c.m2 += s.a[0] * c.m1;
        for (std::size_t k = 0; k < 3; ++k) {
            c.before[k] += s.start_b[k] * c.m1;
            c.before[1 + k] += s.start_b[k] * c.m2;
        }
    } else if (periodic) {
        back_through_period(s, c, period, [&](std::int64_t t, double z1) {
            for (std::size_t k = 0; k < 3; ++k) c.before[static_cast<std::size_t>(t) + k] += s.b[k] * z1;
        });
    } else if (!truncated) {
        c.before[0] += iir::dc_gain(s) * (c.m1 + c.m2);
    }
    return c;
}

// The gradient of the section's input line. What the samples outside it ask goes to the samples that they
// read; under Border::constant to the gradient of the constant.
Line input_gradient(const Section& s, const Costate& c, Border border, double& constant) {
    const auto n = static_cast<std::int64_t>(c.l.size());
    Line result(c.l.size());
    for (std::int64_t j = 0; j < n; ++j) {
        double& r = result[static_cast<std::size_t>(j)];
        for (std::int64_t k = 0; k < 3; ++k) r += s.b[static_cast<std::size_t>(k)] * at(c.l, j + k);
    }
    for (std::size_t k = 0; k < c.before.size(); ++k) {
        const std::int64_t index = iir::border_index(-1 - static_cast<std::int64_t>(k), n, border);
        (index < 0 ? constant : result[static_cast<std::size_t>(index)]) += c.before[k];
    }
    return result;
}

// The derivative of <g, y> with respect to a parameter on which the section's coefficients depend as `d`
// says: u is the section's input, y its output.
double section_derivative(const Section& s, const Section& d, const Costate& c, const Line& input,
                          const Line& y, const LineJob& job) {
    const Extended u{input, job.border, job.constant, false};
    const auto n = static_cast<std::int64_t>(input.size());
    const History h = start_history(s, u, job.start);
    const auto output = [&](std::int64_t i) {
        return i == -1 ? h.y1 : i == -2 ? h.y2 : y[static_cast<std::size_t>(i)];
    };
    // How y[i] changes where what it is made of does not.
    const auto change = [&](std::int64_t i, double y1, double y2) {
        return d.b[0] * u[i] + d.b[1] * u[i - 1] + d.b[2] * u[i - 2] + d.a[0] * y1 + d.a[1] * y2;
    };
    double sum = 0.0;
    for (std::int64_t i = 0; i < n; ++i)
        sum += c.l[static_cast<std::size_t>(i)] * change(i, output(i - 1), output(i - 2));
    if (job.start == Start::truncated && s.order == 1) {
        sum += c.m1 * (d.start_b[0] * u[-1] + d.start_b[1] * u[-2]);
    } else if (job.start == Start::truncated && s.order == 2) {
        const auto taps = [&](std::int64_t i) {
            return d.start_b[0] * u[i] + d.start_b[1] * u[i - 1] + d.start_b[2] * u[i - 2];
        };
        sum += c.m1 * (taps(-1) + d.a[0] * h.y2) + c.m2 * taps(-2);
    } else if (job.start == Start::steady && !iir::is_periodic(job.border)) {
        sum += (c.m1 + c.m2) * u[-1] * iir::dc_gain_derivative(s, d);
    } else if (job.start == Start::steady) {
        // The outputs of the period before the line, which begins with the history that it leaves.
        const std::int64_t period = period_of(job.border, n);
        Line before{h.y2, h.y1};  // y[i], at i + period + 2
        for (std::int64_t i = -period; i < 0; ++i) {
            const double next = s.b[0] * u[i] + s.b[1] * u[i - 1] + s.b[2] * u[i - 2] +
                                s.a[0] * before[before.size() - 1] + s.a[1] * before[before.size() - 2];
            before.push_back(next);
        }
        back_through_period(s, c, period, [&](std::int64_t t, double z1) {
            const auto i = static_cast<std::size_t>(period - t);  // of y[-1-t-1]
            sum += z1 * change(-1 - t, before[i], before[i - 1]);
        });
    }
    return sum;
}

Line turned(Line line, bool reversed) {
    if (reversed) std::ranges::reverse(line);
    return line;
}

// `constant` is the gradient of the constant outside, behind the cascade, then before it.
Line back_through_cascade(const std::vector<Section>& sections, const Line& input, Line g, bool reversed,
                          LineJob job, const std::vector<Section>* derivatives, double& gradient,
                          double& constant) {
    const bool steady = job.start == Start::steady;
    std::vector<Line> lines{turned(input, reversed)};
    std::vector<double> constants{job.constant};
    for (const Section& s : sections) {
        if (derivatives != nullptr) {
            const LineJob here{job.border, job.start, constants.back()};
            lines.push_back(run_section(s, lines.back(), false, here));
        }
        constants.push_back(constants.back() * (steady ? iir::dc_gain(s) : 1.0));
    }
    g = turned(std::move(g), reversed);
    for (std::size_t i = sections.size(); i-- > 0;) {
        const Section& s = sections[i];
        job.constant = constants[i];
        const Costate c = costate_of(s, g, job);
        if (derivatives != nullptr) {
            const Section& d = (*derivatives)[i];
            gradient += section_derivative(s, d, c, lines[i], lines[i + 1], job);
            if (steady) gradient += constant * job.constant * iir::dc_gain_derivative(s, d);
        }
        if (steady) constant *= iir::dc_gain(s);
        g = input_gradient(s, c, job.border, constant);
    }
    return turned(std::move(g), reversed);
}

// As back_through_cascade, for an axis, behind which there is nothing: `constant` is 0 at first.
// `derivatives` are a parameter's, and `gradient` what its gradient is added to; without them lines are not
// filtered again and the input is not looked at.
Line back_through_axis(const AxisFilter& axis, const Line& input, Line g, LineJob job,
                       const AxisFilter* derivatives, double& gradient, double& constant) {
    const bool steady = job.start == Start::steady;
    std::vector<Line> lines{input};
    std::vector<double> constants{job.constant};
    for (const Stage& stage : axis.stages) {
        if (derivatives != nullptr)
            lines.push_back(run_axis({{stage}}, lines.back(), {job.border, job.start, constants.back()}));
        constants.push_back(constants.back() * (steady ? iir::dc_gain(stage) : 1.0));
    }
    for (std::size_t i = axis.stages.size(); i-- > 0;) {
        const Stage& stage = axis.stages[i];
        const Stage* d = derivatives == nullptr ? nullptr : &derivatives->stages[i];
        job.constant = constants[i];
        const Line& u = lines[d == nullptr ? 0 : i];
        if (steady) {
            if (d != nullptr) gradient += constant * job.constant * iir::dc_gain_derivative(stage, *d);
            constant *= iir::dc_gain(stage);
        }
        const auto back = [&](std::vector<Section> Stage::*part, bool reversed) {
            double own = 0.0;
            Line result = back_through_cascade(stage.*part, u, g, reversed, job,
                                               d == nullptr ? nullptr : &(d->*part), gradient, own);
            constant += own;
            return result;
        };
        if (stage.kind == Stage::Kind::sum) {
            const Line p = back(&Stage::causal, false);
            const Line q = back(&Stage::anticausal, true);
            for (std::size_t k = 0; k < g.size(); ++k) g[k] = p[k] + q[k];
        } else {
            g = back(&Stage::sections, stage.kind == Stage::Kind::anticausal);
        }
    }
    return g;
}

std::unexpected<Error> cancelled() {
    return std::unexpected(Error{ErrorCode::cancelled, "the reference was cancelled"});
}

struct Plane {
    std::size_t height;
    std::size_t width;

    Line row(const double* plane, std::size_t r) const {
        return Line(plane + r * width, plane + (r + 1) * width);
    }
    Line column(const double* plane, std::size_t c) const {
        Line line(height);
        for (std::size_t r = 0; r < height; ++r) line[r] = plane[r * width + c];
        return line;
    }
    void put_row(const Line& line, double* plane, std::size_t r) const {
        std::ranges::copy(line, plane + r * width);
    }
    void put_column(const Line& line, double* plane, std::size_t c) const {
        for (std::size_t r = 0; r < height; ++r) plane[r * width + c] = line[r];
    }
};

Plane plane_of(const Shape& s) {
    return {static_cast<std::size_t>(s.h), static_cast<std::size_t>(s.w)};
}

}  // namespace

Result<void> adjoint_of_data(const FilterDesc& desc, const FilterData& data, std::span<const double> dy,
                             std::span<double> dx, const RunControl& control) {
    if (auto sizes = check_sizes(desc.shape, dy.size(), dx.size()); !sizes) return sizes;
    const Plane plane = plane_of(desc.shape);
    const LineJob job{desc.border, desc.start, 0.0};
    const auto back = [&](const AxisFilter& axis, const Line& g) {
        double gradient = 0.0;  // neither is wanted
        double constant = 0.0;
        return back_through_axis(axis, g, g, job, nullptr, gradient, constant);
    };
    for (std::size_t first = 0; first < dy.size(); first += plane.height * plane.width) {
        double* out = dx.data() + first;
        for (std::size_t c = 0; c < plane.width; ++c) {
            if (control.stop.stop_requested()) return cancelled();
            plane.put_column(back(data.vertical, plane.column(dy.data() + first, c)), out, c);
        }
        for (std::size_t r = 0; r < plane.height; ++r) {
            if (control.stop.stop_requested()) return cancelled();
            plane.put_row(back(data.horizontal, plane.row(out, r)), out, r);
        }
    }
    return {};
}

Result<double> derivative_of_data(const FilterDesc& desc, const FilterData& data,
                                  const FilterData& derivatives, std::span<const double> x,
                                  std::span<const double> dy, const RunControl& control) {
    IIR2D_RETURN_IF_ERROR(check_sizes(desc.shape, x.size(), dy.size()));
    const Plane plane = plane_of(desc.shape);
    const std::size_t samples = plane.height * plane.width;
    FilterDesc read = desc;
    if (read.border != Border::constant) read.border_const = 0.0;  // is not read, and may be a NaN
    const LineJob across{read.border, read.start, read.border_const};
    const LineJob down{read.border, read.start, constant_below(read, data)};
    double gradient = 0.0;
    double constant = 0.0;  // the gradient of what the columns read outside
    Line between(samples);  // the rows' results, then their gradient
    for (std::size_t first = 0; first < x.size(); first += samples) {
        for (std::size_t r = 0; r < plane.height; ++r) {
            if (control.stop.stop_requested()) return cancelled();
            plane.put_row(run_axis(data.horizontal, plane.row(x.data() + first, r), across), between.data(),
                          r);
        }
        for (std::size_t c = 0; c < plane.width; ++c) {
            if (control.stop.stop_requested()) return cancelled();
            double outside = 0.0;
            const Line u = plane.column(between.data(), c);
            const Line g = plane.column(dy.data() + first, c);
            plane.put_column(
                back_through_axis(data.vertical, u, g, down, &derivatives.vertical, gradient, outside),
                between.data(), c);
            constant += outside;
        }
        for (std::size_t r = 0; r < plane.height; ++r) {
            if (control.stop.stop_requested()) return cancelled();
            double outside = 0.0;  // the border constant itself has no gradient
            back_through_axis(data.horizontal, plane.row(x.data() + first, r), plane.row(between.data(), r),
                              across, &derivatives.horizontal, gradient, outside);
        }
    }
    // The constant below is border_const times the rows' gain.
    if (desc.start == Start::steady) {
        gradient +=
            read.border_const * constant * iir::dc_gain_derivative(data.horizontal, derivatives.horizontal);
    }
    return gradient;
}

Result<void> filter_adjoint(const FilterDesc& desc, std::span<const double> dy, std::span<double> dx,
                            const RunControl& control) {
    return support::guarded_result("the reference", [&]() -> Result<void> {
        const auto data = make_filter(desc.filter);
        if (!data) return std::unexpected(data.error());
        return adjoint_of_data(desc, *data, dy, dx, control);
    });
}

Result<void> filter_gradient(const FilterDesc& desc, std::span<const double> x, std::span<const double> dy,
                             std::span<double> dp, const RunControl& control) {
    return support::guarded_result("the reference", [&]() -> Result<void> {
        const auto data = make_filter(desc.filter);
        if (!data) return std::unexpected(data.error());
        const auto derivatives = iir::filter_derivatives(desc.filter);
        if (!derivatives) return std::unexpected(derivatives.error());
        if (dp.size() != derivatives->size()) {
            return std::unexpected(Error{ErrorCode::invalid_argument,
                                         "dp has " + std::to_string(dp.size()) + " elements: filter " +
                                             std::to_string(desc.filter.id) + " has " +
                                             std::to_string(derivatives->size()) + " parameters"});
        }
        for (std::size_t i = 0; i < dp.size(); ++i) {
            const auto gradient = derivative_of_data(desc, *data, (*derivatives)[i], x, dy, control);
            if (!gradient) return std::unexpected(gradient.error());
            dp[i] = *gradient;
        }
        return {};
    });
}

}  // namespace iir2d::reference
