# SPDX-License-Identifier: MIT
"""What the pooling functions of all three modules take beside arrays."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import NamedTuple

from . import _native
from ._arguments import pair
from .errors import InvalidArgumentError

OPS = {"max": 0, "avg": 1, "lp": 2, "adaptive_max": 3, "adaptive_avg": 4}
MAX_OPS = ("max", "adaptive_max")


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
    window: int | Sequence[int] | None,
    stride: int | Sequence[int] | None,
    padding: int | Sequence[int],
    dilation: int | Sequence[int],
    ceil_mode: bool,
    p: float,
    count_include_pad: bool,
    divisor_override: int | None,
    output_size: int | Sequence[int] | None,
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
    return Pooling(
        name,
        size,
        step,
        pair("padding", padding),
        spread,
        (0, 0),
        0 if divisor_override is None or name != "avg" else operator.index(divisor_override),
        float(p),
        bool(ceil_mode),
        bool(count_include_pad),
    )
