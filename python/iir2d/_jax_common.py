# SPDX-License-Identifier: MIT
"""What the primitives of iir2d.jax share: evaluation, batching, and how XLA divides a call among devices."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.custom_partitioning import custom_partitioning
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

_requires_devices: Any = None
try:
    from jax._src import dispatch

    _requires_devices = getattr(dispatch, "prim_requires_devices_during_lowering", None)
except ImportError:
    pass

Shape = tuple[int, ...]


def has_float64() -> bool:
    """Whether JAX has float64 now; without x64 it has not."""
    return bool(jnp.result_type(float) == np.float64)


def make_primitive(name: str, *, multiple_results: bool = False) -> Primitive:
    """Returns a primitive without rules; give_rules() gives it some."""
    primitive = Primitive(name)
    primitive.multiple_results = multiple_results
    return primitive


def give_rules(
    primitive: Primitive,
    *,
    aval: Callable[..., Any],
    jvp: Callable[..., Any],
    transpose: Callable[..., Any],
    batch: Callable[..., Any],
    run: Callable[..., Any] | None = None,
    run_on_gpu: Callable[..., Any] | None = None,
    division: Callable[..., Division] | None = None,
    refuse: Callable[..., Any] | None = None,
) -> None:
    """Gives a primitive its rules: either `run` and `division`, as lower() takes them, and `run_on_gpu` where a GPU needs
    another one, or `refuse`, which raises where it would be computed."""
    if run is not None and division is not None:
        primitive.def_impl(evaluate(primitive))
        lower(primitive, run, division, "cpu")
        lower(primitive, run_on_gpu or run, division, "cuda")
    else:
        assert refuse is not None
        primitive.def_impl(refuse)
        mlir.register_lowering(primitive, lambda _, *operands, **static: refuse(*operands, **static))
    primitive.def_abstract_eval(aval)
    ad.primitive_jvps[primitive] = jvp
    ad.primitive_transposes[primitive] = transpose
    batching.primitive_batchers[primitive] = batch


def evaluate(primitive: Primitive) -> Callable[..., Any]:
    """Returns the evaluation of a primitive outside of jit: compiled, once for each of its static arguments."""

    @functools.lru_cache(maxsize=256)
    def compiled(static: tuple[tuple[str, Any], ...]) -> Any:
        return jax.jit(functools.partial(primitive.bind, **dict(static)))

    def run(*operands: Any, **static: Any) -> Any:
        with jax.disable_jit(False):  # under jax.disable_jit() jit would call this again
            return compiled(tuple(static.items()))(*operands)

    return run


def with_float64() -> Any:
    """Returns a context in which JAX has float64 and int64, as what a GPU's handlers return, whatever x64 is outside."""
    enable: Any = getattr(jax, "enable_x64", None)
    if enable is None:  # before jax 0.8
        enable = importlib.import_module("jax.experimental").enable_x64
    return enable(True)


def lower(primitive: Primitive, run: Callable[..., Any], division: Callable[..., Division], platform: str) -> None:
    """Registers how a primitive is lowered for a platform: to run, which takes its operands and static arguments and
    returns a list of results; where there are several devices, divided among them by division of the same."""
    # What custom_partitioning does in a lowering, it does for primitives that the jaxpr shows: those are told about
    # the devices. There is no public name for it; without it the call is not divided.
    if _requires_devices is not None:
        _requires_devices.add(primitive)

    lower_function: Any = functools.partial(mlir.lower_fun, multiple_results=True)

    def lowering(context: Any, *operands: Any, **static: Any) -> Any:
        def of_static(*values: Any) -> list[Any]:
            return list(run(*values, **static))

        axes = context.module_context.axis_context
        devices = axes.mesh.devices.flat if hasattr(axes, "mesh") else getattr(axes, "device_assignment", None)
        if devices is not None and len(devices) > 1:
            return lower_function(divided(of_static, division(*context.avals_in, **static)))(context, *operands)
        return lower_function(of_static)(context, *operands)

    mlir.register_lowering(primitive, lowering, platform=platform)


def call(target: str, results: Any, **attributes: Any) -> Callable[..., Any]:
    """Returns a function that calls one of the library's handlers on arrays."""
    ffi_call: Any = jax.ffi.ffi_call(target, results)
    return functools.partial(ffi_call, **attributes)


def is_zero(tangent: Any) -> bool:
    """Whether a tangent or cotangent is JAX's symbol for zeros."""
    return isinstance(tangent, ad.Zero)


def zero_tangent(primal: Any) -> Any:
    """Returns the symbolic tangent of a value that does not change."""
    return ad.Zero(jax.typeof(primal).to_tangent_aval())


def aval_like(like: Any, shape: Shape, dtype: Any) -> Any:
    """Returns the abstract value of a result, on the devices of the planes `like`."""
    if shape == like.shape:
        return like.update(dtype=dtype, weak_type=False)
    lead = tuple(like.sharding.spec)[: len(shape) - 2] if len(shape) == len(like.shape) else ()
    spec = P(*lead, *[None] * (len(shape) - len(lead)))
    return like.update(shape=shape, dtype=dtype, weak_type=False, sharding=NamedSharding(like.sharding.mesh, spec))


def batch_size(operands: Sequence[Any], axes: Sequence[Any]) -> int:
    """Returns the size of the dimension that vmap adds."""
    size: int = next(o.shape[a] for o, a in zip(operands, axes, strict=True) if a is not None)
    return size


def batched_to_front(operand: Any, axis: int | None, size: int) -> Any:
    """Returns an operand with the batch in front; one without gets it."""
    if axis is None:
        return jnp.broadcast_to(operand, (size, *jnp.shape(operand)))
    return jnp.moveaxis(operand, axis, 0)


