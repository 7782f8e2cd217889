# SPDX-License-Identifier: MIT
"""iir2d's functions on JAX's arrays, with every transformation: jit, vmap, grad, jvp, scan, sharding.

Linear primitives in x, differentiable in both modes any number of times; gradients for parameters that are arrays, in
reverse mode. A batch is one call of the library, a batch that is sharded over its leading dimensions stays so. Calls
run on the CPU, or on XLA's stream of a CUDA device, where a parameter that is an array is waited for.

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
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from . import _arguments, _companions, _native, _pooling
from ._pooling import Extent

try:
    import jax
    import jax.numpy as jnp
except ModuleNotFoundError as error:
    if error.name == "jax":
        _companions.require("jax", "0.6.2", None)
    raise

_companions.require("jax", "0.6.2", jax.__version__)
if not hasattr(_native, "xla_handlers"):
    raise ImportError("iir2d was built without JAX's handlers (-DIIR2D_PYTHON_JAX=OFF): build it with them")

from . import (  # noqa: E402
    __version__,
    api_version,
    build_fingerprint,
    devices,
    filters,
    get_include,
    get_library,
    get_num_threads,
    set_num_threads,
    status_string,
)
from ._jax_common import has_float64, vary_alike  # noqa: E402
from ._jax_constrain import constrain, unconstrain  # noqa: E402
from ._jax_filter import Gradient, Spec, filter_call, gradient_call  # noqa: E402
from ._jax_pool import backward_call, index_type, pool_call, pooled_shape  # noqa: E402

__all__ = [
    "__version__",
    "adaptive_avg_pool2d",
    "adaptive_max_pool2d",
    "api_version",
    "avg_pool2d",
    "build_fingerprint",
    "constrain",
    "devices",
    "filter",
    "filter_adjoint",
    "filter_gradient",
    "filters",
    "get_include",
    "get_library",
    "get_num_threads",
    "iir2d",
    "lp_pool2d",
    "max_pool2d",
    "pool",
    "pool_backward",
    "set_num_threads",
    "status_string",
    "unconstrain",
]

for _platform in ("cpu", "CUDA"):  # a jaxlib without CUDA keeps its targets for a plugin that may come
    for _target, _handler in _native.xla_handlers(_platform).items():
        jax.ffi.register_ffi_target(_target, _handler, platform=_platform)

_ELEMENTS: dict[str, int] = {name: number for number, name in enumerate(_arguments.ELEMENT_NAMES)}


def _array(x: Any, name: str) -> Any:
    """An argument as JAX's array, never of another type than it has."""
    if not isinstance(x, (jax.Array, np.ndarray, np.generic)):
        raise TypeError(f"{name} is a {type(x).__name__}: give an array of JAX or NumPy")
    if isinstance(x, jax.Array):
        return x
    if x.dtype.name not in _ELEMENTS:
        raise _arguments.refused_elements(name, x.dtype)
    if x.dtype == np.float64 and not has_float64():
        raise TypeError(f"{name} has elements of type float64: enable x64 in JAX, or convert to float32")
    return jnp.asarray(x)


def _planes(x: Any, name: str) -> tuple[Any, int]:
    """Planes and the number of their element type."""
    x = _array(x, name)
    element = _ELEMENTS.get(x.dtype.name)
    if element is None:
        raise _arguments.refused_elements(name, x.dtype)
    _arguments.check_planes(name, x.shape)
    return x, element


@functools.lru_cache(maxsize=1024)
def _check_values(filter_id: int, start: int, normalise_gain: bool, values: tuple[float | None, ...]) -> None:
    """Raises what the library says of these values."""
    settings = _native.FilterSettings(filter_id, _arguments.BORDERS["clamp"], 0.0, 2, start, normalise_gain)
    given = tuple(math.nan if value is None else value for value in values)
    _native.filter(np.zeros((1, 1)), np.empty((1, 1)), settings, given, 1)


def _spec(
    how: tuple[_arguments.FilterInfo, _arguments.Codes], lead: tuple[int, ...], parameters: dict[str, Any]
) -> tuple[Spec, dict[str, Any]]:
    """What a call is apart from arrays, and the parameters that are arrays, in order; `how` is _arguments.codes()."""
    info, codes = how
    _arguments.check_names(info, parameters)
    values: list[float | None] = []
    arrays: dict[str, Any] = {}
    given: list[int] = []
    for index, parameter in enumerate(info.parameters):
        value = parameters.get(parameter.name)
        number: float | None = None
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        if value is not None and not isinstance(value, (jax.Array, np.ndarray)):
            number = _arguments.number(info, parameter, value)
        elif value is not None:
            if parameter.is_switch:
                raise TypeError(f"{parameter.name} of {_arguments.shown(info)} is a switch: give True or False")
            array = _array(value, parameter.name)
            if array.dtype not in (np.float32, np.float64):
                raise _arguments.refused_parameter(parameter, array.dtype)
            arrays[parameter.name] = array
            given.append(index)
        values.append(number)
    numbers = tuple(values) if any(value is not None for value in values) else ()
    if numbers:
        for parameter, value in zip(info.parameters, values, strict=True):
            # Values that are allowed one by one may be refused together: only where no array takes part is that known.
            if not arrays or (value is not None and not parameter.minimum <= value <= parameter.maximum):
                _check_values(info.id, codes[4], codes[5], numbers)
    _arguments.check_broadcast({name: array.shape for name, array in arrays.items()}, lead)
    return Spec(*codes, numbers, tuple(given)), arrays


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
    how = _arguments.codes(filter_id, border, border_const, precision, start, normalise_gain, element)
    spec, arrays = _spec(how, x.shape[:-2], parameters)
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
    how = _arguments.codes(filter_id, border, 0.0, precision, start, normalise_gain, element)
    spec, arrays = _spec(how, dy.shape[:-2], parameters)
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
    dy, of_dy = _planes(dy, "dy")
    _arguments.check_pair("dy", dy.shape, of_dy, "x", x.shape, element)
    how = _arguments.codes(filter_id, border, border_const, precision, start, normalise_gain, element)
    info, _ = how
    names = _arguments.gradient_names(info, wrt)
    spec, arrays = _spec(how, x.shape[:-2], parameters)
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


