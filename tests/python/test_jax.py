# SPDX-License-Identifier: MIT
import functools
import itertools
import operator
import subprocess
import sys

import iir2d
import numpy as np
import oracle
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import iir2d.jax as ij  # noqa: E402

RNG = np.random.default_rng(11)
X = RNG.random((2, 3, 7, 5))
CASES = list(itertools.product(range(1, 9), oracle.BORDERS, oracle.STARTS))


@pytest.fixture(autouse=True)
def x64():
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        yield


def calls_of(function, *operands):
    """How often the compiled program calls the library."""
    return jax.jit(function).lower(*operands).compile().as_text().count("custom-call(")


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, jnp.bfloat16])
@pytest.mark.parametrize(("filter_id", "border", "start"), CASES)
def test_eager_jit_vmap_and_arrays_have_the_same_bits(filter_id, border, start, dtype):
    x = X.astype(dtype)
    options = {"filter_id": filter_id, "border": border, "start": start, "normalise_gain": filter_id == 4}
    for function, of_arrays, constant in (
        (ij.filter, iir2d.filter, {"border_const": 0.25}),
        (ij.filter_adjoint, iir2d.filter_adjoint, {}),
    ):
        run = functools.partial(function, **options, **constant)
        want = of_arrays(x, **options, **constant)
        for got in (run(x), jax.jit(run)(x), jax.vmap(run)(x), jax.vmap(jax.vmap(run), 1, 1)(x)):
            assert got.dtype == dtype
            assert np.array_equal(got, want)


def test_a_batch_is_one_call():
    assert calls_of(ij.filter, X) == 1
    assert calls_of(jax.vmap(ij.filter), X) == 1
    sigma = jnp.array([1.0, 2.0, 3.0])
    assert calls_of(jax.vmap(lambda s: ij.filter(X, 6, sigma=s)), sigma) == 1
    assert calls_of(jax.vmap(jax.grad(lambda x: (ij.filter(x, 5) ** 2).sum())), X) == 2


@pytest.mark.parametrize("filter_id", range(1, 9))
def test_gradients_of_both_modes_and_orders_in_x(filter_id):
    run = functools.partial(ij.filter, filter_id=filter_id, border="constant", border_const=0.5)
    check_grads(run, (X[0, 0],), order=2, modes=("fwd", "rev"))
    check_grads(lambda x: run(x) ** 2, (X[0, 0],), order=2, modes=("fwd", "rev"))


def test_transformations_in_x():
    x = X[0, 0]
    run = functools.partial(ij.filter, filter_id=6, border="clamp", sigma=3.0)
    by_column = np.stack([run(e.reshape(x.shape)).ravel() for e in np.eye(x.size)], 1)
    forward = np.asarray(jax.jacfwd(run)(x)).reshape(x.size, x.size)
    assert np.array_equal(forward, by_column)
    assert np.allclose(np.asarray(jax.jacrev(run)(x)).reshape(x.size, x.size), by_column, rtol=0, atol=1e-15)
    hessian = np.asarray(jax.hessian(lambda v: (run(v) ** 2).sum())(x)).reshape(x.size, x.size)
    assert np.allclose(hessian, 2 * by_column.T @ by_column, rtol=0, atol=1e-13)
    (transposed,) = jax.linear_transpose(run, x)(x)
    assert np.array_equal(transposed, iir2d.filter_adjoint(x, 6, border="clamp", sigma=3.0))
    loss = lambda v: (run(v) ** 2).sum()  # noqa: E731
    assert np.array_equal(jax.grad(lambda v: (jax.checkpoint(run)(v) ** 2).sum())(x), jax.grad(loss)(x))
    three = lambda v: jax.lax.scan(lambda c, _: (run(c), None), v, None, length=3)[0]  # noqa: E731
    assert np.array_equal(three(x), run(run(run(x))))
    back = functools.partial(ij.filter_adjoint, filter_id=6, border="clamp", sigma=3.0)
    assert np.array_equal(jax.grad(lambda v: (three(v) * x).sum())(x), back(back(back(x))))
    assert np.array_equal(jax.vmap(jax.grad(loss))(X[0]), jnp.stack([jax.grad(loss)(v) for v in X[0]]))
    out, tangent = jax.jvp(run, (x,), (x,))
    assert np.array_equal(out, tangent)


