# SPDX-License-Identifier: MIT
"""Images to learn from: the project's samples, a folder or a data set; split by image, cut into patches as they are read."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import importlib.util
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .results import BAD_ARGUMENT, BAD_INPUT, Failure

Pixels = npt.NDArray[np.float32]

SAMPLES = Path(__file__).parent.parent / "samples"
_SUFFIXES = {".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"}
_LUMINANCE = np.array([0.2126, 0.7152, 0.0722], np.float32)
_TRAINING_PATCHES = 512
_VALIDATION_PATCHES = 32


@dataclasses.dataclass(frozen=True, slots=True)
class Picture:
    """An image (C, H, W) with values from 0 to 1, and the hash of its pixels."""

    name: str
    pixels: Pixels
    sha256: str


@dataclasses.dataclass(frozen=True, slots=True)
class Split:
    """Patches (N, C, size, size) to learn from and to judge by, from different images; and one whole image to judge by."""

    train: Pixels
    validation: Pixels
    shown: Picture
    inputs: dict[str, str]  # "train/NAME" or "validation/NAME": SHA-256


def make_picture(name: str, image: Any, channels: int) -> Picture:
    """Returns an image of Pillow as a picture of 1 or 3 channels."""
    if image.mode not in ("L", "RGB", "I;16"):
        image = image.convert("RGB")
    values = np.asarray(image)
    scaled: Any = values.astype(np.float32) / np.float32(65535 if values.dtype == np.uint16 else 255)
    if scaled.ndim == 3 and channels == 1:
        scaled = (scaled @ _LUMINANCE)[None]
    elif scaled.ndim == 3:
        scaled = np.moveaxis(scaled, -1, 0)
    else:
        scaled = np.repeat(scaled[None], channels, 0)
    planes: Pixels = np.ascontiguousarray(scaled)
    digest = hashlib.sha256(repr(planes.shape).encode() + planes.tobytes()).hexdigest()
    return Picture(name, planes, digest)


def read(path: Path, channels: int) -> Picture:
    """Reads a picture of 1 or 3 channels."""
    try:
        from PIL import Image
    except ImportError as error:
        raise Failure(BAD_ARGUMENT, "pillow is not installed: pip install pillow") from error
    try:
        with Image.open(path) as image:
            return make_picture(path.name, image, channels)
    except OSError as error:
        raise Failure(BAD_INPUT, f"{path} cannot be read: {error}") from error


def files(folder: Path) -> list[Path]:
    """Returns the images in a folder and those below it."""
    found = sorted(p for p in folder.rglob("*") if p.suffix.lower() in _SUFFIXES and p.is_file())
    if not found:
        raise Failure(BAD_INPUT, f"{folder} has no images ({', '.join(sorted(_SUFFIXES))})")
    return found


def from_folder(folder: Path | None, channels: int, size: int, seed: int) -> Split:
    """Splits the images of a folder, or the samples: a quarter of them, and one at least, is for validation."""
    paths = files(folder or SAMPLES)
    if len(paths) < 2:
        raise Failure(BAD_INPUT, f"{folder} has one image: there must be one to learn from and another to judge by")
    order = np.random.default_rng(seed).permutation(len(paths))
    kept = max(1, len(paths) // 4)
    validation = [paths[i] for i in order[:kept]]
    train = [paths[i] for i in order[kept:]]
    return split((read(p, channels) for p in train), (read(p, channels) for p in validation), size, seed)


def from_data_set(
    folder: Path | None,
    hugging_face: str | None,
    names: tuple[str, str],
    limits: tuple[int, int],
    channels: int,
    size: int,
    seed: int,
) -> Split:
    """Reads as many images of a data set as the limits say; a folder's splits are folders in it, where it has both."""
    train_name, validation_name = names
    if hugging_face is not None:
        train = _streamed(hugging_face, train_name, channels)
        validation = _streamed(hugging_face, validation_name, channels)
        if train_name == validation_name:
            validation = itertools.islice(validation, limits[1])
            train = itertools.islice(train, limits[1], None)
    elif folder is not None and (folder / train_name).is_dir() and (folder / validation_name).is_dir():
        train = (read(p, channels) for p in files(folder / train_name))
        validation = (read(p, channels) for p in files(folder / validation_name))
    else:
        return from_folder(folder, channels, size, seed)
    return split(itertools.islice(train, limits[0]), itertools.islice(validation, limits[1]), size, seed)


def _streamed(name: str, which: str, channels: int) -> Iterator[Picture]:
    if importlib.util.find_spec("datasets") is None:
        raise Failure(BAD_ARGUMENT, "--hf needs the package datasets, which is not installed: pip install datasets")
    datasets: Any = importlib.import_module("datasets")
    try:
        stream = datasets.load_dataset(name, split=which, streaming=True)
    except Exception as error:  # of the network, the name or the split
        raise Failure(BAD_INPUT, f"data set {name}, split {which}, cannot be read: {error}") from error
    return _pictures_of(stream, f"{name}/{which}", channels)


def _pictures_of(stream: Iterable[dict[str, Any]], name: str, channels: int) -> Iterator[Picture]:
    for number, example in enumerate(stream):
        image = next((v for v in example.values() if hasattr(v, "getbands")), None)  # of Pillow
        if image is None:
            raise Failure(BAD_INPUT, f"data set {name} has no images: its columns are {', '.join(example)}")
        yield make_picture(f"{number}", image, channels)


def split(train: Iterable[Picture], validation: Iterable[Picture], size: int, seed: int) -> Split:
    """Cuts patches while the images are read. An image that is in both by its pixels is for validation alone."""
    rng = np.random.default_rng(seed)
    inputs: dict[str, str] = {}
    kept: dict[str, list[Pixels]] = {"validation": [], "train": []}
    judged: set[str] = set()
    shown: Picture | None = None
    for which, pictures in (("validation", validation), ("train", train)):
        for picture in pictures:
            if which == "validation":
                judged.add(picture.sha256)
            elif picture.sha256 in judged:
                continue
            if min(picture.pixels.shape[1:]) < size:
                continue
            shown = shown or picture
            inputs[f"{which}/{picture.name}"] = picture.sha256
            kept[which].append(_patches(picture.pixels, 64 if which == "validation" else 256, size, rng))
        if not kept[which]:
            raise Failure(BAD_INPUT, f"no {which} image has {size} x {size} pixels or more")
    assert shown is not None
    return Split(
        _some(kept["train"], _TRAINING_PATCHES, rng), _some(kept["validation"], _VALIDATION_PATCHES, rng), shown, inputs
    )


def _patches(pixels: Pixels, count: int, size: int, rng: np.random.Generator) -> Pixels:
    _, height, width = pixels.shape
    rows = rng.integers(0, height - size + 1, count)
    columns = rng.integers(0, width - size + 1, count)
    return np.stack([pixels[:, r : r + size, c : c + size] for r, c in zip(rows, columns, strict=True)])


def _some(patches: list[Pixels], count: int, rng: np.random.Generator) -> Pixels:
    every = np.concatenate(patches)
    return every[rng.permutation(len(every))[:count]]


def centre(pixels: Pixels, size: int) -> npt.NDArray[np.float64]:
    """Returns the middle of an image's first channel, at most size x size, in double."""
    _, height, width = pixels.shape
    rows, columns = min(size, height), min(size, width)
    top, left = (height - rows) // 2, (width - columns) // 2
    return pixels[0, top : top + rows, left : left + columns].astype(np.float64)
