# SPDX-License-Identifier: MIT
"""Threads, processes, signals and memory."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import iir2d


def test_the_bits_do_not_depend_on_threads(rng):
    x = rng.random((3, 200, 301), dtype=np.float32)
    for filter_id in (1, 4, 5, 6):
        results = [iir2d.filter(x, filter_id, threads=n).tobytes() for n in (1, 2, 7)]
        back = [iir2d.filter_adjoint(x, filter_id, threads=n).tobytes() for n in (1, 2, 7)]
        assert len(set(results)) == 1 and len(set(back)) == 1
    pooled = [iir2d.pool(x, "lp", 3, threads=n).tobytes() for n in (1, 2, 7)]
    assert len(set(pooled)) == 1


def test_many_threads_at_once(rng):
    x = rng.random((8, 70, 90))
    want = [iir2d.filter(plane, 6, sigma=2.0) for plane in x]

    def work(i):
        return all(np.array_equal(iir2d.filter(x[i], 6, sigma=2.0), want[i]) for _ in range(200))
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_a_child_after_fork(rng):
    x = rng.random((400, 500))
    want = iir2d.filter(x, 5)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(iir2d.filter(x, 5), want) else 1)
    for _ in range(200):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert status == 0
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError("the child did not end in 10 s")


INTERRUPTED = """
import os, signal, threading, time
import numpy as np, iir2d
x = np.zeros((64, 1024, 1024), np.float32)
y = np.empty_like(x)
iir2d.filter(x[:1], 6, out=y[:1])
sent = []
def send():
    time.sleep(0.05)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=send).start()
try:
    for _ in range(1000):
        iir2d.filter(x, 6, out=y, threads=1)
except KeyboardInterrupt:
    print(time.monotonic() - sent[0])
"""


def test_an_interrupt_ends_a_call():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=True, timeout=60)
    # 0.3 s of a machine of one's own; this one may have other work.
    assert float(done.stdout) < 2.0


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_calls_leave_no_memory_behind(rng):
    x, sigma = rng.random((2, 16, 16)), np.array([1.0, 2.0])

    def calls(count):
        for _ in range(count):
            iir2d.filter(x, 6, sigma=sigma)
            iir2d.filter_adjoint(x[..., ::-1], 4)
            iir2d.pool(x, "max", 2, return_indices=True)
            try:
                iir2d.filter(x, 1, alpha=2.0)
            except iir2d.InvalidArgumentError:
                pass
    calls(500)
    before = resident()
    calls(10000)
    assert resident() - before < 4 << 20


def test_threads_elsewhere_run_during_a_call(rng):
    x = rng.random((32, 512, 512), dtype=np.float32)
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)
    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    begin = time.monotonic()
    while time.monotonic() - begin < 0.3:
        iir2d.filter(x, 6, threads=1)
    seen = counted[0] - before
    stop.set()
    thread.join()
    assert seen > 10