def test_an_affine_filter_has_no_transpose():
    with pytest.raises(iir2d.InvalidArgumentError, match="border_const 0.5"):
        jax.linear_transpose(functools.partial(ij.filter, border="constant", border_const=0.5), X)(X)


def test_linear_calls_keep_no_residuals():
    _, pullback = jax.vjp(ij.filter, jnp.asarray(X))
    assert sum(leaf.size for leaf in jax.tree.leaves(pullback)) == 0


def test_parameters_as_arrays_equal_numbers():
    sigma = np.array([1.0, 2.0, 3.0])
    want = np.stack([iir2d.filter(X[:, i], 6, sigma=s) for i, s in enumerate(sigma)], 1)
    assert np.array_equal(ij.filter(X, 6, sigma=sigma), want)
    assert np.array_equal(jax.jit(lambda s: ij.filter(X, 6, sigma=s))(sigma), want)
    assert np.array_equal(jax.vmap(lambda x, s: ij.filter(x, 6, sigma=s), (1, 0), 1)(X, sigma), want)
    loop = jnp.stack([ij.filter(X, 6, sigma=float(s)) for s in sigma])
    assert np.array_equal(jax.vmap(lambda s: ij.filter(X, 6, sigma=s))(sigma), loop)
    per_sample = RNG.uniform(0.1, 0.2, (2, 1))
    mixed = {"b0": sigma, "b1": per_sample, "a1": 0.5}
    assert np.array_equal(ij.filter(X, 3, **mixed), iir2d.filter(X, 3, **mixed))
    assert np.array_equal(ij.filter_adjoint(X, 3, **mixed), iir2d.filter_adjoint(X, 3, **mixed))
    end = ij.filter(X, 1, alpha=jnp.float32(0.999))
    assert np.array_equal(end, iir2d.filter(X, 1, alpha=0.999))
    assert np.array_equal(ij.filter(X, 6, compat_1_0=True), iir2d.filter(X, 6, compat_1_0=True))


def test_forward_mode_in_parameters_is_refused():
    run = lambda s: ij.filter(X, 6, sigma=s)  # noqa: E731
    for call in (
        lambda: jax.jvp(run, (2.0,), (1.0,)),
        lambda: jax.jit(lambda s: jax.jvp(run, (s,), (s,)))(2.0),
        lambda: jax.jacfwd(run)(2.0),
    ):
        with pytest.raises(NotImplementedError, match="reverse mode"):
            call()


STATIC = [
    (lambda x: ij.filter(x, border="reflect"), iir2d.InvalidBorderModeError, "invalid_border_mode", "reflect"),
    (lambda x: ij.filter(x, precision="f16"), iir2d.InvalidPrecisionError, "invalid_precision", "f16"),
    (lambda x: ij.filter(x, precision="f32"), iir2d.InvalidPrecisionError, "invalid_precision", "f32"),
    (lambda x: ij.filter(x, start="soon"), iir2d.InvalidArgumentError, "invalid_argument", "soon"),
    (lambda x: ij.filter(x, 0), iir2d.InvalidFilterIdError, "invalid_filter_id", "filter 0"),
    (lambda x: ij.filter(x, 99), iir2d.InvalidFilterIdError, "invalid_filter_id", "filter 99"),
    (lambda x: ij.filter(x, "gauss"), iir2d.InvalidFilterIdError, "invalid_filter_id", "gauss"),
    (lambda x: ij.filter(x, 1, sigma=2.0), iir2d.InvalidArgumentError, "invalid_argument", "sigma"),
    (lambda x: ij.filter(x, 1, alpha=1), iir2d.InvalidArgumentError, "invalid_argument", "alpha 1 "),
    (lambda x: ij.filter(x, 3, a1=1.2, a2=0.5), iir2d.InvalidArgumentError, "invalid_argument", "unstable"),
    (lambda x: ij.filter(x, 3, a1=9.0, b0=x[0, 0, 0, 0]), iir2d.InvalidArgumentError, "invalid_argument", "a1 9"),
    (lambda x: ij.filter(x[0, 0, 0]), iir2d.InvalidDimensionError, "invalid_dimension", "(5,)"),
    (lambda x: ij.filter(x[:, :, :0]), iir2d.InvalidDimensionError, "invalid_dimension", "height 0"),
    (lambda x: ij.filter(x, 1, alpha=x[0, 0, :4, 0]), iir2d.InvalidDimensionError, "invalid_dimension", "alpha (4,)"),
    (lambda x: ij.filter_gradient(x, x[0]), iir2d.InvalidDimensionError, "invalid_dimension", "dy"),
]


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit, jax.grad])
@pytest.mark.parametrize(("call", "error", "name", "says"), STATIC)
def test_static_refusals_raise_while_tracing(call, error, name, says, transform):
    with pytest.raises(error) as caught:
        transform(call)(jnp.asarray(X))
    assert caught.value.status_name == name
    assert says in str(caught.value)


