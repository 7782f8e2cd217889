#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs clang-tidy on the product files that changed.

usage: tidy_changed.py BUILD [--since COMMIT] [--seconds 120] [--all] [FILE...]

BUILD is a build folder with compile_commands.json. Changed are the files of the commits since COMMIT: by default since
this branch left origin/main or main, or, on main itself and where a clone has neither, the last ten commits of the
first-parent line, or as many as a shallow clone has; also files not yet committed. A changed header is checked through
the source of its name, or else through one that includes it. Files go in the order of their last change, the latest
first, as long as there is time; those that it was too short for are named.

Exits with 1 when clang-tidy found something, with 2 when it could not be run.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOMS = ("kernels", "core", "ui", "app")
TIDY = os.environ.get("IIR2D_CLANG_TIDY", "clang-tidy-19")  # the first that takes <expected> of GCC 12's library
# GCC's own, which Clang does not know.
UNKNOWN_TO_CLANG = {"-Wno-restrict", "-Winvalid-pch", "-mno-mmx", "-Werror"}


def git(root, *arguments):
    result = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)
    return result.stdout.strip() if result.returncode == 0 else ""


def default_base(root):
    """The commit whose successors are looked at; "" for all that the clone has."""
    head = git(root, "rev-parse", "HEAD")
    for branch in ("origin/main", "main"):
        base = git(root, "merge-base", "HEAD", branch)
        if base and base != head:
            return base
    return git(root, "rev-parse", "--verify", "--quiet", "HEAD~10")


def is_product(name):
    return name.split("/")[0] in ROOMS and name.endswith((".cpp", ".h"))


def changed_files(root, base):
    """Product files that differ from `base`, the latest change first."""
    names = []
    for name in git(root, "ls-files", "--modified", "--others", "--exclude-standard").splitlines():
        names.append(name)
    for name in git(root, "log", "--format=", "--name-only", f"{base}..HEAD" if base else "HEAD").splitlines():
        names.append(name)
    return [name for name in dict.fromkeys(names) if is_product(name) and (root / name).is_file()]


def clang_arguments(entry):
    """The entry's command as Clang takes it: no launcher, no precompiled header of GCC's, no flags of GCC's own."""
    words = entry.get("arguments") or shlex.split(entry["command"])
    while words and not re.search(r"(c\+\+|g\+\+|clang\+\+|cc|gcc|clang)(-\d+)?$", words[0]):
        words = words[1:]
    kept, skip = [], False
    for position, word in enumerate(words):
        if skip:
            skip = False
        elif word == "-include" and words[position + 1].endswith("cmake_pch.hxx"):
            skip = True
        elif word not in UNKNOWN_TO_CLANG:
            kept.append(word)
    return kept + ["-Wno-unknown-warning-option"]


def read_entries(database, root):
    """Product source -> its entry of compile_commands.json. A batch of sources (a unity build) has one: each of them
    gets it, with its own name."""
    entries = {}
    for entry in json.loads(database.read_text("utf-8")):
        file = (Path(entry["directory"]) / entry["file"]).resolve()
        batch = [file]
        if file.parent.name == "Unity" and file.is_file():
            batch = [Path(name) for name in re.findall(r'#include "([^"]+)"', file.read_text("utf-8"))]
        for source in batch:
            if source.is_relative_to(root) and is_product(str(source.relative_to(root))):
                words = [str(source) if word.endswith(entry["file"]) else word for word in clang_arguments(entry)]
                entries.setdefault(str(source.relative_to(root)),
                                   {"directory": entry["directory"], "file": str(source), "arguments": words})
    return entries


def source_of(name, root, sources):
    """The compiled source that shows `name`: itself, the source of a header, or one that includes it."""
    if name in sources:
        return name
    if not name.endswith(".h"):
        return None
    same = name[:-2] + ".cpp"
    if same in sources:
        return same
    folder = name.rsplit("/", 1)[0]
    included = name.removeprefix("kernels/include/")
    nearest = sorted(sources, key=lambda source: (not source.startswith(folder), source))
    return next((source for source in nearest if f'#include "{included}"' in (root / source).read_text("utf-8")), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--since", default="")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--all", action="store_true", help="every product file, without a limit of time")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    root = Path(__file__).resolve().parents[2]
    database = options.build / "compile_commands.json"
    if not database.is_file():
        print(f"tidy: {database} is missing: configure the build first", file=sys.stderr)
        return 2
    entries = read_entries(database, root)

    base = options.since or default_base(root)
    wanted = options.files or (sorted(entries) if options.all else changed_files(root, base))
    sources = list(dict.fromkeys(filter(None, (source_of(name, root, entries) for name in wanted))))
    folder = options.build / "tidy"
    folder.mkdir(exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps([entries[source] for source in sources]), "utf-8")

    began = time.monotonic()

    def check(source):
        if not options.all and not options.files and time.monotonic() - began > options.seconds:
            return source, None, ""
        result = subprocess.run([TIDY, "-p", str(folder), "--quiet", str(root / source)],
                                capture_output=True, text=True, check=False)
        return source, result.returncode, result.stdout + result.stderr

    found, left = [], []
    try:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for source, code, text in pool.map(check, sources):
                if code is None:
                    left.append(source)
                elif code != 0:
                    found.append(source)
                    print(re.sub(r"^\d+ warnings.*\n", "", text, flags=re.MULTILINE))
    except FileNotFoundError:
        print(f"tidy: there is no {TIDY}: install clang-tidy-19", file=sys.stderr)
        return 2
    what = "all" if options.all else "given" if options.files else f"changed since {base[:12] or 'the first commit here'}"
    print(f"tidy: {len(sources) - len(left)} of {len(sources)} files ({what}) in {time.monotonic() - began:.0f} s")
    if left:
        print(f"tidy: no time for {' '.join(left)}")
    if found:
        print(f"tidy: see {' '.join(found)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
