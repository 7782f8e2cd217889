// SPDX-License-Identifier: MIT
#include "kernels/iir/pass_end.h"

#include <cmath>

#include "kernels/iir/analysis.h"
#include "kernels/iir/border.h"
#include "kernels/iir/coefficients.h"

namespace iir2d::iir {

namespace {

// What is left of a section's costate l, l[i] = g[i] + a1 l[i+1] + a2 l[i+2], when its line is at an end.
struct Rest {
    double m1 = 0.0;  // a1 l[0] + a2 l[1]
    double m2 = 0.0;  // a2 l[0]
    double u1 = 0.0;  // b1 l[0] + b2 l[1]: what u[-1] was asked for directly
    double u2 = 0.0;  // b2 l[0]: and u[-2]

    Rest& operator+=(const Rest& other) {
        m1 += other.m1;
        m2 += other.m2;
        u1 += other.u1;
        u2 += other.u2;
        return *this;
    }
};

Rest rest_of(const Section& s, double l0, double l1) {
    return {s.a[0] * l0 + s.a[1] * l1, s.a[1] * l0, s.b[1] * l0 + s.b[2] * l1, s.b[2] * l0};
}

// What the samples u[-1-k] before the line are asked for, at k. Only the first samples_before() are.
using Before = std::array<double, 4>;

Before before_of(const Section& s, Rest rest, Start start) {
    Before before{rest.u1, rest.u2};
    if (start == Start::steady) {
        before[0] += dc_gain(s) * (rest.m1 + rest.m2);
    } else if (s.order == 1) {
        for (std::size_t k = 0; k < 2; ++k) before[k] += s.start_b[k] * rest.m1;
    } else if (s.order == 2) {
        const double m2 = rest.m2 + s.a[0] * rest.m1;
        for (std::size_t k = 0; k < 3; ++k) {
            before[k] += s.start_b[k] * rest.m1;
            before[1 + k] += s.start_b[k] * m2;
        }
    }
    return before;
}

std::size_t samples_before(const Section& s, Start start) {
    return start == Start::truncated && s.order == 2 ? 4 : 2;
}

// The state (s1, s2) of the transposed direct form II that a costate leaves is S (l[0], l[1]), S symmetric.
struct StateMatrix {
    double s11, s12, s22;

    explicit StateMatrix(const Section& s)
        : s11(s.b[0] * s.a[0] + s.b[1]),
          s12(s.b[0] * s.a[1] + s.b[2]),
          s22(s.b[1] * s.a[1] - s.a[0] * s.b[2]) {}

