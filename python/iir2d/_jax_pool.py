# SPDX-License-Identifier: MIT
"""Pooling as JAX's primitives. `pool_p` is linear for averages; `backward_p` is linear in dy. `tangent_p`, the derivative
of max and lp in a direction, is only ever transposed, into `backward_p`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.interpreters import ad, batching, mlir

from ._arguments import ELEMENT_NAMES
from ._jax_common import (
    Division,
    aval_like,
    batch_size,
    batched_to_front,
    call,
    evaluate,
    has_float64,
    is_zero,
    lower,
    make_primitive,
    zero_tangent,
)
from ._pooling import MAX_OPS, Pooling
from .errors import InvalidDimensionError

Size = tuple[int, int]

pool_p = make_primitive("iir2d_pool", multiple_results=True)
tangent_p = make_primitive("iir2d_pool_tangent")
backward_p = make_primitive("iir2d_pool_backward")


def index_type(height: int, width: int) -> np.dtype[Any]:
    """The type of positions in a plane: int64, without x64 int32 where the plane is small enough."""
    if has_float64():
        return np.dtype(np.int64)
    if height * width > 2**31 - 1:
        raise InvalidDimensionError(f"positions in planes of {height}x{width} do not fit int32: enable x64 in JAX")
    return np.dtype(np.int32)


def pooled_shape(x: Any, pooling: Pooling) -> tuple[int, ...]:
    """The shape of the result; raises what is wrong with the fields."""
    return (*x.shape[:-2], *pooling.output_size(x.shape[-2], x.shape[-1], ELEMENT_NAMES.index(x.dtype.name)))


def pool_call(x: Any, pooling: Pooling, indices: np.dtype[Any] | None) -> list[Any]:
    """The result and, where their type is given, the positions of the maxima."""
    results: list[Any] = pool_p.bind(x, pooling=pooling, indices=indices)
    return results


def backward_call(dy: Any, read: Sequence[Any], pooling: Pooling, size: Size) -> Any:
    """The gradient with respect to an input of that height and width. max reads indices, lp x and y."""
    return backward_p.bind(dy, *read, pooling=pooling, size=size)


def _attributes(pooling: Pooling) -> dict[str, Any]:
    return {"fields": np.array(pooling.fields, np.int64), "p": np.float64(pooling.p)}


def _all_to_front(operands: Sequence[Any], axes: Sequence[Any]) -> list[Any]:
    size = batch_size(operands, axes)
    return [batched_to_front(o, a, size) for o, a in zip(operands, axes, strict=True)]


# pool_p


def _pool_avals(x: Any, *, pooling: Pooling, indices: np.dtype[Any] | None) -> list[Any]:
    shape = pooled_shape(x, pooling)
    return [aval_like(x, shape, dtype) for dtype in (x.dtype, indices) if dtype is not None]


def _pool_run(x: Any, *, pooling: Pooling, indices: np.dtype[Any] | None) -> list[Any]:
    shape = pooled_shape(x, pooling)
    results = [jax.ShapeDtypeStruct(shape, dtype) for dtype in (x.dtype, indices) if dtype is not None]
    outputs: list[Any] = call("iir2d_pool", results, **_attributes(pooling))(x)
    return outputs


def _pool_division(x: Any, *, pooling: Pooling, indices: np.dtype[Any] | None) -> Division:
    count = 1 if indices is None else 2
    return Division([x.shape], 1, [pooled_shape(x, pooling)] * count, count)


def _pool_jvp(
    primals: Sequence[Any], tangents: Sequence[Any], *, pooling: Pooling, indices: np.dtype[Any] | None
) -> tuple[list[Any], list[Any]]:
    (x,), (tangent,) = primals, tangents
    wanted = index_type(x.shape[-2], x.shape[-1]) if pooling.op in MAX_OPS else None
    outputs = pool_p.bind(x, pooling=pooling, indices=indices if is_zero(tangent) else wanted)
    if is_zero(tangent):
        dots = [zero_tangent(outputs[0])]
    elif pooling.op.endswith("avg"):
        dots = pool_p.bind(tangent, pooling=pooling, indices=None)
    else:
        read = (x, outputs[0]) if pooling.op == "lp" else outputs[1:]
        dots = [tangent_p.bind(tangent, *read, pooling=pooling)]
    if indices is None:
        return outputs[:1], dots
    return outputs, [*dots, zero_tangent(outputs[1])]


def _pool_transpose(cts: Sequence[Any], x: Any, *, pooling: Pooling, indices: np.dtype[Any] | None) -> list[Any]:
    if not pooling.op.endswith("avg"):
        raise NotImplementedError(f"{pooling.op.replace('_', ' ')} pooling is not linear: it has no transpose")
    if is_zero(cts[0]):
        return [ad.Zero(x.aval)]
    return [backward_p.bind(cts[0], pooling=pooling, size=x.aval.shape[-2:])]


def _pool_batch(
    operands: Sequence[Any], axes: Sequence[Any], *, pooling: Pooling, indices: np.dtype[Any] | None
) -> tuple[list[Any], list[int]]:
    outputs = pool_p.bind(*_all_to_front(operands, axes), pooling=pooling, indices=indices)
    return outputs, [0] * len(outputs)


pool_p.def_impl(evaluate(pool_p))
pool_p.def_abstract_eval(_pool_avals)
lower(pool_p, _pool_run, _pool_division)
ad.primitive_jvps[pool_p] = _pool_jvp
ad.primitive_transposes[pool_p] = _pool_transpose
batching.primitive_batchers[pool_p] = _pool_batch


# tangent_p: a direction of x, and what the gradient reads.


def _refuse_forward(*_: Any, pooling: Pooling) -> Any:
    raise NotImplementedError(
        f"there is no forward mode of {pooling.op.replace('_', ' ')} pooling: use reverse mode (jax.grad, jax.vjp)"
    )


def _refuse_forward_lowering(context: Any, *operands: Any, pooling: Pooling) -> Any:
    return _refuse_forward(pooling=pooling)


def _tangent_aval(direction: Any, *read: Any, pooling: Pooling) -> Any:
    return aval_like(direction, pooled_shape(direction, pooling), direction.dtype)


def _tangent_transpose(ct: Any, direction: Any, *read: Any, pooling: Pooling) -> list[Any]:
    nothing = [None] * len(read)
    if is_zero(ct):
        return [ad.Zero(direction.aval), *nothing]
    return [backward_p.bind(ct, *read, pooling=pooling, size=direction.aval.shape[-2:]), *nothing]


def _tangent_jvp(primals: Sequence[Any], tangents: Sequence[Any], *, pooling: Pooling) -> Any:
    return _refuse_forward(pooling=pooling)


def _tangent_batch(operands: Sequence[Any], axes: Sequence[Any], *, pooling: Pooling) -> tuple[Any, int]:
    return tangent_p.bind(*_all_to_front(operands, axes), pooling=pooling), 0


tangent_p.def_impl(_refuse_forward)
tangent_p.def_abstract_eval(_tangent_aval)
mlir.register_lowering(tangent_p, _refuse_forward_lowering)
ad.primitive_jvps[tangent_p] = _tangent_jvp
ad.primitive_transposes[tangent_p] = _tangent_transpose
batching.primitive_batchers[tangent_p] = _tangent_batch


# backward_p: dy, and the indices of max or x and y of lp.


def _backward_aval(dy: Any, *read: Any, pooling: Pooling, size: Size) -> Any:
    return aval_like(dy, (*dy.shape[:-2], *size), dy.dtype)


def _backward_run(dy: Any, *read: Any, pooling: Pooling, size: Size) -> list[Any]:
    result = jax.ShapeDtypeStruct((*dy.shape[:-2], *size), dy.dtype)
    outputs: list[Any] = call("iir2d_pool_backward", [result], **_attributes(pooling))(dy, *read)
    return outputs


def _backward_division(dy: Any, *read: Any, pooling: Pooling, size: Size) -> Division:
    operands = [dy.shape, *(r.shape for r in read)]
    return Division(operands, len(operands), [(*dy.shape[:-2], *size)], 1)


def _refuse_twice() -> None:
    raise NotImplementedError("lp pooling has no second derivative in iir2d")


def _backward_jvp(
    primals: Sequence[Any], tangents: Sequence[Any], *, pooling: Pooling, size: Size
) -> tuple[Any, Any]:
    dx = backward_p.bind(*primals, pooling=pooling, size=size)
    if pooling.op == "lp" and not all(is_zero(t) for t in tangents[1:]):
        _refuse_twice()
    if is_zero(tangents[0]):
        return dx, zero_tangent(dx)
    return dx, backward_p.bind(tangents[0], *primals[1:], pooling=pooling, size=size)


def _backward_transpose(ct: Any, dy: Any, *read: Any, pooling: Pooling, size: Size) -> list[Any]:
    if is_zero(ct):
        return [ad.Zero(dy.aval), *[None] * len(read)]
    if pooling.op.endswith("avg"):
        return [pool_p.bind(ct, pooling=pooling, indices=None)[0]]
    if pooling.op == "lp":
        _refuse_twice()
    (indices,) = read
    of_planes, places = (a.reshape(*a.shape[:-2], a.shape[-2] * a.shape[-1]) for a in (ct, indices))
    return [jnp.take_along_axis(of_planes, places, axis=-1).reshape(indices.shape), None]


def _backward_batch(
    operands: Sequence[Any], axes: Sequence[Any], *, pooling: Pooling, size: Size
) -> tuple[Any, int]:
    return backward_p.bind(*_all_to_front(operands, axes), pooling=pooling, size=size), 0


backward_p.def_impl(evaluate(backward_p))
backward_p.def_abstract_eval(_backward_aval)
lower(backward_p, _backward_run, _backward_division)
ad.primitive_jvps[backward_p] = _backward_jvp
ad.primitive_transposes[backward_p] = _backward_transpose
batching.primitive_batchers[backward_p] = _backward_batch
