# SPDX-License-Identifier: MIT
"""What arrays on a GPU ask of their libraries: exports, memory, current devices and streams. Over the stand-in driver, with
stand-ins of CuPy and torch."""

import contextlib
import sys
import types

import numpy as np
import pytest

import iir2d
from stand_in import ON_STAND_IN, STAND_IN, Driver, GpuArray, VersionedGpuArray, inside, put, run_inside


@pytest.mark.skipif(ON_STAND_IN or not STAND_IN, reason="IIR2D_FAKE_CUDA_DIR names no stand-in driver")
@pytest.mark.parametrize("queued", [0, 1])
def test_on_the_stand_in_driver(queued):
    run_inside(__file__, queued)


@pytest.fixture(scope="module")
def driver():
    return Driver()


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@inside
def test_dlpack_1_says_what_may_be_written(driver, rng):
    x = rng.random((3, 9, 14)).astype(np.float32)
    given = put(driver, x, kind=VersionedGpuArray)
    got = iir2d.filter(given, 3)
    driver.wait()
    np.testing.assert_allclose(got.host(), iir2d.filter(x, 3), atol=1e-5)
    assert given.versions == ((1, 0),) and given.exports[-1] == b"dltensor_versioned"
    out = put(driver, np.full_like(x, -7), kind=VersionedGpuArray)
    assert iir2d.filter(given, 3, out=out) is out
    driver.wait()
    assert np.array_equal(out.host(), got.host())
    out.read_only = True
    with pytest.raises(iir2d.InvalidArgumentError, match="out is read-only"):
        iir2d.filter(given, 3, out=out)


class Current:
    """What a library has as its current device and stream, each set within a `with`."""

    def __init__(self):
        self.device, self.stream, self.entered = 0, 0, []

    @contextlib.contextmanager
    def on(self, **what):
        before = {name: getattr(self, name) for name in what}
        self.entered.append(what)
        for name, value in what.items():
            setattr(self, name, value)
        try:
            yield
        finally:
            for name, value in before.items():
                setattr(self, name, value)


@pytest.fixture
def cupy(driver, monkeypatch):
    """A stand-in of CuPy: no __array_namespace__, memory on the current device."""
    current = Current()

    class Device(int):
        def __enter__(self):
            self.entered = current.on(device=int(self))
            self.entered.__enter__()

        def __exit__(self, *error):
            self.entered.__exit__(*error)

    class ndarray(GpuArray):  # noqa: N801
        __module__ = "cupy"

        def __init__(self, *arguments, **more):
            super().__init__(*arguments, **more)
            self.device = Device(self.device)

        @property
        def __array_namespace__(self):
            raise AttributeError

    def empty(shape, dtype):
        made = GpuArray(driver, 0, shape, dtype).namespace.empty(shape, dtype, current.device)
        return ndarray(driver, made.address, shape, dtype, current.device)

    cuda = types.SimpleNamespace(
        ExternalStream=lambda handle: current.on(stream=handle), Stream=types.SimpleNamespace(null=current.on(stream=0))
    )
    module = types.SimpleNamespace(ndarray=ndarray, empty=empty, cuda=cuda, current=current)
    monkeypatch.setitem(sys.modules, "cupy", module)
    return module


@inside
def test_cupy_makes_its_memory_on_its_current_device(driver, cupy, rng):
    x = rng.random((3, 4, 10, 12))
    turned = put(driver, x, kind=cupy.ndarray, shape=(3, 4, 12, 10), strides=(480, 120, 1, 12))
    assert not hasattr(turned, "__array_namespace__")
    stream = driver.stream()
    got = iir2d.filter(turned, 6, sigma=2.0, stream=stream)  # copied, with a workspace
    driver.wait(stream)
    assert type(got) is cupy.ndarray and got.dtype == "float64"
    np.testing.assert_allclose(got.host(), iir2d.filter(np.swapaxes(x, -1, -2), 6, sigma=2.0), atol=1e-12)
    assert cupy.current.entered == [{"device": 0}, {"stream": stream}]
    y, places = iir2d.pool(put(driver, x, kind=cupy.ndarray), "max", 2, return_indices=True)
    driver.wait()
    want, want_places = iir2d.pool(x, "max", 2, return_indices=True)
    assert np.array_equal(y.host(), want) and np.array_equal(places.host(), want_places)


