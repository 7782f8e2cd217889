#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the package against its goals: what a call costs above the C call, large arrays, gradients, and its peers.

usage: bench.py [--json] [--quick] [--clock wall|thread] [--only SECTION[,SECTION...]]

Sections: overhead, large, backward, memory, peers, pooling, threads. Every figure but the memory's is the median of 7 rounds or
more in which what is compared takes turns; the goals are ratios and differences within one run. Needs gcc, which compiles the loop
over the C interface. What is not installed is left out and said. docs/python-speed.md has a run.
"""

import argparse
import ctypes
import importlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import iir2d

C_LOOP = r"""
#include <iir2d/iir2d_core.h>
#include <iir2d/iir2d_filter.h>
#include <time.h>
static double now(int clock) { struct timespec t; clock_gettime(clock, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
/* Seconds of `count` calls; kind 0: iir2d_forward_cpu, 1: iir2d_filter_forward_cpu, 2: iir2d_filter_backward_cpu,
   3: that with the parameters' gradients, of x with itself. */
double seconds(int count, int kind, int filter, const void* x, void* y, long c, long height, long width, long row, int threads, int clock) {
    IIR2D_Params old = {(int)width, (int)height, filter, IIR2D_BORDER_MIRROR, 0.0f, IIR2D_PRECISION_F32};
    IIR2D_FilterParams p = {sizeof p, filter, IIR2D_BORDER_MIRROR, IIR2D_PRECISION_F32, IIR2D_ELEMENT_F32};
    p.n = 1; p.c = c; p.height = height; p.width = width; p.threads = threads;
    p.x_stride[0] = p.dy_stride[0] = c * height * row; p.y_stride[0] = p.dx_stride[0] = c * height * width;
    p.x_stride[1] = p.dy_stride[1] = height * row; p.y_stride[1] = p.dx_stride[1] = height * width;
    p.x_stride[2] = p.dy_stride[2] = row; p.y_stride[2] = p.dx_stride[2] = width;
    double dp[64];
    int failed = 0;
    const double begin = now(clock);
    for (int i = 0; i < count; ++i)
        failed |= kind == 0 ? iir2d_forward_cpu(x, y, &old) : kind == 1 ? iir2d_filter_forward_cpu(x, y, &p)
                            : kind == 2 ? iir2d_filter_backward_cpu(0, x, y, 0, &p) : iir2d_filter_backward_cpu(x, x, y, dp, &p);
    return failed ? -1.0 : now(clock) - begin;
}
"""


def compile_loop():
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "loop.c", Path(folder) / "loop.so"
        source.write_text(C_LOOP)
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", f"-I{iir2d.get_include()}", "-o", library, source,
                        iir2d.get_library(), f"-Wl,-rpath,{Path(iir2d.get_library()).parent}"], check=True)  # fmt: skip
        seconds = ctypes.CDLL(str(library)).seconds
    seconds.restype = ctypes.c_double
    integer, pointer, long = ctypes.c_int, ctypes.c_void_p, ctypes.c_long
    seconds.argtypes = [integer, integer, integer, pointer, pointer, long, long, long, long, integer, integer]
    return seconds


class CCall:
    """A call of the C interface, timed in C; x is (..., H, W) with rows that may lie apart."""

    loop = None

    def __init__(self, kind, filter_id, x, y, threads):
        CCall.loop = CCall.loop or compile_loop()
        height, width = x.shape[-2:]
        self.kept = (x, y)
        self.arguments = (kind, filter_id, x.ctypes.data, y.ctypes.data, x.size // (height * width), height, width,
                          x.strides[-2] // 4, threads)  # fmt: skip

    def seconds(self, count):
        taken = CCall.loop(count, *self.arguments, CLOCKS[clock])
        assert taken >= 0, "the C call failed"
        return taken


# Of the wall, or the processor time of the calling thread, which other programs' work does not lengthen as much.
CLOCKS = {"wall": time.CLOCK_MONOTONIC, "thread": time.CLOCK_THREAD_CPUTIME_ID}
clock = "wall"


def seconds_of(call, count):
    if isinstance(call, CCall):
        return call.seconds(count)
    begin = time.clock_gettime(CLOCKS[clock])
    for _ in range(count):
        call()
    return time.clock_gettime(CLOCKS[clock]) - begin


class Bench:
    """Takes the times and keeps the rows of the table."""

    def __init__(self, quick):
        self.rounds, self.loop_s, self.rows, self.missing = (7, 0.004, [], []) if quick else (15, 0.03, [], [])

    def take(self, calls, wall=False):
        """Returns the median seconds of each call, and the samples; they take turns. `wall`: by that clock whatever was
        asked for, since other threads do the work."""
        global clock
        chosen, clock = clock, "wall" if wall else clock
        try:
            return self.take_turns(calls)
        finally:
            clock = chosen

    def take_turns(self, calls):
        counts = {}
        for name, call in calls.items():
            seconds_of(call, 1)
            counts[name] = max(1, int(self.loop_s / max(seconds_of(call, 1), 1e-7)))
        samples = {name: [] for name in calls}
        for _ in range(self.rounds):
            for name, call in calls.items():
                samples[name].append(seconds_of(call, counts[name]) / counts[name])
        return {name: statistics.median(of) for name, of in samples.items()}, samples

    def row(self, section, case, calls, figure, unit, goal, at_most, wall=False):
        """Adds a row: figure(ours, base) in `unit` must be `goal` at most, or at least; None is no goal."""
        median, samples = self.take(calls, wall)
        ours, base = median["ours"], median["base"]
        fastest = figure(min(samples["ours"]), min(samples["base"]))
        figure = figure(ours, base)
        self.rows.append({
            "section": section, "case": case, "ours_us": ours * 1e6, "base_us": base * 1e6, "figure": figure, "unit": unit,
            "figure_of_fastest": fastest, "goal": goal, "goal_is": "at most" if at_most else "at least",
            "holds": None if goal is None else bool(figure <= goal if at_most else figure >= goal),
            "samples_us": {name: [round(s * 1e6, 3) for s in of] for name, of in samples.items()},
        })  # fmt: skip

    def above(self, section, case, calls, goal_us, calls_of_base=1):
        """Compares calls["ours"] with calls["base"]: microseconds above `calls_of_base` of it."""
        self.row(section, case, calls, lambda ours, base: (ours - calls_of_base * base) * 1e6, "us above", goal_us, True)

    def ratio(self, section, case, calls, goal, wall=False):
        """ours / base, at most the goal."""
        self.row(section, case, calls, lambda ours, base: ours / base, "x", goal, True, wall)

    def ahead(self, section, case, calls, goal, wall=False):
        """base / ours: how often faster ours is, at least the goal."""
        self.row(section, case, calls, lambda ours, base: base / ours, "x faster", goal, False, wall)

    def find(self, name):
        """A module, or None with a note."""
        return find(name, self.missing)


def find(name, missing):
    """A module, or None with a note in `missing`."""
    try:
        return importlib.import_module(name)
    except (ImportError, OSError, RuntimeError) as error:
        missing.append(f"{name}: {str(error).splitlines()[0]}")
        return None


def random(*shape):
    return np.random.default_rng(1).random(shape, dtype=np.float32)


def overhead(bench):
    x = random(64, 64)
    y = np.empty_like(x)
    c = CCall(1, 1, x, y, 1)
    bench.ratio("overhead", "C: iir2d_filter_forward_cpu over iir2d_forward_cpu", {"ours": c, "base": CCall(0, 1, x, y, 1)}, 1.0)
    bench.above("overhead", "arrays, out=", {"ours": lambda: iir2d.filter(x, 1, out=y, threads=1), "base": c}, 4)
    bench.above("overhead", "arrays", {"ours": lambda: iir2d.filter(x, 1, threads=1), "base": c}, None)
    torch = bench.find("torch")
    if torch:
        import iir2d.torch as it

        torch.set_num_threads(1)
        t = torch.from_numpy(x)
        leaf = t.clone().requires_grad_()
        ones = torch.ones_like(t)
        bench.above("overhead", "torch", {"ours": lambda: it.filter(t, 1), "base": c}, 10)
        bench.above("overhead", "torch, a gradient recorded", {"ours": lambda: it.filter(leaf, 1), "base": c}, 15)
        both = {"ours": lambda: torch.autograd.grad(it.filter(leaf, 1), leaf, ones), "base": c}
        bench.above("overhead", "torch, forward and backward, above 2 C calls", both, 60, 2)
    jax = bench.find("jax")
    if jax:
        import iir2d.jax as ij

        j = jax.numpy.asarray(x)
        ours, plus = jax.jit(lambda v: ij.filter(v, 1)), jax.jit(lambda v: v + 1)
        calls = {"ours": lambda: ours(j).block_until_ready(), "base": lambda: plus(j).block_until_ready()}
        bench.ratio("overhead", "JAX, jitted, over a jitted x + 1", calls, 1.3, wall=True)


def large(bench):
    whole, wide, stack = random(4096, 4096), random(4096, 4100)[:, 2:4098], random(16, 1024, 1024)
    torch, jax = bench.find("torch"), bench.find("jax")
    for name, x in (("4096x4096", whole), ("4096x4096, rows apart", wide), ("16 x 1024x1024", stack)):
        y = np.empty(x.shape, np.float32)
        c = CCall(1, 1, x, y, 1)
        bench.ratio("large", f"{name}: arrays, out=", {"ours": lambda: iir2d.filter(x, 1, out=y, threads=1), "base": c}, 1.03)
        if torch:
            import iir2d.torch as it

            torch.set_num_threads(1)
            t, out = torch.from_numpy(x), torch.from_numpy(y)
            bench.ratio("large", f"{name}: torch, out=", {"ours": lambda: it.filter(t, 1, out=out), "base": c}, 1.03)
        if jax and x.flags.c_contiguous:
            import iir2d.jax as ij

            # XLA maps new memory for every result, page by page, as x + 1 shows, which does nothing else.
            j, run, plus = jax.numpy.asarray(x), jax.jit(lambda v: ij.filter(v, 1)), jax.jit(lambda v: v + 1)
            calls = {"ours": lambda: run(j).block_until_ready(), "base": lambda: iir2d.filter(x, 1, out=y)}
            bench.ratio("large", f"{name}: JAX over arrays, out=, all threads", calls, 1.03, wall=True)
            calls["base"] = lambda: (plus(j).block_until_ready(), iir2d.filter(x, 1, out=y))
            bench.ratio("large", f"{name}: JAX over a jitted x + 1 and arrays, out=", calls, None, wall=True)


def backward(bench):
    x = random(1024, 1024)
    y = np.empty_like(x)
    for filter_id in range(1, 9):
        f, b = CCall(1, filter_id, x, y, 1), CCall(2, filter_id, x, y, 1)
        bench.ratio("backward", f"filter {filter_id}: adjoint over forward", {"ours": b, "base": f},
                    1.25 if filter_id in (5, 6) else 1.15)  # fmt: skip
        both = CCall(3, filter_id, x, y, 1)
        bench.ratio("backward", f"filter {filter_id}: adjoint and parameters' gradients over forward", {"ours": both, "base": f},
                    4 if filter_id in (1, 3, 7, 8) else 6)  # fmt: skip
    calls = {"ours": lambda: iir2d.filter_gradient(x, x, 6, threads=1), "base": CCall(1, 6, x, y, 1)}
    bench.ratio("backward", "filter 6: filter_gradient of arrays over forward", calls, None)


# Of a program of its own, whose peak nothing before has raised.
PEAK = """
import sys
import numpy as np, iir2d
def peak():
    line, = (line for line in open("/proc/self/status") if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024
filter_id, threads = map(int, sys.argv[1:])
x, dy = np.random.default_rng(1).random((2, 4096, 4096), dtype=np.float32)
iir2d.filter_gradient(x[:64, :64], dy[:64, :64], filter_id, threads=threads)
before = peak()
iir2d.filter_gradient(x, dy, filter_id, threads=threads)
print((peak() - before) / x.nbytes)
"""


def memory(bench):
    for filter_id in range(1, 9):
        command = [sys.executable, "-c", PEAK, str(filter_id), "2"]  # a thread more needs a little more
        planes = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        bench.rows.append({
            "section": "memory", "case": f"filter {filter_id}: parameters' gradients of 4096x4096, threads=2",
            "ours_us": None, "base_us": None, "figure": planes, "unit": "planes more", "figure_of_fastest": None, "goal": 2,
            "goal_is": "at most", "holds": planes <= 2, "samples_us": {},
        })  # fmt: skip


def gaussian_taps(count, sigma):
    taps = np.exp(-0.5 * ((np.arange(count) - count // 2) / sigma) ** 2)
    return (taps / taps.sum()).astype(np.float32)


def peers(bench):
    x = random(1024, 1024)
    y = np.empty_like(x)
    one = CCall(1, 1, x, y, 1)
    ours1 = lambda: iir2d.filter(x, 1, out=y, threads=1)  # noqa: E731
    ours6 = lambda sigma: lambda: iir2d.filter(x, 6, sigma=sigma, out=y, threads=1)  # noqa: E731
    bench.above("peers", "filter 1, 1024x1024: arrays above the C call", {"ours": ours1, "base": one}, None)
    signal = bench.find("scipy.signal")
    if signal:
        b, a = [0.15], [1.0, -0.85]
        theirs = lambda: signal.lfilter(b, a, signal.lfilter(b, a, x, axis=1), axis=0)  # noqa: E731
        bench.ahead("peers", "scipy.signal.lfilter, filter 1", {"ours": ours1, "base": theirs}, 30)
    ndimage = bench.find("scipy.ndimage")
    if ndimage:
        bench.ahead("peers", "scipy.ndimage.gaussian_filter, filter 6, sigma 2",
                    {"ours": ours6(2.0), "base": lambda: ndimage.gaussian_filter(x, 2.0)}, 15)  # fmt: skip
    torch = bench.find("torch")
    if torch:
        import iir2d.torch as it

        torch.set_num_threads(1)
        t = torch.from_numpy(x)[None, None]
        for count, sigma, goal in ((17, 2.0, 20), (65, 8.0, 40)):
            taps = torch.from_numpy(gaussian_taps(count, sigma))
            rows, columns = taps.reshape(1, 1, 1, -1), taps.reshape(1, 1, -1, 1)
            conv = torch.nn.functional.conv2d

            def theirs(rows=rows, columns=columns, count=count):
                with torch.no_grad():
                    return conv(conv(t, rows, padding=(0, count // 2)), columns, padding=(count // 2, 0))
            bench.ahead("peers", f"torch's separable depthwise convolution, {count} taps, filter 6, sigma {sigma:g}",
                        {"ours": ours6(sigma), "base": theirs}, goal)  # fmt: skip
        audio = bench.find("torchaudio.functional")
        if audio:
            a, b = torch.tensor([1.0, -0.85]), torch.tensor([0.15, 0.0])

            def both_axes(v):
                rows = audio.lfilter(v, a, b, clamp=False)
                return audio.lfilter(rows.transpose(-1, -2), a, b, clamp=False).transpose(-1, -2)

            def trained(filtered):
                leaf = t[0, 0].clone().requires_grad_()
                filtered(leaf).sum().backward()
            bench.ahead("peers", "torchaudio.functional.lfilter, filter 1, forward", {"ours": ours1, "base": lambda: both_axes(t[0, 0])}, 60)
            calls = {"ours": lambda: trained(lambda v: it.filter(v, 1)), "base": lambda: trained(both_axes)}
            bench.ahead("peers", "torchaudio.functional.lfilter, filter 1, forward and backward", calls, 60)
    jax = bench.find("jax")
    if jax:
        import iir2d.jax as ij

        taps = jax.numpy.asarray(gaussian_taps(17, 2.0))
        j = jax.numpy.asarray(x)[None, None]

        def separable(v):
            conv = jax.lax.conv_general_dilated
            rows = conv(v, taps.reshape(1, 1, 1, -1), (1, 1), ((0, 0), (8, 8)))
            return conv(rows, taps.reshape(1, 1, -1, 1), (1, 1), ((8, 8), (0, 0)))
        theirs, ours = jax.jit(separable), jax.jit(lambda v: ij.filter(v, 6, sigma=2.0))
        calls = {"ours": lambda: ours(j).block_until_ready(), "base": lambda: theirs(j).block_until_ready()}
        bench.ahead("peers", "JAX's separable convolution, 17 taps, filter 6, sigma 2, both jitted", calls, 30, wall=True)


def pooling(bench):
    torch = bench.find("torch")
    if not torch:
        return
    import iir2d.torch as it

    torch.set_num_threads(1)
    F = torch.nn.functional
    for size in (256, 2048):
        t = torch.from_numpy(random(1, 4, size, size))
        for case, ours, theirs in (
            ("max 2x2", lambda: it.max_pool2d(t, 2), lambda: F.max_pool2d(t, 2)),
            ("max 3x3, stride 2", lambda: it.max_pool2d(t, 3, 2, 1), lambda: F.max_pool2d(t, 3, 2, 1)),
            ("avg 2x2", lambda: it.avg_pool2d(t, 2), lambda: F.avg_pool2d(t, 2)),
            ("avg 5x5, stride 1", lambda: it.avg_pool2d(t, 5, 1), lambda: F.avg_pool2d(t, 5, 1)),
            ("adaptive_avg 7x7", lambda: it.adaptive_avg_pool2d(t, 7), lambda: F.adaptive_avg_pool2d(t, 7)),
        ):
            bench.ahead("pooling", f"torch's {case} of 4 x {size}x{size}", {"ours": ours, "base": theirs}, 1)


def threads(bench):
    x = random(2, 512, 512)
    y = np.empty_like(x)
    count = 200

    def work(i):
        for _ in range(count):
            iir2d.filter(x[i], 6, out=y[i], threads=1)

    def at_once():
        both = [threading.Thread(target=work, args=(i,)) for i in range(2)]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()
    calls = {"ours": at_once, "base": lambda: (work(0), work(1))}
    bench.ahead("threads", "two Python threads, threads=1, over one after the other", calls, 1.6, wall=True)


SECTIONS = {f.__name__: f for f in (overhead, large, backward, memory, peers, pooling, threads)}


def environment():
    names = ("numpy", "torch", "jax", "scipy", "torchaudio")
    from importlib.metadata import PackageNotFoundError, version

    def version_of(name):
        try:
            return version(name)
        except PackageNotFoundError:
            return None
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), platform.machine())
    return {"processor": model, "processors": len(os.sched_getaffinity(0)), "python": platform.python_version(),
            "system": platform.platform(), "library": iir2d.build_fingerprint(),
            "packages": {name: version_of(name) for name in names}}  # fmt: skip


def table(report):
    load = report["load"]
    lines = [f"{report['environment']['processor']}, {report['environment']['processors']} processors; load average "
             f"{load['before'][0]:.2f} before and {load['after'][0]:.2f} after; clock: {report['clock']}; {report['rounds']} rounds", "",
             "| section | case | ours, us | compared with, us | figure | of the fastest rounds | goal | holds |",
             "| --- | --- | ---: | ---: | ---: | ---: | --- | --- |"]  # fmt: skip
    for row in report["rows"]:
        goal = "" if row["goal"] is None else f"{row['goal_is']} {row['goal']:g}"
        holds = {None: "", True: "yes", False: "no"}[row["holds"]]
        ours, base = ("" if row[key] is None else f"{row[key]:.1f}" for key in ("ours_us", "base_us"))
        fastest = "" if row["figure_of_fastest"] is None else f"{row['figure_of_fastest']:.3g}"
        lines.append(f"| {row['section']} | {row['case']} | {ours} | {base} | {row['figure']:.3g} {row['unit']} | {fastest} | "
                     f"{goal} | {holds} |")  # fmt: skip
    return "\n".join([*lines, *(f"left out: {line}" for line in report["missing"])])


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object with every sample, in place of the table")
    parser.add_argument("--quick", action="store_true", help="7 short rounds in place of 15")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, separated by commas")
    parser.add_argument("--clock", choices=CLOCKS, default="wall",
                        help="thread: the calling thread's processor time, for a machine with other work; rows of JAX and of "
                             "several threads are by the wall's all the same")  # fmt: skip
    options = parser.parse_args(arguments)
    global clock
    clock = options.clock
    chosen = options.only.split(",")
    for name in chosen:
        if name not in SECTIONS:
            parser.error(f"there is no section {name!r}: sections are {', '.join(SECTIONS)}")
    bench = Bench(options.quick)
    before = os.getloadavg()
    for name in chosen:
        SECTIONS[name](bench)
    report = {"schema_version": 1, "environment": environment(), "quick": options.quick, "clock": clock, "rounds": bench.rounds,
              "load": {"before": before, "after": os.getloadavg()}, "rows": bench.rows,
              "missing": list(dict.fromkeys(bench.missing))}  # fmt: skip
    print(json.dumps(report) if options.json else table(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
