# SPDX-License-Identifier: MIT
"""iir2d's functions on PyTorch's tensors, with gradients for x and for every parameter that is a tensor.

>>> import torch, iir2d.torch
>>> x = torch.rand(2, 3, 32, 32, requires_grad=True)
>>> sigma = torch.tensor(2.0, requires_grad=True)
>>> iir2d.torch.filter(x, "deriche", sigma=sigma).sum().backward()
>>> x.grad.shape, sigma.grad.shape
(torch.Size([2, 3, 32, 32]), torch.Size([]))
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from .. import _arguments, _companions, _pooling
from .._pooling import Extent

try:
    import torch
except ModuleNotFoundError as error:
    if error.name == "torch":
        _companions.require("torch", "2.6", None)
    raise

_companions.require("torch", "2.6", torch.__version__)

from . import _functions, _ops  # noqa: E402

from .. import (  # noqa: E402
    __version__,
    api_version,
    build_fingerprint,
    devices,
    filters,
    get_include,
    get_library,
    status_string,
)

__all__ = [
    "__version__",
    "adaptive_avg_pool2d",
    "adaptive_max_pool2d",
    "api_version",
    "avg_pool2d",
    "build_fingerprint",
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
]

Number = float | torch.Tensor | npt.NDArray[Any]


def _element(x: torch.Tensor, name: str) -> int:
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{name} is a {type(x).__name__}: give a tensor")
    if x.layout is not torch.strided or x.is_nested:
        kind = "nested" if x.is_nested else str(x.layout).removeprefix("torch.")
        raise TypeError(f"{name} is a {kind} tensor: give a dense one")
    element = _ops.ELEMENTS.get(x.dtype)
    if element is None:
        raise _arguments.refused_elements(name, x.dtype)
    if not (x.is_cpu or x.is_cuda or x.is_meta):
        raise NotImplementedError(
            f"iir2d.torch computes on the CPU and on CUDA's GPUs, and {name} lies on {x.device}: use {name}.cpu()"
        )
    shape = x.shape
    if len(shape) < 2 or shape[-1] < 1 or shape[-2] < 1:
        _arguments.check_planes(name, shape)
    return element


def _spec(
    x: torch.Tensor, parameters: dict[str, Any], *how: Any
) -> tuple[_functions.Spec, torch.Tensor | None]:
    """What a call is apart from tensors, and the parameters in one tensor where one of them is; `how` is what
    _arguments.codes() takes."""
    if not parameters and not torch.compiler.is_compiling():
        return _functions.Spec.of_defaults(*how), None
    info, codes = _arguments.codes(*how)
    if not parameters:
        return _functions.Spec((), (), (), *codes), None
    _arguments.check_names(info, parameters)
    given: list[int] = []
    narrow: list[int] = []
    tensors: list[torch.Tensor | float] = []
    for index, parameter in enumerate(info.parameters):
        value = parameters.get(parameter.name)
        if value is None:
            tensors.append(math.nan)
            continue
        given.append(index)
        if isinstance(value, np.ndarray):
            value = _tensor(parameter, value)
        if not isinstance(value, torch.Tensor):
            tensors.append(_arguments.number(info, parameter, value))
            continue
        if value.dtype not in (torch.float32, torch.float64):
            raise _arguments.refused_parameter(parameter, value.dtype)
        if value.dtype == torch.float32:
            narrow.append(index)
        tensors.append(value)
    only = [t for t in tensors if isinstance(t, torch.Tensor)]
    if not only:
        return _functions.Spec(tuple(float(t) for t in tensors), tuple(given), (), *codes), None
    given_shapes = {n: v.shape for n, v in parameters.items() if isinstance(v, (torch.Tensor, np.ndarray))}
    _arguments.check_broadcast(given_shapes, x.shape[:-2])
    shape = torch.broadcast_shapes(*given_shapes.values())
    # Beside an x on a GPU they stay on one, so that their gradients are not waited for.
    device = x.device if x.is_cuda and any(t.is_cuda for t in only) else torch.device("cpu")
    columns = [
        _functions.expand(t.to(device=device, dtype=torch.float64), shape)
        if isinstance(t, torch.Tensor)
        else torch.full(shape, t, dtype=torch.float64, device=device)
        for t in tensors
    ]
    return _functions.Spec((), tuple(given), tuple(narrow), *codes), torch.stack(columns, -1)


def _tensor(parameter: _arguments.ParameterInfo, values: npt.NDArray[Any]) -> torch.Tensor:
    """A parameter that is an array of NumPy, as a tensor."""
    if values.dtype not in (np.float32, np.float64):
        raise _arguments.refused_parameter(parameter, values.dtype)
    return torch.from_numpy(np.array(values))  # writable and aligned, whatever it was


def _refuse_gradient(name: str, *tensors: torch.Tensor | None) -> None:
    if torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in tensors):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad."
        )


def filter(
    x: torch.Tensor,
    filter_id: int | str = 1,
    *,
    border: str = "mirror",
    border_const: float = 0.0,
    precision: str | None = None,
    start: str = "truncated",
    normalise_gain: bool = False,
    out: torch.Tensor | None = None,
    **parameters: Number,
) -> torch.Tensor:
    """Filters every plane of x, of shape (..., H, W); iir2d.filter() has the arguments.

    Parameters are numbers, or float32 or float64 tensors (or NumPy arrays) that broadcast to x.shape[:-2]; those that require a gradient
    get one, in their own shape and type and on their own device. Uses torch.get_num_threads() threads, on a GPU the
    current stream, which is not waited for unless parameters lie on a GPU. `out` only where no gradient is recorded.
    Raises TypeError and iir2d.errors.

    >>> import torch, iir2d.torch
    >>> iir2d.torch.filter(torch.ones(1, 2, 4, 4), "ema", alpha=0.5).shape
    torch.Size([1, 2, 4, 4])
    """
    element = _element(x, "x")
    how = (filter_id, border, float(border_const), precision, start, normalise_gain, element)
    spec, packed = _spec(x, parameters, *how)
    if out is not None:
        _refuse_gradient("filter", x, packed, out)
        _element(out, "out")
        return _ops.run_filter(x, out, packed, spec)
    return _functions.filter(x, packed, spec)


iir2d = filter


def filter_adjoint(
    dy: torch.Tensor,
    filter_id: int | str = 1,
    *,
    border: str = "mirror",
    precision: str | None = None,
    start: str = "truncated",
    normalise_gain: bool = False,
    out: torch.Tensor | None = None,
    **parameters: Number,
) -> torch.Tensor:
    """Applies the transpose of filter()'s linear part; differentiable as filter() is.

    >>> import torch, iir2d.torch
    >>> iir2d.torch.filter_adjoint(torch.ones(4, 4), 5).shape
    torch.Size([4, 4])
    """
    element = _element(dy, "dy")
    spec, packed = _spec(dy, parameters, filter_id, border, 0.0, precision, start, normalise_gain, element)
    if out is not None:
        _refuse_gradient("filter_adjoint", dy, packed, out)
        _element(out, "out")
        return _ops.run_filter(dy, out, packed, spec, adjoint=True)
    return _functions.adjoint(dy, packed, spec)


def filter_gradient(
    x: torch.Tensor,
    dy: torch.Tensor,
    filter_id: int | str = 1,
    *,
    border: str = "mirror",
    border_const: float = 0.0,
    precision: str | None = None,
    start: str = "truncated",
    normalise_gain: bool = False,
    wrt: str | Sequence[str] | None = None,
    **parameters: Number,
) -> dict[str, torch.Tensor]:
    """Returns the derivatives of <dy, filter(x)> with respect to the parameters, by name; iir2d.filter_gradient().

    Each has its parameter's shape, type and device; of a number, or one that was not given, it is a float64 of shape ()
    on x's device.

    >>> import torch, iir2d.torch
    >>> x = torch.eye(8)
    >>> list(iir2d.torch.filter_gradient(x, x, "deriche"))
    ['sigma']
    """
    element = _element(x, "x")
    _arguments.check_pair("dy", dy.shape, _element(dy, "dy"), "x", x.shape, element)
    how = (filter_id, border, float(border_const), precision, start, normalise_gain, element)
    info, _ = _arguments.codes(*how)
    names = _arguments.gradient_names(info, wrt)
    _arguments.check_names(info, parameters)
    tensors: dict[str, torch.Tensor] = {}
    for p in info.parameters:
        given = parameters.get(p.name)
        if isinstance(given, np.ndarray):
            given = _tensor(p, given)
        if isinstance(given, torch.Tensor):
            tensors[p.name] = given
        else:
            value = p.default if given is None else _arguments.number(info, p, given)
            tensors[p.name] = torch.tensor(value, dtype=torch.float64, device="cpu")
    spec, packed = _spec(x, tensors, *how)
    assert packed is not None
    gradient = _functions.gradient(x, dy, packed, spec)
    order = [p.name for p in info.parameters]
    result = {}
    for name in names:
        column = gradient[..., order.index(name)]
        like = tensors[name]
        device = like.device if isinstance(parameters.get(name), torch.Tensor) else column.device
        result[name] = _functions.sum_to(column, like.shape).to(device=device, dtype=like.dtype)
    return result


@_pooling.shows_options
def pool(
    x: torch.Tensor,
    op: str,
    window: Extent | None = None,
    *,
    return_indices: bool = False,
    out: torch.Tensor | None = None,
    **options: Unpack[_pooling.PoolOptions],
) -> Any:
    """Pools every plane of x; iir2d.pool() has the arguments. Differentiable: avg and max twice.

    `out` takes the result, only where no gradient is recorded. Raises TypeError and iir2d.errors.

    >>> import torch, iir2d.torch
    >>> iir2d.torch.pool(torch.arange(16.0).reshape(4, 4), "max", 2).tolist()
    [[5.0, 7.0], [13.0, 15.0]]
    """
    _element(x, "x")
    pooling = _pooling.make_pooling(op, window, **options)
    if return_indices:
        _pooling.require_maxima(pooling)
    if out is None:
        y, indices = _functions.pool(x, pooling, return_indices)
    else:
        _refuse_gradient("pool", x, out)
        _element(out, "out")
        y, indices = _ops.run_pool(x, out, pooling, return_indices)
    return (y, indices) if return_indices else y


@_pooling.shows_options
def pool_backward(
    dy: torch.Tensor,
    op: str,
    window: Extent | None = None,
    *,
    input_size: Sequence[int],
    x: torch.Tensor | None = None,
    y: torch.Tensor | None = None,
    indices: torch.Tensor | None = None,
    out: torch.Tensor | None = None,
    **options: Unpack[_pooling.PoolOptions],
) -> torch.Tensor:
    """Returns the gradient with respect to pool()'s input, from dy; iir2d.pool_backward() has the arguments.

    `out` takes the result, only where no gradient is recorded. Raises TypeError and iir2d.errors.

    >>> import torch, iir2d.torch
    >>> iir2d.torch.pool_backward(torch.ones(1, 1), "avg", 2, input_size=(2, 2)).tolist()
    [[0.25, 0.25], [0.25, 0.25]]
    """
    _element(dy, "dy")
    pooling = _pooling.make_pooling(op, window, **options)
    size = _pooling.input_extent(input_size)
    _pooling.require_read(pooling, x, y, indices)
    if pooling.op in _pooling.MAX_OPS:
        if indices is None:
            assert x is not None
            indices = _functions.pool(x.detach(), pooling, True)[1]
        _pooling.check_indices(indices.dtype, indices.shape, dy.shape)
        indices = indices.to(torch.int64)
    reads = {"max": (indices,), "adaptive_max": (indices,), "lp": (x, y)}.get(pooling.op, ())
    if out is None:
        return _functions.pool_backward(dy, reads, pooling, size)
    _refuse_gradient("pool_backward", dy, *reads, out)
    _element(out, "out")
    return _ops.run_pool_backward(dy, out, reads, size, pooling)


def max_pool2d(
    input: torch.Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0, dilation: Extent = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """torch.nn.functional.max_pool2d by iir2d.

    >>> import torch, iir2d.torch
    >>> iir2d.torch.max_pool2d(torch.zeros(1, 1, 4, 4), 2).shape
    torch.Size([1, 1, 2, 2])
    """
    return pool(
        input, "max", kernel_size, stride=stride, padding=padding, dilation=dilation, ceil_mode=ceil_mode,
        return_indices=return_indices,
    )  # fmt: skip


def avg_pool2d(
    input: torch.Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> torch.Tensor:
    """torch.nn.functional.avg_pool2d by iir2d.

    >>> import torch, iir2d.torch
    >>> iir2d.torch.avg_pool2d(torch.zeros(1, 1, 4, 4), 2).shape
    torch.Size([1, 1, 2, 2])
    """
    result: torch.Tensor = pool(
        input, "avg", kernel_size, stride=stride, padding=padding, ceil_mode=ceil_mode,
        count_include_pad=count_include_pad, divisor_override=divisor_override,
    )  # fmt: skip
    return result


def lp_pool2d(
    input: torch.Tensor, norm_type: float, kernel_size: Extent, stride: Extent | None = None, ceil_mode: bool = False
) -> torch.Tensor:
    """torch.nn.functional.lp_pool2d by iir2d: of magnitudes, and of a truncated window as it is.

    >>> import torch, iir2d.torch
    >>> iir2d.torch.lp_pool2d(torch.ones(1, 1, 4, 4), 2, 2)[0, 0, 0, 0].item()
    2.0
    """
    result: torch.Tensor = pool(input, "lp", kernel_size, stride=stride, ceil_mode=ceil_mode, p=float(norm_type))
    return result


def adaptive_max_pool2d(
    input: torch.Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> Any:
    """torch.nn.functional.adaptive_max_pool2d by iir2d.

    >>> import torch, iir2d.torch
    >>> iir2d.torch.adaptive_max_pool2d(torch.zeros(1, 1, 5, 4), (3, None)).shape
    torch.Size([1, 1, 3, 4])
    """
    size = _pooling.adaptive_size(input.shape, output_size)
    return pool(input, "adaptive_max", output_size=size, return_indices=return_indices)


def adaptive_avg_pool2d(input: torch.Tensor, output_size: int | Sequence[int | None]) -> torch.Tensor:
    """torch.nn.functional.adaptive_avg_pool2d by iir2d.

    >>> import torch, iir2d.torch
    >>> iir2d.torch.adaptive_avg_pool2d(torch.zeros(1, 1, 5, 4), 3).shape
    torch.Size([1, 1, 3, 3])
    """
    size = _pooling.adaptive_size(input.shape, output_size)
    result: torch.Tensor = pool(input, "adaptive_avg", output_size=size)
    return result


def set_num_threads(n: int) -> None:
    """Sets torch's threads, which calls on tensors use: torch.set_num_threads(); 0 is all that the process may use.

    >>> import torch, iir2d.torch
    >>> before = torch.get_num_threads()
    >>> iir2d.torch.set_num_threads(1); torch.get_num_threads()
    1
    >>> iir2d.torch.set_num_threads(before)
    """
    torch.set_num_threads(_arguments.thread_count(n) or _arguments.processors())


def get_num_threads() -> int:
    """Returns torch's threads, which calls on tensors use.

    >>> import torch, iir2d.torch
    >>> iir2d.torch.get_num_threads() == torch.get_num_threads()
    True
    """
    return torch.get_num_threads()