@pytest.fixture
def torch(driver, monkeypatch):
    """A stand-in of torch: exports only from the current device, and says which streams it was told of."""
    current = Current()

    class Tensor(GpuArray):
        def __init__(self, *arguments, **more):
            super().__init__(*arguments, **more)
            self.recorded = []

        def __dlpack__(self, stream=None):
            if current.device != self.device:
                raise BufferError("Can't export tensors on a different CUDA device index.")
            return super().__dlpack__(stream)

        def record_stream(self, stream):
            self.recorded.append(stream.cuda_stream)

    def empty(shape, dtype, device):
        made = GpuArray(driver, 0, shape, dtype).namespace.empty(shape, dtype, device)
        return Tensor(driver, made.address, shape, dtype, device)

    def stream_of(handle, device):
        return types.SimpleNamespace(cuda_stream=handle, device=device)

    cuda = types.SimpleNamespace(
        device=lambda device: current.on(device=device),
        stream=lambda stream: current.on(device=stream.device, stream=stream.cuda_stream),
        current_stream=lambda device: stream_of(current.stream, device),
        default_stream=lambda device: stream_of(0, device),
        ExternalStream=stream_of,
    )
    module = types.SimpleNamespace(
        Tensor=Tensor, empty=empty, float64="float64", int64="int64", cuda=cuda, current=current
    )
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


@inside
def test_torch_exports_on_a_tensors_own_device(driver, torch, rng):
    x = rng.random((3, 9, 14))
    on_0, on_1 = (put(driver, x, kind=torch.Tensor, device=device) for device in (0, 1))
    torch.current.device = 1  # where on_0 cannot be exported
    got = iir2d.filter(on_0, 3)
    driver.wait()
    np.testing.assert_allclose(got.host(), iir2d.filter(x, 3), atol=1e-12)
    for call in (
        lambda: iir2d.filter(on_0, out=on_1),
        lambda: iir2d.filter_gradient(on_0, on_1),
        lambda: iir2d.pool(on_0, "avg", 1, out=on_1),
        lambda: iir2d.pool_backward(on_0, "avg", 1, input_size=(9, 14), out=on_1),
        lambda: iir2d.pool_backward(on_0, "lp", 1, input_size=(9, 14), x=on_1, y=on_0),
        lambda: iir2d.pool_backward(on_0, "max", 1, input_size=(9, 14), indices=on_1),
    ):
        with pytest.raises(iir2d.InvalidArgumentError, match="lies on CUDA device 0, (out|dy|x|indices) on 1"):
            call()
    assert torch.current.device == 1 and not on_1.streams


@inside
def test_torch_keeps_what_another_stream_uses(driver, torch, rng):
    x = rng.random((3, 9, 14))
    stream, other = driver.stream(), driver.stream()
    torch.current.stream = other
    given, out, dy = (put(driver, x, kind=torch.Tensor) for _ in range(3))
    iir2d.filter(given, 3, out=out, stream=stream)
    assert given.recorded == out.recorded == [stream]
    iir2d.filter_gradient(given, dy, 3, stream=stream)
    assert given.recorded == [stream] * 2 and dy.recorded == [stream]
    y, places = iir2d.pool(given, "max", 2, return_indices=True, stream=stream)
    back = iir2d.pool_backward(y, "max", 2, input_size=(9, 14), indices=places, stream=other)
    assert given.recorded == [stream] * 3
    # On torch's own stream there is nothing to tell it.
    assert y.recorded == places.recorded == [stream] and not back.recorded
    driver.wait(stream)
    driver.wait(other)


@inside
def test_the_handles_of_default_streams(driver, torch, rng):
    x = rng.random((3, 9, 14))
    for kind in (GpuArray, torch.Tensor):
        given = put(driver, x, kind=kind)
        got = iir2d.filter(given, 3, stream=1)  # CU_STREAM_LEGACY
        driver.wait()
        assert given.streams == [1]
        np.testing.assert_allclose(got.host(), iir2d.filter(x, 3), atol=1e-12)
    assert {"device": 0, "stream": 0} in torch.current.entered and not given.recorded
    for call in (
        lambda: iir2d.filter(given, stream=2),
        lambda: iir2d.filter_gradient(given, given, stream=2),
        lambda: iir2d.pool(given, "avg", stream=2),
    ):
        with pytest.raises(iir2d.InvalidArgumentError, match="stream 2 is the default stream of a thread"):
            call()
