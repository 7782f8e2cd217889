# SPDX-License-Identifier: MIT
"""python -m iir2d.demo COMMAND: see --help. Exit codes are the command line's; 5: a claim of the report did not hold."""

from __future__ import annotations

import argparse
import contextlib
import csv
import hashlib
import math
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import iir2d

from . import convolutions, deblur, denoise, learn, options, output, pictures, plots, report
from .frameworks import Framework, choose, installed
from .results import BAD_ARGUMENT, BAD_INPUT, CANNOT_WRITE, CLAIM_FAILED, DEVICE_FAILED, INTERRUPTED, Failure, Result, Table


def _bench(chosen: argparse.Namespace, frameworks: Sequence[Framework]) -> Result:
    return convolutions.bench(frameworks, chosen)


def _train(chosen: argparse.Namespace, frameworks: Sequence[Framework]) -> Result:
    split = pictures.from_folder(None, 1, chosen.size, chosen.seed)
    result = denoise.compare(chosen.command, frameworks, split, chosen)
    result.add(learn.learn_filter(frameworks, chosen.seed))
    return result


def _images(chosen: argparse.Namespace, frameworks: Sequence[Framework]) -> Result:
    split = pictures.from_folder(chosen.data_dir, chosen.channels, chosen.size, chosen.seed)
    return _on_images(chosen, frameworks, split)


def _dataset(chosen: argparse.Namespace, frameworks: Sequence[Framework]) -> Result:
    split = pictures.from_data_set(
        chosen.data_dir, chosen.hf, (chosen.train_split, chosen.val_split),
        (chosen.train_max_samples, chosen.val_max_samples), chosen.channels, chosen.size, chosen.seed,
    )  # fmt: skip
    return _on_images(chosen, frameworks, split)


def _on_images(chosen: argparse.Namespace, frameworks: Sequence[Framework], split: pictures.Split) -> Result:
    result = denoise.compare(chosen.command, frameworks, split, chosen)
    result.add(deblur.deblur(pictures.centre(split.shown.pixels, 96), chosen.seed))
    return result


def _plot(chosen: argparse.Namespace, frameworks: Sequence[Framework]) -> Result:
    summary = _read(chosen.summary_csv, ["model", "train_time_s", "psnr_gain"])
    result = Result(tables={"plot": summary}, inputs={str(chosen.summary_csv): _sha256(chosen.summary_csv)})
    records = _drawable(summary.records())
    result.drawings = {"psnr_gain_bar": plots.gains(records), "train_time_bar": plots.times(records)}
    if chosen.history_csv is not None:
        history = _read(chosen.history_csv, ["model", "step", "loss"])
        result.inputs[str(chosen.history_csv)] = _sha256(chosen.history_csv)
        result.drawings["loss_curves"] = plots.losses(_drawable(history.records()))
    return result


def _drawable(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Records as a chart can show them: what is infinite is left out, as what is no number is, and text is printable."""

    def shown(value: Any) -> Any:
        if isinstance(value, str):
            return output.printable(value)
        return math.nan if isinstance(value, float) and not math.isfinite(value) else value

    return [{name: shown(value) for name, value in record.items()} for record in records]


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read(path: Path, needed: Sequence[str]) -> Table:
    """Reads a table that has some columns at least, figures where the column is one of ours with figures."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows: list[dict[str, Any]] = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Failure(BAD_INPUT, f"{path} cannot be read: {error}") from error
    columns = list(rows[0]) if rows else []
    missing = [name for name in needed if name not in columns]
    if missing:
        raise Failure(BAD_INPUT, f"{path} has no rows with {', '.join(missing)}: it is not a table that can be drawn")
    for row in rows:
        for name in needed[1:]:
            try:
                row[name] = float(row[name])
            except (TypeError, ValueError) as error:
                raise Failure(BAD_INPUT, f"{path}: {name} {row[name]} is not a number") from error
    return Table(columns, [[row[c] for c in columns] for row in rows])


def _report(chosen: argparse.Namespace, frameworks: Sequence[Framework]) -> Result:
    result = report.measure(frameworks, chosen.seed, chosen.quick)
    result.tables["report"] = report.claims_table(result.claims)
    return result


_COMMANDS = {
    "bench-vs-conv": _bench,
    "train": _train,
    "images": _images,
    "dataset": _dataset,
    "plot": _plot,
    "report": _report,
}


def run(arguments: list[str]) -> int:
    """Runs a command; returns the exit code."""
    chosen = options.parse(arguments)
    output.prepare(chosen.out_dir)
    # Charts need neither, but say what there is.
    frameworks = [] if chosen.command == "plot" and not installed() else choose(chosen.framework, chosen.device)
    found = output.environment(frameworks)
    output.announce(chosen.command, found)
    result = _COMMANDS[chosen.command](chosen, frameworks)
    for name, table in result.tables.items():
        if not name.endswith("_history") and name not in ("deblur", "report"):
            print(f"\n{name}")
            output.print_table(table)
    for note in result.notes:
        print(f"\n{note}")
    print()
    for claim in result.claims:
        print(f"{'held' if claim.held else 'DID NOT HOLD'}: {claim.sentence}: {claim.figure}")
    drawn = output.save(result, chosen.command, vars(chosen), found, chosen.out_dir)
    if chosen.command == "report":
        output.write(chosen.out_dir / "report.md", report.markdown(result, found, drawn).encode())
        output.write(chosen.out_dir / "report.html", report.page(result, found, drawn).encode())
        print(f"wrote report.html, report.md to {chosen.out_dir}")
        return 0 if all(claim.held for claim in result.claims) else CLAIM_FAILED
    return 0


def main() -> int:
    """Runs a command; every failure is one line."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    standard = output.Standard(sys.stdout)
    with contextlib.redirect_stdout(standard):
        code, why = _run_to_the_end(sys.argv[1:])
        standard.flush()
    if why:
        print(f"iir2d.demo: error: {output.printable(why)}", file=sys.stderr)
    return CANNOT_WRITE if code == 0 and standard.gone else code


def _run_to_the_end(arguments: list[str]) -> tuple[int, str]:
    """Runs a command; returns the exit code and why it failed, or nothing."""
    try:
        return run(arguments), ""
    except Failure as failure:
        return failure.code, str(failure)
    except iir2d.CudaError as error:
        return DEVICE_FAILED, str(error)
    except MemoryError as error:  # also the library's
        return DEVICE_FAILED, f"there is not enough memory: {error}"
    except iir2d.Iir2dError as error:
        return BAD_ARGUMENT, str(error)
    except RuntimeError as error:
        # torch's and XLA's ways of saying the same.
        if not any(words in str(error) for words in ("allocate", "RESOURCE_EXHAUSTED", "out of memory")):
            raise
        return DEVICE_FAILED, f"there is not enough memory: {str(error).splitlines()[0]}"
    except KeyboardInterrupt:
        return INTERRUPTED, "interrupted"


if __name__ == "__main__":
    sys.exit(main())
