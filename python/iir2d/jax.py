# SPDX-License-Identifier: MIT
"""iir2d's functions on JAX's arrays, with every transformation: jit, vmap, grad, jvp, scan, sharding.

Linear primitives in x, differentiable in both modes any number of times; gradients for parameters that are arrays, in
reverse mode. A batch is one call of the library, a batch that is sharded over its leading dimensions stays so. Calls
run on the CPU.

>>> import jax, jax.numpy as jnp, iir2d.jax
>>> x = jnp.ones((2, 3, 32, 32))
>>> loss = lambda x, sigma: iir2d.jax.filter(x, "deriche", sigma=sigma).sum()
>>> dx, dsigma = jax.grad(loss, (0, 1))(x, jnp.float32(2.0))
>>> dx.shape, dsigma.shape
((2, 3, 32, 32), ())
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    raise ImportError("iir2d.jax needs jax 0.6.2 or later, and there is none") from error

from . import _arguments, _native, _pooling
from .errors import InvalidArgumentError, InvalidDimensionError, NullPointerError

_OLDEST = (0, 6, 2)


def _require() -> None:
    if tuple(int(part) for part in jax.__version__.split(".")[:3] if part.isdigit()) < _OLDEST:
        oldest = ".".join(str(part) for part in _OLDEST)
        raise ImportError(f"iir2d.jax needs jax {oldest} or later, this is jax {jax.__version__}")
    if not hasattr(_native, "xla_handlers"):
        raise ImportError("iir2d was built without JAX's handlers (-DIIR2D_PYTHON_JAX=OFF): build it with them")


_require()

from ._jax_common import has_float64, vary_alike  # noqa: E402
from ._jax_constrain import constrain, unconstrain  # noqa: E402
from ._jax_filter import Gradient, Spec, filter_call, gradient_call  # noqa: E402
from ._jax_pool import backward_call, index_type, pool_call, pooled_shape  # noqa: E402

__all__ = [
    "adaptive_avg_pool2d",
    "adaptive_max_pool2d",
    "avg_pool2d",
    "constrain",
    "filter",
    "filter_adjoint",
    "filter_gradient",
    "iir2d",
    "lp_pool2d",
    "max_pool2d",
    "pool",
    "pool_backward",
    "unconstrain",
]

for _target, _handler in _native.xla_handlers().items():
    jax.ffi.register_ffi_target(_target, _handler, platform="cpu")

_ELEMENTS: dict[str, int] = {name: number for number, name in enumerate(_arguments.ELEMENT_NAMES)}


def _array(x: Any, name: str) -> Any:
    """An argument as JAX's array, never of another type than it has."""
    if not isinstance(x, (jax.Array, np.ndarray, np.generic)):
        raise TypeError(f"{name} is a {type(x).__name__}: give an array of JAX or NumPy")
    if isinstance(x, jax.Array):
        return x
    if x.dtype.name not in _ELEMENTS:
        raise _refused(name, x.dtype)
    if x.dtype == np.float64 and not has_float64():
        raise TypeError(f"{name} has elements of type float64: enable x64 in JAX, or convert to float32")
    return jnp.asarray(x)


def _refused(name: str, dtype: Any) -> TypeError:
    return TypeError(f"{name} has elements of type {dtype}: convert to float32, float64, float16 or bfloat16")


def _planes(x: Any, name: str) -> tuple[Any, int]:
    """Planes and the number of their element type."""
    x = _array(x, name)
    element = _ELEMENTS.get(x.dtype.name)
    if element is None:
        raise _refused(name, x.dtype)
    if x.ndim < 2:
        raise InvalidDimensionError(
            f"{name} has shape {x.shape}: it must have 2 dimensions or more, the last two height and width"
        )
    for size, side in zip(x.shape[-2:], ("height", "width"), strict=True):
        if size < 1:
            raise InvalidDimensionError(f"{name} has shape {x.shape}: {side} {size} must be at least 1")
    return x, element


@functools.lru_cache(maxsize=1024)
def _check_values(filter_id: int, start: int, normalise_gain: bool, values: tuple[float | None, ...]) -> None:
    """Raises what the library says of these values."""
    settings = _native.FilterSettings(filter_id, _arguments.BORDERS["clamp"], 0.0, 2, start, normalise_gain)
    given = tuple(math.nan if value is None else value for value in values)
    _native.filter(np.zeros((1, 1)), np.empty((1, 1)), settings, given, 1)


