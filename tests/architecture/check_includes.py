#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the directions of #include: between the rooms, app -> ui -> core -> kernels and python -> the C headers of
kernels, and between their folders.

usage: check_includes.py [--graph] PROJECT_ROOT

Which folder may include which is read from the tables of docs/architecture.md whose header begins with
"| folder | may include |". Prints one line for each include that breaks a rule, each folder without a row, each row
without a folder and each cycle of the tables, and exits with 1; 0 when there is none; 2 when there was nothing to
check, so that a wrong path cannot pass.

--graph prints the includes as they are, folder by folder, each after those that it includes, and says that there is
no cycle; or prints the cycle and exits with 1.
"""

import re
import sys
from pathlib import Path

# From the lowest up; a room includes its own headers and those below it. python stands beside core, over the C headers.
ROOMS = ["kernels", "core", "ui", "app", "python"]
# Checked for the form of their includes only.
OTHER_FOLDERS = ["tests"]
SUFFIXES = {".h", ".hpp", ".hh", ".inl", ".ipp", ".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".in"}
PUBLIC_KERNELS = Path("kernels/include")
# How the public headers are included and named in the tables, and where they are.
PUBLIC_PREFIX = "iir2d"
PUBLIC_FOLDER = "kernels/include/iir2d"
TABLES = Path("docs/architecture.md")

QT = re.compile(r"(Qt[A-Z]\w*/.*|Q[A-Z]\w*|q[a-z0-9_]+\.h)$")
OPEN_IMAGE_IO = re.compile(r"OpenImageIO/")
# The module that only the image worker opens.
IMAGE_MODULE = Path("core/image/module")
# All of ours that the Python package's module may know: no C++ crosses into it.
C_HEADERS = {"iir2d/iir2d_core.h", "iir2d/iir2d_filter.h", "iir2d/iir2d_pool.h"}
# Folders that may include of ours, beside their own headers, these alone.
ONLY_HEADERS = {"core/ptx": {"core/support/error.h"}}
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


class Table:
    """What each folder may include, as docs/architecture.md says it."""

    def __init__(self, text):
        self.rows = {}  # folder -> (line, what its second cell names)
        self.messages = []
        in_table = False
        for number, line in enumerate(text.splitlines(), 1):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if not line.startswith("|"):
                in_table = False
            elif cells[:2] == ["folder", "may include"]:
                in_table = True
            elif in_table and not set(cells[0]) <= {"-", ":"}:
                self.add_row(number, cells)

    def add_row(self, number, cells):
        named = re.fullmatch(r"`([^`]+)`", cells[0])
        if not named or len(cells) < 2:
            self.messages.append(f"{TABLES}:{number}: the row does not begin with one folder in backticks")
            return
        folder = named.group(1).rstrip("/")
        room = folder.split("/")[0]
        if folder in self.rows:
            self.messages.append(f"{TABLES}:{number}: {folder} has a row already, in line {self.rows[folder][0]}")
            return
        allowed = set()
        for name in re.findall(r"`([^`]+)`", cells[1]):
            if name == PUBLIC_PREFIX:
                allowed.add(PUBLIC_FOLDER)
            elif name.split("/")[0] in ROOMS:
                allowed.add(name.rstrip("/"))
            else:
                allowed.add(f"{room}/{name}".rstrip("/"))
        self.rows[folder] = (number, allowed)

    def allows(self, folder, target):
        allowed = self.rows[folder][1]
        return target in allowed or f"{target.split('/')[0]}/*" in allowed

    def graph(self):
        """folder -> folders that it may include, with every `room/*` written out."""
        return {folder: {target for target in self.rows if target != folder and self.allows(folder, target)}
                for folder in self.rows}

    def mistakes(self, folders):
        """Messages about the tables themselves; `folders` are those with source files."""
        messages = list(self.messages)
        for folder in sorted(folders - set(self.rows)):
            messages.append(f"{folder}: the folder has no row in the tables of {TABLES}")
        for folder, (number, allowed) in self.rows.items():
            if folder not in folders:
                messages.append(f"{TABLES}:{number}: {folder} has no source file")
            for target in sorted(allowed):
                room = target.split("/")[0]
                if target.endswith("/*") and room == folder.split("/")[0]:
                    messages.append(f"{TABLES}:{number}: {folder} may include {target}: a room is not its own folder")
                elif not target.endswith("/*") and target not in self.rows:
                    messages.append(f"{TABLES}:{number}: {folder} may include {target}, which has no row")
        cycle = find_cycle(self.graph())
        if cycle:
            messages.append(f"{TABLES}: the tables allow a cycle: {' -> '.join(cycle)}")
        return messages


def in_order(graph):
    """(folders, each after those it includes; a cycle or None). What is in a cycle, or above one, is left out."""
    order, open_folders, done = [], [], set()

    def visit(folder):
        if folder in open_folders:
            return open_folders[open_folders.index(folder):] + [folder]
        if folder in done:
            return None
        open_folders.append(folder)
        for target in sorted(graph[folder], key=list(graph).index):
            cycle = visit(target)
            if cycle:
                return cycle
        open_folders.pop()
        done.add(folder)
        order.append(folder)
        return None

    for folder in graph:
        cycle = visit(folder)
        if cycle:
            return order, cycle
    return order, None


def find_cycle(graph):
    return in_order(graph)[1]


def target_folder(path):
    """The folder, in one of the rooms, that an included path lies in; None for what is not ours."""
    first = path.split("/")[0]
    if first == PUBLIC_PREFIX and "/" in path:
        return str((PUBLIC_KERNELS / path).parent)
    return str(Path(path).parent) if first in ROOMS else None


def broken_rules(file, path, table):
    """What is wrong with `file` (relative to the root) including `path`; `table` says which folders may."""
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
    if room == "python" and path not in C_HEADERS and (target in ROOMS[:-1] or target == PUBLIC_PREFIX):
        return rules + [f"python may include of ours only {', '.join(sorted(C_HEADERS))}"]
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
    folder, target = str(file.parent), target_folder(path)
    if folder in ONLY_HEADERS and target not in (None, folder) and path not in ONLY_HEADERS[folder]:
        rules.append(f"{folder} may include of ours only {', '.join(sorted(ONLY_HEADERS[folder]))}")
    if not rules and target not in (None, folder) and folder in table.rows and not table.allows(folder, target):
        rules.append(f"{folder} may not include {target}: {TABLES}, line {table.rows[folder][0]}")
    return rules


def is_source(path):
    """Of a template, x.h.in, the name without .in decides."""
    suffix = Path(path.stem).suffix if path.suffix == ".in" else path.suffix
    return suffix in SUFFIXES and path.is_file()


def read_includes(root):
    """(folder of the project, file, [(line, path)]) of every source file."""
    for folder in ROOMS + OTHER_FOLDERS:
        for file in sorted(path for path in (root / folder).rglob("*") if is_source(path)):
            yield folder, file.relative_to(root), list(includes(file.read_text(encoding="utf-8", errors="replace")))


def read_table(root):
    file = root / TABLES
    return Table(file.read_text(encoding="utf-8") if file.is_file() else "")


def check(root):
    """(messages, number of files looked at); a missing or empty room is a message."""
    messages = []
    table = read_table(root)
    looked_at = dict.fromkeys(ROOMS + OTHER_FOLDERS, 0)
    folders = set()
    for room, file, included in read_includes(root):
        looked_at[room] += 1
        if room in ROOMS:
            folders.add(str(file.parent))
        for line, path in included:
            for rule in broken_rules(file, path, table):
                messages.append(f"{file}:{line}: #include {path or '(macro)'}: {rule}")
    for room in ROOMS:
        if looked_at[room] == 0:
            messages.append(f"{root / room}: no source file found, nothing was checked there")
    return messages + table.mistakes(folders), sum(looked_at.values())


def print_graph(root):
    """Prints the includes as they are; whether they have no cycle."""
    graph = {}
    for room, file, included in read_includes(root):
        if room not in ROOMS:
            continue
        targets = graph.setdefault(str(file.parent), {})
        for _, path in included:
            target = target_folder(path or "")
            if target not in (None, str(file.parent)):
                targets[target] = targets.get(target, 0) + 1
    for target in {target for targets in graph.values() for target in targets}:
        graph.setdefault(target, {})
    order, cycle = in_order(graph)
    for folder in order:
        targets = ", ".join(f"{target} ({graph[folder][target]})" for target in sorted(graph[folder], key=order.index))
        print(f"{folder}: {targets or 'nothing'}")
    if cycle:
        print(f"there is a cycle: {' -> '.join(cycle)}")
    else:
        arrows = sum(len(targets) for targets in graph.values())
        print(f"{len(order)} folders, {arrows} arrows, each folder after those that it includes: there is no cycle")
    return cycle is None


def main(arguments):
    graph = "--graph" in arguments
    arguments = [argument for argument in arguments if argument != "--graph"]
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(arguments[0]).resolve()
    if graph:
        return 0 if print_graph(root) else 1
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
