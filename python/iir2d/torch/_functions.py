# SPDX-License-Identifier: MIT
"""Differentiation, by three routes, because no single one serves all of PyTorch.

Compiled code calls the operations, whose autograd formulas are registered. Under torch.func and in forward mode an
autograd.Function with vmap and jvp is called, which dynamo does not take. Everything else is a plain
autograd.Function, which costs least.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import torch
from torch.autograd import Function, forward_ad

from .. import _arguments, _pooling
from . import _cuda, _ops

_operations = torch.ops.iir2d
_functorch_is_active = torch._C._are_functorch_transforms_active
_is_compiling = torch.compiler.is_compiling

_TWICE = (
    "the gradient of a parameter has no derivative of its own in iir2d: "
    "differentiate twice with respect to x, or once with respect to parameters"
)
_FORWARD = "iir2d has no forward mode with respect to parameters: use reverse mode, or forward mode with respect to x"


class Spec(NamedTuple):
    """What a filter does, apart from tensors: numbers as parameters, which are given, which in float32, and codes."""

    values: tuple[float, ...]
    given: tuple[int, ...]
    narrow: tuple[int, ...]
    filter_id: int
    border: int
    border_const: float
    precision: int
    start: int
    normalise_gain: bool

    @classmethod
    def of_defaults(cls, *arguments: Any) -> Spec:
        """The spec of a call without parameters; takes what _arguments.codes() takes."""
        try:
            return _of_defaults(*arguments)
        except TypeError:
            _arguments.codes(*arguments)  # says what is wrong with what cannot be hashed
            raise

    def linear(self) -> Spec:
        """The same without what the border adds to every result."""
        return self if self.border_const == 0.0 else self._replace(border_const=0.0)


@functools.lru_cache(maxsize=1024, typed=True)
def _of_defaults(*arguments: Any) -> Spec:
    return Spec((), (), (), *_arguments.codes(*arguments)[1])


def _transformed() -> bool:
    return bool(_functorch_is_active()) or forward_ad._current_level >= 0


def _recorded(*tensors: torch.Tensor | None) -> bool:
    if torch.is_grad_enabled():
        for tensor in tensors:
            if tensor is not None and tensor.requires_grad:
                return True
    return False


def filter(x: torch.Tensor, packed: torch.Tensor | None, spec: Spec) -> torch.Tensor:
    """A x + c; `packed` has sets of parameters in its last dimension."""
    if _is_compiling():
        return _operations.filter(x, packed, *spec)  # type: ignore[no-any-return]
    if _transformed():
        return _TransformedFilter.apply(x, packed, spec, False)  # type: ignore[no-any-return]
    if _recorded(x, packed):
        return _Filter.apply(x, packed, spec, False)  # type: ignore[no-any-return]
    return _ops.filter(x, packed, spec)


def adjoint(dy: torch.Tensor, packed: torch.Tensor | None, spec: Spec) -> torch.Tensor:
    """A^T dy."""
    if _is_compiling():
        return _operations.filter_adjoint(dy, packed, *spec)  # type: ignore[no-any-return]
    if _transformed():
        return _TransformedFilter.apply(dy, packed, spec, True)  # type: ignore[no-any-return]
    if _recorded(dy, packed):
        return _Filter.apply(dy, packed, spec, True)  # type: ignore[no-any-return]
    return _ops.filter(dy, packed, spec, adjoint=True)


def gradient(x: torch.Tensor, dy: torch.Tensor, packed: torch.Tensor, spec: Spec) -> torch.Tensor:
    """d <dy, filter(x)> / d packed, on x's device."""
    if _is_compiling():
        return _operations.filter_gradient(x, dy, packed, *spec)  # type: ignore[no-any-return]
    if _transformed() or _recorded(x, dy, packed):
        return _Gradient.apply(x, dy, packed, spec)  # type: ignore[no-any-return]
    return _operations.filter_gradient(x, dy, packed, *spec)  # type: ignore[no-any-return]


