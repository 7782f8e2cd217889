# SPDX-License-Identifier: MIT
"""What a Debian package of ours holds and links: for bills of materials and notices."""
import functools
import os
import pathlib
import re

import common

ELF = b"\x7fELF"
# Headers of others that are compiled into our programs, by Debian's packages, and into which files of ours.
COMPILED_IN = {
    "nlohmann-json3-dev": ("MIT", r"bin/|libexec/|libiir2d-images"),
    "libcli11-dev": ("BSD-3-Clause", r"bin/iir2d"),
    "libfmt-dev": ("MIT", r"bin/iir2d$|libexec/|libiir2d-images|bin/iir2d-workbench"),
    "libhwy-dev": ("Apache-2.0", r"libiir2d\.so"),
}
# Of Debian's short names for licences, those that SPDX spells otherwise.
SPDX_NAMES = {"Expat": "MIT", "BSD-3-clause": "BSD-3-Clause", "BSD-2-clause": "BSD-2-Clause", "Apache-2": "Apache-2.0",
              "GPL-3+": "GPL-3.0-or-later", "LGPL-3": "LGPL-3.0-only", "LGPL-2.1+": "LGPL-2.1-or-later",
              "public-domain": "NOASSERTION", "Zlib": "Zlib"}


def elf_files(tree):
    """Every program and library of an unpacked package, by its path in it."""
    found = {}
    for path in sorted(tree.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with open(path, "rb") as file:
                if file.read(4) == ELF:
                    found[str(path.relative_to(tree))] = path
    return found


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
    """Version, source package, its version, text of the licences."""
    line = common.run("dpkg-query", "-W", "-f", "${Version}|${source:Package}|${source:Version}\n", package).splitlines()[0]
    version, source, source_version = line.split("|")
    copyright_file = pathlib.Path("/usr/share/doc") / package / "copyright"
    text = copyright_file.read_text(errors="replace") if copyright_file.exists() else ""
    names = sorted({match.strip() for match in re.findall(r"(?m)^License: *(\S[^\n]*)$", text)})
    return {"version": version, "source": source, "source_version": source_version, "text": text, "licences": names}


def licence_of(package):
    """One licence in SPDX's words, where the package's copyright file is that simple."""
    names = facts_of(package)["licences"]
    return SPDX_NAMES.get(names[0], "NOASSERTION") if len(names) == 1 else "NOASSERTION"


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
