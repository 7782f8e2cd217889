# SPDX-License-Identifier: MIT
"""Free numbers mapped into the ranges of a filter's parameters, so that no step of an optimiser leaves them.

The ranges are the library's. From 0 on (`alpha`, `a`): maximum * sigmoid(r); of a scale (`sigma`): minimum *
(maximum / minimum)^sigmoid(r); around 0 (`b0`, ...): maximum * tanh(r). A biquad is stable where |a2| < 1 and
|a1| < 1 - a2: a2 = 0.999 tanh(r2), a1 = 0.999 (1 - a2) tanh(r1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ._arguments import FilterInfo, ParameterInfo, check_names, filter_info, shown
from .errors import InvalidArgumentError

_STABLE = 0.999
_CLOSEST = 1e-6  # to an end of the range, as a share of it, where values are mapped back


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
    info = filter_info(filter_id)
    parameters = _learnable(info, raw)
    check_names(info, fixed)
    wide = {name: _wide(value) for name, value in raw.items()}
    result: dict[str, jax.Array] = {}
    # a2 goes before a1, whose range depends on it.
    for name in sorted(wide, key=lambda name: name.endswith("a1")):
        parameter, r = parameters[name], wide[name]
        low, high = _range(info, parameter, {**fixed, **result}, wide)
        result[name] = _clipped(parameter, _forward(parameter, r, low, high))
    return {name: result[name] for name in raw}


def unconstrain(filter_id: int | str, values: Mapping[str, Any], **fixed: Any) -> dict[str, jax.Array]:
    """Returns the free numbers that constrain() maps to these values; at an end of a range, to one near it.

    >>> import iir2d.jax
    >>> float(iir2d.jax.unconstrain("biquad", {"b0": 0.0})["b0"])
    0.0
    """
    info = filter_info(filter_id)
    parameters = _learnable(info, values)
    check_names(info, fixed)
    wide = {name: _wide(value) for name, value in values.items()}
    result = {}
    for name, value in wide.items():
        parameter = parameters[name]
        if isinstance(values[name], (int, float)) and not parameter.minimum <= values[name] <= parameter.maximum:
            raise InvalidArgumentError(
                f"{name} {values[name]:g} of {shown(info)} is out of range: "
                f"give {parameter.minimum:g} to {parameter.maximum:g}"
            )
        low, high = _range(info, parameter, {**fixed, **wide}, wide)
        result[name] = _backward(parameter, value, low, high)
    return result


def _learnable(info: FilterInfo, names: Mapping[str, Any]) -> dict[str, ParameterInfo]:
    check_names(info, names)
    parameters = {p.name: p for p in info.parameters}
    for name in names:
        if parameters[name].is_switch:
            raise InvalidArgumentError(f"{name} of {shown(info)} is a switch: it cannot be learnt")
    return parameters


def _wide(value: Any) -> jax.Array:
    array = jnp.asarray(value)
    return array.astype(jnp.promote_types(array.dtype, jnp.float32))


def _range(info: FilterInfo, parameter: ParameterInfo, known: Mapping[str, Any], learnt: Mapping[str, Any]) -> Any:
    """The range of a parameter, given the others that it depends on."""
    names = {p.name: p for p in info.parameters}
    prefix = parameter.name[:-2]
    if not (parameter.name.endswith(("a1", "a2")) and f"{prefix}a1" in names and f"{prefix}a2" in names):
        return parameter.minimum, parameter.maximum

    def of(name: str) -> Any:
        return known[name] if name in known else names[name].default

    if parameter.name.endswith("a1"):
        high = _STABLE * (1 - of(f"{prefix}a2"))
        return -high, high
    if f"{prefix}a1" in learnt:
        return -_STABLE, _STABLE
    return -_STABLE, _STABLE * (1 - abs(of(f"{prefix}a1")))


def _is_scale(parameter: ParameterInfo) -> bool:
    return parameter.minimum > 0


def _forward(parameter: ParameterInfo, r: Any, low: Any, high: Any) -> Any:
    if _is_scale(parameter):
        return low * (high / low) ** jax.nn.sigmoid(r)
    if parameter.minimum == 0:
        return high * jax.nn.sigmoid(r)
    return (low + high) / 2 + (high - low) / 2 * jnp.tanh(r)


def _backward(parameter: ParameterInfo, value: Any, low: Any, high: Any) -> jax.Array:
    if _is_scale(parameter):
        share = jnp.log(value / low) / np.log(high / low)
    elif parameter.minimum == 0:
        share = value / high
    else:
        of_range = (value - (low + high) / 2) / ((high - low) / 2)
        return jnp.arctanh(jnp.clip(of_range, _CLOSEST - 1, 1 - _CLOSEST))
    share = jnp.clip(share, _CLOSEST, 1 - _CLOSEST)
    return jnp.log(share) - jnp.log1p(-share)


def _clipped(parameter: ParameterInfo, value: Any) -> jax.Array:
    """No rounding leaves the range."""
    return jnp.clip(value, parameter.minimum, parameter.maximum)
