# SPDX-License-Identifier: MIT
"""The filters as JAX's primitives: linear in x, with batching, transposition and partitioning rules.

`filter_p` is A x (with A's transpose where the spec says so) and `gradient_p` the derivatives in the parameters; each
lowers to one call of the library. `tangent_p`, the derivative in the direction of the parameters, is only ever
transposed, into `gradient_p`: reverse mode needs no more, and forward mode in parameters is refused.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.interpreters import ad

from . import _jax_common as common
from ._arguments import FILTERS
from ._jax_common import Division
from .errors import InvalidArgumentError


class Spec(NamedTuple):
    """What a filter is apart from arrays, in the C interface's numbers; hashable."""

    filter_id: int
    border: int
    border_const: float
    precision: int
    start: int
    normalise_gain: bool
    values: tuple[float | None, ...]  # of all parameters in order, None for a default; empty: all defaults
    given: tuple[int, ...]  # the parameters that are operands
    transposed: bool = False

    def linear(self) -> Spec:
        """The linear part of the filter."""
        return self._replace(border_const=0.0)

    def transpose(self) -> Spec:
        """The transpose of the linear part."""
        return self._replace(border_const=0.0, transposed=not self.transposed)


class Gradient(NamedTuple):
    """One derivative that gradient_p returns: of which parameter, in which shape and type."""

    parameter: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def _attributes(spec: Spec, wanted: Sequence[Gradient] = ()) -> dict[str, Any]:
    values = [math.nan if value is None else value for value in spec.values]
    return {
        "transposed": np.bool_(spec.transposed),
        "filter_id": np.int64(spec.filter_id),
        "border": np.int64(spec.border),
        "border_const": np.float64(spec.border_const),
        "precision": np.int64(spec.precision),
        "start": np.int64(spec.start),
        "normalise_gain": np.bool_(spec.normalise_gain),
        "values": np.array(values, np.float64),
        "given": np.array(spec.given, np.int64),
        "wanted": np.array([gradient.parameter for gradient in wanted], np.int64),
    }


filter_p = common.make_primitive("iir2d_filter")
tangent_p = common.make_primitive("iir2d_filter_tangent")
gradient_p = common.make_primitive("iir2d_filter_gradient", multiple_results=True)


def filter_call(x: Any, parameters: Sequence[Any], spec: Spec) -> Any:
    """A x, or its transpose's product, and the constant's share where the spec has a constant."""
    return filter_p.bind(x, *parameters, spec=spec)


def gradient_call(x: Any, dy: Any, parameters: Sequence[Any], spec: Spec, wanted: tuple[Gradient, ...]) -> list[Any]:
    """The derivatives of <dy, filter(x)> with respect to the parameters that are wanted."""
    results: list[Any] = gradient_p.bind(x, dy, *parameters, spec=spec, wanted=wanted)
    return results


# filter_p: x and the parameters that are operands, each of a shape that broadcasts to x.shape[:-2].


def _target(name: str, spec: Spec) -> str:
    return f"{name}_given" if spec.given else name


def _filter_aval(x: Any, *parameters: Any, spec: Spec) -> Any:
    return common.aval_like(x, x.shape, x.dtype)


def _filter_run(x: Any, *parameters: Any, spec: Spec) -> list[Any]:
    result = jax.ShapeDtypeStruct(x.shape, x.dtype)
    results: list[Any] = common.call(_target("iir2d_filter", spec), [result], **_attributes(spec))(x, *parameters)
    return results


def _filter_division(x: Any, *parameters: Any, spec: Spec) -> Division:
    return Division([x.shape, *(p.shape for p in parameters)], 1, [x.shape], 1)


def _filter_jvp(primals: Sequence[Any], tangents: Sequence[Any], *, spec: Spec) -> tuple[Any, Any]:
    x, *parameters = primals
    y = filter_p.bind(x, *parameters, spec=spec)
    parts = []
    if not common.is_zero(tangents[0]):
        parts.append(filter_p.bind(tangents[0], *parameters, spec=spec.linear()))
    moving = tuple(i for i, t in enumerate(tangents[1:]) if not common.is_zero(t))
    if moving:
        directions = [tangents[1 + i] for i in moving]
        parts.append(tangent_p.bind(*directions, x, *parameters, spec=spec, moving=moving))
    if not parts:
        return y, common.zero_tangent(y)
    return y, functools.reduce(ad.add_jaxvals, parts)


def _filter_transpose(ct: Any, x: Any, *parameters: Any, spec: Spec) -> list[Any]:
    if not ad.is_undefined_primal(x) or any(ad.is_undefined_primal(p) for p in parameters):
        raise NotImplementedError("a filter is linear in x alone, not in its parameters")
    if spec.border_const != 0:
        raise InvalidArgumentError(
            f"border_const {spec.border_const:g}: a filter with a constant border is linear only where that is 0"
        )
    nothing = [None] * len(parameters)
    if common.is_zero(ct):
        return [ad.Zero(x.aval), *nothing]
    return [filter_p.bind(ct, *parameters, spec=spec.transpose()), *nothing]


