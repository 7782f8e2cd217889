# SPDX-License-Identifier: MIT
"""PyTorch as the demo uses it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F

from .. import _arguments
from .. import torch as _iir2d
from ..torch import _mapping
from .frameworks import Fit, Framework, Loss


class _AsAdjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, filter_id: int) -> torch.Tensor:
        ctx.filter_id = filter_id
        return _iir2d.filter(x, filter_id)

    @staticmethod
    def backward(ctx: Any, *dy: torch.Tensor) -> tuple[torch.Tensor, None]:
        return _iir2d.filter(dy[0], ctx.filter_id), None


class _Torch:
    name = "torch"

    def __init__(self, kind: str, number: int, why: str) -> None:
        if kind == "cuda" and not torch.cuda.is_available():
            raise RuntimeError("torch finds none")
        self._device = torch.device(kind, number) if kind == "cuda" else torch.device("cpu")
        self.device = torch.cuda.get_device_name(number) if kind == "cuda" else "cpu"
        self.why = why

    def threads(self) -> int:
        return torch.get_num_threads()

    def array(self, x: npt.NDArray[Any]) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(x)).to(self._device)

    def numpy(self, x: torch.Tensor) -> npt.NDArray[Any]:
        result: npt.NDArray[Any] = x.detach().cpu().numpy()
        return result

    def wait(self, x: Any) -> None:
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return torch.no_grad()(function)

    def filter(self, x: torch.Tensor, filter_id: int, **how: Any) -> torch.Tensor:
        return _iir2d.filter(x, filter_id, **how)

    def filter_as_adjoint(self, x: torch.Tensor, filter_id: int) -> torch.Tensor:
        result: torch.Tensor = _AsAdjoint.apply(x, filter_id)
        return result

    def constrain(self, filter_id: int, raw: Mapping[str, torch.Tensor]) -> Mapping[str, torch.Tensor]:
        return _mapping.constrain(_arguments.filter_info(filter_id), raw)

    def unconstrain(self, filter_id: int, values: Mapping[str, float]) -> dict[str, float]:
        return _mapping.unconstrain(_arguments.filter_info(filter_id), values)

    def convolve(
        self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None, *, padding: int = 0, groups: int = 1
    ) -> torch.Tensor:
        return F.conv2d(x, weight, bias, padding=padding, groups=groups)

    def repeat_edge(self, x: torch.Tensor, rows: int, columns: int) -> torch.Tensor:
        return F.pad(x, (columns, columns, rows, rows), mode="replicate")

    def relu(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x)

    def sigmoid(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(x)

    def softmax(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x, 0)

    def concatenate(self, images: Sequence[torch.Tensor]) -> torch.Tensor:
        return torch.cat(list(images), 1)

    def fit(self, loss: Loss, weights: Mapping[str, Any], batches: Iterable[Any], rate: float) -> Fit:
        free = {
            name: torch.tensor(np.asarray(value, np.float32), device=self._device, requires_grad=True)
            for name, value in weights.items()
        }
        optimiser = torch.optim.Adam(list(free.values()), lr=rate)
        losses: list[float] = []
        numbers: dict[str, list[float]] = {name: [] for name, value in free.items() if value.dim() == 0}
        for batch in batches:
            optimiser.zero_grad()
            value = loss(free, *(self.array(x) for x in batch))
            value.backward()
            optimiser.step()
            losses.append(value.item())
            for name, trace in numbers.items():
                trace.append(free[name].item())
        return Fit({name: self.numpy(value) for name, value in free.items()}, losses, numbers)


def make(kind: str, number: int, why: str) -> Framework:
    """Returns PyTorch on a device, "cpu" or "cuda"; raises where there is none."""
    return _Torch(kind, number, why)
