# SPDX-License-Identifier: MIT
"""Arrays in a GPU's memory: computed on a stream without waiting for it, in memory of their own library."""

from __future__ import annotations

import contextlib
import math
import operator
import sys
from collections.abc import Generator
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from . import _arguments, _native
from ._pooling import MAX_OPS, Pooling, check_indices, check_read
from .errors import InvalidArgumentError

_CUDA = 2  # of DLPack
_LEGACY = 1  # the legacy default stream, of DLPack and as CUDA's own handle
_PER_THREAD = 2  # the default stream of each thread, likewise


def lies_on_gpu(x: Any) -> bool:
    """Whether an array speaks DLPack and lies in a CUDA device's memory."""
    if isinstance(x, np.ndarray) or not hasattr(x, "__dlpack__") or not hasattr(x, "__dlpack_device__"):
        return False
    return int(x.__dlpack_device__()[0]) == _CUDA


def refuse_stream(stream: int | None) -> None:
    """Raises where a stream was given for an array of the host's."""
    if stream is not None:
        raise InvalidArgumentError("stream is for arrays on a GPU: this one lies in the host's memory")


def _handle(x: Any, stream: int | None) -> int:
    """The handle that the driver takes for a stream: 0 for the legacy default one."""
    handle = 0 if stream is None else operator.index(stream)
    if handle < 0:
        raise InvalidArgumentError(f"stream {handle}: must be a stream's handle")
    if handle == _PER_THREAD and _is_torch(x):
        raise InvalidArgumentError(
            "stream 2 is the default stream of a thread, whose order torch's memory does not follow: give a stream of torch's"
        )
    return 0 if handle == _LEGACY else handle


def _capsule(x: Any, handle: int) -> Any:
    stream = handle or _LEGACY
    # torch exports only what lies on its current device.
    with sys.modules["torch"].cuda.device(x.device) if _is_torch(x) else contextlib.nullcontext():
        try:
            return x.__dlpack__(stream=stream, max_version=(1, 0))
        except TypeError:
            return x.__dlpack__(stream=stream)


def _require_one_device(first: str, x: Any, name: str, array: Any) -> None:
    """Raises where an array does not lie on x's GPU, which `first` names, before anything is exported."""
    if not lies_on_gpu(array):
        raise TypeError(f"{name} lies in the host's memory: all arrays of a call must lie on the same GPU")
    device, other = int(x.__dlpack_device__()[1]), int(array.__dlpack_device__()[1])
    if device != other:
        raise InvalidArgumentError(f"{first} lies on CUDA device {device}, {name} on {other}")


def source(
    x: Any, name: str, stream: int | None, beside: tuple[str, Any] | None = None
) -> tuple[_native.GpuArray, int, tuple[int, ...]]:
    """Returns what the module reads of an array on a GPU, its element type and its shape; `beside` is the name of an
    array whose GPU it must lie on, and that array."""
    if beside is not None:
        _require_one_device(*beside, name, x)
    array = _native.GpuArray(_capsule(x, _handle(x, stream)))
    return array, array.element, array.shape


def _is_torch(x: Any) -> bool:
    return "torch" in sys.modules and isinstance(x, sys.modules["torch"].Tensor)


def _is_cupy(x: Any) -> bool:
    return "cupy" in sys.modules and type(x).__module__.split(".")[0] == "cupy"


@contextlib.contextmanager
def _current(kit: _Arrays) -> Generator[None, None, None]:
    """Makes the device and the stream of a call the current ones of its arrays' library, so that it takes memory back in
    the stream's order. torch is told at the end which of its tensors a stream has used that was not its current one."""
    x, handle = kit.like, kit.stream
    with contextlib.ExitStack() as stack:
        if _is_torch(x):
            cuda = sys.modules["torch"].cuda
            stream = cuda.ExternalStream(handle, x.device) if handle else cuda.default_stream(x.device)
            if cuda.current_stream(x.device).cuda_stream != handle:
                stack.callback(kit.record, stream)
            stack.enter_context(cuda.stream(stream))  # and its device
        elif _is_cupy(x):
            cuda = sys.modules["cupy"].cuda
            stack.enter_context(x.device)
            stack.enter_context(cuda.ExternalStream(handle) if handle else cuda.Stream.null)
        yield


def _empty(x: Any, shape: tuple[int, ...], dtype: str | None) -> Any:
    """An array of x's library on its device, which is CuPy's current one, of x's type or that of a name."""
    if _is_torch(x):
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, dtype) if dtype else x.dtype, device=x.device)
    if _is_cupy(x):
        return sys.modules["cupy"].empty(shape, dtype or x.dtype)
    if any(c.__module__.split(".")[0].startswith("jax") for c in type(x).__mro__):
        raise TypeError("JAX's arrays cannot be written: on a GPU use torch's or CuPy's")
    if not hasattr(x, "__array_namespace__"):
        raise TypeError(f"a {type(x).__name__} on a GPU has no __array_namespace__, which makes memory there")
    namespace = x.__array_namespace__()
    return namespace.empty(shape, dtype=getattr(namespace, dtype) if dtype else x.dtype, device=x.device)


