# SPDX-License-Identifier: MIT
"""iir2d.jax: transformations, derivatives, sharding, and the same bits as arrays."""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
import oracle  # noqa: E402
from jax.sharding import Mesh, NamedSharding  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import iir2d  # noqa: E402
import iir2d.jax as ij  # noqa: E402

IDS = range(1, 9)
TYPES = (jnp.float32, jnp.float64, jnp.float16, jnp.bfloat16)


def values_of(filter_id, shape=()):
    return {n: np.full(shape, v) for n, v in oracle.FILTERS[filter_id].items() if n != "compat_1_0"}


@pytest.mark.parametrize("filter_id", IDS)
def test_the_same_bits_as_arrays(rng, filter_id):
    for dtype in TYPES:
        x = np.asarray(jnp.asarray(rng.random((2, 3, 9, 8)), dtype))
        assert np.asarray(ij.filter(x, filter_id)).tobytes() == iir2d.filter(x, filter_id).tobytes()
        assert np.asarray(ij.filter_adjoint(x, filter_id)).tobytes() == iir2d.filter_adjoint(x, filter_id).tobytes()
    x, dy = rng.random((2, 2, 3, 9, 8))
    values = values_of(filter_id, (3,))
    a, b = ij.filter_gradient(x, dy, filter_id, **values), iir2d.filter_gradient(x, dy, filter_id, **values)
    assert a.keys() == b.keys()
    for name in a:
        assert a[name].shape == (3,) and np.array_equal(a[name], b[name])
    for name, value in ij.filter_gradient(x, dy, filter_id).items():
        np.testing.assert_allclose(value, iir2d.filter_gradient(x, dy, filter_id)[name], rtol=1e-14)


@pytest.mark.parametrize("filter_id", IDS)
def test_eager_jit_and_vmap_agree(rng, filter_id):
    x = jnp.asarray(rng.random((3, 2, 9, 8)))
    values = {n: jnp.asarray(v) for n, v in values_of(filter_id, (3, 1)).items()}

    def f(x, values):
        return ij.filter(x, filter_id, border="wrap", **values)
    want = f(x, values)
    assert np.array_equal(jax.jit(f)(x, values), want)
    row = {n: v[:, 0] for n, v in values.items()}
    assert np.array_equal(jax.vmap(f)(x, row), want)
    assert np.array_equal(jax.vmap(f, in_axes=(1, None), out_axes=1)(x, {n: v[0] for n, v in row.items()}), want)
    text = jax.jit(jax.vmap(f)).lower(x, row).as_text()
    assert text.count("@iir2d_filter(") == 1


@pytest.mark.parametrize("filter_id", IDS)
@pytest.mark.parametrize("border", oracle.BORDERS)
def test_derivatives_in_x(rng, filter_id, border):
    x = jnp.asarray(rng.random((2, 3, 4)))
    check_grads(lambda x: ij.filter(x, filter_id, border=border, border_const=0.5), (x,), order=2, modes=("fwd", "rev"))


@pytest.mark.parametrize("filter_id", IDS)
def test_derivatives_in_parameters(rng, filter_id):
    x = jnp.asarray(rng.random((2, 3, 4, 5)))
    for shape in ((), (3,), (2, 1)):
        values = {n: jnp.asarray(v) for n, v in values_of(filter_id, shape).items()}
        for normalise in (False, True):
            def f(values):
                return ij.filter(x, filter_id, border="clamp", normalise_gain=normalise, **values)
            check_grads(f, (values,), order=1, modes=("rev",), rtol=1e-5)


