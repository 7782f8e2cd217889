#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the package on a GPU, each call in turn with a copy in its memory of as many bytes, and its peers.

usage: gpu_bench.py [--json FILE] [--quick] [--budget SECONDS] [--only SECTION[,SECTION...]]

Sections: overhead, filters, pooling, gradients, peers, jax. A row's time is the median of 30 samples, by CUDA events; calls that
do not wait are queued behind a kernel that keeps the stream busy, so that the host's time is not in it. Rows "wall" and those of
the overhead are by the host's clock. The copy moves the bytes that the call must read and write. What is not installed, and what
the budget leaves no time for, is left out and said.
"""

import argparse
import json
import statistics
import sys
import time

import numpy as np
import torch
from bench import environment, find, gaussian_taps

import iir2d
import iir2d.torch as it

GPU = torch.device("cuda")
SHAPES = ((4, 3, 1024, 1024), (1, 1, 4096, 4096), (1, 1, 8192, 8192))
CYCLES_A_SECOND = 2e9  # of torch.cuda._sleep; about right is enough


class OutOfTime(Exception):
    """The budget is spent."""


class Bench:
    """Takes the times and keeps the rows."""

    def __init__(self, quick, budget):
        self.samples, self.rows, self.missing = 7 if quick else 30, [], []
        self.most_s = 0.3 if quick else 1.5  # of one row, beyond which it has fewer samples
        self.end = time.monotonic() + budget
        self.buffers = {}

    def copy_of(self, moved):
        """A call that reads and writes so many bytes together."""
        size = max(int(moved) // 2, 1)
        if size not in self.buffers:
            self.buffers = {size: [torch.zeros(size, dtype=torch.uint8, device=GPU) for _ in range(2)]}
        source, target = self.buffers[size]
        return lambda: target.copy_(source)

    @staticmethod
    def on_device(call, count, waits, host_s):
        """Returns the device's seconds for a call, of `count` in a row."""
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        if not waits:
            torch.cuda._sleep(int((2 * host_s * count + 2e-5) * CYCLES_A_SECOND))
        begin.record()
        for _ in range(count):
            call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3 / count

    @staticmethod
    def by_wall(call, count, waits, host_s):
        """Returns the host's seconds for a call; `call` takes how many it makes."""
        begin = time.perf_counter()
        call(count)
        return (time.perf_counter() - begin) / count

    @staticmethod
    def by_host(call, count, waits, host_s):
        """Returns the host's seconds to enqueue a call; the device has done everything before."""
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(count):
            call()
        return (time.perf_counter() - begin) / count

    def row(self, section, name, shape, call, moved=None, *, base=None, waits=False, clock=None, count=None):
        """Adds a row of a call beside a copy of `moved` bytes, or beside `base`."""
        if time.monotonic() > self.end:
            raise OutOfTime
        clock = clock or self.on_device
        base = base or self.copy_of(moved)
        calls = (call, clock, waits), (base, self.on_device if clock == self.by_wall else clock, False)
        one, host = [], []
        for each, by, _ in calls:
            arguments = (1,) if by == self.by_wall else ()
            for _ in range(3):
                torch.cuda.synchronize()
                begin = time.perf_counter()
                each(*arguments)
                queued = time.perf_counter()
                torch.cuda.synchronize()
                taken = time.perf_counter()
                if taken - begin > 2 * self.most_s:
                    break
            one.append(taken - begin)
            host.append(queued - begin)
        counts = [count or max(1, min(8, int(5e-4 / s))) for s in one]
        samples = ([], [])
        begin = time.monotonic()
        while len(samples[0]) < self.samples:
            for i, (each, by, waiting) in enumerate(calls):
                samples[i].append(by(each, counts[i], waiting, host[i]))
            if time.monotonic() - begin > self.most_s and len(samples[0]) >= 3:
                break
        own, copy = (statistics.median(of) * 1e3 for of in samples)
        self.rows.append({
            "section": section, "name": name, "shape": list(shape), "p50_ms": own, "copy_p50_ms": copy, "ratio": own / copy,
            "samples": len(samples[0]), "calls_a_sample": counts[0], "bytes": moved,
            "samples_ms": [[round(s * 1e3, 6) for s in of] for of in samples],
        })  # fmt: skip
        return self.rows[-1]

    def attempt(self, section, name, *arguments, **options):
        """row(), but a call that fails is left out and said."""
        try:
            self.row(section, name, *arguments, **options)
        except OutOfTime:
            raise
        except Exception as error:
            self.missing.append(f"{section}: {name}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
            torch.cuda.synchronize()


def random(*shape):
    return torch.rand(shape, generator=torch.Generator(GPU).manual_seed(1), device=GPU)


def filters(bench):
    for shape in SHAPES:
        x = random(*shape)
        out = torch.empty_like(x)
        for filter_id in range(1, 9):
            bench.attempt("filters", f"filter {filter_id}", shape, lambda i=filter_id: it.filter(x, i), 2 * x.nbytes)
        bench.attempt("filters", "filter 6, out=", shape, lambda: it.filter(x, 6, out=out), 2 * x.nbytes)
        bench.attempt("filters", "filter 6, arrays, out=", shape, lambda: iir2d.filter(x, 6, out=out), 2 * x.nbytes)
        sigma = torch.full(shape[:2], 2.0)
        bench.attempt("filters", "filter 6, a sigma a plane", shape, lambda: it.filter(x, 6, sigma=sigma), 2 * x.nbytes)
        bench.attempt("filters", "filter 6, adjoint", shape, lambda: it.filter_adjoint(x, 6), 2 * x.nbytes)
    x = random(*SHAPES[0])
    for dtype in (torch.float16, torch.bfloat16, torch.float64):
        y = x.to(dtype)
        for filter_id in (1, 6):
            name = f"filter {filter_id}, {str(dtype).removeprefix('torch.')}"
            bench.attempt("filters", name, SHAPES[0], lambda i=filter_id, y=y: it.filter(y, i), 2 * y.nbytes)


def gradients(bench):
    """Forward and backward: with dx alone x, y, dy and dx are moved, with the parameter x and dy once more."""
    for shape in SHAPES:
        x = random(*shape).requires_grad_()
        dy = random(*shape)
        for filter_id, name in ((1, "alpha"), (6, "sigma")):
            def alone(i=filter_id):
                return torch.autograd.grad(it.filter(x, i), x, dy)
            bench.attempt("gradients", f"filter {filter_id}, forward and dx", shape, alone, 4 * x.nbytes)
            value = torch.tensor(0.85 if filter_id == 1 else 2.0, device=GPU, requires_grad=True)

            def both(i=filter_id, name=name, value=value):
                return torch.autograd.grad(it.filter(x, i, **{name: value}), (x, value), dy)
            bench.attempt("gradients", f"filter {filter_id}, forward, dx and {name}", shape, both, 6 * x.nbytes, waits=True)
        whole, upstream = x.detach(), dy
        bench.attempt("gradients", "filter 6, filter_gradient alone", shape,
                      lambda: it.filter_gradient(whole, upstream, 6, sigma=2.0), 2 * x.nbytes)  # fmt: skip


def pooling(bench):
    F = torch.nn.functional
    for shape in SHAPES:
        x = random(*shape)
        leaf = x.clone().requires_grad_()
        moved = x.nbytes * 5 // 4
        for name, call in (
            ("max 2x2", lambda m: m.max_pool2d(x, 2)),
            ("max 2x2 with places", lambda m: m.max_pool2d(x, 2, return_indices=True)),
            ("avg 2x2", lambda m: m.avg_pool2d(x, 2)),
            ("lp 2x2", lambda m: m.lp_pool2d(x, 2.0, 2)),
            ("max 3x3, stride 2", lambda m: m.max_pool2d(x, 3, 2, 1)),
        ):
            size = moved + (x.nbytes // 2 if "places" in name else 0)
            bench.attempt("pooling", name, shape, lambda call=call: call(it), size)
            bench.attempt("pooling", f"torch's {name}", shape, lambda call=call: call(F), size)
        pooled = random(*shape[:2], shape[2] // 2, shape[3] // 2)
        for module, whose in ((it, ""), (F, "torch's ")):
            bench.attempt("pooling", f"{whose}max 2x2, forward and backward", shape,
                          lambda m=module: torch.autograd.grad(m.max_pool2d(leaf, 2), leaf, pooled), 2 * moved + x.nbytes)  # fmt: skip


def peers(bench):
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    ndimage = find("cupyx.scipy.ndimage", bench.missing)
    for shape in SHAPES[:2]:
        x = random(*shape)
        planes = x.reshape(-1, 1, *shape[2:])
        for sigma, count in ((2.0, 17), (8.0, 65)):
            bench.attempt("peers", f"filter 6, sigma {sigma:g}", shape, lambda s=sigma: it.filter(x, 6, sigma=s), 2 * x.nbytes)
            taps = torch.from_numpy(gaussian_taps(count, sigma)).to(GPU)
            rows, columns = taps.reshape(1, 1, 1, -1), taps.reshape(1, 1, -1, 1)

            def separable(rows=rows, columns=columns, count=count):
                conv = torch.nn.functional.conv2d
                return conv(conv(planes, rows, padding=(0, count // 2)), columns, padding=(count // 2, 0))
            bench.attempt("peers", f"torch's separable convolution, {count} taps", shape, separable, 2 * x.nbytes)
            if ndimage:
                import cupy

                theirs = cupy.from_dlpack(x)
                bench.attempt("peers", f"cupyx.scipy.ndimage.gaussian_filter, sigma {sigma:g}", shape,
                              lambda s=sigma, v=theirs: ndimage.gaussian_filter(v, (0, 0, s, s)), 2 * x.nbytes)  # fmt: skip
    audio = find("torchaudio.functional", bench.missing)
    if audio:
        x = random(1024, 1024)
        a, b = torch.tensor([1.0, -0.85], device=GPU), torch.tensor([0.15, 0.0], device=GPU)
        bench.attempt("peers", "filter 1", x.shape, lambda: it.filter(x, 1), 2 * x.nbytes)
        bench.attempt("peers", "torchaudio's lfilter, rows alone", x.shape, lambda: audio.lfilter(x, a, b, clamp=False),
                      2 * x.nbytes, waits=True, count=1)  # fmt: skip


def jax_jitted(bench):
    import os

    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = find("jax", bench.missing)
    if not jax:
        return
    import iir2d.jax as ij

    try:
        device = jax.devices("gpu")[0]
    except RuntimeError as error:
        bench.missing.append(f"jax: {str(error).splitlines()[0]}")
        return

    def repeated(run, x):
        def call(count):
            for _ in range(count):
                y = run(x)
            y.block_until_ready()
        return call

    plus = jax.jit(lambda v: v + 1)
    for shape in SHAPES[:2]:
        x = jax.device_put(np.random.default_rng(1).random(shape, dtype=np.float32), device)
        for filter_id in (1, 6):
            run = jax.jit(lambda v, i=filter_id: ij.filter(v, i))
            bench.attempt("jax", f"wall: JAX, jitted filter {filter_id}", shape, repeated(run, x), 2 * x.nbytes,
                          clock=bench.by_wall, count=8)  # fmt: skip
        bench.attempt("jax", "wall: JAX, jitted x + 1", shape, repeated(plus, x), 2 * x.nbytes, clock=bench.by_wall, count=8)
        pooled = jax.jit(lambda v: ij.max_pool2d(v, 2))
        bench.attempt("jax", "wall: JAX, jitted max 2x2", shape, repeated(pooled, x), x.nbytes * 5 // 4, clock=bench.by_wall, count=8)
    small = jax.device_put(np.ones((64, 64), np.float32), device)
    for name, run in (("filter 1", jax.jit(lambda v: ij.filter(v, 1))), ("x + 1", plus)):
        bench.attempt("jax", f"wall: JAX, jitted {name}", (64, 64), repeated(run, small), 2 * small.nbytes, clock=bench.by_wall, count=100)


def overhead(bench):
    """The host's time to enqueue a call, beside x.clone()."""
    x = random(64, 64)
    leaf, out, ones = x.clone().requires_grad_(), torch.empty_like(x), torch.ones_like(x)
    sigma = torch.tensor(2.0, device=GPU)
    for name, call in (
        ("torch, filter 1", lambda: it.filter(x, 1)),
        ("torch, filter 1, out=", lambda: it.filter(x, 1, out=out)),
        ("torch, filter 6", lambda: it.filter(x, 6)),
        ("torch, filter 6, sigma=2.0", lambda: it.filter(x, 6, sigma=2.0)),
        ("torch, filter 6, sigma on the GPU (waits)", lambda: it.filter(x, 6, sigma=sigma)),
        ("torch, filter 1, forward and backward", lambda: torch.autograd.grad(it.filter(leaf, 1), leaf, ones)),
        ("torch, max 2x2", lambda: it.max_pool2d(x, 2)),
        ("torch's own max 2x2", lambda: torch.nn.functional.max_pool2d(x[None], 2)),
        ("arrays, filter 1", lambda: iir2d.filter(x, 1)),
        ("arrays, filter 1, out=", lambda: iir2d.filter(x, 1, out=out)),
    ):
        bench.attempt("overhead", f"host: {name}", x.shape, call, None, base=x.clone, clock=bench.by_host, count=100)


SECTIONS = {"overhead": overhead, "filters": filters, "pooling": pooling, "gradients": gradients, "peers": peers, "jax": jax_jitted}


def table(report):
    lines = [f"{report['device']['name']}, {report['environment']['library']}", "",
             "| section | call | shape | p50, ms | copy, ms | times the copy | GB/s |",
             "| --- | --- | --- | ---: | ---: | ---: | ---: |"]  # fmt: skip
    for row in report["rows"]:
        rate = "" if row["bytes"] is None else f"{row['bytes'] / row['p50_ms'] / 1e6:.0f}"
        lines.append(f"| {row['section']} | {row['name']} | {'x'.join(map(str, row['shape']))} | {row['p50_ms']:.4g} | "
                     f"{row['copy_p50_ms']:.4g} | {row['ratio']:.2f} | {rate} |")  # fmt: skip
    return "\n".join([*lines, *(f"left out: {line}" for line in report["missing"])])


def device():
    of = torch.cuda.get_device_properties(GPU)
    free, total = torch.cuda.mem_get_info()
    return {"name": of.name, "capability": [of.major, of.minor], "processors": of.multi_processor_count, "memory": total,
            "memory_free": free, "cuda_of_torch": torch.version.cuda}  # fmt: skip


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="writes the report, with every sample")
    parser.add_argument("--quick", action="store_true", help="7 samples in place of 30")
    parser.add_argument("--budget", type=float, default=55.0, help="seconds after which the rest is left out (55)")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, separated by commas")
    options = parser.parse_args(arguments)
    chosen = options.only.split(",")
    for name in chosen:
        if name not in SECTIONS:
            parser.error(f"there is no section {name!r}: sections are {', '.join(SECTIONS)}")
    if not torch.cuda.is_available():
        print("gpu_bench.py: error: torch finds no CUDA device", file=sys.stderr)
        return 2
    bench = Bench(options.quick, options.budget)
    begin = time.monotonic()
    for name in chosen:
        try:
            with torch.no_grad() if name in ("filters", "peers") else torch.enable_grad():
                SECTIONS[name](bench)
        except OutOfTime:
            bench.missing.append(f"{name}: what came after the budget of {options.budget:g} s")
        torch.cuda.empty_cache()
    report = {"schema_version": 1, "environment": environment(), "device": device(), "quick": options.quick,
              "seconds": time.monotonic() - begin, "rows": bench.rows, "missing": list(dict.fromkeys(bench.missing))}  # fmt: skip
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
    print(table(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
