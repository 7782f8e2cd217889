# SPDX-License-Identifier: MIT
"""Learnable parameters: the mapping into their ranges, plain JAX, and Flax."""

import iir2d
import numpy as np
import oracle
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

import iir2d.jax as ij  # noqa: E402

RNG = np.random.default_rng(17)
NOISE = RNG.random((2, 3, 32, 32), dtype=np.float32)


def learnable_of(filter_id):
    return [p.name for p in iir2d.filters()[filter_id - 1].parameters if not p.is_switch]


@pytest.mark.parametrize("filter_id", range(1, 9))
def test_values_come_back(filter_id):
    for _ in range(20):
        values = oracle.random_parameters(RNG, filter_id)
        raw = ij.unconstrain(filter_id, values)
        back = ij.constrain(filter_id, raw)
        assert list(back) == list(values)
        for name, value in values.items():
            assert back[name].dtype == jnp.float32 and np.isclose(back[name], value, rtol=1e-4, atol=1e-5), name
        assert np.isfinite(ij.filter(NOISE, filter_id, **back)).all()


@pytest.mark.parametrize("filter_id", range(1, 9))
def test_no_free_number_leaves_the_range(filter_id):
    names = learnable_of(filter_id)
    extremes = [-np.inf, -1e30, -100.0, -9.0, 0.0, 9.0, 100.0, 1e30, np.inf]
    raw = {name: jnp.array(RNG.choice(extremes, 200), jnp.float32) for name in names}
    values = ij.constrain(filter_id, raw)
    x = np.ones((200, 2, 2), np.float32)
    jax.block_until_ready(ij.filter(x, filter_id, **values))  # raises where one is out of range or unstable
    for dtype in (jnp.bfloat16, jnp.float16):
        low = ij.constrain(filter_id, {name: value.astype(dtype) for name, value in raw.items()})
        assert all(value.dtype == jnp.float32 for value in low.values())
        jax.block_until_ready(ij.filter(x, filter_id, **low))


def test_the_mapping_is_the_documented_one():
    sigmoid = lambda r: 1 / (1 + np.exp(-r))  # noqa: E731
    assert np.isclose(ij.constrain(1, {"alpha": 0.3})["alpha"], 0.999 * sigmoid(0.3))
    assert np.isclose(ij.constrain(6, {"sigma": 0.3})["sigma"], 0.3 * (100 / 0.3) ** sigmoid(0.3))
    both = ij.constrain(3, {"b1": 0.3, "a1": 0.2, "a2": -0.7})
    assert np.isclose(both["b1"], 4 * np.tanh(0.3))
    assert np.isclose(both["a2"], 0.999 * np.tanh(-0.7))
    assert np.isclose(both["a1"], 0.999 * (1 - 0.999 * np.tanh(-0.7)) * np.tanh(0.2))
    alone = ij.constrain(4, {"second_a1": 50.0}, second_a2=0.4)
    assert np.isclose(alone["second_a1"], 0.999 * 0.6)
    other = ij.constrain(3, {"a2": 50.0}, a1=-0.5)
    assert np.isclose(other["a2"], 0.999 * 0.5)


def test_refusals():
    with pytest.raises(iir2d.InvalidArgumentError, match="switch"):
        ij.constrain(6, {"compat_1_0": 0.0})
    with pytest.raises(iir2d.InvalidArgumentError, match='no parameter "sigma"'):
        ij.constrain(1, {"sigma": 0.0})
    with pytest.raises(iir2d.InvalidArgumentError, match="alpha 2"):
        ij.unconstrain(1, {"alpha": 2.0})


def adam(loss, start, rate, steps):
    """(values after the steps, loss after each)"""
    step = jax.jit(jax.value_and_grad(loss))
    values, m, v, losses = start, jnp.zeros_like(start), jnp.zeros_like(start), []
    for i in range(1, steps + 1):
        value, gradient = step(values)
        losses.append(float(value))
        m, v = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient**2
        values = values - rate * (m / (1 - 0.9**i)) / (jnp.sqrt(v / (1 - 0.999**i)) + 1e-8)
    return values, losses


