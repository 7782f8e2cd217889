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


class Iir2dError(Exception):
    """A call failed; the text says which field was wrong and its value.

    `status` is the C interface's number, `status_name` its name.

    >>> Iir2dError("no such thing", -1).status_name
    'invalid_argument'
    """

    default_status = -1

    def __init__(self, sentence: str, status: int | None = None) -> None:
        super().__init__(sentence)
        self.status: int = self.default_status if status is None else status
        self.status_name: str = _native.status_string(self.status)


class InvalidArgumentError(Iir2dError, ValueError):
    """A value is out of range, unknown, or does not go with another."""

    default_status = -1


class InvalidDimensionError(Iir2dError, ValueError):
    """A shape is one that cannot be filtered, or two shapes do not agree."""

    default_status = -2


class InvalidFilterIdError(Iir2dError, ValueError):
    """There is no such filter."""

    default_status = -3


class InvalidBorderModeError(Iir2dError, ValueError):
    """There is no such border."""

    default_status = -4


class InvalidPrecisionError(Iir2dError, ValueError):
    """There is no such precision, or it does not go with the element type."""

    default_status = -5


class NullPointerError(Iir2dError, ValueError):
    """Something that the operation reads was not given."""

    default_status = -6


class WorkspaceError(Iir2dError, MemoryError):
    """There was not enough memory."""

    default_status = -7


class CudaError(Iir2dError, RuntimeError):
    """A GPU cannot be used, or failed."""

    default_status = -8


_CLASSES: dict[int, type[Iir2dError]] = {
    error.default_status: error
    for error in (
        InvalidArgumentError,
        InvalidDimensionError,
        InvalidFilterIdError,
        InvalidBorderModeError,
        InvalidPrecisionError,
        NullPointerError,
        WorkspaceError,
        CudaError,
    )
}


def error_of(status: int, sentence: str) -> Iir2dError:
    """Returns the exception of a status.

    >>> error_of(-4, "border 9 is unknown")
    InvalidBorderModeError('border 9 is unknown')
    """
    return _CLASSES.get(status, Iir2dError)(sentence, status)
