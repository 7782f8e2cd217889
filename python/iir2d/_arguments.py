# SPDX-License-Identifier: MIT
"""What the functions of all three modules take beside arrays: names, numbers and parameters."""

from __future__ import annotations

import functools
import math
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, SupportsFloat, SupportsIndex, cast

import numpy as np
import numpy.typing as npt

from . import _native
from .errors import (
    InvalidArgumentError,
    InvalidBorderModeError,
    InvalidDimensionError,
    InvalidFilterIdError,
    InvalidPrecisionError,
    Iir2dError,
)

# As the C interface numbers them.
F32, F64, F16, BF16 = 0, 1, 2, 3
ELEMENT_NAMES = ("float32", "float64", "float16", "bfloat16")
BORDERS = {"clamp": 0, "mirror": 1, "wrap": 2, "constant": 3}
PRECISIONS = {"f32": 0, "mixed": 1, "f64": 2}
STARTS = {"truncated": 0, "steady": 1}
MOST_THREADS = 1024  # as the library says

Shape = tuple[int, ...]
Codes = tuple[int, int, float, int, int, bool]


@dataclass(frozen=True, slots=True)
class ParameterInfo:
    """A parameter of a filter: its name, the values it may have, its default, and whether it is a switch.

    >>> import iir2d
    >>> iir2d.filters()[5].parameters[0].maximum
    100.0
    """

    name: str
    minimum: float
    maximum: float
    default: float
    is_switch: bool


@dataclass(frozen=True, slots=True)
class FilterInfo:
    """A filter: its number, its key, its parameters in the C interface's order.

    >>> import iir2d
    >>> iir2d.filters()[0].key
    'ema'
    """

    id: int
    key: str
    parameters: tuple[ParameterInfo, ...]


FILTERS: tuple[FilterInfo, ...] = tuple(
    FilterInfo(number, key, tuple(ParameterInfo(*parameter) for parameter in parameters))
    for number, key, parameters in _native.filter_table()
)
_BY_NAME: dict[int | str, FilterInfo] = {f.id: f for f in FILTERS} | {f.key: f for f in FILTERS}


def filter_info(filter_id: int | str) -> FilterInfo:
    """Returns the filter of a number or key."""
    if not isinstance(filter_id, str):
        if not hasattr(filter_id, "__index__"):
            raise TypeError(f"filter_id is a {type(filter_id).__name__}: give a number or a key")
        filter_id = operator.index(filter_id)
    found = _BY_NAME.get(filter_id)
    if found is not None:
        return found
    keys = ", ".join(f.key for f in FILTERS)
    shown = f'"{filter_id}"' if isinstance(filter_id, str) else str(filter_id)
    raise InvalidFilterIdError(f"filter {shown} does not exist: filters are 1 to {len(FILTERS)}, or {keys}")


def _code(field: str, names: Mapping[str, int], name: str, error: type[Iir2dError]) -> int:
    found = names.get(name) if isinstance(name, str) else None
    if found is not None:
        return found
    *first, last = names
    raise error(f'{field} "{name}" is unknown: use {", ".join(first)} or {last}')


def border_code(border: str) -> int:
    """Returns the C interface's number of a border."""
    return _code("border", BORDERS, border, InvalidBorderModeError)


def precision_code(precision: str | None, element: int) -> int:
    """Returns the C interface's number of a precision, which must go with the element type."""
    if precision is None:
        return PRECISIONS["f64"] if element == F64 else PRECISIONS["f32"]
    code = _code("precision", PRECISIONS, precision, InvalidPrecisionError)
    if (code == PRECISIONS["f64"]) != (element == F64):
        use = "f64" if element == F64 else "f32 or mixed"
        raise InvalidPrecisionError(
            f'precision "{precision}" does not go with {ELEMENT_NAMES[element]} elements: use {use}'
        )
    return code


def start_code(start: str) -> int:
    """Returns the C interface's number of a start."""
    return _code("start", STARTS, start, InvalidArgumentError)


def codes(
    filter_id: int | str,
    border: str,
    border_const: float,
    precision: str | None,
    start: str,
    normalise_gain: bool,
    element: int,
) -> tuple[FilterInfo, Codes]:
    """Returns the filter, and what a call does apart from its parameters in the C interface's numbers."""
    info = filter_info(filter_id)
    if not isinstance(normalise_gain, (bool, int, np.bool_)):
        raise TypeError(f"normalise_gain is a {type(normalise_gain).__name__}: give True or False")
    return info, (
        info.id,
        border_code(border),
        float(border_const),
        precision_code(precision, element),
        start_code(start),
        bool(normalise_gain),
    )


@functools.lru_cache(maxsize=1024, typed=True)
def _settings(*arguments: Any) -> tuple[FilterInfo, _native.FilterSettings]:
    info, numbers = codes(*arguments)
    return info, _native.FilterSettings(*numbers)


def settings(*arguments: Any) -> tuple[FilterInfo, _native.FilterSettings]:
    """Returns the filter and what the module is told about it; takes what codes() takes."""
    try:
        return _settings(*arguments)
    except TypeError:
        codes(*arguments)  # says what is wrong with what cannot be hashed
        raise


def thread_count(threads: SupportsIndex) -> int:
    """Returns a number of threads; 0 is all that the process may use."""
    count = operator.index(threads)
    if 0 <= count <= MOST_THREADS:
        return count
    raise InvalidArgumentError(f"threads {count}: give 1 to {MOST_THREADS}, or 0 for all")