def vary_alike(*operands: Any) -> tuple[Any, ...]:
    """Returns operands that all vary over the same axes of a shard_map's mesh."""
    varying = [_varying(operand) for operand in operands]
    union = frozenset().union(*varying)
    return tuple(_vary(o, union - own) if union - own else o for o, own in zip(operands, varying, strict=True))


def _varying(operand: Any) -> frozenset[Any]:
    aval = jax.typeof(operand)
    axes: Any = getattr(aval, "vma", None)
    if axes is None:
        axes = getattr(getattr(aval, "mat", None), "varying", ())
    return frozenset(axes)


def _vary(operand: Any, axes: frozenset[Any]) -> Any:
    names = tuple(sorted(axes))
    lax: Any = jax.lax
    return lax.pcast(operand, names, to="varying") if hasattr(lax, "pcast") else lax.pvary(operand, names)


class Division:
    """How a call is divided among devices: by its leading dimensions, never by height and width.

    `operands` and `results` are shapes; the first `planes` operands, and the first `plane_results` results, are stacks
    of planes, and the others broadcast to the stacks' leading dimensions. Of results that do not have a dimension,
    each device has its part of the sum.
    """

    def __init__(self, operands: Sequence[Shape], planes: int, results: Sequence[Shape], plane_results: int) -> None:
        self.operands, self.planes = operands, planes
        self.results, self.plane_results = results, plane_results
        self.lead = operands[0][:-2]

    def rule(self) -> tuple[str, tuple[str, ...]]:
        """The rule as Shardy reads it, and the factors in it that are never divided."""
        whole: list[str] = []
        sizes: dict[str, int] = {}

        def factor(name: str, size: int) -> str:
            if sizes.setdefault(name, size) != size:
                name = f"{name}x{size}"
                sizes[name] = size
            if name not in whole:
                whole.append(name)
            return name

        def names(shape: Shape, is_planes: bool, place: str) -> str:
            lead = shape[:-2] if is_planes else shape
            skipped = len(self.lead) - len(lead)
            of_lead = [
                f"b{skipped + i}" if size == self.lead[skipped + i] else factor(f"u{place}{i}", size)
                for i, size in enumerate(lead)
            ]
            of_plane = [factor(n, s) for n, s in zip("hw", shape[-2:], strict=True)] if is_planes else []
            return " ".join([*of_lead, *of_plane])

        sides = [
            ", ".join(names(shape, i < planes, f"{side}{i}z") for i, shape in enumerate(shapes))
            for side, shapes, planes in (("o", self.operands, self.planes), ("r", self.results, self.plane_results))
        ]
        return " -> ".join(sides), tuple(whole)

    def lead_spec(self, mesh: Any, sharding: Any) -> tuple[Any, ...]:
        """What the leading dimensions are divided by, where they divide evenly."""
        spec = tuple(sharding.spec) if isinstance(sharding, NamedSharding) else ()
        spec = (*spec, *[None] * len(self.lead))[: len(self.lead)]
        return tuple(s if s is None or n % _count(mesh, s) == 0 else None for n, s in zip(self.lead, spec, strict=True))

    def shardings(self, mesh: Any, lead: tuple[Any, ...], shapes: Sequence[Shape], planes: int) -> list[Any]:
        """The shardings of operands or results."""
        result = []
        for i, shape in enumerate(shapes):
            of_lead = shape[:-2] if i < planes else shape
            skipped = len(self.lead) - len(of_lead)
            spec = [lead[skipped + k] if size == self.lead[skipped + k] else None for k, size in enumerate(of_lead)]
            result.append(NamedSharding(mesh, P(*spec, *([None, None] if i < planes else []))))
        return result

    def summed(self, lead: tuple[Any, ...], shape: Shape) -> tuple[Any, ...]:
        """The mesh axes over which the parts of a result that is not a stack of planes are summed."""
        skipped = len(self.lead) - len(shape)
        axes: list[Any] = []
        for k, names in enumerate(lead):
            if names is None or (k >= skipped and shape[k - skipped] == self.lead[k]):
                continue
            axes.extend(names if isinstance(names, tuple) else (names,))
        return tuple(axes)


def _count(mesh: Any, names: Any) -> int:
    count = 1
    for name in names if isinstance(names, tuple) else (names,):
        count *= mesh.shape[name]
    return count


def divided(run: Callable[..., Any], division: Division) -> Callable[..., Any]:
    """Returns run, which takes the operands and returns the list of results, as a call that XLA divides."""
    whole: Any = custom_partitioning(run)

    def infer(mesh: Any, operands: Any, results: Any) -> Any:
        lead = division.lead_spec(mesh, operands[0].sharding)
        return division.shardings(mesh, lead, division.results, division.plane_results)

    def partition(mesh: Any, operands: Any, results: Any) -> Any:
        lead = division.lead_spec(mesh, operands[0].sharding)

        def part(*local: Any) -> list[Any]:
            parts = list(run(*local))
            for i in range(division.plane_results, len(parts)):
                axes = division.summed(lead, division.results[i])
                if axes:
                    parts[i] = jax.lax.psum(parts[i], axes)
            return parts

        return (
            mesh,
            part,
            division.shardings(mesh, lead, division.results, division.plane_results),
            tuple(division.shardings(mesh, lead, division.operands, division.planes)),
        )

    rule, factors = division.rule()
    options: dict[str, Any] = {}
    if "need_replication_factors" in inspect.signature(whole.def_partition).parameters:
        options["need_replication_factors"] = factors
    whole.def_partition(partition, infer_sharding_from_operands=infer, sharding_rule=rule, **options)
    result: Callable[..., Any] = whole
    return result
