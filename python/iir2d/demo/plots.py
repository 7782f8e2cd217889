# SPDX-License-Identifier: MIT
"""The demo's pictures. Each function returns what draws one onto a figure of matplotlib; none is needed to compute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .results import Drawing

Record = Mapping[str, Any]

_OURS = "#1f6feb"
_OTHER = "#9aa4b2"
_WRONG = "#d1495b"
_CYCLE = ["#57606a", "#e08a1e", "#2a9d6f", "#8a63d2", "#d1495b", "#0b7285"]
_LINES = ["-", "--", ":", "-."]
_WINNER = "conv_plus_iir_features"


def _labels(records: Sequence[Record]) -> list[str]:
    """The models' names, with the framework where there is more than one."""
    several = len({r.get("framework") for r in records}) > 1
    return [f"{r['model']} ({r['framework']})" if several else str(r["model"]) for r in records]


def _colours(records: Sequence[Record], key: str = "model") -> list[str]:
    return [_OURS if r[key] == _WINNER else _OTHER for r in records]


def _bars(
    figure: Any, names: Sequence[str], values: Sequence[float], colours: Sequence[str], title: str, unit: str, shown: str
) -> None:
    figure.set_size_inches(8, 1.6 + 0.42 * len(names))
    axes = figure.add_subplot()
    bars = axes.barh(range(len(names)), values, color=colours, height=0.65)
    axes.bar_label(bars, [shown.format(v) for v in values], padding=4, fontsize=9)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.margins(x=0.16)
    axes.axvline(0, color="#30363d", linewidth=0.8)
    axes.set_xlabel(unit)
    axes.set_title(title, loc="left", fontsize=11)
    _plain(axes)


