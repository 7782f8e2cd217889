# SPDX-License-Identifier: MIT
"""What a command of the demo ends with: tables, claims, samples, pictures; and the failure it may end in."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

# As the command line's.
BAD_ARGUMENT = 2
BAD_INPUT = 3
DEVICE_FAILED = 4
CLAIM_FAILED = 5
CANNOT_WRITE = 6
INTERRUPTED = 130


class Failure(Exception):
    """A command cannot go on; it exits with `code`."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


@dataclasses.dataclass(slots=True)
class Table:
    """Rows under named columns; a figure that there is not is None."""

    columns: list[str]
    rows: list[list[Any]]

    def column(self, name: str) -> list[Any]:
        """Returns the values under a name."""
        at = self.columns.index(name)
        return [row[at] for row in self.rows]

    def records(self) -> list[dict[str, Any]]:
        """Returns the rows by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


@dataclasses.dataclass(frozen=True, slots=True)
class Claim:
    """A sentence, the figure that was measured, and whether it is what the sentence needs."""

    sentence: str
    figure: str
    held: bool


# Draws onto a figure of matplotlib.
Drawing = Callable[[Any], None]


@dataclasses.dataclass(slots=True)
class Result:
    """Everything that a command found. Keys are the names of files, without what follows the dot."""

    tables: dict[str, Table] = dataclasses.field(default_factory=dict)
    drawings: dict[str, Drawing] = dataclasses.field(default_factory=dict)
    claims: list[Claim] = dataclasses.field(default_factory=list)
    samples: dict[str, Any] = dataclasses.field(default_factory=dict)  # each single measurement
    inputs: dict[str, str] = dataclasses.field(default_factory=dict)  # SHA-256 by name
    notes: list[str] = dataclasses.field(default_factory=list)

    def add(self, other: Result) -> None:
        """Takes over everything that another result has."""
        self.tables |= other.tables
        self.drawings |= other.drawings
        self.claims += other.claims
        self.samples |= other.samples
        self.inputs |= other.inputs
        self.notes += other.notes
