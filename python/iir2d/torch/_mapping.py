# SPDX-License-Identifier: MIT
"""Free numbers in place of a filter's parameters, so that no step of an optimiser can leave the allowed range."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch

from .._arguments import FilterInfo
from ..errors import InvalidArgumentError

_DECAY = 0.999
_SIGMA = (0.3, 100.0)
_TAP = 4.0


def _prefix(name: str) -> tuple[str, str]:
    return (name[: -len(name.split("_")[-1])], name.split("_")[-1])


def groups(info: FilterInfo, learnable: tuple[str, ...]) -> None:
    """Raises where a feedback tap would be learnt without the other: their ranges depend on each other."""
    for name in learnable:
        prefix, tap = _prefix(name)
        if tap in ("a1", "a2"):
            other = prefix + ("a2" if tap == "a1" else "a1")
            if other not in learnable:
                raise InvalidArgumentError(f"{name} of filter {info.id} ({info.key}) is learnt only with {other}")


def constrain(raw: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Maps free numbers into the ranges, in float32 at least, and clamps the rounding away."""
    wide = {name: value.to(torch.promote_types(value.dtype, torch.float32)) for name, value in raw.items()}
    values: dict[str, torch.Tensor] = {}
    for name, r in wide.items():
        prefix, tap = _prefix(name)
        if name in ("alpha", "a"):
            values[name] = (_DECAY * torch.sigmoid(r)).clamp(0.0, _DECAY)
        elif name == "sigma":
            low, high = _SIGMA
            values[name] = (low * (high / low) ** torch.sigmoid(r)).clamp(low, high)
        elif tap in ("b0", "b1", "b2"):
            values[name] = (_TAP * torch.tanh(r)).clamp(-_TAP, _TAP)
        elif tap == "a2":
            values[name] = (_DECAY * torch.tanh(r)).clamp(-_DECAY, _DECAY)
        else:
            a2 = _DECAY * torch.tanh(wide[prefix + "a2"])
            values[name] = _DECAY * (1.0 - a2) * torch.tanh(r)
    return values


def _inside(x: float) -> float:
    """Keeps what a sigmoid or tanh is asked for off their ends, which no number reaches."""
    return min(max(x, -1.0 + 1e-6), 1.0 - 1e-6)


def unconstrain(info: FilterInfo, values: Mapping[str, float]) -> dict[str, float]:
    """Returns the free numbers that constrain() maps to the values."""
    raw: dict[str, float] = {}
    for name, value in values.items():
        prefix, tap = _prefix(name)
        if name in ("alpha", "a"):
            share = min(max(value / _DECAY, 1e-6), 1.0 - 1e-6)
            raw[name] = math.log(share / (1.0 - share))
        elif name == "sigma":
            low, high = _SIGMA
            share = min(max(math.log(value / low) / math.log(high / low), 1e-6), 1.0 - 1e-6)
            raw[name] = math.log(share / (1.0 - share))
        elif tap in ("b0", "b1", "b2"):
            raw[name] = math.atanh(_inside(value / _TAP))
        elif tap == "a2":
            raw[name] = math.atanh(_inside(value / _DECAY))
        else:
            raw[name] = math.atanh(_inside(value / (_DECAY * (1.0 - values[prefix + "a2"]))))
    return raw
