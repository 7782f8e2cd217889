# SPDX-License-Identifier: MIT
"""iir2d's filters on NumPy arrays against the oracle, and what they refuse."""

import itertools

import ml_dtypes
import numpy as np
import oracle
import pytest

import iir2d

SHAPES = [(1, 1), (1, 7), (5, 1), (2, 3), (17, 23), (67, 131)]
ALL = list(itertools.product(range(1, 9), oracle.BORDERS, oracle.STARTS))
TOLERANCE = {"f64": 1e-12, "f32": 1e-5, "mixed": 1e-6}
TYPE = {"f64": np.float64, "f32": np.float32, "mixed": np.float32}


def scale(y):
    return max(1.0, float(np.abs(y).max()))


@pytest.mark.parametrize(("filter_id", "border", "start"), ALL)
def test_filter_equals_the_oracle(rng, filter_id, border, start):
    for shape, precision, normalise in itertools.product(SHAPES, TOLERANCE, (False, True)):
        x = rng.random(shape).astype(TYPE[precision])
        common = dict(border=border, border_const=0.25, start=start, normalise_gain=normalise)
        y = iir2d.filter(x, filter_id, precision=precision, **common)
        assert y.dtype == x.dtype and y.shape == x.shape and y.flags.c_contiguous
        want = oracle.filter(x, filter_id, **common)
        np.testing.assert_allclose(y, want, rtol=0, atol=TOLERANCE[precision] * scale(want))


@pytest.mark.parametrize("filter_id", range(1, 9))
def test_parameters_reach_their_planes(rng, filter_id):
    x = rng.random((2, 3, 19, 11))
    sets = [oracle.random_parameters(rng, filter_id) for _ in range(3)]
    arrays = {name: np.array([s[name] for s in sets]) for name in sets[0]}
    y = iir2d.filter(x, filter_id, **arrays)
    for channel, values in enumerate(sets):
        want = oracle.filter(x[:, channel], filter_id, **values)
        np.testing.assert_allclose(y[:, channel], want, rtol=0, atol=1e-11 * scale(want))
        assert np.array_equal(y[:, channel], iir2d.filter(x[:, channel], filter_id, **values))


def test_parameters_of_samples_and_planes(rng):
    x = rng.random((2, 3, 8, 9))
    sigma = rng.uniform(0.5, 4, (2, 1))
    y = iir2d.filter(x, "deriche", sigma=sigma)
    for n, c in np.ndindex(2, 3):
        assert np.array_equal(y[n, c], iir2d.filter(x[n, c], 6, sigma=float(sigma[n, 0])))
    compat = iir2d.filter(x, 6, compat_1_0=True)
    np.testing.assert_allclose(compat, oracle.filter(x, 6, compat_1_0=1.0), rtol=0, atol=1e-12)


def test_the_end_of_a_range_in_float32_is_in_it(rng):
    x = rng.random((3, 5, 6))
    want = iir2d.filter(x, 1, alpha=0.999)
    assert np.array_equal(iir2d.filter(x, 1, alpha=np.float32(0.999)), want)
    assert np.array_equal(iir2d.filter(x, 1, alpha=np.full(3, 0.999, np.float32)), want)


def test_keys_are_numbers(rng):
    x = rng.random((6, 7))
    for f in iir2d.filters():
        assert np.array_equal(iir2d.filter(x, f.id), iir2d.filter(x, f.key))
        assert {p.name: p.default for p in f.parameters} == oracle.FILTERS[f.id]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("filter_id", range(1, 9))
def test_16_bit_elements_are_float32_rounded_once(rng, dtype, filter_id):
    x = rng.random((2, 17, 23)).astype(dtype)
    want = iir2d.filter(x.astype(np.float32), filter_id).astype(dtype)
    got = iir2d.filter(x, filter_id)
    assert got.dtype == x.dtype
    assert got.tobytes() == want.tobytes()


