# SPDX-License-Identifier: MIT
"""Gradients in the filters' parameters: against differences, against the arrays' functions bit for bit, under every
transformation."""

import functools

import iir2d
import numpy as np
import oracle
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import iir2d.jax as ij  # noqa: E402

RNG = np.random.default_rng(12)
X, DY = RNG.random((2, 2, 3, 7, 5))
FILTERS = range(1, 9)


@pytest.fixture(autouse=True)
def x64():
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        yield


def values_of(filter_id, shape=()):
    return {n: np.full(shape, v) for n, v in oracle.FILTERS[filter_id].items() if n != "compat_1_0"}


@pytest.mark.parametrize("dtype", [np.float64, np.float32, jnp.bfloat16])
@pytest.mark.parametrize("filter_id", FILTERS)
def test_the_same_bits_as_arrays(filter_id, dtype):
    x, dy = X.astype(dtype), DY.astype(dtype)
    for shape in ((), (3,), (2, 1), (2, 3)):
        values = values_of(filter_id, shape)
        want = iir2d.filter_gradient(x, dy, filter_id, border="clamp", **values)
        gradient = functools.partial(ij.filter_gradient, filter_id=filter_id, border="clamp")
        for got in (gradient(x, dy, **values), jax.jit(gradient)(x, dy, **values)):
            assert got.keys() == want.keys()
            for name, value in got.items():
                assert value.dtype == np.float64 and value.shape == shape
                assert np.array_equal(value, want[name]), name
    # Numbers, and those that are not given.
    for given in ({}, {"a1": 0.3, "b0": 0.2} if filter_id == 3 else {}):
        got, want = ij.filter_gradient(x, dy, filter_id, **given), iir2d.filter_gradient(x, dy, filter_id, **given)
        for name, value in got.items():
            assert value.shape == () and np.array_equal(value, want[name])


def test_every_parameter_has_its_own_shape_and_type():
    values = {"b0": np.array([0.1, 0.2, 0.3]), "b1": np.float64(0.2), "b2": np.full((2, 1), 0.1), "a1": np.full((2, 3), 0.3)}
    want = iir2d.filter_gradient(X, DY, 3, **values)
    got = ij.filter_gradient(X, DY, 3, **values)
    for name in want:
        assert got[name].shape == want[name].shape and np.array_equal(got[name], want[name]), name
    assert list(ij.filter_gradient(X, DY, 3, wrt=("b2", "a1"), **values)) == ["b2", "a1"]
    narrow = ij.filter_gradient(X, DY, 6, sigma=jnp.float32(2.0))["sigma"]
    assert narrow.dtype == np.float32
    assert narrow == np.float32(iir2d.filter_gradient(X, DY, 6, sigma=2.0)["sigma"])


@pytest.mark.parametrize("filter_id", FILTERS)
def test_derivatives_against_differences(filter_id):
    for shape in ((), (3,), (2, 1)):
        values = {n: jnp.asarray(v) for n, v in values_of(filter_id, shape).items()}
        for normalise in (False, True):
            for function in (ij.filter, ij.filter_adjoint):
                def run(values, function=function, normalise=normalise):
                    return function(X[..., :4, :3], filter_id, border="clamp", normalise_gain=normalise, **values)
                check_grads(run, (values,), order=1, modes=("rev",), rtol=1e-5)


def loss(x, sigma):
    return (ij.filter(x, "deriche", sigma=sigma) ** 2).sum()