def _front(operands: Sequence[Any], axes: Sequence[Any], shared: int) -> list[Any]:
    """Operands with the batch in front: the first `shared` are planes, which all have it then; parameters that are
    batched keep it outside of the planes' other dimensions."""
    size = common.batch_size(operands, axes)
    result = [common.batched_to_front(o, a, size) for o, a in zip(operands[:shared], axes[:shared], strict=True)]
    rank = result[0].ndim - 2
    for operand, axis in zip(operands[shared:], axes[shared:], strict=True):
        result.append(operand if axis is None else _own_axis(jnp.moveaxis(operand, axis, 0), rank))
    return result


def _own_axis(parameter: Any, rank: int) -> Any:
    """A batched parameter, the batch in front, with the dimensions that make it broadcast to `rank` dimensions."""
    return parameter.reshape(parameter.shape[:1] + (1,) * (rank - parameter.ndim) + parameter.shape[1:])


def _filter_batch(operands: Sequence[Any], axes: Sequence[Any], *, spec: Spec) -> tuple[Any, int]:
    return filter_p.bind(*_front(operands, axes, 1), spec=spec), 0


common.give_rules(
    filter_p, aval=_filter_aval, run=_filter_run, division=_filter_division, jvp=_filter_jvp,
    transpose=_filter_transpose, batch=_filter_batch,
)  # fmt: skip


# tangent_p: directions of the parameters `moving` (positions among the operands), x, the parameters.


def _refuse_forward(*_: Any, **__: Any) -> Any:
    raise NotImplementedError(
        "there is no forward mode in a filter's parameters: use reverse mode (jax.grad, jax.jacrev, jax.vjp)"
    )


def _tangent_aval(*operands: Any, spec: Spec, moving: tuple[int, ...]) -> Any:
    x = operands[len(moving)]
    return common.aval_like(x, x.shape, x.dtype)


def _tangent_transpose(ct: Any, *operands: Any, spec: Spec, moving: tuple[int, ...]) -> list[Any]:
    directions, x, parameters = operands[: len(moving)], operands[len(moving)], operands[len(moving) + 1 :]
    if any(ad.is_undefined_primal(o) for o in (x, *parameters)):
        raise NotImplementedError("derivatives of a parameter's gradient need that gradient to be computed first")
    nothing = [None] * (1 + len(parameters))
    if common.is_zero(ct):
        return [*(ad.Zero(d.aval) for d in directions), *nothing]
    avals = [jax.typeof(p) for p in parameters]  # a parameter may be a Python number here
    wanted = tuple(Gradient(spec.given[i], avals[i].shape, np.dtype(avals[i].dtype)) for i in moving)
    # <ct, A^T x> = <x, A ct>, which has no constant in it.
    pair, of = ((ct, x), spec.transpose()) if spec.transposed else ((x, ct), spec)
    return [*gradient_p.bind(*pair, *parameters, spec=of, wanted=wanted), *nothing]


def _tangent_batch(
    operands: Sequence[Any], axes: Sequence[Any], *, spec: Spec, moving: tuple[int, ...]
) -> tuple[Any, int]:
    count = len(moving)
    planes_and_parameters, size = list(operands[count:]), common.batch_size(operands, axes)
    x = common.batched_to_front(planes_and_parameters[0], axes[count], size)
    rank = x.ndim - 2
    parameters = list(planes_and_parameters[1:])
    parameter_axes = list(axes[count + 1 :])
    directions = []
    for position, (direction, axis) in zip(moving, zip(operands[:count], axes[:count], strict=True), strict=True):
        directions.append(_own_axis(common.batched_to_front(direction, axis, size), rank))
        # A direction has its parameter's shape.
        parameters[position] = _own_axis(
            common.batched_to_front(parameters[position], parameter_axes[position], size), rank
        )
        parameter_axes[position] = None
    parameters = [
        p if a is None else _own_axis(jnp.moveaxis(p, a, 0), rank)
        for p, a in zip(parameters, parameter_axes, strict=True)
    ]
    return tangent_p.bind(*directions, x, *parameters, spec=spec, moving=moving), 0


common.give_rules(
    tangent_p, aval=_tangent_aval, refuse=_refuse_forward, jvp=_refuse_forward, transpose=_tangent_transpose,
    batch=_tangent_batch,
)  # fmt: skip


# gradient_p: x, dy, the parameters that are operands; one result for each of `wanted`.


