# SPDX-License-Identifier: MIT
"""Learning a filter from what it made of noise: its sigma, or the five numbers of a biquad."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import plots
from .frameworks import Framework
from .results import Claim, Result, Table

SIGMA = 3.7
BIQUAD = {"b0": 0.35, "b1": 0.1, "b2": -0.1, "a1": 0.7, "a2": -0.25}
_START = {"b0": 0.2, "b1": 0.2, "b2": 0.2, "a1": 0.3, "a2": -0.1}
_STEPS = 300
COLUMNS = ["framework", "filter", "parameter", "start", "hidden", "learnt"]


def learn_filter(frameworks: Sequence[Framework], seed: int, steps: int = _STEPS) -> Result:
    """Recovers a hidden sigma of filter 6 and a hidden biquad by gradients of their parameters."""
    # Of mean 0: one would hide everything but the gain.
    noise = np.random.default_rng(seed).random((1, 1, 64, 64), dtype=np.float32) - np.float32(0.5)
    table, history = Table(COLUMNS, []), Table(["model", "step", "loss", "framework"], [])
    result = Result(tables={"learn_filter": table, "learn_filter_history": history})
    traces: dict[str, list[float]] = {}
    for fw in frameworks:
        for name, filter_id, start, hidden, rate in (
            ("learn_sigma", 6, {"sigma": 1.0}, {"sigma": SIGMA}, 0.1),
            ("learn_biquad", 3, _START, BIQUAD, 0.03),
        ):
            x = fw.array(noise)
            target = fw.numpy(fw.filter(x, filter_id, **hidden))

            def loss(w: Any, x: Any, y: Any, fw: Framework = fw, filter_id: int = filter_id) -> Any:
                return ((fw.filter(x, filter_id, **fw.constrain(filter_id, w)) - y) ** 2).mean()

            fit = fw.fit(loss, fw.unconstrain(filter_id, start), itertools.repeat((noise, target), steps), rate)
            values = fw.constrain(filter_id, {n: fw.array(np.asarray(t, np.float32)) for n, t in fit.numbers.items()})
            paths = {n: [start[n], *(float(v) for v in fw.numpy(values[n]))] for n in start}
            table.rows += [[fw.name, filter_id, n, start[n], hidden[n], paths[n][-1]] for n in start]
            history.rows += [[name, i, v, fw.name] for i, v in enumerate(fit.losses, 1)]
            result.samples[f"{fw.name} {name}"] = paths
            if name == "learn_sigma":
                traces[fw.name] = paths["sigma"]
                away = abs(paths["sigma"][-1] - SIGMA)
                result.claims.append(Claim(
                    f"learn_filter, {fw.name}: a hidden sigma of {SIGMA} is found within 0.05",
                    f"{paths['sigma'][-1]:.4f}", away < 0.05,
                ))  # fmt: skip
            else:
                fall = fit.losses[0] / max(fit.losses[-1], 1e-30)
                result.claims.append(Claim(
                    f"learn_filter, {fw.name}: the loss of a hidden biquad falls 1,000 times",
                    f"{fall:,.0f} times", fall >= 1000,
                ))  # fmt: skip
    result.drawings["learn_filter"] = plots.learnt(traces, SIGMA, history.records())
    return result
