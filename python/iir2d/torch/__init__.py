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
import operator
from collections.abc import Sequence
from typing import Any

import torch

from .. import _arguments, _pooling
from ..errors import InvalidArgumentError, InvalidDimensionError


def _require_version() -> None:
    found = torch.__version__.split("+")[0]
    if tuple(int(part) for part in found.split(".")[:2]) < (2, 6):
        raise ImportError(f"iir2d.torch needs torch 2.6 or later, this is torch {found}")


_require_version()

from . import _functions, _ops  # noqa: E402

__all__ = [
    "adaptive_avg_pool2d",
    "adaptive_max_pool2d",
    "avg_pool2d",
    "filter",
    "filter_adjoint",
    "filter_gradient",
    "iir2d",
    "lp_pool2d",
    "max_pool2d",
    "pool",
    "pool_backward",
]

Number = float | torch.Tensor


def _element(x: torch.Tensor, name: str) -> int:
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{name} is a {type(x).__name__}: give a tensor")
    element = _ops.ELEMENTS.get(x.dtype)
    if element is None:
        raise TypeError(
            f"{name} has elements of type {x.dtype}: convert to float32, float64, float16 or bfloat16"
        )
    if x.device.type not in ("cpu", "meta"):
        raise NotImplementedError(f"iir2d.torch computes on the CPU, and {name} lies on {x.device}: use {name}.cpu()")
    if x.dim() < 2:
        raise InvalidDimensionError(
            f"{name} has shape {tuple(x.shape)}: it must have 2 dimensions or more, the last two height and width"
        )
    for size, side in ((x.shape[-2], "height"), (x.shape[-1], "width")):
        if size < 1:
            raise InvalidDimensionError(f"{name} has shape {tuple(x.shape)}: {side} {size} must be at least 1")
    return element


def _spec(
    x: torch.Tensor,
    name: str,
    filter_id: int | str,
    border: str,
    border_const: float,
    precision: str | None,
    start: str,
    normalise_gain: bool,
    parameters: dict[str, Any],
) -> tuple[_functions.Spec, torch.Tensor | None]:
    """What a call is apart from tensors, and the parameters in one tensor where one of them is."""
    element = _element(x, name)
    info = _arguments.filter_info(filter_id)
    codes = (
        info.id,
        _arguments.border_code(border),
        float(border_const),
        _arguments.precision_code(precision, element),
        _arguments.start_code(start),
        bool(normalise_gain),
    )
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
        if not isinstance(value, torch.Tensor):
            tensors.append(_arguments.number(info, parameter, value))
            continue
        if value.dtype not in (torch.float32, torch.float64):
            raise TypeError(
                f"{parameter.name} has elements of type {value.dtype}: convert to float32 or float64"
            )
        if value.dtype == torch.float32:
            narrow.append(index)
        tensors.append(value)
    only = [t for t in tensors if isinstance(t, torch.Tensor)]
    if not only:
        return _functions.Spec(tuple(float(t) for t in tensors), tuple(given), (), *codes), None
    lead = x.shape[:-2]
    try:
        shape = torch.broadcast_shapes(*(t.shape for t in only))
        fits = torch.broadcast_shapes(shape, lead) == lead
    except RuntimeError:
        fits = False
    if not fits:
        listed = ", ".join(f"{n} {tuple(v.shape)}" for n, v in parameters.items() if isinstance(v, torch.Tensor))
        raise InvalidDimensionError(f"parameters of shapes {listed} do not broadcast to the planes' {tuple(lead)}")
    columns = [
        _functions.expand(t.to(device="cpu", dtype=torch.float64), shape)
        if isinstance(t, torch.Tensor)
        else torch.full(shape, t, dtype=torch.float64, device="cpu")
        for t in tensors
    ]
    return _functions.Spec((), tuple(given), tuple(narrow), *codes), torch.stack(columns, -1)


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

    Parameters are numbers or float32 or float64 tensors that broadcast to x.shape[:-2]; those that require a gradient
    get one, in their own shape and type. Uses torch.get_num_threads() threads. `out` only where no gradient is
    recorded. Raises TypeError and iir2d.errors.

    >>> import torch, iir2d.torch
    >>> iir2d.torch.filter(torch.ones(1, 2, 4, 4), "ema", alpha=0.5).shape
    torch.Size([1, 2, 4, 4])
    """
    spec, packed = _spec(x, "x", filter_id, border, border_const, precision, start, normalise_gain, parameters)
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
    spec, packed = _spec(dy, "dy", filter_id, border, 0.0, precision, start, normalise_gain, parameters)
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

    Each has its parameter's shape and type; of a number, or one that was not given, it is a float64 of shape ().

    >>> import torch, iir2d.torch
    >>> x = torch.eye(8)
    >>> list(iir2d.torch.filter_gradient(x, x, "deriche"))
    ['sigma']
    """
    info = _arguments.filter_info(filter_id)
    names = [p.name for p in info.parameters if not p.is_switch]
    if wrt is not None:
        names = [wrt] if isinstance(wrt, str) else list(wrt)
        _arguments.check_names(info, names)
    _arguments.check_names(info, parameters)
    tensors: dict[str, torch.Tensor] = {}
    for p in info.parameters:
        given = parameters.get(p.name)
        if isinstance(given, torch.Tensor):
            tensors[p.name] = given
        else:
            value = p.default if given is None else _arguments.number(info, p, given)
            tensors[p.name] = torch.tensor(value, dtype=torch.float64, device="cpu")
    spec, packed = _spec(x, "x", filter_id, border, border_const, precision, start, normalise_gain, tensors)
    _element(dy, "dy")
    assert packed is not None
    gradient = _functions.gradient(x, dy, packed, spec)
    order = [p.name for p in info.parameters]
    result = {}
    for name in names:
        column = gradient[..., order.index(name)]
        like = tensors[name]
        result[name] = _functions.sum_to(column, like.shape).to(device=like.device, dtype=like.dtype)
    return result


