# SPDX-License-Identifier: MIT
"""iir2d's filters as layers of Flax linen, on images (..., H, W, C).

>>> import jax, jax.numpy as jnp, iir2d.flax
>>> layer = iir2d.flax.Filter2d("deriche", learnable=("sigma",), channels=3)
>>> x = jnp.ones((2, 16, 16, 3))
>>> variables = layer.init(jax.random.key(0), x)
>>> layer.apply(variables, x).shape
(2, 16, 16, 3)
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

try:
    import flax.linen as nn
except ImportError as error:
    raise ImportError("iir2d.flax needs flax, which is not installed; iir2d.jax.constrain() works without") from error

from . import jax as _iir2d
from ._arguments import check_names, filter_info
from .errors import InvalidArgumentError, InvalidDimensionError

__all__ = ["Filter2d", "IIR2DBank", "IIR2DResidual", "IIRDenoiseStem"]


def _filtered(x: Any, filter_id: int | str, **options: Any) -> jax.Array:
    """Filters every channel of images (..., H, W, C)."""
    if x.ndim < 3:
        raise InvalidDimensionError(f"x has shape {x.shape}: it must be (..., height, width, channels)")
    return jnp.moveaxis(_iir2d.filter(jnp.moveaxis(x, -1, -3), filter_id, **options), -3, -1)


class Filter2d(nn.Module):
    """One filter, whose parameters named in `learnable` are learnt and never leave their ranges.

    Variables are free numbers, one for each learnt parameter under its name, of shape (), or (channels,) where
    `channels` is given; iir2d.jax.constrain(filter_id, ...) says what they stand for, as parameters_now() does. `initial`
    has values by name, those of parameters that are not learnt too; the others begin at their defaults.

    >>> import jax, jax.numpy as jnp, iir2d.flax
    >>> layer = iir2d.flax.Filter2d(6, learnable=("sigma",), initial={"sigma": 3.0})
    >>> variables = layer.init(jax.random.key(0), jnp.ones((8, 8, 1)))
    >>> round(float(layer.apply(variables, method="parameters_now")["sigma"]), 3)
    3.0
    """

    filter_id: int | str
    learnable: Sequence[str] = ()
    channels: int | None = None
    initial: Mapping[str, float] | None = None
    border: str = "mirror"
    border_const: float = 0.0
    start: str = "truncated"
    precision: str | None = None
    normalise_gain: bool = False

    def setup(self) -> None:
        info = filter_info(self.filter_id)
        values = {p.name: p.default for p in info.parameters} | dict(self.initial or {})
        check_names(info, values)
        check_names(info, self.learnable)
        self.fixed = {name: value for name, value in values.items() if name not in self.learnable}
        begin = {name: values[name] for name in self.learnable}
        shape = () if self.channels is None else (self.channels,)

        def start(_: Any, name: str) -> jax.Array:
            return jnp.broadcast_to(_iir2d.unconstrain(self.filter_id, begin, **self.fixed)[name], shape)

        self.free = {name: self.param(name, start, name) for name in begin}

    def parameters_now(self) -> dict[str, jax.Array]:
        """Returns the values of the learnt parameters."""
        return _iir2d.constrain(self.filter_id, self.free, **self.fixed)

    def __call__(self, x: Any) -> jax.Array:
        """Filters images (..., H, W, C)."""
        if self.channels is not None and x.shape[-1] != self.channels:
            raise InvalidDimensionError(f"x has shape {x.shape}: the layer has {self.channels} channels")
        options: dict[str, Any] = {
            "border": self.border,
            "border_const": self.border_const,
            "start": self.start,
            "precision": self.precision,
            "normalise_gain": self.normalise_gain,
        }
        return _filtered(x, self.filter_id, **options, **self.fixed, **self.parameters_now())


class IIR2DResidual(nn.Module):
    """x + sigmoid(alpha) (F x - x) with one fixed filter F; `alpha` is learnt, of each channel or of all.

    >>> import jax, jax.numpy as jnp, iir2d.flax
    >>> layer = iir2d.flax.IIR2DResidual(filter_id=4)
    >>> variables = layer.init(jax.random.key(0), jnp.ones((1, 8, 8, 3)))
    >>> variables["params"]["alpha"].shape
    (3,)
    """

    filter_id: int | str = 4
    border: str = "mirror"
    border_const: float = 0.0
    precision: str | None = None
    per_channel: bool = True
    differentiable: bool = True  # False: no gradient goes through the filter

    @nn.compact
    def __call__(self, x: Any) -> jax.Array:
        """Filters images (..., H, W, C)."""
        alpha = self.param("alpha", nn.initializers.zeros, (x.shape[-1] if self.per_channel else 1,))
        y = _fixed_filter(self, x, self.filter_id)
        result: jax.Array = x + jax.nn.sigmoid(alpha).astype(x.dtype) * (y - x)
        return result


class IIR2DBank(nn.Module):
    """A mixture of fixed filters, weighted by the softmax of `gate_logits`, which are learnt, of each channel or of all.

    >>> import jax, jax.numpy as jnp, iir2d.flax
    >>> layer = iir2d.flax.IIR2DBank()
    >>> variables = layer.init(jax.random.key(0), jnp.ones((1, 8, 8, 3)))
    >>> variables["params"]["gate_logits"].shape
    (4, 3)
    """

    filter_ids: Sequence[int | str] = (1, 3, 4, 8)
    border: str = "mirror"
    border_const: float = 0.0
    precision: str | None = None
    per_channel: bool = True
    differentiable: bool = True  # False: no gradient goes through the filters

    @nn.compact
    def __call__(self, x: Any) -> jax.Array:
        """Filters images (..., H, W, C)."""
        if not self.filter_ids:
            raise InvalidArgumentError("filter_ids (): a bank has one filter or more")
        shape = (len(self.filter_ids), x.shape[-1] if self.per_channel else 1)
        weights = jax.nn.softmax(self.param("gate_logits", nn.initializers.zeros, shape), axis=0).astype(x.dtype)
        filtered = [_fixed_filter(self, x, filter_id) for filter_id in self.filter_ids]
        parts = [weight * y for weight, y in zip(weights, filtered, strict=True)]
        result: jax.Array = functools.reduce(operator.add, parts)
        return result


def _fixed_filter(layer: Any, x: Any, filter_id: int | str) -> jax.Array:
    y = _filtered(x, filter_id, border=layer.border, border_const=layer.border_const, precision=layer.precision)
    return y if layer.differentiable else jax.lax.stop_gradient(y)


class IIRDenoiseStem(nn.Module):
    """x + a convolution of an IIR2DBank of a convolution of x: a small block for denoising.

    >>> import jax, jax.numpy as jnp, iir2d.flax
    >>> layer = iir2d.flax.IIRDenoiseStem(channels=8)
    >>> x = jnp.ones((1, 8, 8, 3))
    >>> layer.apply(layer.init(jax.random.key(0), x), x).shape
    (1, 8, 8, 3)
    """

    channels: int = 32
    filter_ids: Sequence[int | str] = (1, 3, 4, 8)
    precision: str | None = None

    @nn.compact
    def __call__(self, x: Any) -> jax.Array:
        """Filters images (N, H, W, C)."""
        features = nn.gelu(nn.Conv(self.channels, (3, 3), use_bias=False)(x))
        features = IIR2DBank(self.filter_ids, precision=self.precision)(features)
        result: jax.Array = x + nn.Conv(x.shape[-1], (3, 3), use_bias=False)(features)
        return result