class Kit(Protocol):
    """What a call needs of the library of its arrays. Their device and the stream are that library's current ones."""

    stream: int

    def read(self, array: Any) -> Any:
        """Returns what the module takes of an array that is read."""
        ...

    def written(self, array: Any) -> Any:
        """Returns what the module takes of an array that is written."""
        ...

    def address(self, array: Any) -> int:
        """Returns where a dense array lies."""
        ...

    def is_dense(self, array: Any) -> bool:
        """Tells whether an array is dense and row-major."""
        ...

    def empty(self, shape: tuple[int, ...], dtype: str | None = None) -> Any:
        """Returns a dense array of x's type or that of a name, which has x's device."""
        ...


def _copy(kit: Kit, array: Any) -> Any:
    copy = kit.empty(tuple(array.shape))
    copy[...] = array
    return copy


def _element(native: Any) -> int:
    """The element type of what a Kit gives the module."""
    found: int = native[1] if isinstance(native, tuple) else native.element
    return found


def _folded(kit: Kit, x: Any, y: Any, *, writes: bool) -> tuple[Any, Any]:
    """Returns x and y, which the caller has checked, or dense ones in place of one or both where their leading dimensions
    do not fold."""
    take = kit.written if writes else kit.read
    if _native.gpu_folds(kit.read(x), take(y), writes):
        return x, y
    if not _native.gpu_folds(kit.read(x), kit.read(x), False):
        x = _copy(kit, x)
    if not _native.gpu_folds(kit.read(x), take(y), False):
        y = kit.empty(tuple(y.shape)) if writes else _copy(kit, y)
    if not _native.gpu_folds(kit.read(x), take(y), False):  # a dense array folds as the other one does
        x = _copy(kit, x)
    return x, y


