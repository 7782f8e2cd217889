# SPDX-License-Identifier: MIT
"""Arrays in a GPU's memory, over the stand-in driver: in a process of its own, which finds it as libcuda.so.1."""

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest

import iir2d

STAND_IN = os.environ.get("IIR2D_FAKE_CUDA_DIR", "")
ON_STAND_IN = os.environ.get("IIR2D_ON_STAND_IN") == "1"
inside = pytest.mark.skipif(not ON_STAND_IN, reason="runs in a process that has the stand-in driver")


@pytest.mark.skipif(ON_STAND_IN or not STAND_IN, reason="IIR2D_FAKE_CUDA_DIR names no stand-in driver")
@pytest.mark.parametrize("queued", [0, 1])
def test_on_the_stand_in_driver(queued):
    environment = dict(os.environ, LD_LIBRARY_PATH=STAND_IN, IIR2D_ON_STAND_IN="1", FAKE_CUDA=f"devices=2,queued={queued}")
    ran = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", __file__],
                         env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "passed" in ran.stdout and "failed" not in ran.stdout


class Driver:
    """The functions of the driver that the tests call."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        assert self.call("cuInit", 0) == 0
        self.contexts = []
        for device in (0, 1):
            context = ctypes.c_void_p()
            assert self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device) == 0
            self.contexts.append(context)
        assert self.call("cuCtxPushCurrent", self.contexts[0]) == 0

    def call(self, name, *arguments):
        function, status = ctypes.c_void_p(), ctypes.c_int()
        self.library.cuGetProcAddress_v2(name.encode(), ctypes.byref(function), 13000, ctypes.c_uint64(0),
                                         ctypes.byref(status))
        assert function.value, name
        return ctypes.CFUNCTYPE(ctypes.c_int)(function.value)(*arguments)

    def allocate(self, size):
        address = ctypes.c_uint64()
        assert self.call("cuMemAlloc", ctypes.byref(address), ctypes.c_size_t(max(size, 1))) == 0
        return address.value

    def stream(self):
        handle = ctypes.c_void_p()
        assert self.call("cuStreamCreate", ctypes.byref(handle), 0) == 0
        return handle.value

    def wait(self, stream=None):
        assert self.call("cuStreamSynchronize", ctypes.c_void_p(stream)) == 0


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class DLManagedTensor(ctypes.Structure):
    pass


DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(DLManagedTensor))
DLManagedTensor._fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]
NOTHING = DELETER()  # null: the tests free nothing
CODES = {"float32": (2, 32), "float64": (2, 64), "float16": (2, 16), "bfloat16": (4, 16)}


class Namespace:
    """As much of the array API as memory takes."""

    float64 = "float64"

    def __init__(self, driver):
        self.driver, self.made = driver, []

    def empty(self, shape, dtype, device):
        size = int(np.prod(shape)) * CODES[dtype][1] // 8
        self.made.append(size)
        return GpuArray(self.driver, self.driver.allocate(size), shape, dtype, device, self)


class GpuArray:
    """An array on a GPU of the stand-in driver, whose memory is the host's."""

    def __init__(self, driver, address, shape, dtype, device=0, namespace=None, strides=None):
        self.driver, self.address, self.shape, self.dtype, self.device = driver, address, tuple(shape), dtype, device
        self.namespace = namespace or Namespace(driver)
        self.strides = strides
        self.streams, self.exports = [], []

    def __array_namespace__(self):
        return self.namespace

    def __dlpack_device__(self):
        return 2, self.device

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        sizes = (ctypes.c_int64 * len(self.shape))(*self.shape)
        steps = (ctypes.c_int64 * len(self.shape))(*self.strides) if self.strides else None
        code, bits = CODES[self.dtype]
        managed = DLManagedTensor(DLTensor(self.address, 2, self.device, len(self.shape), code, bits, 1,
                                           sizes, steps, 0), None, NOTHING)
        self.exports.append((managed, sizes, steps))
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(managed), b"dltensor", None)

    def host(self):
        count = int(np.prod(self.shape))
        memory = (ctypes.c_byte * (count * CODES[self.dtype][1] // 8)).from_address(self.address)
        kind = np.uint16 if self.dtype == "bfloat16" else self.dtype
        return np.frombuffer(memory, kind).reshape(self.shape).copy()


def put(driver, array, **arguments):
    dtype = arguments.pop("dtype", array.dtype.name)
    array = np.ascontiguousarray(array)
    address = driver.allocate(array.nbytes)
    ctypes.memmove(address, array.ctypes.data, array.nbytes)
    return GpuArray(driver, address, arguments.pop("shape", array.shape), dtype, **arguments)


@pytest.fixture(scope="module")
def driver():
    return Driver()


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@inside
@pytest.mark.parametrize("dtype,bound", [(np.float32, 1e-5), (np.float64, 1e-12), (np.float16, 1e-3)])
def test_filter_and_adjoint_are_the_hosts(driver, rng, dtype, bound):
    x = rng.random((2, 3, 21, 37)).astype(dtype)
    for number in range(1, 9):
        for function in (iir2d.filter, iir2d.filter_adjoint):
            given = put(driver, x)
            stream = driver.stream()
            result = function(given, number, border="wrap", start="steady", stream=stream)
            assert isinstance(result, GpuArray) and result.dtype == given.dtype and result.shape == x.shape
            assert given.streams == [stream]
            driver.wait(stream)
            np.testing.assert_allclose(result.host(), function(x, number, border="wrap", start="steady"),
                                       rtol=bound, atol=bound)


@inside
def test_the_legacy_stream_is_the_default_and_only_sums_take_a_workspace(driver, rng):
    x = rng.random((9, 40)).astype(np.float32)
    for number, made in ((1, 1), (6, 2)):
        given = put(driver, x)
        out = iir2d.filter(given, number)
        assert given.streams == [1] and len(given.namespace.made) == made
        driver.wait()
        np.testing.assert_allclose(out.host(), iir2d.filter(x, number), atol=1e-5)


@inside
def test_out_parameters_and_strides(driver, rng):
    x = rng.random((4, 9, 40))
    sigma = np.array([0.5, 1.0, 2.0, 7.5])
    given, out = put(driver, x), put(driver, np.full(x.shape, -7.0))
    assert iir2d.filter(given, 6, sigma=sigma, out=out) is out
    assert iir2d.filter(given, 6, sigma=sigma, out=given) is given
    driver.wait()
    want = iir2d.filter(x, 6, sigma=sigma)
    np.testing.assert_allclose(out.host(), want, atol=1e-12)
    assert np.array_equal(given.host(), out.host())
    # Every second plane, and the left half of the rows.
    view = put(driver, x, shape=(2, 9, 20), strides=(2 * 360, 40, 1))
    half = iir2d.filter_adjoint(view, 3)
    driver.wait()
    np.testing.assert_allclose(half.host(), iir2d.filter_adjoint(x[::2, :, :20], 3), atol=1e-12)
    turned = put(driver, x, shape=(4, 40, 9), strides=(360, 1, 40))
    with pytest.raises(iir2d.InvalidArgumentError, match="contiguous"):
        iir2d.filter(turned)


@inside
def test_gradient_of_parameters_is_the_hosts(driver, rng):
    x, dy = rng.random((2, 3, 9, 14)), rng.random((2, 3, 9, 14))
    for number in range(1, 9):
        got = iir2d.filter_gradient(put(driver, x), put(driver, dy), number, stream=driver.stream())
        want = iir2d.filter_gradient(x, dy, number)
        assert got.keys() == want.keys()
        for name, value in want.items():
            np.testing.assert_allclose(got[name], value, rtol=1e-9, atol=1e-9)
    sigma = np.array([[0.5], [3.0]])
    got = iir2d.filter_gradient(put(driver, x), put(driver, dy), 6, sigma=sigma)["sigma"]
    np.testing.assert_allclose(got, iir2d.filter_gradient(x, dy, 6, sigma=sigma)["sigma"], rtol=1e-9, atol=1e-9)


@inside
def test_what_does_not_fit_is_refused(driver, rng):
    x = rng.random((9, 14)).astype(np.float32)
    given = put(driver, x)
    with pytest.raises(TypeError, match="host's memory"):
        iir2d.filter(given, out=np.empty_like(x))
    with pytest.raises(TypeError, match="host's memory"):
        iir2d.filter_gradient(given, x)
    with pytest.raises(iir2d.InvalidArgumentError, match="stream is for arrays on a GPU"):
        iir2d.filter(x, stream=3)
    with pytest.raises(iir2d.InvalidArgumentError, match="CUDA device 0, out on 1"):
        iir2d.filter(given, out=put(driver, x, device=1))
    with pytest.raises(iir2d.InvalidDimensionError, match="out has shape"):
        iir2d.filter(given, out=put(driver, x[:3]))
    with pytest.raises(iir2d.InvalidArgumentError, match="out is float64"):
        iir2d.filter(given, out=put(driver, x.astype(float)))
    with pytest.raises(iir2d.InvalidArgumentError, match="alpha"):
        iir2d.filter(given, alpha=1.5)
    with pytest.raises(TypeError, match="device"):
        iir2d.pool(given, "max")
    assert iir2d.filter(put(driver, np.empty((0, 8, 8)))).shape == (0, 8, 8)
