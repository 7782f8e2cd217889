# SPDX-License-Identifier: MIT
"""The three modules refuse the same calls with the same exceptions and the same sentences."""

import numpy as np
import pytest

import iir2d

torch = pytest.importorskip("torch")
jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

import iir2d.jax as ij  # noqa: E402
import iir2d.torch as it  # noqa: E402

X = np.linspace(0, 1, 20, dtype=np.float32).reshape(4, 5)
STACK = np.stack([X, X, X])
Y = X[:2, :2]
MODULES = {"arrays": (iir2d, np.asarray), "torch": (it, torch.from_numpy), "jax": (ij, jnp.asarray)}
# What is called (m: the module, a: makes an array of its library) and what the sentence says.
REFUSED = [
    (lambda m, a: m.filter(a(X[0])), "x has shape (5,): it must have 2 dimensions or more, the last two height and width"),
    (lambda m, a: m.filter(a(X[:0])), "x has shape (0, 5): height 0 must be at least 1"),
    (lambda m, a: m.filter(a(X[:, :0])), "x has shape (4, 0): width 0 must be at least 1"),
    (lambda m, a: m.filter_adjoint(a(X[0])), "dy has shape (5,)"),
    (lambda m, a: m.filter(a(X.astype(np.int32))), "x has elements of type int32: convert to float32"),
    (lambda m, a: m.filter(a(X), 99), "filter 99 does not exist"),
    (lambda m, a: m.filter(a(X), "gauss"), 'filter "gauss" does not exist'),
    (lambda m, a: m.filter(a(X), border="reflect"), 'border "reflect" is unknown'),
    (lambda m, a: m.filter(a(X), precision="f16"), 'precision "f16" is unknown'),
    (lambda m, a: m.filter(a(X), precision="f64"), 'precision "f64" does not go with float32'),
    (lambda m, a: m.filter(a(X), start="soon"), 'start "soon" is unknown'),
    (lambda m, a: m.filter(a(X), 1, sigma=2.0), 'filter 1 (ema) has no parameter "sigma"'),
    (lambda m, a: m.filter(a(X), 1, alpha=2.0), "alpha 2 of filter 1 (EMA) is out of range"),
    (lambda m, a: m.filter(a(X), 1, alpha=float("nan")), "alpha nan of filter 1 (ema) is out of range"),
    (lambda m, a: m.filter(a(X), 3, a1=1.2, a2=0.5), "unstable"),
    (lambda m, a: m.filter(a(X), border=["clamp"]), "border \"['clamp']\" is unknown"),
    (lambda m, a: m.filter(a(X), 1.5), "filter_id is a float: give a number or a key"),
    (lambda m, a: m.filter(a(X), [1]), "filter_id is a list: give a number or a key"),
    (lambda m, a: m.filter(a(X), normalise_gain="no"), "normalise_gain is a str: give True or False"),
    (lambda m, a: m.filter(a(X), 1, alpha="0.5"), "alpha is a str: give a number or an array"),
    (lambda m, a: m.filter(a(X), 1, alpha=a(np.zeros(1, np.int32))), "alpha has elements of type int32: convert"),
    (
        lambda m, a: m.filter(a(STACK), 3, b0=a(X[0, :2]), b1=0.2),
        "parameters of shapes b0 (2,) do not broadcast to the planes' (3,)",
    ),
    (lambda m, a: m.filter_gradient(a(X), a(STACK)), "dy has shape (3, 4, 5), x has (4, 5)"),
    (lambda m, a: m.filter_gradient(a(X), a(X.astype(np.float16))), "dy is float16, x is float32"),
    (lambda m, a: m.filter_gradient(a(X), a(X), wrt="beta"), 'filter 1 (ema) has no parameter "beta"'),
    (lambda m, a: m.pool(a(X), "median"), "pooling op 'median'"),
    (lambda m, a: m.pool(a(X[0]), "max"), "x has shape (5,): it must have 2 dimensions or more, the last two height and width"),
    (lambda m, a: m.pool(a(X), "max", 9), "window 9x9"),
    (lambda m, a: m.pool(a(X), "max", 2, stride=0), "stride 0x0: must be at least 1 along each axis"),
    (lambda m, a: m.pool(a(X), "max", padding=2), "padding 2x2"),
    (lambda m, a: m.pool(a(X), "max", (1, 2, 3)), "window (1, 2, 3): must be one number or height and width"),
    (lambda m, a: m.pool(a(X), "max", 2**31), "window 2147483648x2147483648: must be at most 2147483647 along each axis"),
    (lambda m, a: m.pool(a(X), "max", 2**70), f"window {2**70}x{2**70}: must be at most 2147483647 along each axis"),
    (lambda m, a: m.pool(a(X), "avg", divisor_override=0), "divisor_override 0"),
    (lambda m, a: m.pool(a(X), "avg", divisor_override=2**70), f"divisor_override {2**70}: it has more than 64 bits"),
    (lambda m, a: m.pool(a(X), "avg", gamma=2), "pool() got an unexpected keyword argument 'gamma'"),
    (lambda m, a: m.pool_backward(a(Y), "avg", input_size=4), "input_size is a int: give height and width, or a shape"),
    (lambda m, a: m.pool_backward(a(Y), "avg", input_size=(-4, 5)), "-4"),
    (lambda m, a: m.pool_backward(a(Y), "avg", input_size=(2**30, 2**30)), "dy has shape (2, 2), it must have (536870912, 536870912)"),
    (lambda m, a: m.pool(a(X), "adaptive_avg"), "output_size"),
    (lambda m, a: m.pool(a(X), "adaptive-avg", output_size=2, return_indices=True), "argmax: only max pooling has one, not adaptive-avg"),
    (lambda m, a: m.pool_backward(a(X[0]), "avg", input_size=(4, 5)), "dy has shape (5,)"),
    (lambda m, a: m.pool_backward(a(Y), "avg", input_size=(4,)), "input_size is (4,): 2 sizes or more"),
    (lambda m, a: m.pool_backward(a(X), "avg", input_size=(4, 5)), "dy has shape (4, 5), it must have (2, 2)"),
    (lambda m, a: m.pool_backward(a(Y), "adaptive_max", output_size=2, input_size=(4, 5)),
     "the gradient of adaptive-max pooling reads x or indices"),
    (lambda m, a: m.pool_backward(a(Y), "lp", input_size=(4, 5), y=a(Y)), "the gradient of lp pooling reads x and y"),
    (lambda m, a: m.pool_backward(a(Y), "lp", input_size=(4, 5), x=a(X)), "the gradient of lp pooling reads x and y"),
    (lambda m, a: m.pool_backward(a(Y), "lp", input_size=(4, 5), x=a(X[:3]), y=a(Y)), "x has shape (3, 5), it must have (4, 5)"),
    (lambda m, a: m.pool_backward(a(Y), "lp", input_size=(4, 5), x=a(X), y=a(Y.astype(np.float16))), "y is float16, dy is float32"),
    (lambda m, a: m.pool_backward(a(Y), "max", input_size=(4, 5), indices=a(np.zeros((2, 3), np.int32))),
     "indices are int32 of shape (2, 3): they must be int64 or int32, of dy's shape (2, 2)"),
    (lambda m, a: m.pool_backward(a(Y), "max", input_size=(4, 5), indices=a(Y)), "indices are float32 of shape (2, 2)"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "says"), REFUSED, ids=[says for _, says in REFUSED])
