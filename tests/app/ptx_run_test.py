#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs what nvcc makes of kernels that are nobody's in particular, and compares with what Python computes.

ptx_run_test.py IIR2D NVCC ptx_samples.cu SCRATCH

The samples are compiled for three front ends (compute_75, 90, 120); `ptx info` may refuse nothing in them, and `ptx run`
gives what is expected, without a finding.
"""
import json
import pathlib
import random
import struct
import subprocess
import sys

PROGRAM, NVCC, SAMPLES, SCRATCH = sys.argv[1:5]
SCRATCH = pathlib.Path(SCRATCH)
FAILURES = []


def expect(holds, what):
    if not holds:
        FAILURES.append(what)
        print(f"failed: {what}")


def f32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def numbers(values):
    return ",".join(str(v) for v in values)


def run(text, kernel, grid, block, arguments, shared=0, seed=0):
    command = [PROGRAM, "ptx", "run", str(text), "--kernel", kernel, "--grid", str(grid), "--block", str(block),
               "--shared", str(shared), "--seed", str(seed), "--json"]
    for argument in arguments:
        command += ["--arg", argument]
    return subprocess.run(command, capture_output=True, text=True)


def results(text, kernel, grid, block, arguments, **more):
    """Returns the values of every out and inout argument, the same for two seeds."""
    made = []
    for seed in (0, 3):
        done = run(text, kernel, grid, block, arguments, seed=seed, **more)
        expect(done.returncode == 0, f"{text.name} {kernel}: exit {done.returncode}: {done.stderr}{done.stdout[:300]}")
        if done.returncode != 0:
            return [[] for _ in arguments]
        made.append([argument["values"] for argument in json.loads(done.stdout)["arguments"]])
    expect(made[0] == made[1], f"{text.name} {kernel}: another seed gives other values")
    return made[0]


def check(text, kernel, got, wanted):
    expect(got == wanted, f"{text.name} {kernel}: {got} instead of {wanted}")


def check_runs(text):
    rng = random.Random(18)
    n = 200  # no multiple of the block: the last threads have nothing to do
    x = [f32(rng.uniform(-4, 4)) for _ in range(n)]
    y = [f32(rng.uniform(-4, 4)) for _ in range(n)]
    # nvcc contracts by default: one rounding of the exact sum, which a double holds (24 + 24 bits, exponents near 0).
    saxpy = [f32(1.5 * a + b) for a, b in zip(x, y)]
    got = results(text, "saxpy", 4, 64, ["f32:1.5", f"in:f32:{numbers(x)}", f"inout:f32:{numbers(y)}", f"i32:{n}"])[0]
    check(text, "saxpy", [f32(v) for v in got], saxpy)

    whole = [rng.randrange(-1000, 1000) for _ in range(n)]
    sums = [sum(whole[64 * b:64 * b + 64]) for b in range(4)]
    check(text, "block_sums", results(text, "block_sums", 4, 64, [f"in:i32:{numbers(whole)}", "out:i32:4", f"i32:{n}"],
                                      shared=256)[0], sums)

    small = [float(rng.randrange(-50, 50)) for _ in range(32)]  # exact in any order
    total, up, butterfly, broadcast = results(text, "shuffles", 1, 32, [
        f"in:f32:{numbers(small)}", "out:f32:32", "out:i32:32", "out:i32:32", "out:i32:32"])
    check(text, "shuffles", total[:1], [sum(small)])
    check(text, "shuffles up", up, [t if t % 16 < 3 else t - 3 for t in range(32)])
    check(text, "shuffles bfly", butterfly, [t ^ 5 for t in range(32)])
    check(text, "shuffles idx", broadcast, [49] * 32)

    signs = [rng.randrange(-50, 50) for _ in range(32)]
    ballot, every, some, same = results(text, "votes", 1, 32, [
        f"in:i32:{numbers(signs)}", "out:u32:32", "out:i32:32", "out:i32:32", "out:u32:32"])
    check(text, "votes ballot", ballot, [sum(1 << t for t in range(32) if signs[t] > 0)] * 32)
    check(text, "votes all, any", [every, some], [[1] * 32, [0] * 32])
    check(text, "votes match", same, [sum(1 << t for t in range(32) if signs[t] & 3 == s & 3) for s in signs])

    drawn = [rng.randrange(0, 1 << 30) for _ in range(n)]
    bins, extremes, count, wide = results(text, "atomics", 4, 64, [
        f"in:u32:{numbers(drawn)}", f"inout:u32:{numbers([0] * 8)}", f"inout:i32:-1,{1 << 30}", "inout:f32:0",
        "inout:u64:0", f"i32:{n}"])
    parity = 0
    for value in drawn:
        parity ^= value
    check(text, "atomics bins", bins, [sum(v % 7 == k for v in drawn) for k in range(7)] + [parity])
    check(text, "atomics", [extremes, count, wide], [[max(drawn), min(drawn)], [float(n)], [sum(drawn)]])

    def collatz(v):
        steps = 0
        while v != 1:
            v, steps = (v // 2 if v % 2 == 0 else 3 * v + 1), steps + 1
        return steps
    starts = [rng.randrange(1, 2000) for _ in range(64)]
    check(text, "collatz", results(text, "collatz", 1, 64, [f"in:u32:{numbers(starts)}", "out:i32:64"])[0],
          [collatz(v) for v in starts])

    fibonacci = [0, 1]
    while len(fibonacci) < 11:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    check(text, "recursion", results(text, "recursion", 1, 48, ["out:i32:48"])[0], [fibonacci[t % 11] for t in range(48)])

    four = [float(k) for k in range(160)]
    turned = [four[4 * ((t + 3) % 40) + 3 - k] for t in range(40) for k in range(4)]
    check(text, "vectors", results(text, "vectors", 1, 40, [f"in:f32:{numbers(four)}", "out:f32:160", "i32:3"])[0], turned)

    check(text, "checked", results(text, "checked", 1, 2, ["in:i32:1,2", "out:i32:2"])[0], [1, 2])
    failed = run(text, "checked", 1, 2, ["in:i32:1,-2", "out:i32:2"])
    expect(failed.returncode == 5 and "fails an assertion" in failed.stdout,
           f"{text.name} checked: exit {failed.returncode}: {failed.stdout[:400]}")


def main():
    SCRATCH.mkdir(parents=True, exist_ok=True)
    for target in (75, 90, 120):
        text = SCRATCH / f"samples_{target}.ptx"
        subprocess.run([NVCC, "-ptx", "-std=c++17", f"-arch=compute_{target}", SAMPLES, "-o", str(text)], check=True)
        info = subprocess.run([PROGRAM, "ptx", "info", str(text), "--json"], capture_output=True, text=True)
        expect(info.returncode == 0, f"{text.name}: info ends with {info.returncode}: {info.stderr}")
        if info.returncode != 0:
            continue
        told = json.loads(info.stdout)
        expect(told["refused"] == [], f"{text.name}: refused: {told['refused']}")
        expect(len(told["entries"]) >= 70, f"{text.name}: {len(told['entries'])} entries")
        check_runs(text)
    print(f"{len(FAILURES)} failures")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
