# SPDX-License-Identifier: MIT
"""Threads, processes, signals and memory."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

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
    for _ in range(1200):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert status == 0
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError("the child did not end in 60 s")


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np, iir2d
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's background jobs ignore
x = np.ones((48, 1024, 1024), np.float32)
calls = {
    "filter": lambda: iir2d.filter(x, 6, threads=1),
    "filter of a copy": lambda: iir2d.filter(x.swapaxes(-1, -2), 6, threads=1),
    "filter_gradient": lambda: iir2d.filter_gradient(x, x, 6, threads=1),
    "pool": lambda: iir2d.pool(x, "lp", 3, p=2.5, stride=1, threads=1),
}
call = calls[sys.argv[1]]
sent = []
def send():
    time.sleep(float(sys.argv[2]))
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=send, daemon=True).start()
try:
    call()
    print("ended")
    time.sleep(60)
except KeyboardInterrupt:
    print(time.perf_counter() - sent[0])
"""


@pytest.mark.parametrize("call", ["filter", "filter of a copy", "filter_gradient", "pool"])
def test_an_interrupt_ends_a_call_soon(call):
    """Within 0.3 s. On a busy machine the call may be over before the signal is sent, or wait for a processor."""
    seen = []
    for delay in (0.05, 0.02, 0.1, 0.05, 0.02, 0.1, 0.05):
        command = [sys.executable, "-c", INTERRUPTED, call, str(delay)]
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout.split()
        seen.append(said)
        if len(said) == 1 and float(said[0]) < 0.3:
            return
    raise AssertionError(seen)


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def refused(call, *arguments, **options):
    try:
        call(*arguments, **options)
    except (iir2d.Iir2dError, TypeError):
        return
    raise AssertionError("nothing was refused")


def calls_of_arrays(rng):
    x, sigma = rng.random((2, 16, 16)), np.array([1.0, 2.0])
    y, places = iir2d.pool(x, "max", 2, return_indices=True)
    out = np.empty_like(x)
    return {
        "filter": lambda: iir2d.filter(x, 6, sigma=sigma),
        "filter into out": lambda: iir2d.filter(x, 4, out=out),
        "filter_adjoint": lambda: iir2d.filter_adjoint(x[..., ::-1], 4),
        "filter_gradient": lambda: iir2d.filter_gradient(x, x, 6, sigma=sigma),
        "pool": lambda: iir2d.pool(x, "max", 2, return_indices=True),
        "pool_backward": lambda: iir2d.pool_backward(y, "max", 2, input_size=(16, 16), indices=places),
        "a refusal": lambda: refused(iir2d.filter, x, 1, alpha=2.0),
        "a type's refusal": lambda: refused(iir2d.filter, x > 0),
        "filters": iir2d.filters,
        "status_string": lambda: iir2d.status_string(-1),
        "num_threads": lambda: iir2d.set_num_threads(iir2d.get_num_threads()),
    }


def calls_of_torch(rng):
    torch = pytest.importorskip("torch")
    import iir2d.torch as it

    x = torch.from_numpy(rng.random((2, 16, 16)))
    leaf, sigma = x.clone().requires_grad_(), torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    y, places = it.pool(x, "max", 2, return_indices=True)

    def train():
        it.filter(leaf, 6, sigma=sigma).sum().backward()
        leaf.grad = sigma.grad = None

    def train_pools():
        it.max_pool2d(leaf, 2).sum().backward()
        leaf.grad = None

    return {
        "filter": lambda: it.filter(x, 4),
        "filter of a NumPy call": lambda: iir2d.filter(x, 4),
        "forward and backward": train,
        "filter_adjoint": lambda: it.filter_adjoint(x, 6, sigma=sigma),
        "filter_gradient": lambda: it.filter_gradient(x, x, 6),
        "pool": lambda: it.pool(x, "lp", 2),
        "pool forward and backward": train_pools,
        "pool_backward": lambda: it.pool_backward(y, "max", 2, input_size=(16, 16), indices=places),
        "a refusal": lambda: refused(it.filter, x, 1, alpha=2.0),
    }