def test_transformations(rng):
    x, sigma = jnp.asarray(rng.random((3, 2, 4, 5))), jnp.asarray([1.0, 2.0, 3.0])

    def f(x, s=2.0):
        return ij.filter(x, "deriche", sigma=s)

    def loss(x, s):
        return (f(x, s) ** 2).sum()
    one = x[0, 0]
    matrix = jax.jacfwd(f)(one).reshape(20, 20)
    np.testing.assert_allclose(jax.jacrev(f)(one).reshape(20, 20), matrix, rtol=0, atol=1e-14)
    np.testing.assert_allclose(jax.hessian(lambda x: loss(x, 2.0))(one).reshape(20, 20), 2 * matrix.T @ matrix, atol=1e-13)
    y, dot = jax.jvp(f, (one,), (one,))
    assert np.array_equal(y, dot)
    (back,) = jax.linear_transpose(f, one)(one)
    assert np.array_equal(back, ij.filter_adjoint(one, "deriche", sigma=2.0))
    want = jax.grad(loss, argnums=(0, 1))(x[1], sigma[1])
    got = jax.vmap(jax.grad(loss, argnums=(0, 1)))(x, sigma)
    for a, b in zip(want, got, strict=True):
        np.testing.assert_allclose(b[1], a, rtol=1e-14)
    jitted = jax.jit(jax.grad(loss, argnums=(0, 1)))(x[1], sigma[1])
    assert all(np.array_equal(a, b) for a, b in zip(want, jitted, strict=True))
    remade = jax.grad(jax.checkpoint(loss), argnums=(0, 1))(x[1], sigma[1])
    assert all(np.array_equal(a, b) for a, b in zip(want, remade, strict=True))
    only = jax.vmap(jax.grad(lambda s: loss(x[0], s)))(sigma)
    np.testing.assert_allclose(only[0], jax.grad(lambda s: loss(x[0], s))(sigma[0]), rtol=1e-14)

    def steps(x, s):
        return jax.lax.scan(lambda x, _: (f(x, s), None), x, length=3)[0].sum()
    gx, gs = jax.grad(steps, argnums=(0, 1))(one, 2.0)
    again = jax.grad(lambda x, s: f(f(f(x, s), s), s).sum(), argnums=(0, 1))(one, jnp.asarray(2.0))
    np.testing.assert_allclose(gx, again[0], rtol=1e-14)
    np.testing.assert_allclose(gs, again[1], rtol=1e-13)


def test_what_has_no_derivative(rng):
    x = jnp.asarray(rng.random((4, 5)))

    def f(s):
        return ij.filter(x, 6, sigma=s).sum()
    with pytest.raises(NotImplementedError, match="forward mode"):
        jax.jvp(f, (2.0,), (1.0,))
    with pytest.raises(NotImplementedError, match="forward mode"):
        jax.jit(lambda s: jax.jvp(f, (s,), (1.0,)))(2.0)
    with pytest.raises(NotImplementedError, match="twice"):
        jax.grad(jax.grad(f))(2.0)


def test_refusals(rng):
    x = jnp.asarray(rng.random((2, 6, 5)), jnp.float32)
    for call, error in [
        (lambda x: ij.filter(x, 9), iir2d.InvalidFilterIdError),
        (lambda x: ij.filter(x, border="reflect"), iir2d.InvalidBorderModeError),
        (lambda x: ij.filter(x, precision="f64"), iir2d.InvalidPrecisionError),
        (lambda x: ij.filter(x, alpha=2.0), iir2d.InvalidArgumentError),
        (lambda x: ij.filter(x, 3, a1=1.2, a2=0.5), iir2d.InvalidArgumentError),
        (lambda x: ij.filter(x, sigma=2.0), iir2d.InvalidArgumentError),
        (lambda x: ij.filter(x, alpha=jnp.zeros(5)), iir2d.InvalidDimensionError),
        (lambda x: ij.filter(x[0, 0]), iir2d.InvalidDimensionError),
        (lambda x: ij.filter(x[:, :0]), iir2d.InvalidDimensionError),
        (lambda x: ij.filter(x.astype(int)), TypeError),
    ]:
        for how in (call, jax.jit(call)):
            with pytest.raises(error):
                how(x)
    with pytest.raises(Exception, match="invalid_argument: alpha 2 of filter 1"):
        jax.jit(lambda a: ij.filter(x, alpha=a))(2.0).block_until_ready()
    with pytest.raises(Exception, match="invalid_argument: alpha nan of filter 1"):
        jax.jit(lambda a: ij.filter(x, alpha=a))(float("nan")).block_until_ready()
    end = jnp.asarray(0.999, jnp.float32)
    assert np.array_equal(ij.filter(x, alpha=end), ij.filter(x, alpha=0.999))
    assert ij.filter(x[:0]).shape == (0, 6, 5)
    mixed = ij.filter(x, 3, b0=0.3, b1=jnp.asarray(0.1))
    assert np.array_equal(mixed, ij.filter(x, 3, b0=0.3, b1=0.1))


