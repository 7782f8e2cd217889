# SPDX-License-Identifier: MIT
"""What a Debian package of ours holds and links: for bills of materials and notices."""
import functools
import os
import pathlib
import re

import common

ELF = b"\x7fELF"
FAT_BINARY = b"\x50\xed\x55\xba"
CUDA_LICENCE = "LicenseRef-NVIDIA-CUDA-EULA"
CUDA_WORDS = ("NVIDIA's libdevice, which nvcc links into GPU kernels: attachment A of the CUDA Toolkit's licence, "
              "https://docs.nvidia.com/cuda/eula/, names it among what programs made with the toolkit may be distributed with.")
# Headers of others that are compiled into our programs, by Debian's packages, and into which files of ours.
COMPILED_IN = {
    "nlohmann-json3-dev": ("MIT", r"bin/|libexec/|libiir2d-images"),
    "libcli11-dev": ("BSD-3-Clause", r"bin/iir2d"),
    "libfmt-dev": ("MIT", r"bin/iir2d$|libexec/|libiir2d-images|bin/iir2d-workbench"),
    "libeigen3-dev": ("MPL-2.0", r"bin/iir2d$"),
    "libhwy-dev": ("Apache-2.0", r"libiir2d\.so"),
}
# Licences of the Debian packages that our programs link, as their copyright files say, in SPDX's words.
LICENCES = {
    "libarchive13": "BSD-2-Clause",
    "libc6": "LGPL-2.1-or-later",
    "libfmt9": "MIT",
    "libgcc-s1": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libhwy1": "Apache-2.0",
    "libopenimageio2.4": "BSD-3-Clause",
    "libpugixml1v5": "MIT",
    "libqt6charts6": "GPL-3.0-only",
    "libqt6concurrent6": "LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only",
    "libqt6core6": "LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only",
    "libqt6gui6": "LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only",
    "libqt6svg6": "LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only",
    "libqt6widgets6": "LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only",
    "libseccomp2": "LGPL-2.1-only",
    "libsqlite3-0": "blessing",
    "libssl3": "Apache-2.0",
    "libstdc++6": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libtbb12": "Apache-2.0",
}


def elf_files(tree):
    """Every program and library of an unpacked package, by its path in it."""
    return {name: path for name, path in all_files(tree).items() if is_elf(path)}


def all_files(tree):
    return {str(path.relative_to(tree)): path for path in sorted(tree.rglob("*")) if path.is_file() and not path.is_symlink()}


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == ELF


def has_gpu_kernels(path):
    """Whether a library has a fat binary of nvcc in it, and so NVIDIA's libdevice."""
    return FAT_BINARY in pathlib.Path(path).read_bytes()


def needed_by(path):
    return re.findall(r"\(NEEDED\).*\[([^\]]+)\]", common.run("readelf", "-d", path))


@functools.cache
def system_libraries():
    """{name: path} of the libraries that the loader finds here."""
    lines = common.run("/sbin/ldconfig", "-p").splitlines()
    found = {}
    for line in lines:
        match = re.match(r"\s+(\S+) \(.*x86-64.*\) => (\S+)", line)
        if match:
            found.setdefault(match[1], match[2])
    return found


@functools.cache
def owner_of(path):
    """The Debian package that a file is of; the file may be named through a link of the merged /usr."""
    for name in (path, os.path.realpath(path), path.removeprefix("/usr"), "/usr" + path):
        try:
            return common.run("dpkg", "-S", name).split(":")[0]
        except common.Failure:
            continue
    raise common.Failure(common.NOT_WRITTEN, f"no package has {path}: its licence and source are not known")


@functools.cache
def facts_of(package):
    """Version, source package, its version, text of its licences."""
    line = common.run("dpkg-query", "-W", "-f",
                      "${Version}|${source:Package}|${source:Version}|${Architecture}\n", package).splitlines()[0]
    version, source, source_version, architecture = line.split("|")
    copyright_file = pathlib.Path("/usr/share/doc") / package / "copyright"
    text = copyright_file.read_text(encoding="utf-8", errors="replace") if copyright_file.exists() else ""
    return {"version": version, "source": source, "source_version": source_version, "architecture": architecture, "text": text}


def licence_of(package):
    if package not in LICENCES:
        raise common.Failure(common.NOT_WRITTEN, f"the licence of {package} is not in installers/release/contents.py: look and add it")
    return LICENCES[package]


def linked_libraries(paths, ours):
    """{name: (path, package)} of what the files link, without what is ours."""
    libraries = {}
    for path in paths:
        for name in needed_by(path):
            if name in ours:
                continue
            place = system_libraries().get(name)
            if place is None:
                raise common.Failure(common.NOT_WRITTEN, f"{path} needs {name}, which is not here")
            libraries[name] = (place, owner_of(place))
    return dict(sorted(libraries.items()))
