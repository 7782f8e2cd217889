#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packs a portable tree: as an AppImage, or as an archive. The same tree gives the same bytes.
usage: appimage.py appimage TREE RUNTIME FILE.AppImage | appimage.py portable TREE FOLDER_NAME FILE.tar.xz

SOURCE_DATE_EPOCH says the time that every file gets.
"""
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "release"))
import common  # noqa: E402

DIGEST_MARK = b"squashfs-sha256="  # appimage_file.c
MAGIC = b"AI\x02"  # at offset 8, of type 2
XZ_BLOCK = "32MiB"  # blocks of one size give the same bytes on any number of cores


def mark(runtime, image):
    """The runtime's bytes with the magic and the image's hash in them."""
    zeros = DIGEST_MARK + b"0" * 64
    if runtime[:4] != b"\x7fELF" or runtime.count(zeros) != 1:
        raise common.Failure(common.NOT_WRITTEN, "the runtime is not that of appimage_runtime.c")
    runtime = runtime.replace(zeros, DIGEST_MARK + hashlib.sha256(image).hexdigest().encode())
    return runtime[:8] + MAGIC + runtime[11:]


def pack_appimage(tree, runtime, file):
    epoch = os.environ["SOURCE_DATE_EPOCH"]
    with tempfile.TemporaryDirectory(dir=file.parent) as scratch:
        image = pathlib.Path(scratch) / "image"
        # mksquashfs refuses its own options beside SOURCE_DATE_EPOCH, which says the same.
        environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
        common.run("mksquashfs", tree, image, "-comp", "zstd", "-Xcompression-level", "19", "-b", "256K", "-all-root", "-noappend",
                   "-no-xattrs", "-no-exports", "-mkfs-time", epoch, "-all-time", epoch, "-quiet", "-no-progress", env=environment)
        packed = image.read_bytes()
        whole = pathlib.Path(scratch) / "whole"
        whole.write_bytes(mark(runtime.read_bytes(), packed) + packed)
        whole.chmod(0o755)
        os.replace(whole, file)


def pack_portable(tree, name, file):
    epoch = os.environ["SOURCE_DATE_EPOCH"]
    part = file.with_name(f".{file.name}.part")
    try:
        with open(part, "wb") as out:
            tar = subprocess.Popen(["tar", "--create", "--format=posix", "--pax-option=delete=atime,delete=ctime", "--sort=name",
                                    "--owner=0", "--group=0", "--numeric-owner", f"--mtime=@{epoch}", "--mode=u+rwX,go+rX,go-w",
                                    f"--transform=flags=rh;s,^\\.,{name},", "-C", str(tree), "."], stdout=subprocess.PIPE)
            packed = subprocess.run(["xz", "-6", "-T2", f"--block-size={XZ_BLOCK}"], stdin=tar.stdout, stdout=out, check=False)
            tar.stdout.close()
            if tar.wait() != 0 or packed.returncode != 0:
                raise common.Failure(common.NOT_WRITTEN, f"{file.name} could not be packed")
        os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)


def main():
    if len(sys.argv) != 5 or sys.argv[1] not in ("appimage", "portable"):
        raise common.Failure(common.BAD_ARGUMENT, "usage: appimage.py appimage TREE RUNTIME FILE | portable TREE NAME FILE")
    tree, file = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[4]).resolve()
    if sys.argv[1] == "appimage":
        pack_appimage(tree, pathlib.Path(sys.argv[3]), file)
    else:
        pack_portable(tree, sys.argv[3], file)


if __name__ == "__main__":
    sys.exit(common.main_of("appimage", main, common.NOT_WRITTEN))
