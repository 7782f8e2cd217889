# SPDX-License-Identifier: MIT
"""torch.ops.iir2d: the operations on raw addresses, the host's and a GPU's, and what they give of fake tensors."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from .. import _arguments, _native, _pooling
from ..errors import InvalidArgumentError
from . import _cuda

if TYPE_CHECKING:
    from ._functions import Spec

ELEMENTS = {dtype: element for dtype, element in _cuda.ELEMENTS.items() if dtype.is_floating_point}

_SETTINGS = (
    "float[] values, int[] given, int[] narrow, int filter_id, int border, float border_const, int precision, "
    "int start, bool normalise_gain"
)
library = torch.library.Library("iir2d", "DEF")
library.define(f"filter(Tensor x, Tensor? parameters, {_SETTINGS}) -> Tensor")
library.define(f"filter_adjoint(Tensor dy, Tensor? parameters, {_SETTINGS}) -> Tensor")
library.define(f"filter_gradient(Tensor x, Tensor dy, Tensor parameters, {_SETTINGS}) -> Tensor")
library.define("pool(Tensor x, int[] fields, float p, bool return_indices) -> (Tensor, Tensor)")
library.define("pool_backward(Tensor dy, Tensor[] read, SymInt[] input_size, int[] fields, float p) -> Tensor")

_DENSE = torch.contiguous_format
_settings = functools.lru_cache(maxsize=1024)(_native.FilterSettings)


def _raw(tensor: torch.Tensor) -> tuple[int, int, Any, Any]:
    return tensor.data_ptr(), ELEMENTS[tensor.dtype], tensor.shape, tensor.stride()


def host_copy(parameters: torch.Tensor) -> torch.Tensor:
    """Returns parameters in the host's memory; those of a GPU are waited for."""
    return parameters.detach().cpu()


def _values(filter_id: int, parameters: torch.Tensor | None, values: Any, given: Any, narrow: Any) -> Any:
    """What the module takes as parameters, which are the host's: those of a GPU are waited for."""
    if parameters is None:
        return tuple(values) if values else None
    info = _arguments.FILTERS[filter_id - 1]
    dense = (parameters.detach() if parameters.is_cpu else host_copy(parameters)).contiguous()
    if narrow:
        dense = dense.clone() if dense.data_ptr() == parameters.data_ptr() else dense
    for index in given:
        parameter, column = info.parameters[index], dense[..., index]
        if torch.isnan(column).any():
            _arguments.refuse_nan(info, parameter)
        if index in narrow:
            for end in (parameter.minimum, parameter.maximum):
                column.masked_fill_(column == float(np.float32(end)), end)
    return dense.numpy()


def _run(
    adjoint: bool, x: torch.Tensor, y: torch.Tensor, parameters: torch.Tensor | None, settings: Any
) -> torch.Tensor:
    values, given, narrow, *codes = settings
    native = _settings(*codes)
    if x.numel() != 0:
        sets = _values(codes[0], parameters, values, given, narrow)
        if _cuda.lies_on_gpu(x):
            _cuda.filter(adjoint, x, y, native, sets)
        else:
            call = _native.filter_adjoint if adjoint else _native.filter
            call(_raw(x), _raw(y), native, sets, torch.get_num_threads())
    return y


def run_filter(
    x: torch.Tensor, out: torch.Tensor, parameters: torch.Tensor | None, spec: Spec, adjoint: bool = False
) -> torch.Tensor:
    """Filters into a tensor that the caller has."""
    _check_out(out, x, "dy" if adjoint else "x", tuple(x.shape))
    _run(adjoint, x.detach().resolve_neg(), out, parameters, spec)
    return _written(out)


def _check_out(out: torch.Tensor, x: torch.Tensor, name: str, shape: tuple[int, ...]) -> None:
    """Raises where a result of this shape, of x's type, cannot be written to `out`."""
    if 0 in shape[:-2]:  # the module, which checks this, is not called
        _arguments.check_pair("out", out.shape, ELEMENTS[out.dtype], "the result", shape, ELEMENTS[x.dtype])
    _cuda.require_one_device("out", out, name, x)
    if out.is_neg():
        raise InvalidArgumentError("out is a negated view: give one that is not")
    if _cuda.lies_on_gpu(x):  # before anything is copied there
        _native.check_gpu_output(_raw(out), shape, ELEMENTS[x.dtype])


def _written(out: torch.Tensor) -> torch.Tensor:
    """Tells autograd that a tensor has other values now."""
    if not out.is_inference():
        torch.autograd.graph.increment_version(out)
    return out


def _like(x: torch.Tensor) -> torch.Tensor:
    return _cuda.empty(x, x.shape) if _cuda.lies_on_gpu(x) else torch.empty_like(x, memory_format=_DENSE)


