#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No kernel has a parameter of type long, whose size differs between Linux and Windows: both are given the same GPU image. Looks at
kernels/gpu_kernels.cu and all of ours that it includes, so that a member of a parameter's type is found too. usage: ... SOURCES"""
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
LONG = re.compile(r"(?<![\w])(?<!long )long(?! long)\b(?!\s+double)")


def closure(first, folders):
    seen, todo = set(), [first]
    while todo:
        file = todo.pop()
        if file in seen:
            continue
        seen.add(file)
        for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
            found = next((folder / name for folder in (*folders, file.parent) if (folder / name).is_file()), None)
            if found:
                todo.append(found.resolve())
    return sorted(seen)


def findings(text):
    plain = COMMENT_OR_STRING.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return [plain.count("\n", 0, match.start()) + 1 for match in LONG.finditer(plain)]


def main():
    sources = Path(sys.argv[1]).resolve()
    assert findings("void k(long a);\nlong long b; unsigned long c;") == [1, 2], "it finds no long, or takes long long for one"
    files = closure(sources / "kernels/gpu_kernels.cu", (sources, sources / "kernels/include"))
    assert len(files) > 10, f"only {len(files)} files were found"
    found = [f"{file.relative_to(sources)}:{line}" for file in files for line in findings(file.read_text(encoding="utf-8"))]
    assert not found, f"long has 4 bytes on Windows and 8 on Linux: {', '.join(found)}"
    print(f"{len(files)} files")


if __name__ == "__main__":
    main()