class _Expand(Function):
    @staticmethod
    def forward(ctx: Any, value: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
        ctx.shape = value.shape
        return value.expand(shape)

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        return sum_to(g, ctx.shape), None


class _SumTo(Function):
    @staticmethod
    def forward(ctx: Any, values: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
        ctx.shape = values.shape
        return _ops.sum_to(values, shape)

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        return g.expand(ctx.shape), None


def expand(value: torch.Tensor, shape: Any) -> torch.Tensor:
    """Repeats a parameter; its gradient is summed in the order of arrays' where nothing transforms the call."""
    if value.shape == shape or _is_compiling() or _transformed() or not _recorded(value):
        return value.expand(shape)
    return _Expand.apply(value, tuple(shape))  # type: ignore[no-any-return]


def sum_to(values: torch.Tensor, shape: Any) -> torch.Tensor:
    """Sums to a shape that broadcasts to the values' own."""
    if values.shape == shape or _is_compiling() or _transformed() or not _recorded(values):
        return _ops.sum_to(values, shape)
    return _SumTo.apply(values, tuple(shape))  # type: ignore[no-any-return]


def _backward(
    g: torch.Tensor,
    x: torch.Tensor | None,
    packed: torch.Tensor | None,
    spec: Spec,
    is_adjoint: bool,
    needs: Any,
    host: torch.Tensor | None = None,
) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    """Gradients of <g, A x + c> or of <g, A^T x> with respect to x and packed; `host` is a copy of packed in the host's
    memory, read in its place where no derivative of these gradients is recorded."""
    sets = packed if host is None or _recorded(g, x, packed) else host
    dx = None
    if needs[0]:
        dx = filter(g, sets, spec.linear()) if is_adjoint else adjoint(g, sets, spec)
    dp = None
    if packed is not None and sets is not None and x is not None and needs[1]:
        dp = gradient(g, x, sets, spec.linear()) if is_adjoint else gradient(x, g, sets, spec)
        if dp.device != packed.device:
            dp = dp.to(packed.device)
    return dx, dp


class _Filter(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, packed: torch.Tensor | None, spec: Spec, is_adjoint: bool) -> torch.Tensor:
        ctx.spec, ctx.is_adjoint = spec, is_adjoint
        # Copied from a GPU once, for the backward pass too.
        host = _ops.host_copy(packed) if packed is not None and _cuda.lies_on_gpu(packed) else packed
        ctx.host = host
        if ctx.needs_input_grad[1]:
            ctx.save_for_backward(x, packed)
            if host is packed:
                ctx.host = None
        return _ops.filter(x, host, spec, is_adjoint)

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        x, packed = ctx.saved_tensors if ctx.needs_input_grad[1] else (None, ctx.host)
        return *_backward(g, x, packed, ctx.spec, ctx.is_adjoint, ctx.needs_input_grad, ctx.host), None, None


def _to_front(tensor: torch.Tensor, dim: int | None, size: int) -> torch.Tensor:
    return tensor.expand(size, *tensor.shape) if dim is None else tensor.movedim(dim, 0)


def _sets_to_front(packed: torch.Tensor, dim: int | None, size: int, rank: int) -> torch.Tensor:
    """Sets of a batch before planes that have `rank` leading dimensions of their own."""
    front = _to_front(packed, dim, size)
    ones = (1,) * (rank - (front.dim() - 2))
    return front.reshape(size, *ones, *front.shape[1:])


class _TransformedFilter(Function):
    @staticmethod
    def forward(x: torch.Tensor, packed: torch.Tensor | None, spec: Spec, is_adjoint: bool) -> torch.Tensor:
        return _ops.filter(x, packed, spec, is_adjoint)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
        x, packed, ctx.spec, ctx.is_adjoint = inputs
        ctx.set_materialize_grads(False)
        ctx.has_sets = packed is not None
        if packed is not None:
            ctx.save_for_backward(x, packed)
            ctx.save_for_forward(x, packed)

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor | None) -> Any:
        if g is None:
            return None, None, None, None
        x, packed = ctx.saved_tensors if ctx.has_sets else (None, None)
        return *_backward(g, x, packed, ctx.spec, ctx.is_adjoint, ctx.needs_input_grad), None, None

    @staticmethod
    def jvp(ctx: Any, x: torch.Tensor | None, packed: torch.Tensor | None, *_: Any) -> torch.Tensor | None:
        if packed is not None:
            raise NotImplementedError(_FORWARD)
        if x is None:
            return None
        sets = ctx.saved_tensors[1] if ctx.has_sets else None
        return (adjoint if ctx.is_adjoint else filter)(x, sets, ctx.spec.linear())

    @staticmethod
    def vmap(
        info: Any, in_dims: Any, x: torch.Tensor, packed: torch.Tensor | None, spec: Spec, is_adjoint: bool
    ) -> tuple[torch.Tensor, int]:
        front = _to_front(x, in_dims[0], info.batch_size)
        if packed is not None and in_dims[1] is not None:
            packed = _sets_to_front(packed, in_dims[1], info.batch_size, front.dim() - 3)
        return (adjoint if is_adjoint else filter)(front, packed, spec), 0


class _Gradient(Function):
    @staticmethod
    def forward(x: torch.Tensor, dy: torch.Tensor, packed: torch.Tensor, spec: Spec) -> torch.Tensor:
        return _operations.filter_gradient(x, dy, packed, *spec)  # type: ignore[no-any-return]

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        raise NotImplementedError(_TWICE)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        raise NotImplementedError(_TWICE)

    @staticmethod
    def vmap(
        info: Any, in_dims: Any, x: torch.Tensor, dy: torch.Tensor, packed: torch.Tensor, spec: Spec
    ) -> tuple[torch.Tensor, int]:
        size = info.batch_size
        front, upstream = _to_front(x, in_dims[0], size), _to_front(dy, in_dims[1], size)
        sets = _sets_to_front(packed, in_dims[2], size, front.dim() - 3)
        result = gradient(front, upstream, sets, spec)
        own = packed.shape if in_dims[2] is None else packed.movedim(in_dims[2], 0).shape[1:]
        return result.reshape(size, *own), 0


def _filter_context(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
    x, packed, *settings = inputs
    ctx.spec = Spec(*settings)
    ctx.wants_sets = packed is not None and ctx.needs_input_grad[1]
    ctx.has_sets = packed is not None
    ctx.save_for_backward(*(() if packed is None else (x, packed) if ctx.wants_sets else (packed,)))


def _registered(is_adjoint: bool) -> Any:
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        saved = ctx.saved_tensors
        x = saved[0] if ctx.wants_sets else None
        packed = saved[-1] if ctx.has_sets else None
        gradients = _backward(g, x, packed, ctx.spec, is_adjoint, ctx.needs_input_grad)
        return *gradients, *(None,) * len(Spec._fields)

    return backward


def _no_second(ctx: Any, g: torch.Tensor) -> Any:
    raise NotImplementedError(_TWICE)


for _name, _formula in (("filter", _registered(False)), ("filter_adjoint", _registered(True))):
    torch.library.register_autograd(f"iir2d::{_name}", _formula, setup_context=_filter_context, lib=_ops.library)
torch.library.register_autograd("iir2d::filter_gradient", _no_second, lib=_ops.library)


def pool(x: torch.Tensor, pooling: _pooling.Pooling, return_indices: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """The result and the indices, which are empty where they are neither asked for nor needed."""
    if _is_compiling():
        needed = return_indices or pooling.op in _pooling.MAX_OPS
        return _operations.pool(x, pooling.fields, pooling.p, needed)  # type: ignore[no-any-return]
    if _transformed() or _recorded(x):
        needed = return_indices or pooling.op in _pooling.MAX_OPS
        return _Pool.apply(x, pooling, needed)  # type: ignore[no-any-return]
    return _operations.pool(x, pooling.fields, pooling.p, return_indices)  # type: ignore[no-any-return]


def pool_backward(
    dy: torch.Tensor, read: tuple[torch.Tensor | None, ...], pooling: _pooling.Pooling, size: tuple[int, int]
) -> torch.Tensor:
    """The gradient of pool(); `read` is what its op reads beside dy."""
    tensors = [t for t in read if t is not None]
    if not _is_compiling() and (_transformed() or _recorded(dy, *tensors)):
        return _PoolBackward.apply(dy, pooling, size, *tensors)  # type: ignore[no-any-return]
    return _operations.pool_backward(dy, tensors, size, pooling.fields, pooling.p)  # type: ignore[no-any-return]


def _reads(pooling: _pooling.Pooling, x: torch.Tensor, y: torch.Tensor, indices: torch.Tensor) -> Any:
    if pooling.op in _pooling.MAX_OPS:
        return (indices,)
    return (x, y) if pooling.op == "lp" else ()


class _Pool(Function):
    @staticmethod
    def forward(x: torch.Tensor, pooling: _pooling.Pooling, return_indices: bool) -> tuple[torch.Tensor, torch.Tensor]:
        return _operations.pool(x, pooling.fields, pooling.p, return_indices)  # type: ignore[no-any-return]

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        x, ctx.pooling, _ = inputs
        y, indices = output
        ctx.mark_non_differentiable(indices)
        ctx.size = (x.shape[-2], x.shape[-1])
        ctx.save_for_backward(*_reads(ctx.pooling, x, y, indices))

    @staticmethod
    def backward(ctx: Any, dy: torch.Tensor, _: Any) -> Any:
        return pool_backward(dy, ctx.saved_tensors, ctx.pooling, ctx.size), None, None

    @staticmethod
    def jvp(ctx: Any, x: torch.Tensor, *_: Any) -> Any:
        if not ctx.pooling.op.endswith("avg"):
            raise NotImplementedError(f"iir2d has no forward mode of {ctx.pooling.op} pooling: use reverse mode")
        return pool(x, ctx.pooling, False)[0], None

    @staticmethod
    def vmap(info: Any, in_dims: Any, x: torch.Tensor, pooling: _pooling.Pooling, return_indices: bool) -> Any:
        result = pool(_to_front(x, in_dims[0], info.batch_size), pooling, return_indices)
        return result, (0, 0 if return_indices or pooling.op in _pooling.MAX_OPS else None)


class _PoolBackward(Function):
    @staticmethod
    def forward(dy: torch.Tensor, pooling: _pooling.Pooling, size: tuple[int, int], *read: torch.Tensor) -> torch.Tensor:
        return _operations.pool_backward(dy, read, size, pooling.fields, pooling.p)  # type: ignore[no-any-return]

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
        _, ctx.pooling, ctx.size, *read = inputs
        if ctx.pooling.op in _pooling.MAX_OPS:
            ctx.save_for_backward(*read)
            ctx.save_for_forward(*read)

    @staticmethod
    def _transposed(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        if ctx.pooling.op.endswith("avg"):
            return pool(g, ctx.pooling, False)[0]
        if ctx.pooling.op == "lp":
            raise NotImplementedError("iir2d has no second derivative of lp pooling")
        (indices,) = ctx.saved_tensors
        return g.flatten(-2).gather(-1, indices.flatten(-2)).reshape(indices.shape)

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        return _PoolBackward._transposed(ctx, g), None, None, *(None,) * (len(ctx.needs_input_grad) - 3)

    @staticmethod
    def jvp(ctx: Any, dy: torch.Tensor, *_: Any) -> Any:
        if not ctx.pooling.op.endswith("avg"):
            raise NotImplementedError(f"iir2d has no forward mode of {ctx.pooling.op} pooling: use reverse mode")
        return pool_backward(dy, (), ctx.pooling, ctx.size)

    @staticmethod
    def vmap(
        info: Any, in_dims: Any, dy: torch.Tensor, pooling: _pooling.Pooling, size: tuple[int, int], *read: torch.Tensor
    ) -> Any:
        fronts = [_to_front(t, dim, info.batch_size) for t, dim in zip(read, in_dims[3:], strict=True)]
        return pool_backward(_to_front(dy, in_dims[0], info.batch_size), tuple(fronts), pooling, size), 0


def _pool_context(ctx: Any, inputs: Any, output: Any) -> None:
    x, fields, p, _ = inputs
    ctx.fields, ctx.p, ctx.size = tuple(fields), p, (x.shape[-2], x.shape[-1])
    y, indices = output
    op = fields[0]
    ctx.save_for_backward(*((indices,) if op in (0, 3) else (x, y) if op == 2 else ()))


def _pool_formula(ctx: Any, dy: torch.Tensor, _: Any) -> Any:
    return _operations.pool_backward(dy, list(ctx.saved_tensors), ctx.size, ctx.fields, ctx.p), None, None, None


def _pool_backward_context(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
    _, read, _, fields, p = inputs
    ctx.fields, ctx.p, ctx.reads = tuple(fields), p, len(read)
    ctx.save_for_backward(*(read if fields[0] in (0, 3) else ()))


def _pool_backward_formula(ctx: Any, g: torch.Tensor) -> Any:
    if ctx.fields[0] == 2:
        raise NotImplementedError("iir2d has no second derivative of lp pooling")
    if ctx.fields[0] in (1, 4):
        return _operations.pool(g, ctx.fields, ctx.p, False)[0], [None] * ctx.reads, None, None, None
    (indices,) = ctx.saved_tensors
    back = g.flatten(-2).gather(-1, indices.flatten(-2)).reshape(indices.shape)
    return back, [None] * ctx.reads, None, None, None


torch.library.register_autograd("iir2d::pool", _pool_formula, setup_context=_pool_context, lib=_ops.library)
torch.library.register_autograd(
    "iir2d::pool_backward", _pool_backward_formula, setup_context=_pool_backward_context, lib=_ops.library
)
