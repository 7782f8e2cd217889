# SPDX-License-Identifier: MIT
"""iir2d's pooling of arrays against the oracle."""

import itertools

import ml_dtypes
import numpy as np
import oracle
import pytest

import iir2d

# (relative tolerance of the contract, type)
TYPES = [(1e-12, np.float64), (2e-6, np.float32), (2.0**-10, np.float16), (2.0**-7, ml_dtypes.bfloat16)]
WINDOWS = [
    {},
    {"window": 3, "stride": 2, "padding": 1},
    {"window": (2, 3), "stride": (1, 2), "ceil_mode": True},
    {"window": 3, "dilation": 2, "padding": (1, 0), "ceil_mode": True},
]


def arguments(op, settings):
    """(what iir2d takes, what the oracle takes)"""
    settings = dict(settings)
    if op == "lp":
        settings.pop("padding", None)
    pairs = {name: (v, v) if isinstance(v, int) and not isinstance(v, bool) else v for name, v in settings.items()}
    return settings, pairs


@pytest.mark.parametrize("op", ["max", "avg", "lp"])
@pytest.mark.parametrize("settings", WINDOWS)
def test_windows_forward_and_backward(rng, op, settings):
    given, oracles = arguments(op, settings)
    extra = {"avg": [{}, {"count_include_pad": True}, {"divisor_override": 3}],
             "lp": [{"p": 1.0}, {"p": 1.5}, {"p": 2.0}, {"p": 3.0}], "max": [{}]}[op]
    for (tolerance, dtype), more in itertools.product(TYPES, extra):
        x = (rng.random((2, 3, 9, 8)) - 0.5).astype(dtype)
        want, places, backward = oracle.pool(x, op, **oracles, **more)
        y = iir2d.pool(x, op, given.get("window"), **{k: v for k, v in given.items() if k != "window"}, **more)
        assert y.dtype == x.dtype
        np.testing.assert_allclose(y.astype(np.float64), want, rtol=tolerance, atol=tolerance)
        keep = {k: v for k, v in given.items() if k != "window"} | more
        read = {"max": {"x": x}, "avg": {}, "lp": {"x": x, "y": y}}[op]
        dy = rng.random(y.shape).astype(dtype)
        dx = iir2d.pool_backward(dy, op, given.get("window"), input_size=x.shape, **read, **keep)
        limit = max(tolerance * 20, 1e-6 if dtype != np.float64 else 0)
        np.testing.assert_allclose(dx.astype(np.float64), backward(dy.astype(np.float64)), rtol=limit, atol=limit)
        if op == "max":
            y, indices = iir2d.pool(x, op, given.get("window"), return_indices=True, **keep)
            assert indices.dtype == np.int64 and np.array_equal(indices, places)
            again = iir2d.pool_backward(dy, op, given.get("window"), input_size=(9, 8), indices=indices, **keep)
            assert again.tobytes() == dx.tobytes()


@pytest.mark.parametrize("op", ["adaptive_max", "adaptive-avg"])
@pytest.mark.parametrize("size", [1, (3, 2), (4, 7), (9, 8), (12, 3)])
def test_adaptive_windows(rng, op, size):
    x = rng.random((3, 9, 8)).astype(np.float32)
    output = (size, size) if isinstance(size, int) else size
    want, places, backward = oracle.pool(x, op.replace("-", "_"), output=output)
    y = iir2d.pool(x, op, output_size=size)
    np.testing.assert_allclose(y, want, rtol=2e-6)
    if op == "adaptive_max":
        assert np.array_equal(iir2d.pool(x, op, output_size=size, return_indices=True)[1], places)
    dy = rng.random(y.shape).astype(np.float32)
    dx = iir2d.pool_backward(dy, op, input_size=(9, 8), output_size=size, x=x)
    np.testing.assert_allclose(dx, backward(dy), rtol=1e-5, atol=1e-6)


def test_nan_wins():
    x = np.zeros((4, 4))
    x[1, 0] = np.nan
    for op in ("max", "lp"):
        y = iir2d.pool(x, op)
        assert np.isnan(y[0, 0]) and not np.isnan(y[1]).any() and not np.isnan(y[0, 1])