def _gradient_avals(x: Any, dy: Any, *parameters: Any, spec: Spec, wanted: tuple[Gradient, ...]) -> list[Any]:
    return [common.aval_like(x, gradient.shape, gradient.dtype) for gradient in wanted]


def _gradient_run(x: Any, dy: Any, *parameters: Any, spec: Spec, wanted: tuple[Gradient, ...]) -> list[Any]:
    shapes = [jax.ShapeDtypeStruct(_local_shape(gradient.shape, x.shape[:-2]), gradient.dtype) for gradient in wanted]
    target = _target("iir2d_filter_gradient", spec)
    results: list[Any] = common.call(target, shapes, **_attributes(spec, wanted))(x, dy, *parameters)
    return results


def _gradient_run_on_gpu(
    x: Any, dy: Any, *parameters: Any, spec: Spec, wanted: tuple[Gradient, ...]
) -> list[Any]:
    """There the handler gives the derivatives in all parameters, for one set or for the planes; XLA sums the planes'."""
    lead = x.shape[:-2]
    shapes = [_local_shape(gradient.shape, lead) for gradient in wanted]
    if 0 in lead:
        return [jnp.zeros(shape, g.dtype) for g, shape in zip(wanted, shapes, strict=True)]
    count = len(FILTERS[spec.filter_id - 1].parameters)
    is_one = all(math.prod(shape) == 1 for shape in (*shapes, *(p.shape for p in parameters)))
    with common.with_float64():
        result = jax.ShapeDtypeStruct((count,) if is_one else (*lead, count), np.float64)
        target = _target("iir2d_filter_gradient", spec)
        planes: Any = common.call(target, [result], **_attributes(spec, wanted))(x, dy, *parameters)[0]
        sums = []
        for gradient, shape in zip(wanted, shapes, strict=True):
            column = planes[..., gradient.parameter]
            if not is_one:
                own = (1,) * (len(lead) - len(shape)) + shape
                column = column.sum(tuple(i for i, size in enumerate(own) if size != lead[i]))
            sums.append(column.reshape(shape).astype(gradient.dtype))
        return sums


def _gradient_division(x: Any, dy: Any, *parameters: Any, spec: Spec, wanted: tuple[Gradient, ...]) -> Division:
    operands = [x.shape, dy.shape, *(p.shape for p in parameters)]
    return Division(operands, 2, [gradient.shape for gradient in wanted], 0)


def _local_shape(shape: tuple[int, ...], lead: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a gradient for the planes that one device has."""
    skipped = len(lead) - len(shape)
    return tuple(1 if size == 1 else lead[skipped + i] for i, size in enumerate(shape))


def _gradient_jvp(
    primals: Sequence[Any], tangents: Sequence[Any], *, spec: Spec, wanted: tuple[Gradient, ...]
) -> tuple[list[Any], list[Any]]:
    x, dy, *parameters = primals
    if any(not common.is_zero(t) for t in tangents[2:]):
        raise NotImplementedError("there is no derivative of a parameter's gradient in a parameter")
    results = gradient_p.bind(*primals, spec=spec, wanted=wanted)
    parts = []
    if not common.is_zero(tangents[0]):
        parts.append(gradient_p.bind(tangents[0], dy, *parameters, spec=spec.linear(), wanted=wanted))
    if not common.is_zero(tangents[1]):
        parts.append(gradient_p.bind(x, tangents[1], *parameters, spec=spec, wanted=wanted))
    if not parts:
        return results, [common.zero_tangent(result) for result in results]
    return results, [functools.reduce(ad.add_jaxvals, each) for each in zip(*parts, strict=True)]


def _gradient_transpose(*_: Any, **__: Any) -> Any:
    raise NotImplementedError(
        "there is no reverse mode through a parameter's gradient: differentiate it in forward mode (jax.jvp, jax.jacfwd)"
    )


def _gradient_batch(
    operands: Sequence[Any], axes: Sequence[Any], *, spec: Spec, wanted: tuple[Gradient, ...]
) -> tuple[list[Any], list[int]]:
    size = common.batch_size(operands, axes)
    operands = _front(operands, axes, 2)
    rank = operands[0].ndim - 2
    of_batch = tuple(
        Gradient(g.parameter, (size, *(1,) * (rank - 1 - len(g.shape)), *g.shape), g.dtype) for g in wanted
    )
    results = gradient_p.bind(*operands, spec=spec, wanted=of_batch)
    return [r.reshape((size, *g.shape)) for r, g in zip(results, wanted, strict=True)], [0] * len(wanted)


common.give_rules(
    gradient_p, aval=_gradient_avals, run=_gradient_run, run_on_gpu=_gradient_run_on_gpu, division=_gradient_division, jvp=_gradient_jvp,
    transpose=_gradient_transpose, batch=_gradient_batch,
)  # fmt: skip
