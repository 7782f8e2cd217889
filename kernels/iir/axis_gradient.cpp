// SPDX-License-Identifier: MIT
#include "kernels/iir/axis_gradient.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/iir/analysis.h"
#include "kernels/iir/border.h"
#include "kernels/iir/coefficients.h"
#include "kernels/iir/dual_filter.h"

namespace iir2d::iir {

namespace {

template <class S>
LoadLanes loader(const LaneRows<const S>& rows, std::int64_t lanes) {
    return [rows, lanes](std::int64_t i, double* out) { std::copy_n(rows.at(i), lanes, out); };
}

template <class S>
LaneRows<S> directed(const LaneRows<S>& rows, std::int64_t n, bool reversed) {
    return reversed && rows.first != nullptr ? rows.turned(n) : rows;
}

std::vector<GradientAxis::Part> parts_of(const std::vector<Section>& sections,
                                         const std::vector<const std::vector<Section>*>& derivatives,
                                         bool in_float) {
    std::vector<GradientAxis::Part> parts;
    for (std::size_t i = 0; i < sections.size(); ++i) {
        GradientAxis::Part& part = parts.emplace_back(GradientAxis::Part{&sections[i], {}});
        part.terms = terms_of(sections[i]);
        part.swept = in_float ? rounded_to_float(sections[i]) : sections[i];
        std::ptrdiff_t count = 0;
        for (std::size_t p = 0; p < derivatives.size(); ++p) {
            const Section& d = (*derivatives[p])[i];
            part.derivatives.push_back(&d);
            part.terms = std::max(part.terms, terms_of(d));
            if (!depends(d)) continue;
            part.only = static_cast<std::ptrdiff_t>(p);
            ++count;
        }
        if (count > 1) part.only = -1;
    }
    return parts;
}

template <class A>
std::vector<A> as_arithmetic(const std::vector<double>& values) {
    std::vector<A> result(values.size());
    std::ranges::transform(values, result.begin(), [](double v) { return static_cast<A>(v); });
    return result;
}

// What the samples before a line are asked for, u[-1-k] at k.
using Before = std::array<double, 4>;

// Adds the gradients that the coefficients have by the samples before a line, u[-1-k] and y[-1-k] at k, to
// `to`, and to `gain` that of the section's gain at frequency zero. l0 and l1 are l[0] and l[1].
Before add_before(const Section& s, Start start, const std::array<double, 4>& u,
                  const std::array<double, 2>& y, double l0, double l1, Section& to, double& gain) {
    to.b[1] += u[0] * l0;
    to.b[2] += u[0] * l1 + u[1] * l0;
    to.a[0] += y[0] * l0;
    to.a[1] += y[0] * l1 + y[1] * l0;
    const double m1 = s.a[0] * l0 + s.a[1] * l1;  // of y[-1]
    double m2 = s.a[1] * l0;                      // of y[-2]
    Before before{s.b[1] * l0 + s.b[2] * l1, s.b[2] * l0};
    if (start == Start::steady) {
        gain += (m1 + m2) * u[0];
        before[0] += dc_gain(s) * (m1 + m2);
    } else if (s.order == 1) {
        for (std::size_t k = 0; k < 2; ++k) {
            to.start_b[k] += m1 * u[k];
            before[k] += s.start_b[k] * m1;
        }
    } else if (s.order == 2) {
        m2 += s.a[0] * m1;
        for (std::size_t k = 0; k < 3; ++k) {
            to.start_b[k] += m1 * u[k] + m2 * u[1 + k];
            before[k] += s.start_b[k] * m1;
            before[1 + k] += s.start_b[k] * m2;
        }
        to.a[0] += m1 * y[1];
    }
    return before;
}

}  // namespace

bool depends(const Section& derivative) {
    const auto changes = [](double coefficient) { return coefficient != 0.0; };
    return std::ranges::any_of(derivative.b, changes) || std::ranges::any_of(derivative.a, changes) ||
           std::ranges::any_of(derivative.start_b, changes);
}

double product(const Section& gradient, const Section& derivative) {
    double sum = 0.0;
    // A NaN or an infinity times nothing is nothing.
    const auto add = [&sum](double of, double change) {
        if (change != 0.0) sum += of * change;
    };
    for (std::size_t k = 0; k < 3; ++k) {
        add(gradient.b[k], derivative.b[k]);
        add(gradient.start_b[k], derivative.start_b[k]);
    }
    for (std::size_t k = 0; k < 2; ++k) add(gradient.a[k], derivative.a[k]);
    return sum;
}

GradientAxis::GradientAxis(const AxisFilter& filter, const std::vector<const AxisFilter*>& derivatives,
                           bool in_float)
    : parameters(derivatives.size()) {
    for (std::size_t i = 0; i < filter.stages.size(); ++i) {
        StageParts& parts = stages.emplace_back(StageParts{&filter.stages[i], {}, {}, {}, {}});
        for (const AxisFilter* d : derivatives) parts.derivatives.push_back(&d->stages[i]);
        const auto of = [&](std::vector<Section> Stage::*part) {
            std::vector<const std::vector<Section>*> cascades;
            cascades.reserve(derivatives.size());
            for (const AxisFilter* d : derivatives) cascades.push_back(&(d->stages[i].*part));
            return parts_of(filter.stages[i].*part, cascades, in_float);
        };
        parts.sections = of(&Stage::sections);
        parts.causal = of(&Stage::causal);
        parts.anticausal = of(&Stage::anticausal);
    }
}

const Section* GradientAxis::Part::direction() const {
    return only < 0 ? nullptr : derivatives[static_cast<std::size_t>(only)];
}

template <class S, class A>
AxisGradient<S, A>::AxisGradient(const GradientAxis& axis, std::int64_t lanes)
    : m_axis(axis), m_stride(lanes) {}

// Lines are used again for the next lanes.
template <class S, class A>
LaneRows<S> AxisGradient<S, A>::next_line() {
    if (m_used == m_lines.size()) m_lines.emplace_back(static_cast<std::size_t>(m_axis.n * m_stride));
    return {m_lines[m_used++].data(), m_stride};
}

// What the way's input is at an index, which may lie before the line.
template <class S, class A>
double AxisGradient<S, A>::input(const Way& way, std::int64_t index, std::int64_t lane) const {
    const std::int64_t i = border_index(index, m_axis.n, m_axis.border);
    return i < 0 ? way.constant : static_cast<double>(way.u.at(i)[lane]);
}

template <class S, class A>
auto AxisGradient<S, A>::run(const GradientAxis::Part& part, const LaneRows<const S>& u, double constant,
                             const Added& added) -> Way {
    const auto lanes = static_cast<std::size_t>(m_lanes);
    const LaneRows<S> y = next_line();
    Way way{&part, u, y, constant,
            start_history(*part.section, m_axis.n, lanes, m_axis.border, m_axis.start, constant,
                          loader(u, m_lanes))};
    std::vector<A> u1(lanes);
    std::vector<A> u2(lanes);
    for (std::size_t i = 0; i < lanes; ++i) {
        u1[i] = static_cast<A>(input(way, -1, static_cast<std::int64_t>(i)));
        u2[i] = static_cast<A>(input(way, -2, static_cast<std::int64_t>(i)));
    }
    std::vector<A> y1 = as_arithmetic<A>(way.history.y1);
    std::vector<A> y2 = as_arithmetic<A>(way.history.y2);
    run_section(SectionRun<S, A>{.lines = lines_of(part),
                                 .u = u,
                                 .y = y,
                                 .add = added.add,
                                 .sum = added.sum,
                                 .u1 = u1.data(),
                                 .u2 = u2.data(),
                                 .y1 = y1.data(),
                                 .y2 = y2.data()});
    return way;
}

template <class S, class A>
LaneRows<const S> AxisGradient<S, A>::run_cascade(const std::vector<GradientAxis::Part>& parts,
                                                  LaneRows<const S> u, bool reversed, double constant,
                                                  std::vector<Way>& ways, const Added& added) {
    u = directed(u, m_axis.n, reversed);
    for (const GradientAxis::Part& part : parts) {
        Added here;
        if (&part == &parts.back())
            here = {directed(added.add, m_axis.n, reversed), directed(added.sum, m_axis.n, reversed)};
        ways.push_back(run(part, u, constant, here));
        u = here.sum.first != nullptr ? as_input(here.sum) : as_input(ways.back().y);
        if (m_axis.start == Start::steady) constant *= dc_gain(*part.section);
    }
    return directed(u, m_axis.n, reversed);
}

// Returns the axis's output, but for the last sum if nobody wants it.
template <class S, class A>
LaneRows<const S> AxisGradient<S, A>::run_stages(std::int64_t lanes, const LaneRows<const S>& u,
                                                 bool to_the_end) {
    m_lanes = lanes;
    m_used = 0;
    m_u = u;
    m_ways.clear();
    LaneRows<const S> line = u;
    double outside = m_axis.constant;
    for (const GradientAxis::StageParts& parts : m_axis.stages) {
        StageWay& way = m_ways.emplace_back();
        way.constant = outside;
        if (parts.stage->kind == Stage::Kind::sum) {
            const auto p = run_cascade(parts.causal, line, false, outside, way.causal);
            Added added;
            if (to_the_end || &parts != &m_axis.stages.back()) added = {p, next_line()};
            line = run_cascade(parts.anticausal, line, true, outside, way.anticausal, added);
        } else {
            line = run_cascade(parts.sections, line, parts.stage->kind == Stage::Kind::anticausal, outside,
                               way.sections);
        }
        if (m_axis.start == Start::steady) outside *= dc_gain(*parts.stage);
    }
    return line;
}

template <class S, class A>
LaneRows<const S> AxisGradient<S, A>::filter(std::int64_t lanes, const LaneRows<const S>& u) {
    return run_stages(lanes, u, true);
}

template <class S, class A>
LaneRows<const S> AxisGradient<S, A>::output_of(std::size_t section) const {
    return as_input(m_ways.front().sections[section].y);
}

// A mirror's period is the line and its image, which has no gradient of its own; under the steady start the
// section has run over it before. `l` is l[0] and l[1]. Sample -1-t is sample t of the line.
template <class S, class A>
void AxisGradient<S, A>::back_over_mirror(const Way& way, const LaneRows<S>& out, const SectionHistory& l,
                                          std::vector<double>& sums) const {
    const Section& s = *way.part->section;
    const Section* d = way.part->direction();
    const std::int64_t n = m_axis.n;
    const auto lanes = static_cast<std::size_t>(m_lanes);
    const std::int64_t memory = memory_length(s, 0x1p-64);
    const std::int64_t steps = std::min(n, memory);
    // The outputs before the line: from the history one period earlier, or from so far that it is forgotten.
    const std::int64_t before = std::min(2 * n, steps + memory);
    std::vector<double> y(static_cast<std::size_t>(steps));  // y[-1-t], at t
    for (std::size_t i = 0; i < lanes; ++i) {
        const auto lane = static_cast<std::int64_t>(i);
        double y1 = before == 2 * n ? way.history.y1[i] : 0.0;
        double y2 = before == 2 * n ? way.history.y2[i] : 0.0;
        for (std::int64_t t = before - 1; t >= 0; --t) {
            double next = s.a[0] * y1 + s.a[1] * y2;
            for (std::int64_t k = 0; k < 3; ++k)
                next += s.b[static_cast<std::size_t>(k)] * input(way, -1 - t - k, lane);
            y2 = std::exchange(y1, next);
            if (t < steps) y[static_cast<std::size_t>(t)] = next;
        }
        double l1 = l.y1[i];
        double l2 = l.y2[i];
        for (std::int64_t t = 0; t < steps; ++t) {
            const auto u_t = static_cast<double>(way.u.at(t)[lane]);
            const double y_t = y[static_cast<std::size_t>(t)];
            const double l0 = s.a[0] * l1 + s.a[1] * l2;
            const std::array<double, 5> terms{u_t * l0, u_t * l1, u_t * l2, y_t * l1, y_t * l2};
            if (d != nullptr) {
                sums[i] += d->b[0] * terms[0] + d->b[1] * terms[1] + d->b[2] * terms[2] + d->a[0] * terms[3] +
                           d->a[1] * terms[4];
            } else {
                for (std::size_t k = 0; k < terms.size(); ++k) sums[k * lanes + i] += terms[k];
            }
            if (out.first != nullptr) {
                S& to = out.at(t)[lane];
                to = static_cast<S>(static_cast<double>(to) + s.b[0] * l0 + s.b[1] * l1 + s.b[2] * l2);
            }
            l2 = std::exchange(l1, l0);
        }
    }
}

// to.constant is the gradient of the constant outside, behind the section and then before it.
template <class S, class A>
void AxisGradient<S, A>::back_section(const Way& way, const Backward& backward, const Sums& to) {
    const GradientAxis::Part& part = *way.part;
    const Section& s = *part.section;
    const std::int64_t n = m_axis.n;
    const auto lanes = static_cast<std::size_t>(m_lanes);
    const bool steady = m_axis.start == Start::steady;
    const bool periodic = steady && is_periodic(m_axis.border);
    // Before the gradient takes the input's place.
    std::vector<std::array<double, 4>> u_before(periodic ? 0 : lanes);  // u[-1-k] of each lane
    for (std::size_t i = 0; i < u_before.size(); ++i) {
        for (std::int64_t k = 0; k < 4; ++k)
            u_before[i][static_cast<std::size_t>(k)] = input(way, -1 - k, static_cast<std::int64_t>(i));
    }
    SectionHistory l{std::vector<double>(lanes), std::vector<double>(lanes)};
    if (periodic) l = periodic_costate(s, n, lanes, m_axis.border, loader(backward.g, m_lanes));
    if (!backward.after.empty()) l = backward.after.front();
    std::vector<A> l1 = as_arithmetic<A>(l.y1);
    std::vector<A> l2 = as_arithmetic<A>(l.y2);
    std::vector<double> sums(part.only < 0 ? 5 * lanes : lanes);
    go_back(SectionBack<S, A>{.lines = lines_of(part),
                              .u = way.u,
                              .y = as_input(way.y),
                              .g = backward.g,
                              .out = backward.out,
                              .add = backward.add,
                              .l1 = l1.data(),
                              .l2 = l2.data(),
                              .direction = part.direction(),
                              .sums = sums.data()});
    l = {{l1.begin(), l1.end()}, {l2.begin(), l2.end()}};
    if (periodic && m_axis.border == Border::mirror) back_over_mirror(way, backward.out, l, sums);

    Section of;  // the gradients of the coefficients
    of.b = of.start_b = {};
    of.a = {};
    if (part.only < 0) {
        for (std::size_t i = 0; i < lanes; ++i) {
            for (std::size_t k = 0; k < 3; ++k) of.b[k] += sums[k * lanes + i];
            for (std::size_t k = 0; k < 2; ++k) of.a[k] += sums[(3 + k) * lanes + i];
        }
    } else {
        for (const double sum : sums) to.gradient[static_cast<std::size_t>(part.only)] += sum;
    }
    double gain = 0.0;  // the gradient of the section's gain
    if (steady) {
        gain = to.constant * way.constant;
        to.constant *= dc_gain(s);
    }
    for (std::int64_t lane = 0; lane < (periodic ? 0 : m_lanes); ++lane) {
        const auto i = static_cast<std::size_t>(lane);
        const std::array<double, 2> y{way.history.y1[i], way.history.y2[i]};
        const Before before = add_before(s, m_axis.start, u_before[i], y, l.y1[i], l.y2[i], of, gain);
        for (std::size_t k = 0; k < before.size(); ++k) {
            const std::int64_t index = border_index(-1 - static_cast<std::int64_t>(k), n, m_axis.border);
            if (index < 0) {
                to.constant += before[k];
            } else if (backward.out.first != nullptr) {
                S& sample = backward.out.at(index)[lane];
                sample = static_cast<S>(static_cast<double>(sample) + before[k]);
            }
        }
    }
    for (std::size_t p = 0; p < m_axis.parameters; ++p) {
        const Section& d = *part.derivatives[p];
        if (!depends(d)) continue;
        to.gradient[p] += product(of, d);
        if (steady) to.gradient[p] += gain * dc_gain_derivative(s, d);
    }
}

// Nothing of the constant is asked for behind the cascade, but by the stages.
template <class S, class A>
void AxisGradient<S, A>::back_cascade(const std::vector<Way>& ways, const Backward& backward, bool reversed,
                                      const Sums& to) {
    const std::int64_t n = m_axis.n;
    double own = 0.0;
    LaneRows<const S> g = directed(backward.g, n, reversed);
    for (std::size_t i = ways.size(); i-- > 0;) {
        const bool last = i == 0;
        const LaneRows<S> out = last ? directed(backward.out, n, reversed) : ways[i].y;
        const LaneRows<const S> add = last ? directed(backward.add, n, reversed) : LaneRows<const S>{};
        const auto after = backward.after.empty() ? backward.after : backward.after.subspan(i, 1);
        back_section(ways[i], {g, out, add, after}, {to.gradient, own});
        g = as_input(out);
    }
    to.constant += own;
}

template <class S, class A>
void AxisGradient<S, A>::add(std::int64_t lanes, const LaneRows<const S>& u, const LaneRows<const S>& g,
                             const LaneRows<S>& out, std::span<double> gradient, double& constant) {
    run_stages(lanes, u, false);
    back(g, out, gradient, constant);
}

template <class S, class A>
void AxisGradient<S, A>::back(const LaneRows<const S>& g, const LaneRows<S>& out, std::span<double> gradient,
                              double& constant, std::span<const SectionHistory> after) {
    const bool steady = m_axis.start == Start::steady;
    const std::int64_t n = m_axis.n;
    // Under a steady mirror u is read again after its gradient is known.
    const bool apart = out.first == m_u.first && steady && m_axis.border == Border::mirror;
    const LaneRows<S> u_gradient = apart ? next_line() : out;

    LaneRows<const S> back_line = g;
    double behind = 0.0;
    const Sums to{gradient, behind};
    for (std::size_t i = m_ways.size(); i-- > 0;) {
        const GradientAxis::StageParts& parts = m_axis.stages[i];
        const StageWay& way = m_ways[i];
        if (steady) {
            for (std::size_t p = 0; p < m_axis.parameters; ++p) {
                const double change = dc_gain_derivative(*parts.stage, *parts.derivatives[p]);
                if (change != 0.0) gradient[p] += behind * way.constant * change;
            }
            behind *= dc_gain(*parts.stage);
        }
        // Gradients take the place of outputs that are not read any more.
        if (parts.stage->kind == Stage::Kind::sum) {
            const LaneRows<S> stage_out = i == 0 ? u_gradient : directed(way.anticausal.front().y, n, true);
            const LaneRows<S> p = stage_out.first != nullptr ? way.causal.front().y : LaneRows<S>{};
            back_cascade(way.causal, {back_line, p, {}}, false, to);
            back_cascade(way.anticausal, {back_line, stage_out, as_input(p)}, true, to);
            back_line = as_input(stage_out);
        } else {
            const bool reversed = parts.stage->kind == Stage::Kind::anticausal;
            const LaneRows<S> stage_out = i == 0 ? u_gradient : directed(way.sections.front().y, n, reversed);
            back_cascade(way.sections, {back_line, stage_out, {}, after}, reversed, to);
            back_line = as_input(stage_out);
        }
    }
    if (apart) {
        for (std::int64_t i = 0; i < n; ++i) std::copy_n(u_gradient.at(i), m_lanes, out.at(i));
    }
    constant += behind;
}

template class AxisGradient<float, float>;
template class AxisGradient<float, double>;
template class AxisGradient<double, double>;

}  // namespace iir2d::iir
