# SPDX-License-Identifier: MIT
"""Arrays in a GPU's memory, over the stand-in driver: in a process of its own, which finds it as libcuda.so.1."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import iir2d
from stand_in import ON_STAND_IN, STAND_IN, Driver, GpuArray, inside, put, run_inside


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
    assert view.namespace.copies == 0


@inside
def test_what_does_not_fold_is_copied_once(driver, rng):
    x = rng.random((3, 4, 5, 10, 12))
    turned = put(driver, x, shape=(3, 4, 5, 12, 10), strides=(2400, 600, 120, 1, 12))
    got = iir2d.filter(turned, 6, sigma=2.0)
    driver.wait()
    np.testing.assert_allclose(got.host(), iir2d.filter(np.swapaxes(x, -1, -2), 6, sigma=2.0), atol=1e-12)
    assert turned.namespace.copies == 1
    # Three distances between planes: of what is read, and of what is written.
    view = dict(shape=(3, 2, 3, 10, 12), strides=(2400, 1800, 240, 12, 1))
    want = iir2d.filter_adjoint(x[:, ::3, ::2], 3)
    some = put(driver, x, **view)
    got = iir2d.filter_adjoint(some, 3)
    driver.wait()
    np.testing.assert_allclose(got.host(), want, atol=1e-12)
    whole = put(driver, np.full(x.shape, -7.0))
    out = GpuArray(driver, whole.address, view["shape"], "float64", 0, None, view["strides"])
    stream = driver.stream()
    assert iir2d.filter_adjoint(some, 3, out=out, stream=stream) is out
    driver.wait(stream)
    np.testing.assert_allclose(out.host(), want, atol=1e-12)
    left = whole.host()
    left[:, ::3, ::2] = -7
    assert (left == -7).all() and out.namespace.copies == 1
    assert iir2d.filter_adjoint(some, 3, out=some) is some  # in its place
    np.testing.assert_allclose(some.host(), want, atol=1e-12)
    slopes = iir2d.filter_gradient(put(driver, x, **view), put(driver, x, **view), 6)
    np.testing.assert_allclose(slopes["sigma"], iir2d.filter_gradient(x[:, ::3, ::2], x[:, ::3, ::2], 6)["sigma"], rtol=1e-9)
    moved = GpuArray(driver, some.address + 8, view["shape"], "float64", 0, None, view["strides"])
    with pytest.raises(iir2d.InvalidArgumentError, match="overlaps"):
        iir2d.filter(some, out=moved)


POOLINGS = [
    ("max", 2, {}), ("max", (3, 2), {"stride": 2, "padding": 1, "ceil_mode": True}), ("avg", 3, {"padding": 1, "count_include_pad": True}),
    ("lp", 2, {"p": 3.0}), ("adaptive_max", None, {"output_size": (3, 4)}), ("adaptive_avg", None, {"output_size": 5}),
]  # fmt: skip


@inside
@pytest.mark.parametrize("dtype,bound", [(np.float32, 1e-5), (np.float64, 1e-12), (np.float16, 2e-3)])
def test_pooling_is_the_hosts(driver, rng, dtype, bound):
    x = rng.random((2, 3, 11, 17)).astype(dtype)
    for op, window, options in POOLINGS:
        given, stream = put(driver, x), driver.stream()
        has_indices = op.endswith("max")
        got = iir2d.pool(given, op, window, return_indices=has_indices, stream=stream, **options)
        want = iir2d.pool(x, op, window, return_indices=has_indices, **options)
        y, indices = got if has_indices else (got, None)
        want_y, want_indices = want if has_indices else (want, None)
        assert isinstance(y, GpuArray) and y.dtype == given.dtype and given.streams == [stream]
        driver.wait(stream)
        np.testing.assert_allclose(y.host(), want_y, rtol=bound, atol=bound)
        dy = rng.random(want_y.shape).astype(dtype)
        reads, host_reads = {}, {}
        if has_indices:
            assert indices.dtype == "int64" and np.array_equal(indices.host(), want_indices)
            reads, host_reads = {"indices": indices}, {"indices": want_indices}
        elif op == "lp":
            reads, host_reads = {"x": given, "y": y}, {"x": x, "y": want_y}
        want_dx = iir2d.pool_backward(dy, op, window, input_size=x.shape, **host_reads, **options)
        for more in (reads, {"x": given}) if has_indices else (reads,):
            out = put(driver, np.full(x.shape, -7, dtype))
            arguments = dict(input_size=x.shape, stream=stream, **more, **options)
            assert iir2d.pool_backward(put(driver, dy), op, window, out=out, **arguments) is out
            driver.wait(stream)
            np.testing.assert_allclose(out.host(), want_dx, rtol=bound, atol=bound)


@inside
def test_pooling_of_views_and_refusals(driver, rng):
    x = rng.random((3, 4, 10, 12))
    turned = put(driver, x, shape=(3, 4, 12, 10), strides=(480, 120, 1, 12))
    host = np.swapaxes(x, -1, -2)
    y, indices = iir2d.pool(turned, "max", 3, return_indices=True)
    driver.wait()
    want, places = iir2d.pool(host, "max", 3, return_indices=True)
    assert np.array_equal(y.host(), want) and np.array_equal(indices.host(), places)
    # lp reads x and y, neither of which is dense here.
    p = put(driver, iir2d.pool(host, "lp", 3).swapaxes(-1, -2), shape=want.shape, strides=(48, 12, 1, 4))
    dy = rng.random(want.shape)
    dx = iir2d.pool_backward(put(driver, dy), "lp", 3, input_size=host.shape, x=turned, y=p)
    driver.wait()
    want_dx = iir2d.pool_backward(dy, "lp", 3, input_size=host.shape, x=host, y=iir2d.pool(host, "lp", 3))
    np.testing.assert_allclose(dx.host(), want_dx, atol=1e-12)
    # Positions that are not dense.
    wide = np.repeat(places, 2, -1)
    spread = put(driver, wide, shape=places.shape, strides=(places[0].size * 2, places[0, 0].size * 2, 6, 2))
    dx = iir2d.pool_backward(put(driver, dy), "max", 3, input_size=host.shape, indices=spread)
    driver.wait()
    assert np.array_equal(dx.host(), iir2d.pool_backward(dy, "max", 3, input_size=host.shape, indices=places))

    given = put(driver, x)
    arguments = dict(input_size=(12, 10))
    for error, match, call in (
        (TypeError, "host's memory", lambda: iir2d.pool(given, "max", out=np.empty((3, 4, 5, 6)))),
        (TypeError, "indices lies in the host's", lambda: iir2d.pool_backward(y, "max", 3, indices=places, **arguments)),
        (TypeError, "must be int64", lambda: iir2d.pool_backward(y, "max", 3, indices=put(driver, places.astype(np.int32)), **arguments)),
        (iir2d.InvalidDimensionError, "indices are", lambda: iir2d.pool_backward(y, "max", 3, indices=put(driver, places[:2]), **arguments)),
        (iir2d.InvalidArgumentError, "CUDA device 0, out on 1", lambda: iir2d.pool(given, "max", out=put(driver, np.empty((3, 4, 5, 6)), device=1))),
        (iir2d.InvalidDimensionError, "x has shape", lambda: iir2d.pool_backward(y, "max", 3, x=given, **arguments)),
        (iir2d.InvalidArgumentError, "argmax", lambda: iir2d.pool(given, "avg", return_indices=True)),
        (iir2d.InvalidArgumentError, "stream is for arrays on a GPU", lambda: iir2d.pool(x, "avg", stream=1)),
        (iir2d.InvalidArgumentError, "stream is for arrays on a GPU", lambda: iir2d.pool_backward(x, "avg", 2, input_size=(20, 24), stream=1)),
    ):
        with pytest.raises(error, match=match):
            call()
    assert iir2d.pool(put(driver, np.empty((0, 8, 8))), "max").shape == (0, 4, 4)
    assert iir2d.pool_backward(put(driver, np.empty((0, 4, 4))), "avg", input_size=(8, 8)).shape == (0, 8, 8)


@inside
def test_misfits_that_do_not_fold_are_refused_and_nothing_is_copied(driver, rng):
    x = rng.random((3, 4, 5, 10, 12)).astype(np.float32)
    turned = dict(shape=x.shape, strides=(2400, 600, 120, 1, 10))  # rows that are not contiguous
    apart = dict(shape=(3, 2, 3, 10, 12), strides=(2400, 1800, 240, 12, 1))  # three distances between planes
    given, some = put(driver, x), put(driver, x[:, ::3, ::2].copy())
    blank, double = np.full(x.shape, -7, np.float32), np.full(x.shape, -7.0)
    lp = dict(op="lp", window=2, p=3.0, stride=1)
    y = put(driver, x[..., 1:, 1:].copy())
    for match, out, call in (
        ("out is float64, the result is float32", put(driver, double, **turned), lambda out: iir2d.filter(given, out=out)),
        ("out is float64, the result is float32", put(driver, double, **apart), lambda out: iir2d.filter_adjoint(some, out=out)),
        ("rows must be contiguous", put(driver, blank, **turned), lambda out: iir2d.filter(given, out=out)),
        ("x lies on CUDA device 0, out on 1", put(driver, blank, device=1, **apart), lambda out: iir2d.filter(some, out=out)),
        ("dy lies on CUDA device 0, out on 1", put(driver, blank, device=1, **apart), lambda out: iir2d.filter_adjoint(some, out=out)),
        ("dy is float64, x is float32", put(driver, double, **apart), lambda dy: iir2d.filter_gradient(some, dy)),
        ("x lies on CUDA device 0, dy on 1", put(driver, blank, device=1), lambda dy: iir2d.filter_gradient(given, dy)),
        ("out is float64, the result is float32", put(driver, double, **turned), lambda out: iir2d.pool(given, "avg", 1, out=out)),
        ("rows must be contiguous", put(driver, blank, **turned), lambda out: iir2d.pool(given, "avg", 1, out=out)),
        ("rows must be contiguous", put(driver, blank, **turned), lambda out: iir2d.pool_backward(given, "avg", 1, input_size=x.shape, out=out)),
        ("x is float64, dy is float32", put(driver, double, **turned), lambda x: iir2d.pool_backward(y, input_size=x.shape, x=x, y=y, **lp)),
        ("dy lies on CUDA device 0, x on 1", put(driver, blank, device=1), lambda x: iir2d.pool_backward(y, input_size=x.shape, x=x, y=y, **lp)),
    ):
        before = out.host()
        with pytest.raises(iir2d.InvalidArgumentError, match=match):
            call(out)
        driver.wait()
        assert np.array_equal(out.host(), before), match
        assert not any(array.namespace.copies for array in (given, some, y, out)), match
    # Only what does not fold is copied.
    out = put(driver, blank, **apart)
    iir2d.filter(some, out=out)
    driver.wait()
    np.testing.assert_allclose(out.host(), iir2d.filter(x[:, ::3, ::2]), atol=1e-5)
    assert some.namespace.copies == 0 and out.namespace.copies == 1


@inside
def test_an_output_without_planes_is_checked(driver):
    empty = put(driver, np.empty((0, 8, 8), np.float32))
    for error, match, out in (
        (iir2d.InvalidDimensionError, "out has shape", put(driver, np.empty((8, 8), np.float32))),
        (iir2d.InvalidArgumentError, "out is float64", put(driver, np.empty((0, 8, 8)))),
        (TypeError, "host's memory", np.empty((0, 8, 8), np.float32)),
    ):
        for call in (
            lambda: iir2d.filter(empty, out=out),
            lambda: iir2d.filter_adjoint(empty, out=out),
            lambda: iir2d.pool(empty, "avg", 1, out=out),
            lambda: iir2d.pool_backward(empty, "avg", 1, input_size=(8, 8), out=out),
        ):
            with pytest.raises(error, match=match):
                call()
    out = put(driver, np.empty((0, 8, 8), np.float32))
    assert iir2d.filter(empty, out=out) is out


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
    for of_x, of_dy in (((2, 3, 9, 14), (9, 14)), ((9, 14), (14,)), ((2, 9, 14), (2, 9, 13))):
        with pytest.raises(iir2d.InvalidDimensionError, match="dy has shape .*, x has"):
            iir2d.filter_gradient(put(driver, rng.random(of_x)), put(driver, rng.random(of_dy)), 6)
    with pytest.raises(iir2d.InvalidArgumentError, match="dy is float64, x is float32"):
        iir2d.filter_gradient(given, put(driver, x.astype(float)), 6)
    assert iir2d.filter(put(driver, np.empty((0, 8, 8)))).shape == (0, 8, 8)


@inside
def test_a_thread_without_a_context_works_on_the_legacy_stream(driver, rng):
    x = rng.random((9, 40))
    out, dx = put(driver, np.full(x.shape, -7.0)), put(driver, np.full(x.shape, -7.0), device=1)
    given, dy = put(driver, x), put(driver, x, device=1)
    with ThreadPoolExecutor(1) as fresh:
        assert fresh.submit(iir2d.filter, given, 1, out=out).result() is out
        assert fresh.submit(iir2d.filter_adjoint, dy, 1, out=dx).result() is dx
    driver.wait()
    np.testing.assert_allclose(out.host(), iir2d.filter(x, 1), atol=1e-12)
    np.testing.assert_allclose(dx.host(), iir2d.filter_adjoint(x, 1), atol=1e-12)
