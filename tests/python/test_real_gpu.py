# SPDX-License-Identifier: MIT
"""The package on a GPU that is there, against its own results on the CPU: arrays, iir2d.torch and iir2d.jax. Skipped where
there is none; what needs no GPU is in test_on_gpu.py, test_torch_on_gpu.py and test_jax_on_gpu.py.

Each side may be off by the bound that docs/filters.md and docs/pooling.md state, so they differ by twice that at most; bits
are compared where docs/pooling.md says that they are the same.
"""

import ctypes
import functools
import os
import shutil
import threading

import numpy as np
import pytest

import iir2d
import oracle
from stand_in import ON_STAND_IN

# Others share the GPU; JAX would take three quarters of its memory.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")


def why_not():
    """Returns why there is no GPU to run on, or None."""
    if ON_STAND_IN or "cuda-stand-ins" in os.environ.get("LD_LIBRARY_PATH", ""):
        return "CUDA's libraries are stand-ins here"
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "there is no CUDA driver"
    count = ctypes.c_int()
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)) or not count.value:
        return "the CUDA driver has no device"
    return None


REASON = why_not()


def torch_there():
    """torch with a GPU, or None."""
    try:
        import torch
    except (ImportError, OSError):
        return None
    return torch if torch.cuda.is_available() else None


def jax_there():
    """jax with a GPU, or None."""
    try:
        import jax

        jax.devices("gpu")
    except (ImportError, OSError, RuntimeError):
        return None
    return jax


torch = None if REASON else torch_there()
jax = None if REASON else jax_there()
if torch is None and jax is None:
    pytest.skip(REASON or "neither torch nor jax finds a CUDA device", allow_module_level=True)
try:
    import cupy
except (ImportError, OSError):
    cupy = None
if torch is not None:
    import iir2d.torch as it
    import iir2d.torch.nn
    from torch.autograd import gradcheck
    from torch.nn import functional as F
if jax is not None:
    import iir2d.jax as ij
    import jax.numpy as jnp

GPU = "cuda"
IDS = range(1, 9)
BOUND = {"float32": 1e-5, "float64": 1e-12, "float16": 1e-5, "bfloat16": 1e-5, "mixed": 1e-6}
UNIT = {"float16": 2.0**-10, "bfloat16": 2.0**-7}  # a result is rounded once
POOL_BOUND = {"float32": 2e-6, "float64": 1e-12, "float16": 2e-6, "bfloat16": 2e-6}
TYPES = ("float32", "float64", "float16", "bfloat16")
# Name, arguments, and whether the bits are the CPU's.
POOLS = (
    ("max", {"window": 2}, True),
    ("max", {"window": 3, "stride": 2, "padding": 1, "dilation": (2, 1), "ceil_mode": True}, True),
    ("avg", {"window": 2}, True),
    ("avg", {"window": (3, 2), "stride": 1, "padding": (1, 0), "count_include_pad": True}, True),
    ("lp", {"window": 2, "p": 2.0}, True),
    ("lp", {"window": 3, "stride": 2, "p": 1.0}, True),
    ("lp", {"window": 3, "p": 3.0}, False),
    ("adaptive_max", {"output_size": (5, 4)}, True),
    ("adaptive_avg", {"output_size": (5, 4)}, False),
)
of_torch = pytest.mark.skipif(torch is None, reason="torch is not installed, or finds no CUDA device")
of_cupy = pytest.mark.skipif(cupy is None, reason="CuPy is not installed")
of_jax = pytest.mark.skipif(jax is None, reason="jax is not installed, or finds no CUDA device")


def host(array):
    """Returns an array of any library as NumPy's float64; waits for the device."""
    if torch is not None and isinstance(array, torch.Tensor):
        return array.detach().cpu().double().numpy()
    if cupy is not None and isinstance(array, cupy.ndarray):
        cupy.cuda.Device().synchronize()
        array = cupy.asnumpy(array)
    return np.asarray(array).astype(np.float64)


def near(got, want, kind, bounds=BOUND, scale=None):
    """Raises where two results differ by more than both sides' errors."""
    got, want = host(got), host(want)
    assert got.shape == want.shape
    largest = max(1.0, np.abs(want).max(initial=0)) if scale is None else scale
    allowed = 2 * bounds[kind] * largest + UNIT.get(kind, 0) * np.maximum(np.abs(got), np.abs(want))
    over = np.abs(got - want) - allowed
    assert np.isfinite(got).all() and (over <= 0).all(), f"off by {np.abs(got - want).max():.3g}, {(over > 0).sum()} values"


def slope_bound(kind, x, dy, filter_id, name, **how):
    """How far the two sides' derivatives with respect to one parameter may lie apart."""
    parameters = oracle.FILTERS[filter_id]
    values = {n: v + 1e-30j if n == name else v for n, v in parameters.items()}
    derivative = oracle.filter(x, filter_id, **how, **values).imag / 1e-30
    length = np.linalg.norm
    stated = (1e-10 if kind == "float64" else 1e-4) * length(dy) * length(derivative)
    return 2 * (stated + (1e-12 if kind == "float64" else 5e-7) * length(dy) * length(x))


def same(a, b):
    return bool(torch.equal(a.cpu(), b.cpu()))