def _filter(x: torch.Tensor, parameters: torch.Tensor | None, *settings: Any) -> torch.Tensor:
    return _run(False, x, _like(x), parameters, settings)


def _filter_adjoint(dy: torch.Tensor, parameters: torch.Tensor | None, *settings: Any) -> torch.Tensor:
    return _run(True, dy, _like(dy), parameters, settings)


def _filter_gradient(x: torch.Tensor, dy: torch.Tensor, parameters: torch.Tensor, *settings: Any) -> torch.Tensor:
    """The gradient, on x's device, in the shape of the parameters."""
    values, given, narrow, *codes = settings
    _cuda.require_one_device("dy", dy, "x", x)
    if 0 in x.shape[:-2]:
        return torch.zeros(parameters.shape, dtype=torch.float64, device=x.device)
    sets = _values(codes[0], parameters, values, given, narrow)
    if _cuda.lies_on_gpu(x):
        return _cuda.filter_gradient(x, dy, _settings(*codes), sets, parameters.shape)
    gradient = torch.zeros(parameters.shape, dtype=torch.float64, device="cpu")
    _native.filter_gradient(_raw(x), _raw(dy), gradient.numpy(), _settings(*codes), sets, torch.get_num_threads())
    return gradient


def sum_to(values: torch.Tensor, shape: Any) -> torch.Tensor:
    """Sums to a shape that broadcasts to the values' own, one after the other, as arrays are summed."""
    if values.shape == shape:
        return values
    if torch.compiler.is_compiling() or values.dtype != torch.float64 or not values.is_cpu or not _is_plain(values):
        return values.sum_to_size(shape)
    sums = torch.empty(shape, dtype=torch.float64, device="cpu")
    _native.sum_to(values.detach().contiguous().numpy(), sums.numpy())
    return sums


@functools.lru_cache(maxsize=1024)
def _pool_settings(fields: tuple[int, ...], p: float) -> _native.PoolSettings:
    op, wh, ww, sh, sw, ph, pw, dh, dw, oh, ow, divisor, ceil_mode, include_pad = fields
    return _native.PoolSettings(
        op, (wh, ww), (sh, sw), (ph, pw), (dh, dw), (oh, ow), divisor, p, bool(ceil_mode), bool(include_pad)
    )