def test_strides_and_out(rng):
    x = rng.random((2, 3, 9, 16)).astype(np.float32)
    for view in (x[..., 3:11], x[..., ::-1], x.swapaxes(-1, -2), x[:, ::2], np.broadcast_to(x[0], (4, 3, 9, 16))):
        for op in ("max", "avg", "lp"):
            want = iir2d.pool(np.ascontiguousarray(view), op, 3)
            assert np.array_equal(iir2d.pool(view, op, 3), want)
            wide = np.zeros((*want.shape[:-1], want.shape[-1] + 5), np.float32)
            out = wide[..., : want.shape[-1]]
            assert iir2d.pool(view, op, 3, out=out) is out
            assert np.array_equal(out, want) and not wide[..., want.shape[-1] :].any()
    assert iir2d.pool(np.empty((0, 3, 8, 8)), "max").shape == (0, 3, 4, 4)
    assert iir2d.pool_backward(np.empty((0, 3, 4, 4)), "avg", input_size=(8, 8)).shape == (0, 3, 8, 8)


X = np.zeros((4, 5), np.float32)


@pytest.mark.parametrize(("call", "error", "says"), [
    (lambda: iir2d.pool(X, "median"), iir2d.InvalidArgumentError, "median"),
    (lambda: iir2d.pool(X, "max", 0), iir2d.InvalidArgumentError, "window 0x0"),
    (lambda: iir2d.pool(X, "max", 2, stride=0), iir2d.InvalidArgumentError, "stride 0x0"),
    (lambda: iir2d.pool(X, "max", 2, padding=2), iir2d.InvalidArgumentError, "padding 2x2"),
    (lambda: iir2d.pool(X, "lp", 3, padding=1), iir2d.InvalidArgumentError, "padding 1x1"),
    (lambda: iir2d.pool(X, "lp", p=0.0), iir2d.InvalidArgumentError, "p 0"),
    (lambda: iir2d.pool(X, "max", 7), iir2d.InvalidDimensionError, "window 7x7"),
    (lambda: iir2d.pool(X, "avg", divisor_override=0), iir2d.InvalidArgumentError, "divisor_override 0"),
    (lambda: iir2d.pool(X, "adaptive_avg"), iir2d.InvalidArgumentError, "output_size"),
    (lambda: iir2d.pool(X, "avg", return_indices=True), iir2d.InvalidArgumentError, "argmax"),
    (lambda: iir2d.pool(X[0], "avg"), iir2d.InvalidDimensionError, "(5,)"),
    (lambda: iir2d.pool_backward(X[:2, :2], "max", input_size=(4, 5)), iir2d.NullPointerError, "x or indices"),
    (lambda: iir2d.pool_backward(X, "avg", input_size=(4, 5)), iir2d.InvalidDimensionError, "dy has shape"),
])
def test_refusals(call, error, says):
    with pytest.raises(error) as caught:
        call()
    assert says in str(caught.value)


def test_integers_are_refused():
    with pytest.raises(TypeError, match="int64"):
        iir2d.pool(np.zeros((4, 4), np.int64), "max")


def test_gradient_apart_from_what_is_read(rng):
    x = rng.random((8, 9))
    y, places = iir2d.pool(x, "max", 2, return_indices=True)
    memory = np.zeros(72)
    for out, given in [
        (x, {"op": "lp", "x": x, "y": y}),
        (x, {"op": "lp", "x": x[::-1], "y": y}),
        (x, {"op": "lp", "x": x.copy(), "y": x[:4, :4]}),
        (memory.reshape(8, 9), {"op": "max", "indices": memory.view(np.int64)[10:26].reshape(4, 4)}),
    ]:
        before = out.copy()
        with pytest.raises(iir2d.InvalidArgumentError, match="the output overlaps what is read"):
            iir2d.pool_backward(y, window=2, input_size=(8, 9), out=out, **given)
        assert np.array_equal(out, before)
    assert iir2d.pool_backward(y, "max", 2, input_size=(8, 9), indices=places, out=memory.reshape(8, 9)).any()


def test_indices_may_be_int32(rng):
    y, places = iir2d.pool(rng.random((3, 8, 9)), "max", 2, return_indices=True)
    want = iir2d.pool_backward(y, "max", 2, input_size=(8, 9), indices=places)
    found = iir2d.pool_backward(y, "max", 2, input_size=(8, 9), indices=places.astype(np.int32))
    assert np.array_equal(found, want)