def tensor(rng, *shape, kind="float32"):
    """A tensor on the CPU of values in [0, 1)."""
    return torch.from_numpy(rng.random(shape)).to(getattr(torch, kind))


def slowly(stream):
    """Keeps a stream busy for some tenths of a second, without waiting."""
    with torch.cuda.stream(stream):
        torch.cuda._sleep(400_000_000)


# --- iir2d.torch ------------------------------------------------------------------------------------------------------


@of_torch
@pytest.mark.parametrize("border", oracle.BORDERS)
@pytest.mark.parametrize("filter_id", IDS)
def test_filters_of_tensors(rng, filter_id, border):
    for start in oracle.STARTS:
        for shape in ((2, 3, 37, 53), (1, 260, 141)):
            for kind in TYPES:
                x = tensor(rng, *shape, kind=kind)
                how = {"border": border, "start": start}
                y = it.filter(x.to(GPU), filter_id, border_const=0.25, **how)
                assert y.device.type == GPU and y.dtype == x.dtype and y.is_contiguous()
                near(y, it.filter(x, filter_id, border_const=0.25, **how), kind)
                near(it.filter_adjoint(x.to(GPU), filter_id, **how), it.filter_adjoint(x, filter_id, **how), kind)


@of_torch
@pytest.mark.parametrize("filter_id", IDS)
def test_sizes_of_tensors(rng, filter_id):
    """One sample, long lines, whole tiles and not, many planes; the precision "mixed"."""
    for shape in ((1, 1), (1, 700), (700, 1), (5, 1, 1, 3), (64, 64), (1, 1, 1024, 1031), (70, 3, 9, 8), (2, 3000, 31)):
        x = tensor(rng, *shape)
        y = it.filter(x.to(GPU), filter_id)
        near(y, it.filter(x, filter_id), "float32")
        near(it.filter(x.to(GPU), filter_id, precision="mixed"), it.filter(x, filter_id, precision="mixed"), "mixed")
        assert same(y, it.filter(x.to(GPU), filter_id))  # the bits are the same on every run
    assert it.filter(torch.empty(0, 4, 5, device=GPU), filter_id).shape == (0, 4, 5)


@of_torch
@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("filter_id", IDS)
def test_derivatives_with_respect_to_parameters(rng, filter_id, kind):
    x, dy = tensor(rng, 2, 3, 21, 18, kind=kind), tensor(rng, 2, 3, 21, 18, kind=kind)
    for border, start in (("mirror", "truncated"), ("wrap", "steady"), ("clamp", "steady")):
        how = {"border": border, "start": start}
        got = it.filter_gradient(x.to(GPU), dy.to(GPU), filter_id, **how, **oracle.FILTERS[filter_id])
        want = iir2d.filter_gradient(x.numpy(), dy.numpy(), filter_id, **how, **oracle.FILTERS[filter_id])
        assert got.keys() == want.keys()
        for name in want:
            assert got[name].device.type == GPU and got[name].shape == ()
            off = abs(got[name].item() - float(want[name]))
            assert off <= slope_bound(kind, x.double().numpy(), dy.double().numpy(), filter_id, name, **how), name


@of_torch
@pytest.mark.parametrize("filter_id", IDS)
def test_gradcheck(rng, filter_id):
    x = tensor(rng, 2, 3, 4, kind="float64").to(GPU).requires_grad_()
    for border in ("mirror", "wrap"):
        assert gradcheck(lambda x: it.filter(x, filter_id, border=border), x)
    whole = tensor(rng, 2, 3, 5, 4, kind="float64").to(GPU)
    values = {n: v for n, v in oracle.FILTERS[filter_id].items() if n != "compat_1_0"}
    for shape, device in (((), GPU), ((3,), GPU), ((2, 1), "cpu")):
        tensors = [torch.full(shape, v, dtype=torch.float64, device=device, requires_grad=True) for v in values.values()]
        assert gradcheck(lambda *v: it.filter(whole, filter_id, **dict(zip(values, v, strict=True))), tuple(tensors))


@of_torch
def test_parameters_of_channels(rng):
    x, dy, sigma = tensor(rng, 2, 3, 40, 30, kind="float64"), tensor(rng, 2, 3, 40, 30, kind="float64"), tensor(rng, 3) + 1
    for device in (GPU, "cpu"):
        leaf, s = x.to(GPU).requires_grad_(), sigma.clone().to(device).requires_grad_()
        y = it.filter(leaf, 6, sigma=s, border="clamp")
        y.backward(dy.to(GPU))
        assert s.grad.device == s.device and s.grad.dtype == torch.float32 and leaf.grad.device.type == GPU
        numbers = sigma.numpy()
        near(y, iir2d.filter(x.numpy(), 6, sigma=numbers, border="clamp"), "float64")
        near(leaf.grad, iir2d.filter_adjoint(dy.numpy(), 6, sigma=numbers, border="clamp"), "float64")
        want = iir2d.filter_gradient(x.numpy(), dy.numpy(), 6, sigma=numbers, border="clamp")["sigma"]
        np.testing.assert_allclose(host(s.grad), want, rtol=1e-6)
        loop = torch.stack([it.filter(x[:, c].to(GPU), 6, sigma=float(sigma[c]), border="clamp") for c in range(3)], 1)
        near(y, loop, "float64")
    # Written by a stream that is late: the call waits for it.
    stream, late = torch.cuda.Stream(), torch.full((3,), 5.0, device=GPU)
    torch.cuda.synchronize()
    slowly(stream)
    with torch.cuda.stream(stream):
        late.copy_(sigma.to(GPU))
        y = it.filter(x.to(GPU), 6, sigma=late, border="clamp")
    stream.synchronize()
    near(y, iir2d.filter(x.numpy(), 6, sigma=sigma.numpy(), border="clamp"), "float64")