def random_views(rng, count):
    """Views of float32 arrays with 2 to 5 dimensions: cut, stepped, transposed, reversed, repeated."""
    for _ in range(count):
        rank = int(rng.integers(2, 6))
        base = rng.random([int(n) for n in rng.integers(2, 9, rank)]).astype(np.float32)
        view = base.transpose(rng.permutation(rank)) if rng.random() < 0.5 else base
        cut = []
        for size in view.shape:
            kind = rng.integers(0, 4)
            cut.append((slice(None), slice(1, None), slice(None, None, 2), slice(None, None, -1))[kind])
        view = view[tuple(cut)]
        if rng.random() < 0.3:
            view = np.broadcast_to(view, (2, *view.shape))
        yield view


def test_strided_input_equals_its_copy(rng):
    for view in random_views(rng, 60):
        want = iir2d.filter(np.ascontiguousarray(view), 4, border="clamp")
        assert np.array_equal(iir2d.filter(view, 4, border="clamp"), want), (view.shape, view.strides)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, ml_dtypes.bfloat16])
def test_copies_of_large_planes_are_right(rng, dtype):
    """Larger than the tiles that are copied at a time, in every order of dimensions and direction."""
    for shape in ((2, 3, 65, 101), (33, 1, 2, 70), (1, 40, 97, 31)):
        base = rng.random(shape).astype(dtype)
        for order in itertools.permutations(range(4)):
            view = base.transpose(order)[:, :, ::-1, ::-1]
            assert np.array_equal(iir2d.filter(view, 1), iir2d.filter(np.ascontiguousarray(view), 1)), (shape, order)
    out = np.zeros((2, 3, 4, 65, 101), dtype).transpose(2, 0, 1, 3, 4)  # does not fold: written by a copy
    x = rng.random(out.shape).astype(dtype)
    assert np.array_equal(iir2d.filter(x, 1, out=out), iir2d.filter(x, 1))


def test_repeated_planes_in_every_order(rng):
    """One copy of a plane that repeats is enough where the leading dimensions fold then, and else all are copied."""
    def of(shape):
        return rng.random(shape, dtype=np.float32)

    full = (2, 3, 2, 5, 4)
    views = [np.broadcast_to(of(shape).swapaxes(-1, -2), full) for shape in itertools.product((1, 2), (1, 3), (1, 2), (4,), (5,))]
    views += [np.broadcast_to(of((1, 1)), full), np.broadcast_to(of((5, 1)), full), of(full), of((4, 5, 2, 3, 2)).T]
    for x, dy in itertools.product(views, views):
        want = iir2d.filter_gradient(np.array(x), np.array(dy), 3)
        assert iir2d.filter_gradient(x, dy, 3) == want
    for x in views:
        want = iir2d.filter_adjoint(np.array(x), 3)
        for out in (np.zeros(full, np.float32), np.zeros((3, 2, 2, 5, 4), np.float32).swapaxes(0, 1), np.zeros((4, 3, 4, 5, 9), np.float32)[::2, :, ::2, :, :4]):
            assert np.array_equal(iir2d.filter_adjoint(x, 3, out=out), want)
        assert np.array_equal(iir2d.pool(x, "lp", 2), iir2d.pool(np.array(x), "lp", 2))


def test_elements_that_do_not_lie_at_multiples_of_their_size(rng):
    x = rng.random((4, 5), dtype=np.float32)
    shifted = np.zeros(81, np.uint8)[1:].view(np.float32).reshape(4, 5)
    shifted[...] = x
    packed = np.zeros((4, 5), [("a", np.int8), ("b", np.float32)])
    packed["b"] = x
    for view in (shifted, packed["b"], packed["b"][::-1, ::2]):
        assert not view.flags.aligned
        assert np.array_equal(iir2d.filter(view, 4), iir2d.filter(np.array(view), 4))
        assert iir2d.filter_gradient(view, view, 4) == iir2d.filter_gradient(np.array(view), np.array(view), 4)
        assert np.array_equal(iir2d.pool(view, "max", 2), iir2d.pool(np.array(view), "max", 2))
    with pytest.raises(iir2d.InvalidArgumentError, match="out does not lie at multiples of its element's 4 bytes"):
        iir2d.filter(x, 4, out=shifted)
    assert np.array_equal(shifted, x)


