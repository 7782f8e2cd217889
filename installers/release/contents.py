# SPDX-License-Identifier: MIT
"""What a Debian package of ours holds and links: for bills of materials and notices."""
import functools
import os
import pathlib
import re

import common

ELF = b"\x7fELF"
FAT_BINARY = b"\x50\xed\x55\xba"
OURS = {"libiir2d.so.1"}
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
# Licences of the Debian packages whose libraries our programs link or come with, as their copyright files say, in SPDX's words.
PUBLIC_DOMAIN = "LicenseRef-public-domain"
PUBLIC_DOMAIN_WORDS = "Its authors put it into the public domain."
QT = "LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only"
LICENCES = {
    "libacl1": "LGPL-2.1-or-later",
    "libarchive13": "BSD-2-Clause",
    "libb2-1": "CC0-1.0",
    "libbrotli1": "MIT",
    "libbsd0": "BSD-3-Clause AND BSD-2-Clause AND ISC",
    "libbz2-1.0": "bzip2-1.0.6",
    "libc6": "LGPL-2.1-or-later",
    "libc6-dev": "LGPL-2.1-or-later",
    "libcap2": "BSD-3-Clause OR GPL-2.0-only",
    "libdbus-1-3": "AFL-2.1 OR GPL-2.0-or-later",
    "libdouble-conversion3": "BSD-3-Clause",
    "libdrm2": "MIT",
    "libegl1": "MIT AND BSD-1-Clause",
    "libexpat1": "MIT",
    "libffi8": "MIT",
    "libfmt9": "MIT",
    "libfontconfig1": "HPND-sell-variant",
    "libfreetype6": "FTL OR GPL-2.0-or-later",
    "libfuse3-dev": "LGPL-2.1-only",
    "libgcc-s1": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgcrypt20": "LGPL-2.1-or-later",
    "libgl1": "MIT AND BSD-1-Clause",
    "libglib2.0-0": "LGPL-2.1-or-later",
    "libglvnd0": "MIT AND BSD-1-Clause",
    "libglx0": "MIT AND BSD-1-Clause",
    "libgomp1": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgpg-error0": "LGPL-2.1-or-later",
    "libgraphite2-3": "MPL-1.1 OR GPL-2.0-or-later OR LGPL-2.1-or-later",
    "libharfbuzz0b": "MIT-Modern-Variant",
    "libhwy1": "Apache-2.0",
    "libice6": "MIT-open-group",
    "libicu72": "Unicode-DFS-2016",
    "libjpeg62-turbo": "IJG AND BSD-3-Clause AND Zlib",
    "liblz4-1": "BSD-2-Clause",
    "liblz4-dev": "BSD-2-Clause",
    "liblzma-dev": PUBLIC_DOMAIN,
    "liblzma5": PUBLIC_DOMAIN,
    "liblzo2-dev": "GPL-2.0-or-later",
    "libmd0": "BSD-3-Clause AND BSD-2-Clause AND ISC AND Beerware",
    "libmd4c0": "MIT",
    "libnettle8": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libopengl0": "MIT AND BSD-1-Clause",
    "libopenimageio2.4": "BSD-3-Clause",
    "libpcre2-16-0": "BSD-3-Clause",
    "libpcre2-8-0": "BSD-3-Clause",
    "libpng16-16": "libpng-2.0",
    "libpugixml1v5": "MIT",
    "libqt6charts6": "GPL-3.0-only",
    "libqt6concurrent6": QT,
    "libqt6core6": QT,
    "libqt6dbus6": QT,
    "libqt6gui6": QT,
    "libqt6opengl6": QT,
    "libqt6openglwidgets6": QT,
    "libqt6svg6": QT,
    "libqt6waylandclient6": QT,
    "libqt6waylandeglclienthwintegration6": QT,
    "libqt6widgets6": QT,
    "libqt6wlshellintegration6": QT,
    "libseccomp2": "LGPL-2.1-only",
    "libsm6": "MIT-open-group",
    "libsqlite3-0": "blessing",
    "libsquashfuse-dev": "BSD-2-Clause",
    "libssl3": "Apache-2.0",
    "libstdc++6": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libsystemd0": "LGPL-2.1-or-later",
    "libtbb12": "Apache-2.0",
    "libuuid1": "BSD-3-Clause",
    "libwayland-client0": "MIT",
    "libwayland-cursor0": "MIT",
    "libwayland-egl1": "MIT",
    "libx11-6": "X11 AND MIT AND MIT-open-group",
    "libx11-xcb1": "X11 AND MIT AND MIT-open-group",
    "libxau6": "MIT-open-group",
    "libxcb-glx0": "X11",
    "libxcb-icccm4": "X11",
    "libxcb-image0": "X11",
    "libxcb-keysyms1": "X11",
    "libxcb-randr0": "X11",
    "libxcb-render-util0": "X11",
    "libxcb-render0": "X11",
    "libxcb-shape0": "X11",
    "libxcb-shm0": "X11",
    "libxcb-sync1": "X11",
    "libxcb-util1": "X11",
    "libxcb-xfixes0": "X11",
    "libxcb-xkb1": "X11",
    "libxcb1": "X11",
    "libxdmcp6": "MIT-open-group",
    "libxext6": "MIT-open-group",
    "libxkbcommon-x11-0": "MIT",
    "libxkbcommon0": "MIT",
    "libxml2": "MIT",
    "libxrender1": "MIT-open-group",
    "libzstd-dev": "BSD-3-Clause OR GPL-2.0-only",
    "libzstd1": "BSD-3-Clause OR GPL-2.0-only",
    "qt6-wayland": QT,
    "qt6-xdgdesktopportal-platformtheme": QT,
    "zlib1g": "Zlib",
    "zlib1g-dev": "Zlib",
}