def _workspace(kit: Kit, size: int) -> tuple[Any, int]:
    """Memory of at least so many bytes, and its address."""
    if size == 0:
        return None, 0
    memory = kit.empty((size // 8 + 1,), "float64")
    return memory, kit.address(memory)


def filter_planes(
    kit: Kit, adjoint: bool, x: Any, y: Any, settings: _native.FilterSettings, values: Any
) -> None:
    """Filters x into y, whose type and shape are x's, on the stream, without waiting for it."""
    source, target = _folded(kit, x, y, writes=True)
    call = (int(adjoint), kit.read(source), kit.written(target), settings, values)
    size = _native.gpu_workspace(*call)
    memory, address = _workspace(kit, size)
    _native.gpu_filter(*call, address, size, kit.stream)
    if target is not y:
        y[...] = target
    del memory


def gradient_planes(
    kit: Kit, x: Any, dy: Any, settings: _native.FilterSettings, values: Any, count: int
) -> Any:
    """Returns the gradient of `count` parameters on the device, without waiting: of shape (count,) where there is one
    set of them, else a set for each plane. dy has x's type and shape."""
    source, upstream = _folded(kit, x, dy, writes=False)
    read, read_dy = kit.read(source), kit.read(upstream)
    is_one = not isinstance(values, np.ndarray) or math.prod(values.shape[:-1]) == 1
    gradient = kit.empty((count,) if is_one else (*x.shape[:-2], count), "float64")
    size = _native.gpu_workspace(2, read, read_dy, settings, values)
    memory, address = _workspace(kit, size)
    _native.gpu_gradient(read, read_dy, kit.address(gradient), settings, values, address, size, kit.stream)
    del memory
    return gradient


def pool_planes(kit: Kit, x: Any, y: Any, indices: Any, settings: _native.PoolSettings) -> None:
    """Pools x into y, which has the result's type and shape, and positions into `indices`, dense int64 or None."""
    source, target = _folded(kit, x, y, writes=True)
    address = 0 if indices is None else kit.address(indices)
    _native.gpu_pool(kit.read(source), kit.written(target), address, settings, kit.stream)
    if target is not y:
        y[...] = target


def pool_backward_planes(
    kit: Kit, x: Any, y: Any, dy: Any, dx: Any, indices: Any, settings: _native.PoolSettings
) -> None:
    """Writes the gradient with respect to a pooling's input into dx; x, y and `indices` are None where it does not read
    them."""
    element = _element(kit.read(dy))
    for name, array, shape in (("x", x, dx.shape), ("y", y, dy.shape)):
        if array is not None:
            check_read(name, array.shape, _element(kit.read(array)), shape, element)
    reads = [None if a is None or kit.is_dense(a) else _copy(kit, a) for a in (x, y)]
    of_x, of_y = (None if a is None else kit.read(a if c is None else c) for a, c in zip((x, y), reads, strict=True))
    source, target = _folded(kit, dy, dx, writes=True)
    address = 0 if indices is None else kit.address(indices)
    _native.gpu_pool_backward(of_x, of_y, kit.read(source), kit.written(target), address, settings, kit.stream)
    if target is not dx:
        dx[...] = target
    del reads


class _Arrays:
    """The Kit of arrays that speak DLPack, each exported once."""

    def __init__(self, x: Any, stream: int | None, *read: tuple[Any, _native.GpuArray]) -> None:
        self.like, self.stream = x, _handle(x, stream)
        self._read = {id(array): (array, native) for array, native in read}
        self._written: dict[int, tuple[Any, _native.GpuArray]] = {}

    def read(self, array: Any) -> _native.GpuArray:
        if id(array) not in self._read:
            self._read[id(array)] = array, _native.GpuArray(_capsule(array, self.stream))
        return self._read[id(array)][1]

    def written(self, array: Any) -> _native.GpuArray:
        if id(array) not in self._written:
            self._written[id(array)] = array, _native.GpuArray.for_writing(_capsule(array, self.stream))
        return self._written[id(array)][1]

    def positions(self, array: Any) -> _native.GpuArray:
        native = _native.GpuArray.positions(_capsule(array, self.stream))
        self._written[id(array)] = array, native
        return native

    def record(self, stream: Any) -> None:
        """Keeps the memory of torch's tensors until a stream has used it."""
        for array, _ in (*self._read.values(), *self._written.values()):
            if _is_torch(array):
                array.record_stream(stream)

    def address(self, array: Any) -> int:
        return self.written(array).address

    def is_dense(self, array: Any) -> bool:
        return self.read(array).is_dense

    def empty(self, shape: tuple[int, ...], dtype: str | None = None) -> Any:
        return _empty(self.like, shape, dtype)


def _result(kit: _Arrays, name: str, shape: tuple[int, ...], out: Any) -> Any:
    """A new result of this shape beside the array of this name, or `out` where it can be one."""
    if out is None:
        return kit.empty(shape)
    _require_one_device(name, kit.like, "out", out)
    _native.check_gpu_output(kit.written(out), shape, kit.read(kit.like).element)
    return out


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
    name = "dy" if adjoint else "x"
    _arguments.check_planes(name, shape)
    kit = _Arrays(x, stream, (x, native))
    with _current(kit):
        result = _result(kit, name, shape, out)
        if 0 not in shape[:-2]:
            filter_planes(kit, adjoint, x, result, settings, values)
        return result


def run_gradient(
    x: Any,
    native: _native.GpuArray,
    dy: Any,
    native_dy: _native.GpuArray,
    gradient: npt.NDArray[np.float64],
    settings: _native.FilterSettings,
    values: Any,
    stream: int | None,
) -> None:
    """Computes the gradient of the parameters on the stream and waits for it."""
    kit = _Arrays(x, stream, (x, native), (dy, native_dy))
    with _current(kit):
        planes = gradient_planes(kit, x, dy, settings, values, gradient.shape[-1])
        host = np.empty(tuple(planes.shape))
        _native.gpu_to_host(kit.address(planes), host, kit.stream)
    if host.ndim == 1:
        gradient[...] = host
    else:
        _native.sum_to(host, gradient)


def run_pool(
    x: Any,
    native: _native.GpuArray,
    shape: tuple[int, ...],
    pooling: Pooling,
    out: Any,
    stream: int | None,
    return_indices: bool,
) -> tuple[Any, Any]:
    """Pools into a result of this shape on the stream, without waiting; returns it and the positions or None."""
    kit = _Arrays(x, stream, (x, native))
    with _current(kit):
        result = _result(kit, "x", shape, out)
        indices = kit.empty(shape, "int64") if return_indices else None
        if 0 not in shape[:-2]:
            if indices is not None:
                kit.positions(indices)
            pool_planes(kit, x, result, indices, pooling.settings())
        return result, indices


def run_pool_backward(
    dy: Any,
    native: _native.GpuArray,
    shape: tuple[int, ...],
    read: tuple[Any, Any],
    indices: Any,
    pooling: Pooling,
    out: Any,
    stream: int | None,
) -> Any:
    """Returns the gradient of a pooling, of this shape; `read` is x and y, each None where it was not given."""
    for name, array in (("x", read[0]), ("y", read[1]), ("indices", indices)):
        if array is not None:
            _require_one_device("dy", dy, name, array)
    kit = _Arrays(dy, stream, (dy, native))
    x, y = read if pooling.op == "lp" else (None, None)
    with _current(kit):
        result = _result(kit, "dy", shape, out)
        if 0 in shape[:-2]:
            return result
        if pooling.op in MAX_OPS and indices is None:
            check_read("x", read[0].shape, kit.read(read[0]).element, shape, native.element)
            height, width = pooling.output_size(shape[-2], shape[-1], native.element)
            pooled = (*shape[:-2], height, width)
            check_read("dy", native.shape, native.element, pooled, native.element)
            indices = kit.empty(pooled, "int64")
            kit.positions(indices)
            pool_planes(kit, read[0], kit.empty(pooled), indices, pooling.settings())
        elif pooling.op in MAX_OPS:
            places = kit.positions(indices)
            check_indices("int64", places.shape, native.shape)
            if not places.is_dense:
                dense = kit.empty(tuple(places.shape), "int64")
                dense[...] = indices
                indices = dense
                kit.positions(indices)
        else:
            indices = None
        pool_backward_planes(kit, x, y, dy, result, indices, pooling.settings())
        return result
