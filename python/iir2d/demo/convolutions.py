# SPDX-License-Identifier: MIT
"""Three recursive filters beside separable convolutions: time, and distance from a Gaussian of sigma 3."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import plots
from .frameworks import Framework
from .pictures import SAMPLES, files, read
from .results import Claim, Result, Table

COLUMNS = ["method", "latency_ms", "mpps", "mse_vs_ref", "output_mean", "framework"]
SIGMA = 3.0
TAPS = 15
# The decay at which a causal EMA spreads as wide: alpha / (1 - alpha)^2 = sigma^2.
_EMA_ALPHA = 1 + (1 - math.sqrt(1 + 4 * SIGMA**2)) / (2 * SIGMA**2)
FILTERS: dict[str, tuple[int, dict[str, Any]]] = {
    "iir_filter4": (4, {"normalise_gain": True}),
    "iir_deriche": (6, {"sigma": SIGMA}),
    "iir_ema": (1, {"alpha": _EMA_ALPHA}),
}
# Taps, and how often: together they have the variance of sigma 3.
CONVOLUTIONS = {"conv_5x5_x4": (5, 4), "conv_9x9_x2": (9, 2), "conv_15": (TAPS, 1)}


def _gaussian(taps: int, sigma: float) -> npt.NDArray[np.float64]:
    at = np.arange(taps) - taps // 2
    weights = np.exp(-0.5 * (at / sigma) ** 2)
    normalised: npt.NDArray[np.float64] = weights / weights.sum()
    return normalised


def _reference(x: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """The 15-tap Gaussian in double, edges repeated."""
    y = x.astype(np.float64)
    for axis in (-1, -2):
        around = [(0, 0)] * y.ndim
        around[axis] = (TAPS // 2, TAPS // 2)
        wide = np.moveaxis(np.pad(y, around, mode="edge"), axis, -1)
        length = wide.shape[-1] - TAPS + 1
        y = np.moveaxis(np.stack([wide[..., k : k + length] for k in range(TAPS)], -1) @ _gaussian(TAPS, SIGMA), -1, axis)
    return y


def _convolution(fw: Framework, channels: int, taps: int, times: int) -> Callable[[Any], Any]:
    weights = _gaussian(taps, SIGMA / math.sqrt(times)).astype(np.float32)
    row = fw.array(np.tile(weights, (channels, 1, 1, 1)))
    column = fw.array(np.tile(weights[:, None], (channels, 1, 1, 1)))
    half = taps // 2

    def run(x: Any) -> Any:
        for _ in range(times):
            x = fw.convolve(fw.repeat_edge(x, 0, half), row, groups=channels)
            x = fw.convolve(fw.repeat_edge(x, half, 0), column, groups=channels)
        return x

    return run


def _image(options: argparse.Namespace) -> tuple[npt.NDArray[np.float32], dict[str, str]]:
    """The first sample, repeated until it fills the batch."""
    picture = read(files(SAMPLES)[0], 1)
    _, height, width = picture.pixels.shape
    times = (-(-options.height // height), -(-options.width // width))
    plane = np.tile(picture.pixels[0], times)[: options.height, : options.width]
    shape = (options.batch, options.channels, options.height, options.width)
    return np.array(np.broadcast_to(plane, shape)), {picture.name: picture.sha256}


def bench(frameworks: Sequence[Framework], options: argparse.Namespace) -> Result:
    """Times every method on one image, and compares its result with the 15-tap Gaussian in double."""
    image, inputs = _image(options)
    reference = _reference(image)
    table = Table(COLUMNS, [])
    result = Result(tables={"bench_vs_conv": table}, inputs=inputs)
    for fw in frameworks:
        x = fw.array(image)
        methods: dict[str, Callable[[Any], Any]] = {
            name: lambda x, fw=fw, f=f, how=how: fw.filter(x, f, border="clamp", **how) for name, (f, how) in FILTERS.items()
        } | {name: _convolution(fw, options.channels, *shape) for name, shape in CONVOLUTIONS.items()}
        for name, method in methods.items():
            run = fw.compiled(method)
            y = run(x)
            for _ in range(options.warmup):
                fw.wait(run(x))
            times = []
            for _ in range(options.iters):
                begin = time.perf_counter()
                fw.wait(run(x))
                times.append(1e3 * (time.perf_counter() - begin))
            latency = float(np.median(times))
            found = fw.numpy(y).astype(np.float64)
            error = float(np.mean((found - reference) ** 2))
            table.rows.append([name, latency, image.size / latency / 1e3, error, float(found.mean()), fw.name])
            result.samples[f"{fw.name} {name} latency_ms"] = times
        ours = {row[0]: row[1] for row in table.rows if row[-1] == fw.name}
        ratio = min(ours[name] for name in CONVOLUTIONS) / ours["iir_deriche"]
        result.claims.append(Claim(
            f"bench-vs-conv, {fw.name}: the Deriche filter is faster than each separable convolution",
            f"{ratio:.1f} times as fast as the fastest", ratio > 1,
        ))  # fmt: skip
    result.notes.append(
        "Medians. Filter 4 is normalised in gain. The reference is the 15-tap Gaussian of sigma 3 in double, which conv_15 is in "
        "float32; all repeat edges. A "
        "causal filter (4, EMA) moves the image by its delay, which counts as error; Deriche's does not."
    )
    result.drawings["bench_vs_conv"] = plots.bench(table.records())
    return result
