// SPDX-License-Identifier: MIT
#include "tests/kernels/iir/contract.h"

#include <algorithm>
#include <cmath>

namespace iir_test {

namespace {

using iir2d::Border;
using iir2d::Start;

struct Recurrence {
    int order;
    Real b0, b1, b2, a1, a2;
    bool no_tap_at_n = false;  // filter 6, anticausal
};

Real gain(const Recurrence& r) {
    return (r.b0 + r.b1 + r.b2) / (1 - r.a1 - r.a2);
}

// A line and what lies outside it, from either end.
struct Endless {
    const RealLine& line;
    Border border;
    Real constant;
    bool from_the_end;

    Real operator()(long i) const {
        const auto n = static_cast<long>(line.size());
        if (from_the_end) i = n - 1 - i;
        // Whole periods away, of wrap and of mirror.
        if (border == Border::wrap || border == Border::mirror) i %= 2 * n;
        while (border == Border::wrap && i < 0) i += n;
        while (border == Border::wrap && i >= n) i -= n;
        while (border == Border::mirror && (i < 0 || i >= n)) i = i < 0 ? -1 - i : 2 * n - 1 - i;
        if (border == Border::clamp) i = std::clamp(i, 0L, n - 1);
        return i < 0 || i >= n ? constant : line[static_cast<std::size_t>(i)];
    }
};

// Samples after which 60 nepers of the state are gone: e^-60 is below extended precision.
long forgets_after(const Recurrence& r) {
    const Real discriminant = r.a1 * r.a1 + 4 * r.a2;
    const Real root = std::sqrt(std::abs(discriminant));
    const Real radius =
        discriminant < 0 ? std::sqrt(-r.a2) : std::max(std::abs(r.a1 + root), std::abs(r.a1 - root)) / 2;
    return radius < 1e-3L ? 50 : static_cast<long>(60 / -std::log(radius)) + 200;
}

RealLine run(const Recurrence& r, const RealLine& line, const ContractCase& c, Real constant,
             bool backwards) {
    const Endless x{line, c.border, constant, backwards};
    const auto n = static_cast<long>(line.size());
    Real y1 = 0;
    Real y2 = 0;
    const auto step = [&](long i) {
        const Real y = r.b0 * x(i) + r.b1 * x(i - 1) + r.b2 * x(i - 2) + r.a1 * y1 + r.a2 * y2;
        y2 = y1;
        y1 = y;
        return y;
    };
    if (c.start == Start::steady) {
        for (long i = -forgets_after(r); i < 0; ++i) step(i);
    } else if (r.order == 1) {
        y1 = r.b0 * x(-1) + r.b1 * x(-2);
    } else if (r.no_tap_at_n) {
        // q[n+1] and q[n]; from the end, x[n] is x(-1).
        y2 = r.b1 * x(-2) + r.b2 * x(-3);
        y1 = r.b1 * x(-1) + r.b2 * x(-2) + r.a1 * y2;
    } else {
        y2 = r.b0 * x(-2) + r.b1 * x(-3) + r.b2 * x(-4);
        y1 = r.b0 * x(-1) + r.b1 * x(-2) + r.b2 * x(-3) + r.a1 * y2;
    }
    RealLine out(line.size());
    for (long i = 0; i < n; ++i) out[static_cast<std::size_t>(backwards ? n - 1 - i : i)] = step(i);
    return out;
}

RealLine add(RealLine a, const RealLine& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
}

struct Axis {
    const ContractCase& c;
    Real constant;

    RealLine then(const Recurrence& r, const RealLine& x, bool backwards = false) {
        RealLine y = run(r, x, c, constant, backwards);
        if (c.start == Start::steady) constant *= gain(r);
        return y;
    }

    RealLine deriche(const RealLine& x, bool old_columns) {
        const Real alpha = 1.695L / static_cast<Real>(c.filter.values[0]);
        const Real e = std::exp(-alpha);
        const Real k = (1 - e) * (1 - e) / (1 + 2 * alpha * e - e * e);
        const Recurrence forward{2, k, k * (alpha - 1) * e, 0, 2 * e, -e * e};
        const Recurrence backward{2, 0, k * (alpha + 1) * e, -k * e * e, 2 * e, -e * e, true};
        if (old_columns) {
            const RealLine p = then(forward, x);
            return add(p, run(backward, p, c, constant, true));
        }
        const RealLine sum = add(run(forward, x, c, constant, false), run(backward, x, c, constant, true));
        if (c.start == Start::steady) constant *= gain(forward) + gain(backward);
        return sum;
    }

    RealLine operator()(const RealLine& x, bool vertical) {
        const auto& v = c.filter.values;
        const Recurrence ema{1, 1 - static_cast<Real>(v[0]), 0, 0, v[0], 0};
        const Recurrence first{2, v[0], v[1], v[2], v[3], v[4]};
        const Recurrence second{2, v[5], v[6], v[7], v[8], v[9]};
        switch (c.filter.id) {
            case 2:
                return then(ema, then(ema, x));
            case 3:
            case 8:
                return then(first, x);
            case 4:
                return then(second, then(first, x));
            case 5:
                return then(ema, then(ema, x), true);
            case 6:
                return deriche(x, vertical && c.filter.compat_1_0);
            default:
                return then(ema, x);
        }
    }
};

// What an axis makes of a constant image in the long run.
Real axis_gain(ContractCase c) {
    c.border = Border::clamp;
    c.start = Start::steady;
    Axis axis{c, 1};
    axis(RealLine(1), false);
    return axis.constant;
}

}  // namespace

RealLine contract_plane(const ContractCase& c, const RealLine& plane, long height, long width) {
    RealLine out(plane.size());
    Real below = c.border_const;
    const Real divisor = c.filter.normalise_gain ? axis_gain(c) : 1;
    for (long r = 0; r < height; ++r) {
        Axis across{c, c.border_const};
        const RealLine y =
            across(RealLine(plane.begin() + r * width, plane.begin() + (r + 1) * width), false);
        for (long k = 0; k < width; ++k)
            out[static_cast<std::size_t>(r * width + k)] = y[static_cast<std::size_t>(k)] / divisor;
        // What a constant outside became, which the columns read.
        below = c.start == Start::steady ? across.constant / divisor : across.constant;
    }
    for (long column = 0; column < width; ++column) {
        RealLine x(static_cast<std::size_t>(height));
        const auto at = [&](long r) { return static_cast<std::size_t>(r * width + column); };
        for (long r = 0; r < height; ++r) x[static_cast<std::size_t>(r)] = out[at(r)];
        const RealLine y = Axis{c, below}(x, true);
        for (long r = 0; r < height; ++r) out[at(r)] = y[static_cast<std::size_t>(r)] / divisor;
    }
    return out;
}

}  // namespace iir_test