def _spec(
    element: int,
    lead: tuple[int, ...],
    filter_id: int | str,
    border: str,
    border_const: float,
    precision: str | None,
    start: str,
    normalise_gain: bool,
    parameters: dict[str, Any],
) -> tuple[Spec, dict[str, Any]]:
    """What a call is apart from arrays, and the parameters that are arrays, in order."""
    info = _arguments.filter_info(filter_id)
    codes = (
        info.id,
        _arguments.border_code(border),
        float(border_const),
        _arguments.precision_code(precision, element),
        _arguments.start_code(start),
        bool(normalise_gain),
    )
    _arguments.check_names(info, parameters)
    values: list[float | None] = []
    arrays: dict[str, Any] = {}
    given: list[int] = []
    for index, parameter in enumerate(info.parameters):
        value = parameters.get(parameter.name)
        number: float | None = None
        if isinstance(value, (bool, int, float, np.generic)) or (isinstance(value, np.ndarray) and value.ndim == 0):
            number = _arguments.number(info, parameter, value[()] if isinstance(value, np.ndarray) else value)
        elif value is not None:
            if parameter.is_switch:
                raise TypeError(f"{parameter.name} of {_arguments.shown(info)} is a switch: give True or False")
            array = _array(value, parameter.name)
            if array.dtype not in (np.float32, np.float64):
                raise TypeError(f"{parameter.name} has elements of type {array.dtype}: convert to float32 or float64")
            arrays[parameter.name] = array
            given.append(index)
        values.append(number)
    numbers = tuple(values) if any(value is not None for value in values) else ()
    if numbers:
        for parameter, value in zip(info.parameters, values, strict=True):
            # Values that are allowed one by one may be refused together: only where no array takes part is that known.
            if not arrays or (value is not None and not parameter.minimum <= value <= parameter.maximum):
                _check_values(info.id, codes[4], codes[5], numbers)
    if arrays:
        _check_broadcast({name: array.shape for name, array in arrays.items()}, lead)
    return Spec(*codes, numbers, tuple(given)), arrays


def _check_broadcast(shapes: dict[str, tuple[int, ...]], lead: tuple[int, ...]) -> None:
    try:
        fits = np.broadcast_shapes(lead, *shapes.values()) == lead
    except ValueError:
        fits = False
    if not fits:
        listed = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise InvalidDimensionError(f"parameters of shapes {listed} do not broadcast to the planes' {lead}")


