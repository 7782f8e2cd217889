# SPDX-License-Identifier: MIT
"""Images to learn from: the project's samples, a folder or a data set; split by image, cut into patches as they are read."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import importlib
import importlib.util
import itertools
from collections.abc import Generator, Iterable, Iterator
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


@contextlib.contextmanager
def _decoding(what: str) -> Generator[None, None, None]:
    """Makes every failure of a decoder, which are of many kinds, one of the input."""
    try:
        yield
    except Failure:
        raise
    except Exception as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise Failure(BAD_INPUT, f"{what} cannot be read: {said}") from error


def _white(image: Any) -> float:
    """The value of white in an image that is not of 8 bits: the largest of its type, 1 of floating point."""
    if image.mode == "F":
        return 1.0
    if image.mode != "I":
        return 65535.0
    # Pillow has other integers in 32 bits, and older ones PNG's of 16; TIFF's tags 258 and 339 say what they were.
    tags = getattr(image, "tag_v2", {})
    bits = tags.get(258, (16 if image.format == "PNG" else 32,))[0]
    sign = 1 if bits == 32 or tags.get(339, (1,))[0] == 2 else 0
    return float(2 ** (bits - sign) - 1)


def make_picture(name: str, image: Any, channels: int) -> Picture:
    """Returns an image of Pillow as a picture of 1 or 3 channels."""
    with _decoding(name):
        white = 255.0
        if image.mode in ("I", "F") or image.mode.startswith("I;16"):
            white = _white(image)
        elif image.mode not in ("L", "RGB"):
            image = image.convert("RGB")
        values = np.asarray(image)
    if not np.issubdtype(values.dtype, np.uint8):
        low, high = float(values.min()), float(values.max())
        if not 0 <= low <= high <= white:  # NaN neither
            raise Failure(BAD_INPUT, f"{name} has values from {low:g} to {high:g}: black must be 0 and white {white:g}")
    scaled: Any = (values / white).astype(np.float32) if white > 65535 else values.astype(np.float32) / np.float32(white)
    if scaled.ndim == 3 and channels == 1:
        scaled = (scaled @ _LUMINANCE)[None]
    elif scaled.ndim == 3:
        scaled = np.moveaxis(scaled, -1, 0)
    else:
        scaled = np.repeat(scaled[None], channels, 0)
    planes: Pixels = np.ascontiguousarray(scaled)
    digest = hashlib.sha256(repr(planes.shape).encode() + planes.tobytes()).hexdigest()
    return Picture(name, planes, digest)


def read(path: Path, channels: int, folder: Path | None = None) -> Picture:
    """Reads a picture of 1 or 3 channels, named by its path in a folder."""
    try:
        from PIL import Image
    except ImportError as error:
        raise Failure(BAD_ARGUMENT, "pillow is not installed: pip install pillow") from error
    name = path.relative_to(folder).as_posix() if folder else path.name
    with _decoding(str(path)), Image.open(path) as image:
        return make_picture(name, image, channels)


def files(folder: Path) -> list[Path]:
    """Returns the images in a folder and those below it."""
    found = sorted(p for p in folder.rglob("*") if p.suffix.lower() in _SUFFIXES and p.is_file())
    if not found:
        raise Failure(BAD_INPUT, f"{folder} has no images ({', '.join(sorted(_SUFFIXES))})")
    return found


def from_folder(
    folder: Path | None, channels: int, size: int, seed: int, limits: tuple[int | None, int | None] = (None, None)
) -> Split:
    """Splits the images of a folder, or the samples: a quarter of them, and one at least, is for validation. Reads as
    many as the limits say, to learn from and to judge by."""
    root = folder or SAMPLES
    paths = files(root)
    if len(paths) < 2:
        raise Failure(BAD_INPUT, f"{root} has one image: there must be one to learn from and another to judge by")
    order = np.random.default_rng(seed).permutation(len(paths))
    kept = max(1, len(paths) // 4)
    validation = (read(paths[i], channels, root) for i in order[:kept][: limits[1]])
    train = (read(paths[i], channels, root) for i in order[kept:][: limits[0]])
    return split(train, validation, size, seed)


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
        train, validation = _below(folder / train_name, channels), _below(folder / validation_name, channels)
    else:
        return from_folder(folder, channels, size, seed, limits)
    return split(itertools.islice(train, limits[0]), itertools.islice(validation, limits[1]), size, seed)


def _below(folder: Path, channels: int) -> Iterator[Picture]:
    return (read(p, channels, folder) for p in files(folder))


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
    examples = iter(stream)
    for number in itertools.count():
        with _decoding(f"data set {name}, image {number},"):
            example = next(examples, None)
        if example is None:
            return
        image = next((v for v in example.values() if hasattr(v, "getbands")), None)  # of Pillow
        if image is None:
            raise Failure(BAD_INPUT, f"data set {name} has no images: its columns are {', '.join(example)}")
        yield make_picture(f"{number}", image, channels)


def split(train: Iterable[Picture], validation: Iterable[Picture], size: int, seed: int) -> Split:
    """Cuts patches while the images are read, and holds no more of them than it gives. An image that is in both by its
    pixels is for validation alone."""
    rng = np.random.default_rng(seed)
    inputs: dict[str, str] = {}
    kept = {"validation": _Sample(_VALIDATION_PATCHES), "train": _Sample(_TRAINING_PATCHES)}
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
            kept[which].add(_patches(picture.pixels, 64 if which == "validation" else 256, size, rng), rng)
        if not len(kept[which].patches):
            raise Failure(BAD_INPUT, f"no {which} image has {size} x {size} pixels or more")
    assert shown is not None
    return Split(kept["train"].patches, kept["validation"].patches, shown, inputs)


class _Sample:
    """So many patches at most of all that are added, each of those as likely as any other, in random order."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.patches: Pixels = np.empty((0, 0, 0, 0), np.float32)
        self.keys: npt.NDArray[np.float64] = np.empty(0)

    def add(self, patches: Pixels, rng: np.random.Generator) -> None:
        keys = np.concatenate([self.keys, rng.random(len(patches))])
        first = np.argsort(keys)[: self.count]
        self.patches = (np.concatenate([self.patches, patches]) if len(self.patches) else patches)[first]
        self.keys = keys[first]


def _patches(pixels: Pixels, count: int, size: int, rng: np.random.Generator) -> Pixels:
    _, height, width = pixels.shape
    rows = rng.integers(0, height - size + 1, count)
    columns = rng.integers(0, width - size + 1, count)
    return np.stack([pixels[:, r : r + size, c : c + size] for r, c in zip(rows, columns, strict=True)])


def centre(pixels: Pixels, size: int) -> npt.NDArray[np.float64]:
    """Returns the middle of an image's first channel, at most size x size, in double."""
    _, height, width = pixels.shape
    rows, columns = min(size, height), min(size, width)
    top, left = (height - rows) // 2, (width - columns) // 2
    return pixels[0, top : top + rows, left : left + columns].astype(np.float64)
