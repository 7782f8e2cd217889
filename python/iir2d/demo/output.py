# SPDX-License-Identifier: MIT
"""Writes what a command found, each file whole or not at all, and says what it ran on."""

from __future__ import annotations

import contextlib
import csv
import importlib.metadata
import importlib.util
import io
import json
import math
import os
import platform
import secrets
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import iir2d

from .frameworks import Framework, processors
from .results import CANNOT_WRITE, Drawing, Failure, Result, Table

_PACKAGES = ("iir2d", "numpy", "torch", "jax", "jaxlib", "optax", "matplotlib", "pillow", "datasets")


def environment(frameworks: Sequence[Framework]) -> dict[str, Any]:
    """Returns what a command runs on, and how long one small call takes there."""
    return {
        "platform": platform.platform(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "processors": processors(),
        "frameworks": [
            {"name": f.name, "device": f.device, "why": f.why, "threads": f.threads(), "call_us": _latency_us(f)}
            for f in frameworks
        ],
    }


def versions() -> dict[str, str]:
    """Returns the versions of what is installed."""
    found = {"libiir2d": iir2d.__version__}
    for name in _PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def _latency_us(framework: Framework) -> float:
    call = framework.compiled(lambda x: framework.filter(x, 1))
    x = framework.array(np.zeros((64, 64), np.float32))
    times = []
    for _ in range(200):
        begin = time.perf_counter()
        framework.wait(call(x))
        times.append(time.perf_counter() - begin)
    return round(float(np.median(times[20:])) * 1e6, 2)


def announce(command: str, found: Mapping[str, Any]) -> None:
    """Says what runs: device and why, versions, threads, latency of one call."""
    for f in found["frameworks"]:
        print(
            f"{command}: {f['name']} on {f['device']} ({f['why']}), {f['threads']} threads, "
            f"one call (filter 1, 64x64): {f['call_us']:.1f} us"
        )
    print("versions: " + ", ".join(f"{name} {version}" for name, version in versions().items()))
    print(f"built from: {iir2d.build_fingerprint()}", flush=True)


def shown(value: Any) -> str:
    """Returns a figure as people read it."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}" if not value or 1e-3 <= abs(value) < 1e4 else f"{value:.3e}"
    return printable(str(value))


def printable(text: str) -> str:
    """Returns text from names and files without what a terminal would obey."""
    return "".join(c if c.isprintable() else "?" for c in text)


class Standard:
    """Standard output whose reader may go away: the command goes on, and `gone` says so."""

    def __init__(self, stream: Any) -> None:
        self._stream, self.gone = stream, False

    def write(self, text: str) -> int:
        """Writes text as long as somebody reads it."""
        self._try(lambda: self._stream.write(text))
        return len(text)

    def flush(self) -> None:
        """Hands over what was written."""
        self._try(self._stream.flush)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _try(self, call: Callable[[], Any]) -> None:
        if self.gone:
            return
        try:
            call()
        except BrokenPipeError:
            self.gone = True
            # What is left in the stream's buffer goes nowhere when the interpreter ends.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)


def print_table(table: Table) -> None:
    """Prints a table in columns."""
    cells = [table.columns, *([shown(v) for v in row] for row in table.rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(table.columns))]
    for row in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def csv_text(table: Table) -> str:
    """Returns a table as CSV, figures in full."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)
    return stream.getvalue()


def can_draw() -> bool:
    """Tells whether matplotlib is there."""
    return importlib.util.find_spec("matplotlib") is not None


def png(draw: Drawing) -> bytes:
    """Returns a drawing as PNG."""
    import matplotlib
    from matplotlib.figure import Figure

    # Names are text, also those with a dollar sign.
    with matplotlib.rc_context({"text.parse_math": False}):
        figure = Figure(figsize=(8.0, 4.5), layout="constrained")
        draw(figure)
        stream = io.BytesIO()
        figure.savefig(stream, format="png", dpi=110, facecolor="white")
    return stream.getvalue()


def prepare(folder: Path) -> None:
    """Makes the folder now, so that a command that cannot write says so before it computes."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise Failure(CANNOT_WRITE, f"{folder} cannot be written: {error.strerror}") from error


def _finite(value: Any) -> Any:
    """The value with null for what JSON has no number for: the loss of a run that diverged."""
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _anonymous(folder: Path) -> int | None:
    """A new file that has no name, of which nothing is left when the process is killed; where there are such files."""
    try:
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o644)
    except (AttributeError, OSError):
        return None


def _write_anonymous(folder: Path, name: str, content: bytes) -> bool:
    """Writes a file that gets its name when it is whole; False where there is none or, as without /proc, no name for it."""
    handle = _anonymous(folder)
    if handle is None:
        return False
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        try:  # with a folder, though the path is absolute: only so are links followed
            os.link(f"/proc/self/fd/{handle}", name, src_dir_fd=handle)
        except OSError:
            return False
    return True


def _write_named(name: str, content: bytes) -> None:
    handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o644)
    with os.fdopen(handle, "wb") as file:
        file.write(content)


def write(path: Path, content: bytes) -> None:
    """Writes a file so that it is there whole or not at all."""
    name = str(path.with_name(f".{path.name}.{secrets.token_hex(4)}"))
    try:
        try:
            if not _write_anonymous(path.parent, name, content):
                _write_named(name, content)
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)
            raise
    except OSError as error:
        raise Failure(CANNOT_WRITE, f"{path} cannot be written: {error.strerror}") from error


def save(
    result: Result, command: str, options: Mapping[str, Any], found: Mapping[str, Any], folder: Path
) -> dict[str, bytes]:
    """Writes tables as CSV, everything as JSON, and drawings as PNG; returns the pictures by name."""
    record = {
        "command": command,
        "options": {name: str(v) if isinstance(v, Path) else v for name, v in options.items()},
        "environment": found,
        "versions": versions(),
        "fingerprint": iir2d.build_fingerprint(),
        "seeds": {"seed": options["seed"]},
        "inputs": result.inputs,
        "claims": [{"claim": c.sentence, "figure": c.figure, "held": c.held} for c in result.claims],
        "notes": result.notes,
        "tables": {name: table.records() for name, table in result.tables.items()},
        "samples": result.samples,
    }
    pictures: dict[str, bytes] = {}
    if can_draw():
        pictures = {name: png(draw) for name, draw in result.drawings.items()}
    elif result.drawings:
        print("matplotlib is not installed: the PNG files are left out", file=sys.stderr)
    files = {f"{name}.csv": csv_text(table).encode() for name, table in result.tables.items()}
    files[f"{command.replace('-', '_')}.json"] = (json.dumps(_finite(record), indent=1, allow_nan=False) + "\n").encode()
    files |= {f"{name}.png": picture for name, picture in pictures.items()}
    for name, content in files.items():
        write(folder / name, content)
    print(f"wrote {', '.join(sorted(files))} to {folder}")
    return pictures