def output_size(height: Any, width: Any, fields: Any) -> tuple[Any, Any]:
    """The result's height and width; sizes may be symbols."""
    op, wh, ww, sh, sw, ph, pw, dh, dw, oh, ow, _, ceil_mode, _ = fields
    if op >= 3:
        return oh, ow

    def along(size: Any, window: int, stride: int, padding: int, dilation: int) -> Any:
        stride = stride or window
        room = size + 2 * padding - dilation * (window - 1) - 1
        out = (-(-room // stride) if ceil_mode else room // stride) + 1
        if ceil_mode and (out - 1) * stride >= size + padding:
            out -= 1
        return out

    return along(height, wh, sh, ph, dh), along(width, ww, sw, pw, dw)


def _pool(x: torch.Tensor, fields: Any, p: float, return_indices: bool) -> tuple[torch.Tensor, torch.Tensor]:
    settings = _pool_settings(tuple(fields), p)
    return _pool_into(x, _cuda.empty(x, _pooled_shape(x, settings)), settings, return_indices)


def _pooled_shape(x: torch.Tensor, settings: _native.PoolSettings) -> tuple[int, ...]:
    return (*x.shape[:-2], *_native.pool_output_size(x.shape[-2], x.shape[-1], ELEMENTS[x.dtype], settings))


def run_pool(
    x: torch.Tensor, out: torch.Tensor, pooling: _pooling.Pooling, return_indices: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """Pools into a tensor that the caller has."""
    settings = _pool_settings(pooling.fields, pooling.p)
    _check_out(out, x, "x", _pooled_shape(x, settings))
    _, indices = _pool_into(x.detach().resolve_neg(), out, settings, return_indices)
    return _written(out), indices


def _pool_into(
    x: torch.Tensor, y: torch.Tensor, settings: _native.PoolSettings, return_indices: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    indices = _cuda.empty(x, y.shape if return_indices else 0, torch.int64)
    if 0 not in x.shape[:-2]:
        if _cuda.lies_on_gpu(x):
            _cuda.pool(x, y, indices if return_indices else None, settings)
        else:
            address = indices.data_ptr() if return_indices else 0
            _native.pool(_raw(x), _raw(y), address, settings, torch.get_num_threads())
    return y, indices


def _pool_backward(dy: torch.Tensor, read: Any, input_size: Any, fields: Any, p: float) -> torch.Tensor:
    settings = _pool_settings(tuple(fields), p)
    _check_dy(dy, input_size, settings)
    dx = _cuda.empty(dy, (*dy.shape[:-2], *input_size))
    return _pool_backward_into(dy, dx, read, settings)


def _check_dy(dy: torch.Tensor, size: Any, settings: _native.PoolSettings) -> None:
    """Raises where dy is not of the shape that pooling an input of this size gives, before memory is taken for that."""
    element = ELEMENTS[dy.dtype]
    wanted = (*dy.shape[:-2], *_native.pool_output_size(size[0], size[1], element, settings))
    _pooling.check_read("dy", dy.shape, element, wanted, element)


def run_pool_backward(
    dy: torch.Tensor, out: torch.Tensor, read: Any, size: tuple[int, int], pooling: _pooling.Pooling
) -> torch.Tensor:
    """Writes the gradient of a pooling into a tensor that the caller has."""
    settings = _pool_settings(pooling.fields, pooling.p)
    _check_dy(dy, size, settings)
    _check_out(out, dy, "dy", (*dy.shape[:-2], *size))
    read = [tensor.detach().resolve_neg() for tensor in read]
    _pool_backward_into(dy.detach().resolve_neg(), out, read, settings)
    return _written(out)


def _pool_backward_into(
    dy: torch.Tensor, dx: torch.Tensor, read: Any, settings: _native.PoolSettings
) -> torch.Tensor:
    for tensor in read:
        _cuda.require_one_device("what the gradient reads", tensor, "dy", dy)
    if 0 in dy.shape[:-2]:
        return dx
    x, y = (read if len(read) == 2 else (None, None))
    indices = read[0].contiguous() if len(read) == 1 else None
    if indices is not None:
        _pooling.check_indices(indices.dtype, indices.shape, dy.shape)
        indices = indices.to(torch.int64)
    if _cuda.lies_on_gpu(dy):
        _cuda.pool_backward(x, y, dy, dx, indices, settings)
        return dx
    _native.pool_backward(
        None if x is None else _raw(x),
        None if y is None else _raw(y),
        _raw(dy),
        _raw(dx),
        0 if indices is None else indices.data_ptr(),
        settings,
        torch.get_num_threads(),
    )
    return dx


def _same(x: torch.Tensor, *_: Any) -> torch.Tensor:
    return x.new_empty(x.shape)


def _fake_pool(x: torch.Tensor, fields: Any, p: float, return_indices: bool) -> tuple[torch.Tensor, torch.Tensor]:
    shape = (*x.shape[:-2], *output_size(x.shape[-2], x.shape[-1], fields))
    return x.new_empty(shape), x.new_empty(shape if return_indices else (0,), dtype=torch.int64)


for _name, _kernel, _fake in (
    ("filter", _filter, _same),
    ("filter_adjoint", _filter_adjoint, _same),
    ("filter_gradient", _filter_gradient, lambda x, dy, parameters, *_: x.new_empty(parameters.shape, dtype=torch.float64)),
    ("pool", _pool, _fake_pool),
    (
        "pool_backward",
        _pool_backward,
        lambda dy, read, input_size, fields, p: dy.new_empty((*dy.shape[:-2], *input_size)),
    ),
):
    for _key in ("CPU", "CUDA"):
        library.impl(_name, _kernel, _key)
    torch.library.register_fake(f"iir2d::{_name}", _fake, lib=library)

_operations = torch.ops.iir2d
_c: Any = torch._C
_is_wrapped = _c._functorch.is_functorch_wrapped_tensor
_is_batched = _c._functorch.is_legacy_batchedtensor
_modes = _c._len_torch_dispatch_stack
_is_tracing = _c._is_tracing
_PLAIN = (torch.Tensor, torch.nn.Parameter)


def _is_plain(x: torch.Tensor) -> bool:
    """Whether nothing listens to operations, so that the dispatcher's time can be saved."""
    return (
        type(x) in _PLAIN
        and (x.is_cpu or x.is_cuda)
        and not _modes()
        and not _is_wrapped(x)
        and not _is_batched(x)
        and not x.is_neg()
        and not x._is_zerotensor()
        and not _is_tracing()
    )


def filter(x: torch.Tensor, parameters: torch.Tensor | None, spec: Spec, adjoint: bool = False) -> torch.Tensor:
    """A x + c, or A^T x, without a gradient."""
    if _is_plain(x):
        return (_filter_adjoint if adjoint else _filter)(x, parameters, *spec)
    operation = _operations.filter_adjoint if adjoint else _operations.filter
    return operation.default(x, parameters, *spec)  # type: ignore[no-any-return]
