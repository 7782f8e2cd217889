// SPDX-License-Identifier: MIT
#include "kernels/iir/start_state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "kernels/iir/analysis.h"
#include "kernels/iir/border.h"

namespace iir2d::iir {

namespace {

using Lanes = LaneValues;

// The samples that a section reads before its first: x[-1] to x[-4].
using Before = std::array<Lanes, 4>;

struct History {
    Lanes y1;
    Lanes y2;

    SectionHistory as_section_history() const { return {{y1.begin(), y1.end()}, {y2.begin(), y2.end()}}; }
};

// The first samples of a line that the border samples of a shared sweep can ask for (passes.h), and as many
// before it that a section reads.
constexpr std::int64_t samples_of_head = 4;

// Border samples of a line whose samples `load` gives.
struct Extension {
    std::int64_t n;
    Border border;
    double constant;
    const LoadLanes& load;

    void at(std::int64_t i, Lanes& out) const {
        const std::int64_t index = border_index(i, n, border);
        if (index < 0) {
            std::ranges::fill(out, constant);
        } else {
            load(index, out.data());
        }
    }
};

History truncated_start(const Section& s, const Before& x, std::size_t lanes) {
    History h{Lanes(lanes), Lanes(lanes)};
    const auto& c = s.start_b;
    for (std::size_t l = 0; l < lanes; ++l) {
        if (s.order == 1) h.y1[l] = c[0] * x[0][l] + c[1] * x[1][l];
        if (s.order == 2) {
            h.y2[l] = c[0] * x[1][l] + c[1] * x[2][l] + c[2] * x[3][l];
            h.y1[l] = c[0] * x[0][l] + c[1] * x[1][l] + c[2] * x[2][l] + s.a[0] * h.y2[l];
        }
    }
    return h;
}

using Matrix = std::array<double, 4>;  // row by row

// The section's companion matrix, to a power.
Matrix companion_power(const Section& s, std::int64_t exponent) {
    Matrix m{1, 0, 0, 1};
    Matrix base{s.a[0], s.a[1], 1, 0};
    const auto multiply = [](const Matrix& p, const Matrix& q) {
        return Matrix{p[0] * q[0] + p[1] * q[2], p[0] * q[1] + p[1] * q[3], p[2] * q[0] + p[3] * q[2],
                      p[2] * q[1] + p[3] * q[3]};
    };
    for (std::int64_t e = exponent; e > 0; e /= 2) {
        if (e % 2 == 1) m = multiply(m, base);
        base = multiply(base, base);
    }
    return m;
}

// y = (I - M^period)^-1 y, M the section's companion matrix.
void close_period(const Section& s, std::int64_t period, History& h) {
    const Matrix m = companion_power(s, period);
    const double determinant = (1 - m[0]) * (1 - m[3]) - m[1] * m[2];
    for (std::size_t l = 0; l < h.y1.size(); ++l) {
        const double r1 = h.y1[l];
        const double r2 = h.y2[l];
        h.y1[l] = ((1 - m[3]) * r1 + m[1] * r2) / determinant;
        h.y2[l] = ((1 - m[0]) * r2 + m[2] * r1) / determinant;
    }
}

std::int64_t period_of(Border border, std::int64_t n) {
    return border == Border::mirror ? 2 * n : n;
}

// The history that the periodic extension leaves. A run over as many samples as the state remembers is exact
// to double rounding; where the period is shorter than that, the period is closed.
History periodic_start(const Section& s, const Extension& x, std::size_t lanes) {
    const std::int64_t period = period_of(x.border, x.n);
    const std::int64_t memory = memory_length(s, 0x1p-64);
    const std::int64_t steps = std::min(period, memory);
    History h{Lanes(lanes), Lanes(lanes)};
    Lanes x0(lanes);
    Lanes x1(lanes);
    Lanes x2(lanes);
    x.at(-steps - 1, x1);
    x.at(-steps - 2, x2);
    for (std::int64_t i = -steps; i < 0; ++i) {
        x.at(i, x0);
        for (std::size_t l = 0; l < lanes; ++l) {
            const double y =
                s.b[0] * x0[l] + s.b[1] * x1[l] + s.b[2] * x2[l] + s.a[0] * h.y1[l] + s.a[1] * h.y2[l];
            h.y2[l] = h.y1[l];
            h.y1[l] = y;
        }
        x2.swap(x1);
        x1.swap(x0);
    }
    if (steps == period) close_period(s, period, h);
    return h;
}

History steady_start(const Section& s, const Extension& x, const Before& before, std::size_t lanes) {
    if (is_periodic(x.border)) return periodic_start(s, x, lanes);
    Lanes level(lanes);
    const double gain = dc_gain(s);
    std::ranges::transform(before[0], level.begin(), [gain](double sample) { return gain * sample; });
    return {level, level};
}

SectionState state_of(const Section& s, const Before& x, const History& h, std::size_t lanes) {
    SectionState state{Lanes(lanes), Lanes(lanes)};
    for (std::size_t l = 0; l < lanes; ++l) {
        state.s1[l] = s.b[1] * x[0][l] + s.b[2] * x[1][l] + s.a[0] * h.y1[l] + s.a[1] * h.y2[l];
        state.s2[l] = s.b[2] * x[0][l] + s.a[1] * h.y1[l];
    }
    return state;
}

// Runs a section over the first samples of a line, so that the next section's border samples are known.
void advance(const Section& s, SectionState state, std::vector<Lanes>& head) {
    for (Lanes& samples : head) {
        for (std::size_t l = 0; l < samples.size(); ++l) {
            const double x = samples[l];
            const double y = s.b[0] * x + state.s1[l];
            state.s1[l] = s.b[1] * x + s.a[0] * y + state.s2[l];
            state.s2[l] = s.b[2] * x + s.a[1] * y;
            samples[l] = y;
        }
    }
}

}  // namespace

std::vector<SectionState> start_states(const Pass& pass, std::int64_t n, std::size_t lanes, Border border,
                                       Start start, const LoadLanes& load) {
    std::vector<Lanes> head;
    if (pass.sections.size() > 1) {
        head.assign(static_cast<std::size_t>(std::min(n, samples_of_head)), Lanes(lanes));
        for (std::size_t i = 0; i < head.size(); ++i) load(static_cast<std::int64_t>(i), head[i].data());
    }
    const LoadLanes from_head = [&head](std::int64_t index, double* out) {
        std::ranges::copy(head[static_cast<std::size_t>(index)], out);
    };
    std::vector<SectionState> states;
    states.reserve(pass.sections.size());
    double constant = pass.constant;
    for (std::size_t k = 0; k < pass.sections.size(); ++k) {
        const Section& s = pass.sections[k];
        const Extension x{n, border, constant, k == 0 ? load : from_head};
        Before before{Lanes(lanes), Lanes(lanes), Lanes(lanes), Lanes(lanes)};
        for (std::int64_t i = 0; i < samples_of_head; ++i) x.at(-1 - i, before[static_cast<std::size_t>(i)]);
        const History h =
            start == Start::steady ? steady_start(s, x, before, lanes) : truncated_start(s, before, lanes);
        states.push_back(state_of(s, before, h, lanes));
        if (!head.empty()) advance(s, states.back(), head);
        if (start == Start::steady) constant *= dc_gain(s);
    }
    return states;
}

SectionHistory start_history(const Section& s, std::int64_t n, std::size_t lanes, Border border, Start start,
                             double constant, const LoadLanes& load) {
    const Extension x{n, border, constant, load};
    Before before{Lanes(lanes), Lanes(lanes), Lanes(lanes), Lanes(lanes)};
    for (std::int64_t i = 0; i < samples_of_head; ++i) x.at(-1 - i, before[static_cast<std::size_t>(i)]);
    const History h =
        start == Start::steady ? steady_start(s, x, before, lanes) : truncated_start(s, before, lanes);
    return h.as_section_history();
}

SectionHistory periodic_costate(const Section& s, std::int64_t n, std::size_t lanes, Border border,
                                const LoadLanes& load) {
    // The costate of the periodic extension repeats as the extension does: l[0] and l[1] are those of one
    // period alone, closed. Of a mirror's period, 2n, only the line itself has a gradient; samples further
    // away than the section remembers do not count.
    const std::int64_t period = period_of(border, n);
    const std::int64_t memory = memory_length(s, 0x1p-64);
    History l{Lanes(lanes), Lanes(lanes)};
    Lanes g(lanes);
    for (std::int64_t i = std::min(n, memory) - 1; i >= 0; --i) {
        load(i, g.data());
        for (std::size_t k = 0; k < lanes; ++k) {
            const double next = g[k] + s.a[0] * l.y1[k] + s.a[1] * l.y2[k];
            l.y2[k] = l.y1[k];
            l.y1[k] = next;
        }
    }
    if (period <= memory) close_period(s, period, l);
    // From l[period] = l[0] and l[period + 1] to l[n] and l[n + 1].
    const Matrix back = companion_power(s, period - n);
    for (std::size_t k = 0; k < lanes; ++k) {
        const double l0 = back[0] * l.y1[k] + back[1] * l.y2[k];
        l.y2[k] = back[2] * l.y1[k] + back[3] * l.y2[k];
        l.y1[k] = l0;
    }
    return l.as_section_history();
}

SectionState transposed_periodic_state(const Section& s, std::int64_t n, std::size_t lanes, Border border,
                                       const LoadLanes& load) {
    const SectionHistory l = periodic_costate(
        s, n, lanes, border, [&](std::int64_t index, double* out) { load(n - 1 - index, out); });
    SectionState state{Lanes(lanes), Lanes(lanes)};
    for (std::size_t k = 0; k < lanes; ++k) {
        const double both = s.b[0] * s.a[1] + s.b[2];
        state.s1[k] = (s.b[0] * s.a[0] + s.b[1]) * l.y1[k] + both * l.y2[k];
        state.s2[k] = both * l.y1[k] + (s.b[1] * s.a[1] - s.a[0] * s.b[2]) * l.y2[k];
    }
    return state;
}

std::vector<SectionState> PassStart::states_of(const Pass& pass, std::size_t lanes,
                                               const LoadLanes& load) const {
    if (!m_transposed) return start_states(pass, m_n, lanes, m_border, m_start, load);
    return {transposed_periodic_state(pass.sections.front(), m_n, lanes, m_border, load)};
}

PassStart PassStart::of_transposed(const Pass& pass, std::int64_t n, Border border, Start start) {
    PassStart result;
    result.m_n = n;
    result.m_border = border;
    result.m_start = start;
    result.m_transposed = true;
    result.m_whole_line = start == Start::steady && is_periodic(border);
    result.m_reach = result.m_whole_line ? std::min(n, memory_length(pass.sections.front(), 0x1p-64)) : 0;
    if (!result.m_whole_line) result.m_states.assign(2 * pass.sections.size(), State{0.0, {}});
    return result;
}

PassStart::PassStart(const Pass& pass, std::int64_t n, Border border, Start start)
    : m_n(n),
      m_border(border),
      m_start(start),
      m_reach(std::min<std::int64_t>(n, 4)),
      m_whole_line(start == Start::steady && is_periodic(border)) {
    if (m_whole_line) {
        for (const Section& section : pass.sections)
            m_reach = std::max(m_reach, std::min(n, memory_length(section, 0x1p-64) + 2));
        return;
    }
    m_samples.reserve(2 * samples_of_head);
    m_states.reserve(2 * pass.sections.size());
    // In the order in which start_states() asks for them.
    const auto reads = [this](std::int64_t index) {
        if (index >= 0 && std::ranges::find(m_samples, index) == m_samples.end()) m_samples.push_back(index);
    };
    if (pass.sections.size() > 1) {
        for (std::int64_t i = 0; i < std::min(n, samples_of_head); ++i) reads(i);
    }
    for (std::int64_t i = 0; i < samples_of_head; ++i) reads(border_index(-1 - i, n, border));
    // One lane for each sample, in which it alone is `value`, and one without any.
    const std::size_t count = m_samples.size();
    const auto answer = [&](const Pass& asked, double value) {
        const auto load = [&](std::int64_t index, double* out) {
            std::fill_n(out, count + 1, 0.0);
            out[std::ranges::find(m_samples, index) - m_samples.begin()] = value;
        };
        return start_states(asked, n, count + 1, border, start, std::ref(load));
    };
    Pass linear = pass;
    linear.constant = 0.0;
    const auto weights = answer(linear, 1.0);
    // Without a constant outside, the lane of no sample is that of the constants.
    const auto constants = border == Border::constant ? answer(pass, 0.0) : weights;
    for (std::size_t k = 0; k < constants.size(); ++k) {
        for (const auto member : {&SectionState::s1, &SectionState::s2}) {
            State state{(constants[k].*member)[count], {}};
            for (std::size_t j = 0; j < count; ++j) {
                if ((weights[k].*member)[j] != 0.0) state.terms.push_back({j, (weights[k].*member)[j]});
            }
            m_states.push_back(std::move(state));
        }
    }
}

template <class A>
void PassStart::states(const Pass& pass, std::size_t lanes, const LoadLanes& load, A* to,
                       std::int64_t stride) const {
    if (m_whole_line) {
        const auto put = [&](const Lanes& values) {
            std::ranges::transform(values, to, [](double value) { return static_cast<A>(value); });
            to += stride;
        };
        for (const SectionState& state : states_of(pass, lanes, load)) {
            put(state.s1);
            put(state.s2);
        }
        return;
    }
    // Of a band, few enough for the stack: this runs once for each.
    std::array<double, 128> few;
    std::vector<double> many(m_samples.size() * lanes > few.size() ? m_samples.size() * lanes : 0);
    double* const samples = many.empty() ? few.data() : many.data();
    for (std::size_t j = 0; j < m_samples.size(); ++j) load(m_samples[j], samples + j * lanes);
    constexpr std::size_t at_once = 16;
    using Some = std::array<double, at_once>;
    // Infinities make NaN on their way, 0 times one of them or their difference, which one weight for each
    // sample does not tell. Lane by lane, so that no other lane's bits depend on it.
    std::vector<std::size_t> beyond;
    for (std::size_t first = 0; first < lanes; first += at_once) {
        const std::size_t count = std::min(at_once, lanes - first);
        Some zeros{};
        for (std::size_t j = 0; j < m_samples.size(); ++j) {
            const double* from = samples + j * lanes + first;
            for (std::size_t l = 0; l < count; ++l) zeros[l] += from[l] - from[l];
        }
        A* out = to + first;
        for (const State& state : m_states) {
            Some values;
            values.fill(state.constant);
            for (const Term& term : state.terms) {
                const double* from = samples + term.sample * lanes + first;
                for (std::size_t l = 0; l < count; ++l) values[l] += term.weight * from[l];
            }
            for (std::size_t l = 0; l < count; ++l) out[l] = static_cast<A>(values[l]);
            out += stride;
        }
        for (std::size_t l = 0; l < count; ++l) {
            if (!(zeros[l] == 0.0)) beyond.push_back(first + l);
        }
    }
    if (beyond.empty()) return;
    const std::vector<SectionState> step_by_step = start_states(pass, m_n, lanes, m_border, m_start, load);
    for (std::size_t i = 0; i < m_states.size(); ++i, to += stride) {
        const SectionState& exact = step_by_step[i / 2];
        for (const std::size_t l : beyond) to[l] = static_cast<A>((i % 2 == 0 ? exact.s1 : exact.s2)[l]);
    }
}

template void PassStart::states(const Pass&, std::size_t, const LoadLanes&, float*, std::int64_t) const;
template void PassStart::states(const Pass&, std::size_t, const LoadLanes&, double*, std::int64_t) const;

}  // namespace iir2d::iir