@of_torch
def test_views_of_tensors(rng):
    base = tensor(rng, 4, 6, 40, 44)
    there = base.to(GPU)
    views = (
        lambda t: t[:, 1:3], lambda t: t[1:, ::2, 3:, 5:29], lambda t: t.transpose(-1, -2), lambda t: t[..., ::2],
        lambda t: t.to(memory_format=torch.channels_last), lambda t: t[:, :1].expand(4, 6, 40, 44), lambda t: t[0, 0],
        lambda t: t.transpose(0, 1), lambda t: t[..., 1:], lambda t: torch._neg_view(t),
    )  # fmt: skip
    for view in views:
        for filter_id in (1, 5, 6):
            y = it.filter(view(there), filter_id)
            near(y, it.filter(view(base), filter_id), "float32")
            assert y.is_contiguous()
        near(it.filter_adjoint(view(there), 6), it.filter_adjoint(view(base), 6), "float32")
        assert same(it.max_pool2d(view(there), 2), it.max_pool2d(view(base), 2))
        slope = it.filter_gradient(view(there), view(there), 6, sigma=2.0)["sigma"]
        plain = it.filter_gradient(view(there).contiguous(), view(there).contiguous(), 6, sigma=2.0)["sigma"]
        assert same(slope, plain)
    wide = torch.full((4, 6, 40, 50), -7.0, device=GPU)
    out = wide[..., 3:47]
    assert it.filter(there, 3, out=out) is out
    near(out, it.filter(base, 3), "float32")
    assert (wide[..., :3] == -7).all() and (wide[..., 47:] == -7).all()
    held = there.clone()
    near(it.filter(held, 5, out=held), it.filter(base, 5), "float32")  # in place


@of_torch
def test_nothing_waits_and_streams_keep_their_order(rng):
    x, stream = tensor(rng, 2, 3, 200, 180), torch.cuda.Stream()
    sigma = torch.tensor([1.0, 2.0, 3.0])
    calls = {
        "filter": (lambda t: it.filter(t, 6), lambda: it.filter(x, 6)),
        "adjoint": (lambda t: it.filter_adjoint(t, 3), lambda: it.filter_adjoint(x, 3)),
        "channels": (lambda t: it.filter(t, 6, sigma=sigma), lambda: it.filter(x, 6, sigma=sigma)),
        "avg": (lambda t: it.avg_pool2d(t, 2), lambda: it.avg_pool2d(x, 2)),
    }
    there = x.to(GPU)
    for name, (call, want) in calls.items():
        call(there)  # what is made once is made
        late = torch.zeros_like(there)
        torch.cuda.synchronize()
        slowly(stream)
        with torch.cuda.stream(stream):
            late.copy_(there)
            y = call(late)
            assert not stream.query(), f"{name} waited"
            y.record_stream(stream)
        stream.synchronize()
        near(y, want(), "float32")


@of_torch
def test_backward_on_another_stream(rng):
    x, stream = tensor(rng, 2, 3, 100, 90), torch.cuda.Stream()
    leaf, sigma = x.to(GPU).requires_grad_(), torch.tensor(2.0, device=GPU, requires_grad=True)
    torch.cuda.synchronize()
    slowly(stream)
    with torch.cuda.stream(stream):
        it.filter(leaf, 6, sigma=sigma).square().sum().backward()
    torch.cuda.current_stream().wait_stream(stream)
    y = iir2d.filter(x.double().numpy(), 6, sigma=2.0)
    near(leaf.grad, iir2d.filter_adjoint(2 * y, 6, sigma=2.0), "float32", scale=4)
    np.testing.assert_allclose(sigma.grad.item(), iir2d.filter_gradient(x.double().numpy(), 2 * y, 6, sigma=2.0)["sigma"], rtol=1e-3)


@of_torch
def test_a_cuda_graph_records_calls(rng):
    sigma = torch.tensor([1.0, 2.0, 3.0])
    held = torch.zeros(2, 3, 120, 100, device=GPU)

    def work(x):
        y = it.filter(it.filter(x, 1, alpha=0.6), 6, sigma=sigma, border="clamp")
        pooled, places = it.max_pool2d(it.filter_adjoint(y, 5), 2, return_indices=True)
        return pooled, places, it.avg_pool2d(y, 3, 1)

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            work(held)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = work(held)
    for _ in range(3):
        x = tensor(rng, 2, 3, 120, 100)
        held.copy_(x)
        filler = [torch.full((2, 3, 120, 100), float("nan"), device=GPU) for _ in range(8)]  # takes what was given back
        graph.replay()
        eager = work(x.to(GPU))
        for got, want in zip(results, eager, strict=True):
            assert same(got, want)
        near(results[0], work(x)[0], "float32")
        del filler


