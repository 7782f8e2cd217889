# SPDX-License-Identifier: MIT
"""The filters and poolings in NumPy, written from the mathematics alone (docs/filters.md, docs/pooling.md), to judge
the package. In double, or complex where a parameter is: a derivative is then the imaginary part over the step."""

import numpy as np

FILTERS = {
    1: {"alpha": 0.85},
    2: {"a": 0.75},
    3: {"b0": 0.2, "b1": 0.2, "b2": 0.2, "a1": 0.3, "a2": -0.1},
    4: {"b0": 0.2, "b1": 0.2, "b2": 0.2, "a1": 0.3, "a2": -0.1,
        "second_b0": 0.3, "second_b1": 0.1, "second_b2": 0.1, "second_a1": 0.2, "second_a2": -0.05},
    5: {"alpha": 0.6},
    6: {"sigma": 2.0, "compat_1_0": 0.0},
    7: {"alpha": 0.85},
    8: {"b0": 0.2, "b1": 0.2, "b2": 0.2, "a1": 0.3, "a2": -0.1},
}
BORDERS = ("clamp", "mirror", "wrap", "constant")
STARTS = ("truncated", "steady")


class Section:
    """Feedforward taps, feedback taps, and the taps of the truncated history."""

    def __init__(self, order, b, a, start=None):
        self.order, self.b, self.a = order, list(b), list(a)
        self.start = list(b if start is None else start)

    @property
    def gain(self):
        return sum(self.b) / (1 - sum(self.a))


IDENTITY = Section(0, (1, 0, 0), (0, 0))


def axis_stages(filter_id, v, vertical):
    """[("forward" | "backward" | "sum", sections or (forward sections, backward sections))]"""
    def ema(alpha):
        return Section(1, (1 - alpha, 0, 0), (alpha, 0))

    def biquad(prefix=""):
        return Section(2, [v[f"{prefix}b{k}"] for k in range(3)], [v[f"{prefix}a1"], v[f"{prefix}a2"]])

    if filter_id in (1, 7):
        return [("forward", [ema(v["alpha"])])]
    if filter_id == 2:
        return [("forward", [ema(v["a"]), ema(v["a"])])]
    if filter_id in (3, 8):
        return [("forward", [biquad()])]
    if filter_id == 4:
        return [("forward", [biquad(), biquad("second_")])]
    if filter_id == 5:
        return [("forward", [ema(v["alpha"])]), ("backward", [ema(v["alpha"])])]
    alpha = 1.695 / v["sigma"]
    e = np.exp(-alpha)
    k = (1 - e) ** 2 / (1 + 2 * alpha * e - e * e)
    a = (2 * e, -e * e)
    causal = Section(2, (k, k * (alpha - 1) * e, 0), a)
    anticausal = Section(2, (0, k * (alpha + 1) * e, -k * e * e), a, (k * (alpha + 1) * e, -k * e * e, 0))
    if v["compat_1_0"] and vertical:
        return [("forward", [causal]), ("sum", ([IDENTITY], [anticausal]))]
    return [("sum", ([causal], [anticausal]))]


def stage_gain(stage):
    kind, sections = stage
    if kind == "sum":
        return np.prod([s.gain for s in sections[0]]) + np.prod([s.gain for s in sections[1]])
    return np.prod([s.gain for s in sections])


def scale_last(stages):
    gain = np.prod([stage_gain(s) for s in stages])
    kind, sections = stages[-1]
    for cascade in sections if kind == "sum" else [sections]:
        last = cascade[-1]
        cascade[-1] = Section(last.order, [b / gain for b in last.b], last.a, [s / gain for s in last.start])


def reader(u, border, constant):
    """Returns u(i) of the line's samples, along the last axis, for any i."""
    n = u.shape[-1]

    def at(i):
        if 0 <= i < n:
            return u[..., i]
        if border == "clamp":
            return u[..., min(max(i, 0), n - 1)]
        if border == "wrap":
            return u[..., i % n]
        if border == "mirror":
            m = i % (2 * n)
            return u[..., m if m < n else 2 * n - 1 - m]
        return np.full(u.shape[:-1], constant, dtype=np.result_type(u, type(constant)))
    return at


def run_section(s, u, border, constant, start):
    """One causal section along the last axis."""
    if s.order == 0:
        return s.b[0] * u
    n = u.shape[-1]
    at = reader(u, border, constant)

    def feed(i):
        return s.b[0] * at(i) + s.b[1] * at(i - 1) + s.b[2] * at(i - 2)

    def taps(i):
        return s.start[0] * at(i) + s.start[1] * at(i - 1) + s.start[2] * at(i - 2)
    if start == "truncated":
        if s.order == 1:
            y1, y2 = taps(-1), 0 * at(0)
        else:
            y2 = taps(-2)
            y1 = taps(-1) + s.a[0] * y2
    elif border in ("clamp", "constant"):
        y1 = y2 = s.gain * at(-1)
    else:
        period = n if border == "wrap" else 2 * n
        y1 = y2 = 0 * at(0)
        for i in range(-period, 0):
            y1, y2 = feed(i) + s.a[0] * y1 + s.a[1] * y2, y1
        power = np.linalg.matrix_power(np.array([[s.a[0], s.a[1]], [1, 0]]), period)
        m = np.linalg.inv(np.eye(2) - power)
        y1, y2 = m[0, 0] * y1 + m[0, 1] * y2, m[1, 0] * y1 + m[1, 1] * y2
    out = np.empty(u.shape, np.result_type(u, y1, *[type(t) for t in (*s.a, *s.b)]))
    for i in range(n):
        y1, y2 = feed(i) + s.a[0] * y1 + s.a[1] * y2, y1
        out[..., i] = y1
    return out