def test_out_takes_strides_and_may_be_x(rng):
    x = rng.random((2, 3, 9, 8))
    want = iir2d.filter(x, 5)
    for out in (np.empty((2, 3, 9, 8)), np.empty((2, 3, 9, 16))[..., :8], np.empty((3, 2, 9, 8)).swapaxes(0, 1),
                np.empty((4, 6, 9, 8))[::2, ::2]):
        assert iir2d.filter(x, 5, out=out) is out
        assert np.array_equal(out, want)
    y = x.copy()
    assert iir2d.filter(y, 5, out=y) is y
    assert np.array_equal(y, want)
    wide = np.zeros((2, 3, 9, 16))
    wide[..., :8] = x
    iir2d.filter(wide[..., :8], 5, out=wide[..., :8])
    assert np.array_equal(wide[..., :8], want) and not wide[..., 8:].any()


def test_empty_and_read_only_input():
    assert iir2d.filter(np.empty((0, 3, 8, 8), np.float32)).shape == (0, 3, 8, 8)
    assert iir2d.filter(np.empty((3, 0, 8, 8), np.float16)).dtype == np.float16
    x = np.ones((4, 4))
    x.flags.writeable = False
    assert iir2d.filter(x).shape == (4, 4)
    assert iir2d.filter(np.broadcast_to(np.float32(1), (3, 4, 5))).shape == (3, 4, 5)


X = np.zeros((4, 5), np.float32)
E = iir2d
REFUSED = [
    (lambda: iir2d.filter(X, border="reflect"), E.InvalidBorderModeError, "invalid_border_mode", "reflect"),
    (lambda: iir2d.filter(X, precision="f16"), E.InvalidPrecisionError, "invalid_precision", "f16"),
    (lambda: iir2d.filter(X, precision="f64"), E.InvalidPrecisionError, "invalid_precision", "f64"),
    (lambda: iir2d.filter(X.astype(np.float64), precision="f32"), E.InvalidPrecisionError, "invalid_precision", "f32"),
    (lambda: iir2d.filter(X, start="soon"), E.InvalidArgumentError, "invalid_argument", "soon"),
    (lambda: iir2d.filter(X, 0), E.InvalidFilterIdError, "invalid_filter_id", "filter 0"),
    (lambda: iir2d.filter(X, 99), E.InvalidFilterIdError, "invalid_filter_id", "filter 99"),
    (lambda: iir2d.filter(X, "gauss"), E.InvalidFilterIdError, "invalid_filter_id", "gauss"),
    (lambda: iir2d.filter(X, 1, sigma=2.0), E.InvalidArgumentError, "invalid_argument", "sigma"),
    (lambda: iir2d.filter(X, 1, alpha=1.0), E.InvalidArgumentError, "invalid_argument", "alpha 1 "),
    (lambda: iir2d.filter(X, 1, alpha=float("nan")), E.InvalidArgumentError, "invalid_argument", "alpha nan"),
    (lambda: iir2d.filter(X, 6, sigma=np.float32(0.2)), E.InvalidArgumentError, "invalid_argument", "sigma 0.2"),
    (lambda: iir2d.filter(X, 3, a1=1.2, a2=0.5), E.InvalidArgumentError, "invalid_argument", "unstable"),
    (lambda: iir2d.filter(X[0]), E.InvalidDimensionError, "invalid_dimension", "(5,)"),
    (lambda: iir2d.filter(X[:0]), E.InvalidDimensionError, "invalid_dimension", "height 0"),
    (lambda: iir2d.filter(X[:, :0]), E.InvalidDimensionError, "invalid_dimension", "width 0"),
    (lambda: iir2d.filter(X, 1, alpha=np.zeros(3)), E.InvalidDimensionError, "invalid_dimension", "alpha"),
    (lambda: iir2d.filter(X, threads=-1), E.InvalidArgumentError, "invalid_argument", "threads -1"),
]


@pytest.mark.parametrize(("call", "error", "name", "says"), REFUSED)
def test_refusals_have_class_name_and_sentence(call, error, name, says):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, iir2d.Iir2dError) and isinstance(caught.value, ValueError)
    assert caught.value.status_name == name
    assert iir2d.status_string(caught.value.status) == name
    assert says in str(caught.value)


