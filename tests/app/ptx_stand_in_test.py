#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the command line over the stand-in driver with the kernels' PTX in place of their source.

ptx_stand_in_test.py IIR2D DRIVER_FOLDER TEXT.ptx gpu-traffic.json|--outputs SCRATCH

Outputs have the bytes of the source's; a text with a fault ends a command with 4 or 5, and the finding is said; what is
counted of a whole command is what gpu-traffic.json has, where that is of the same text. With --outputs, these alone.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

PROGRAM, DRIVER, TEXT, TRAFFIC, SCRATCH = sys.argv[1:6]
SCRATCH = pathlib.Path(SCRATCH)
FAILURES = []


def run(scenario, *arguments):
    environment = dict(os.environ, LD_LIBRARY_PATH=DRIVER, FAKE_CUDA=scenario)
    return subprocess.run([PROGRAM, *arguments, "--device", "cuda"], env=environment, capture_output=True, text=True)


def expect(holds, what):
    if not holds:
        FAILURES.append(what)
        print(f"failed: {what}")


def write_image(path, width, height):
    """Grey noise of 8 bits, as a portable grey map."""
    state, samples = 1, bytearray()
    for _ in range(width * height):
        state = (state * 1103515245 + 12345) % 2**31
        samples.append(state >> 16 & 255)
    path.write_bytes(b"P5\n%d %d\n255\n" % (width, height) + samples)


def compare_outputs(image):
    """Filters, pooling and parity, by the source and by the text."""
    jobs = {f"filter {i}": ("filter", "--filter", str(i)) for i in range(1, 9)}
    jobs["filter 5, wrap, steady, f64"] = ("filter", "--filter", "5", "--border", "wrap", "--start", "steady",
                                           "--precision", "f64")
    for op in ("max", "avg", "lp"):
        jobs[f"pool {op}"] = ("pool", "--op", op, "--window", "3", "--stride", "2")
    for name, (command, *options) in jobs.items():
        written = []
        for kernels in ("source", TEXT):
            out = SCRATCH / "out.pgm"
            out.unlink(missing_ok=True)
            done = run(f"kernels={kernels}", command, *options, "--out-type", "u16", str(image), str(out))
            expect(done.returncode == 0, f"{name} by {kernels}: exit {done.returncode}: {done.stderr}")
            written.append(out.read_bytes() if out.exists() else kernels)
        expect(written[0] == written[1], f"{name}: the text's output is not the source's")
    done = run(f"kernels={TEXT}", "parity", "--sizes", "70x45", "--filter-ids", "1,5,6")
    expect(done.returncode == 0, f"parity: exit {done.returncode}: {done.stderr}")


def plant(image):
    """Each fault ends a command: 4 where something is found, 5 where the result is another one."""
    text = pathlib.Path(TEXT).read_text()
    begin = text.index(".visible .entry iir_rows_f32_order1_x1(")
    kernel = text[begin:text.index("\n}\n", begin)]
    planted = {}
    # The last of a warp's keeps nothing apart (docs/ptx-faults.md); the one before does, in every sweep that stores.
    for barrier, which in (("bar.sync", 0), ("bar.warp.sync", -2)):
        at = list(re.finditer(barrier + r"[^;]*;", kernel))[which]
        planted[f"without a {barrier}"] = kernel[:at.start()] + kernel[at.end():]
    planted["with another constant"] = re.sub(r"(add\.s64 [^;]*, )16;", r"\g<1>17;", kernel)
    for name, changed in planted.items():
        expect(changed != kernel, f"{name}: nothing was planted")
        path = SCRATCH / "planted.ptx"
        path.write_text(text.replace(kernel, changed))
        codes = []
        said = ""
        for arguments in (("filter", "--filter", "1", str(image), str(SCRATCH / "out.pgm")),
                          ("parity", "--sizes", "203x40", "--filter-ids", "1", "--precisions", "f32")):
            done = run(f"kernels={path}", *arguments)
            codes.append(done.returncode)
            said += done.stderr + done.stdout
        expect(4 in codes or 5 in codes, f"{name}: exits {codes}")
        expect(5 in codes or re.search(r"race|bounds|uninitialised|barrier|misaligned", said),
               f"{name}: nothing is said of it: {said}")


def compare_counts():
    """The launches of whole commands at 2048 x 2048."""
    traffic = json.loads(pathlib.Path(TRAFFIC).read_text())
    with open(TEXT, encoding="ascii") as file:
        head = file.read(1000)
    if f"release {traffic['toolkit']}," not in head or f".target {traffic['target']}\n" not in head:
        print("gpu-traffic.json is of another text: not compared")
        return
    image = SCRATCH / "large.pgm"
    write_image(image, traffic["width"], traffic["height"])
    kept = {job["job"]: job["launches"] for job in traffic["jobs"]}
    counts = SCRATCH / "counts"
    for name, arguments in {"filter 1": ("filter", "--filter", "1"), "filter 3": ("filter", "--filter", "3"),
                            "max, 2 x 2 by 2": ("pool", "--op", "max", "--window", "2")}.items():
        counts.unlink(missing_ok=True)
        done = run(f"kernels={TEXT},checks=bounds,counts={counts}", *arguments, str(image), str(SCRATCH / "out.pgm"))
        expect(done.returncode == 0, f"{name}: exit {done.returncode}: {done.stderr}")
        made = [json.loads(line) for line in counts.read_text().splitlines()] if counts.exists() else []
        expect(made == kept[name], f"{name}: counted {made}, gpu-traffic.json has {kept[name]}")


def main():
    SCRATCH.mkdir(parents=True, exist_ok=True)
    image = SCRATCH / "image.pgm"
    write_image(image, 203, 77)
    compare_outputs(image)
    if TRAFFIC != "--outputs":
        plant(image)
        compare_counts()
    print("ptx_stand_in_test:", f"{len(FAILURES)} failures" if FAILURES else "everything holds")
    return 1 if FAILURES else 0


sys.exit(main())