def processors() -> int:
    """Returns how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def shown(info: FilterInfo) -> str:
    """Returns a filter as sentences name it: by number and key."""
    return f"filter {info.id} ({info.key})"


def check_names(info: FilterInfo, names: Iterable[str]) -> None:
    """Raises InvalidArgumentError for a name that is not a parameter of the filter."""
    known = [p.name for p in info.parameters]
    for name in names:
        if name not in known:
            raise InvalidArgumentError(f'{shown(info)} has no parameter "{name}": it has {", ".join(known)}')


def gradient_names(info: FilterInfo, wrt: str | Sequence[str] | None) -> list[str]:
    """Returns the parameters whose derivatives are wanted; None is all that are not switches."""
    if wrt is None:
        return [p.name for p in info.parameters if not p.is_switch]
    names = [wrt] if isinstance(wrt, str) else list(wrt)
    check_names(info, names)
    return names


def refused_elements(name: str, dtype: object) -> TypeError:
    """Returns the error of an array whose elements are not filtered."""
    found = str(dtype).removeprefix("torch.")
    return TypeError(f"{name} has elements of type {found}: convert to float32, float64, float16 or bfloat16")


def refused_parameter(parameter: ParameterInfo, dtype: object) -> TypeError:
    """Returns the error of a parameter that is an array of another type than float32 and float64."""
    found = str(dtype).removeprefix("torch.")
    return TypeError(f"{parameter.name} has elements of type {found}: convert to float32 or float64")


def check_planes(name: str, shape: Sequence[int]) -> None:
    """Raises InvalidDimensionError where a shape is none of planes, as the module does of arrays."""
    if len(shape) < 2:
        raise InvalidDimensionError(
            f"{name} has shape {tuple(shape)}: it must have 2 dimensions or more, the last two height and width"
        )
    for size, side in ((shape[-2], "height"), (shape[-1], "width")):
        if size < 1:
            raise InvalidDimensionError(f"{name} has shape {tuple(shape)}: {side} {size} must be at least 1")


def check_pair(name: str, shape: Sequence[int], element: int, other: str, size: Sequence[int], kind: int) -> None:
    """Raises where an array has another shape or element type than a second one, named `other`."""
    if tuple(shape) != tuple(size):
        raise InvalidDimensionError(f"{name} has shape {tuple(shape)}, {other} has {tuple(size)}")
    if element != kind:
        raise InvalidArgumentError(f"{name} is {ELEMENT_NAMES[element]}, {other} is {ELEMENT_NAMES[kind]}")


def check_broadcast(shapes: Mapping[str, Sequence[int]], lead: Sequence[int]) -> None:
    """Raises InvalidDimensionError where parameters do not broadcast to the planes' leading dimensions."""
    for shape in shapes.values():
        sizes = zip(shape[::-1], lead[::-1], strict=False)
        if len(shape) > len(lead) or any(own not in (1, size) for own, size in sizes):
            listed = ", ".join(f"{name} {tuple(given)}" for name, given in shapes.items() if len(given) > 0)
            raise InvalidDimensionError(f"parameters of shapes {listed} do not broadcast to the planes' {tuple(lead)}")


def refuse_nan(info: FilterInfo, parameter: ParameterInfo) -> None:
    """Raises what the library would of a NaN, which there stands for the default."""
    raise out_of_range(info, parameter, math.nan)


def out_of_range(info: FilterInfo, parameter: ParameterInfo, value: float) -> InvalidArgumentError:
    """Returns the library's error of a value that is outside of its parameter's range."""
    return InvalidArgumentError(
        f"{parameter.name} {value:g} of {shown(info)} is out of range: "
        f"give {parameter.minimum:g} to {parameter.maximum:g}"
    )


def number(info: FilterInfo, parameter: ParameterInfo, value: object) -> float:
    """Returns a parameter's value; an end of the range as float32 is the end itself."""
    if not (isinstance(value, (bool, int, float)) or (isinstance(value, np.generic) and value.dtype.kind in "biuf")):
        raise TypeError(f"{parameter.name} is a {type(value).__name__}: give a number or an array")
    result = float(cast(SupportsFloat, value))
    if math.isnan(result):
        refuse_nan(info, parameter)
    if isinstance(value, np.generic) and value.dtype == np.float32:
        for end in (parameter.minimum, parameter.maximum):
            if result == float(np.float32(end)):
                return end
    return result


def clamp_ends(info: FilterInfo, parameter: ParameterInfo, values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Returns values as float64; an end of the range as float32 is the end itself."""
    result = values.astype(np.float64)
    if np.isnan(result).any():
        refuse_nan(info, parameter)
    if values.dtype == np.float32:
        for end in (parameter.minimum, parameter.maximum):
            result[result == float(np.float32(end))] = end
    return result


def pair(field: str, value: int | Sequence[int]) -> tuple[int, int]:
    """Returns an extent as height and width."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        if len(value) not in (1, 2):
            raise InvalidArgumentError(f"{field} {tuple(value)}: must be one number or height and width")
        rows, columns = operator.index(value[0]), operator.index(value[-1])
    else:
        rows = columns = operator.index(cast(SupportsIndex, value))
    if not -(2**63) <= min(rows, columns) <= max(rows, columns) < 2**63:  # as the library says of what it can be given
        raise InvalidArgumentError(f"{field} {rows}x{columns}: must be at most {2**31 - 1} along each axis")
    return rows, columns
