#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes an icon of Windows of PNG files, one for each size. usage: write_icon.py ICON PNG..."""
import pathlib
import struct
import sys


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: write_icon.py ICON PNG...")
    pictures = [pathlib.Path(name).read_bytes() for name in sys.argv[2:]]
    header = struct.pack("<HHH", 0, 1, len(pictures))
    offset = len(header) + 16 * len(pictures)
    entries = b""
    for picture in pictures:
        width, height = struct.unpack(">II", picture[16:24])  # of the chunk IHDR
        entries += struct.pack("<BBBBHHII", width % 256, height % 256, 0, 0, 1, 32, len(picture), offset)
        offset += len(picture)
    pathlib.Path(sys.argv[1]).write_bytes(header + entries + b"".join(pictures))


if __name__ == "__main__":
    main()
