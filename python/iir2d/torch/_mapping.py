# SPDX-License-Identifier: MIT
"""The mapping of iir2d._mapping on tensors, for parameters that are learnt."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from .. import _mapping
from .._arguments import FilterInfo, shown
from ..errors import InvalidArgumentError

_TORCH = _mapping.Mathematics(torch.sigmoid, torch.tanh, torch.log, torch.log1p, torch.atanh, torch.clamp)


def groups(info: FilterInfo, learnable: tuple[str, ...]) -> None:
    """Raises where a feedback tap would be learnt without the other: their ranges depend on each other."""
    for name in learnable:
        for other in _mapping.feedback_pair(info, name) or ():
            if other not in learnable:
                raise InvalidArgumentError(f"{name} of {shown(info)} is learnt only with {other}")


def constrain(info: FilterInfo, raw: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Maps free numbers into the ranges, in float32 at least."""
    wide = {name: value.to(torch.promote_types(value.dtype, torch.float32)) for name, value in raw.items()}
    return _mapping.constrain(info, wide, {}, _TORCH)


def unconstrain(info: FilterInfo, values: Mapping[str, float]) -> dict[str, float]:
    """Returns the free numbers that constrain() maps to the values."""
    tensors = {name: torch.tensor(value, dtype=torch.float64, device="cpu") for name, value in values.items()}
    return {name: value.item() for name, value in _mapping.unconstrain(info, tensors, {}, _TORCH).items()}
