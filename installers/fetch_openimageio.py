#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fetches the OpenImageIO of few libraries that AppImage and portable tree have, into a folder: the shared libraries of PyPI's
Linux wheel, headers of its source distribution of the same version, licences. usage: fetch_openimageio.py FOLDER

FOLDER/include and FOLDER/lib are what -DIIR2D_SLIM_OPENIMAGEIO=FOLDER needs; parts.json names what they were built with.
Both files are pinned by SHA-256. Ends with 0 when FOLDER is complete, with 1 and a sentence on stderr when it could not be had.
"""
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import sys
import tarfile
import tempfile
import urllib.parse
import urllib.request
import zipfile

VERSION = "3.2.2.0"
WHEEL = "1133b6a6c04270398c419804e0d293b2bb3ce2d7607a17724cc45f385036b05b"  # cp311, manylinux_2_28, x86_64
SDIST = "d66c829016b4f092c443b7f7896f06d0ab6af02a103d635d1b0b841c14bfd7c1"
INDEX = "https://pypi.org/pypi/openimageio/json"
TIMEOUT_S = 60
COMPLETE = "complete.txt"
HEADERS = "src/include/OpenImageIO/"
# fmt's headers, which an installed OpenImageIO has below its own, are Debian's (libfmt-dev).
FMT = ("format", "ostream", "printf")


def read(url):
    with urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer:
        return answer.read()


def pinned(digest):
    for file in json.loads(read(INDEX))["releases"][VERSION]:
        if file["digests"]["sha256"] == digest:
            content = read(urllib.parse.urljoin(INDEX, file["url"]))
            if hashlib.sha256(content).hexdigest() != digest:
                raise ValueError(f"{file['filename']} is not what was pinned")
            return content
    raise ValueError(f"PyPI has no file of openimageio {VERSION} with the sum {digest}")


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def unpack_wheel(content, folder):
    """The two libraries, with the names by which they are linked."""
    with zipfile.ZipFile(io.BytesIO(content)) as wheel:
        for name in wheel.namelist():
            match = re.fullmatch(r"OpenImageIO/lib/(libOpenImageIO(?:_Util)?\.so)(\.[0-9.]+)", name)
            if match:
                write(folder / "lib" / (match[1] + match[2]), wheel.read(name))
                (folder / "lib" / match[1]).symlink_to(match[1] + match[2])


def unpack_sdist(content, folder):
    """Headers and licences."""
    with tarfile.open(fileobj=io.BytesIO(content)) as sdist:
        for entry in sdist:
            name = entry.name.partition("/")[2]
            if not entry.isfile() or ".." in pathlib.PurePosixPath(name).parts:
                continue
            if name.startswith(HEADERS):
                write(folder / "include/OpenImageIO" / name.removeprefix(HEADERS), sdist.extractfile(entry).read())
            elif name in ("LICENSE.md", "THIRD-PARTY.md"):
                write(folder / "licences" / name, sdist.extractfile(entry).read())


def name_parts(folder):
    """parts.json: what the library says it was built with ("TIFF 4.7.1;OpenCV NONE;..."). The build files in its sources name other
    versions of some: they are what would be fetched, not what was."""
    data = next((folder / "lib").glob("libOpenImageIO.so.*")).read_bytes()
    said = re.search(rb"BZip2 [^\0]*;zstd [0-9.]+", data)
    if not said:
        raise ValueError("the library does not say what it was built with")
    words = (part.split(" ") for part in said[0].decode().split(";"))
    parts = {part[0]: part[1] if len(part) > 1 else None for part in words if part[-1] != "NONE"}
    write(folder / "parts.json", (json.dumps(parts, indent=1, sort_keys=True) + "\n").encode())


def configure(folder):
    """oiioversion.h as OpenImageIO's own build of this version writes it."""
    major, minor, patch, tweak = VERSION.split(".")
    values = {"PROJECT_VERSION_MAJOR": major, "PROJECT_VERSION_MINOR": minor, "PROJECT_VERSION_PATCH": patch,
              "PROJECT_VERSION_TWEAK": tweak, "PROJECT_VERSION_RELEASE_TYPE": "", "OIIO_USE_COMPILED_FMT_VALUE": "0",
              "PROJ_NAMESPACE": "OpenImageIO", "PROJ_VERSION_NAMESPACE": f"v{major}_{minor}", "Imath_VERSION_MAJOR": "3",
              "Imath_VERSION_MINOR": "2", "CMAKE_CXX_STANDARD": "17"}
    template = folder / "include/OpenImageIO/oiioversion.h.in"
    text = re.sub(r"@(\w+)@", lambda match: values[match[1]], template.read_text(encoding="utf-8"))
    text = re.sub(r"#cmakedefine01 (\w+)", r"#define \1 0", text)
    (template.parent / "oiioversion.h").write_text(text, encoding="utf-8")
    template.unlink()
    for name in FMT:
        write(template.parent / f"detail/fmt/{name}.h", f"#include <fmt/{name}.h>\n".encode())


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: fetch_openimageio.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    if (folder / COMPLETE).is_file() and (folder / COMPLETE).read_text(encoding="utf-8") == f"{WHEEL} {SDIST}\n":
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        whole = pathlib.Path(scratch) / "openimageio"
        unpack_wheel(pinned(WHEEL), whole)
        unpack_sdist(pinned(SDIST), whole)
        configure(whole)
        name_parts(whole)
        write(whole / COMPLETE, f"{WHEEL} {SDIST}\n".encode())
        shutil.rmtree(folder, ignore_errors=True)
        os.rename(whole, folder)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, tarfile.TarError) as error:
        sys.exit(f"OpenImageIO {VERSION} could not be fetched: {error}")