def test_wrong_types_are_type_errors():
    for x in (X.astype(int), X > 0.5, X.astype(complex), [[1.0]], jnp.ones((3, 3), jnp.int8)):
        with pytest.raises(TypeError):
            ij.filter(x)
    with pytest.raises(TypeError, match="switch"):
        ij.filter(X, 6, compat_1_0=jnp.float32(1))
    with pytest.raises(TypeError, match="alpha"):
        ij.filter(X, 1, alpha=jnp.arange(3))


def test_float64_needs_x64():
    with jax.enable_x64(False) if hasattr(jax, "enable_x64") else jax.experimental.disable_x64():
        with pytest.raises(TypeError, match="x64"):
            ij.filter(X)
        with pytest.raises(TypeError, match="x64"):
            ij.filter(X.astype(np.float32), 1, alpha=np.full(3, 0.5))
        x = X.astype(np.float32)
        # A number is exact, without x64 too.
        assert np.array_equal(ij.filter(x, 1, alpha=0.1), iir2d.filter(x, 1, alpha=0.1))


def test_a_traced_parameter_out_of_range_is_an_error_of_xla():
    with pytest.raises(Exception, match="invalid_argument: alpha 2 of filter 1.*out of range"):
        jax.block_until_ready(jax.jit(lambda a: ij.filter(X, 1, alpha=a))(2.0))
    with pytest.raises(Exception, match="invalid_argument: alpha nan of filter 1 .* is out of range: give 0 to 0.999"):
        jax.block_until_ready(ij.filter(X, 1, alpha=jnp.array(jnp.nan)))


def test_without_jit():
    with jax.disable_jit():
        assert np.array_equal(ij.filter(X, 6), iir2d.filter(X, 6))
        assert np.array_equal(ij.max_pool2d(X, 2), iir2d.pool(X, "max", 2))
        dx, ds = jax.grad(lambda x, s: (ij.filter(x, 6, sigma=s) ** 2).sum(), (0, 1))(X, 2.0)
    y = iir2d.filter(X, 6, sigma=2.0)
    assert np.array_equal(dx, iir2d.filter_adjoint(2 * y, 6, sigma=2.0)) and ds.shape == ()


def test_threads_are_those_of_set_num_threads():
    for threads in (1, 2, 0):
        ij.set_num_threads(threads)
        assert np.array_equal(ij.filter(X, 6), iir2d.filter(X, 6))
    iir2d._native.set_xla_threads(2000)  # what it may not be shows that it arrives
    try:
        with pytest.raises(Exception, match="threads is 2000"):
            jax.block_until_ready(ij.filter(X, 6))
    finally:
        iir2d._native.set_xla_threads(0)


def test_empty_batches():
    x = jnp.ones((0, 3, 8, 8))
    assert ij.filter(x).shape == x.shape
    assert jax.grad(lambda v: ij.filter(v).sum())(x).shape == x.shape
    assert jax.grad(lambda a: ij.filter(x, 1, alpha=a).sum())(0.5) == 0


@pytest.mark.parametrize(
    ("before", "says"),
    [
        ("import jax; jax.__version__ = '0.4.38'", "iir2d.jax needs jax 0.6.2 or later, this is jax 0.4.38"),
        ("import sys; sys.modules['jax'] = None", "iir2d.jax needs jax 0.6.2 or later, and there is none"),
        ("import iir2d._native as n; del n.xla_handlers", "iir2d was built without JAX's handlers"),
    ],
)
def test_what_is_missing_is_one_sentence(before, says):
    code = f"{before}\nimport iir2d.jax"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"ImportError: {says}")


def test_every_public_name_has_a_docstring():
    for name in ij.__all__:
        assert operator.attrgetter(name)(ij).__doc__
