#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fetches NVIDIA's CUDA compilers from their wheels on PyPI into a folder: nvcc and what it needs to make a fat binary, NVRTC and
nvJitLink, about 230 MB, without installing anything. usage: fetch_cuda_compiler.py FOLDER

Versions and SHA-256 sums are pinned, so that the same compiler comes every time. Ends with 0 when FOLDER/bin/nvcc is
there and answers, with 1 and a sentence on stderr when it could not be had: the build then goes on without kernels.
"""
import hashlib
import io
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
import zipfile

# x86-64 Linux; NVIDIA's licence lets the compiler be downloaded by its users, not passed on by us.
WHEELS = {
    ("nvidia-cuda-nvcc", "13.0.88"): "56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03",
    ("nvidia-nvvm", "13.0.88"): "c5f41ffeb6466944a026dfa5317d7d85355c119bbec279205d22f1869d1054e0",
    ("nvidia-cuda-crt", "13.0.88"): "2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4",
    ("nvidia-cuda-runtime", "13.0.96"): "7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548",
    ("nvidia-cuda-cccl", "13.0.85"): "e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649",  # cuda_fp16.h includes it
    ("nvidia-cuda-nvrtc", "13.0.88"): "ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575",
    ("nvidia-nvjitlink", "13.0.88"): "13a74f429e23b921c1109976abefacc69835f2f433ebd323d3946e11d804e47b",
}
TIMEOUT_S = 60


def read(url):
    with urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer:
        return answer.read()


def wheel(name, version, digest):
    index = f"https://pypi.org/pypi/{name}/json"
    for file in json.loads(read(index))["releases"][version]:
        if file["digests"]["sha256"] == digest:
            content = read(urllib.parse.urljoin(index, file["url"]))
            if hashlib.sha256(content).hexdigest() != digest:
                raise ValueError(f"the wheel of {name} {version} is not what was pinned")
            return content
    raise ValueError(f"PyPI has no wheel of {name} {version} with the pinned sum")


def unpack(content, folder):
    """The wheel's nvidia/cu13/ tree, with the programs executable."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for entry in archive.infolist():
            path = pathlib.PurePosixPath(entry.filename)
            if entry.is_dir() or path.parts[:2] != ("nvidia", "cu13") or ".." in path.parts:
                continue
            target = folder.joinpath(*path.parts[2:])
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(entry) as source, open(target, "wb") as out:
                shutil.copyfileobj(source, out)
            if "bin" in path.parts:
                target.chmod(0o755)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: fetch_cuda_compiler.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        sys.exit("there are no pinned CUDA wheels for this machine")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        whole = pathlib.Path(scratch) / "toolkit"
        for (name, version), digest in WHEELS.items():
            unpack(wheel(name, version, digest), whole)
        subprocess.run([whole / "bin" / "nvcc", "--version"], check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)
        os.rename(whole, folder)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, KeyError, subprocess.CalledProcessError, zipfile.BadZipFile) as error:
        sys.exit(f"the CUDA compiler could not be fetched: {error}")
