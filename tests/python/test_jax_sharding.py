# SPDX-License-Identifier: MIT
"""Under four devices, which have to be there before JAX starts: the checks below run in a process of their own."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("jax")

FOUR = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}

START = """
import iir2d, iir2d.jax as ij, jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("a", "b"))
x = np.random.default_rng(0).random((4, 6, 16, 12), dtype=np.float32)
sigma = np.linspace(1, 4, 6, dtype=np.float32)
put = lambda value, *spec: jax.device_put(value, NamedSharding(mesh, P(*spec)))
def run(f, *operands):
    compiled = jax.jit(f).lower(*operands).compile()
    return compiled.as_text(), compiled(*operands)
f = lambda v: ij.filter(v, 6, sigma=3.0)
loss = lambda v: (f(v) ** 2).sum()
y = iir2d.filter(x, 6, sigma=3.0)
dx = 2 * iir2d.filter_adjoint(y, 6, sigma=3.0)
"""


def in_four(code):
    done = subprocess.run([sys.executable, "-c", START + code], env=FOUR, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def test_a_sharded_batch_is_not_gathered():
    in_four("""
for spec in (("a",), (("a", "b"),), ("a", "b"), (None, "b"), ()):
    v = put(x, *spec)
    for g, want in ((f, y), (jax.grad(loss), dx), (lambda v: ij.filter(v, 6, sigma=sigma), iir2d.filter(x, 6, sigma=sigma))):
        text, got = run(g, v)
        assert "all-gather" not in text, spec
        assert got.sharding.is_equivalent_to(v.sharding, 4), (spec, got.sharding)
        assert np.array_equal(got, want)
    assert f(v).sharding.is_equivalent_to(v.sharding, 4)
""")


def test_sharded_planes_are_gathered_and_right():
    in_four("""
for spec in ((None, None, "a"), ("a", None, None, "b"), (None, None, "a", "b")):
    v = put(x, *spec)
    assert np.array_equal(run(f, v)[1], y)
    assert np.array_equal(run(jax.grad(loss), v)[1], dx)
""")


def test_shard_map():
    in_four("""
shard_map = getattr(jax, "shard_map", None)
if shard_map is None:
    from jax.experimental.shard_map import shard_map
v = put(x, "a", "b")
got = jax.jit(shard_map(f, mesh=mesh, in_specs=P("a", "b"), out_specs=P("a", "b")))(v)
assert np.array_equal(got, y)
g = lambda v, s: ij.filter(v, 6, sigma=s)
got = jax.jit(shard_map(g, mesh=mesh, in_specs=(P("a", "b"), P()), out_specs=P("a", "b")))(v, jnp.float32(3))
assert np.array_equal(got, y)
got = jax.jit(shard_map(jax.grad(loss), mesh=mesh, in_specs=P("a", "b"), out_specs=P("a", "b")))(v)
assert np.array_equal(got, dx)
""")


def test_parameters_gradients_are_summed_over_devices():
    in_four("""
loss = lambda v, s: (ij.filter(v, 6, sigma=s) ** 2).sum()
for spec in (("a",), (("a", "b"),), ("a", "b"), (None, None, "a")):
    v = put(x, *spec)
    for s in (sigma, np.float32(3), np.linspace(1, 2, 4, dtype=np.float32)[:, None]):
        text, (dv, ds) = run(jax.grad(loss, (0, 1)), v, s)
        if spec != (None, None, "a"):
            assert "all-gather" not in text, spec
            assert dv.sharding.is_equivalent_to(v.sharding, 4)
        wx, ws = jax.grad(loss, (0, 1))(x, s)
        assert np.array_equal(dv, wx) and ds.shape == np.shape(s)
        assert np.allclose(ds, ws, rtol=1e-5, atol=0), (spec, ds, ws)
shard_map = getattr(jax, "shard_map", None)
if shard_map is None:
    from jax.experimental.shard_map import shard_map
mapped = shard_map(lambda v, s: loss(v, s)[None, None], mesh=mesh, in_specs=(P("a", "b"), P()), out_specs=P("a", "b"))
got = jax.jit(jax.grad(lambda v, s: mapped(v, s).sum(), (0, 1)))(put(x, "a", "b"), jnp.float32(3))
want = jax.grad(loss, (0, 1))(x, jnp.float32(3))
assert np.array_equal(got[0], want[0]) and np.allclose(got[1], want[1], rtol=1e-5, atol=0)
""")


def test_pooling_is_not_gathered():
    in_four("""
v = put(x, "a", "b")
for op, how in (("max", {"window": 2}), ("avg", {"window": 3}), ("lp", {"window": 2}), ("adaptive_avg", {"output_size": 3})):
    g = lambda v: ij.pool(v, op, **how)
    text, got = run(g, v)
    assert "all-gather" not in text and got.sharding.is_equivalent_to(v.sharding, 4)
    assert np.array_equal(got, iir2d.pool(x, op, **how))
    text, got = run(jax.grad(lambda v: (g(v) ** 2).sum()), v)
    assert "all-gather" not in text and got.sharding.is_equivalent_to(v.sharding, 4)
    assert np.array_equal(got, jax.grad(lambda v: (g(v) ** 2).sum())(x))
""")