def pool(
    x: torch.Tensor,
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
    """Pools every plane of x; iir2d.pool() has the arguments. Differentiable: avg and max twice.

    >>> import torch, iir2d.torch
    >>> iir2d.torch.pool(torch.arange(16.0).reshape(4, 4), "max", 2).tolist()
    [[5.0, 7.0], [13.0, 15.0]]
    """
    _element(x, "x")
    pooling = _pooling.make_pooling(
        op, window, stride, padding, dilation, ceil_mode, p, count_include_pad, divisor_override, output_size
    )
    if return_indices and pooling.op not in _pooling.MAX_OPS:
        raise InvalidArgumentError(f"argmax: only max pooling has one, not {pooling.op.replace('_', '-')}")
    y, indices = _functions.pool(x, pooling, return_indices)
    return (y, indices) if return_indices else y


def pool_backward(
    dy: torch.Tensor,
    op: str,
    window: int | Sequence[int] | None = None,
    *,
    input_size: Sequence[int],
    x: torch.Tensor | None = None,
    y: torch.Tensor | None = None,
    indices: torch.Tensor | None = None,
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    p: float = 2.0,
    count_include_pad: bool = False,
    divisor_override: int | None = None,
    output_size: int | Sequence[int] | None = None,
) -> torch.Tensor:
    """Returns the gradient with respect to pool()'s input, from dy; iir2d.pool_backward() has the arguments.

    >>> import torch, iir2d.torch
    >>> iir2d.torch.pool_backward(torch.ones(1, 1), "avg", 2, input_size=(2, 2)).tolist()
    [[0.25, 0.25], [0.25, 0.25]]
    """
    _element(dy, "dy")
    pooling = _pooling.make_pooling(
        op, window, stride, padding, dilation, ceil_mode, p, count_include_pad, divisor_override, output_size
    )
    if len(input_size) < 2:
        raise InvalidDimensionError(f"input_size is {tuple(input_size)}: 2 sizes or more")
    if pooling.op in _pooling.MAX_OPS and indices is None and x is not None:
        indices = _functions.pool(x.detach(), pooling, True)[1]
    reads = {"max": (indices,), "adaptive_max": (indices,), "lp": (x, y)}.get(pooling.op, ())
    if any(tensor is None for tensor in reads):
        from ..errors import NullPointerError

        raise NullPointerError(f"the gradient of {op} pooling reads {'x and y' if pooling.op == 'lp' else 'x or indices'}")
    size = (operator.index(input_size[-2]), operator.index(input_size[-1]))
    return _functions.pool_backward(dy, reads, pooling, size)


def max_pool2d(
    input: torch.Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
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
    input: torch.Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
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
    input: torch.Tensor,
    norm_type: float,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
) -> torch.Tensor:
    """torch.nn.functional.lp_pool2d by iir2d: of magnitudes, and of a truncated window as it is.

    >>> import torch, iir2d.torch
    >>> iir2d.torch.lp_pool2d(torch.ones(1, 1, 4, 4), 2, 2)[0, 0, 0, 0].item()
    2.0
    """
    result: torch.Tensor = pool(input, "lp", kernel_size, stride=stride, ceil_mode=ceil_mode, p=float(norm_type))
    return result


def _output_size(input: torch.Tensor, size: int | Sequence[int | None]) -> tuple[int, int]:
    given = (size, size) if isinstance(size, int) else tuple(size)
    rows, columns = (given[0], given[0]) if len(given) == 1 else (given[0], given[1])
    return input.shape[-2] if rows is None else rows, input.shape[-1] if columns is None else columns


def adaptive_max_pool2d(
    input: torch.Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> Any:
    """torch.nn.functional.adaptive_max_pool2d by iir2d.

    >>> import torch, iir2d.torch
    >>> iir2d.torch.adaptive_max_pool2d(torch.zeros(1, 1, 5, 4), (3, None)).shape
    torch.Size([1, 1, 3, 4])
    """
    size = _output_size(input, output_size)
    return pool(input, "adaptive_max", output_size=size, return_indices=return_indices)


def adaptive_avg_pool2d(input: torch.Tensor, output_size: int | Sequence[int | None]) -> torch.Tensor:
    """torch.nn.functional.adaptive_avg_pool2d by iir2d.

    >>> import torch, iir2d.torch
    >>> iir2d.torch.adaptive_avg_pool2d(torch.zeros(1, 1, 5, 4), 3).shape
    torch.Size([1, 1, 3, 3])
    """
    result: torch.Tensor = pool(input, "adaptive_avg", output_size=_output_size(input, output_size))
    return result
