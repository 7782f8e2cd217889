# SPDX-License-Identifier: MIT
"""Makes AppImage and portable tree of what the Debian packages are made of, too: the same programs, with other run paths. Run as a program
it only fetches the OpenImageIO that both have, where that is not kept: exit code 6 and one sentence where it cannot be had."""
import json
import os
import pathlib
import shutil
import struct
import sys

import build
import common
import notices

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "linux"))
import appimage  # noqa: E402
import bundle  # noqa: E402

KINDS = ("appimage", "portable")
COMPONENTS = ("library", "tools", "workbench")
NOTICES = "usr/share/doc/iir2d-workbench/NOTICES.txt"


def slim_openimageio():
    """The folder of the OpenImageIO of few libraries; fetched where it is not in the cache."""
    folder = common.cache_folder() / "openimageio-3.2.2.0"
    common.run("python3", "-B", common.SOURCES / "installers/fetch_openimageio.py", folder)
    return folder


def file_name(kind, version):
    name = version["PACKAGE_V"]
    return f"IIR2D_Workbench-{name}-x86_64.AppImage" if kind == "appimage" else f"iir2d-workbench-{name}-linux-x86_64.tar.xz"


def install(folder, stage, version, allow_dirty):
    """What a build installs, without what is only for those who compile, and with the other image module."""
    shutil.rmtree(stage, ignore_errors=True)
    environment = {**build.environment(version, allow_dirty), "DESTDIR": str(stage), "IIR2D_PACKAGE_KIND": "portable"}
    for component in (*COMPONENTS, "slim"):
        common.run("cmake", "--install", folder, "--strip", "--prefix", "/usr", "--component", component, env=environment)


def make_tree(folder, slim, version, allow_dirty):
    """(tree, where what is not ours in it came from) in the build's folder."""
    work = folder / "portable"
    install(folder, work / "stage", version, allow_dirty)
    runtime = work / "runtime"
    shutil.copyfile(work / "appimage-runtime", runtime)
    launcher = work / "launcher"
    shutil.copy(work / "AppRun", launcher)
    common.run("strip", runtime, launcher)
    tree = work / "tree"
    origin = bundle.make(work / "stage", tree, launcher, slim)
    common.write_whole(tree / NOTICES, notices.of_tree(origin, slim, version))
    common.write_whole(work / "origin.json", json.dumps(origin, indent=1, sort_keys=True) + "\n")
    return tree, origin


def pack(kind, tree, runtime, file, version):
    """One file of the tree. The two differ in package.txt alone."""
    os.environ["SOURCE_DATE_EPOCH"] = version["PACKAGE_EPOCH"]
    common.write_whole(tree / "usr/share/iir2d-workbench/package.txt", f"{kind} {version['PACKAGE_V']}\n")
    if kind == "appimage":
        appimage.pack_appimage(tree, runtime, file)
    else:
        appimage.pack_portable(tree, file.name.removesuffix(".tar.xz"), file)
        file.chmod(0o644)
    return file


def make(folder, out, kinds, version, allow_dirty):
    """The files, and where what is not ours in them came from."""
    slim = slim_openimageio()
    tree, origin = make_tree(folder, slim, version, allow_dirty)
    files = [pack(kind, tree, folder / "portable/runtime", out / file_name(kind, version), version)
             for kind in KINDS if kind in kinds]
    return files, origin


def offset_of(file):
    """Where the image in an AppImage begins: after its ELF program. The file is not run: whose it is may not be known."""
    with open(file, "rb") as opened:
        header = opened.read(64)
    if len(header) < 64 or header[:5] != b"\x7fELF\x02":
        raise common.Failure(common.CHECK_FAILED, f"{file.name} is no AppImage")
    (sections,) = struct.unpack_from("<Q", header, 0x28)
    size, count = struct.unpack_from("<HH", header, 0x3A)
    return sections + size * count


def unpack(file, folder):
    """The tree of an AppImage or of an archive, in `folder`."""
    if file.name.endswith(".AppImage"):
        common.run("unsquashfs", "-no-progress", "-quiet", "-d", folder / "tree", "-o", offset_of(file), file)
        return folder / "tree"
    common.run("tar", "-xf", file, "-C", folder)
    return next(folder.iterdir())


if __name__ == "__main__":
    sys.exit(common.main_of("portable", slim_openimageio, common.NOT_WRITTEN))
