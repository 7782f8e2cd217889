#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/gpu-measured.md from what tests/gpu/run_on_gpu.sh measured.

usage: gpu_page.py [--check] [RECORD PYTHON]    (default: docs/gpu-record.json docs/gpu-python.json)

--check compares the page with what the two files give, and ends with 1 where it differs.
"""

import json
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"

# Of a copy of 8192 x 8192 floats on an H200 in the same run.
GOALS = {1: 1.35, 2: 1.4, 3: 1.4, 4: 1.5, 5: 2.1, 6: 2.2, 7: 1.35, 8: 1.4}
GOAL_OF_POOLING = 1.3

INTRODUCTION = """# Measured on a GPU

Written by `scripts/gpu_page.py` from [gpu-record.json](gpu-record.json) and [gpu-python.json](gpu-python.json), which hold every
sample and are made by `tests/gpu/run_on_gpu.sh`; the test `gpu_page` compares. **Times over a copy** are medians of {samples} samples, by the
GPU's events, each beside a device-to-device copy in the same run, in turn. A copy of a plane reads it and writes it; pooling
stands beside a copy that moves as many bytes as pooling must. Planes of 1024 x 1024 and 2048 x 2048 stay in the second-level
cache, the copy's too, and launches take a good part of such a time.
"""


def property_of(device, key):
    """Returns a property's value with its unit, or "not known"."""
    for one in device["properties"]:
        if one["key"] == key:
            return "not known" if one["value"] is None else f"{one['value']} {one['unit']}".strip()
    return "not known"


def table(head, rows):
    """Returns a Markdown table."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines) + "\n"


def environment(record, python):
    """Returns what it was measured on."""
    gpu = next(d for d in record["environment"]["devices"] if d["id"].startswith("cuda"))
    rows = [
        ["GPU", gpu["name"]],
        ["driver", property_of(gpu, "driver_version")],
        ["compute capability, multiprocessors", f"{property_of(gpu, 'compute_capability')}, {property_of(gpu, 'multiprocessors')}"],
        ["second-level cache", property_of(gpu, "l2_cache")],
        ["memory's bandwidth, by its bus", property_of(gpu, "memory_bandwidth")],
        ["build", record["environment"]["build"]],
        ["started", record["started_utc"]],
        ["Python", ", ".join([python["environment"]["python"]] + [f"{k} {v}" for k, v in python["environment"]["packages"].items()])],
    ]
    return table(["what", "value"], rows).replace("---:", "---")


def parity(record):
    """Returns what was compared."""
    found = record["parity"]
    unlike = found["unlike_executor"]
    return (
        f"{found['cases']:,} cases of filters, forward and backward: every filter, border, start and precision on images of one sample\n"
        f"to 2048 x 1030. {found['beyond_bound']} beyond the stated bound (the worst takes {found['worst_share_of_bound']:.0%} of it); "
        + ("not compared with the executor." if unlike is None else f"{unlike} with other bits than the\nexecutor of the same source on the CPU.")
        + "\n"
    )


def ratio_rows(latency, names, sizes):
    """Returns rows of times over a copy, one for each name."""
    found = {(l["what"], l["width"]): l["ratio_to_copy"] for l in latency}
    return [[shown, *(f"{found[name, size]:.2f}" if (name, size) in found else "" for size in sizes)] for shown, name in names]


def filters(latency, sizes):
    """Returns the tables of filters."""
    text = ""
    for precision in ("f32", "mixed", "f64"):
        names = [(f"filter {i}", f"filter {i} mirror {precision}") for i in range(1, 9)]
        rows = ratio_rows(latency, names, sizes)
        head = [precision, *sizes]
        if precision == "f32":
            head.append("goal at 8192")
            for i, row in enumerate(rows, 1):
                row.append(f"{GOALS[i]}, {'kept' if float(row[-1]) <= GOALS[i] else '**missed**'}")
        text += table(head, rows) + "\n"
    names = [(f"filter {i}", f"filter {i} mirror f32, adjoint") for i in range(1, 9)]
    text += table(["adjoint, f32", *sizes], ratio_rows(latency, names, sizes)) + "\n"
    names = [(f"filter {i}", f"filter {i} mirror f32, gradient of the parameters") for i in range(1, 9)]
    text += table(["gradient of the parameters", *sizes], ratio_rows(latency, names, sizes)) + "\n"
    ms = {(l["what"], l["width"]): l["p50_ms"] for l in latency}
    rows = [[f"filter {i}", *(f"{ms[f'filter {i} mirror f32', s]:.4f}" for s in sizes)] for i in range(1, 9)]
    return text + table(["f32, milliseconds", *sizes], rows)


def pooling(latency, sizes):
    """Returns the table of pooling."""
    kinds = list(dict.fromkeys(l["what"] for l in latency if "pooling" in l["what"]))
    rows = ratio_rows(latency, [(k, k) for k in kinds], sizes)
    for row in rows:
        row.append(f"{GOAL_OF_POOLING}, {'kept' if float(row[-1]) <= GOAL_OF_POOLING else '**missed**'}" if "2x2" in row[0] else "")
    return table(["pooling", *sizes, "goal at 8192"], rows)


def of_python(python):
    """Returns the tables of the Python package and its peers."""
    text = ""
    for section in dict.fromkeys(r["section"] for r in python["rows"]):
        rows = []
        for r in python["rows"]:
            if r["section"] == section:
                shape = "x".join(str(n) for n in r["shape"])
                rows.append([r["name"], shape, f"{r['p50_ms']:.4g}", f"{r['copy_p50_ms']:.4g}", f"{r['ratio']:.2f}"])
        text += f"\n### {section.capitalize()}\n\n" + table(["call", "shape", "ms", "copy, ms", "over the copy"], rows)
    for missing in python["missing"]:
        text += f"\nLeft out: {missing}\n"
    return text


def page(record, python):
    """Returns the page."""
    latency = record["latency"]
    sizes = sorted({l["width"] for l in latency})
    return "\n".join(
        [
            INTRODUCTION.format(samples=len(latency[0]["ms"])),
            environment(record, python),
            "## Parity\n",
            parity(record),
            "## Filters, over a copy\n",
            filters(latency, sizes),
            "## Pooling, over a copy of what it moves\n",
            pooling(latency, sizes),
            "## The Python package\n",
            "`tests/python/gpu_bench.py`. Rows of the overhead, and those that begin with wall, are by the host's clock; all others by the GPU's.",
            of_python(python),
        ]
    )


def main(arguments):
    """Writes or checks the page; returns the exit code."""
    check = arguments[:1] == ["--check"]
    files = arguments[1:] if check else arguments
    record, python = (json.loads(Path(f).read_text()) for f in files or (DOCS / "gpu-record.json", DOCS / "gpu-python.json"))
    target = DOCS / "gpu-measured.md"
    text = page(record, python)
    if not check:
        target.write_text(text)
    elif target.read_text() != text:
        print(f"{target.name} is not what its records give: run scripts/gpu_page.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