def calls_of_jax(rng):
    jax = pytest.importorskip("jax")
    import iir2d.jax as ij

    x = jax.numpy.asarray(rng.random((2, 16, 16), dtype=np.float32))
    both = jax.jit(jax.grad(lambda x, s: ij.filter(x, 6, sigma=s).sum(), (0, 1)))
    pooled = jax.jit(jax.grad(lambda x: ij.max_pool2d(x, 2).sum()))
    return {
        "filter": lambda: ij.filter(x, 4).block_until_ready(),
        "forward and backward": lambda: jax.block_until_ready(both(x, 2.0)),
        "filter_gradient": lambda: jax.block_until_ready(ij.filter_gradient(x, x, 6)),
        "pool forward and backward": lambda: pooled(x).block_until_ready(),
        "a refusal": lambda: refused(ij.filter, x, 1, alpha=2.0),
    }


@pytest.mark.parametrize("calls_of", [calls_of_arrays, calls_of_torch, calls_of_jax])
def test_calls_leave_no_memory_behind(rng, calls_of):
    for name, call in calls_of(rng).items():
        for _ in range(500):
            call()
        gc.collect()
        before = resident()
        for _ in range(10000):
            call()
        gc.collect()
        assert resident() - before < 4 << 20, name


def test_torch_keeps_no_reference(rng):
    torch = pytest.importorskip("torch")
    import iir2d.torch as it

    x = torch.from_numpy(rng.random((2, 16, 16))).requires_grad_()
    sigma = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    for call in (lambda x: it.filter(x, 6, sigma=sigma), lambda x: it.max_pool2d(x, 2), lambda x: it.lp_pool2d(x, 2, 2)):
        given = x * 1
        result = call(given)
        (gradient,) = torch.autograd.grad(result.sum(), given)
        seen = [weakref.ref(tensor) for tensor in (given, result, gradient)]
        del given, result, gradient
        gc.collect()
        assert [reference() for reference in seen] == [None] * 3


# A program of its own: JAX's threads, which other tests start, do not survive a fork.
WORKERS = """
import torch, iir2d.torch as it
class Filtered(torch.utils.data.Dataset):
    def __len__(self):
        return len(x)
    def __getitem__(self, i):
        return it.filter(x[i], 6, sigma=2.0)
x = torch.rand(12, 90, 80, dtype=torch.float64)
want = it.filter(x, 6, sigma=2.0)  # threads are running when the workers are forked
loader = torch.utils.data.DataLoader(Filtered(), batch_size=3, num_workers=2, multiprocessing_context="fork", timeout=60)
assert torch.equal(torch.cat(list(loader)), want)
"""


def test_workers_of_a_dataloader():
    pytest.importorskip("torch")
    done = subprocess.run([sys.executable, "-c", WORKERS], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


PEAK = """
import sys
import numpy as np, iir2d
def peak():  # of this program: getrusage() has that of the one which started it, where it was more
    line, = (line for line in open("/proc/self/status") if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024
wide = np.zeros((4096, 4100), np.float32)
views = {"cut": wide[:, 2:4098], "stack": wide.reshape(4, 1024, 4100)[..., :4096],
         "repeated": np.broadcast_to(wide[:1024, :4096], (4, 1024, 4096)), "turned": wide[:, :4096].T}
view = views[sys.argv[1]]
iir2d.filter(view[..., :64, :64], 6, threads=1)
before = peak()
y = iir2d.filter(view, 6, threads=1)
print((peak() - before) / y.nbytes)
"""


@pytest.mark.parametrize(("view", "copied"), [("cut", False), ("stack", False), ("repeated", False), ("turned", True)])
def test_views_that_fold_need_no_second_plane(view, copied):
    done = subprocess.run([sys.executable, "-c", PEAK, view], capture_output=True, text=True, check=True, timeout=120)
    grown = float(done.stdout)
    assert grown > 1.9 if copied else grown < 1.1


def test_threads_elsewhere_run_during_a_call(rng):
    x = rng.random((128, 512, 512), dtype=np.float32)
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)
    thread = threading.Thread(target=count)
    thread.start()
    seen = 0
    for _ in range(100):  # on a busy machine it gets no processor during some
        before = counted[0]
        iir2d.filter(x, 6, threads=1)
        seen = max(seen, counted[0] - before)
        if seen > 10:
            break
    stop.set()
    thread.join()
    assert seen > 10  # one that waits for the call to end counts one or two
