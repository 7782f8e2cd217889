# SPDX-License-Identifier: MIT
"""Deblurring by conjugate gradients on the normal equations, with the exact adjoint and with iir2d 1.0's.

1.0 gave the filter itself as its adjoint; the filters are not symmetric, and conjugate gradients are then led astray.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import iir2d

from . import plots
from .denoise import psnr
from .results import Claim, Result, Table

Plane = npt.NDArray[np.float64]
Operator = Callable[[Plane], Plane]

FILTER = 1
STEPS = 20
NOISE = 1e-3
COLUMNS = ["method", "step", "psnr_db", "residual"]
METHODS: dict[str, Callable[..., Any]] = {"exact_adjoint": iir2d.filter_adjoint, "filter_as_adjoint": iir2d.filter}


@dataclasses.dataclass(slots=True)
class Path:
    """The estimate after the last step, and after each step, from before the first, its PSNR in dB and |b - A x| / |b|."""

    estimate: Plane
    psnr: list[float]
    residual: list[float]


def conjugate_gradients(forward: Operator, adjoint: Operator, blurred: Plane, truth: Plane, steps: int = STEPS) -> Path:
    """Minimises |b - A x|^2 from x = b (CGLS: Hestenes and Stiefel 1952, section 10)."""
    x = blurred.copy()
    r = blurred - forward(x)
    s = adjoint(r)
    p, gamma = s.copy(), np.vdot(s, s)
    scale = float(np.linalg.norm(blurred))

    def residual() -> float:
        return float(np.linalg.norm(blurred - forward(x))) / scale

    path = Path(x, [psnr(x, truth)], [residual()])
    for _ in range(steps):
        q = forward(p)
        step = gamma / np.vdot(q, q)
        x += step * p
        r -= step * q
        s = adjoint(r)
        before, gamma = gamma, np.vdot(s, s)
        p = s + (gamma / before) * p
        path.psnr.append(psnr(x, truth))
        path.residual.append(residual())
    return path


def deblur(truth: Plane, seed: int) -> Result:
    """Blurs a photograph with filter 1, adds noise, and takes the blur back, once with each adjoint."""
    noise = NOISE * np.random.default_rng(seed).standard_normal(truth.shape)
    blurred = iir2d.filter(truth, FILTER, border="mirror") + noise
    paths: dict[str, Path] = {}
    table = Table(COLUMNS, [])
    for name, adjoint in METHODS.items():
        path = conjugate_gradients(_by(iir2d.filter), _by(adjoint), blurred, truth)
        paths[name] = path
        pairs = zip(path.psnr, path.residual, strict=True)
        table.rows += [[name, i, decibels, left] for i, (decibels, left) in enumerate(pairs)]
    exact, wrong = paths.values()
    gain = exact.psnr[-1] - exact.psnr[0]
    falls = all(b < a for a, b in zip(exact.residual, exact.residual[1:], strict=False))
    claims = [
        Claim(f"deblurring: the exact adjoint gains at least 12 dB in {STEPS} steps",
              f"{exact.psnr[0]:.1f} dB to {exact.psnr[-1]:.1f} dB", gain >= 12),
        Claim("deblurring: with it the residual falls at each step",
              f"{exact.residual[0]:.3g} to {exact.residual[-1]:.3g}", falls),
        Claim("deblurring: with the filter as its own adjoint, as in 1.0, it ends below the blurred picture",
              f"{wrong.psnr[0]:.1f} dB to {wrong.psnr[-1]:.1f} dB", wrong.psnr[-1] < wrong.psnr[0]),
    ]  # fmt: skip
    drawings = {
        "deblur": plots.deblurring({n: (p.psnr, p.residual) for n, p in paths.items()}),
        "deblurred": plots.deblurred(truth, blurred, {n: p.estimate for n, p in paths.items()}, psnr),
    }
    return Result(tables={"deblur": table}, claims=claims, drawings=drawings)


def _by(function: Callable[..., Any]) -> Operator:
    return lambda x: function(x, FILTER, border="mirror")


def adjoint_errors(seed: int) -> Table:
    """How far the exact adjoint and 1.0's are from the transpose, for each filter at its defaults.

    The error is |B y - A^T y| / |A^T y| of noise y, with A^T column by column from the filter itself.
    """
    rows, columns = 16, 18
    y = np.random.default_rng(seed).standard_normal((rows, columns))
    units = np.eye(rows * columns).reshape(-1, rows, columns)
    table = Table(["filter", "key", "error_exact", "error_filter_as_adjoint"], [])
    for info in iir2d.filters():
        transposed = (iir2d.filter(units, info.id).reshape(len(units), -1) @ y.ravel()).reshape(rows, columns)
        norm = np.linalg.norm(transposed)
        errors = [float(np.linalg.norm(f(y, info.id) - transposed) / norm) for f in METHODS.values()]
        table.rows.append([info.id, info.key, *errors])
    return table
