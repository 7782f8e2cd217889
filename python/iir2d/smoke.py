# SPDX-License-Identifier: MIT
"""Tells in a second whether an installation works: python -m iir2d.smoke [--gpu auto|require|skip] [--json]

One line for each check, `ok NAME`, `FAIL NAME: why` or `skip NAME: why`. Exits with 1 after a FAIL; where there is no GPU,
`--gpu require` is one.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

X = np.array([[0.0, 0.625, 0.375, 0.125], [0.75, 0.5, 0.25, 0.0], [0.625, 0.375, 0.125, 0.75]])
# Filter 6, sigma 1.5, wrap, from the mathematics in double.
Y = np.array(
    [
        [0.3224515253405315, 0.3425454726673842, 0.3231523927946619, 0.3178749786392631],
        [0.33402219274367595, 0.35469078269339116, 0.33409535861835543, 0.3292196019071352],
        [0.32442593755383814, 0.3466996983026156, 0.3279715482783846, 0.3184775140742987],
    ]
)


class _Skip(Exception):
    """A check that cannot be made here."""


def _require(holds: bool, why: str) -> None:
    # An assertion would be left out under -O.
    if not holds:
        raise AssertionError(why)


def _library() -> None:
    import iir2d

    names = ["ok", "invalid_argument", "invalid_dimension", "invalid_filter_id", "invalid_border_mode"]
    _require([iir2d.status_string(-i) for i in range(5)] == names, "the statuses have other names")
    _require(iir2d.api_version() >= (1, 2, 0), f"the library has version {iir2d.api_version()}")
    _require(iir2d.build_fingerprint().startswith("iir2d "), "the fingerprint is empty")


def _module(
    name: str,
    needs: str | None,
    array: Callable[[Any], Any],
    tolerance: float,
    to_host: Callable[[Any], Any] = np.asarray,
) -> Callable[[], None]:
    def run() -> None:
        if needs is not None and importlib.util.find_spec(needs) is None:
            raise _Skip(f"{needs} is not installed")
        import iir2d

        module = importlib.import_module(name)
        x = array(X)
        how: dict[str, Any] = {"sigma": 1.5, "border": "wrap"}
        y = to_host(module.filter(x, "deriche", **how))
        _require(bool(np.abs(y - Y).max() <= tolerance), f"filter differs by {np.abs(y - Y).max():.3g}")
        back = to_host(module.filter_adjoint(array(Y), "deriche", **how))
        difference = abs(float(np.vdot(y, Y)) - float(np.vdot(X, back)))
        _require(difference <= 10 * tolerance, f"the inner products differ by {difference:.3g}")
        try:
            module.filter(x, "ema", alpha=2.0)
        except iir2d.InvalidArgumentError as error:
            _require("alpha 2" in str(error), f"the error says {error}")
        else:
            raise AssertionError("alpha 2 was taken")

    return run


def _torch_array(x: Any) -> Any:
    import torch

    return torch.from_numpy(x)


def _jax_array(x: Any) -> Any:
    import jax.numpy

    return jax.numpy.asarray(x, jax.numpy.float32)


def _on_gpu() -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """How an array gets to the GPU, and back."""
    if importlib.util.find_spec("torch") is not None:
        import torch

        if torch.cuda.is_available():
            return lambda x: torch.from_numpy(x).cuda(), lambda x: x.cpu().numpy()
    if importlib.util.find_spec("cupy") is not None:
        cupy: Any = importlib.import_module("cupy")
        return cupy.asarray, cupy.asnumpy
    raise _Skip("neither a torch with CUDA nor CuPy is installed, which make arrays on a GPU")


def _gpu(wanted: str) -> Callable[[], None]:
    def run() -> None:
        if wanted == "skip":
            raise _Skip("not asked for")
        import iir2d

        if not any(device["backend"] == "cuda" and device["usable"] for device in iir2d.devices()):
            raise _Skip("there is no usable CUDA device: `iir2d devices` says why")
        there, back = _on_gpu()
        _module("iir2d", None, there, 1e-12, back)()
        if type(there(X)).__module__.split(".")[0] == "torch":
            _module("iir2d.torch", None, there, 1e-12, back)()

    def required() -> None:
        try:
            run()
        except _Skip as skipped:
            raise AssertionError(str(skipped)) from None

    return required if wanted == "require" else run


def main(arguments: list[str] | None = None) -> int:
    """Runs the checks and prints a line for each; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m iir2d.smoke", description="Checks an installation of iir2d.")
    parser.add_argument("--gpu", choices=["auto", "require", "skip"], default="auto")
    parser.add_argument("--json", action="store_true", help="one JSON object in place of lines")
    options = parser.parse_args(arguments)
    checks: list[tuple[str, Callable[[], None]]] = [
        ("library", _library),
        ("arrays", _module("iir2d", None, lambda x: x, 1e-12)),
        ("torch", _module("iir2d.torch", "torch", _torch_array, 1e-12)),
        ("jax", _module("iir2d.jax", "jax", _jax_array, 1e-5)),
        ("gpu", _gpu(options.gpu)),
    ]
    results: dict[str, dict[str, str]] = {}
    for name, check in checks:
        try:
            check()
            results[name] = {"result": "ok"}
        except _Skip as skipped:
            results[name] = {"result": "skip", "why": str(skipped)}
        except Exception as error:  # whatever it is, it is why
            why = " ".join(f"{error}".split()) or type(error).__name__
            results[name] = {"result": "FAIL", "why": why}
    if options.json:
        print(json.dumps(results))
    else:
        for name, found in results.items():
            print(f"{found['result']} {name}" + (f": {found['why']}" if "why" in found else ""))
    return 1 if any(found["result"] == "FAIL" for found in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
