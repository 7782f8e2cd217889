# SPDX-License-Identifier: MIT
"""Modules over iir2d.torch: a filter whose parameters may be learnt, and the poolings.

>>> import torch, iir2d.torch.nn as inn
>>> smooth = inn.Filter2d("deriche", learnable=("sigma",), channels=3)
>>> smooth(torch.rand(1, 3, 16, 16)).shape, smooth.parameters_now()["sigma"].shape
(torch.Size([1, 3, 16, 16]), torch.Size([3]))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from .. import _arguments
from ..errors import InvalidArgumentError
from . import _mapping
from . import adaptive_avg_pool2d as _adaptive_avg
from . import adaptive_max_pool2d as _adaptive_max
from . import avg_pool2d as _avg
from . import filter as _filter
from . import lp_pool2d as _lp
from . import max_pool2d as _max

__all__ = [
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool2d",
    "AvgPool2d",
    "Filter2d",
    "LPPool2d",
    "MaxPool2d",
]


class Filter2d(torch.nn.Module):
    """A filter of (..., C, H, W), whose parameters named in `learnable` are learnt: one for all planes, or `channels`.

    Learnt parameters are kept as free numbers, `raw_NAME`, that are mapped into the allowed range, so no step of an
    optimiser can leave it. `init` has values by name; those that are not learnt stay as they are.

    >>> import iir2d.torch.nn as inn
    >>> round(inn.Filter2d("ema", learnable=("alpha",), init={"alpha": 0.5}).parameters_now()["alpha"].item(), 6)
    0.5
    """

    def __init__(
        self,
        filter_id: int | str,
        *,
        learnable: Sequence[str] = (),
        channels: int | None = None,
        init: Mapping[str, float] | None = None,
        border: str = "mirror",
        start: str = "truncated",
        precision: str | None = None,
        normalise_gain: bool = False,
    ) -> None:
        super().__init__()
        info = _arguments.filter_info(filter_id)
        self.learnable = (learnable,) if isinstance(learnable, str) else tuple(learnable)
        given = dict(init or {})
        _arguments.check_names(info, self.learnable)
        _arguments.check_names(info, given)
        _mapping.groups(info, self.learnable)
        switches = [p.name for p in info.parameters if p.is_switch]
        for name in self.learnable:
            if name in switches:
                raise InvalidArgumentError(f"{name} of filter {info.id} ({info.key}) is a switch: it cannot be learnt")
        self.filter_id = info.id
        self.channels = channels
        self.fixed = {name: value for name, value in given.items() if name not in self.learnable}
        self.how = {"border": border, "start": start, "precision": precision, "normalise_gain": normalise_gain}
        # Says now what every call would.
        _filter(torch.zeros(1, 1, dtype=torch.float64 if precision == "f64" else torch.float32, device="cpu"),
                info.id, **self.how, **given)  # type: ignore[arg-type]  # fmt: skip
        values = {p.name: float(given.get(p.name, p.default)) for p in info.parameters}
        shape = () if channels is None else (channels,)
        for name, raw in _mapping.unconstrain(info, {n: values[n] for n in self.learnable}).items():
            self.register_parameter(f"raw_{name}", torch.nn.Parameter(torch.full(shape, raw)))

    def parameters_now(self) -> dict[str, torch.Tensor]:
        """Returns the learnt parameters, mapped into their ranges.

        >>> import iir2d.torch.nn as inn
        >>> list(inn.Filter2d(6, learnable=("sigma",)).parameters_now())
        ['sigma']
        """
        raw = {name: getattr(self, f"raw_{name}") for name in self.learnable}
        return _mapping.constrain(_arguments.filter_info(self.filter_id), raw)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Filters x.

        >>> import torch, iir2d.torch.nn as inn
        >>> inn.Filter2d(4)(torch.zeros(2, 1, 8, 8)).shape
        torch.Size([2, 1, 8, 8])
        """
        return _filter(x, self.filter_id, **self.how, **self.fixed, **self.parameters_now())  # type: ignore[arg-type]

    def extra_repr(self) -> str:
        """Says what the module does, for print().

        >>> import iir2d.torch.nn as inn
        >>> inn.Filter2d("ema")
        Filter2d('ema', learnable=(), channels=None)
        """
        key = _arguments.filter_info(self.filter_id).key
        return f"{key!r}, learnable={self.learnable}, channels={self.channels}"


class MaxPool2d(torch.nn.MaxPool2d):
    """torch.nn.MaxPool2d by iir2d.

    >>> import torch, iir2d.torch.nn as inn
    >>> inn.MaxPool2d(2)(torch.zeros(1, 1, 4, 4)).shape
    torch.Size([1, 1, 2, 2])
    """

    def forward(self, input: torch.Tensor) -> Any:
        """Pools the input."""
        return _max(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )


class AvgPool2d(torch.nn.AvgPool2d):
    """torch.nn.AvgPool2d by iir2d.

    >>> import torch, iir2d.torch.nn as inn
    >>> inn.AvgPool2d(2)(torch.ones(1, 1, 4, 4)).sum().item()
    4.0
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Pools the input."""
        return _avg(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
            self.divisor_override,
        )  # fmt: skip


class LPPool2d(torch.nn.LPPool2d):
    """torch.nn.LPPool2d by iir2d, which takes magnitudes.

    >>> import torch, iir2d.torch.nn as inn
    >>> inn.LPPool2d(2, 2)(-torch.ones(1, 1, 2, 2)).item()
    2.0
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Pools the input."""
        return _lp(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class AdaptiveMaxPool2d(torch.nn.AdaptiveMaxPool2d):
    """torch.nn.AdaptiveMaxPool2d by iir2d.

    >>> import torch, iir2d.torch.nn as inn
    >>> inn.AdaptiveMaxPool2d(3)(torch.zeros(1, 1, 7, 5)).shape
    torch.Size([1, 1, 3, 3])
    """

    def forward(self, input: torch.Tensor) -> Any:
        """Pools the input."""
        return _adaptive_max(input, self.output_size, self.return_indices)  # type: ignore[arg-type]


class AdaptiveAvgPool2d(torch.nn.AdaptiveAvgPool2d):
    """torch.nn.AdaptiveAvgPool2d by iir2d.

    >>> import torch, iir2d.torch.nn as inn
    >>> inn.AdaptiveAvgPool2d((None, 2))(torch.zeros(1, 1, 7, 5)).shape
    torch.Size([1, 1, 7, 2])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Pools the input."""
        return _adaptive_avg(input, self.output_size)  # type: ignore[arg-type]
