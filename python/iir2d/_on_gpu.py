# SPDX-License-Identifier: MIT
"""Arrays in a GPU's memory: exported for a stream, computed on it, in memory of their own library."""

from __future__ import annotations

import contextlib
import operator
import sys
from collections.abc import Generator
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from .errors import InvalidArgumentError

_CUDA = 2  # of DLPack
_LEGACY = 1  # the legacy default stream, of DLPack
_FORWARD, _ADJOINT, _GRADIENT = range(3)


def lies_on_gpu(x: Any) -> bool:
    """Whether an array speaks DLPack and lies in a CUDA device's memory."""
    if isinstance(x, np.ndarray) or not hasattr(x, "__dlpack__") or not hasattr(x, "__dlpack_device__"):
        return False
    return int(x.__dlpack_device__()[0]) == _CUDA


def refuse_stream(stream: int | None) -> None:
    """Raises where a stream was given for an array of the host's."""
    if stream is not None:
        raise InvalidArgumentError("stream is for arrays on a GPU: this one lies in the host's memory")


def _handle(stream: int | None) -> int:
    handle = 0 if stream is None else operator.index(stream)
    if handle < 0:
        raise InvalidArgumentError(f"stream {handle}: must be a stream's handle")
    return handle


def _capsule(x: Any, handle: int) -> Any:
    stream = handle or _LEGACY
    try:
        return x.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:
        return x.__dlpack__(stream=stream)


def source(x: Any, name: str, stream: int | None) -> tuple[_native.GpuArray, int, tuple[int, ...]]:
    """Returns what the module reads of an array on a GPU, its element type and its shape."""
    if not lies_on_gpu(x):
        raise TypeError(f"{name} lies in the host's memory: all arrays of a call must lie on the same GPU")
    array = _native.GpuArray(_capsule(x, _handle(stream)))
    return array, array.element, array.shape


def _is_torch(x: Any) -> bool:
    return "torch" in sys.modules and isinstance(x, sys.modules["torch"].Tensor)


@contextlib.contextmanager
def _current(x: Any, handle: int) -> Generator[None, None, None]:
    """Makes x's device and the stream the current ones of x's library, so that it takes memory back in the stream's
    order."""
    with contextlib.ExitStack() as stack:
        if _is_torch(x):
            cuda = sys.modules["torch"].cuda
            stream = cuda.ExternalStream(handle, x.device) if handle else cuda.default_stream(x.device)
            stack.enter_context(cuda.stream(stream))  # and its device
        elif type(x).__module__.split(".")[0] == "cupy":
            cuda = sys.modules["cupy"].cuda
            stack.enter_context(x.device)
            stack.enter_context(cuda.ExternalStream(handle) if handle else cuda.Stream.null)
        yield


def _empty(x: Any, shape: tuple[int, ...], dtype: str | None) -> Any:
    """An array of x's library on its device, of x's type or that of a name."""
    if _is_torch(x):
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, dtype) if dtype else x.dtype, device=x.device)
    if any(c.__module__.split(".")[0].startswith("jax") for c in type(x).__mro__):
        raise TypeError("JAX's arrays cannot be written: on a GPU use torch's or CuPy's")
    if not hasattr(x, "__array_namespace__"):
        raise TypeError(f"a {type(x).__name__} on a GPU has no __array_namespace__, which makes memory there")
    namespace = x.__array_namespace__()
    return namespace.empty(shape, dtype=getattr(namespace, dtype) if dtype else x.dtype, device=x.device)


def _workspace(x: Any, size: int, handle: int) -> tuple[Any, int]:
    """Memory of at least so many bytes, and its address."""
    if size == 0:
        return None, 0
    memory = _empty(x, (size // 8 + 1,), "float64")
    return memory, _native.GpuArray.for_writing(_capsule(memory, handle)).address


def run_filter(
    x: Any,
    native: _native.GpuArray,
    shape: tuple[int, ...],
    settings: _native.FilterSettings,
    values: Any,
    out: Any,
    stream: int | None,
    adjoint: bool,
) -> Any:
    """Filters on the stream without waiting for it; the result is of x's library."""
    handle = _handle(stream)
    with _current(x, handle):
        result = _empty(x, shape, None) if out is None else out
        if not lies_on_gpu(result):
            raise TypeError("out lies in the host's memory: it must lie on x's GPU")
        if 0 in shape[:-2] and 0 not in shape[-2:]:
            return result
        target = _native.GpuArray.for_writing(_capsule(result, handle))
        which = _ADJOINT if adjoint else _FORWARD
        size = _native.gpu_workspace(which, native, target, settings, values)
        memory, address = _workspace(x, size, handle)
        _native.gpu_filter(which, native, target, settings, values, address, size, handle)
        del memory  # while the stream is current
        return result


def run_gradient(
    x: Any,
    native: _native.GpuArray,
    native_dy: _native.GpuArray,
    gradient: npt.NDArray[np.float64],
    settings: _native.FilterSettings,
    values: Any,
    stream: int | None,
) -> None:
    """Computes the gradient of the parameters on the stream and waits for it."""
    handle = _handle(stream)
    with _current(x, handle):
        size = _native.gpu_workspace(_GRADIENT, native, native_dy, settings, values)
        memory, address = _workspace(x, size, handle)
        _native.gpu_gradient(native, native_dy, gradient, settings, values, address, size, handle)
        del memory
