# SPDX-License-Identifier: MIT
"""The adjoint and the gradient of the parameters of arrays, against the oracle."""

import itertools

import ml_dtypes
import numpy as np
import oracle
import pytest

import iir2d

ALL = list(itertools.product(range(1, 9), oracle.BORDERS, oracle.STARTS))
BOUND = {"f64": 1e-12, "f32": 1e-5, "mixed": 1e-6}
TYPE = {"f64": np.float64, "f32": np.float32, "mixed": np.float32}


def dot(a, b):
    return float(np.vdot(a.astype(np.float64), b.astype(np.float64)))


@pytest.mark.parametrize(("filter_id", "border", "start"), ALL)
def test_inner_products_agree(rng, filter_id, border, start):
    common = dict(border=border, start=start)
    shapes = [(2, 3, 17, 13), (1, 1), (1, 4), (3, 1), (2, 2), (4, 3), (67, 131)]
    for shape, precision in itertools.product(shapes, BOUND):
        x, y = (rng.random(shape).astype(TYPE[precision]) for _ in range(2))
        for values in ({}, oracle.random_parameters(rng, filter_id)):
            forward = iir2d.filter(x, filter_id, precision=precision, **common, **values)
            back = iir2d.filter_adjoint(y, filter_id, precision=precision, **common, **values)
            norm = np.sqrt(dot(x, x) * dot(back, back))
            assert abs(dot(forward, y) - dot(x, back)) <= BOUND[precision] * norm, (shape, precision, values)


@pytest.mark.parametrize(("filter_id", "border", "start"), ALL)
def test_the_adjoint_is_the_transposed_matrix(filter_id, border, start):
    basis = np.eye(30).reshape(30, 5, 6)
    for extra in ({}, {"normalise_gain": True}):
        a = oracle.filter(basis, filter_id, border, start=start, **extra).reshape(30, 30)  # row i is A e_i
        at = iir2d.filter_adjoint(basis, filter_id, border=border, start=start, **extra).reshape(30, 30)
        np.testing.assert_allclose(at, a.T, rtol=0, atol=1e-13 * max(1, np.abs(a).max()))


@pytest.mark.parametrize(("filter_id", "border", "start"), ALL)
def test_gradients_equal_complex_steps(rng, filter_id, border, start):
    for shape, normalise in itertools.product([(1, 1), (1, 5), (4, 1), (9, 7)], (False, True)):
        x, dy = rng.random(shape), rng.random(shape)
        for values in ({n: v for n, v in oracle.FILTERS[filter_id].items() if n != "compat_1_0"},
                       oracle.random_parameters(rng, filter_id)):
            common = dict(border=border, border_const=0.25, start=start, normalise_gain=normalise)
            gradient = iir2d.filter_gradient(x, dy, filter_id, **common, **values)
            assert set(gradient) == set(values)
            for name, value in values.items():
                slope = oracle.filter(x, filter_id, **common, **values | {name: value + 1e-30j}).imag / 1e-30
                limit = 1e-10 * max(np.linalg.norm(dy) * np.linalg.norm(slope), 1e-3)
                assert abs(gradient[name] - dot(dy, slope)) <= limit, (shape, normalise, name)


def test_gradients_have_their_parameters_shapes(rng):
    x, dy = rng.random((2, 2, 3, 11, 9))
    for shape in ((), (1,), (3,), (2, 1), (2, 3)):
        sigma = rng.uniform(0.5, 4, shape)
        gradient = iir2d.filter_gradient(x, dy, 6, sigma=sigma)["sigma"]
        assert gradient.shape == shape and gradient.dtype == np.float64
        planes = np.array([[iir2d.filter_gradient(x[n, c], dy[n, c], 6, sigma=float(np.broadcast_to(sigma, (2, 3))[n, c]))
                            ["sigma"] for c in range(3)] for n in range(2)])
        kept = np.broadcast_to(sigma, (2, 3)).shape
        assert kept == planes.shape
        want = planes.sum() if shape in ((), (1,)) else planes.sum(0) if shape == (3,) else (
            planes.sum(1, keepdims=True) if shape == (2, 1) else planes)
        np.testing.assert_allclose(gradient.reshape(np.shape(want)), want, rtol=1e-12)
    several = iir2d.filter_gradient(x, dy, 3, b0=np.full(3, 0.2), a1=np.full((2, 1), 0.3), wrt=("a1", "b0", "b2"))
    assert {n: v.shape for n, v in several.items()} == {"a1": (2, 1), "b0": (3,), "b2": ()}
    with pytest.raises(iir2d.InvalidArgumentError, match="gauss"):
        iir2d.filter_gradient(x, dy, 6, wrt="gauss")
    assert iir2d.filter_gradient(x[:0], dy[:0], 6)["sigma"] == 0


def test_gradients_do_not_depend_on_threads_or_strides(rng):
    x, dy = rng.random((2, 5, 4, 60, 70), dtype=np.float32)
    for filter_id in range(1, 9):
        found = [iir2d.filter_gradient(x, dy, filter_id, threads=n) for n in (1, 2, 7)]
        assert found[0] == found[1] == found[2]
    wide = np.zeros((5, 4, 60, 80), np.float32)
    wide[..., 3:73] = x
    assert iir2d.filter_gradient(wide[..., 3:73], dy, 6) == iir2d.filter_gradient(x, dy, 6)
    turned = np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)
    assert iir2d.filter_gradient(turned, dy, 6) == iir2d.filter_gradient(x, dy, 6)
    ones = np.broadcast_to(np.float32(1), x.shape)
    assert iir2d.filter_gradient(x, ones, 6) == iir2d.filter_gradient(x, np.ones_like(x), 6)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("filter_id", range(1, 9))
def test_16_bit_adjoints_are_float32_rounded_once(rng, dtype, filter_id):
    dy = rng.random((2, 17, 23)).astype(dtype)
    want = iir2d.filter_adjoint(dy.astype(np.float32), filter_id).astype(dtype)
    assert iir2d.filter_adjoint(dy, filter_id).tobytes() == want.tobytes()


def test_strided_adjoint_in_place_and_expanded(rng):
    dy = rng.random((2, 3, 9, 8))
    want = iir2d.filter_adjoint(dy, 6)
    again = dy.copy()
    assert iir2d.filter_adjoint(again, 6, out=again) is again and np.array_equal(again, want)
    assert np.array_equal(iir2d.filter_adjoint(dy[..., ::-1], 6), iir2d.filter_adjoint(np.ascontiguousarray(dy[..., ::-1]), 6))
    expanded = np.broadcast_to(np.float64(1), dy.shape)
    assert np.array_equal(iir2d.filter_adjoint(expanded, 6), iir2d.filter_adjoint(np.ones_like(dy), 6))


def test_conjugate_gradients_converge(rng):
    truth = iir2d.filter(rng.random((48, 48)), 6, sigma=2.0)
    blurred = iir2d.filter(truth, 1)
    x = np.zeros_like(truth)
    r = iir2d.filter_adjoint(blurred, 1)
    d, rr, first = r.copy(), dot(r, r), None
    for _ in range(20):
        ad = iir2d.filter(d, 1)
        alpha = rr / dot(ad, ad)
        x += alpha * d
        r -= alpha * iir2d.filter_adjoint(ad, 1)
        rr, old = dot(r, r), rr
        d = r + rr / old * d
        error = np.linalg.norm(iir2d.filter(x, 1) - blurred)
        assert first is None or error <= first * (1 + 1e-9)
        first = error
    assert np.linalg.norm(x - truth) < 0.1 * np.linalg.norm(blurred - truth)
