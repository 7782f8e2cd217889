#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds functions of one name that sources of one batch (a unity build) define in unnamed namespaces, where a call may mean either.

usage: check_batches.py BUILD

The compiler refuses two functions with the same parameters. Where one is a template, or both take numbers, overload resolution may choose
the function of the other source, without a warning. BUILD is a configured build folder.
"""

import collections
import itertools
import json
import re
import sys
from pathlib import Path

# At the left margin, as clang-format puts it: what the function returns, its name, its parameters.
FUNCTION = re.compile(r"^(?:template <[^\n]*>\s+)?(?!using|return|namespace|struct|class|enum|static_assert|typedef)"
                      r"[A-Za-z_][\w:<>,&*\s]*?\b([A-Za-z_]\w*)\(([^()]*(?:\([^()]*\)[^()]*)*)\)(?: const)?(?: noexcept)? \{", re.M)
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.M | re.S)
NUMBER = re.compile(r"\b(bool|char|short|int|unsigned|long|float|double|size_t|ptrdiff_t|u?int\d+_t|auto|[A-Z]|Id|Qt|qreal)\b(?!<)")


def parameters(text):
    """Splits a list of parameters at its commas, but not at those of a template's arguments."""
    depth, parts = 0, [""]
    for letter in text:
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def functions(source):
    """Returns (name, parameters) of each function that a source defines in its unnamed namespaces."""
    return [(name, tuple(parameters(taken))) for unnamed in UNNAMED.findall(source) for name, taken in FUNCTION.findall(unnamed)]


def takes_any_number(parameter):
    return bool(NUMBER.search(parameter.split("=")[0])) and "<" not in parameter and "(" not in parameter and "[" not in parameter


def may_mean_either(one, other):
    return len(one) == len(other) > 0 and all(takes_any_number(a) and takes_any_number(b) for a, b in zip(one, other))


def findings(batches):
    """Yields a sentence for each such pair; a batch is a list of (path, text)."""
    for batch in batches:
        defined = collections.defaultdict(list)
        for path, text in batch:
            for name, taken in functions(text):
                defined[name].append((path, taken))
        for name, all_of_it in sorted(defined.items()):
            for (path, one), (other_path, other) in itertools.combinations(all_of_it, 2):
                if path != other_path and may_mean_either(one, other):
                    yield f"{name}({', '.join(one)}) of {path} and {name}({', '.join(other)}) of {other_path}, which are compiled as one"


def batches_of(build):
    for file in sorted({entry["file"] for entry in json.loads((build / "compile_commands.json").read_text("utf-8"))}):
        if "/Unity/" not in file:
            continue
        sources = re.findall(r'^#include "(.+\.cpp)"$', Path(file).read_text("utf-8"), re.M)
        yield [(source, Path(source).read_text("utf-8")) for source in sources]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    batches = list(batches_of(Path(sys.argv[1])))
    found = list(findings(batches))
    for finding in found:
        print(f"{finding}: give one of them another name")
    print(f"{sum(map(len, batches))} sources in {len(batches)} batches")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
