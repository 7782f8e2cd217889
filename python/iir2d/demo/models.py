# SPDX-License-Identifier: MIT
"""The small networks that the demo compares, written once for both frameworks. All get noisy images (N, C, H, W).

The controls are iir2d 1.0's, and one of them once more with 1.0's gradient in place of the exact one: their filters stand in the only path from the input to the output, so what a low-pass takes
away is gone, and no adjoint brings it back.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .frameworks import Framework, Weights

Start = dict[str, npt.NDArray[np.float32]]

_WIDTH = 16  # channels between two convolutions
_LAST = 0.1  # of He's start, for networks that begin near leaving the image as it is
_BANK = (1, 3, 4, 8)


@dataclasses.dataclass(frozen=True, slots=True)
class Model:
    """A network: its weights at the start, and what it makes of images with them."""

    name: str
    start: Callable[[Framework, int, np.random.Generator], Start]
    denoise: Callable[[Framework, Weights, Any], Any]


def _layers(rng: np.random.Generator, widths: Sequence[int], last: float = 1.0) -> Start:
    """3x3 convolutions from each width to the next, as He et al. start them; the last one's weights times `last`."""
    weights: Start = {}
    for i, (before, after) in enumerate(zip(widths, widths[1:], strict=False)):
        scale = np.sqrt(2 / (9 * before)) * (last if i == len(widths) - 2 else 1)
        weights[f"w{i}"] = (scale * rng.standard_normal((after, before, 3, 3))).astype(np.float32)
        weights[f"b{i}"] = np.zeros(after, np.float32)
    return weights


def count(weights: Mapping[str, Any]) -> int:
    """Returns how many numbers are learnt."""
    return sum(int(np.size(value)) for value in weights.values())


def _convolutions(fw: Framework, w: Weights, x: Any) -> Any:
    features = fw.relu(fw.convolve(x, w["w0"], w["b0"], padding=1))
    return fw.convolve(features, w["w1"], w["b1"], padding=1)


def _baseline_start(fw: Framework, channels: int, rng: np.random.Generator) -> Start:
    """As wide as it must be to learn no fewer numbers than the network beside the filters."""
    most = count(_features_start(fw, channels, np.random.default_rng(0)))
    width = _WIDTH
    while count(weights := _layers(rng, [channels, width, channels], _LAST)) < most:
        width += 1
    return weights


def _baseline(fw: Framework, w: Weights, x: Any) -> Any:
    return x + _convolutions(fw, w, x)


def _features_start(fw: Framework, channels: int, rng: np.random.Generator) -> Start:
    weights = _layers(rng, [3 * channels, _WIDTH, 3 * channels], _LAST)
    free = fw.unconstrain(5, {"alpha": 0.5}) | fw.unconstrain(6, {"sigma": 1.5})
    return weights | {name: np.array(value, np.float32) for name, value in free.items()}


def _features(fw: Framework, w: Weights, x: Any) -> Any:
    """The convolutions see x beside two smoothed ones, and say for each pixel what to add and how much of each to take."""
    narrow = fw.filter(x, 5, **fw.constrain(5, {"alpha": w["alpha"]}))
    wide = fw.filter(x, 6, **fw.constrain(6, {"sigma": w["sigma"]}))
    y = _convolutions(fw, w, fw.concatenate([x, narrow, wide]))
    c = x.shape[1]
    shares = fw.sigmoid(y[:, c:])
    return x + y[:, :c] + shares[:, :c] * (narrow - x) + shares[:, c:] * (wide - x)


def _control(name: str, extra: Callable[[Framework], Start], inner: Callable[[Framework, Weights, Any], Any]) -> Model:
    """A convolution, the filters, a convolution: nothing goes around the filters."""

    def start(fw: Framework, channels: int, rng: np.random.Generator) -> Start:
        return _layers(rng, [channels, _WIDTH, channels]) | extra(fw)

    def denoise(fw: Framework, w: Weights, x: Any) -> Any:
        features = fw.relu(fw.convolve(x, w["w0"], w["b0"], padding=1))
        return fw.convolve(inner(fw, w, features), w["w1"], w["b1"], padding=1)

    return Model(name, start, denoise)


def _bank(fw: Framework, w: Weights, x: Any) -> Any:
    shares = fw.softmax(w["gate_logits"])
    mixed = shares[0][:, None, None] * fw.filter(x, _BANK[0])
    for i, filter_id in enumerate(_BANK[1:], 1):
        mixed = mixed + shares[i][:, None, None] * fw.filter(x, filter_id)
    return mixed


def _residual(fw: Framework, w: Weights, x: Any) -> Any:
    return x + fw.sigmoid(w["alpha"])[:, None, None] * (fw.filter(x, 4) - x)


def _trainable(fw: Framework, w: Weights, x: Any) -> Any:
    return fw.filter(x, 6, **fw.constrain(6, {"sigma": w["sigma"]}))


BASELINE = Model("baseline_conv", _baseline_start, _baseline)
FEATURES = Model("conv_plus_iir_features", _features_start, _features)
CONTROLS = (
    _control("conv_plus_iir_frozen", lambda fw: {}, lambda fw, w, x: fw.filter(x, 4)),
    _control("conv_plus_iir_frozen_approx", lambda fw: {}, lambda fw, w, x: fw.filter_as_adjoint(x, 4)),
    _control("conv_plus_iir_bank", lambda fw: {"gate_logits": np.zeros((len(_BANK), _WIDTH), np.float32)}, _bank),
    _control("conv_plus_iir_residual", lambda fw: {"alpha": np.zeros(_WIDTH, np.float32)}, _residual),
)
TRAINABLE = _control(
    "conv_plus_iir_trainable",
    lambda fw: {"sigma": np.array(fw.unconstrain(6, {"sigma": 1.5})["sigma"], np.float32)},
    _trainable,
)
