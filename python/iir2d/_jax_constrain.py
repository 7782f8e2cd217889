# SPDX-License-Identifier: MIT
"""The mapping of iir2d._mapping on JAX's arrays, for parameters that are learnt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp

from . import _mapping
from ._arguments import filter_info, out_of_range

_JAX = _mapping.Mathematics(jax.nn.sigmoid, jnp.tanh, jnp.log, jnp.log1p, jnp.arctanh, jnp.clip)


def constrain(filter_id: int | str, raw: Mapping[str, Any], **fixed: Any) -> dict[str, jax.Array]:
    """Returns the parameters of a filter from free numbers, by name; filter() takes them as they are.

    Each has the shape and the type of its free number, float32 at least, and is differentiable. `fixed` are other
    parameters that filter() will be given; one that is missing has its default. It matters to `a1` and `a2` alone,
    whose ranges depend on each other.

    >>> import iir2d.jax
    >>> raw = iir2d.jax.unconstrain("deriche", {"sigma": 3.7})
    >>> round(float(iir2d.jax.constrain("deriche", raw)["sigma"]), 4)
    3.7
    """
    wide = {name: _wide(value) for name, value in raw.items()}
    return _mapping.constrain(filter_info(filter_id), wide, fixed, _JAX)


def unconstrain(filter_id: int | str, values: Mapping[str, Any], **fixed: Any) -> dict[str, jax.Array]:
    """Returns the free numbers that constrain() maps to these values; at an end of a range, to one near it.

    >>> import iir2d.jax
    >>> float(iir2d.jax.unconstrain("biquad", {"b0": 0.0})["b0"])
    0.0
    """
    info = filter_info(filter_id)
    parameters = _mapping.learnable(info, values)
    for name, value in values.items():
        parameter = parameters[name]
        if isinstance(value, (int, float)) and not parameter.minimum <= value <= parameter.maximum:
            raise out_of_range(info, parameter, value)
    return _mapping.unconstrain(info, {name: _wide(value) for name, value in values.items()}, fixed, _JAX)


def _wide(value: Any) -> jax.Array:
    array = jnp.asarray(value)
    return array.astype(jnp.promote_types(array.dtype, jnp.float32))