@_pooling.shows_options
def pool(
    x: Any,
    op: str,
    window: Extent | None = None,
    *,
    return_indices: bool = False,
    **options: Unpack[_pooling.PoolOptions],
) -> Any:
    """Pools every plane of x; iir2d.pool() has the arguments. Indices are int64, without x64 int32.

    Averages are differentiable in both modes any number of times; max in reverse mode twice, lp once; what there is
    not raises NotImplementedError.

    >>> import jax.numpy as jnp, iir2d.jax
    >>> iir2d.jax.pool(jnp.arange(16.0).reshape(4, 4), "max", 2).tolist()
    [[5.0, 7.0], [13.0, 15.0]]
    """
    x, _ = _planes(x, "x")
    pooling = _pooling.make_pooling(op, window, **options)
    pooled_shape(x, pooling)
    if not return_indices:
        return pool_call(x, pooling, None)[0]
    _pooling.require_maxima(pooling)
    return tuple(pool_call(x, pooling, index_type(*x.shape[-2:])))


@_pooling.shows_options
def pool_backward(
    dy: Any,
    op: str,
    window: Extent | None = None,
    *,
    input_size: Sequence[int],
    x: Any = None,
    y: Any = None,
    indices: Any = None,
    **options: Unpack[_pooling.PoolOptions],
) -> jax.Array:
    """Returns the gradient with respect to pool()'s input, from dy; iir2d.pool_backward() has the arguments.

    >>> import jax.numpy as jnp, iir2d.jax
    >>> iir2d.jax.pool_backward(jnp.ones((1, 1)), "avg", 2, input_size=(2, 2)).tolist()
    [[0.25, 0.25], [0.25, 0.25]]
    """
    dy, element = _planes(dy, "dy")
    pooling = _pooling.make_pooling(op, window, **options)
    size = _pooling.input_extent(input_size)
    _pooling.require_read(pooling, x, y, indices)
    whole = (*dy.shape[:-2], *size)
    of_result = (*dy.shape[:-2], *pooling.output_size(*size, element))
    _pooling.check_read("dy", dy.shape, element, of_result, element)

    def planes(array: Any, name: str, shape: tuple[int, ...]) -> Any:
        array, found = _planes(array, name)
        _pooling.check_read(name, array.shape, found, shape, element)
        return array

    read: list[Any] = []
    if pooling.op in _pooling.MAX_OPS:
        dtype = index_type(*size)
        if indices is None:
            read = [pool_call(planes(x, "x", whole), pooling, dtype)[1]]
        else:
            places = indices if isinstance(indices, jax.Array) else np.asarray(indices)
            _pooling.check_indices(places.dtype, places.shape, of_result)
            read = [jnp.asarray(places, dtype)]
    elif pooling.op == "lp":
        read = [planes(x, "x", whole), planes(y, "y", of_result)]
    dy, *read = vary_alike(dy, *read)
    result: jax.Array = backward_call(dy, read, pooling, size)
    return result


def max_pool2d(
    input: Any, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0, dilation: Extent = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
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
    input: Any, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
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
    input: Any, norm_type: float, kernel_size: Extent, stride: Extent | None = None, ceil_mode: bool = False
) -> jax.Array:
    """pool() with the arguments and defaults of torch.nn.functional.lp_pool2d.

    >>> import jax.numpy as jnp, iir2d.jax
    >>> float(iir2d.jax.lp_pool2d(jnp.ones((1, 1, 4, 4)), 2, 2)[0, 0, 0, 0])
    2.0
    """
    result: jax.Array = pool(input, "lp", kernel_size, stride=stride, ceil_mode=ceil_mode, p=float(norm_type))
    return result


def adaptive_max_pool2d(input: Any, output_size: int | Sequence[int | None], return_indices: bool = False) -> Any:
    """pool() with the arguments of torch.nn.functional.adaptive_max_pool2d.

    >>> import jax.numpy as jnp, iir2d.jax
    >>> iir2d.jax.adaptive_max_pool2d(jnp.zeros((1, 1, 5, 4)), (3, None)).shape
    (1, 1, 3, 4)
    """
    size = _pooling.adaptive_size(input.shape, output_size)
    return pool(input, "adaptive_max", output_size=size, return_indices=return_indices)


def adaptive_avg_pool2d(input: Any, output_size: int | Sequence[int | None]) -> jax.Array:
    """pool() with the arguments of torch.nn.functional.adaptive_avg_pool2d.

    >>> import jax.numpy as jnp, iir2d.jax
    >>> iir2d.jax.adaptive_avg_pool2d(jnp.zeros((1, 1, 5, 4)), 3).shape
    (1, 1, 3, 3)
    """
    size = _pooling.adaptive_size(input.shape, output_size)
    result: jax.Array = pool(input, "adaptive_avg", output_size=size)
    return result
