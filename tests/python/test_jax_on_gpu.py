# SPDX-License-Identifier: MIT
"""iir2d.jax on a GPU, as far as a machine without one shows it: what XLA is given for CUDA, and the handlers that it would
call, by call frames made by hand, over the stand-in driver."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import iir2d  # noqa: E402
import iir2d.jax as ij  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from iir2d import _jax_filter, _jax_pool, _native, _pooling  # noqa: E402
from pathlib import Path  # noqa: E402
from stand_in import ON_STAND_IN, STAND_IN, Driver, inside, put, run_inside  # noqa: E402

COMPILER = shutil.which("cc") or shutil.which("gcc")
INVALID_ARGUMENT, INTERNAL = 3, 13  # XLA_FFI_Error_Code_...


@pytest.mark.skipif(ON_STAND_IN or not STAND_IN or not COMPILER, reason="no stand-in driver, or no C compiler for the frames")
@pytest.mark.parametrize("queued", [0, 1])
def test_on_the_stand_in_driver(queued):
    run_inside(__file__, queued)


def spec_of(filter_id, values=(), given=(), transposed=False):
    return _jax_filter.Spec(filter_id, 1, 0.0, 2, 0, False, values, given, transposed)


def lowered(function, *arguments):
    return jax.jit(function).trace(*arguments).lower(lowering_platforms=("cuda",)).as_text()


@pytest.mark.skipif(ON_STAND_IN, reason="needs no driver")
def test_lowered_for_cuda():
    x = jnp.ones((2, 3, 16, 24))
    text = lowered(lambda x: ij.filter(x, "deriche", sigma=3.0), x)
    assert "@iir2d_filter(" in text and text.count("custom_call") == 1
    assert "@iir2d_filter_given(" in lowered(lambda x, s: ij.filter(x, "deriche", sigma=s), x, jnp.ones(3))
    assert "transposed = true" in lowered(lambda x: ij.filter_adjoint(x, "ema"), x)
    # The handler's derivatives are float64, of one set or of all planes; the sums are XLA's, the results float32.
    slope = jax.grad(lambda s, x: ij.filter(x, "deriche", sigma=s).sum())
    one = lowered(slope, jnp.float32(2.0), x)
    assert "@iir2d_filter_gradient_given(" in one and "tensor<2xf64>" in one and "-> (tensor<f32>" in one
    each = lowered(slope, jnp.ones(3), x)
    assert "tensor<2x3x2xf64>" in each and "stablehlo.reduce" in each and "-> (tensor<3xf32>" in each
    assert "custom_call" not in lowered(slope, jnp.float32(2.0), jnp.ones((0, 3, 4, 4)))
    # Positions are int64 there, and int32 outside without x64.
    text = lowered(lambda x: ij.max_pool2d(x, 2, return_indices=True), x)
    assert "@iir2d_pool(" in text and "tensor<2x3x8x12xi64>" in text
    assert jax.config.jax_enable_x64 or "-> (tensor<2x3x8x12xf32> {" in text and "tensor<2x3x8x12xi32>" in text
    text = lowered(jax.grad(lambda x: ij.max_pool2d(x, 2).sum()), x)
    assert "@iir2d_pool_backward(" in text and "tensor<2x3x8x12xi64>" in text
    assert "@iir2d_pool_backward(" in lowered(jax.grad(lambda x: ij.lp_pool2d(x, 2.0, 2).sum()), x)
    # vmap is one call; for a CPU nothing of this is lowered.
    assert lowered(jax.vmap(lambda x: ij.filter(x, 3)), x).count("custom_call") == 1
    text = jax.jit(slope).lower(jnp.float32(2.0), x).as_text()
    assert "xf64>" not in text.replace("tensor<0xf64>", "") or jax.config.jax_enable_x64


@pytest.mark.skipif(ON_STAND_IN, reason="needs no driver")
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 1), (2, 3)])
def test_the_sums_of_gradients_for_cuda(monkeypatch, shape):
    """What is lowered around the handler, on the CPU: its result is computed with arrays here."""
    rng = np.random.default_rng(1)
    x, dy = rng.random((2, 3, 9, 14)), rng.random((2, 3, 9, 14))
    sigma = rng.uniform(1, 3, shape).astype(np.float32)

    def call(target, results, **attributes):
        result, = results
        assert target == "iir2d_filter_gradient_given" and result.dtype == np.float64
        sets = np.broadcast_to(sigma, result.shape[:-1]) if result.shape[:-1] else sigma.reshape(())
        slope = iir2d.filter_gradient(x, dy, 6, sigma=sets)["sigma"]
        return lambda *operands: [jnp.stack([jnp.asarray(slope, np.float64), jnp.zeros(result.shape[:-1])], -1)]

    monkeypatch.setattr(_jax_filter.common, "call", call)
    wanted = (_jax_filter.Gradient(0, shape, np.dtype(np.float32)),)
    got, = _jax_filter._gradient_run_on_gpu(x, dy, sigma, spec=spec_of(6, (None, None), (0,)), wanted=wanted)
    assert got.shape == shape and got.dtype == np.float32
    np.testing.assert_allclose(got, iir2d.filter_gradient(x, dy, 6, sigma=sigma)["sigma"], rtol=1e-6)


@pytest.mark.skipif(ON_STAND_IN, reason="needs no driver")
def test_every_target_has_a_handler_of_both_platforms():
    assert _native.xla_handlers("cpu").keys() == _native.xla_handlers("CUDA").keys()


class Value(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_int32), ("rank", ctypes.c_int64),
                ("dims", ctypes.POINTER(ctypes.c_int64)), ("data", ctypes.c_void_p)]  # fmt: skip


TYPES = {"bool": 1, "int32": 4, "int64": 5, "float16": 10, "float32": 11, "float64": 12}


class Frames:
    """Calls handlers for CUDA on arrays of the stand-in driver."""

    def __init__(self, library, driver):
        self.library, self.driver = ctypes.CDLL(str(library)), driver
        self.stream = driver.stream()
        self.size = 1 << 22
        self.scratch = driver.allocate(self.size)

    def handler(self, name):
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        return ctypes.c_void_p(get(_native.xla_handlers("CUDA")[name], b"xla._CUSTOM_CALL_TARGET"))

    def traits(self, name):
        return self.library.handler_traits(self.handler(name))

    def call(self, name, operands, results, attributes, scratch=None, stream=None):
        """Returns the error's code and message; attributes are those that jax.ffi.ffi_call takes."""
        kept = []

        def value(name, dtype, shape, address):
            dims = None if shape is None else (ctypes.c_int64 * max(len(shape), 1))(*shape)
            kept.append(dims)
            return Value(name.encode(), TYPES[dtype], -1 if shape is None else len(shape), dims, address)

        def values(arrays):
            return (Value * max(len(arrays), 1))(*(value("", a.dtype, a.shape, a.address) for a in arrays))

        attrs = []
        for key in sorted(attributes):
            array = np.ascontiguousarray(attributes[key])
            kept.append(array)
            shape = None if np.ndim(attributes[key]) == 0 else array.shape
            attrs.append(value(key, array.dtype.name, shape, array.ctypes.data))
        message = ctypes.create_string_buffer(1024)
        code = self.library.call_handler(
            self.handler(name), ctypes.c_void_p(stream or self.stream), ctypes.c_void_p(self.scratch),
            ctypes.c_size_t(self.size if scratch is None else scratch),
            values(operands), ctypes.c_int64(len(operands)), values(results), ctypes.c_int64(len(results)),
            (Value * len(attrs))(*attrs), ctypes.c_int64(len(attrs)), message, ctypes.c_size_t(1024),
        )  # fmt: skip
        return code, message.value.decode()