def run_cascade(sections, u, backward, border, constant, start):
    """(line, constant outside it)"""
    if backward:
        u = u[..., ::-1]
    for s in sections:
        u = run_section(s, u, border, constant, start)
        if start == "steady":
            constant = constant * s.gain
    return (u[..., ::-1] if backward else u), constant


def run_axis(stages, u, border, constant, start):
    for kind, sections in stages:
        if kind == "sum":
            a, constant_a = run_cascade(sections[0], u, False, border, constant, start)
            b, constant_b = run_cascade(sections[1], u, True, border, constant, start)
            u = a + b
            constant = constant_a + constant_b if start == "steady" else constant
        else:
            u, constant = run_cascade(sections, u, kind == "backward", border, constant, start)
    return u, constant


def filter(x, filter_id=1, border="mirror", border_const=0.0, start="truncated", normalise_gain=False, **parameters):
    """Every plane of x with the same parameters."""
    values = {**FILTERS[filter_id], **parameters}
    x = np.asarray(x)
    x = x if np.iscomplexobj(x) else x.astype(np.float64)
    constant = border_const
    for vertical in (False, True):
        stages = axis_stages(filter_id, values, vertical)
        if normalise_gain:
            scale_last(stages)
        u = x.swapaxes(-1, -2) if vertical else x
        u, constant = run_axis(stages, u, border, constant, start)
        x = u.swapaxes(-1, -2) if vertical else u
    return x


def random_parameters(rng, filter_id):
    """Parameters inside their ranges, stable."""
    if filter_id in (1, 5, 7):
        return {"alpha": rng.uniform(0.0, 0.95)}
    if filter_id == 2:
        return {"a": rng.uniform(0.0, 0.95)}
    if filter_id == 6:
        return {"sigma": rng.uniform(0.4, 8.0)}
    values = {}
    for prefix in ("", "second_") if filter_id == 4 else ("",):
        a2 = rng.uniform(-0.8, 0.8)
        values |= {f"{prefix}b{k}": rng.uniform(-1, 1) for k in range(3)}
        values |= {f"{prefix}a1": rng.uniform(-0.9, 0.9) * (1 - a2), f"{prefix}a2": a2}
    return values


def output_size(size, window, stride, padding, dilation, ceil_mode):
    room = size + 2 * padding - dilation * (window - 1) - 1
    out = (-(-room // stride) if ceil_mode else room // stride) + 1
    if ceil_mode and (out - 1) * stride >= size + padding:
        out -= 1
    return out


def pool_windows(size, op, window, stride, padding, dilation, ceil_mode, output, count_include_pad):
    """[(positions inside the input, divisor's factor)] along one axis."""
    if op.startswith("adaptive"):
        result = []
        for i in range(output):
            first, last = i * size // output, -(-(i + 1) * size // output)
            result.append((list(range(first, last)), last - first))
        return result
    result = []
    for i in range(output_size(size, window, stride, padding, dilation, ceil_mode)):
        positions = [i * stride - padding + k * dilation for k in range(window)]
        inside = [p for p in positions if 0 <= p < size]
        counted = [p for p in positions if p < size + padding] if count_include_pad else inside
        result.append((inside, len(counted)))
    return result


def pool(x, op, window=(2, 2), stride=None, padding=(0, 0), dilation=(1, 1), ceil_mode=False, p=2.0,
         count_include_pad=False, divisor_override=None, output=(1, 1)):
    """(result, indices of max, gradient function dy -> dx) of a stack of planes, in double."""
    x = np.asarray(x, np.float64)
    lead, (height, width) = x.shape[:-2], x.shape[-2:]
    planes = x.reshape(-1, height, width)
    stride = window if stride is None else stride
    rows, columns = (pool_windows(x.shape[i - 2], op, window[i], stride[i], padding[i], dilation[i], ceil_mode,
                                  output[i], count_include_pad) for i in range(2))
    y = np.empty((len(planes), len(rows), len(columns)))
    indices = np.zeros(y.shape, np.int64)
    weights = np.zeros((len(planes), len(rows), len(columns), height, width))
    with np.errstate(all="ignore"):
        for n, plane in enumerate(planes):
            for i, (r, count_r) in enumerate(rows):
                for j, (c, count_c) in enumerate(columns):
                    w, weight = plane[np.ix_(r, c)], weights[n, i, j]
                    if op.endswith("max"):
                        if w.size == 0:
                            y[n, i, j] = -np.inf
                            continue
                        flat = w.ravel()
                        nan = np.isnan(flat)
                        at = int(np.argmax(nan)) if nan.any() else int(np.argmax(flat))
                        y[n, i, j] = flat[at]
                        row, column = r[at // len(c)], c[at % len(c)]
                        indices[n, i, j] = row * width + column
                        weight[row, column] = 1
                    elif op.endswith("avg"):
                        divisor = divisor_override or count_r * count_c
                        y[n, i, j] = w.sum() / divisor
                        weight[np.ix_(r, c)] = 1 / divisor
                    else:
                        largest = np.abs(w).max() if w.size else 0.0
                        if largest == 0:
                            y[n, i, j] = 0
                            continue
                        y[n, i, j] = largest * (np.abs(w / largest) ** p).sum() ** (1 / p)
                        slope = np.sign(w) * (np.abs(w) / y[n, i, j]) ** (p - 1)
                        weight[np.ix_(r, c)] = np.where(w == 0, 0, slope)
    shape = (*lead, len(rows), len(columns))

    def backward(dy):
        return np.einsum("nij,nijhw->nhw", dy.reshape(y.shape), weights).reshape(x.shape)
    return y.reshape(shape), indices.reshape(shape), backward