@of_torch
def test_a_cuda_graph_records_a_training_step(rng):
    held = torch.zeros(2, 3, 64, 60, device=GPU, requires_grad=True)

    def step():
        held.grad = None
        it.filter(held, 6).square().sum().backward()

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    held.grad = None
    with torch.cuda.graph(graph):
        it.filter(held, 6).square().sum().backward()
    for _ in range(2):
        x = tensor(rng, 2, 3, 64, 60)
        with torch.no_grad():
            held.copy_(x)
        graph.replay()
        want = iir2d.filter_adjoint(2 * iir2d.filter(x.double().numpy(), 6), 6)
        near(held.grad, want, "float32", scale=4)


@of_torch
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled_equals_eager(rng, backend):
    if backend == "inductor" and not (shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")):
        pytest.skip("inductor's kernels need a C compiler")

    def f(x, sigma):
        y = it.filter(x, "deriche", sigma=sigma, border="clamp")
        return it.max_pool2d(it.filter(y, 1, alpha=0.5), 2).relu().sum()

    x, sigma = tensor(rng, 2, 3, 18, 16).to(GPU), torch.tensor([1.0, 2.0, 3.0], device=GPU)
    results = []
    for call in (f, torch.compile(f, fullgraph=True, backend=backend, dynamic=False)):
        a, s = x.clone().requires_grad_(), sigma.clone().requires_grad_()
        y = call(a, s)
        y.backward()
        results.append((y.detach(), a.grad, s.grad))
    for eager, other in zip(*results, strict=True):
        torch.testing.assert_close(eager, other, rtol=1e-5, atol=1e-6)


@of_torch
def test_torch_func(rng):
    x = tensor(rng, 3, 2, 5, 6, kind="float64").to(GPU)
    sigma = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, device=GPU)

    def f(x, s):
        return it.filter(x, 6, sigma=s, border="wrap")

    def loss(x, s):
        return (f(x, s) ** 2).sum()

    func = torch.func
    near(func.vmap(f)(x, sigma), torch.stack([f(x[i], sigma[i]) for i in range(3)]), "float64")
    near(func.vmap(f, in_dims=(1, None), out_dims=1)(x, sigma[0]), f(x, sigma[0]), "float64")
    gx, gs = func.vmap(func.grad(loss, argnums=(0, 1)))(x, sigma)
    assert gx.device.type == gs.device.type == GPU
    for i in range(3):
        y = iir2d.filter(host(x[i]), 6, sigma=float(sigma[i]), border="wrap")
        near(gx[i], iir2d.filter_adjoint(2 * y, 6, sigma=float(sigma[i]), border="wrap"), "float64", scale=10)
        want = iir2d.filter_gradient(host(x[i]), 2 * y, 6, sigma=float(sigma[i]), border="wrap")["sigma"]
        np.testing.assert_allclose(host(gs[i]), want, rtol=1e-9)
    one = x[0, 0]
    forward = func.jacfwd(lambda x: f(x, 2.0))(one)
    torch.testing.assert_close(forward, func.jacrev(lambda x: f(x, 2.0))(one), rtol=0, atol=1e-13)
    y, dot = func.jvp(lambda x: f(x, 2.0), (one,), (one,))
    assert same(y, dot)
    assert same(func.vmap(lambda x: it.max_pool2d(x, 2))(x), it.max_pool2d(x, 2))


@of_torch
@pytest.mark.filterwarnings("ignore")
def test_opcheck(rng):
    settings = ((), (), (), 6, 0, 0.0, 0, 0, False)
    dense = tensor(rng, 2, 3, 6, 8).to(GPU)
    for x in (dense, dense.transpose(-1, -2)):
        torch.library.opcheck(torch.ops.iir2d.filter.default, (x.clone().requires_grad_(), None, *settings))
        packed = torch.tensor([2.0, 0.0], dtype=torch.float64, device=GPU)
        torch.library.opcheck(torch.ops.iir2d.filter_gradient.default, (x, x, packed, *settings))
    fields = (0, 2, 2, 0, 0, 0, 0, 1, 1, 3, 3, 0, 0, 0)
    torch.library.opcheck(torch.ops.iir2d.pool.default, (dense, fields, 2.0, True))


@of_torch
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize(("op", "how", "same_bits"), POOLS)
def test_pools_of_tensors(rng, op, how, same_bits, kind):
    x = tensor(rng, 2, 3, 23, 18, kind=kind)
    # Ties, and both signs.
    x = torch.where(x > 0.7, torch.ones_like(x), x) - 0.5 if op != "lp" else x + 0.1
    x = x.to(getattr(torch, kind))
    leaf = x.to(GPU).requires_grad_()
    y, want = it.pool(leaf, op, **how), it.pool(x, op, **how)
    near(y, want, kind, POOL_BOUND)
    assert not same_bits or same(y.detach(), want), "other bits than the CPU's"
    dy = tensor(rng, *want.shape, kind=kind)
    (dx,) = torch.autograd.grad(y, leaf, dy.to(GPU))
    # Of the same y, whatever its last bit.
    back = it.pool_backward(dy, op, input_size=x.shape, x=x, y=y.detach().cpu(), **how)
    near(dx, back, kind, POOL_BOUND, scale=max(1.0, 9 * float(dy.max())))
    powers = op == "lp" and how["p"] == 3.0
    assert powers or same(dx, back), "the gradient has other bits than the CPU's"