def _plain(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", color="#e6e8eb", linewidth=0.8)
    axes.set_axisbelow(True)


def gains(records: Sequence[Record]) -> Drawing:
    """PSNR gained by each model of a summary."""

    def draw(figure: Any) -> None:
        values = [float(r["psnr_gain"]) for r in records]
        title = "Denoising: gain over the noisy picture"
        _bars(figure, _labels(records), values, _colours(records), title, "PSNR gain in dB (higher is better)", "{:+.2f}")

    return draw


def times(records: Sequence[Record]) -> Drawing:
    """Training time of each model of a summary."""

    def draw(figure: Any) -> None:
        values = [float(r["train_time_s"]) for r in records]
        _bars(figure, _labels(records), values, _colours(records), "Time to train", "seconds (lower is better)", "{:.2f}")

    return draw


def _smooth(values: Any) -> Any:
    """A running mean over a twentieth of the steps."""
    window = max(1, len(values) // 20)
    padded = np.concatenate([np.full(window - 1, values[0]), values])
    return np.convolve(padded, np.full(window, 1 / window), "valid")


def _curves(axes: Any, records: Sequence[Record], smooth: bool) -> None:
    groups: dict[str, list[Record]] = {}
    for label, record in zip(_labels(records), records, strict=True):
        groups.setdefault(label, []).append(record)
    for i, (label, rows) in enumerate(groups.items()):
        steps = [float(r["step"]) for r in rows]
        values = np.array([float(r["loss"]) for r in rows])
        ours = label.startswith((_WINNER, "learn_sigma"))
        width, colour = (2.2, _OURS) if ours else (1.5, _CYCLE[i % len(_CYCLE)])
        style = _LINES[i // len(_CYCLE) % len(_LINES)]
        axes.plot(steps, _smooth(values) if smooth else values, style, label=label, linewidth=width, color=colour)
    axes.set_yscale("log")
    axes.set_xlabel("step")
    axes.set_ylabel("mean squared error")
    axes.grid(color="#e6e8eb", linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)


def losses(records: Sequence[Record]) -> Drawing:
    """Loss by step of each model of a history."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        _curves(axes, records, smooth=True)
        axes.set_title("Training loss (running mean over a twentieth of the steps)", loc="left", fontsize=11)
        figure.legend(loc="outside right upper", fontsize=9, frameon=False)
        figure.set_size_inches(9.5, 4.5)

    return draw


def learnt(traces: Mapping[str, Sequence[float]], hidden: float, history: Sequence[Record]) -> Drawing:
    """Sigma by step, and the losses of both learnt filters."""

    def draw(figure: Any) -> None:
        figure.set_size_inches(10, 4)
        left, right = figure.subplots(1, 2)
        for i, (name, trace) in enumerate(traces.items()):
            left.plot(trace, color=_OURS if i == 0 else _CYCLE[i], linewidth=1.8, label=f"learnt ({name})")
        left.axhline(hidden, color=_WRONG, linewidth=1, linestyle="--", label=f"hidden: {hidden}")
        left.set_xlabel("step")
        left.set_ylabel("sigma in pixels")
        left.set_title("Filter 6: sigma, learnt from 1.0", loc="left", fontsize=11)
        left.legend(frameon=False, loc="lower right")
        left.grid(color="#e6e8eb", linewidth=0.8)
        left.spines[["top", "right"]].set_visible(False)
        _curves(right, history, smooth=False)
        right.set_title("Loss of both learnt filters", loc="left", fontsize=11)
        right.legend(frameon=False)

    return draw


def deblurring(paths: Mapping[str, tuple[Sequence[float], Sequence[float]]]) -> Drawing:
    """PSNR and residual by step, for each adjoint."""

    def draw(figure: Any) -> None:
        figure.set_size_inches(10, 4)
        left, right = figure.subplots(1, 2)
        for (name, (decibels, residual)), colour in zip(paths.items(), (_OURS, _WRONG), strict=False):
            label = "exact adjoint" if name == "exact_adjoint" else "filter as its own adjoint (1.0)"
            left.plot(decibels, "o-", markersize=3.5, color=colour, label=label)
            right.plot(residual, "o-", markersize=3.5, color=colour, label=label)
        left.axhline(next(iter(paths.values()))[0][0], color="#57606a", linewidth=1, linestyle="--", label="blurred picture")
        left.set_ylabel("PSNR in dB (higher is better)")
        left.set_title("Distance from the original", loc="left", fontsize=11)
        right.set_yscale("log")
        right.set_ylabel("|b - A x| / |b|")
        right.set_title("Residual", loc="left", fontsize=11)
        for axes in (left, right):
            axes.set_xlabel("step of conjugate gradients")
            axes.xaxis.get_major_locator().set_params(integer=True)
            axes.grid(color="#e6e8eb", linewidth=0.8)
            axes.spines[["top", "right"]].set_visible(False)
        handles, labels = left.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)

    return draw


def _row(figure: Any, images: Sequence[tuple[str, Any]]) -> None:
    figure.set_size_inches(2.6 * len(images), 3.1)
    figure.set_layout_engine("compressed")
    for axes, (title, image) in zip(np.ravel(figure.subplots(1, len(images))), images, strict=True):
        shown = np.clip(image, 0, 1)
        if shown.ndim == 3:
            shown = np.moveaxis(shown, 0, -1) if shown.shape[0] == 3 else shown[0]
        axes.imshow(shown, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
        axes.set_title(title, fontsize=9)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.spines[:].set_visible(False)


def deblurred(truth: Any, blurred: Any, estimates: Mapping[str, Any], psnr: Callable[[Any, Any], float]) -> Drawing:
    """The original, the blurred picture and what each adjoint led to."""

    def draw(figure: Any) -> None:
        names = {"exact_adjoint": "exact adjoint", "filter_as_adjoint": "filter as its own adjoint"}
        images = [("original", truth), (f"blurred and noisy\n{psnr(blurred, truth):.1f} dB", blurred)]
        images += [(f"{names[n]}\n{psnr(x, truth):.1f} dB", x) for n, x in estimates.items()]
        _row(figure, images)

    return draw


def denoised(clean: Any, noisy: Any, predictions: Mapping[str, Any], psnr: Callable[[Any, Any], float]) -> Drawing:
    """One validation patch, the one with most detail: clean, noisy, and as each of the best models made it."""
    at = int(np.argmax(clean.reshape(len(clean), -1).std(1)))

    def draw(figure: Any) -> None:
        images = [("clean", clean[at]), (f"noisy\n{psnr(noisy[at], clean[at]):.1f} dB", noisy[at])]
        for name in ("baseline_conv", _WINNER, "conv_plus_iir_frozen"):
            images.append((f"{name}\n{psnr(predictions[name][at], clean[at]):.1f} dB", predictions[name][at]))
        _row(figure, images)

    return draw


def bench(records: Sequence[Record]) -> Drawing:
    """Latency of each method, and its distance from the Gaussian."""

    def draw(figure: Any) -> None:
        several = len({r["framework"] for r in records}) > 1
        names = [f"{r['method']} ({r['framework']})" if several else r["method"] for r in records]
        colours = [_OURS if r["method"].startswith("iir") else _OTHER for r in records]
        figure.set_size_inches(10, 1.8 + 0.42 * len(names))
        left, right = figure.subplots(1, 2, sharey=True)
        panels = ((left, "latency_ms", "ms a call, log scale (lower is better)", "{:.2f}", "Time"),
                  (right, "mse_vs_ref", "mean squared error, log scale (lower is closer)", "{:.1e}",
                   "Distance from the 15-tap Gaussian, sigma 3"))  # fmt: skip
        for axes, column, unit, shown, title in panels:
            values = [float(r[column]) for r in records]
            bars = axes.barh(range(len(names)), values, color=colours, height=0.65, log=True)
            axes.bar_label(bars, [shown.format(v) for v in values], padding=4, fontsize=9)
            low, high = min(v for v in values if v > 0), max(values)
            axes.set_xlim(low / 2, high * (high / low) ** 0.25)
            axes.set_xlabel(unit)
            axes.set_title(title, loc="left", fontsize=11)
            _plain(axes)
        left.set_yticks(range(len(names)), names)
        left.invert_yaxis()

    return draw
