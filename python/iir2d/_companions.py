# SPDX-License-Identifier: MIT
"""The versions of torch and jax that iir2d works with."""

from __future__ import annotations


def require(package: str, oldest: str, found: str | None) -> None:
    """Raises ImportError, with both versions in one sentence, where a package is older than `oldest` or not there."""
    if found is None:
        raise ImportError(f"iir2d.{package} needs {package} {oldest} or later, and there is none")
    if _numbers(found) < _numbers(oldest):
        raise ImportError(f"iir2d.{package} needs {package} {oldest} or later, this is {package} {found.split('+')[0]}")


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers that a version begins with: (2, 15) of 2.15.0a1+cpu is enough to compare with 2.6."""
    numbers: list[int] = []
    for part in version.split("+")[0].split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)
