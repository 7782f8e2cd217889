# SPDX-License-Identifier: MIT
"""Free numbers mapped into the ranges of a filter's parameters, so that no step of an optimiser leaves them.

The ranges are the library's. From 0 on (`alpha`, `a`): maximum * sigmoid(r); of a scale (`sigma`): minimum *
(maximum / minimum)^sigmoid(r); around 0 (`b0`, ...): maximum * tanh(r). A biquad is stable where |a2| < 1 and
|a1| < 1 - a2: a2 = 0.999 tanh(r2), a1 = 0.999 (1 - a2) tanh(r1). Arrays and tensors alike, by Mathematics.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ._arguments import FilterInfo, ParameterInfo, check_names, shown
from .errors import InvalidArgumentError

_STABLE = 0.999
_CLOSEST = 1e-6  # to an end of the range, as a share of it, where values are mapped back


class Mathematics(NamedTuple):
    """The functions of an array library that the mapping takes."""

    sigmoid: Callable[[Any], Any]
    tanh: Callable[[Any], Any]
    log: Callable[[Any], Any]
    log1p: Callable[[Any], Any]
    atanh: Callable[[Any], Any]
    clip: Callable[[Any, float, float], Any]


def learnable(info: FilterInfo, names: Mapping[str, Any]) -> dict[str, ParameterInfo]:
    """Returns the filter's parameters by name; raises where one of `names` is none or a switch."""
    check_names(info, names)
    parameters = {p.name: p for p in info.parameters}
    for name in names:
        if parameters[name].is_switch:
            raise InvalidArgumentError(f"{name} of {shown(info)} is a switch: it cannot be learnt")
    return parameters


def feedback_pair(info: FilterInfo, name: str) -> tuple[str, str] | None:
    """Returns the names of the feedback taps a1 and a2 of one section where `name` is one of them: their ranges depend
    on each other."""
    names = [p.name for p in info.parameters]
    pair = (f"{name[:-2]}a1", f"{name[:-2]}a2")
    return pair if name in pair and all(tap in names for tap in pair) else None


def constrain(
    info: FilterInfo, raw: Mapping[str, Any], fixed: Mapping[str, Any], mathematics: Mathematics
) -> dict[str, Any]:
    """Returns the parameters that free numbers stand for; `fixed` are others that the filter will be given."""
    parameters = learnable(info, raw)
    check_names(info, fixed)
    result: dict[str, Any] = {}
    # a2 goes before a1, whose range depends on it.
    for name in sorted(raw, key=lambda name: name.endswith("a1")):
        parameter = parameters[name]
        low, high = _range(info, parameter, {**fixed, **result}, raw)
        value = _forward(parameter, raw[name], low, high, mathematics)
        # No rounding leaves the range.
        result[name] = mathematics.clip(value, parameter.minimum, parameter.maximum)
    return {name: result[name] for name in raw}


def unconstrain(
    info: FilterInfo, values: Mapping[str, Any], fixed: Mapping[str, Any], mathematics: Mathematics
) -> dict[str, Any]:
    """Returns the free numbers that constrain() maps to the values; at an end of a range, to one near it."""
    parameters = learnable(info, values)
    check_names(info, fixed)
    result: dict[str, Any] = {}
    for name, value in values.items():
        low, high = _range(info, parameters[name], {**fixed, **values}, values)
        result[name] = _backward(parameters[name], value, low, high, mathematics)
    return result


def _range(info: FilterInfo, parameter: ParameterInfo, known: Mapping[str, Any], learnt: Mapping[str, Any]) -> Any:
    """The range of a parameter, given the others that it depends on."""
    pair = feedback_pair(info, parameter.name)
    if pair is None:
        return parameter.minimum, parameter.maximum
    a1, a2 = pair
    defaults = {p.name: p.default for p in info.parameters}
    if parameter.name == a1:
        high = _STABLE * (1 - known.get(a2, defaults[a2]))
        return -high, high
    return -_STABLE, _STABLE if a1 in learnt else _STABLE * (1 - abs(known.get(a1, defaults[a1])))


def _is_scale(parameter: ParameterInfo) -> bool:
    return parameter.minimum > 0


def _forward(parameter: ParameterInfo, r: Any, low: Any, high: Any, mathematics: Mathematics) -> Any:
    if _is_scale(parameter):
        return low * (high / low) ** mathematics.sigmoid(r)
    if parameter.minimum == 0:
        return high * mathematics.sigmoid(r)
    return (low + high) / 2 + (high - low) / 2 * mathematics.tanh(r)


def _backward(parameter: ParameterInfo, value: Any, low: Any, high: Any, mathematics: Mathematics) -> Any:
    if _is_scale(parameter):
        share = mathematics.log(value / low) / math.log(high / low)
    elif parameter.minimum == 0:
        share = value / high
    else:
        of_range = (value - (low + high) / 2) / ((high - low) / 2)
        return mathematics.atanh(mathematics.clip(of_range, _CLOSEST - 1, 1 - _CLOSEST))
    share = mathematics.clip(share, _CLOSEST, 1 - _CLOSEST)
    return mathematics.log(share) - mathematics.log1p(-share)