@of_torch
@pytest.mark.parametrize("kind", TYPES)
def test_places_of_maxima_are_torchs(rng, kind):
    x = (tensor(rng, 2, 3, 33, 28) * 20).round().to(getattr(torch, kind)).to(GPU)  # with ties
    for arguments in ((2,), (3, 2, 1), ((2, 3), (1, 2), 0), (3, 2, 1, 2, True)):
        y, places = it.max_pool2d(x, *arguments, return_indices=True)
        a, b = F.max_pool2d(x, *arguments, return_indices=True)
        assert places.dtype == torch.int64 and same(y, a) and same(places, b)
    for size in (3, (4, None)):
        y, places = it.adaptive_max_pool2d(x, size, return_indices=True)
        a, b = F.adaptive_max_pool2d(x, size, return_indices=True)
        assert same(y, a) and same(places, b)
    again = it.pool_backward(y, "adaptive_max", output_size=(4, 28), input_size=(33, 28), indices=places)
    assert same(again, it.pool_backward(y, "adaptive_max", output_size=(4, 28), input_size=(33, 28), x=x))


@of_torch
def test_pools_are_torchs(rng):
    x = tensor(rng, 2, 3, 33, 28).to(GPU)
    for arguments in ((2,), (3, 2, 1), (3, 2, 1, True), (2, 2, 0, False, True, 3)):
        torch.testing.assert_close(it.avg_pool2d(x, *arguments), F.avg_pool2d(x, *arguments), rtol=4e-6, atol=4e-6)
    torch.testing.assert_close(it.adaptive_avg_pool2d(x, 5), F.adaptive_avg_pool2d(x, 5), rtol=4e-6, atol=4e-6)
    torch.testing.assert_close(it.lp_pool2d(x, 2, 2), F.lp_pool2d(x, 2, 2), rtol=1e-5, atol=1e-5)


@of_torch
def test_two_threads_on_two_streams(rng):
    inputs = [tensor(rng, 2, 200, 150).to(GPU) for _ in range(2)]
    want = [[it.filter(x, i) for i in IDS] for x in inputs]
    torch.cuda.synchronize()
    differ, errors = [], []

    def work(which):
        try:
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                for _ in range(10):
                    found = [it.filter(inputs[which], i) for i in IDS]
                    stream.synchronize()
                    differ.extend(i for i, got in zip(IDS, found, strict=True) if not same(got, want[which][i - 1]))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and not differ


@of_torch
def test_errors_of_tensors(rng):
    x = tensor(rng, 2, 9, 8).to(GPU)
    out = torch.full_like(x, -7.0)
    tensor_of = functools.partial(torch.tensor, device=GPU)
    for call, error, match in (
        (lambda: it.filter(x, alpha=2.0, out=out), iir2d.InvalidArgumentError, "alpha 2"),
        (lambda: it.filter(x, alpha=tensor_of(2.0), out=out), iir2d.InvalidArgumentError, "alpha 2"),
        (lambda: it.filter(x, alpha=tensor_of(float("nan")), out=out), iir2d.InvalidArgumentError, "alpha nan"),
        (lambda: it.filter(x, 3, a1=tensor_of(1.9), a2=tensor_of(0.5), out=out), iir2d.InvalidArgumentError, "unstable"),
        (lambda: it.filter(x, alpha=torch.zeros(5, device=GPU)), iir2d.InvalidDimensionError, "alpha"),
        (lambda: it.filter(x, precision="f64", out=out), iir2d.InvalidPrecisionError, "f64"),
        (lambda: it.filter(x, out=torch.empty(2, 9, 8)), iir2d.InvalidArgumentError, "out lies on cpu"),
        (lambda: it.filter(x, out=out.double()), iir2d.InvalidArgumentError, "out is float64"),
        (lambda: it.filter_gradient(x, x.cpu()), iir2d.InvalidArgumentError, "dy lies on cpu"),
        (lambda: it.pool_backward(x, "max", 1, input_size=(9, 8), x=x.cpu()), iir2d.InvalidArgumentError, "lies on cpu"),
        (lambda: it.filter(x.int()), TypeError, "int32"),
    ):
        with pytest.raises(error, match=match):
            call()
    assert (out == -7).all()
    near(it.filter(x), it.filter(x.cpu()), "float32")  # the device is as it was
    with torch.autocast("cuda", dtype=torch.bfloat16):
        assert it.filter(x, 4).dtype == torch.float32


@of_torch
def test_modules_learn(rng):
    truth, x = 3.0, tensor(rng, 4, 2, 40, 40).to(GPU)
    target = it.filter(x, 6, sigma=truth)
    layer = iir2d.torch.nn.Filter2d("deriche", learnable=("sigma",), init={"sigma": 1.0}).to(GPU)
    optimiser = torch.optim.Adam(layer.parameters(), lr=0.1)
    for _ in range(150):
        optimiser.zero_grad()
        (layer(x) - target).square().mean().backward()
        optimiser.step()
    assert abs(layer.parameters_now()["sigma"].item() - truth) < 0.1
    for make in (lambda: iir2d.torch.nn.IIR2DResidual(2), lambda: iir2d.torch.nn.IIR2DBank(channels=2)):
        there = make().to(GPU)
        y = there(x)
        y.sum().backward()
        near(y, make()(x.cpu()), "float32")
        assert all(p.grad.device.type == GPU for p in there.parameters())


