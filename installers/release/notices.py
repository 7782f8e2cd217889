# SPDX-License-Identifier: MIT
"""NOTICES.txt: the licences of what is compiled into the packages, and where the sources of what they link are."""
import json
import pathlib
import tempfile

import common
import contents

HEAD = """Notices for IIR2D Workbench {version}
{line}

The project's own code is under the MIT licence, at the end of this file. The program iir2d-workbench links Qt Charts,
which is under the GNU General Public License, version 3: the installed window as a whole is distributed under GPL-3.
Its sources are {sources} and, of the libraries that it links, the source packages below,
which https://sources.debian.org and `apt-get source NAME=VERSION` have. The Debian packages hold none of these
libraries: they depend on Debian's. AppImage and portable tree hold them; their own list, with every licence, is in them,
as usr/share/doc/iir2d-workbench/NOTICES.txt.
"""
LINKED = "\nLinked libraries, by the package that links them:\n"
OF_WINDOWS = """

In the packages for Windows, linked statically or as the compiler's DLLs: the files of their folder `licenses`. They hold nothing of Qt.
"""


RULE = "-" * 78
TREE_HEAD = """Notices for IIR2D Workbench {version}, AppImage and portable tree
{line}

The project's own code is under the MIT licence, at the end of this file. The program iir2d-workbench links Qt Charts,
which is under the GNU General Public License, version 3: the window as a whole is distributed under GPL-3. Its sources
are those of commit {commit}. The libraries below come from Debian 12, unchanged but for where they look
for each other; https://sources.debian.org and `apt-get source NAME=VERSION` have their sources. OpenImageIO
{slim} is that of https://pypi.org/project/openimageio.

File, package and version, source package and version:
"""


def section(title, text):
    return f"\n{RULE}\n{title}\n{RULE}\n\n{text.rstrip()}\n"


def licence_text(name):
    """Of a Debian package that is installed here, or of one of Debian's common licences."""
    common_licence = pathlib.Path("/usr/share/common-licenses") / name
    return common_licence.read_text(encoding="utf-8") if common_licence.is_file() else contents.facts_of(name)["text"]


def openimageio_parts(slim):
    """{name: (version, licence, where its text is)} of what the wheel has linked in; a Failure where nobody looked at one."""
    said = json.loads((slim / "parts.json").read_text(encoding="utf-8"))
    strange = set(said) - set(contents.IN_OPENIMAGEIO) - contents.NOT_IN_OPENIMAGEIO
    if strange:
        raise common.Failure(common.NOT_WRITTEN, f"OpenImageIO has {', '.join(sorted(strange))} in it: look and add it to contents.py")
    return {name: (said[name], *contents.IN_OPENIMAGEIO[name]) for name in sorted(contents.IN_OPENIMAGEIO) if name in said}


def of_tree(origin, slim, version):
    """NOTICES.txt of AppImage and portable tree: every licence of what is in them."""
    name = version["PACKAGE_V"]
    rows, packages = [], set()
    for place, one in origin.items():
        if "package" in one:
            facts = contents.facts_of(one["package"])
            packages.add(one["package"])
            rows.append(f"{place} {one['package']} {facts['version']}; {facts['source']} {facts['source_version']}")
        else:
            rows.append(f"{place} openimageio {contents.OPENIMAGEIO}, of its wheel on PyPI")
    title = f"Notices for IIR2D Workbench {name}, AppImage and portable tree"
    parts = [TREE_HEAD.format(version=name, line="=" * len(title), commit=version["COMMIT"], slim=contents.OPENIMAGEIO), "\n".join(rows), "\n"]
    parts += [section(package, contents.facts_of(package)["text"]) for package in sorted(packages)]
    parts.append("\n\nAt the beginning of the AppImage, linked statically:\n")
    parts += [section(package, contents.facts_of(package)["text"]) for package in contents.IN_RUNTIME]
    parts += [section(f"OpenImageIO {contents.OPENIMAGEIO}: {file}", (slim / "licences" / file).read_text(encoding="utf-8"))
              for file in ("LICENSE.md", "THIRD-PARTY.md")]
    parts.append("\n\nLinked into OpenImageIO's libraries; texts are those of the same licence as Debian has it:\n")
    for part, (number, licence, text) in openimageio_parts(slim).items():
        shown = section(f"{part} {number or '(version not said)'}: {licence}", licence_text(text) if text else f"See {licence} above.")
        parts.append(shown)
    parts.append("\n\nCompiled in, as headers:\n")
    parts += [section(package, contents.facts_of(package)["text"]) for package in sorted(contents.COMPILED_IN)]
    parts.append(section("libdevice, in the GPU kernels of libiir2d.so.1", contents.CUDA_WORDS))
    parts += [section(f"the text of {path.name}", path.read_text(encoding="utf-8"))
              for path in sorted(pathlib.Path("/usr/share/common-licenses").glob("[A-Z]*-[0-9]*"))]
    parts.append(section(f"IIR2D Workbench {name}", (common.SOURCES / "LICENSE").read_text(encoding="utf-8")))
    return "".join(parts)


def linked_by(debs):
    rows = []
    for package, deb in debs.items():
        with tempfile.TemporaryDirectory() as scratch:
            common.run("dpkg-deb", "-x", deb, scratch)
            libraries = contents.linked_libraries(contents.elf_files(pathlib.Path(scratch)).values(), contents.OURS)
        for name, (_, owner) in libraries.items():
            facts = contents.facts_of(owner)
            rows.append(f"{package:16} {name:32} {owner} {facts['version']}; source {facts['source']} {facts['source_version']}")
    return rows


def text(debs, licences, version, with_source):
    """Of the Debian packages and, with the texts in `licences`, of those for Windows; either may be empty."""
    name = version["PACKAGE_V"]
    parts = [HEAD.format(version=name, line="=" * (len("Notices for IIR2D Workbench ") + len(name)),
                         sources=f"iir2d-{name}.tar.xz beside this file" if with_source else f"those of commit {version['COMMIT']}")]
    parts += [LINKED, "\n".join(linked_by(debs))] if debs else []
    parts.append("\n\nCompiled in, as headers, from these packages:\n")
    for package in sorted(contents.COMPILED_IN):
        facts = contents.facts_of(package)
        title = f"{package} {facts['version']} (source {facts['source']} {facts['source_version']})"
        parts.append(f"\n{'-' * 78}\n{title}\n{'-' * 78}\n\n{facts['text'].rstrip()}\n")
    if licences:
        parts.append(OF_WINDOWS)
        parts += [section(name, text) for name, text in licences.items()]
    parts.append(f"\n{'-' * 78}\nlibdevice, in the GPU kernels of libiir2d1\n{'-' * 78}\n\n{contents.CUDA_WORDS}\n")
    parts.append(f"\n{'-' * 78}\nIIR2D Workbench {name}\n{'-' * 78}\n\n{(common.SOURCES / 'LICENSE').read_text(encoding='utf-8')}")
    return "".join(parts)
