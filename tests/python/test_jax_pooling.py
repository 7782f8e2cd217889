# SPDX-License-Identifier: MIT
import iir2d
import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import iir2d.jax as ij  # noqa: E402

RNG = np.random.default_rng(13)
X = RNG.random((2, 3, 9, 8)) + 0.1
CASES = [
    ("max", {"window": 3, "stride": 2, "padding": 1, "dilation": (2, 1)}),
    ("avg", {"window": (3, 2), "padding": (1, 0), "ceil_mode": True, "count_include_pad": True}),
    ("avg", {"window": 2, "divisor_override": 3}),
    ("lp", {"window": 3, "stride": 2, "p": 3.0}),
    ("adaptive_max", {"output_size": (4, 3)}),
    ("adaptive-avg", {"output_size": (4, 3)}),
]


@pytest.fixture(autouse=True)
def x64():
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        yield


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, jnp.bfloat16])
@pytest.mark.parametrize(("op", "how"), CASES)
def test_the_same_bits_as_arrays(op, how, dtype):
    x = X.astype(dtype)
    run = lambda x: ij.pool(x, op, **how)  # noqa: E731
    want = iir2d.pool(x, op, **how)
    dy = RNG.random(want.shape).astype(dtype)
    for got in (run(x), jax.jit(run)(x), jax.vmap(run)(x), jax.vmap(run, 1, 1)(x)):
        assert got.dtype == dtype and np.array_equal(got, want)
    back = iir2d.pool_backward(dy, op, input_size=x.shape, x=x, y=want, **how)
    assert np.array_equal(jax.vjp(run, jnp.asarray(x))[1](jnp.asarray(dy))[0], back)
    assert np.array_equal(ij.pool_backward(dy, op, input_size=x.shape, x=x, y=want, **how), back)
    assert np.array_equal(
        jax.vmap(lambda x, y, dy: ij.pool_backward(dy, op, input_size=x.shape, x=x, y=y, **how))(x, want, dy), back
    )
    if op.endswith("max"):
        y, places = ij.pool(x, op, return_indices=True, **how)
        assert places.dtype == np.int64
        assert np.array_equal(places, iir2d.pool(x, op, return_indices=True, **how)[1])
        assert np.array_equal(ij.pool_backward(dy, op, input_size=x.shape, indices=places, **how), back)
        (through,) = jax.vjp(lambda x: ij.pool(x, op, return_indices=True, **how)[0], jnp.asarray(x))[1](jnp.asarray(dy))
        assert np.array_equal(through, back)


@pytest.mark.parametrize(("op", "how"), CASES)
def test_derivatives(op, how):
    x = jnp.asarray(X[:1, :1])
    run = lambda x: ij.pool(x, op, **how)  # noqa: E731
    if op.endswith("avg"):
        check_grads(run, (x,), order=2, modes=("fwd", "rev"))
        (transposed,) = jax.linear_transpose(run, x)(run(x))
        assert np.array_equal(transposed, ij.pool_backward(run(x), op, input_size=x.shape, **how))
        return
    square = lambda x: run(x) ** 2  # noqa: E731
    check_grads(square, (x,), order=1, modes=("rev",))
    with pytest.raises(NotImplementedError, match="forward mode"):
        jax.jvp(run, (x,), (x,))
    twice = jax.grad(lambda x: (jax.grad(lambda v: square(v).sum())(x) ** 2).sum())
    if op == "lp":
        with pytest.raises(NotImplementedError, match="second derivative"):
            twice(x)
    else:
        # One square for each window whose maximum is here: the gradient is 2 n x, of its square 8 n^2 x.
        counts = jax.grad(lambda x: run(x).sum())(x)
        assert np.allclose(twice(x), 8 * counts**2 * x, rtol=1e-14)
        backwards = jax.vjp(lambda dy: ij.pool_backward(dy, op, input_size=x.shape, x=x, **how), run(x))[1]
        assert np.array_equal(backwards(x)[0], run(x))


def test_indices_are_int32_without_x64():
    with jax.enable_x64(False) if hasattr(jax, "enable_x64") else jax.experimental.disable_x64():
        x = X.astype(np.float32)
        y, places = ij.max_pool2d(x, 2, return_indices=True)
        assert places.dtype == np.int32
        assert np.array_equal(places, iir2d.pool(x, "max", 2, return_indices=True)[1])
        dx = ij.pool_backward(y, "max", 2, input_size=x.shape, indices=places)
        assert np.array_equal(dx, iir2d.pool_backward(np.asarray(y), "max", 2, input_size=x.shape, x=x))


def test_the_defaults_of_the_pool2d_names():
    assert np.array_equal(ij.max_pool2d(X, 2), iir2d.pool(X, "max", 2))
    assert np.array_equal(ij.avg_pool2d(X, 3, 2, 1), iir2d.pool(X, "avg", 3, stride=2, padding=1, count_include_pad=True))
    assert np.array_equal(ij.lp_pool2d(X, 3, 2), iir2d.pool(X, "lp", 2, p=3.0))
    assert np.array_equal(ij.adaptive_max_pool2d(X, (None, 2)), iir2d.pool(X, "adaptive_max", output_size=(9, 2)))
    assert np.array_equal(ij.adaptive_avg_pool2d(X, 3), iir2d.pool(X, "adaptive_avg", output_size=3))


def test_refusals():
    for call, error, says in (
        (lambda x: ij.pool(x, "median", 2), iir2d.InvalidArgumentError, "median"),
        (lambda x: ij.pool(x, "max", 20), iir2d.Iir2dError, "window"),
        (lambda x: ij.pool(x, "avg", 2, return_indices=True), iir2d.InvalidArgumentError, "max"),
        (lambda x: ij.pool_backward(x, "max", 2, input_size=(18, 16)), iir2d.NullPointerError, "indices"),
        (lambda x: ij.pool_backward(x, "lp", 2, input_size=(18, 16)), iir2d.NullPointerError, "x and y"),
        (lambda x: ij.pool_backward(x, "avg", 2, input_size=(8, 8)), iir2d.InvalidDimensionError, "dy has shape"),
        (lambda x: ij.pool(x.astype(int), "avg", 2), TypeError, "convert"),
    ):
        for transform in (lambda f: f, jax.jit):
            with pytest.raises(error, match=says):
                transform(call)(jnp.asarray(X))
    assert ij.pool(X[:0], "max", 2).shape == (0, 3, 4, 4)
