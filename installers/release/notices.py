# SPDX-License-Identifier: MIT
"""NOTICES.txt: the licences of what is compiled into the packages, and where the sources of what they link are."""
import pathlib
import tempfile

import common
import contents
import spdx

HEAD = """Notices for IIR2D Workbench {version}
{line}

The project's own code is under the MIT licence, at the end of this file. The program iir2d-workbench links Qt Charts,
which is under the GNU General Public License, version 3: the installed window as a whole is distributed under GPL-3.
Its sources are {sources} and, of the libraries that it links, the source packages below,
which https://sources.debian.org and `apt-get source NAME=VERSION` have. The Debian packages hold none of these
libraries: they depend on Debian's.

Linked libraries, by the package that links them:
"""


def linked_by(debs):
    rows = []
    for package, deb in debs.items():
        with tempfile.TemporaryDirectory() as scratch:
            common.run("dpkg-deb", "-x", deb, scratch)
            libraries = contents.linked_libraries(contents.elf_files(pathlib.Path(scratch)).values(), spdx.OURS)
        for name, (_, owner) in libraries.items():
            facts = contents.facts_of(owner)
            rows.append(f"{package:16} {name:32} {owner} {facts['version']}; source {facts['source']} {facts['source_version']}")
    return rows


def text(debs, version, with_source):
    name = version["PACKAGE_V"]
    parts = [HEAD.format(version=name, line="=" * (len("Notices for IIR2D Workbench ") + len(name)),
                         sources=f"iir2d-{name}.tar.xz beside this file" if with_source else f"those of commit {version['COMMIT']}")]
    parts.append("\n".join(linked_by(debs)))
    parts.append("\n\nCompiled in, as headers, from these packages:\n")
    for package in sorted(contents.COMPILED_IN):
        facts = contents.facts_of(package)
        title = f"{package} {facts['version']} (source {facts['source']} {facts['source_version']})"
        parts.append(f"\n{'-' * 78}\n{title}\n{'-' * 78}\n\n{facts['text'].rstrip()}\n")
    parts.append(f"\n{'-' * 78}\nlibdevice, in the GPU kernels of libiir2d1\n{'-' * 78}\n\n{contents.CUDA_WORDS}\n")
    parts.append(f"\n{'-' * 78}\nIIR2D Workbench {name}\n{'-' * 78}\n\n{(common.SOURCES / 'LICENSE').read_text(encoding='utf-8')}")
    return "".join(parts)