@pytest.fixture(scope="module")
def frames(tmp_path_factory):
    library = tmp_path_factory.mktemp("frames") / "xla_frame.so"
    source = Path(__file__).with_name("xla_frame.c")
    subprocess.run([COMPILER, "-std=c11", "-shared", "-fPIC", f"-I{jax.ffi.include_dir()}", str(source), "-o", str(library)],
                   check=True)
    return Frames(library, Driver())


@inside
def test_what_allocates_nothing_may_be_recorded(frames):
    """A filter's scratch memory is freed when its handler returns, and a recorded command buffer would go on using it."""
    for name in _native.xla_handlers("CUDA"):
        assert frames.traits(name) == (1 if name.startswith("iir2d_pool") else 0), name


@inside
def test_filter_handlers(frames):
    driver, rng = frames.driver, np.random.default_rng(1)
    x = rng.random((2, 3, 9, 14))
    for number in range(1, 9):
        for transposed, host in ((False, iir2d.filter), (True, iir2d.filter_adjoint)):
            y = put(driver, np.full(x.shape, np.nan))
            attributes = _jax_filter._attributes(spec_of(number, transposed=transposed))
            assert frames.call("iir2d_filter", [put(driver, x)], [y], attributes) == (0, "")
            driver.wait(frames.stream)
            np.testing.assert_allclose(y.host(), host(x, number), atol=1e-12)
    for sigma in (np.array([0.5, 2.0, 7.0]), np.array([[1.0], [3.0]]), np.array(2.0), np.array([1, 2, 3], np.float32)):
        y = put(driver, np.full(x.shape, np.nan))
        attributes = _jax_filter._attributes(spec_of(6, (None, None), (0,)))
        assert frames.call("iir2d_filter_given", [put(driver, x), put(driver, sigma, shape=sigma.shape)], [y], attributes) == (0, "")
        driver.wait(frames.stream)
        np.testing.assert_allclose(y.host(), iir2d.filter(x, 6, sigma=sigma), atol=1e-12)


