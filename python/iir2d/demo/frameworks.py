# SPDX-License-Identifier: MIT
"""What the demo needs of PyTorch or JAX, so that every model and every measurement is written once."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .._arguments import processors
from .results import BAD_ARGUMENT, DEVICE_FAILED, Failure

__all__ = ["Fit", "Framework", "Loss", "Weights", "choose", "installed", "processors"]

Weights = Mapping[str, Any]
Loss = Callable[..., Any]  # of the weights and a batch's arrays


@dataclasses.dataclass(slots=True)
class Fit:
    """Weights after learning, the loss of each step, and after each step the weights that are single numbers."""

    weights: dict[str, npt.NDArray[Any]]
    losses: list[float]
    numbers: dict[str, list[float]]


class Framework(Protocol):
    """PyTorch or JAX. Arrays are (N, C, H, W) in float32."""

    name: str
    device: str
    why: str

    def threads(self) -> int:
        """Returns the threads that a call uses."""
        ...

    def array(self, x: npt.NDArray[Any]) -> Any:
        """Returns an array of the framework on its device."""
        ...

    def numpy(self, x: Any) -> npt.NDArray[Any]:
        """Returns an array of NumPy."""
        ...

    def wait(self, x: Any) -> None:
        """Waits until x is computed."""
        ...

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Returns the function as one calls it for speed."""
        ...

    def filter(self, x: Any, filter_id: int, **how: Any) -> Any:
        """iir2d's filter."""
        ...

    def filter_as_adjoint(self, x: Any, filter_id: int) -> Any:
        """iir2d's filter with the gradient that 1.0 gave: the filter itself in place of its adjoint."""
        ...

    def constrain(self, filter_id: int, raw: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns a filter's parameters from free numbers."""
        ...

    def unconstrain(self, filter_id: int, values: Mapping[str, float]) -> dict[str, float]:
        """Returns the free numbers that constrain() maps to these values."""
        ...

    def convolve(self, x: Any, weight: Any, bias: Any = None, *, padding: int = 0, groups: int = 1) -> Any:
        """Returns the convolution of images; the padding is of zeros."""
        ...

    def repeat_edge(self, x: Any, rows: int, columns: int) -> Any:
        """Returns images with their edges repeated that many times."""
        ...

    def relu(self, x: Any) -> Any:
        """Returns x where it is positive, else 0."""
        ...

    def sigmoid(self, x: Any) -> Any:
        """Returns 1 / (1 + exp(-x))."""
        ...

    def softmax(self, x: Any) -> Any:
        """Returns the softmax over the first axis."""
        ...

    def concatenate(self, images: Sequence[Any]) -> Any:
        """Joins the channels of images."""
        ...

    def fit(self, loss: Loss, weights: Mapping[str, Any], batches: Iterable[Any], rate: float) -> Fit:
        """Lowers the loss by a step of Adam for each batch."""
        ...


def installed() -> list[str]:
    """Returns which of both frameworks are there."""
    return [name for name in ("torch", "jax") if importlib.util.find_spec(name) is not None]


def choose(wanted: str | None, device: str) -> list[Framework]:
    """Returns the frameworks to run with; raises Failure where one is not there or cannot use the device."""
    kind, _, number = device.partition(":")
    if kind not in ("auto", "cpu", "cuda") or (number and not (kind == "cuda" and number.isdigit())):
        raise Failure(BAD_ARGUMENT, f"device {device} is unknown: use auto, cpu, cuda or cuda:N")
    names = ["torch", "jax"] if wanted == "both" else [wanted] if wanted else installed()[:1]
    if not names:
        raise Failure(BAD_ARGUMENT, "neither torch nor jax is installed: pip install torch")
    found: list[Framework] = []
    for name in names:
        try:
            module = importlib.import_module(f".framework_{name}", __package__)
        except ImportError as error:
            raise Failure(BAD_ARGUMENT, f"{name} cannot be used: {error}") from error
        found.append(_on_device(module.make, kind, int(number or 0)))
    return found


def _on_device(make: Callable[[str, int, str], Framework], kind: str, number: int) -> Framework:
    if kind == "cpu":
        return make("cpu", 0, "asked for")
    why = "asked for" if kind == "cuda" else "there is one"
    try:
        found = make("cuda", number, why)
        found.wait(found.filter(found.array(np.zeros((4, 4), np.float32)), 1))
        return found
    except Exception as error:  # whatever a driver, a framework or the library says
        said = " ".join(str(error).split()) or type(error).__name__
        if kind == "cuda":
            raise Failure(DEVICE_FAILED, f"the GPU cannot be used: {said}") from error
        return make("cpu", 0, f"no GPU: {said}")