@pytest.mark.parametrize("dtype", [np.int32, bool, np.complex64, np.dtype(">f4"), np.longdouble, object])
def test_other_element_types_are_refused(dtype):
    with pytest.raises(TypeError, match="convert to float32"):
        iir2d.filter(np.zeros((4, 5), dtype))
    with pytest.raises(TypeError):
        iir2d.filter([[1.0, 2.0]])


def test_parameters_are_not_cast():
    for value in (np.complex64(0.5), 0.5 + 1j, "0.5", np.str_("0.5")):
        with pytest.raises(TypeError, match="alpha"):
            iir2d.filter(X, 1, alpha=value)
    with pytest.raises(TypeError):
        iir2d.pool(X, "avg", divisor_override=2.5)


def test_out_is_untouched_after_a_refusal():
    x = np.ones((4, 6), np.float32)
    for out, says in [
        (np.zeros((4, 5), np.float32), "shape"),
        (np.zeros((4, 6)), "float64"),
        (np.zeros((6, 4), np.float32).T, "rows must be contiguous"),
        (np.zeros((4, 6), np.float32)[:, ::-1], "rows must be contiguous"),
        (np.lib.stride_tricks.as_strided(np.zeros(6, np.float32), (4, 6), (0, 4)), "stride 0"),
    ]:
        with pytest.raises(iir2d.Iir2dError, match=says):
            iir2d.filter(x, out=out)
        assert not out.any()
    locked = np.zeros((4, 6), np.float32)
    locked.flags.writeable = False
    with pytest.raises(iir2d.InvalidArgumentError, match="read-only"):
        iir2d.filter(x, out=locked)
    out = np.zeros((4, 6), np.float32)
    with pytest.raises(iir2d.InvalidArgumentError, match="alpha 2"):
        iir2d.filter(x, alpha=2, out=out)
    assert not out.any()
    both = np.arange(60, dtype=np.float32).reshape(10, 6)
    before = both.copy()
    for given in (both[:4], both[3::-1], both[:8:2]):
        with pytest.raises(iir2d.InvalidArgumentError, match="overlap"):
            iir2d.filter(given, out=both[2:6])
        assert np.array_equal(both, before)


def test_bfloat16_of_other_layouts_is_refused():
    swapped = np.zeros((4, 5), ml_dtypes.bfloat16)
    swapped = swapped.view(swapped.dtype.newbyteorder())
    memory = np.zeros(200, np.uint8)
    odd = np.ndarray((4, 5), ml_dtypes.bfloat16, memory, strides=(11, 2))
    for array, says in ((swapped, "convert to float32"), (odd, "not a multiple of the element's size")):
        with pytest.raises(TypeError, match=says):
            iir2d.filter(array)
        with pytest.raises(TypeError, match=says):
            iir2d.filter(np.zeros((4, 5), ml_dtypes.bfloat16), out=array)


def test_out_of_an_empty_batch_is_checked():
    x = np.empty((0, 4, 5), np.float32)
    out = np.empty((0, 4, 5), np.float32)
    assert iir2d.filter(x, out=out) is out
    with pytest.raises(iir2d.InvalidDimensionError, match="out has shape"):
        iir2d.filter(x, out=np.empty((0, 4, 6), np.float32))
    with pytest.raises(iir2d.InvalidArgumentError, match="out is float64, the result is float32"):
        iir2d.filter_adjoint(x, out=np.empty((0, 4, 5)))
    with pytest.raises(iir2d.InvalidArgumentError, match="out is float16, the result is float32"):
        iir2d.pool(x, "max", out=np.empty((0, 2, 2), np.float16))
    for dtype in (np.float32, ml_dtypes.bfloat16):
        locked = np.empty((0, 4, 5), dtype)
        locked.flags.writeable = False
        with pytest.raises(iir2d.InvalidArgumentError, match="read-only"):
            iir2d.filter(np.empty((0, 4, 5), dtype), out=locked)


def test_the_module_is_light():
    import subprocess
    import sys

    code = "import sys, iir2d; sys.exit(any(m in sys.modules for m in ('torch', 'jax')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