def test_a_refusal_is_the_same_everywhere(call, says):
    found = {}
    for name, (module, array) in MODULES.items():
        with pytest.raises((TypeError, iir2d.Iir2dError)) as caught:
            call(module, array)
        found[name] = (type(caught.value), str(caught.value))
    assert found["torch"] == found["arrays"]
    assert found["jax"] == found["arrays"]
    assert says in found["arrays"][1]


def test_the_modules_tell_the_same_of_the_library():
    for module, _ in MODULES.values():
        assert module.filters() == iir2d.filters()
        assert [device["id"] for device in module.devices()] == [device["id"] for device in iir2d.devices()]
        assert (module.__version__, module.api_version()) == (iir2d.__version__, iir2d.api_version())
        assert module.build_fingerprint() == iir2d.build_fingerprint() and module.status_string(-1) == "invalid_argument"
        assert (module.get_include(), module.get_library()) == (iir2d.get_include(), iir2d.get_library())
        before = module.get_num_threads()
        try:
            module.set_num_threads(2)
            assert module.get_num_threads() == 2
            with pytest.raises(iir2d.InvalidArgumentError, match="threads -1: give 1 to 1024, or 0 for all"):
                module.set_num_threads(-1)
            module.set_num_threads(0)
            assert module.get_num_threads() == (it.get_num_threads() if module is it else 0)
        finally:
            module.set_num_threads(before)
    assert iir2d.status_string(2**40) == iir2d.status_string(-(2**40)) == iir2d.status_string(5) == "unknown_status"


def test_positions_that_do_not_fit_int32_are_refused():
    def positions(height, width):
        planes = jax.ShapeDtypeStruct((height, width), np.float32)
        return jax.eval_shape(lambda x: ij.pool(x, "max", 2, return_indices=True), planes)[1]

    assert not jax.config.jax_enable_x64
    assert positions(65536, 32767).dtype == np.int32
    says = "positions in planes of 65536x32768 do not fit int32: enable x64 in JAX"
    with pytest.raises(iir2d.InvalidDimensionError, match=says):
        positions(65536, 32768)
    # Of arrays whose library is JAX: the same, before anything is computed.
    array = jnp.zeros((2, 2), np.float32)
    iir2d._arrays.check_positions(array, 65536, 32767)
    with pytest.raises(iir2d.InvalidDimensionError, match=says):
        iir2d._arrays.check_positions(array, 65536, 32768)
    iir2d._arrays.check_positions(np.zeros((2, 2)), 65536, 32768)


def test_help_names_the_options():
    import inspect

    for module, _ in MODULES.values():
        for function in (module.pool, module.pool_backward):
            names = inspect.signature(function).parameters
            assert names["stride"].default is None and names["count_include_pad"].default is False
            assert "options" not in names
    assert inspect.signature(iir2d.pool).parameters["return_indices"].default is False
