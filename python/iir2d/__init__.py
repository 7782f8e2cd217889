# SPDX-License-Identifier: MIT
"""Recursive (IIR) image filters and pooling, with exact adjoints and gradients.

Arrays have shape (..., H, W); every plane is filtered alone. `iir2d` takes NumPy arrays and everything with
`__dlpack__`; `iir2d.torch` and `iir2d.jax` have the same functions with automatic differentiation. docs/python.md is
the guide.

>>> import numpy as np, iir2d
>>> x = np.zeros((3, 48, 64), np.float32)
>>> iir2d.filter(x, "deriche", sigma=3.0, border="clamp").shape
(3, 48, 64)
"""

from __future__ import annotations

import json
import math
import operator
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

try:
    from . import _native
except ImportError as broken:
    # `python -m iir2d.smoke` loads this file first, and is there to say such things.
    if "iir2d.smoke" not in sys.orig_argv:
        raise
    failed = {"library": {"result": "FAIL", "why": " ".join(f"{broken}".split())}}
    print(json.dumps(failed) if "--json" in sys.orig_argv else f"FAIL library: {failed['library']['why']}")
    raise SystemExit(1) from None
from . import _arguments, _arrays, _on_gpu, _pooling
from ._arguments import FilterInfo, ParameterInfo
from .errors import (
    CudaError,
    Iir2dError,
    InvalidArgumentError,
    InvalidBorderModeError,
    InvalidDimensionError,
    InvalidFilterIdError,
    InvalidPrecisionError,
    NullPointerError,
    WorkspaceError,
)

__all__ = [
    "CudaError",
    "FilterInfo",
    "Iir2dError",
    "InvalidArgumentError",
    "InvalidBorderModeError",
    "InvalidDimensionError",
    "InvalidFilterIdError",
    "InvalidPrecisionError",
    "NullPointerError",
    "ParameterInfo",
    "WorkspaceError",
    "__version__",
    "api_version",
    "build_fingerprint",
    "devices",
    "filter",
    "filter_adjoint",
    "filter_gradient",
    "filters",
    "get_include",
    "get_library",
    "get_num_threads",
    "pool",
    "pool_backward",
    "set_num_threads",
    "status_string",
]

__version__ = "{}.{}.{}".format(*_native.api_version())

_num_threads = 0


def _name_main_thread() -> None:
    _native.set_main_thread(threading.main_thread().ident or 0)


# Calls on it look for Ctrl+C; a child after fork has another one.
_name_main_thread()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_name_main_thread)


def _parameters(
    info: FilterInfo, parameters: dict[str, Any], lead: tuple[int, ...]
) -> tuple[Any, dict[str, tuple[int, ...]]]:
    """What the module takes as parameters, and the shape that each was given in."""
    if not parameters:
        return None, {}
    _arguments.check_names(info, parameters)
    shapes: dict[str, tuple[int, ...]] = {}
    values: list[float | npt.NDArray[np.float64]] = []
    for parameter in info.parameters:
        given = parameters.get(parameter.name)
        if given is None:
            values.append(math.nan)
        elif isinstance(given, (bool, int, float, np.generic)) or not _arrays.is_array(given):
            shapes[parameter.name] = ()
            values.append(_arguments.number(info, parameter, given))
        else:
            array = _arrays.host(given, parameter.name)
            if array.dtype not in (np.float32, np.float64):
                raise _arguments.refused_parameter(parameter, array.dtype)
            shapes[parameter.name] = array.shape
            values.append(_arguments.clamp_ends(info, parameter, array))
    if not any(shapes.values()):
        return tuple(float(value) for value in values), shapes
    _arguments.check_broadcast(shapes, lead)
    shape = np.broadcast_shapes(*shapes.values())
    packed = np.empty((*shape, len(values)))
    for index, value in enumerate(values):
        packed[..., index] = value
    return packed, shapes