def test_a_hidden_sigma_is_recovered():
    target = iir2d.filter(NOISE, 6, sigma=3.7)

    def loss(raw):
        return ((ij.filter(NOISE, 6, **ij.constrain(6, {"sigma": raw})) - target) ** 2).mean()
    raw, losses = adam(loss, ij.unconstrain(6, {"sigma": 1.0})["sigma"], 0.1, 200)
    assert abs(ij.constrain(6, {"sigma": raw})["sigma"] - 3.7) < 0.05
    assert losses[-1] < 1e-4 * losses[0]


def test_flax_learns_and_stays_in_range():
    pytest.importorskip("flax")
    optax = pytest.importorskip("optax")
    import iir2d.flax

    x = np.moveaxis(NOISE, 1, -1)
    target = np.moveaxis(iir2d.filter(NOISE, 6, sigma=3.7), 1, -1)
    layer = iir2d.flax.Filter2d(6, learnable=("sigma",), initial={"sigma": 1.0})
    variables = layer.init(jax.random.key(0), x)

    def train(variables, rate, steps):
        optimiser = optax.adam(rate)

        @jax.jit
        def step(variables, state):
            loss, gradient = jax.value_and_grad(lambda v: ((layer.apply(v, x) - target) ** 2).mean())(variables)
            updates, state = optimiser.update(gradient, state)
            return optax.apply_updates(variables, updates), state, loss
        state, losses = optimiser.init(variables), []
        for _ in range(steps):
            variables, state, loss = step(variables, state)
            losses.append(float(loss))
        return layer.apply(variables, method="parameters_now")["sigma"], losses
    sigma, losses = train(variables, 0.1, 200)
    assert abs(sigma - 3.7) < 0.05
    assert losses[-1] < 1e-4 * losses[0]
    sigma, losses = train(variables, 1e4, 1000)
    assert np.isfinite(losses).all() and 0.3 <= sigma <= 100


def test_flax_layers():
    flax = pytest.importorskip("flax")
    import iir2d.flax

    x = jnp.asarray(np.moveaxis(NOISE, 1, -1))
    y = jnp.moveaxis(ij.filter(NOISE, 4), 1, -1)
    key = jax.random.key(0)
    residual = iir2d.flax.IIR2DResidual()
    variables = residual.init(key, x)
    assert flax.traverse_util.flatten_dict(variables["params"])[("alpha",)].shape == (3,)
    assert np.allclose(residual.apply(variables, x), x + 0.5 * (y - x), atol=1e-6)
    bank = iir2d.flax.IIR2DBank(per_channel=False)
    variables = bank.init(key, x)
    assert variables["params"]["gate_logits"].shape == (4, 1)
    want = sum(jnp.moveaxis(ij.filter(NOISE, f), 1, -1) for f in (1, 3, 4, 8)) / 4
    assert np.allclose(bank.apply(variables, x), want, atol=1e-6)
    gradient = lambda layer, v: jax.grad(lambda x: layer.apply(v, x).sum())(x)  # noqa: E731
    assert np.abs(gradient(bank, variables)).max() > 0
    assert np.abs(gradient(iir2d.flax.IIR2DBank(per_channel=False, differentiable=False), variables)).max() == 0
    stem = iir2d.flax.IIRDenoiseStem(channels=8)
    variables = stem.init(key, x)
    assert stem.apply(variables, x).shape == x.shape
    assert stem.apply(variables, x.astype(jnp.bfloat16)).shape == x.shape
    per_channel = iir2d.flax.Filter2d(3, learnable=("a1", "a2", "b0"), channels=3, border="clamp")
    variables = per_channel.init(key, x)
    assert {name: value.shape for name, value in variables["params"].items()} == dict.fromkeys(("a1", "a2", "b0"), (3,))
    assert np.allclose(per_channel.apply(variables, x), np.moveaxis(iir2d.filter(NOISE, 3, border="clamp"), 1, -1), atol=1e-5)
    with pytest.raises(iir2d.InvalidDimensionError, match="channels"):
        per_channel.apply(variables, x[..., :2])
    with pytest.raises(iir2d.InvalidArgumentError, match="filter_ids"):
        iir2d.flax.IIR2DBank(filter_ids=()).init(key, x)
