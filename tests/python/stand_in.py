# SPDX-License-Identifier: MIT
"""The stand-in driver, whose device memory is the host's, and arrays in that memory. A test file that uses them runs its
tests in a process of its own, which finds the driver as libcuda.so.1."""

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest

STAND_IN = os.environ.get("IIR2D_FAKE_CUDA_DIR", "")
ON_STAND_IN = os.environ.get("IIR2D_ON_STAND_IN") == "1"
inside = pytest.mark.skipif(not ON_STAND_IN, reason="runs in a process that has the stand-in driver")


def run_inside(path, queued):
    """Runs a file's tests over the driver; `queued` 1: work waits in its stream until somebody waits for it."""
    libraries = f"{STAND_IN}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    environment = dict(os.environ, LD_LIBRARY_PATH=libraries, IIR2D_ON_STAND_IN="1", FAKE_CUDA=f"devices=2,queued={queued}")
    ran = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", path],
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


class DLManagedTensorVersioned(ctypes.Structure):
    pass


DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(DLManagedTensor))
DLManagedTensor._fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]
VERSIONED_DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(DLManagedTensorVersioned))
DLManagedTensorVersioned._fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                                     ("deleter", VERSIONED_DELETER), ("flags", ctypes.c_uint64), ("tensor", DLTensor)]
NOTHING = DELETER()  # null: the tests free nothing
CODES = {"float32": (2, 32), "float64": (2, 64), "float16": (2, 16), "bfloat16": (4, 16), "int64": (0, 64), "int32": (0, 32)}


class Namespace:
    """As much of the array API as memory takes."""

    float64, int64 = "float64", "int64"

    def __init__(self, driver):
        self.driver, self.made, self.copies = driver, [], 0

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
        return self.capsule(DLManagedTensor(self.tensor(), None, NOTHING), b"dltensor")

    def tensor(self):
        sizes = (ctypes.c_int64 * len(self.shape))(*self.shape)
        steps = (ctypes.c_int64 * len(self.shape))(*self.strides) if self.strides else None
        code, bits = CODES[self.dtype]
        self.exports.append((sizes, steps))
        return DLTensor(self.address, 2, self.device, len(self.shape), code, bits, 1, sizes, steps, 0)

    def capsule(self, managed, name):
        self.exports.append(managed)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.exports.append(name)
        return new(ctypes.addressof(managed), name, None)

    def memory(self):
        """The elements as NumPy sees them, now."""
        kind = np.dtype(np.uint16 if self.dtype == "bfloat16" else self.dtype)
        steps = self.strides or [int(np.prod(self.shape[i + 1:])) for i in range(len(self.shape))]
        extent = 1 + sum((n - 1) * s for n, s in zip(self.shape, steps))
        elements = np.frombuffer((ctypes.c_byte * (extent * kind.itemsize)).from_address(self.address), kind)
        return np.lib.stride_tricks.as_strided(elements, self.shape, [s * kind.itemsize for s in steps])

    def host(self):
        return self.memory().copy()

    def __setitem__(self, key, other):
        assert key is Ellipsis and isinstance(other, GpuArray)
        for stream in {*self.streams, *other.streams} - {None}:  # what was queued before the copy
            self.driver.wait(None if stream == 1 else stream)
        self.memory()[...] = other.memory()
        self.namespace.copies += 1


class VersionedGpuArray(GpuArray):
    """The same with DLPack 1.0, which says whether it may be written."""

    read_only, versions = False, ()

    def __dlpack__(self, *, stream=None, max_version=None):
        self.streams.append(stream)
        self.versions = (*self.versions, max_version)
        managed = DLManagedTensorVersioned(1, 0, None, VERSIONED_DELETER(), int(self.read_only), self.tensor())
        return self.capsule(managed, b"dltensor_versioned")


def put(driver, array, *, kind=GpuArray, **arguments):
    dtype = arguments.pop("dtype", array.dtype.name)
    array = np.ascontiguousarray(array)
    address = driver.allocate(array.nbytes)
    ctypes.memmove(address, array.ctypes.data, array.nbytes)
    return kind(driver, address, arguments.pop("shape", array.shape), dtype, **arguments)