@of_torch
def test_memory_is_given_back(rng):
    x = tensor(rng, 2, 3, 128, 128).to(GPU).requires_grad_()
    sigma = torch.tensor(2.0, device=GPU, requires_grad=True)

    def step():
        y = it.max_pool2d(it.filter(x, 6, sigma=sigma), 2)
        torch.autograd.grad(y.sum(), (x, sigma))
        iir2d.filter(x.detach(), 5)

    step()
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    for _ in range(50):
        step()
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() == before


# --- arrays through DLPack --------------------------------------------------------------------------------------------


def places_for_arrays():
    """(name, to the GPU, whether a result is of that library)"""
    if torch is not None:
        yield pytest.param(lambda a: torch.from_numpy(a).to(GPU), lambda a: isinstance(a, torch.Tensor) and a.is_cuda, id="torch")
    if cupy is not None:
        yield pytest.param(lambda a: cupy.asarray(a), lambda a: isinstance(a, cupy.ndarray), id="cupy")


of_arrays = pytest.mark.parametrize(("put", "belongs"), list(places_for_arrays()))


@of_arrays
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_filters_of_arrays(rng, put, belongs, dtype):
    kind = np.dtype(dtype).name
    x = rng.random((2, 3, 61, 50)).astype(dtype)
    for filter_id in IDS:
        for name in ("filter", "filter_adjoint"):
            call = getattr(iir2d, name)
            for border in oracle.BORDERS:
                y = call(put(x), filter_id, border=border)
                assert belongs(y)
                near(y, call(x, filter_id, border=border), kind)
    sigma = np.array([1.0, 2.0, 4.0])
    near(iir2d.filter(put(x), 6, sigma=sigma), iir2d.filter(x, 6, sigma=sigma), kind)
    out = put(np.zeros_like(x))
    assert iir2d.filter(put(x), 2, out=out) is out
    near(out, iir2d.filter(x, 2), kind)
    near(iir2d.filter(put(x).swapaxes(-1, -2), 6), iir2d.filter(x.swapaxes(-1, -2), 6), kind)
    near(iir2d.filter(put(x)[:, 1:, 2:, 3:44], 4), iir2d.filter(x[:, 1:, 2:, 3:44], 4), kind)


@of_arrays
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_derivatives_of_arrays(rng, put, belongs, kind):
    x, dy = rng.random((2, 2, 3, 19, 14)).astype(kind)
    for filter_id in IDS:
        got = iir2d.filter_gradient(put(x), put(dy), filter_id, **oracle.FILTERS[filter_id])
        want = iir2d.filter_gradient(x, dy, filter_id, **oracle.FILTERS[filter_id])
        assert got.keys() == want.keys()
        for name in want:
            assert isinstance(got[name], np.ndarray | np.generic)
            assert abs(got[name] - want[name]) <= slope_bound(kind, x, dy, filter_id, name), (filter_id, name)
    sigma = np.array([[1.0], [2.0]])
    got = iir2d.filter_gradient(put(x), put(dy), 6, sigma=sigma)["sigma"]
    assert got.shape == (2, 1)
    np.testing.assert_allclose(got, iir2d.filter_gradient(x, dy, 6, sigma=sigma)["sigma"], rtol=1e-9 if kind == "float64" else 1e-3)


@of_arrays
@pytest.mark.parametrize(("op", "how", "same_bits"), POOLS)
def test_pools_of_arrays(rng, put, belongs, op, how, same_bits):
    x = rng.random((2, 3, 23, 18), dtype=np.float32) + 0.1
    y, want = iir2d.pool(put(x), op, **how), iir2d.pool(x, op, **how)
    assert belongs(y)
    near(y, want, "float32", POOL_BOUND)
    assert not same_bits or np.array_equal(host(y), want)
    dy = rng.random(want.shape, dtype=np.float32)
    reads, reads_there = {}, {}
    if op.endswith("max"):
        _, places = iir2d.pool(put(x), op, return_indices=True, **how)
        assert belongs(places) and np.array_equal(host(places), iir2d.pool(x, op, return_indices=True, **how)[1])
        by_place = iir2d.pool_backward(put(dy), op, input_size=x.shape, indices=places, **how)
        assert np.array_equal(host(by_place), iir2d.pool_backward(dy, op, input_size=x.shape, x=x, **how))
        reads, reads_there = {"x": x}, {"x": put(x)}
    elif op == "lp":
        reads, reads_there = {"x": x, "y": want}, {"x": put(x), "y": put(want)}
    got = iir2d.pool_backward(put(dy), op, input_size=x.shape, **reads_there, **how)
    near(got, iir2d.pool_backward(dy, op, input_size=x.shape, **reads, **how), "float32", POOL_BOUND, scale=9)


