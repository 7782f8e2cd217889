#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Links empty stand-ins for the CUDA libraries that a torch wheel names and that are not installed.

usage: cuda_stand_ins.py FOLDER

torch's Linux wheel names 2.3 GB of CUDA libraries that nothing on a CPU calls, and does not start without them. Its own
ELF tables say what the loader asks for: the libraries' names, their version nodes and the symbols. FOLDER gets a library
of each name whose functions end the process when called. Put it on LD_LIBRARY_PATH of a program that computes on the CPU.
"""

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection

# Opened by torch when a GPU is used; a stand-in for the driver would tell other programs that there is one.
NOT_STARTED_WITH = {"libcaffe2_nvrtc.so"}
SYSTEM_FOLDERS = [Path(f) for f in ("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64")]


class Library:
    """What the loader reads of one file."""

    def __init__(self, path):
        self.needed, self.defined, self.undefined, self.versions = [], set(), [], {}
        with open(path, "rb") as file:
            elf = ELFFile(file)
            for section in elf.iter_sections():
                if isinstance(section, DynamicSection):
                    self.needed = [tag.needed for tag in section.iter_tags("DT_NEEDED")]
            needs = elf.get_section_by_name(".gnu.version_r")
            if isinstance(needs, GNUVerNeedSection):
                for library, nodes in needs.iter_versions():
                    for node in nodes:
                        self.versions[node["vna_other"]] = (library.name, node.name)
            table, numbers = elf.get_section_by_name(".dynsym"), elf.get_section_by_name(".gnu.version")
            for index, symbol in enumerate(table.iter_symbols() if table else ()):
                if not symbol.name:
                    continue
                if symbol["st_shndx"] != "SHN_UNDEF":
                    self.defined.add(symbol.name)
                elif symbol["st_info"]["bind"] != "STB_WEAK":
                    number = numbers.get_symbol(index)["ndx"] if numbers else 1
                    self.undefined.append((symbol.name, self.versions.get(number)))


def installed(name, folders):
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


def wanted_symbols(torch_folder):
    """soname -> version node or None -> symbols, of the libraries that are missing."""
    site = torch_folder.parent
    folders = [torch_folder / "lib", *sorted(site.glob("nvidia/*/lib")), *SYSTEM_FOLDERS]
    ours = {path: Library(path) for path in sorted((torch_folder / "lib").glob("*.so*"))
            if path.name not in NOT_STARTED_WITH}
    found = dict(ours)
    queue = list(ours.values())
    missing = {}
    while queue:
        for name in queue.pop().needed:
            path = installed(name, folders)
            if path is None:
                missing.setdefault(name, {})
            elif path not in found:
                found[path] = Library(path)
                queue.append(found[path])
    defined = set().union(*(library.defined for library in found.values()))
    for library in ours.values():
        nobodys = [name for name in library.needed if name in missing]
        for symbol, version in library.undefined:
            if version and version[0] in missing:
                missing[version[0]].setdefault(version[1], set()).add(symbol)
            elif not version and nobodys and symbol not in defined:
                missing[nobodys[0]].setdefault(None, set()).add(symbol)
    return missing


def link(name, nodes, folder, work):
    symbols = sorted(set().union(*nodes.values())) if nodes else []
    source, script = work / "symbols.s", work / "versions"
    source.write_text(".text\n" + "".join(f".globl {s}\n.type {s},@function\n{s}:\n" for s in symbols) + "ud2\n"
                      ".section .note.GNU-stack,\"\",@progbits\n")
    command = ["gcc", "-shared", "-nostdlib", f"-Wl,-soname,{name}", "-o", str(folder / name), str(source)]
    versions = {node: names for node, names in nodes.items() if node}
    if versions:
        script.write_text("".join(f"{node} {{ global: {' '.join(f'{s};' for s in sorted(names))} }};\n"
                                  for node, names in sorted(versions.items())))
        command.append(f"-Wl,--version-script,{script}")
    subprocess.run(command, check=True)


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        print("cuda_stand_ins: torch is not installed", file=sys.stderr)
        return 1
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    missing = wanted_symbols(Path(spec.origin).parent)
    with tempfile.TemporaryDirectory() as work:
        for name, nodes in sorted(missing.items()):
            link(name, nodes, folder, Path(work))
    print(f"linked {len(missing)} stand-ins in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
