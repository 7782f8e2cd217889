# SPDX-License-Identifier: MIT
"""Exceptions of iir2d: one for each status of the C interface, with the library's own sentence."""

from __future__ import annotations

from . import _native

__all__ = [
    "CudaError",
    "Iir2dError",
    "InvalidArgumentError",
    "InvalidBorderModeError",
    "InvalidDimensionError",
    "InvalidFilterIdError",
    "InvalidPrecisionError",
    "NullPointerError",
    "WorkspaceError",
]


_CLASSES: dict[int, type[Iir2dError]] = {}


class Iir2dError(Exception):
    """A call failed; the text says which field was wrong and its value.

    `status` is the C interface's number, `status_name` its name.

    >>> Iir2dError("no such thing", -1).status_name
    'invalid_argument'
    """

    default_status = -1

    def __init_subclass__(cls, status: int | None = None) -> None:
        """A class of a status is what error_of() makes of it; a subclass of such a class has its status."""
        super().__init_subclass__()
        if status is not None:
            cls.default_status = status
            _CLASSES[status] = cls

    def __init__(self, sentence: str, status: int | None = None) -> None:
        super().__init__(sentence)
        self.status: int = self.default_status if status is None else status
        self.status_name: str = _native.status_string(self.status)


class InvalidArgumentError(Iir2dError, ValueError, status=-1):
    """A value is out of range, unknown, or does not go with another.

    >>> import numpy as np, iir2d
    >>> iir2d.filter(np.ones((2, 2)), "ema", alpha=2.0)
    Traceback (most recent call last):
    iir2d.errors.InvalidArgumentError: alpha 2 of filter 1 (EMA) is out of range: give 0 to 0.999
    """


class InvalidDimensionError(Iir2dError, ValueError, status=-2):
    """A shape is one that cannot be filtered, or two shapes do not agree.

    >>> import numpy as np, iir2d
    >>> iir2d.filter(np.ones((0, 5)))
    Traceback (most recent call last):
    iir2d.errors.InvalidDimensionError: x has shape (0, 5): height 0 must be at least 1
    """


class InvalidFilterIdError(Iir2dError, ValueError, status=-3):
    """There is no such filter.

    >>> import numpy as np, iir2d
    >>> iir2d.filter(np.ones((2, 2)), 9)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    iir2d.errors.InvalidFilterIdError: filter 9 does not exist: filters are 1 to ...
    """


class InvalidBorderModeError(Iir2dError, ValueError, status=-4):
    """There is no such border.

    >>> import numpy as np, iir2d
    >>> iir2d.filter(np.ones((2, 2)), border="reflect")
    Traceback (most recent call last):
    iir2d.errors.InvalidBorderModeError: border "reflect" is unknown: use clamp, mirror, wrap or constant
    """


class InvalidPrecisionError(Iir2dError, ValueError, status=-5):
    """There is no such precision, or it does not go with the element type.

    >>> import numpy as np, iir2d
    >>> iir2d.filter(np.ones((2, 2)), precision="f32")
    Traceback (most recent call last):
    iir2d.errors.InvalidPrecisionError: precision "f32" does not go with float64 elements: use f64
    """


class NullPointerError(Iir2dError, ValueError, status=-6):
    """Something that the operation reads was not given.

    >>> import numpy as np, iir2d
    >>> iir2d.pool_backward(np.ones((1, 1)), "max", 2, input_size=(2, 2))
    Traceback (most recent call last):
    iir2d.errors.NullPointerError: the gradient of max pooling reads x or indices
    """


class WorkspaceError(Iir2dError, MemoryError, status=-7):
    """There was not enough memory.

    >>> isinstance(WorkspaceError("no memory"), MemoryError)
    True
    """


class CudaError(Iir2dError, RuntimeError, status=-8):
    """A GPU cannot be used, or failed.

    >>> isinstance(CudaError("no GPU"), RuntimeError)
    True
    """


def error_of(status: int, sentence: str) -> Iir2dError:
    """Returns the exception of a status.

    >>> error_of(-4, "border 9 is unknown")
    InvalidBorderModeError('border 9 is unknown')
    """
    return _CLASSES.get(status, Iir2dError)(sentence, status)
