# SPDX-License-Identifier: MIT
"""JAX as the demo uses it, with optax."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

import iir2d

from .. import jax as _iir2d
from .frameworks import Fit, Framework, Loss, processors

try:
    optax: Any = importlib.import_module("optax")
except ImportError as error:
    raise ImportError("optax is not installed: pip install optax") from error


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def _as_adjoint(x: Any, filter_id: int) -> Any:
    return _iir2d.filter(x, filter_id)


def _forward(x: Any, filter_id: int) -> tuple[Any, None]:
    return _iir2d.filter(x, filter_id), None


def _backward(filter_id: int, _: None, dy: Any) -> tuple[Any]:
    return (_iir2d.filter(dy, filter_id),)


_as_adjoint.defvjp(_forward, _backward)


class _Jax:
    name = "jax"

    def __init__(self, kind: str, number: int, why: str) -> None:
        self._device = jax.devices("gpu" if kind == "cuda" else "cpu")[number]
        self.device = "cpu" if kind == "cpu" else self._device.device_kind
        self.why = why

    def threads(self) -> int:
        return iir2d.get_num_threads() or processors()

    def array(self, x: npt.NDArray[Any]) -> jax.Array:
        result: jax.Array = jax.device_put(x, self._device)
        return result

    def numpy(self, x: jax.Array) -> npt.NDArray[Any]:
        return np.asarray(x)

    def wait(self, x: Any) -> None:
        jax.block_until_ready(x)

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return jax.jit(function)

    def filter(self, x: jax.Array, filter_id: int, **how: Any) -> jax.Array:
        return _iir2d.filter(x, filter_id, **how)

    def filter_as_adjoint(self, x: jax.Array, filter_id: int) -> jax.Array:
        result: jax.Array = _as_adjoint(x, filter_id)
        return result

    def constrain(self, filter_id: int, raw: Mapping[str, Any]) -> Mapping[str, jax.Array]:
        return _iir2d.constrain(filter_id, raw)

    def unconstrain(self, filter_id: int, values: Mapping[str, float]) -> dict[str, float]:
        return {name: float(value) for name, value in _iir2d.unconstrain(filter_id, values).items()}

    def convolve(
        self, x: jax.Array, weight: jax.Array, bias: jax.Array | None = None, *, padding: int = 0, groups: int = 1
    ) -> jax.Array:
        around = [(padding, padding)] * 2
        y = jax.lax.conv_general_dilated(x, weight, (1, 1), around, feature_group_count=groups)
        return y if bias is None else y + bias[:, None, None]

    def repeat_edge(self, x: jax.Array, rows: int, columns: int) -> jax.Array:
        return jnp.pad(x, [(0, 0), (0, 0), (rows, rows), (columns, columns)], mode="edge")

    def relu(self, x: jax.Array) -> jax.Array:
        return jax.nn.relu(x)

    def sigmoid(self, x: jax.Array) -> jax.Array:
        return jax.nn.sigmoid(x)

    def softmax(self, x: jax.Array) -> jax.Array:
        return jax.nn.softmax(x, axis=0)

    def concatenate(self, images: Sequence[jax.Array]) -> jax.Array:
        return jnp.concatenate(images, axis=1)

    def fit(self, loss: Loss, weights: Mapping[str, Any], batches: Iterable[Any], rate: float) -> Fit:
        free: Any = {name: self.array(np.asarray(value, np.float32)) for name, value in weights.items()}
        optimiser = optax.adam(rate)
        state = optimiser.init(free)

        @jax.jit
        def step(free: Any, state: Any, *batch: Any) -> tuple[Any, Any, Any]:
            value, gradient = jax.value_and_grad(loss)(free, *batch)
            change, state = optimiser.update(gradient, state)
            return optax.apply_updates(free, change), state, value

        losses: list[float] = []
        numbers: dict[str, list[float]] = {name: [] for name, value in free.items() if value.ndim == 0}
        for batch in batches:
            free, state, value = step(free, state, *(self.array(x) for x in batch))
            losses.append(float(value))
            for name, trace in numbers.items():
                trace.append(float(free[name]))
        return Fit({name: self.numpy(value) for name, value in free.items()}, losses, numbers)


def make(kind: str, number: int, why: str) -> Framework:
    """Returns JAX on a device, "cpu" or "cuda"; raises where there is none."""
    return _Jax(kind, number, why)
