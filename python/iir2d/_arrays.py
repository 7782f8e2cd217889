# SPDX-License-Identifier: MIT
"""Arrays from NumPy and from everything that speaks DLPack, in the host's memory."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._arguments import BF16, F16, F32, F64, refused_elements
from ._pooling import check_int32
from .errors import InvalidArgumentError

_ELEMENTS: dict[np.dtype[Any], int] = {
    np.dtype(np.float32): F32,
    np.dtype(np.float64): F64,
    np.dtype(np.float16): F16,
}
_HOST = (1, 3)  # of DLPack: the host's memory, and the host's as CUDA pinned it


def _is_bfloat16(dtype: np.dtype[Any]) -> bool:
    return dtype.name == "bfloat16" and dtype.isnative


def _raw(array: npt.NDArray[Any]) -> tuple[int, int, tuple[int, ...], tuple[int, ...]]:
    """A bfloat16 array, which has no buffer protocol."""
    if any(stride % 2 for stride in array.strides):
        raise TypeError("a stride is not a multiple of the element's size: make a copy")
    address: int = array.__array_interface__["data"][0]
    return address, BF16, array.shape, tuple(stride // 2 for stride in array.strides)


def is_array(x: object) -> bool:
    """Whether an object is an array of NumPy or one with __dlpack__."""
    return isinstance(x, np.ndarray) or (hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"))


def _capsule(x: Any, name: str) -> Any:
    if not is_array(x):
        raise TypeError(f"{name} is a {type(x).__name__}: give a NumPy array, or one with __dlpack__")
    device = int(x.__dlpack_device__()[0])
    if device not in _HOST:
        raise TypeError(f"{name} lies on a device (DLPack's number {device}): copy it to the host's memory")
    try:
        return x.__dlpack__(max_version=(1, 0))
    except TypeError:
        return x.__dlpack__()


def source(x: Any, name: str) -> tuple[Any, int, tuple[int, ...]]:
    """Returns what the module reads of an array, its element type and its shape."""
    if isinstance(x, np.ndarray):
        element = _ELEMENTS.get(x.dtype)
        if element is not None:
            # Elements that do not lie at multiples of their size, as a packed record's field, are copied.
            return x if x.flags.aligned else np.array(x), element, x.shape
        if _is_bfloat16(x.dtype):
            return _raw(x), BF16, x.shape
        raise refused_elements(name, x.dtype)
    array = _native.Array(_capsule(x, name))
    return array, array.element, array.shape


def target(out: Any) -> Any:
    """Returns what the module writes of an array."""
    if isinstance(out, np.ndarray):
        if out.dtype in _ELEMENTS:
            if not out.flags.aligned:
                raise InvalidArgumentError(f"out does not lie at multiples of its element's {out.itemsize} bytes")
            return out
        if not _is_bfloat16(out.dtype):
            raise refused_elements("out", out.dtype)
        if not out.flags.writeable:
            raise InvalidArgumentError("out is read-only")
        return _raw(out)
    if _is_from(out, "jax"):
        raise InvalidArgumentError("out is read-only: JAX's arrays are")
    return _native.Array.for_writing(_capsule(out, "out"))


def _is_from(x: Any, library: str) -> bool:
    return library in sys.modules and any(c.__module__.split(".")[0].startswith(library) for c in type(x).__mro__)


def _aligned(shape: tuple[int, ...], dtype: Any) -> npt.NDArray[Any]:
    """An array that JAX takes without a copy: it wants addresses that are multiples of 64."""
    dtype = np.dtype(dtype)
    size = math.prod(shape) * dtype.itemsize
    memory = np.empty(size + 64, np.uint8)
    skip = -memory.__array_interface__["data"][0] % 64
    result: npt.NDArray[Any] = memory[skip : skip + size].view(dtype).reshape(shape)
    return result


def empty(x: Any, element: int, shape: tuple[int, ...]) -> Any:
    """Returns an array of x's library and type; of JAX, whose arrays cannot be written, NumPy's until finish()."""
    if isinstance(x, np.ndarray):
        return np.empty(shape, x.dtype)
    if _is_from(x, "torch"):
        import torch

        return torch.empty(shape, dtype=x.dtype, device="cpu")
    if _is_from(x, "jax"):
        return _aligned(shape, x.dtype)
    if hasattr(x, "__array_namespace__"):
        return x.__array_namespace__().empty(shape, dtype=x.dtype)
    if element == BF16:
        import ml_dtypes

        return np.empty(shape, ml_dtypes.bfloat16)
    return np.empty(shape, (np.float32, np.float64, np.float16)[element])


def finish(x: Any, result: Any) -> Any:
    """Returns a result in x's library."""
    if isinstance(x, np.ndarray) or not isinstance(result, np.ndarray):
        return result
    if _is_from(x, "jax"):
        import jax.numpy

        if result.dtype.name in ("bfloat16", "int64", "float64"):
            return jax.numpy.asarray(result)
        return jax.numpy.from_dlpack(result)
    if _is_from(x, "torch"):
        import torch

        return torch.from_numpy(result)
    return result


def check_positions(x: Any, height: int, width: int) -> None:
    """Raises where positions in planes, which x's library has as int32, do not fit: JAX's without x64."""
    if _is_from(x, "jax"):
        import jax.numpy

        check_int32(height, width, has_int64=jax.numpy.result_type(int) == np.int64)


def host(value: Any, name: str) -> npt.NDArray[Any]:
    """Returns a NumPy array of an array's values."""
    if isinstance(value, np.ndarray):
        return value
    _capsule(value, name)
    return np.from_dlpack(value)
