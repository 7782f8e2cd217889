// SPDX-License-Identifier: MIT
#include "kernels/iir/axis_gradient.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/iir/analysis.h"
#include "kernels/iir/border.h"
#include "kernels/iir/dual_filter.h"

namespace iir2d::iir {

namespace {

template <class S>
LoadLanes loader(const LaneRows<const S>& rows, std::int64_t lanes) {
    return [rows, lanes](std::int64_t i, double* out) { std::copy_n(rows.at(i), lanes, out); };
}

template <class S>
LaneRows<const S> as_input(const LaneRows<S>& rows) {
    return {rows.first, rows.stride};
}

template <class S>
LaneRows<S> directed(const LaneRows<S>& rows, std::int64_t n, bool reversed) {
    return reversed && rows.first != nullptr ? rows.turned(n) : rows;
}

bool depends(const Section& derivative) {
    const auto changes = [](double coefficient) { return coefficient != 0.0; };
    return std::ranges::any_of(derivative.b, changes) || std::ranges::any_of(derivative.a, changes) ||
           std::ranges::any_of(derivative.start_b, changes);
}

std::vector<GradientAxis::Part> parts_of(const std::vector<Section>& sections,
                                         const std::vector<const std::vector<Section>*>& derivatives) {
    std::vector<GradientAxis::Part> parts;
    for (std::size_t i = 0; i < sections.size(); ++i) {
        GradientAxis::Part& part = parts.emplace_back(GradientAxis::Part{&sections[i], {}});
        part.terms = terms_of(sections[i]);
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

double product(const Section& gradient, const Section& derivative) {
    double sum = 0.0;
    for (std::size_t k = 0; k < 3; ++k)
        sum += gradient.b[k] * derivative.b[k] + gradient.start_b[k] * derivative.start_b[k];
    for (std::size_t k = 0; k < 2; ++k) sum += gradient.a[k] * derivative.a[k];
    return sum;
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

GradientAxis::GradientAxis(const AxisFilter& filter, const std::vector<const AxisFilter*>& derivatives)
    : parameters(derivatives.size()) {
    for (std::size_t i = 0; i < filter.stages.size(); ++i) {
        StageParts& parts = stages.emplace_back(StageParts{&filter.stages[i], {}, {}, {}, {}});
        for (const AxisFilter* d : derivatives) parts.derivatives.push_back(&d->stages[i]);
        const auto of = [&](std::vector<Section> Stage::*part) {
            std::vector<const std::vector<Section>*> cascades;
            cascades.reserve(derivatives.size());
            for (const AxisFilter* d : derivatives) cascades.push_back(&(d->stages[i].*part));
            return parts_of(filter.stages[i].*part, cascades);
        };
        parts.sections = of(&Stage::sections);
        parts.causal = of(&Stage::causal);
        parts.anticausal = of(&Stage::anticausal);
    }
}

const Section* GradientAxis::Part::direction() const {
    return only < 0 ? nullptr : derivatives[static_cast<std::size_t>(only)];
}

template <class S>
AxisGradient<S>::AxisGradient(const GradientAxis& axis, std::int64_t lanes) : m_axis(axis), m_stride(lanes) {}

// Lines are used again for the next lanes.
template <class S>
LaneRows<S> AxisGradient<S>::next_line() {
    if (m_used == m_lines.size()) m_lines.emplace_back(static_cast<std::size_t>(m_axis.n * m_stride));
    return {m_lines[m_used++].data(), m_stride};
}

// What the way's input is at an index, which may lie before the line.
template <class S>
double AxisGradient<S>::input(const Way& way, std::int64_t index, std::int64_t lane) const {
    const std::int64_t i = border_index(index, m_axis.n, m_axis.border);
    return i < 0 ? way.constant : static_cast<double>(way.u.at(i)[lane]);
}

template <class S>
auto AxisGradient<S>::run(const GradientAxis::Part& part, const LaneRows<const S>& u, double constant)
    -> Way {
    const auto lanes = static_cast<std::size_t>(m_lanes);
    const LaneRows<S> y = next_line();
    Way way{&part, u, as_input(y), constant,
            start_history(*part.section, m_axis.n, lanes, m_axis.border, m_axis.start, constant,
                          loader(u, m_lanes))};
    std::vector<double> u1(lanes);
    std::vector<double> u2(lanes);
    for (std::size_t i = 0; i < lanes; ++i) {
        u1[i] = input(way, -1, static_cast<std::int64_t>(i));
        u2[i] = input(way, -2, static_cast<std::int64_t>(i));
    }
    SectionHistory h = way.history;
    for (std::int64_t i = 0; i < m_axis.n; i += m_axis.block) {
        run_section(SectionRun<S>{.n = std::min(m_axis.block, m_axis.n - i),
                                  .lanes = m_lanes,
                                  .section = part.section,
                                  .terms = part.terms,
                                  .u = {u.at(i), u.stride},
                                  .y = {y.at(i), y.stride},
                                  .u1 = u1.data(),
                                  .u2 = u2.data(),
                                  .y1 = h.y1.data(),
                                  .y2 = h.y2.data()});
    }
    return way;
}

template <class S>
LaneRows<const S> AxisGradient<S>::run_cascade(const std::vector<GradientAxis::Part>& parts,
                                               LaneRows<const S> u, bool reversed, double constant,
                                               std::vector<Way>& ways) {
    u = directed(u, m_axis.n, reversed);
    for (const GradientAxis::Part& part : parts) {
        ways.push_back(run(part, u, constant));
        u = ways.back().y;
        if (m_axis.start == Start::steady) constant *= dc_gain(*part.section);
    }
    return directed(u, m_axis.n, reversed);
}

// A mirror's period is the line and its image, which has no gradient of its own; under the steady start the
// section has run over it before. `l` is l[0] and l[1]. Sample -1-t is sample t of the line.
template <class S>
void AxisGradient<S>::back_over_mirror(const Way& way, const LaneRows<S>& out, const SectionHistory& l,
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
template <class S>
void AxisGradient<S>::back(const Way& way, const Backward& backward, const Sums& to) {
    const GradientAxis::Part& part = *way.part;
    const Section& s = *part.section;
    const std::int64_t n = m_axis.n;
    const auto lanes = static_cast<std::size_t>(m_lanes);
    const bool steady = m_axis.start == Start::steady;
    const bool periodic = steady && is_periodic(m_axis.border);
    SectionHistory l{std::vector<double>(lanes), std::vector<double>(lanes)};
    if (periodic) l = periodic_costate(s, n, lanes, m_axis.border, loader(backward.g, m_lanes));
    std::vector<double> sums(part.only < 0 ? 5 * lanes : lanes);
    for (std::int64_t end = n; end > 0;) {
        const std::int64_t first = (end - 1) / m_axis.block * m_axis.block;
        const auto from = [&](const auto& rows) {
            auto moved = rows;
            if (moved.first != nullptr) moved.first = rows.at(first);
            return moved;
        };
        go_back(SectionBack<S>{.n = end - first,
                               .lanes = m_lanes,
                               .section = &s,
                               .terms = part.terms,
                               .u = from(way.u),
                               .y = from(way.y),
                               .g = from(backward.g),
                               .out = from(backward.out),
                               .add = from(backward.add),
                               .l1 = l.y1.data(),
                               .l2 = l.y2.data(),
                               .direction = part.direction(),
                               .sums = sums.data()});
        end = first;
    }
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
        std::array<double, 4> u{};  // u[-1-k]
        for (std::int64_t k = 0; k < 4; ++k) u[static_cast<std::size_t>(k)] = input(way, -1 - k, lane);
        const std::array<double, 2> y{way.history.y1[i], way.history.y2[i]};
        const Before before = add_before(s, m_axis.start, u, y, l.y1[i], l.y2[i], of, gain);
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
        to.gradient[p] += product(of, d) + gain * dc_gain_derivative(s, d);
    }
}

// Nothing of the constant is asked for behind the cascade, but by the stages.
template <class S>
void AxisGradient<S>::back_cascade(const std::vector<Way>& ways, const Backward& backward, bool reversed,
                                   const Sums& to) {
    const std::int64_t n = m_axis.n;
    double own = 0.0;
    LaneRows<const S> g = directed(backward.g, n, reversed);
    for (std::size_t i = ways.size(); i-- > 0;) {
        const bool last = i == 0;
        const LaneRows<S> out = last ? directed(backward.out, n, reversed) : next_line();
        const LaneRows<const S> add = last ? directed(backward.add, n, reversed) : LaneRows<const S>{};
        back(ways[i], {g, out, add}, {to.gradient, own});
        g = as_input(out);
    }
    to.constant += own;
}

template <class S>
void AxisGradient<S>::add(std::int64_t lanes, const LaneRows<const S>& u, const LaneRows<const S>& g,
                          const LaneRows<S>& out, std::span<double> gradient, double& constant) {
    m_lanes = lanes;
    m_used = 0;
    const std::int64_t n = m_axis.n;
    const bool steady = m_axis.start == Start::steady;
    struct StageWay {
        std::vector<Way> sections, causal, anticausal;
        double constant;
    };
    std::vector<StageWay> ways;
    LaneRows<const S> line = u;
    double outside = m_axis.constant;
    for (const GradientAxis::StageParts& parts : m_axis.stages) {
        StageWay& way = ways.emplace_back();
        way.constant = outside;
        if (parts.stage->kind == Stage::Kind::sum) {
            const auto p = run_cascade(parts.causal, line, false, outside, way.causal);
            const auto q = run_cascade(parts.anticausal, line, true, outside, way.anticausal);
            if (&parts != &m_axis.stages.back()) {
                const LaneRows<S> sum = next_line();
                for (std::int64_t k = 0; k < n; ++k) {
                    for (std::int64_t i = 0; i < lanes; ++i) sum.at(k)[i] = p.at(k)[i] + q.at(k)[i];
                }
                line = as_input(sum);
            }
        } else {
            line = run_cascade(parts.sections, line, parts.stage->kind == Stage::Kind::anticausal, outside,
                               way.sections);
        }
        if (steady) outside *= dc_gain(*parts.stage);
    }

    LaneRows<const S> back_line = g;
    double behind = 0.0;
    const Sums to{gradient, behind};
    for (std::size_t i = ways.size(); i-- > 0;) {
        const GradientAxis::StageParts& parts = m_axis.stages[i];
        const StageWay& way = ways[i];
        if (steady) {
            for (std::size_t p = 0; p < m_axis.parameters; ++p)
                gradient[p] +=
                    behind * way.constant * dc_gain_derivative(*parts.stage, *parts.derivatives[p]);
            behind *= dc_gain(*parts.stage);
        }
        const LaneRows<S> stage_out = i == 0 ? out : next_line();
        if (parts.stage->kind == Stage::Kind::sum) {
            const LaneRows<S> p = stage_out.first != nullptr ? next_line() : LaneRows<S>{};
            back_cascade(way.causal, {back_line, p, {}}, false, to);
            back_cascade(way.anticausal, {back_line, stage_out, as_input(p)}, true, to);
        } else {
            back_cascade(way.sections, {back_line, stage_out, {}},
                         parts.stage->kind == Stage::Kind::anticausal, to);
        }
        back_line = as_input(stage_out);
    }
    constant += behind;
}

template class AxisGradient<float>;
template class AxisGradient<double>;

}  // namespace iir2d::iir
