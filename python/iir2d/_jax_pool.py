# SPDX-License-Identifier: MIT
"""Pooling as JAX's primitives. `pool_p` is linear for averages; `backward_p` is linear in dy. `tangent_p`, the derivative
of max and lp in a direction, is only ever transposed, into `backward_p`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.interpreters import ad

from . import _jax_common as common
from ._arguments import ELEMENT_NAMES
from ._jax_common import Division
from ._pooling import MAX_OPS, Pooling, check_int32

Size = tuple[int, int]

pool_p = common.make_primitive("iir2d_pool", multiple_results=True)
tangent_p = common.make_primitive("iir2d_pool_tangent")
backward_p = common.make_primitive("iir2d_pool_backward")


def index_type(height: int, width: int) -> np.dtype[Any]:
    """The type of positions in a plane: int64, without x64 int32 where the plane is small enough."""
    check_int32(height, width, has_int64=common.has_float64())
    return np.dtype(np.int64 if common.has_float64() else np.int32)


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
    size = common.batch_size(operands, axes)
    return [common.batched_to_front(o, a, size) for o, a in zip(operands, axes, strict=True)]


# pool_p


def _pool_avals(x: Any, *, pooling: Pooling, indices: np.dtype[Any] | None) -> list[Any]:
    shape = pooled_shape(x, pooling)
    return [common.aval_like(x, shape, dtype) for dtype in (x.dtype, indices) if dtype is not None]


def _pool_run(x: Any, *, pooling: Pooling, indices: np.dtype[Any] | None) -> list[Any]:
    shape = pooled_shape(x, pooling)
    results = [jax.ShapeDtypeStruct(shape, dtype) for dtype in (x.dtype, indices) if dtype is not None]
    outputs: list[Any] = common.call("iir2d_pool", results, **_attributes(pooling))(x)
    return outputs


def _pool_run_on_gpu(x: Any, *, pooling: Pooling, indices: np.dtype[Any] | None) -> list[Any]:
    """There positions are int64."""
    if indices is None:
        return _pool_run(x, pooling=pooling, indices=None)
    with common.with_float64():
        y, places = _pool_run(x, pooling=pooling, indices=np.dtype(np.int64))
        return [y, places.astype(indices)]


def _pool_division(x: Any, *, pooling: Pooling, indices: np.dtype[Any] | None) -> Division:
    count = 1 if indices is None else 2
    return Division([x.shape], 1, [pooled_shape(x, pooling)] * count, count)


def _pool_jvp(
    primals: Sequence[Any], tangents: Sequence[Any], *, pooling: Pooling, indices: np.dtype[Any] | None
) -> tuple[list[Any], list[Any]]:
    (x,), (tangent,) = primals, tangents
    wanted = index_type(x.shape[-2], x.shape[-1]) if pooling.op in MAX_OPS else None
    outputs = pool_p.bind(x, pooling=pooling, indices=indices if common.is_zero(tangent) else wanted)
    if common.is_zero(tangent):
        dots = [common.zero_tangent(outputs[0])]
    elif pooling.op.endswith("avg"):
        dots = pool_p.bind(tangent, pooling=pooling, indices=None)
    else:
        read = (x, outputs[0]) if pooling.op == "lp" else outputs[1:]
        dots = [tangent_p.bind(tangent, *read, pooling=pooling)]
    if indices is None:
        return outputs[:1], dots
    return outputs, [*dots, common.zero_tangent(outputs[1])]


def _pool_transpose(cts: Sequence[Any], x: Any, *, pooling: Pooling, indices: np.dtype[Any] | None) -> list[Any]:
    if not pooling.op.endswith("avg"):
        raise NotImplementedError(f"{pooling.op.replace('_', ' ')} pooling is not linear: it has no transpose")
    if common.is_zero(cts[0]):
        return [ad.Zero(x.aval)]
    return [backward_p.bind(cts[0], pooling=pooling, size=x.aval.shape[-2:])]


def _pool_batch(
    operands: Sequence[Any], axes: Sequence[Any], *, pooling: Pooling, indices: np.dtype[Any] | None
) -> tuple[list[Any], list[int]]:
    outputs = pool_p.bind(*_all_to_front(operands, axes), pooling=pooling, indices=indices)
    return outputs, [0] * len(outputs)


common.give_rules(
    pool_p, aval=_pool_avals, run=_pool_run, run_on_gpu=_pool_run_on_gpu, division=_pool_division, jvp=_pool_jvp,
    transpose=_pool_transpose, batch=_pool_batch,
)  # fmt: skip


# tangent_p: a direction of x, and what the gradient reads.


def _refuse_forward(*_: Any, pooling: Pooling) -> Any:
    raise NotImplementedError(
        f"there is no forward mode of {pooling.op.replace('_', ' ')} pooling: use reverse mode (jax.grad, jax.vjp)"
    )


def _tangent_aval(direction: Any, *read: Any, pooling: Pooling) -> Any:
    return common.aval_like(direction, pooled_shape(direction, pooling), direction.dtype)


def _tangent_transpose(ct: Any, direction: Any, *read: Any, pooling: Pooling) -> list[Any]:
    nothing = [None] * len(read)
    if common.is_zero(ct):
        return [ad.Zero(direction.aval), *nothing]
    return [backward_p.bind(ct, *read, pooling=pooling, size=direction.aval.shape[-2:]), *nothing]


def _tangent_batch(operands: Sequence[Any], axes: Sequence[Any], *, pooling: Pooling) -> tuple[Any, int]:
    return tangent_p.bind(*_all_to_front(operands, axes), pooling=pooling), 0


common.give_rules(
    tangent_p, aval=_tangent_aval, refuse=_refuse_forward, jvp=_refuse_forward,
    transpose=_tangent_transpose, batch=_tangent_batch,
)  # fmt: skip


# backward_p: dy, and the indices of max or x and y of lp.


def _backward_aval(dy: Any, *read: Any, pooling: Pooling, size: Size) -> Any:
    return common.aval_like(dy, (*dy.shape[:-2], *size), dy.dtype)


def _backward_run(dy: Any, *read: Any, pooling: Pooling, size: Size) -> list[Any]:
    result = jax.ShapeDtypeStruct((*dy.shape[:-2], *size), dy.dtype)
    outputs: list[Any] = common.call("iir2d_pool_backward", [result], **_attributes(pooling))(dy, *read)
    return outputs


def _backward_run_on_gpu(dy: Any, *read: Any, pooling: Pooling, size: Size) -> list[Any]:
    with common.with_float64():
        wide = [r.astype(np.int64) if jnp.issubdtype(r.dtype, jnp.integer) else r for r in read]
        return _backward_run(dy, *wide, pooling=pooling, size=size)


def _backward_division(dy: Any, *read: Any, pooling: Pooling, size: Size) -> Division:
    operands = [dy.shape, *(r.shape for r in read)]
    return Division(operands, len(operands), [(*dy.shape[:-2], *size)], 1)


def _refuse_twice() -> None:
    raise NotImplementedError("lp pooling has no second derivative in iir2d")


def _backward_jvp(
    primals: Sequence[Any], tangents: Sequence[Any], *, pooling: Pooling, size: Size
) -> tuple[Any, Any]:
    dx = backward_p.bind(*primals, pooling=pooling, size=size)
    if pooling.op == "lp" and not all(common.is_zero(t) for t in tangents[1:]):
        _refuse_twice()
    if common.is_zero(tangents[0]):
        return dx, common.zero_tangent(dx)
    return dx, backward_p.bind(tangents[0], *primals[1:], pooling=pooling, size=size)


def _backward_transpose(ct: Any, dy: Any, *read: Any, pooling: Pooling, size: Size) -> list[Any]:
    if common.is_zero(ct):
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


common.give_rules(
    backward_p, aval=_backward_aval, run=_backward_run, run_on_gpu=_backward_run_on_gpu, division=_backward_division, jvp=_backward_jvp,
    transpose=_backward_transpose, batch=_backward_batch,
)  # fmt: skip