    // The inverse, or where S has none the pseudoinverse.
    StateMatrix inverse() const {
        const double square = s11 * s11 + 2.0 * s12 * s12 + s22 * s22;
        const double determinant = s11 * s22 - s12 * s12;
        StateMatrix inverse = *this;
        if (square == 0.0) return inverse;
        if (std::abs(determinant) > 1e-12 * square) {
            inverse.s11 = s22 / determinant;
            inverse.s12 = -s12 / determinant;
            inverse.s22 = s11 / determinant;
        } else {
            for (double* entry : {&inverse.s11, &inverse.s12, &inverse.s22}) *entry /= square;
        }
        return inverse;
    }
};

// What a section leaves behind that is not split and ends with this state. The costate is the sweep's, of its
// rounded coefficients; what it asks for is not rounded, as nothing is in the filter's own start.
Rest rest_of_state(const TransposedSection& t, double s1, double s2) {
    const StateMatrix inverse = StateMatrix(t.rounded).inverse();
    return rest_of(t.section, inverse.s11 * s1 + inverse.s12 * s2, inverse.s12 * s1 + inverse.s22 * s2);
}

// Likewise of a section that is split: of its feedback p1 and p2, of its taps q1 and q2. Rounding scales the
// feedback's only tap, to keep the gain.
Rest rest_of_split(const TransposedSection& t, const double* state) {
    const auto loss = [](const Section& s) { return 1.0 - s.a[0] - s.a[1]; };
    const double scale = loss(t.section) / loss(t.rounded);
    return {scale * state[0], scale * state[1], scale * state[2], scale * state[3]};
}

// Goes through a section what was added to its first few samples.
Rest pass_on(const Section& s, EndAdditions& additions) {
    if (additions.empty()) return {};
    double l1 = 0.0;
    double l2 = 0.0;
    EndAdditions passed;
    for (std::int64_t i = additions.rbegin()->first; i >= 0; --i) {
        const auto found = additions.find(i);
        const double l = (found == additions.end() ? 0.0 : found->second) + s.a[0] * l1 + s.a[1] * l2;
        passed[i] = s.b[0] * l + s.b[1] * l1 + s.b[2] * l2;
        l2 = l1;
        l1 = l;
    }
    additions = passed;
    return rest_of(s, l1, l2);
}

// Goes through a section what was added before it, and adds what itself leaves behind.
void add_section(const Section& s, const Rest& own, std::int64_t n, Border border, Start start,
                 EndAdditions& additions) {
    Rest rest = pass_on(s, additions);
    rest += own;
    const Before before = before_of(s, rest, start);
    for (std::size_t k = 0; k < samples_before(s, start); ++k)
        additions[border_index(-1 - static_cast<std::int64_t>(k), n, border)] += before[k];
}

// The additions to a line whose pass ends with these states.
EndAdditions additions_of(const std::vector<TransposedSection>& sections, const std::vector<double>& states,
                          std::int64_t n, Border border, Start start) {
    EndAdditions additions;
    const double* state = states.data();
    for (const TransposedSection& t : sections) {
        add_section(t.section, t.split ? rest_of_split(t, state) : rest_of_state(t, state[0], state[1]), n,
                    border, start, additions);
        state += 2 * t.swept().size();
    }
    return additions;
}

}  // namespace

EndAdditions additions_of_costates(const std::vector<Section>& sections, const std::vector<double>& costates,
                                   std::int64_t n, Border border, Start start) {
    EndAdditions additions;
    for (std::size_t k = 0; k < sections.size(); ++k) {
        const Section& s = sections[k];
        add_section(s, rest_of(s, costates[2 * k], costates[2 * k + 1]), n, border, start, additions);
    }
    return additions;
}

std::vector<Section> TransposedSection::swept() const {
    if (!split) return {section};
    Section feedback = section;
    feedback.b = {1.0, 0.0, 0.0};
    const Section taps{.order = 0, .b = section.b, .a = {0.0, 0.0}, .start_b = section.b};
    return {feedback, taps};
}

TransposedSection transposed_section(const Section& section, Border border, Start start, bool in_float) {
    TransposedSection result{section, in_float ? rounded_to_float(section) : section};
    // Under a constant nothing is added, and under a periodic extension that is steady the pass itself goes
    // on.
    if (border == Border::constant || (start == Start::steady && is_periodic(border))) return result;
    // Rounding errors of the state grow by as much as its weights do. A float's have more of the bound left
    // to them than a double's need.
    const double limit = in_float ? 16.0 : 256.0;
    const StateMatrix matrix(result.rounded);
    const std::array<Before, 2> wanted{before_of(section, rest_of(section, 1.0, 0.0), start),
                                       before_of(section, rest_of(section, 0.0, 1.0), start)};
    const std::array<Before, 2> weights{before_of(section, rest_of_state(result, 1.0, 0.0), start),
                                        before_of(section, rest_of_state(result, 0.0, 1.0), start)};
    double largest = 0.0;
    double wrong = 0.0;
    double size = 0.0;
    for (std::size_t k = 0; k < 4; ++k) {
        size = std::max({size, std::abs(wanted[0][k]), std::abs(wanted[1][k])});
        largest = std::max(largest, std::abs(weights[0][k]) + std::abs(weights[1][k]));
        wrong =
            std::max({wrong, std::abs(weights[0][k] * matrix.s11 + weights[1][k] * matrix.s12 - wanted[0][k]),
                      std::abs(weights[0][k] * matrix.s12 + weights[1][k] * matrix.s22 - wanted[1][k])});
    }
    result.split = !(largest <= limit && wrong <= 1e-13 * size);
    return result;
}

PassEnd::PassEnd(const std::vector<TransposedSection>& sections, std::int64_t n, Border border, Start start) {
    if (border == Border::constant) return;
    if (start == Start::steady && is_periodic(border)) {
        if (border == Border::wrap) return;  // the pass has begun as it ends
        // The pass goes on without input over the mirror image, whose samples are the line's.
        const Section& s = sections.front().section;
        const std::int64_t memory = std::min(n, memory_length(s, 0x1p-64));
        std::array<double, 2> s1{1.0, 0.0};
        std::array<double, 2> s2{0.0, 1.0};
        for (std::int64_t i = 0; i < memory; ++i) {
            m_samples.push_back({n - 1 - i, {s1[0], s1[1]}});
            const std::array<double, 2> y = s1;
            for (std::size_t k = 0; k < 2; ++k) {
                s1[k] = s.a[0] * y[k] + s2[k];
                s2[k] = s.a[1] * y[k];
            }
        }
        return;
    }
    std::size_t count = 0;
    for (const TransposedSection& t : sections) count += 2 * t.swept().size();
    for (std::size_t k = 0; k < count; ++k) {
        std::vector<double> states(count);
        states[k] = 1.0;
        for (const auto& [place, weight] : additions_of(sections, states, n, border, start)) {
            const std::int64_t index = n - 1 - place;
            auto found = std::ranges::find(m_samples, index, &Sample::index);
            if (found == m_samples.end())
                found = m_samples.insert(found, {index, std::vector<double>(count)});
            found->weights[k] = weight;
        }
    }
}

std::int64_t PassEnd::first() const {
    return m_samples.empty() ? 0 : std::ranges::min(m_samples, {}, &Sample::index).index;
}

std::int64_t PassEnd::last() const {
    return m_samples.empty() ? 0 : std::ranges::max(m_samples, {}, &Sample::index).index + 1;
}

}  // namespace iir2d::iir
