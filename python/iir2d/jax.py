# SPDX-License-Identifier: MIT
"""iir2d's functions on JAX's arrays: traceable, and differentiable in x and in every parameter that is an array.

>>> import jax, jax.numpy as jnp, iir2d.jax
>>> x = jnp.ones((2, 3, 16, 16))
>>> loss = lambda x, s: iir2d.jax.filter(x, "deriche", sigma=s).sum()
>>> dx, ds = jax.grad(loss, argnums=(0, 1))(x, jnp.array([1.0, 2.0, 3.0]))
>>> dx.shape, ds.shape
((2, 3, 16, 16), (3,))
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

try:
    import jax
except ImportError as error:
    raise ImportError("iir2d.jax needs jax 0.6.2 or later, and there is none") from error


def _require_version() -> None:
    if tuple(int(part) for part in jax.__version__.split(".")[:3]) < (0, 6, 2):
        raise ImportError(f"iir2d.jax needs jax 0.6.2 or later, this is jax {jax.__version__}")


_require_version()

import jax.numpy as jnp  # noqa: E402
from jax._src import dispatch  # noqa: E402
from jax.experimental.custom_partitioning import custom_partitioning  # noqa: E402
from jax.extend.core import Primitive  # noqa: E402
from jax.interpreters import ad as _ad  # noqa: E402
from jax.interpreters import batching, mlir  # noqa: E402
from jax.sharding import NamedSharding, PartitionSpec  # noqa: E402

from . import _arguments, _native, _pooling  # noqa: E402
from .errors import InvalidArgumentError, InvalidDimensionError, NullPointerError  # noqa: E402

ad: Any = _ad  # most of it has no types

if not hasattr(_native, "xla_handlers"):
    raise ImportError("this build of iir2d has no handlers for JAX: it was made with -DIIR2D_PYTHON_JAX=OFF")

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

_ELEMENTS = {
    "float32": _arguments.F32,
    "float64": _arguments.F64,
    "float16": _arguments.F16,
    "bfloat16": _arguments.BF16,
}
_FORWARD = "iir2d has no forward mode with respect to parameters: use reverse mode, or forward mode with respect to x"
_TWICE = (
    "the gradient of a parameter has no derivative of its own in iir2d: "
    "differentiate twice with respect to x, or once with respect to parameters"
)

for _name, _handler in _native.xla_handlers().items():
    jax.ffi.register_ffi_target(_name, _handler, platform="cpu")


def _has_float64() -> bool:
    return bool(jnp.result_type(float) == np.float64)


class _Spec(NamedTuple):
    """What a filter does, apart from arrays; numbers that are parameters, NaN for the rest; a bit for each array."""

    filter_id: int
    border: int
    border_const: float
    precision: int
    start: int
    normalise_gain: bool
    values: tuple[float | None, ...]
    given: int

    def linear(self) -> _Spec:
        """The same without what the border adds to every result."""
        return self if self.border_const == 0.0 else self._replace(border_const=0.0)

    def attributes(self) -> dict[str, Any]:
        """What the handlers are told."""
        return {
            "filter_id": np.int64(self.filter_id),
            "border": np.int64(self.border),
            "border_const": np.float64(self.border_const),
            "precision": np.int64(self.precision),
            "start": np.int64(self.start),
            "normalise_gain": np.bool_(self.normalise_gain),
            "values": np.array([math.nan if v is None else v for v in self.values], np.float64),
            "given": np.int64(self.given),
        }


# Calls of the handlers, split over devices along leading dimensions.


def _leading_spec(sharding: Any, rank: int) -> tuple[Any, ...]:
    spec = tuple(sharding.spec) if isinstance(sharding, NamedSharding) else ()
    return (*spec, *(None,) * (rank - len(spec)))[: rank - 2]


def _axes(entry: Any) -> tuple[str, ...]:
    return () if entry is None else entry if isinstance(entry, tuple) else (entry,)


# Later versions of JAX are told which dimensions may not be split; partition() below makes them whole in any case.
_names_whole_factors = "need_replication_factors" in inspect.signature(custom_partitioning.def_partition).parameters


# The first operand has planes; the others have planes with the same leading dimensions, but for the last where `sets`
# says that it has sets of parameters. The results have planes, or where `sums` says so one has the sets' gradient.
@functools.lru_cache(maxsize=4096)
def _partitioned(
    call: Callable[..., Any], shapes: tuple[tuple[int, ...], ...], sets: bool, sums: bool, results: int
) -> Callable[..., Any]:
    """call(*operands) that GSPMD and Shardy split along leading dimensions; the last two are whole everywhere."""
    lead = len(shapes[0]) - 2
    names = [f"l{i}" for i in range(lead)]
    whole: list[str] = []

    def factors(shape: tuple[int, ...], prefix: str, is_sets: bool) -> str:
        if not is_sets:
            ends = [f"{prefix}h", f"{prefix}w"]
            whole.extend(ends)
            return " ".join([*names, *ends])
        own = []
        for i, size in enumerate(shape[:-1]):
            at = lead - (len(shape) - 1) + i
            if size == shapes[0][at] and size != 1:
                own.append(names[at])
            else:
                own.append(f"{prefix}{i}")
                whole.append(own[-1])
        whole.append(f"{prefix}p")
        return " ".join([*own, whole[-1]])

    last = len(shapes) - 1
    left = [factors(s, f"o{i}" if i else "x", sets and i == last) for i, s in enumerate(shapes)]
    right = [left[-1]] if sums else [factors(shapes[0], f"r{i}", False) for i in range(results)]
    rule = f"{', '.join(left)} -> {', '.join(right)}"

    def set_spec(shape: tuple[int, ...], spec: tuple[Any, ...]) -> PartitionSpec:
        entries = []
        for i, size in enumerate(shape[:-1]):
            at = lead - (len(shape) - 1) + i
            entries.append(spec[at] if size == shapes[0][at] and size != 1 else None)
        return PartitionSpec(*entries, None)

    def operand_specs(spec: tuple[Any, ...]) -> list[PartitionSpec]:
        planes = PartitionSpec(*spec, None, None)
        return [set_spec(s, spec) if sets and i == last else planes for i, s in enumerate(shapes)]

    def result_specs(spec: tuple[Any, ...]) -> list[PartitionSpec]:
        return [set_spec(shapes[-1], spec)] if sums else [PartitionSpec(*spec, None, None)] * results

    def common(arguments: Any) -> tuple[Any, ...]:
        return _leading_spec(arguments[0].sharding, lead + 2)

    def infer(mesh: Any, arguments: Any, result: Any) -> Any:
        found = [NamedSharding(mesh, s) for s in result_specs(common(arguments))]
        return found[0] if results == 1 else tuple(found)

    def partition(mesh: Any, arguments: Any, result: Any) -> Any:
        spec = common(arguments)
        operands = operand_specs(spec)
        kept = {axis for entry in operands[-1] for axis in _axes(entry)}
        summed = tuple(axis for entry in spec for axis in _axes(entry) if axis not in kept)

        def lower(*parts: Any) -> Any:
            found = call(*parts)
            return jax.lax.psum(found, summed) if sums and summed else found

        outputs = [NamedSharding(mesh, s) for s in result_specs(spec)]
        return mesh, lower, outputs[0] if results == 1 else tuple(outputs), tuple(NamedSharding(mesh, s) for s in operands)

    function = custom_partitioning(call)
    replicated = {"need_replication_factors": tuple(dict.fromkeys(whole))} if _names_whole_factors else {}
    function.def_partition(partition, infer, sharding_rule=rule, **replicated)
    return function


def _shape(x: Any, shape: Sequence[int] | None = None, dtype: Any = None) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(tuple(x.shape) if shape is None else tuple(shape), x.dtype if dtype is None else dtype)


@functools.lru_cache(maxsize=1024)
def _filter_call(spec: _Spec, transposed: bool) -> Callable[..., Any]:
    def call(x: Any, *sets: Any) -> Any:
        attributes = spec.attributes()
        return jax.ffi.ffi_call("iir2d_filter", _shape(x))(x, *sets, transposed=np.bool_(transposed), **attributes)

    return call


@functools.lru_cache(maxsize=1024)
def _gradient_call(spec: _Spec) -> Callable[..., Any]:
    def call(x: Any, dy: Any, sets: Any) -> Any:
        return jax.ffi.ffi_call("iir2d_filter_gradient", _shape(sets))(x, dy, sets, **spec.attributes())

    return call


@functools.lru_cache(maxsize=1024)
def _pool_call(pooling: _pooling.Pooling, indices: Any) -> Callable[..., Any]:
    def call(x: Any) -> Any:
        size = pooling.output_size(x.shape[-2], x.shape[-1], _ELEMENTS[x.dtype.name])
        shape = (*x.shape[:-2], *size)
        results = [_shape(x, shape)] + ([] if indices is None else [_shape(x, shape, indices)])
        found = jax.ffi.ffi_call("iir2d_pool", results)(x, fields=np.array(pooling.fields, np.int64), p=np.float64(pooling.p))
        return found[0] if indices is None else tuple(found)

    return call


@functools.lru_cache(maxsize=1024)
def _pool_backward_call(pooling: _pooling.Pooling, size: tuple[int, int]) -> Callable[..., Any]:
    def call(dy: Any, *read: Any) -> Any:
        result = _shape(dy, (*dy.shape[:-2], *size))
        fields = np.array(pooling.fields, np.int64)
        return jax.ffi.ffi_call("iir2d_pool_backward", result)(dy, *read, fields=fields, p=np.float64(pooling.p))

    return call


def _shapes(arrays: Sequence[Any]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(a.shape) for a in arrays)


# JAX asks of a program whether its lowering needs to know the devices, as that of custom_partitioning does; it cannot
# see into these primitives' lowerings, so they are named to it.
_needs_devices: set[Any] = getattr(dispatch, "prim_requires_devices_during_lowering", set())


# Primitives. Without jit, each is compiled once for its static arguments.


def _primitive(name: str, abstract: Callable[..., Any], lowered: Callable[..., Any], several: bool = False) -> Any:
    primitive: Any = Primitive(name)
    primitive.multiple_results = several

    @functools.lru_cache(maxsize=1024)
    def compiled(**static: Any) -> Callable[..., Any]:
        return jax.jit(functools.partial(primitive.bind, **static))

    primitive.def_impl(lambda *arrays, **static: compiled(**static)(*arrays))
    primitive.def_abstract_eval(abstract)
    mlir.register_lowering(primitive, mlir.lower_fun(lowered, multiple_results=several))
    _needs_devices.add(primitive)
    return primitive


def _like(x: Any) -> Any:
    return jax.core.ShapedArray(x.shape, x.dtype)


def _to_front(x: Any, dim: Any, size: int) -> Any:
    if dim is None:
        return jnp.broadcast_to(x, (size, *x.shape))
    return jnp.moveaxis(x, dim, 0)


def _sets_to_front(sets: Any, dim: Any, size: int, lead: int) -> Any:
    front = _to_front(sets, dim, size)
    return front.reshape((size, *(1,) * (lead - (front.ndim - 2)), *front.shape[1:]))


def _batch_size(arrays: Sequence[Any], dims: Sequence[Any]) -> int:
    return int(next(a.shape[d] for a, d in zip(arrays, dims, strict=True) if d is not None))


_filter_p = _primitive(
    "iir2d_filter",
    lambda x, *sets, spec, transposed: _like(x),
    lambda x, *sets, spec, transposed: _partitioned(
        _filter_call(spec, transposed), _shapes((x, *sets)), bool(sets), False, 1
    )(x, *sets),
)
_gradient_p = _primitive(
    "iir2d_filter_gradient",
    lambda x, dy, sets, spec: _like(sets),
    lambda x, dy, sets, spec: _partitioned(_gradient_call(spec), _shapes((x, dy, sets)), True, True, 1)(x, dy, sets),
)


def _no_forward(*arrays: Any, **static: Any) -> Any:
    raise NotImplementedError(_FORWARD)


# The derivative of a filter's result in the direction of its parameters: there to be transposed, never computed.
_parameter_p: Any = Primitive("iir2d_filter_parameter_tangent")
_parameter_p.def_impl(_no_forward)
_parameter_p.def_abstract_eval(lambda tangent, x, sets, spec, transposed: _like(x))
mlir.register_lowering(_parameter_p, _no_forward)


def _is_zero(tangent: Any) -> bool:
    return isinstance(tangent, ad.Zero)


def _zero(primal: Any) -> Any:
    """The tangent of what does not change."""
    return ad.Zero(jax.typeof(primal).to_tangent_aval())


def _filter_jvp(primals: Any, tangents: Any, *, spec: _Spec, transposed: bool) -> Any:
    x, *sets = primals
    y = _filter_p.bind(x, *sets, spec=spec, transposed=transposed)
    parts = []
    if not _is_zero(tangents[0]):
        parts.append(_filter_p.bind(tangents[0], *sets, spec=spec.linear(), transposed=transposed))
    if sets and not _is_zero(tangents[1]):
        parts.append(_parameter_p.bind(tangents[1], x, *sets, spec=spec, transposed=transposed))
    if not parts:
        return y, _zero(y)
    return y, parts[0] if len(parts) == 1 else ad.add_tangents(*parts)


def _filter_transpose(ct: Any, x: Any, *sets: Any, spec: _Spec, transposed: bool) -> Any:
    if any(ad.is_undefined_primal(s) for s in sets):
        raise NotImplementedError(_TWICE)
    back = ct if _is_zero(ct) else _filter_p.bind(ct, *sets, spec=spec.linear(), transposed=not transposed)
    if _is_zero(ct):
        back = ad.Zero(x.aval)
    return [back, *(None for _ in sets)]


def _filter_batch(arrays: Any, dims: Any, *, spec: _Spec, transposed: bool) -> Any:
    size = _batch_size(arrays, dims)
    x = _to_front(arrays[0], dims[0], size)
    sets = list(arrays[1:])
    if sets and dims[1] is not None:
        sets = [_sets_to_front(sets[0], dims[1], size, x.ndim - 3)]
    return _filter_p.bind(x, *sets, spec=spec, transposed=transposed), 0


def _parameter_transpose(ct: Any, tangent: Any, x: Any, sets: Any, *, spec: _Spec, transposed: bool) -> Any:
    if not ad.is_undefined_primal(tangent) or ad.is_undefined_primal(x) or ad.is_undefined_primal(sets):
        raise NotImplementedError(_TWICE)
    if _is_zero(ct):
        return [ad.Zero(tangent.aval), None, None]
    operands = (ct, x) if transposed else (x, ct)
    return [_gradient_p.bind(*operands, sets, spec=spec.linear() if transposed else spec), None, None]


def _parameter_batch(arrays: Any, dims: Any, *, spec: _Spec, transposed: bool) -> Any:
    size = _batch_size(arrays, dims)
    x = _to_front(arrays[1], dims[1], size)
    tangent, sets = (_sets_to_front(arrays[i], dims[i], size, x.ndim - 3) for i in (0, 2))
    return _parameter_p.bind(tangent, x, sets, spec=spec, transposed=transposed), 0


def _gradient_jvp(primals: Any, tangents: Any, *, spec: _Spec) -> Any:
    result = _gradient_p.bind(*primals, spec=spec)
    if all(_is_zero(t) for t in tangents):
        return result, _zero(result)
    raise NotImplementedError(_TWICE)


def _gradient_batch(arrays: Any, dims: Any, *, spec: _Spec) -> Any:
    size = _batch_size(arrays, dims)
    x, dy = (_to_front(arrays[i], dims[i], size) for i in (0, 1))
    own = arrays[2].shape if dims[2] is None else jnp.moveaxis(arrays[2], dims[2], 0).shape[1:]
    sets = _sets_to_front(arrays[2], dims[2], size, x.ndim - 3)
    return _gradient_p.bind(x, dy, sets, spec=spec).reshape((size, *own)), 0


ad.primitive_jvps[_filter_p] = _filter_jvp
ad.primitive_transposes[_filter_p] = _filter_transpose
batching.primitive_batchers[_filter_p] = _filter_batch
ad.primitive_transposes[_parameter_p] = _parameter_transpose
batching.primitive_batchers[_parameter_p] = _parameter_batch
ad.primitive_jvps[_gradient_p] = _gradient_jvp
batching.primitive_batchers[_gradient_p] = _gradient_batch


def _pooled(x: Any, pooling: _pooling.Pooling) -> tuple[int, ...]:
    return (*x.shape[:-2], *pooling.output_size(x.shape[-2], x.shape[-1], _ELEMENTS[x.dtype.name]))


def _index_type(height: int, width: int) -> Any:
    if _has_float64():
        return np.dtype(np.int64)
    if height * width > 2**31 - 1:
        raise InvalidDimensionError(f"indices into {height}x{width} do not fit int32: enable jax_enable_x64")
    return np.dtype(np.int32)


def _pool_abstract(x: Any, *, pooling: _pooling.Pooling, indices: Any) -> Any:
    shape = _pooled(x, pooling)
    y = jax.core.ShapedArray(shape, x.dtype)
    return (y,) if indices is None else (y, jax.core.ShapedArray(shape, indices))


def _pool_lowered(x: Any, *, pooling: _pooling.Pooling, indices: Any) -> Any:
    results = 1 if indices is None else 2
    found = _partitioned(_pool_call(pooling, indices), _shapes((x,)), False, False, results)(x)
    return (found,) if indices is None else found


_pool_p = _primitive("iir2d_pool", _pool_abstract, _pool_lowered, several=True)


def _tangent_lowered(x: Any, *read: Any, pooling: _pooling.Pooling) -> Any:
    if not pooling.op.endswith("avg"):
        raise NotImplementedError(f"iir2d has no forward mode of {pooling.op} pooling: use reverse mode")
    return _pool_lowered(x, pooling=pooling, indices=None)[0]


# The derivative of a pooling in a direction, linear in that: beside it, what the gradient reads.
_pool_tangent_p = _primitive(
    "iir2d_pool_tangent",
    lambda x, *read, pooling: jax.core.ShapedArray(_pooled(x, pooling), x.dtype),
    _tangent_lowered,
)
_pool_backward_p = _primitive(
    "iir2d_pool_backward",
    lambda dy, *read, pooling, size: jax.core.ShapedArray((*dy.shape[:-2], *size), dy.dtype),
    lambda dy, *read, pooling, size: _partitioned(
        _pool_backward_call(pooling, size), _shapes((dy, *read)), False, False, 1
    )(dy, *read),
)


def _pool_jvp(primals: Any, tangents: Any, *, pooling: _pooling.Pooling, indices: Any) -> Any:
    (x,), (tangent,) = primals, tangents
    if pooling.op in _pooling.MAX_OPS:
        indices = indices or _index_type(x.shape[-2], x.shape[-1])
    outputs = _pool_p.bind(x, pooling=pooling, indices=indices)
    y = outputs[0]
    if _is_zero(tangent):
        dots = [_zero(o) for o in outputs]
    else:
        read = {"max": outputs[1:], "adaptive_max": outputs[1:], "lp": (x, y)}.get(pooling.op, ())
        dots = [_pool_tangent_p.bind(tangent, *read, pooling=pooling)]
        dots += [_zero(o) for o in outputs[1:]]
    return outputs, dots


def _pool_jvp_as_asked(primals: Any, tangents: Any, *, pooling: _pooling.Pooling, indices: Any) -> Any:
    outputs, dots = _pool_jvp(primals, tangents, pooling=pooling, indices=indices)
    count = 1 if indices is None else 2
    return outputs[:count], dots[:count]


def _pool_batch(arrays: Any, dims: Any, *, pooling: _pooling.Pooling, indices: Any) -> Any:
    outputs = _pool_p.bind(jnp.moveaxis(arrays[0], dims[0], 0), pooling=pooling, indices=indices)
    return outputs, [0] * len(outputs)


def _all_to_front(arrays: Any, dims: Any) -> list[Any]:
    size = _batch_size(arrays, dims)
    return [_to_front(a, d, size) for a, d in zip(arrays, dims, strict=True)]


def _tangent_transpose(ct: Any, x: Any, *read: Any, pooling: _pooling.Pooling) -> Any:
    if any(ad.is_undefined_primal(r) for r in read):
        raise NotImplementedError(f"iir2d has no second derivative of {pooling.op} pooling")
    if _is_zero(ct):
        return [ad.Zero(x.aval), *(None for _ in read)]
    size = (x.aval.shape[-2], x.aval.shape[-1])
    return [_pool_backward_p.bind(ct, *read, pooling=pooling, size=size), *(None for _ in read)]


def _backward_jvp(primals: Any, tangents: Any, *, pooling: _pooling.Pooling, size: tuple[int, int]) -> Any:
    dx = _pool_backward_p.bind(*primals, pooling=pooling, size=size)
    if pooling.op == "lp" and not all(_is_zero(t) for t in tangents):
        raise NotImplementedError("iir2d has no second derivative of lp pooling")
    if _is_zero(tangents[0]):
        return dx, _zero(dx)
    return dx, _pool_backward_p.bind(tangents[0], *primals[1:], pooling=pooling, size=size)


def _backward_transpose(ct: Any, dy: Any, *read: Any, pooling: _pooling.Pooling, size: tuple[int, int]) -> Any:
    if _is_zero(ct):
        return [ad.Zero(dy.aval), *(None for _ in read)]
    if pooling.op.endswith("avg"):
        return [_pool_p.bind(ct, pooling=pooling, indices=None)[0]]
    if pooling.op == "lp":
        raise NotImplementedError("iir2d has no second derivative of lp pooling")
    (indices,) = read
    flat = ct.reshape((*ct.shape[:-2], -1))
    places = indices.reshape((*indices.shape[:-2], -1))
    return [jnp.take_along_axis(flat, places, axis=-1).reshape(indices.shape), None]


def _tangent_jvp(primals: Any, tangents: Any, *, pooling: _pooling.Pooling) -> Any:
    y = _pool_tangent_p.bind(*primals, pooling=pooling)
    if pooling.op == "lp" and not all(_is_zero(t) for t in tangents[1:]):
        raise NotImplementedError("iir2d has no second derivative of lp pooling")
    if _is_zero(tangents[0]):
        return y, _zero(y)
    return y, _pool_tangent_p.bind(tangents[0], *primals[1:], pooling=pooling)


ad.primitive_jvps[_pool_tangent_p] = _tangent_jvp
ad.primitive_jvps[_pool_p] = _pool_jvp_as_asked
batching.primitive_batchers[_pool_p] = _pool_batch
ad.primitive_transposes[_pool_tangent_p] = _tangent_transpose
batching.primitive_batchers[_pool_tangent_p] = lambda arrays, dims, *, pooling: (
    _pool_tangent_p.bind(*_all_to_front(arrays, dims), pooling=pooling),
    0,
)
ad.primitive_jvps[_pool_backward_p] = _backward_jvp
ad.primitive_transposes[_pool_backward_p] = _backward_transpose
batching.primitive_batchers[_pool_backward_p] = lambda arrays, dims, *, pooling, size: (
    _pool_backward_p.bind(*_all_to_front(arrays, dims), pooling=pooling, size=size),
    0,
)


# The functions.


def _planes(x: Any, name: str) -> tuple[Any, int]:
    dtype = getattr(x, "dtype", None)
    if dtype is None or not hasattr(x, "shape"):
        raise TypeError(f"{name} is a {type(x).__name__}: give an array")
    element = _ELEMENTS.get(np.dtype(dtype).name)
    if element is None or np.dtype(dtype).byteorder == ">":
        raise TypeError(f"{name} has elements of type {dtype}: convert to float32, float64, float16 or bfloat16")
    if element == _arguments.F64 and not _has_float64():
        raise TypeError(f"{name} has elements of type float64: enable jax_enable_x64, or convert to float32")
    if len(x.shape) < 2:
        raise InvalidDimensionError(
            f"{name} has shape {tuple(x.shape)}: it must have 2 dimensions or more, the last two height and width"
        )
    for size, side in ((x.shape[-2], "height"), (x.shape[-1], "width")):
        if size < 1:
            raise InvalidDimensionError(f"{name} has shape {tuple(x.shape)}: {side} {size} must be at least 1")
    return jnp.asarray(x), element


@functools.lru_cache(maxsize=1024)
def _check_numbers(codes: tuple[Any, ...], values: tuple[float | None, ...]) -> None:
    """Raises what the library says of a filter whose parameters are numbers, on one sample."""
    dtype = np.float64 if codes[3] == _arguments.PRECISIONS["f64"] else np.float32
    sample = np.zeros((1, 1), dtype)
    numbers = tuple(math.nan if v is None else v for v in values)
    _native.filter(sample, np.empty_like(sample), _native.FilterSettings(*codes), numbers, 1)


def _prepared(
    x: Any,
    element: int,
    filter_id: int | str,
    border: str,
    border_const: float,
    precision: str | None,
    start: str,
    normalise_gain: bool,
    parameters: dict[str, Any],
) -> tuple[_Spec, list[Any]]:
    """The static part of a call, and the parameters that are arrays as sets."""
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
    arrays: dict[int, Any] = {}
    for index, parameter in enumerate(info.parameters):
        given = parameters.get(parameter.name)
        values.append(None)
        if given is None:
            continue
        if isinstance(given, (bool, int, float, np.generic)):
            values[-1] = _arguments.number(info, parameter, given)
            continue
        array = jnp.asarray(given)
        if array.dtype not in (jnp.float32, jnp.float64):
            raise TypeError(f"{parameter.name} has elements of type {array.dtype}: convert to float32 or float64")
        arrays[index] = array
    if not arrays:
        _check_numbers(codes, tuple(values))
        return _Spec(*codes, tuple(values), 0), []
    lead = tuple(x.shape[:-2])
    try:
        shape = np.broadcast_shapes(*(a.shape for a in arrays.values()))
        fits = np.broadcast_shapes(shape, lead) == lead
    except ValueError:
        fits = False
    if not fits:
        listed = ", ".join(f"{info.parameters[i].name} {a.shape}" for i, a in arrays.items())
        raise InvalidDimensionError(f"parameters of shapes {listed} do not broadcast to the planes' {lead}")
    dtype = jnp.result_type(*arrays.values())
    # Not jnp.stack: the compiler of jaxlib 0.6.2 ends the process on a custom call that reads many arrays joined.
    columns = np.arange(len(values))
    sets = jnp.zeros((*shape, len(values)), dtype)
    for index, array in arrays.items():
        sets = jnp.where(columns == index, jnp.broadcast_to(array.astype(dtype), shape)[..., None], sets)
    return _Spec(*codes, tuple(values), sum(1 << i for i in arrays)), [sets]


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

    Parameters are numbers, which are static and exact, or float32 or float64 arrays that broadcast to x.shape[:-2] and
    may be traced. What is static is checked while tracing and raises iir2d.errors; a traced parameter out of its range
    is an error of XLA that has the status and the sentence.

    >>> import jax.numpy as jnp, iir2d.jax
    >>> iir2d.jax.filter(jnp.ones((2, 4, 4)), "ema", alpha=0.5).shape
    (2, 4, 4)
    """
    x, element = _planes(x, "x")
    spec, sets = _prepared(x, element, filter_id, border, border_const, precision, start, normalise_gain, parameters)
    return _filter_p.bind(x, *sets, spec=spec, transposed=False)  # type: ignore[no-any-return]


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
    """Applies the transpose of filter()'s linear part.

    >>> import jax.numpy as jnp, iir2d.jax
    >>> iir2d.jax.filter_adjoint(jnp.ones((4, 4)), 5).shape
    (4, 4)
    """
    dy, element = _planes(dy, "dy")
    spec, sets = _prepared(dy, element, filter_id, border, 0.0, precision, start, normalise_gain, parameters)
    return _filter_p.bind(dy, *sets, spec=spec, transposed=True)  # type: ignore[no-any-return]


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

    Each has its parameter's shape and type; of a number, or one that was not given, it has shape () and the widest
    float type that is enabled.

    >>> import jax.numpy as jnp, iir2d.jax
    >>> list(iir2d.jax.filter_gradient(jnp.eye(8), jnp.eye(8), "deriche"))
    ['sigma']
    """
    x, element = _planes(x, "x")
    dy, other = _planes(dy, "dy")
    if dy.shape != x.shape:
        raise InvalidDimensionError(f"dy has shape {dy.shape}, x has {x.shape}")
    if other != element:
        raise InvalidArgumentError(f"dy is {dy.dtype}, x is {x.dtype}")
    info = _arguments.filter_info(filter_id)
    names = [p.name for p in info.parameters if not p.is_switch]
    if wrt is not None:
        names = [wrt] if isinstance(wrt, str) else list(wrt)
        _arguments.check_names(info, names)
    _arguments.check_names(info, parameters)
    given = {n: v for n, v in parameters.items() if not isinstance(v, (bool, int, float, np.generic))}
    spec, sets = _prepared(x, element, filter_id, border, border_const, precision, start, normalise_gain, parameters)
    if not sets:
        sets = [jnp.zeros(len(info.parameters), jnp.result_type(float))]
    gradient = _gradient_p.bind(x, dy, *sets, spec=spec)
    order = [p.name for p in info.parameters]
    result = {}
    for name in names:
        column = gradient[..., order.index(name)]
        if name in given:
            like = jnp.asarray(given[name])
            extra = tuple(range(column.ndim - like.ndim))
            kept = tuple(i + len(extra) for i, size in enumerate(like.shape) if size != column.shape[i + len(extra)])
            column = column.sum(axis=extra + kept).reshape(like.shape) if extra or kept else column
            result[name] = column.astype(like.dtype)
        else:
            result[name] = column.sum()
    return result


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

    >>> import jax.numpy as jnp, iir2d.jax
    >>> iir2d.jax.pool(jnp.arange(16.0).reshape(4, 4), "max", 2).tolist()
    [[5.0, 7.0], [13.0, 15.0]]
    """
    x, _ = _planes(x, "x")
    pooling = _pooling.make_pooling(
        op, window, stride, padding, dilation, ceil_mode, p, count_include_pad, divisor_override, output_size
    )
    _pooled(x, pooling)
    if return_indices and pooling.op not in _pooling.MAX_OPS:
        raise InvalidArgumentError(f"argmax: only max pooling has one, not {pooling.op.replace('_', '-')}")
    indices = _index_type(x.shape[-2], x.shape[-1]) if return_indices else None
    outputs = _pool_p.bind(x, pooling=pooling, indices=indices)
    return tuple(outputs) if return_indices else outputs[0]


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
    dy, _ = _planes(dy, "dy")
    pooling = _pooling.make_pooling(
        op, window, stride, padding, dilation, ceil_mode, p, count_include_pad, divisor_override, output_size
    )
    if len(input_size) < 2:
        raise InvalidDimensionError(f"input_size is {tuple(input_size)}: 2 sizes or more")
    size = (int(input_size[-2]), int(input_size[-1]))
    read: tuple[Any, ...] = ()
    if pooling.op in _pooling.MAX_OPS:
        if indices is None and x is not None:
            indices = _pool_p.bind(jnp.asarray(x), pooling=pooling, indices=_index_type(*size))[1]
        read = (indices,)
    elif pooling.op == "lp":
        read = (x, y)
    if any(r is None for r in read):
        raise NullPointerError(
            f"the gradient of {op} pooling reads {'x and y' if pooling.op == 'lp' else 'x or indices'}"
        )
    shape = (*dy.shape[:-2], *pooling.output_size(*size, _ELEMENTS[dy.dtype.name]))
    if tuple(dy.shape) != shape:
        raise InvalidDimensionError(f"dy has shape {tuple(dy.shape)}, it must have {shape}")
    arrays = [jnp.asarray(r) for r in read]
    return _pool_backward_p.bind(dy, *arrays, pooling=pooling, size=size)  # type: ignore[no-any-return]


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
    return pool(  # type: ignore[no-any-return]
        input, "avg", kernel_size, stride=stride, padding=padding, ceil_mode=ceil_mode,
        count_include_pad=count_include_pad, divisor_override=divisor_override,
    )  # fmt: skip


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
    return pool(input, "lp", kernel_size, stride=stride, ceil_mode=ceil_mode, p=float(norm_type))  # type: ignore[no-any-return]


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
    return pool(input, "adaptive_avg", output_size=_output_size(input, output_size))  # type: ignore[no-any-return]
