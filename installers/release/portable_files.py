# SPDX-License-Identifier: MIT
"""Checks of AppImage and portable tree as files."""
import os
import pathlib
import sys

import common
import contents
import portable
from report import expect

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "linux"))
import bundle  # noqa: E402

MOST_BYTES = 60_000_000
ID = "org.iir2d.Workbench"
AT_THE_TOP = ("AppRun", "iir2d", "iir2d-workbench", f"{ID}.desktop", f"{ID}.png", ".DirIcon")
KIND = "usr/share/iir2d-workbench/package.txt"


def unpack(file, scratch, trees):
    folder = scratch / file.suffix[1:]
    folder.mkdir()
    trees[file] = portable.unpack(file, folder)
    return trees[file].name


def check_tree(tree, folders):
    """What bundle.py refuses, looked at again in what was packed; and nothing of the build in any file."""
    for name in AT_THE_TOP:
        expect(os.path.lexists(tree / name), f"there is no {name}")
    expect((tree / f"usr/share/metainfo/{ID}.metainfo.xml").is_file(), "there is no metainfo")
    bundle.check(tree, bundle.Rules(bundle.HERE / "host-libraries.txt"))
    elfs = contents.elf_files(tree)
    for name, path in contents.all_files(tree).items():
        data = path.read_bytes()
        for folder in folders:
            expect(not common.names_path(data, folder), f"{name} has the path {folder}")
        expect(path.stat().st_mode & 0o022 == 0, f"{name} may be written by others")
    for name in elfs:
        if name.startswith("usr/bin/") or "libiir2d" in name:
            expect(".symtab" not in common.run("readelf", "-S", elfs[name]), f"{name} is not stripped")
    return f"{len(elfs)} programs and libraries"


def check_appimage(file, tree):
    data = file.read_bytes()[:16]
    expect(data[:4] == b"\x7fELF" and data[8:11] == b"AI\x02", f"it begins with {data[:11]!r}")
    expect(file.stat().st_size < MOST_BYTES, f"it has {file.stat().st_size} bytes")
    expect(os.access(file, os.X_OK), "it is not executable")
    listed = common.run("unsquashfs", "-l", "-o", common.run(file, "--appimage-offset").strip(), file)
    for name in (*AT_THE_TOP, f"usr/share/metainfo/{ID}.metainfo.xml"):
        expect(f"squashfs-root/{name}\n" in listed, f"its image has no {name}")
    expect((tree / KIND).read_text(encoding="utf-8").startswith("appimage "), "it does not say that it is an AppImage")
    for option in ("--appimage-help", "--appimage-version"):
        expect(common.run(file, option), f"{option} says nothing")
    return f"{file.stat().st_size / 1e6:.1f} MB"


def described(tree):
    """{name: kind, mode and content} of everything in a tree."""
    said = {}
    for path in sorted(tree.rglob("*")):
        name = str(path.relative_to(tree))
        if path.is_symlink():
            said[name] = ("link", os.readlink(path))
        elif path.is_dir():
            said[name] = ("folder", path.stat().st_mode)
        else:
            said[name] = ("file", path.stat().st_mode, common.sha256_of(path))
    return said


def check_same(one, other):
    a, b = described(one), described(other)
    a.pop(KIND), b.pop(KIND)  # of which kind of package it is
    expect(a == b, f"they differ in {sorted(set(a.items()) ^ set(b.items()))[:3]}")
    return f"{len(a)} entries, but for {KIND}"