def filter(
    x: Any,
    filter_id: int | str = 1,
    *,
    border: str = "mirror",
    border_const: float = 0.0,
    precision: str | None = None,
    start: str = "truncated",
    normalise_gain: bool = False,
    **parameters: Any,
) -> jax.Array:
    """Filters every plane of x, of shape (..., H, W); iir2d.filter() has the arguments.

    Parameters are numbers, which are static and taken exactly, or float32 or float64 arrays that broadcast to
    x.shape[:-2]. Raises TypeError and iir2d.errors for what is known while tracing; a traced parameter that is out of
    range is an error of XLA, with the status and the library's sentence in its text. Forward mode in parameters raises
    NotImplementedError.

    >>> import jax.numpy as jnp, iir2d.jax
    >>> iir2d.jax.filter(jnp.ones((2, 3)), "ema", alpha=0.5, border="clamp", start="steady").tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    x, element = _planes(x, "x")
    spec, arrays = _spec(
        element, x.shape[:-2], filter_id, border, border_const, precision, start, normalise_gain, parameters
    )
    x, *values = vary_alike(x, *arrays.values())
    result: jax.Array = filter_call(x, values, spec)
    return result


iir2d = filter


def filter_adjoint(
    dy: Any,
    filter_id: int | str = 1,
    *,
    border: str = "mirror",
    precision: str | None = None,
    start: str = "truncated",
    normalise_gain: bool = False,
    **parameters: Any,
) -> jax.Array:
    """Applies the transpose of filter()'s linear part; transformed and differentiated as filter() is.

    >>> import jax.numpy as jnp, iir2d.jax
    >>> iir2d.jax.filter_adjoint(jnp.ones((4, 4)), 5).shape
    (4, 4)
    """
    dy, element = _planes(dy, "dy")
    spec, arrays = _spec(element, dy.shape[:-2], filter_id, border, 0.0, precision, start, normalise_gain, parameters)
    dy, *values = vary_alike(dy, *arrays.values())
    result: jax.Array = filter_call(dy, values, spec.transpose())
    return result


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
    wrt: str | Sequence[str] | None = None,
    **parameters: Any,
) -> dict[str, jax.Array]:
    """Returns the derivatives of <dy, filter(x)> with respect to the parameters, by name; iir2d.filter_gradient().

    Each has its parameter's shape and type; of a number, or one that was not given, it has shape () and JAX's widest
    type: float64 with x64, else float32.

    >>> import jax.numpy as jnp, iir2d.jax
    >>> x = jnp.eye(8)
    >>> list(iir2d.jax.filter_gradient(x, x, "deriche"))
    ['sigma']
    """
    x, element = _planes(x, "x")
    dy, _ = _planes(dy, "dy")
    if dy.shape != x.shape:
        raise InvalidDimensionError(f"dy has shape {dy.shape}, x has {x.shape}")
    if dy.dtype != x.dtype:
        raise TypeError(f"dy has elements of type {dy.dtype}, x of {x.dtype}: convert one of them")
    info = _arguments.filter_info(filter_id)
    names = [p.name for p in info.parameters if not p.is_switch]
    if wrt is not None:
        names = [wrt] if isinstance(wrt, str) else list(wrt)
        _arguments.check_names(info, names)
    spec, arrays = _spec(
        element, x.shape[:-2], filter_id, border, border_const, precision, start, normalise_gain, parameters
    )
    widest = np.dtype(np.float64 if has_float64() else np.float32)
    order = [p.name for p in info.parameters]
    wanted = tuple(
        Gradient(order.index(name), arrays[name].shape, np.dtype(arrays[name].dtype))
        if name in arrays
        else Gradient(order.index(name), (), widest)
        for name in names
    )
    x, dy, *values = vary_alike(x, dy, *arrays.values())
    return dict(zip(names, gradient_call(x, dy, values, spec, wanted), strict=True))


def pool(
    x: Any,
    op: str,
    window: int | Sequence[int] | None = None,
    *,
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    p: float = 2.0,
    count_include_pad: bool = False,
    divisor_override: int | None = None,
    output_size: int | Sequence[int] | None = None,
    return_indices: bool = False,
) -> Any:
    """Pools every plane of x; iir2d.pool() has the arguments. Indices are int64, without x64 int32.

    Averages are differentiable in both modes any number of times; max in reverse mode twice, lp once; what there is
    not raises NotImplementedError.

    >>> import jax.numpy as jnp, iir2d.jax
    >>> iir2d.jax.pool(jnp.arange(16.0).reshape(4, 4), "max", 2).tolist()
    [[5.0, 7.0], [13.0, 15.0]]
    """
    x, _ = _planes(x, "x")
    pooling = _pooling.make_pooling(
        op, window, stride, padding, dilation, ceil_mode, p, count_include_pad, divisor_override, output_size
    )
    pooled_shape(x, pooling)
    if not return_indices:
        return pool_call(x, pooling, None)[0]
    if pooling.op not in _pooling.MAX_OPS:
        raise InvalidArgumentError(f"argmax: only max pooling has one, not {pooling.op.replace('_', '-')}")
    return tuple(pool_call(x, pooling, index_type(*x.shape[-2:])))


def pool_backward(
    dy: Any,
    op: str,
    window: int | Sequence[int] | None = None,
    *,
    input_size: Sequence[int],
    x: Any = None,
    y: Any = None,
    indices: Any = None,
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    p: float = 2.0,
    count_include_pad: bool = False,
    divisor_override: int | None = None,
    output_size: int | Sequence[int] | None = None,
) -> jax.Array:
    """Returns the gradient with respect to pool()'s input, from dy; iir2d.pool_backward() has the arguments.

    >>> import jax.numpy as jnp, iir2d.jax
    >>> iir2d.jax.pool_backward(jnp.ones((1, 1)), "avg", 2, input_size=(2, 2)).tolist()
    [[0.25, 0.25], [0.25, 0.25]]
    """
    dy, element = _planes(dy, "dy")
    pooling = _pooling.make_pooling(
        op, window, stride, padding, dilation, ceil_mode, p, count_include_pad, divisor_override, output_size
    )
    if len(input_size) < 2:
        raise InvalidDimensionError(f"input_size is {tuple(input_size)}: 2 sizes or more")
    size = (operator.index(input_size[-2]), operator.index(input_size[-1]))
    whole = (*dy.shape[:-2], *size)
    of_result = (*dy.shape[:-2], *pooling.output_size(*size, element))
    _require_shape("dy", dy, of_result)
    read: list[Any] = []
    if pooling.op in _pooling.MAX_OPS:
        if indices is None and x is not None:
            x, _ = _planes(x, "x")
            _require_shape("x", x, whole)
            indices = pool_call(x, pooling, index_type(*size))[1]
        elif indices is not None:
            indices = _positions(indices, index_type(*size))
            _require_shape("indices", indices, of_result)
        read = [indices]
    elif pooling.op == "lp":
        read = [x if x is None else _planes(x, "x")[0], y if y is None else _planes(y, "y")[0]]
        for name, array, shape in (("x", read[0], whole), ("y", read[1], of_result)):
            if array is not None:
                _require_shape(name, array, shape)
                if array.dtype != dy.dtype:
                    raise TypeError(f"{name} has elements of type {array.dtype}, dy of {dy.dtype}: convert one of them")
    if any(array is None for array in read):
        what = "x and y" if pooling.op == "lp" else "x or indices"
        raise NullPointerError(f"the gradient of {op} pooling reads {what}")
    dy, *read = vary_alike(dy, *read)
    result: jax.Array = backward_call(dy, read, pooling, size)
    return result


def _positions(indices: Any, dtype: np.dtype[Any]) -> Any:
    if not isinstance(indices, (jax.Array, np.ndarray)) or indices.dtype not in (np.int32, np.int64):
        raise TypeError("indices are those that pool() gave: an array of int64 or int32")
    return jnp.asarray(indices, dtype)


def _require_shape(name: str, array: Any, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise InvalidDimensionError(f"{name} has shape {array.shape}, it must have {shape}")


def max_pool2d(
    input: Any,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """pool() with the arguments and defaults of torch.nn.functional.max_pool2d.

    >>> import jax.numpy as jnp, iir2d.jax
    >>> iir2d.jax.max_pool2d(jnp.zeros((1, 1, 4, 4)), 2).shape
    (1, 1, 2, 2)
    """
    return pool(
        input, "max", kernel_size, stride=stride, padding=padding, dilation=dilation, ceil_mode=ceil_mode,
        return_indices=return_indices,
    )  # fmt: skip


def avg_pool2d(
    input: Any,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> jax.Array:
    """pool() with the arguments and defaults of torch.nn.functional.avg_pool2d.

    >>> import jax.numpy as jnp, iir2d.jax
    >>> iir2d.jax.avg_pool2d(jnp.zeros((1, 1, 4, 4)), 2).shape
    (1, 1, 2, 2)
    """
    result: jax.Array = pool(
        input, "avg", kernel_size, stride=stride, padding=padding, ceil_mode=ceil_mode,
        count_include_pad=count_include_pad, divisor_override=divisor_override,
    )  # fmt: skip
    return result


def lp_pool2d(
    input: Any,
    norm_type: float,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
) -> jax.Array:
    """pool() with the arguments and defaults of torch.nn.functional.lp_pool2d.

    >>> import jax.numpy as jnp, iir2d.jax
    >>> float(iir2d.jax.lp_pool2d(jnp.ones((1, 1, 4, 4)), 2, 2)[0, 0, 0, 0])
    2.0
    """
    result: jax.Array = pool(input, "lp", kernel_size, stride=stride, ceil_mode=ceil_mode, p=float(norm_type))
    return result


def _output_size(input: Any, size: int | Sequence[int | None]) -> tuple[int, int]:
    given = (size, size) if isinstance(size, int) else tuple(size)
    rows, columns = (given[0], given[0]) if len(given) == 1 else (given[0], given[1])
    return input.shape[-2] if rows is None else rows, input.shape[-1] if columns is None else columns


def adaptive_max_pool2d(input: Any, output_size: int | Sequence[int | None], return_indices: bool = False) -> Any:
    """pool() with the arguments of torch.nn.functional.adaptive_max_pool2d.

    >>> import jax.numpy as jnp, iir2d.jax
    >>> iir2d.jax.adaptive_max_pool2d(jnp.zeros((1, 1, 5, 4)), (3, None)).shape
    (1, 1, 3, 4)
    """
    size = _output_size(input, output_size)
    return pool(input, "adaptive_max", output_size=size, return_indices=return_indices)


def adaptive_avg_pool2d(input: Any, output_size: int | Sequence[int | None]) -> jax.Array:
    """pool() with the arguments of torch.nn.functional.adaptive_avg_pool2d.

    >>> import jax.numpy as jnp, iir2d.jax
    >>> iir2d.jax.adaptive_avg_pool2d(jnp.zeros((1, 1, 5, 4)), 3).shape
    (1, 1, 3, 3)
    """
    result: jax.Array = pool(input, "adaptive_avg", output_size=_output_size(input, output_size))
    return result
