#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the directions of #include between the rooms: app -> ui -> core -> kernels.

usage: check_includes.py PROJECT_ROOT

Prints one line for each include that breaks a rule and exits with 1; 0 when there is none; 2 when there was
nothing to check, so that a wrong path cannot pass.
"""

import re
import sys
from pathlib import Path

# From the lowest up; a room includes its own headers and those below it.
ROOMS = ["kernels", "core", "ui", "app"]
# Checked for the form of their includes only.
OTHER_FOLDERS = ["tests"]
SUFFIXES = {".h", ".hpp", ".hh", ".inl", ".ipp", ".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".in"}
PUBLIC_KERNELS = Path("kernels/include")

QT = re.compile(r"(Qt[A-Z]\w*/.*|Q[A-Z]\w*|q[a-z0-9_]+\.h)$")
OPEN_IMAGE_IO = re.compile(r"OpenImageIO/")
# The module that only the image worker opens.
IMAGE_MODULE = Path("core/image/module")
UPWARD = re.compile(r"(^|[/\\])\.\.([/\\]|$)")

COMMENT_OR_STRING = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include(?:_next)?\b[ \t]*(.*)$", re.MULTILINE)
TARGET = re.compile(r"""(?:"([^"\n]*)"|<([^>\n]*)>)""")


def blank_comments(text):
    """The text without comments, with as many lines."""
    def blank(match):
        found = match.group(0)
        return re.sub(r"[^\n]", " ", found) if found.startswith("/") else found
    return COMMENT_OR_STRING.sub(blank, text)


def includes(text):
    """(line number, path or None) of each include; None where a macro stands for the path."""
    joined = blank_comments(re.sub(r"\\\r?\n", " \f", text))
    for match in INCLUDE.finditer(joined):
        line = joined.count("\n", 0, match.start()) + joined.count("\f", 0, match.start()) + 1
        target = TARGET.match(match.group(1).strip(" \t\f"))
        yield line, (target.group(1) or target.group(2) or "").strip() if target else None


def broken_rules(file, path):
    """What is wrong with `file` (relative to the root) including `path`."""
    if path is None:
        return ["an include through a macro cannot be checked"]
    rules = []
    if UPWARD.search(path):
        rules.append("includes are written from the project root, not with ../")
    room = file.parts[0]
    if room not in ROOMS:
        return rules
    target = path.split("/")[0]
    if target in ROOMS and ROOMS.index(target) > ROOMS.index(room):
        rules.append(f"{room} must not include {target}: app -> ui -> core -> kernels")
    if target == "kernels" and room != "kernels":
        rules.append(f"{room} may include only the public headers of kernels (iir2d/...)")
    if target == "kernels" and PUBLIC_KERNELS in file.parents:
        rules.append("a public header of kernels must not need one that is not installed")
    if room in ("kernels", "core") and QT.match(path):
        rules.append(f"{room} must not know Qt")
    if OPEN_IMAGE_IO.match(path) and IMAGE_MODULE not in file.parents:
        rules.append(f"only {IMAGE_MODULE} may know OpenImageIO: every program would start slowly, and die with it")
    if Path(path).is_relative_to(IMAGE_MODULE) and IMAGE_MODULE not in file.parents:
        rules.append(f"{IMAGE_MODULE} is opened when a program runs, through core/image/codec.h")
    return rules


def check(root):
    """(messages, number of files looked at); a missing or empty room is a message."""
    messages = []
    looked_at = 0
    for folder in ROOMS + OTHER_FOLDERS:
        files = sorted(p for p in (root / folder).rglob("*") if p.suffix in SUFFIXES and p.is_file())
        if not files and folder in ROOMS:
            messages.append(f"{root / folder}: no source file found, nothing was checked there")
        for file in files:
            looked_at += 1
            relative = file.relative_to(root)
            for line, path in includes(file.read_text(encoding="utf-8", errors="replace")):
                for rule in broken_rules(relative, path):
                    messages.append(f"{relative}:{line}: #include {path or '(macro)'}: {rule}")
    return messages, looked_at


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(arguments[0]).resolve()
    messages, looked_at = check(root)
    for message in messages:
        print(message)
    if looked_at == 0:
        print(f"{root}: no source files", file=sys.stderr)
        return 2
    if not messages:
        print(f"include directions hold in {looked_at} files")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