@of_torch
def test_arrays_and_tensors_have_the_same_bits(rng):
    for kind in TYPES:
        x = tensor(rng, 2, 3, 70, 66, kind=kind).to(GPU)
        for filter_id in IDS:
            assert same(iir2d.filter(x, filter_id), it.filter(x, filter_id))
        assert same(iir2d.pool(x, "avg", 2, count_include_pad=True), it.avg_pool2d(x, 2))


@of_torch
def test_the_stream_of_arrays_of_torch(rng):
    x, stream = tensor(rng, 2, 3, 150, 140), torch.cuda.Stream()
    want = iir2d.filter(x.numpy(), 6)
    there = x.to(GPU)
    iir2d.filter(there, 6, stream=stream.cuda_stream)
    late = torch.zeros_like(there)
    torch.cuda.synchronize()
    # What torch's current stream still writes is waited for by the stream that is given, not by the caller.
    slowly(torch.cuda.current_stream())
    late.copy_(there)
    y = iir2d.filter(late, 6, stream=stream.cuda_stream)
    assert not stream.query(), "the call waited"
    stream.synchronize()
    near(y, want, "float32")
    # An input that is let go at once is not given to others before the stream has read it.
    for _ in range(5):
        slowly(stream)
        results = []
        for _ in range(4):
            x_now = there.clone()
            results.append(iir2d.filter(x_now, 6, stream=stream.cuda_stream))
            del x_now
            torch.full_like(there, float("nan"))
        stream.synchronize()
        for result in results:
            near(result, want, "float32")
    found = []
    thread = threading.Thread(target=lambda: found.append(iir2d.filter(there, 6)))  # which has no context yet
    thread.start()
    thread.join()
    near(found[0], want, "float32")


@of_cupy
def test_the_stream_of_arrays_of_cupy(rng):
    x = rng.random((2, 3, 150, 140), dtype=np.float32)
    want = iir2d.filter(x, 6)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        there = cupy.asarray(x)
        there += 0  # queued
        y = iir2d.filter(there, 6, stream=stream.ptr)
    stream.synchronize()
    near(y, want, "float32")
    near(iir2d.filter(cupy.asarray(x), 6), want, "float32")


@of_torch
def test_errors_of_arrays(rng):
    x = tensor(rng, 9, 8).to(GPU)
    out = torch.full_like(x, -7.0)
    for call, error, match in (
        (lambda: iir2d.filter(x, alpha=2.0, out=out), iir2d.InvalidArgumentError, "alpha 2"),
        (lambda: iir2d.filter(x, out=np.zeros((9, 8), np.float32)), TypeError, "out lies in the host's memory"),
        (lambda: iir2d.filter_gradient(x, x.cpu()), TypeError, "dy lies in the host's memory"),
        (lambda: iir2d.filter(x, out=out.double()), iir2d.InvalidArgumentError, "out is float64"),
        (lambda: iir2d.filter(x, stream=2), iir2d.InvalidArgumentError, "stream 2"),
        (lambda: iir2d.filter(x.cpu(), stream=0), iir2d.InvalidArgumentError, "stream is for arrays on a GPU"),
    ):
        with pytest.raises(error, match=match):
            call()
    assert (out == -7).all()


def test_the_device_is_listed():
    assert [d for d in iir2d.devices() if d["backend"] == "cuda" and d["usable"]], iir2d.devices()


# --- iir2d.jax --------------------------------------------------------------------------------------------------------


@pytest.fixture
def x64():
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        yield jax.devices("gpu")[0]


def on_gpu(array):
    return all(d.platform in ("gpu", "cuda") for d in array.devices())


@of_jax
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("border", oracle.BORDERS)
def test_filters_of_jax(rng, x64, border, kind):
    x = rng.random((2, 3, 67, 58)).astype(jnp.dtype(kind))
    calls = [(i, s) for i in IDS for s in (oracle.STARTS if kind == "float32" else ("truncated",))]

    def every(x):
        return [(ij.filter(x, i, border=border, start=s, border_const=0.25), ij.filter_adjoint(x, i, border=border, start=s))
                for i, s in calls]  # fmt: skip

    for (i, s), (y, back) in zip(calls, jax.jit(every)(jax.device_put(x, x64)), strict=True):
        assert on_gpu(y) and y.dtype == x.dtype
        near(y, iir2d.filter(x, i, border=border, start=s, border_const=0.25), kind)
        near(back, iir2d.filter_adjoint(x, i, border=border, start=s), kind)


@of_jax
def test_eager_jit_and_vmap_of_jax(rng, x64):
    x = rng.random((2, 3, 130, 110), dtype=np.float32)
    there, want = jax.device_put(x, x64), iir2d.filter(x, 6, sigma=2.0)
    run = functools.partial(ij.filter, filter_id=6, sigma=2.0)
    for got in (run(there), jax.jit(run)(there), jax.vmap(run)(there), jax.vmap(run, 1, 1)(there)):
        near(got, want, "float32")
    # Between XLA's own kernels, on its stream.
    near(jax.jit(lambda x: run(x * 2 + 1) * 0.5 - 0.5)(there), iir2d.filter(x * 2 + 1, 6, sigma=2.0) * 0.5 - 0.5, "float32", scale=3)
    sigma = np.array([1.0, 2.0, 3.0])
    near(jax.jit(lambda x, s: ij.filter(x, 6, sigma=s))(there, sigma), iir2d.filter(x, 6, sigma=sigma), "float32")
    each = jax.vmap(lambda s: ij.filter(there, 6, sigma=s))(jnp.asarray(sigma))
    near(each, np.stack([iir2d.filter(x, 6, sigma=s) for s in sigma]), "float32")
    three = jax.jit(lambda v: jax.lax.scan(lambda c, _: (run(c), None), v, None, length=3)[0])
    again = iir2d.filter(iir2d.filter(want, 6, sigma=2.0), 6, sigma=2.0)
    near(three(there), again, "float32", scale=3)
    assert ij.filter(there[:0], 6).shape == (0, 3, 130, 110)