def filter(
    x: Any,
    filter_id: int | str = 1,
    *,
    border: str = "mirror",
    border_const: float = 0.0,
    precision: str | None = None,
    start: str = "truncated",
    normalise_gain: bool = False,
    out: Any = None,
    threads: int = 0,
    stream: int | None = None,
    **parameters: Any,
) -> Any:
    """Filters every plane of x: along its rows, then along the columns of the result.

    x has shape (..., H, W) and elements float32, float64, float16 or bfloat16; the result has x's shape, type and
    library and is dense. `filter_id` is a number from 1 or a key ("deriche"); `parameters` are the filter's by name,
    each a number or an array that broadcasts to x.shape[:-2]. `precision` is "f32", "mixed" or "f64"; None takes f64
    for float64 and else f32. `border` is "clamp", "mirror", "wrap" or "constant" (`border_const`), `start`
    "truncated" or "steady". `out` takes the result: x itself, or an array apart from it. `threads` 0 is what
    set_num_threads() said. An array in a CUDA device's memory is filtered there, on `stream`, a stream's handle or
    None for the legacy default stream, which is not waited for; the result belongs to that stream.

    Raises TypeError for other element types and the classes of iir2d.errors for everything else.

    >>> import numpy as np, iir2d
    >>> iir2d.filter(np.ones((2, 3)), "ema", alpha=0.5, start="steady").tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    on_gpu = _on_gpu.lies_on_gpu(x)
    native, element, shape = _on_gpu.source(x, "x", stream) if on_gpu else _arrays.source(x, "x")
    constant = float(border_const)
    info, settings = _arguments.settings(filter_id, border, constant, precision, start, normalise_gain, element)
    values = _parameters(info, parameters, shape[:-2])[0] if parameters else None
    if on_gpu:
        return _on_gpu.run_filter(x, native, shape, settings, values, out, stream, adjoint=False)
    _on_gpu.refuse_stream(stream)
    return _run_filter(_native.filter, x, native, element, shape, settings, values, out, threads)


def _run_filter(
    call: Any,
    x: Any,
    native: Any,
    element: int,
    shape: tuple[int, ...],
    settings: _native.FilterSettings,
    values: Any,
    out: Any,
    threads: int,
) -> Any:
    count = _arguments.thread_count(threads) or _num_threads
    if 0 in shape[:-2] and 0 not in shape[-2:]:
        return _finish_empty(x, element, shape, out)
    if out is not None:
        call(native, _arrays.target(out), settings, values, count)
        return out
    result = _arrays.empty(x, element, shape)
    call(native, result if type(result) is np.ndarray and element < 3 else _arrays.target(result), settings, values, count)
    return _arrays.finish(x, result)


def _finish_empty(x: Any, element: int, shape: tuple[int, ...], out: Any) -> Any:
    if out is None:
        return _arrays.finish(x, _arrays.empty(x, element, shape))
    _, found, size = _arrays.source(out, "out")
    _arguments.check_pair("out", size, found, "the result", shape, element)
    if isinstance(out, np.ndarray) and not out.flags.writeable:
        raise InvalidArgumentError("out is read-only")
    _arrays.target(out)
    return out


def filter_adjoint(
    dy: Any,
    filter_id: int | str = 1,
    *,
    border: str = "mirror",
    precision: str | None = None,
    start: str = "truncated",
    normalise_gain: bool = False,
    out: Any = None,
    threads: int = 0,
    stream: int | None = None,
    **parameters: Any,
) -> Any:
    """Applies the transpose of filter()'s linear part: the gradient of a loss with respect to x, from that to y.

    Arguments and result as filter()'s. The inner products <filter(x), dy> and <x, filter_adjoint(dy)> agree, up to
    rounding, where the border is not a constant other than 0.

    >>> import numpy as np, iir2d
    >>> x, dy = np.random.default_rng(1).random((2, 5, 7))
    >>> a, b = np.vdot(iir2d.filter(x, 5), dy), np.vdot(x, iir2d.filter_adjoint(dy, 5))
    >>> bool(abs(a - b) < 1e-12 * abs(a))
    True
    """
    on_gpu = _on_gpu.lies_on_gpu(dy)
    native, element, shape = _on_gpu.source(dy, "dy", stream) if on_gpu else _arrays.source(dy, "dy")
    info, settings = _arguments.settings(filter_id, border, 0.0, precision, start, normalise_gain, element)
    values = _parameters(info, parameters, shape[:-2])[0] if parameters else None
    if on_gpu:
        return _on_gpu.run_filter(dy, native, shape, settings, values, out, stream, adjoint=True)
    _on_gpu.refuse_stream(stream)
    return _run_filter(_native.filter_adjoint, dy, native, element, shape, settings, values, out, threads)


def filter_gradient(
    x: Any,
    dy: Any,
    filter_id: int | str = 1,
    *,
    border: str = "mirror",
    border_const: float = 0.0,
    precision: str | None = None,
    start: str = "truncated",
    normalise_gain: bool = False,
    threads: int = 0,
    stream: int | None = None,
    wrt: str | Sequence[str] | None = None,
    **parameters: Any,
) -> dict[str, Any]:
    """Returns the derivatives of <dy, filter(x)> with respect to the filter's parameters, by name.

    Arguments as filter()'s; dy has x's shape and type. `wrt` names the parameters; None takes all that are not
    switches. Each derivative is float64 (float32 of JAX without x64) and has the shape that its parameter was given in, () where it was a number
    or not given: an array for all planes has the sum over them. The same bits for every number of threads.
    Of arrays on a GPU the derivatives are NumPy's: their stream is waited for.

    >>> import numpy as np, iir2d
    >>> x = np.eye(8)
    >>> sorted(iir2d.filter_gradient(x, x, "ema_cascade", a=0.5))
    ['a']
    """
    on_gpu = _on_gpu.lies_on_gpu(x)
    native, element, shape = _on_gpu.source(x, "x", stream) if on_gpu else _arrays.source(x, "x")
    found = _on_gpu.source(dy, "dy", stream, ("x", x)) if on_gpu else _arrays.source(dy, "dy")
    native_dy, of_dy, shape_of_dy = found
    if not on_gpu:
        _on_gpu.refuse_stream(stream)
    constant = float(border_const)
    info, settings = _arguments.settings(filter_id, border, constant, precision, start, normalise_gain, element)
    values, shapes = _parameters(info, parameters, shape[:-2])
    names = _arguments.gradient_names(info, wrt)
    if on_gpu:
        _arguments.check_planes("x", shape)
        _arguments.check_pair("dy", shape_of_dy, of_dy, "x", shape, element)
    packed = values.shape if isinstance(values, np.ndarray) else (len(info.parameters),)
    gradient = np.zeros(packed)
    if 0 not in shape[:-2] or 0 in shape[-2:]:
        count = _arguments.thread_count(threads) or _num_threads
        if on_gpu:
            _on_gpu.run_gradient(x, native, dy, native_dy, gradient, settings, values, stream)
        else:
            _native.filter_gradient(native, native_dy, gradient, settings, values, count)
    order = [p.name for p in info.parameters]
    result = {}
    for name in names:
        sums = np.empty(shapes.get(name, ()))
        _native.sum_to(np.ascontiguousarray(gradient[..., order.index(name)]), sums)
        result[name] = sums if on_gpu else _arrays.finish(x, sums)
    return result


@_pooling.shows_options
def pool(
    x: Any,
    op: str,
    window: _pooling.Extent | None = None,
    *,
    return_indices: bool = False,
    out: Any = None,
    threads: int = 0,
    stream: int | None = None,
    **options: Unpack[_pooling.PoolOptions],
) -> Any:
    """Pools every plane of x, of shape (..., H, W).

    `op` is "max", "avg", "lp", "adaptive_max" or "adaptive_avg"; extents are a number or height and width, the window
    2 where none is given, the stride the window. Adaptive ops take `output_size` and none of the other extents.
    `return_indices`, of max and adaptive max, adds the positions of the maxima in their planes, row-major: int64, or
    int32 where x is an array of JAX without x64. Arrays in a CUDA device's memory are pooled there, on `stream`, as
    filter() does.

    >>> import numpy as np, iir2d
    >>> iir2d.pool(np.arange(16.0).reshape(4, 4), "max", 2).tolist()
    [[5.0, 7.0], [13.0, 15.0]]
    """
    on_gpu = _on_gpu.lies_on_gpu(x)
    native, element, shape = _on_gpu.source(x, "x", stream) if on_gpu else _arrays.source(x, "x")
    pooling = _pooling.make_pooling(op, window, **options)
    count = _arguments.thread_count(threads) or _num_threads
    _arguments.check_planes("x", shape)
    if return_indices:
        _pooling.require_maxima(pooling)
        _arrays.check_positions(x, shape[-2], shape[-1])
    target_shape = (*shape[:-2], *pooling.output_size(shape[-2], shape[-1], element))
    if on_gpu:
        both = _on_gpu.run_pool(x, native, target_shape, pooling, out, stream, return_indices)
        return both if return_indices else both[0]
    _on_gpu.refuse_stream(stream)
    result = _arrays.empty(x, element, target_shape) if out is None else out
    indices = np.empty(target_shape if return_indices else 0, np.int64)
    if 0 in shape[:-2]:
        _finish_empty(x, element, target_shape, result)
    else:
        address = indices.__array_interface__["data"][0] if return_indices else 0
        _native.pool(native, _arrays.target(result), address, pooling.settings(), count)
    if out is None:
        result = _arrays.finish(x, result)
    return (result, _arrays.finish(x, indices)) if return_indices else result


@_pooling.shows_options
def pool_backward(
    dy: Any,
    op: str,
    window: _pooling.Extent | None = None,
    *,
    input_size: Sequence[int],
    x: Any = None,
    y: Any = None,
    indices: Any = None,
    out: Any = None,
    threads: int = 0,
    stream: int | None = None,
    **options: Unpack[_pooling.PoolOptions],
) -> Any:
    """Returns the gradient with respect to the input of pool(), from dy, that with respect to its result.

    `input_size` is the input's height and width, or its shape; the other arguments are those of pool(). max and
    adaptive max read `indices`, as pool() gave them (int64, or int32 from JAX without x64), or find them again from
    `x`; lp reads `x` and `y`. On a GPU all lie there.

    >>> import numpy as np, iir2d
    >>> iir2d.pool_backward(np.ones((1, 1)), "avg", 2, input_size=(2, 2)).tolist()
    [[0.25, 0.25], [0.25, 0.25]]
    """
    on_gpu = _on_gpu.lies_on_gpu(dy)
    native, element, shape = _on_gpu.source(dy, "dy", stream) if on_gpu else _arrays.source(dy, "dy")
    pooling = _pooling.make_pooling(op, window, **options)
    count = _arguments.thread_count(threads) or _num_threads
    _arguments.check_planes("dy", shape)
    size = _pooling.input_extent(input_size)
    target_shape = (*shape[:-2], *size)
    _pooling.require_read(pooling, x, y, indices)
    wanted = (*shape[:-2], *pooling.output_size(*size, element))
    _pooling.check_read("dy", shape, element, wanted, element)  # before memory is taken for the result
    if on_gpu:
        return _on_gpu.run_pool_backward(dy, native, target_shape, (x, y), indices, pooling, out, stream)
    _on_gpu.refuse_stream(stream)
    native_x = None if x is None else _arrays.source(x, "x")[0]
    native_y = None if y is None else _arrays.source(y, "y")[0]
    address = 0
    if indices is not None:
        places = np.ascontiguousarray(_arrays.host(indices, "indices"))
        _pooling.check_indices(places.dtype, places.shape, shape)
        if places.dtype == np.int32:  # of JAX without x64
            places = places.astype(np.int64)
        address = places.__array_interface__["data"][0]
    result = _arrays.empty(dy, element, target_shape) if out is None else out
    if 0 in shape[:-2]:
        _finish_empty(dy, element, target_shape, result)
    else:
        _native.pool_backward(
            native_x, native_y, native, _arrays.target(result), address, pooling.settings(), count
        )
    return _arrays.finish(dy, result) if out is None else out


def filters() -> tuple[FilterInfo, ...]:
    """Returns the filters, from number 1 on.

    >>> import iir2d
    >>> [f.key for f in iir2d.filters()][:2]
    ['ema', 'ema_cascade']
    """
    return _arguments.FILTERS


def devices() -> list[dict[str, Any]]:
    """Returns what `iir2d devices --json` prints: every device that the library knows of, usable or not.

    >>> import iir2d
    >>> len(iir2d.devices()) >= 1
    True
    """
    described = json.loads(_native.devices_json())
    found: list[dict[str, Any]] = described["devices"] if isinstance(described, dict) else described
    return found


def set_num_threads(n: int) -> None:
    """Sets the threads that calls without `threads`, and those of iir2d.jax on the CPU, use; 0 is all that the process may use.

    >>> import iir2d
    >>> iir2d.set_num_threads(2); iir2d.get_num_threads()
    2
    >>> iir2d.set_num_threads(0)
    """
    global _num_threads
    _num_threads = _arguments.thread_count(n)
    _native.set_xla_threads(_num_threads)


def get_num_threads() -> int:
    """Returns what set_num_threads() set; 0 at first.

    >>> import iir2d
    >>> iir2d.get_num_threads()
    0
    """
    return _num_threads


def api_version() -> tuple[int, int, int]:
    """Returns the version of the C interface of the library that is loaded.

    >>> import iir2d
    >>> iir2d.api_version() >= (1, 2, 0)
    True
    """
    return _native.api_version()


def build_fingerprint() -> str:
    """Returns the library's version, commit, compiler and architectures in one line.

    >>> import iir2d
    >>> iir2d.build_fingerprint().startswith("iir2d ")
    True
    """
    return _native.build_fingerprint()


def status_string(code: int) -> str:
    """Returns the name of a status of the C interface.

    >>> import iir2d
    >>> iir2d.status_string(-5)
    'invalid_precision'
    """
    number = operator.index(code)
    return _native.status_string(number if abs(number) < 2**31 else 1)  # no status either


def get_include() -> str:
    """Returns the folder whose iir2d/ has the C headers.

    >>> import iir2d, os
    >>> os.path.exists(os.path.join(iir2d.get_include(), "iir2d", "iir2d_core.h"))
    True
    """
    return str(Path(__file__).parent / "include")


def get_library() -> str:
    """Returns the path of libiir2d, for programs that link it.

    >>> import iir2d, os
    >>> os.path.exists(iir2d.get_library())
    True
    """
    return str(Path(__file__).parent / ("iir2d.dll" if sys.platform == "win32" else "libiir2d.so.1"))
