# SPDX-License-Identifier: MIT
"""Tensors on a GPU: what the operations do there on raw addresses, on the current stream, without waiting for it."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import Any

import torch

from .. import _arguments, _native, _on_gpu
from ..errors import InvalidArgumentError

ELEMENTS = {
    torch.float32: _arguments.F32,
    torch.float64: _arguments.F64,
    torch.float16: _arguments.F16,
    torch.bfloat16: _arguments.BF16,
    torch.int64: _arguments.F64,  # as wide as a position
}


def lies_on_gpu(x: torch.Tensor) -> bool:
    """Whether a tensor is a GPU's."""
    return x.is_cuda


def empty(like: torch.Tensor, shape: Any, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Returns a dense tensor on another one's device, of its type or a given one."""
    return torch.empty(shape, dtype=like.dtype if dtype is None else dtype, device=like.device)


@contextlib.contextmanager
def current_stream(x: torch.Tensor) -> Generator[int, None, None]:
    """Makes x's device the current one; gives the handle of its current stream."""
    with torch.cuda.device(x.device):
        yield torch.cuda.current_stream(x.device).cuda_stream


def require_one_device(name: str, tensor: torch.Tensor, other: str, x: torch.Tensor) -> None:
    """Raises InvalidArgumentError where two tensors of a call lie on different devices."""
    if tensor.device != x.device:
        raise InvalidArgumentError(f"{name} lies on {tensor.device}, {other} on {x.device}: all must lie on one device")


class _Tensors:
    """The Kit of tensors on a GPU."""

    def __init__(self, x: torch.Tensor, stream: int) -> None:
        self.like, self.stream = x, stream

    def read(self, array: torch.Tensor) -> Any:
        return array.data_ptr(), ELEMENTS[array.dtype], array.shape, array.stride()

    written = read

    def address(self, array: torch.Tensor) -> int:
        return array.data_ptr()

    def is_dense(self, array: torch.Tensor) -> bool:
        return array.is_contiguous()

    def empty(self, shape: tuple[int, ...], dtype: str | None = None) -> torch.Tensor:
        return empty(self.like, shape, None if dtype is None else getattr(torch, dtype))


def filter(adjoint: bool, x: torch.Tensor, y: torch.Tensor, settings: _native.FilterSettings, values: Any) -> None:
    """Filters x into y."""
    with current_stream(x) as stream:
        _on_gpu.filter_planes(_Tensors(x, stream), adjoint, x, y, settings, values)


def filter_gradient(
    x: torch.Tensor, dy: torch.Tensor, settings: _native.FilterSettings, values: Any, shape: torch.Size
) -> torch.Tensor:
    """Returns the gradient of sets of parameters of this shape, summed over the planes that share one."""
    _arguments.check_pair("dy", dy.shape, ELEMENTS[dy.dtype], "x", x.shape, ELEMENTS[x.dtype])
    with current_stream(x) as stream:
        planes = _on_gpu.gradient_planes(_Tensors(x, stream), x, dy, settings, values, shape[-1])
        gradient: torch.Tensor = planes.reshape(shape) if planes.dim() == 1 else planes.sum_to_size(shape)
        return gradient


def pool(x: torch.Tensor, y: torch.Tensor, indices: torch.Tensor | None, settings: _native.PoolSettings) -> None:
    """Pools x into y and, where they are wanted, positions into `indices`."""
    with current_stream(x) as stream:
        _on_gpu.pool_planes(_Tensors(x, stream), x, y, indices, settings)


def pool_backward(
    x: torch.Tensor | None, y: torch.Tensor | None, dy: torch.Tensor, dx: torch.Tensor, indices: torch.Tensor | None,
    settings: _native.PoolSettings,
) -> None:  # fmt: skip
    """Writes the gradient with respect to a pooling's input into dx."""
    with current_stream(dy) as stream:
        _on_gpu.pool_backward_planes(_Tensors(dy, stream), x, y, dy, dx, indices, settings)