def test_alone_with_x_jitted_and_mapped():
    sigma = jnp.array([1.0, 2.0, 3.0])
    both = jax.grad(loss, (0, 1))
    dx, ds = both(X, sigma)
    y = iir2d.filter(X, 6, sigma=np.asarray(sigma))
    assert np.array_equal(dx, iir2d.filter_adjoint(2 * y, 6, sigma=np.asarray(sigma)))
    assert np.array_equal(ds, iir2d.filter_gradient(X, 2 * y, 6, sigma=np.asarray(sigma))["sigma"])
    assert np.array_equal(jax.grad(loss, 1)(X, sigma), ds)
    for a, b in zip(jax.jit(both)(X, sigma), (dx, ds), strict=True):
        assert np.array_equal(a, b)
    for a, b in zip(jax.grad(jax.checkpoint(loss), (0, 1))(X, sigma), (dx, ds), strict=True):
        assert np.array_equal(a, b)
    mapped = jax.vmap(jax.grad(loss, 1), (None, 0))(X, sigma)
    assert np.allclose(mapped, jnp.stack([jax.grad(loss, 1)(X, s) for s in sigma]), rtol=1e-14, atol=0)
    of_samples = jax.vmap(both, (0, None))(X, sigma)
    for i in range(2):
        one = both(X[i], sigma)
        assert np.array_equal(of_samples[0][i], one[0])
        assert np.allclose(of_samples[1][i], one[1], rtol=1e-14, atol=0)
    pairs = jax.vmap(jax.vmap(jax.grad(loss, 1)), (1, 0))(X, jnp.ones((3, 2)))
    assert pairs.shape == (3, 2)
    assert np.allclose(pairs[1, 0], jax.grad(loss, 1)(X[0, 1], 1.0), rtol=1e-14, atol=0)


def test_through_scan_and_jacobian():
    def steps(x, s):
        return jax.lax.scan(lambda c, _: (ij.filter(c, 6, sigma=s), None), x, None, length=3)[0].sum()

    def unrolled(x, s):
        for _ in range(3):
            x = ij.filter(x, 6, sigma=s)
        return x.sum()
    for a, b in zip(jax.grad(steps, (0, 1))(X, 2.0), jax.grad(unrolled, (0, 1))(X, 2.0), strict=True):
        assert np.allclose(a, b, rtol=1e-13, atol=0)
    plane = X[0, 0]
    columns = jax.jacrev(lambda s: ij.filter(plane, 6, sigma=s))(2.0)
    step = 1e-6
    differences = (iir2d.filter(plane, 6, sigma=2 + step) - iir2d.filter(plane, 6, sigma=2 - step)) / (2 * step)
    assert np.allclose(columns, differences, rtol=0, atol=1e-8)
    # Forward mode in x of a parameter's gradient, and reverse mode in the parameter of x's gradient.
    forward = jax.jacfwd(jax.grad(loss, 1))(plane, 2.0)
    reverse = jax.jacrev(jax.grad(loss, 0), 1)(plane, 2.0)
    assert np.allclose(forward, reverse, rtol=0, atol=1e-12)


def test_what_has_no_derivative():
    x = jnp.asarray(X[0, 0])
    with pytest.raises(NotImplementedError, match="parameter's gradient"):
        jax.grad(jax.grad(loss, 1), 1)(x, 2.0)
    with pytest.raises(NotImplementedError, match="parameter's gradient"):
        jax.grad(jax.grad(loss, 1), 0)(x, 2.0)
    with pytest.raises(NotImplementedError):
        jax.hessian(loss, 1)(x, 2.0)


def test_float32_without_x64():
    with jax.enable_x64(False) if hasattr(jax, "enable_x64") else jax.experimental.disable_x64():
        x, dy = X.astype(np.float32), DY.astype(np.float32)
        sigma = np.array([1.0, 2.0, 3.0], np.float32)
        want = iir2d.filter_gradient(x, dy, 6, sigma=sigma)["sigma"].astype(np.float32)
        got = jax.grad(lambda s: (ij.filter(x, 6, sigma=s) * dy).sum())(sigma)
        assert got.dtype == np.float32 and np.array_equal(got, want)
        assert ij.filter_gradient(x, dy, 6)["sigma"].dtype == np.float32


def test_empty_batches_have_zero_gradients():
    assert np.array_equal(ij.filter_gradient(X[:0], DY[:0], 6, sigma=np.ones(3))["sigma"], np.zeros(3))