@of_jax
@pytest.mark.parametrize("filter_id", [1, 3, 6])
def test_gradients_of_jax(rng, x64, filter_id):
    x, w = rng.random((2, 2, 3, 24, 20))
    name = {1: "alpha", 3: "a1", 6: "sigma"}[filter_id]
    one = oracle.FILTERS[filter_id][name]

    def loss(x, p):
        return (ij.filter(x, filter_id, border="clamp", **{name: p}) * w).sum()

    slopes = jax.jit(jax.grad(loss, argnums=(0, 1)))
    for p in (np.float64(one), np.full(3, one), np.full((2, 1), one)):
        dx, dp = slopes(jax.device_put(x, x64), jax.device_put(p, x64))
        assert on_gpu(dx) and on_gpu(dp) and dp.shape == p.shape
        near(dx, iir2d.filter_adjoint(w, filter_id, border="clamp", **{name: p}), "float64")
        np.testing.assert_allclose(dp, iir2d.filter_gradient(x, w, filter_id, border="clamp", **{name: p})[name], rtol=1e-9)
    got = ij.filter_gradient(jax.device_put(x, x64), jax.device_put(w, x64), filter_id)
    for key, want in iir2d.filter_gradient(x, w, filter_id).items():
        np.testing.assert_allclose(got[key], want, rtol=1e-9, atol=1e-9)


@of_jax
@pytest.mark.parametrize(("op", "how", "same_bits"), POOLS)
def test_pools_of_jax(rng, x64, op, how, same_bits):
    x = rng.random((2, 3, 23, 18), dtype=np.float32) + np.float32(0.1)
    want = iir2d.pool(x, op, **how)
    dy = rng.random(want.shape, dtype=np.float32)
    y, pull = jax.vjp(lambda x: ij.pool(x, op, **how), jax.device_put(x, x64))
    assert on_gpu(y)
    near(y, want, "float32", POOL_BOUND)
    assert not same_bits or np.array_equal(y, want)
    back = iir2d.pool_backward(dy, op, input_size=x.shape, x=x, y=np.asarray(y), **how)
    near(pull(jax.device_put(dy, x64))[0], back, "float32", POOL_BOUND, scale=9)
    if op.endswith("max"):
        _, places = ij.pool(jax.device_put(x, x64), op, return_indices=True, **how)
        assert places.dtype == np.int64 and np.array_equal(places, iir2d.pool(x, op, return_indices=True, **how)[1])


@of_jax
def test_places_without_x64(rng):
    with jax.enable_x64(False) if hasattr(jax, "enable_x64") else jax.experimental.disable_x64():
        x = rng.random((2, 3, 22, 18), dtype=np.float32)
        _, places = ij.max_pool2d(jax.device_put(x, jax.devices("gpu")[0]), 2, return_indices=True)
        assert places.dtype == np.int32
        assert np.array_equal(places, iir2d.pool(x, "max", 2, return_indices=True)[1])


@of_jax
def test_programs_that_may_be_recorded(rng, x64):
    """XLA records a program's calls after its first runs; each run must read its own input."""
    def chain(x):
        for _ in range(4):
            x = ij.avg_pool2d(x, 3, 1, 1)
            x = ij.max_pool2d(x, 3, 1, 1)
        return ij.filter(x, 6), x

    run = jax.jit(chain)
    for _ in range(5):
        x = want = rng.random((2, 40, 38), dtype=np.float32)
        for _ in range(4):
            want = iir2d.pool(want, "avg", 3, stride=1, padding=1, count_include_pad=True)
            want = iir2d.pool(want, "max", 3, stride=1, padding=1)
        filtered, pooled = run(jax.device_put(x, x64))
        near(pooled, want, "float32", POOL_BOUND, scale=4)
        near(filtered, iir2d.filter(want, 6), "float32")


@of_jax
def test_errors_of_jax(rng, x64):
    x = jax.device_put(rng.random((2, 9, 8), dtype=np.float32), x64)
    with pytest.raises(iir2d.InvalidArgumentError, match="alpha 2"):
        ij.filter(x, alpha=2.0)
    run = jax.jit(lambda a: ij.filter(x, alpha=a))
    for value, says in ((2.0, "alpha 2 of filter 1"), (np.nan, "alpha nan of filter 1")):
        with pytest.raises(Exception, match=f"invalid_argument: {says}"):
            jax.block_until_ready(run(jnp.float32(value)))
    near(run(jnp.float32(0.5)), iir2d.filter(np.asarray(x), alpha=0.5), "float32")
    with pytest.raises(TypeError, match="JAX"):
        iir2d.filter(x)
