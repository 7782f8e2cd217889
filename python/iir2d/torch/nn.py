# SPDX-License-Identifier: MIT
"""Modules over iir2d.torch: filters, fixed or learnt, small blocks made of them, and the poolings.

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
from ..errors import InvalidArgumentError, InvalidDimensionError
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
    "IIR2D",
    "IIR2DBank",
    "IIR2DResidual",
    "IIRDenoiseStem",
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
        border_const: float = 0.0,
        start: str = "truncated",
        precision: str | None = None,
        normalise_gain: bool = False,
    ) -> None:
        super().__init__()
        info = _arguments.filter_info(filter_id)
        if channels is not None and channels < 1:
            raise InvalidArgumentError(f"channels {channels}: must be at least 1")
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
        self.how = {
            "border": border,
            "border_const": border_const,
            "start": start,
            "precision": precision,
            "normalise_gain": normalise_gain,
        }
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


class IIR2D(Filter2d):
    """A fixed filter of (..., H, W): Filter2d with nothing to learn.

    >>> import torch, iir2d.torch.nn as inn
    >>> blur = inn.IIR2D("deriche", init={"sigma": 3.0}, border="clamp")
    >>> blur(torch.zeros(1, 3, 8, 8)).shape, list(blur.parameters())
    (torch.Size([1, 3, 8, 8]), [])
    """

    def __init__(
        self,
        filter_id: int | str = 1,
        *,
        init: Mapping[str, float] | None = None,
        border: str = "mirror",
        border_const: float = 0.0,
        start: str = "truncated",
        precision: str | None = None,
        normalise_gain: bool = False,
    ) -> None:
        super().__init__(
            filter_id, init=init, border=border, border_const=border_const, start=start, precision=precision,
            normalise_gain=normalise_gain,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """Says what the module does, for print()."""
        return repr(_arguments.filter_info(self.filter_id).key)


class _Mixture(torch.nn.Module):
    """Fixed filters, and how many learnt numbers there are for each: one a channel, or one for all."""

    def __init__(
        self, filter_ids: Sequence[int | str], channels: int, per_channel: bool, differentiable: bool, how: dict[str, Any]
    ) -> None:
        super().__init__()
        if channels < 1:
            raise InvalidArgumentError(f"channels {channels}: must be at least 1")
        self.channels = channels
        self.differentiable = differentiable
        self.weights = channels if per_channel else 1
        self.filters = torch.nn.ModuleList(IIR2D(filter_id, **how) for filter_id in filter_ids)

    def _filtered(self, x: torch.Tensor) -> list[torch.Tensor]:
        if x.dim() < 3 or x.shape[-3] != self.channels:
            raise InvalidDimensionError(f"x has shape {tuple(x.shape)}: the module has {self.channels} channels")
        return [filtered(x if self.differentiable else x.detach()) for filtered in self.filters]


class IIR2DResidual(_Mixture):
    """x + sigmoid(alpha) (F x - x) with one fixed filter F of (..., C, H, W); `alpha` is learnt.

    There is one for each channel, or with `per_channel=False` one for all. With `differentiable=False` no gradient goes
    through the filter. The same as iir2d.flax's.

    >>> import torch, iir2d.torch.nn as inn
    >>> inn.IIR2DResidual(3)(torch.zeros(1, 3, 8, 8)).shape
    torch.Size([1, 3, 8, 8])
    """

    def __init__(
        self,
        channels: int,
        filter_id: int | str = 4,
        *,
        per_channel: bool = True,
        differentiable: bool = True,
        **how: Any,
    ) -> None:
        super().__init__([filter_id], channels, per_channel, differentiable, how)
        self.alpha = torch.nn.Parameter(torch.zeros(self.weights))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Filters x."""
        (y,) = self._filtered(x)
        return x + torch.sigmoid(self.alpha).to(x.dtype)[:, None, None] * (y - x)


class IIR2DBank(_Mixture):
    """A mixture of fixed filters of (..., C, H, W), weighted by the softmax of `gate_logits`, which are learnt.

    There is one weight of each filter for each channel, or with `per_channel=False` for all. With
    `differentiable=False` no gradient goes through the filters. The same as iir2d.flax's.

    >>> import torch, iir2d.torch.nn as inn
    >>> bank = inn.IIR2DBank(channels=3)
    >>> bank(torch.zeros(1, 3, 8, 8)).shape, bank.gate_logits.shape
    (torch.Size([1, 3, 8, 8]), torch.Size([4, 3]))
    """

    def __init__(
        self,
        filter_ids: Sequence[int | str] = (1, 3, 4, 8),
        channels: int = 1,
        *,
        per_channel: bool = True,
        differentiable: bool = True,
        **how: Any,
    ) -> None:
        if not filter_ids:
            raise InvalidArgumentError("filter_ids (): a bank has one filter or more")
        super().__init__(filter_ids, channels, per_channel, differentiable, how)
        self.gate_logits = torch.nn.Parameter(torch.zeros(len(self.filters), self.weights))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Filters x."""
        weights = torch.softmax(self.gate_logits, 0).to(x.dtype)[:, :, None, None]
        result = torch.zeros_like(x)
        for weight, y in zip(weights, self._filtered(x), strict=True):
            result = result + weight * y
        return result


class IIRDenoiseStem(torch.nn.Module):
    """x + a convolution of an IIR2DBank of a convolution of x (N, C, H, W): a small block for denoising.

    >>> import torch, iir2d.torch.nn as inn
    >>> inn.IIRDenoiseStem(3, channels=8)(torch.zeros(1, 3, 8, 8)).shape
    torch.Size([1, 3, 8, 8])
    """

    def __init__(
        self,
        in_channels: int,
        channels: int = 32,
        *,
        filter_ids: Sequence[int | str] = (1, 3, 4, 8),
        precision: str | None = None,
    ) -> None:
        super().__init__()
        self.before = torch.nn.Conv2d(in_channels, channels, 3, padding=1, bias=False)
        self.bank = IIR2DBank(filter_ids, channels, precision=precision)
        self.after = torch.nn.Conv2d(channels, in_channels, 3, padding=1, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Filters x."""
        # As Flax's gelu is.
        features = torch.nn.functional.gelu(self.before(x), approximate="tanh")
        result: torch.Tensor = x + self.after(self.bank(features))
        return result


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