def test_sharded_over_leading_dimensions(rng):
    assert len(jax.devices()) == 4
    mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("a", "b"))
    x = rng.random((4, 2, 16, 12))
    sigma = np.array([1.0, 2.0])
    for spec in (P("a"), P("a", "b"), P(("a", "b"))):
        sharding = NamedSharding(mesh, spec)
        placed = jax.device_put(x, sharding)

        def loss(x, s):
            return (ij.filter(x, 6, sigma=s) ** 2).sum()
        forward = jax.jit(lambda x, s: ij.filter(x, 6, sigma=s))
        gradient = jax.jit(jax.grad(loss, argnums=(0, 1)))
        for function in (forward, gradient):
            assert "all-gather" not in function.lower(placed, sigma).compile().as_text()
        y = forward(placed, sigma)
        assert y.sharding.is_equivalent_to(sharding, 4)
        assert np.array_equal(y, iir2d.filter(x, 6, sigma=sigma))
        dx, ds = gradient(placed, sigma)
        assert dx.sharding.is_equivalent_to(sharding, 4)
        want = jax.grad(loss, argnums=(0, 1))(x, jnp.asarray(sigma))
        np.testing.assert_allclose(dx, want[0], rtol=1e-14)
        np.testing.assert_allclose(ds, want[1], rtol=1e-13)
    placed = jax.device_put(x, NamedSharding(mesh, P(None, None, "a", "b")))
    assert np.array_equal(forward(placed, sigma), iir2d.filter(x, 6, sigma=sigma))
    placed = jax.device_put(x, NamedSharding(mesh, P("a")))
    pooled = jax.jit(lambda x: ij.max_pool2d(x, 2))
    assert "all-gather" not in pooled.lower(placed).compile().as_text()
    assert np.array_equal(pooled(placed), iir2d.pool(x, "max", 2))
    mapped = jax.shard_map if hasattr(jax, "shard_map") else pytest.importorskip("jax.experimental.shard_map").shard_map
    local = jax.jit(mapped(lambda x: ij.filter(x, 3), mesh=mesh, in_specs=P("a", "b"), out_specs=P("a", "b")))
    assert np.array_equal(local(x), iir2d.filter(x, 3))


@pytest.mark.parametrize("op", ["max", "avg", "lp", "adaptive_max", "adaptive_avg"])
def test_pools(rng, op):
    x = rng.random((2, 3, 9, 8)) + 0.1
    how = {"output_size": (4, 3)} if op.startswith("adaptive") else {"window": 3, "stride": 2}

    def f(x):
        return ij.pool(x, op, **how)
    want = iir2d.pool(x, op, **how)
    assert np.array_equal(f(x), want) and np.array_equal(jax.jit(f)(x), want)
    assert np.array_equal(jax.vmap(f)(x), want)
    if op.endswith("max"):
        y, places = ij.pool(x, op, return_indices=True, **how)
        assert places.dtype == jnp.int64 and np.array_equal(places, iir2d.pool(x, op, return_indices=True, **how)[1])
        assert np.array_equal(ij.pool_backward(y, op, input_size=x.shape, indices=places, **how),
                              iir2d.pool_backward(np.asarray(y), op, input_size=x.shape, x=x, **how))
    modes = ("fwd", "rev") if op.endswith("avg") else ("rev",)
    check_grads(f, (jnp.asarray(x),), order=1 if op == "lp" else 2, modes=modes)
    if not op.endswith("avg"):
        with pytest.raises(NotImplementedError, match="forward mode"):
            jax.jvp(f, (x,), (x,))


def test_pool2d_defaults_are_torchs(rng):
    x = rng.random((1, 2, 7, 8))
    assert np.array_equal(ij.avg_pool2d(x, 3, 2, 1), iir2d.pool(x, "avg", 3, stride=2, padding=1, count_include_pad=True))
    assert np.array_equal(ij.lp_pool2d(x, 3, 2), iir2d.pool(x, "lp", 2, p=3.0))
    assert np.array_equal(ij.adaptive_max_pool2d(x, (None, 2)), iir2d.pool(x, "adaptive_max", output_size=(7, 2)))
