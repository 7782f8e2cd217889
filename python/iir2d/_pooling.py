# SPDX-License-Identifier: MIT
"""What the pooling functions of all three modules take beside arrays."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypedDict, TypeVar

from . import _native
from ._arguments import ELEMENT_NAMES, pair
from .errors import InvalidArgumentError, InvalidDimensionError, NullPointerError

OPS = {"max": 0, "avg": 1, "lp": 2, "adaptive_max": 3, "adaptive_avg": 4}
MAX_OPS = ("max", "adaptive_max")

Extent = int | Sequence[int]
F = TypeVar("F", bound=Callable[..., Any])


class PoolOptions(TypedDict, total=False):
    """What pool() and pool_backward() of all three modules take by name; make_pooling() has the defaults."""

    stride: Extent | None
    padding: Extent
    dilation: Extent
    ceil_mode: bool
    p: float
    count_include_pad: bool
    divisor_override: int | None
    output_size: Extent | None


def shows_options(function: F) -> F:
    """Gives a function that takes **options: Unpack[PoolOptions] the signature that names them, for help()."""
    own = inspect.signature(function)
    options = [p for p in inspect.signature(make_pooling).parameters.values() if p.name in PoolOptions.__annotations__]
    others = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
    by_place = [p for p in others if p.kind is not p.KEYWORD_ONLY]
    by_name = [p for p in others if p.kind is p.KEYWORD_ONLY]
    setattr(function, "__signature__", own.replace(parameters=[*by_place, *options, *by_name]))  # noqa: B010
    return function


class Pooling(NamedTuple):
    """A pooling with every field in the C interface's terms; hashable."""

    op: str
    window: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]
    dilation: tuple[int, int]
    output: tuple[int, int]
    divisor_override: int
    p: float
    ceil_mode: bool
    count_include_pad: bool

    @property
    def fields(self) -> tuple[int, ...]:
        """The integers in the C struct's order."""
        return (
            OPS[self.op],
            *self.window,
            *self.stride,
            *self.padding,
            *self.dilation,
            *self.output,
            self.divisor_override,
            int(self.ceil_mode),
            int(self.count_include_pad),
        )

    def settings(self) -> _native.PoolSettings:
        """What the module is told."""
        return _native.PoolSettings(
            OPS[self.op],
            self.window,
            self.stride,
            self.padding,
            self.dilation,
            self.output,
            self.divisor_override,
            self.p,
            self.ceil_mode,
            self.count_include_pad,
        )

    def output_size(self, height: int, width: int, element: int) -> tuple[int, int]:
        """The height and width of the result; raises what is wrong with the fields."""
        return _native.pool_output_size(height, width, element, self.settings())


def make_pooling(
    op: str,
    window: Extent | None = None,
    *,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: bool = False,
    p: float = 2.0,
    count_include_pad: bool = False,
    divisor_override: int | None = None,
    output_size: Extent | None = None,
) -> Pooling:
    """Returns the pooling of a function's arguments."""
    name = op.replace("-", "_") if isinstance(op, str) else op
    if name not in OPS:
        raise InvalidArgumentError(f"pooling op '{op}': must be max, avg, lp, adaptive-max or adaptive-avg")
    if name.startswith("adaptive"):
        if output_size is None:
            raise InvalidArgumentError(f"output_size: {op} pooling needs one")
        nothing = (0, 0)
        return Pooling(name, nothing, nothing, nothing, nothing, pair("output_size", output_size), 0, 2.0, False, False)
    size = pair("window", 2 if window is None else window)
    given = stride is not None and stride not in ([], ())
    step = pair("stride", stride) if stride is not None and given else size
    spread = pair("dilation", dilation)
    if (given and 0 in step) or 0 in spread:
        # The C interface takes 0 for "not given".
        field, value = ("stride", step) if 0 in step else ("dilation", spread)
        raise InvalidArgumentError(f"{field} {value[0]}x{value[1]}: must be at least 1 along each axis")
    if divisor_override == 0:
        raise InvalidArgumentError("divisor_override 0: the divisor must not be 0")
    divisor = 0 if divisor_override is None or name != "avg" else operator.index(divisor_override)
    if not -(2**63) <= divisor < 2**63:
        raise InvalidArgumentError(f"divisor_override {divisor}: it has more than 64 bits")
    return Pooling(
        name,
        size,
        step,
        pair("padding", padding),
        spread,
        (0, 0),
        divisor,
        float(p),
        bool(ceil_mode),
        bool(count_include_pad),
    )


# What Python says of an option that there is not names the function that was called with it.
make_pooling.__qualname__ = "pool"


def require_maxima(pooling: Pooling) -> None:
    """Raises InvalidArgumentError, as the library does, where positions are asked for of an op that has none."""
    if pooling.op not in MAX_OPS:
        raise InvalidArgumentError(f"argmax: only max pooling has one, not {pooling.op.replace('_', '-')}")


def input_extent(input_size: Sequence[int]) -> tuple[int, int]:
    """Returns the height and width of `input_size`, which may be a whole shape."""
    if not hasattr(input_size, "__len__"):
        raise TypeError(f"input_size is a {type(input_size).__name__}: give height and width, or a shape")
    if len(input_size) < 2:
        raise InvalidDimensionError(f"input_size is {tuple(input_size)}: 2 sizes or more")
    return pair("input_size", tuple(input_size[-2:]))


def require_read(pooling: Pooling, x: object, y: object, indices: object) -> None:
    """Raises NullPointerError where what the gradient reads is missing."""
    if pooling.op in MAX_OPS and x is None and indices is None:
        what = "x or indices"
    elif pooling.op == "lp" and (x is None or y is None):
        what = "x and y"
    else:
        return
    raise NullPointerError(f"the gradient of {pooling.op.replace('_', '-')} pooling reads {what}")


def check_read(name: str, shape: Sequence[int], element: int, wanted: Sequence[int], of_dy: int) -> None:
    """Raises where an array that a gradient reads, or dy itself, has another shape than it must, or another type."""
    if tuple(shape) != tuple(wanted):
        raise InvalidDimensionError(f"{name} has shape {tuple(shape)}, it must have {tuple(wanted)}")
    if element != of_dy:
        raise InvalidArgumentError(f"{name} is {ELEMENT_NAMES[element]}, dy is {ELEMENT_NAMES[of_dy]}")


def check_indices(dtype: object, shape: Sequence[int], of_dy: Sequence[int]) -> None:
    """Raises InvalidDimensionError where indices are none that pool() gave."""
    found = str(dtype).removeprefix("torch.")
    if found not in ("int64", "int32") or tuple(shape) != tuple(of_dy):
        raise InvalidDimensionError(
            f"indices are {found} of shape {tuple(shape)}: they must be int64 or int32, of dy's shape {tuple(of_dy)}"
        )


def check_int32(height: int, width: int, *, has_int64: bool) -> None:
    """Raises InvalidDimensionError where JAX has no int64 and positions in a plane do not fit int32."""
    if not has_int64 and height * width > 2**31 - 1:
        raise InvalidDimensionError(f"positions in planes of {height}x{width} do not fit int32: enable x64 in JAX")


def adaptive_size(shape: Sequence[int], size: int | Sequence[int | None]) -> tuple[int, int]:
    """Returns the output size of torch's adaptive functions; None is the input's own."""
    given = (size, size) if isinstance(size, int) else tuple(size)
    rows, columns = (given[0], given[0]) if len(given) == 1 else (given[0], given[1])
    return shape[-2] if rows is None else rows, shape[-1] if columns is None else columns
