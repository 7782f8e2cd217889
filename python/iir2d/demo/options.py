# SPDX-License-Identifier: MIT
"""The options of the demo's commands; an underscore is as good as a hyphen."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import NoReturn

from .results import BAD_ARGUMENT, Failure


_ABOUT = "Measures, trains and draws with iir2d, offline and on its own sample images. docs/python-demo.md shows the results."


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Failure(BAD_ARGUMENT, f"{message} (--help lists the options)")


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number") from None


def _count(text: str) -> int:
    value = _whole(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} must be at least 1")
    return value


def _natural(text: str) -> int:
    value = _whole(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} must be at least 0")
    return value


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not a number") from None
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text} must be over 0")
    return value


def _shared() -> _Parser:
    shared = _Parser(add_help=False)
    shared.add_argument("--device", default="auto", help="auto, cpu or cuda (default: %(default)s)")
    shared.add_argument(
        "--framework", choices=["torch", "jax", "both"], help="default: torch where it is installed, else jax"
    )
    shared.add_argument("--seed", type=_natural, default=1, help="of everything random (default: %(default)s)")
    shared.add_argument("--out-dir", type=Path, help="default: iir2d-demo/COMMAND")
    return shared


def _training(steps: int) -> _Parser:
    training = _Parser(add_help=False)
    training.add_argument("--steps", type=_count, default=steps, help="of the optimiser (default: %(default)s)")
    training.add_argument("--batch", type=_count, default=8, help="patches a step (default: %(default)s)")
    training.add_argument(
        "--size", "--patch", type=_count, default=64, help="side of a patch in pixels (default: %(default)s)"
    )
    training.add_argument("--lr", type=_positive, default=0.01, help="rate of Adam (default: %(default)s)")
    training.add_argument(
        "--noise-sigma", type=_positive, default=0.2,
        help="standard deviation of the noise, where white is 1 (default: %(default)s)",
    )  # fmt: skip
    training.add_argument(
        "--with-trainable-iir", action="store_true", help="also conv_plus_iir_trainable: a control whose filter is learnt"
    )
    return training


def _pictures(data_set: bool = False) -> _Parser:
    pictures = _Parser(add_help=False)
    source = pictures.add_mutually_exclusive_group()
    source.add_argument("--data-dir", type=Path, help="a folder of images (default: the project's samples)")
    if data_set:
        source.add_argument("--hf", metavar="NAME", help="a data set of Hugging Face; needs the package datasets")
    pictures.add_argument("--channels", type=int, choices=[1, 3], default=1, help="default: %(default)s")
    return pictures


def parser() -> _Parser:
    """Returns the parser of all commands."""
    top = _Parser(prog="python -m iir2d.demo", description=_ABOUT, allow_abbrev=False)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    shared, training = _shared(), _training(120)

    def command(name: str, what: str, *parents: _Parser) -> _Parser:
        return commands.add_parser(name, help=what, description=what, parents=[shared, *parents], allow_abbrev=False)

    bench = command("bench-vs-conv", "time and quality of three filters and of separable convolutions")
    for name, default, what in (
        ("batch", 1, "images"), ("height", 1024, "rows"), ("width", 1024, "columns"), ("channels", 1, "planes an image"),
        ("iters", 15, "timed calls"),
    ):  # fmt: skip
        bench.add_argument(f"--{name}", type=_count, default=default, help=f"{what} (default: %(default)s)")
    bench.add_argument("--warmup", type=_natural, default=3, help="calls before those (default: %(default)s)")

    command("train", "denoising with and without recursive filters; learning a filter", training)
    command("images", "the same on real images, split by image; deblurring by conjugate gradients", training, _pictures())
    dataset = command("dataset", "the same on a data set, read as it streams", training, _pictures(data_set=True))
    for split in ("train", "val"):
        name = "train" if split == "train" else "validation"
        dataset.add_argument(f"--{split}-split", default=name, help="its name (default: %(default)s)")
        dataset.add_argument(f"--{split}-max-samples", type=_count, default=64, help="images read (default: %(default)s)")
    plot = command("plot", "charts of a summary that train, images or dataset wrote, or iir2d 1.0 did")
    plot.add_argument("--summary-csv", type=Path, required=True)
    plot.add_argument("--history-csv", type=Path)
    report = command("report", "all of it small, as report.md and one report.html")
    report.add_argument("--quick", action="store_true", help="fewer steps and smaller images")
    return top


def parse(arguments: list[str]) -> argparse.Namespace:
    """Reads the arguments; raises Failure where one is off."""
    spelled = [a.replace("_", "-") if i == 0 else _hyphens(a) for i, a in enumerate(arguments)]
    options = parser().parse_args(spelled)
    options.out_dir = options.out_dir or Path("iir2d-demo") / options.command
    return options


def _hyphens(argument: str) -> str:
    if not argument.startswith("--"):
        return argument
    name, equals, value = argument.partition("=")
    return name.replace("_", "-") + equals + value


def defaults(command: str, **changed: object) -> argparse.Namespace:
    """Returns a command's options, with some changed."""
    options = parser().parse_args([command])
    for name, value in changed.items():
        setattr(options, name, value)
    return options
