# SPDX-License-Identifier: MIT
"""Denoising: every model with the same patches, the same noise and the same validation set."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import models, plots
from .frameworks import Framework
from .pictures import Pixels, Split
from .results import Claim, Result, Table

SUMMARY = [
    "model", "loss_start", "loss_end", "train_time_s", "psnr_noisy", "psnr_pred", "psnr_gain", "framework", "weights",
]  # fmt: skip
HISTORY = ["model", "step", "loss", "framework"]
NEEDED_DB = 0.5
_CONTROLS_NOTE = (
    "The controls conv_plus_iir_frozen, _bank and _residual are iir2d 1.0's: a low-pass bank stands in their only path from "
    "input to output, so they cannot keep the detail that they would have to, whatever their adjoint is. _frozen_approx is "
    "_frozen with the gradient that 1.0 gave, the filter itself in place of its adjoint."
)


def psnr(a: Any, b: Any) -> float:
    """Returns the peak signal-to-noise ratio in dB; the peak is 1."""
    return float(-10 * np.log10(max(float(np.mean((np.asarray(a, np.float64) - b) ** 2)), 1e-30)))


def _batches(patches: Pixels, steps: int, batch: int, sigma: float, seed: int) -> Iterator[tuple[Pixels, Pixels]]:
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        clean = patches[rng.integers(0, len(patches), batch)]
        yield _noisy(clean, sigma, rng), clean


def _noisy(clean: Pixels, sigma: float, rng: np.random.Generator) -> Pixels:
    return np.asarray(clean + sigma * rng.standard_normal(clean.shape, np.float32), np.float32)


def compare(command: str, frameworks: Sequence[Framework], split: Split, options: argparse.Namespace) -> Result:
    """Trains every model and judges it on the validation patches."""
    clean = split.validation
    noisy = _noisy(clean, options.noise_sigma, np.random.default_rng(options.seed + 1))
    before = psnr(noisy, clean)
    chosen = [models.BASELINE, models.FEATURES, *models.CONTROLS]
    if options.with_trainable_iir:
        chosen.append(models.TRAINABLE)
    result = Result(inputs=dict(split.inputs), notes=[_CONTROLS_NOTE])
    summary, history = Table(SUMMARY, []), Table(HISTORY, [])
    gains: dict[tuple[str, str], float] = {}
    predictions: dict[str, Pixels] = {}
    for fw in frameworks:
        for model in chosen:
            start = model.start(fw, clean.shape[1], np.random.default_rng(options.seed))

            def loss(w: Any, x: Any, y: Any, model: models.Model = model, fw: Framework = fw) -> Any:
                return ((model.denoise(fw, w, x) - y) ** 2).mean()

            begin = time.perf_counter()
            batches = _batches(split.train, options.steps, options.batch, options.noise_sigma, options.seed)
            fit = fw.fit(loss, start, batches, options.lr)
            seconds = time.perf_counter() - begin
            apply = fw.compiled(lambda w, x, model=model, fw=fw: model.denoise(fw, w, x))
            learnt = {name: fw.array(value) for name, value in fit.weights.items()}
            predicted = fw.numpy(apply(learnt, fw.array(noisy)))
            after = psnr(predicted, clean)
            gains[fw.name, model.name] = after - before
            predictions.setdefault(model.name, predicted)
            summary.rows.append([
                model.name, fit.losses[0], fit.losses[-1], seconds, before, after, after - before, fw.name,
                models.count(start),
            ])  # fmt: skip
            history.rows += [[model.name, i, value, fw.name] for i, value in enumerate(fit.losses, 1)]
            result.samples[f"{fw.name} {model.name} learnt"] = {
                name: _values(fw, name, trace) for name, trace in fit.numbers.items()
            }
        more = gains[fw.name, "conv_plus_iir_features"] - gains[fw.name, "baseline_conv"]
        result.claims.append(Claim(
            f"{command}, {fw.name}: recursive features gain at least {NEEDED_DB} dB more than convolutions alone",
            f"{more:+.2f} dB", more >= NEEDED_DB,
        ))  # fmt: skip
    result.claims.append(_separate(command, result.inputs))
    prefix = command.replace("-", "_")
    result.tables = {f"{prefix}_summary": summary, f"{prefix}_history": history}
    result.drawings = {
        "psnr_gain_bar": plots.gains(summary.records()),
        "train_time_bar": plots.times(summary.records()),
        "loss_curves": plots.losses(history.records()),
        "denoised": plots.denoised(clean, noisy, predictions, psnr),
    }
    return result


def _values(fw: Framework, name: str, trace: list[float]) -> list[float]:
    """A parameter's values at each step."""
    filter_id = 5 if name == "alpha" else 6
    values = fw.constrain(filter_id, {name: fw.array(np.asarray(trace, np.float32))})
    return [float(v) for v in fw.numpy(values[name])]


def _separate(command: str, inputs: Mapping[str, str]) -> Claim:
    """Compares the hashes that the record has of the images."""
    hashes: dict[str, set[str]] = {"train": set(), "validation": set()}
    for name, digest in inputs.items():
        hashes[name.partition("/")[0]].add(digest)
    both = hashes["train"] & hashes["validation"]
    figure = f"{len(hashes['train'])} to learn from, {len(hashes['validation'])} to judge by, {len(both)} in both"
    return Claim(f"{command}: no image is in both splits", figure, not both)