# What the wheel of OpenImageIO has linked into its libraries, as it calls it: licence, and a Debian package or a common licence of
# Debian's that has the licence's text. Of the others that it names, one is a second name, one is linked dynamically, and the rest is
# not in these two libraries.
OPENIMAGEIO = "3.2.2.0"
IN_OPENIMAGEIO = {
    "Freetype": ("FTL OR GPL-2.0-or-later", "libfreetype6"), "GIF": ("MIT", "libgif7"), "Imath": ("BSD-3-Clause", "libimath-3-1-29"), "JXL": ("BSD-3-Clause", "libjxl0.7"),
    "OpenColorIO": ("BSD-3-Clause", "libopencolorio2.1"), "OpenEXR": ("BSD-3-Clause", "libopenexr-3-1-30"),
    "OpenJPEG": ("BSD-2-Clause", "libopenjp2-7"), "PNG": ("libpng-2.0", "libpng16-16"), "Robinmap": ("MIT", None),
    "TIFF": ("libtiff", "libtiff6"), "WebP": ("BSD-3-Clause", "libwebp7"), "expat": ("MIT", "libexpat1"), "fmt": ("MIT", "libfmt9"),
    "libdeflate": ("MIT", "libdeflate0"), "libjpeg-turbo": ("IJG AND BSD-3-Clause AND Zlib", "libjpeg62-turbo"),
    "libuhdr": ("Apache-2.0", "Apache-2.0"), "minizip-ng": ("Zlib", "zlib1g"), "openjph": ("BSD-2-Clause", "BSD"),
    "pystring": ("BSD-3-Clause", None), "yaml-cpp": ("MIT", "libyaml-cpp0.7"), "zstd": ("BSD-3-Clause OR GPL-2.0-only", "libzstd1"),
}
NOT_IN_OPENIMAGEIO = {"JPEG", "OpenGL", "Python3", "ZLIB", "nanobind"}
# What the program at the beginning of an AppImage is linked with, statically.
IN_RUNTIME = ("libc6-dev", "libfuse3-dev", "liblz4-dev", "liblzma-dev", "liblzo2-dev", "libsquashfuse-dev", "libzstd-dev", "zlib1g-dev")


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