@inside
def test_gradient_handlers(frames):
    driver, rng = frames.driver, np.random.default_rng(2)
    x, dy = rng.random((2, 3, 9, 14)), rng.random((2, 3, 9, 14))
    for number in range(1, 9):
        names = [p.name for p in iir2d.filters()[number - 1].parameters]
        slopes = put(driver, np.full(len(names), np.nan))
        attributes = _jax_filter._attributes(spec_of(number))
        assert frames.call("iir2d_filter_gradient", [put(driver, x), put(driver, dy)], [slopes], attributes) == (0, "")
        driver.wait(frames.stream)
        want = iir2d.filter_gradient(x, dy, number)
        np.testing.assert_allclose([s for s, n in zip(slopes.host(), names) if n in want], list(want.values()), rtol=1e-9)
    sigma = np.array([0.5, 2.0, 7.0])
    planes = put(driver, np.full((2, 3, 2), np.nan))
    attributes = _jax_filter._attributes(spec_of(6, (None, None), (0,)))
    operands = [put(driver, x), put(driver, dy), put(driver, sigma)]
    assert frames.call("iir2d_filter_gradient_given", operands, [planes], attributes) == (0, "")
    driver.wait(frames.stream)
    np.testing.assert_allclose(planes.host()[..., 0].sum(0), iir2d.filter_gradient(x, dy, 6, sigma=sigma)["sigma"], rtol=1e-9)


@inside
def test_pool_handlers(frames):
    driver, rng = frames.driver, np.random.default_rng(3)
    x = rng.random((2, 3, 11, 14))
    for op in ("max", "avg", "lp"):
        pooling = _pooling.make_pooling(op, 3, stride=2)
        attributes = _jax_pool._attributes(pooling)
        want = iir2d.pool(x, op, 3, stride=2)
        given, y = put(driver, x), put(driver, np.full(want.shape, np.nan))
        places = put(driver, np.zeros(want.shape, np.int64))
        assert frames.call("iir2d_pool", [given], [y, places] if op == "max" else [y], attributes) == (0, "")
        driver.wait(frames.stream)
        np.testing.assert_allclose(y.host(), want, atol=1e-12)
        dy, dx = rng.random(want.shape), put(driver, np.full(x.shape, np.nan))
        read = {"max": [places], "avg": [], "lp": [given, y]}[op]
        assert frames.call("iir2d_pool_backward", [put(driver, dy), *read], [dx], attributes) == (0, "")
        driver.wait(frames.stream)
        host = {"max": {"indices": places.host()}, "avg": {}, "lp": {"x": x, "y": want}}[op]
        np.testing.assert_allclose(dx.host(), iir2d.pool_backward(dy, op, 3, stride=2, input_size=x.shape, **host), atol=1e-12)
    code, said = frames.call("iir2d_pool", [given], [y, put(driver, np.zeros(want.shape, np.int32))], attributes)
    assert code == INVALID_ARGUMENT and "int64" in said


@inside
def test_errors_of_handlers(frames):
    driver = frames.driver
    x, y = put(driver, np.ones((5, 6))), put(driver, np.full((5, 6), -7.0))
    attributes = _jax_filter._attributes(spec_of(6, (None, None), (0,)))
    for sigma, what in ((1000.0, "sigma 1000"), (np.nan, "sigma nan")):
        code, said = frames.call("iir2d_filter_given", [x, put(driver, np.array(sigma), shape=())], [y], attributes)
        assert code == INVALID_ARGUMENT and said.startswith("invalid_argument: ") and what in said
    code, said = frames.call("iir2d_filter", [x], [y], _jax_filter._attributes(spec_of(6)), scratch=8)
    assert code == 8 and said.startswith("workspace_error: ")
    code, said = frames.call("iir2d_filter", [x], [y], _jax_filter._attributes(spec_of(1)), stream=frames.scratch)
    assert code == INTERNAL and said.startswith("cuda_error: cuStreamGetCtx failed")
    slopes = put(driver, np.full(2, -7.0))
    for shape in ((6,), (3, 6), (2, 5, 6)):
        code, said = frames.call("iir2d_filter_gradient", [x, put(driver, np.ones(shape))], [slopes],
                                 _jax_filter._attributes(spec_of(6)))
        assert code == INVALID_ARGUMENT and said.startswith("invalid_dimension: dy has shape (")
    driver.wait(frames.stream)
    assert (y.host() == -7).all() and (slopes.host() == -7).all()
    empty = put(driver, np.ones((0, 5, 6)))
    assert frames.call("iir2d_filter", [empty], [empty], _jax_filter._attributes(spec_of(6))) == (0, "")
