# SPDX-License-Identifier: MIT
"""iir2d.torch: derivatives, compilation, transformations, and the same bits as arrays."""

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import oracle  # noqa: E402
from torch.autograd import gradcheck, gradgradcheck  # noqa: E402
from torch.nn import functional as F  # noqa: E402

import iir2d  # noqa: E402
import iir2d.torch as it  # noqa: E402
import iir2d.torch.nn  # noqa: E402

# The tensors are small and the calls many.
torch.set_num_threads(1)
IDS = range(1, 9)
TYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


@pytest.fixture
def generator():
    return torch.Generator().manual_seed(20261122)


def random(generator, *shape, dtype=torch.float64, grad=False):
    return torch.rand(shape, generator=generator, dtype=torch.float64).to(dtype).requires_grad_(grad)


def learnable(filter_id, shape=(), dtype=torch.float64):
    values = {n: v for n, v in oracle.FILTERS[filter_id].items() if n != "compat_1_0"}
    return {n: torch.full(shape, v, dtype=dtype, requires_grad=True) for n, v in values.items()}


@pytest.mark.parametrize("filter_id", IDS)
def test_the_same_bits_as_arrays(generator, filter_id):
    for dtype in TYPES:
        x = random(generator, 2, 3, 9, 8, dtype=dtype)
        assert torch.equal(it.filter(x, filter_id), iir2d.filter(x, filter_id))
        assert torch.equal(it.filter_adjoint(x, filter_id), iir2d.filter_adjoint(x, filter_id))
    x, dy = random(generator, 2, 3, 9, 8), random(generator, 2, 3, 9, 8)
    values = learnable(filter_id, (3,))
    a = it.filter_gradient(x, dy, filter_id, **{n: v.detach() for n, v in values.items()})
    b = iir2d.filter_gradient(x.numpy(), dy.numpy(), filter_id, **{n: v.detach().numpy() for n, v in values.items()})
    assert a.keys() == b.keys()
    for name in a:
        assert a[name].shape == (3,) and np.array_equal(a[name].numpy(), b[name])


@pytest.mark.parametrize(("filter_id", "border", "start"),
                         list(itertools.product(IDS, oracle.BORDERS, oracle.STARTS)))
def test_derivatives_in_x(generator, filter_id, border, start):
    x = random(generator, 2, 3, 4, grad=True)

    def f(x):
        return it.filter(x, filter_id, border=border, start=start, border_const=0.5)
    assert gradcheck(f, x, check_forward_ad=True, check_batched_grad=True, check_batched_forward_grad=True)
    assert gradgradcheck(f, x)


@pytest.mark.parametrize(("filter_id", "normalise"), list(itertools.product(IDS, (False, True))))
def test_derivatives_in_parameters(generator, filter_id, normalise):
    x = random(generator, 2, 3, 4, 5)
    for shape in ((), (3,), (2, 1)):
        values = learnable(filter_id, shape)

        def f(*tensors):
            return it.filter(x, filter_id, border="clamp", normalise_gain=normalise, **dict(zip(values, tensors)))
        assert gradcheck(f, tuple(values.values()))


def test_parameter_and_x_together_and_types(generator):
    x = random(generator, 2, 3, 6, 5, dtype=torch.float32, grad=True)
    sigma = torch.full((3,), 2.0, requires_grad=True)
    (it.filter(x, 6, sigma=sigma) ** 2).sum().backward()
    y = it.filter(x.detach(), 6, sigma=sigma.detach())
    assert torch.equal(x.grad, it.filter_adjoint(2 * y, 6, sigma=sigma.detach()))
    want = it.filter_gradient(x.detach(), 2 * y, 6, sigma=sigma.detach())["sigma"]
    assert sigma.grad.dtype == torch.float32 and torch.equal(sigma.grad, want)
    end = torch.tensor(0.999, requires_grad=True)
    it.filter(x.detach(), 1, alpha=end).sum().backward()
    assert end.grad is not None and end.grad != 0


def test_nothing_is_saved_for_x_alone(generator):
    x = random(generator, 4, 5, grad=True)
    saved = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t) or t, lambda t: t):
        it.filter(x, 4)
        it.filter(x, 6, sigma=torch.tensor(2.0))
        it.avg_pool2d(x, 2)
        it.adaptive_avg_pool2d(x, 2)
        assert not saved
        it.filter(x, 6, sigma=torch.tensor(2.0, requires_grad=True))
        assert any(t is x for t in saved) or any(t.shape == x.shape for t in saved)
        saved.clear()
        for max_pool in (lambda: it.max_pool2d(x, 2), lambda: it.adaptive_max_pool2d(x, 2)):
            max_pool()
            (places,) = saved
            assert places.dtype == torch.int64 and places.shape == (2, 2)
            saved.clear()
        y = it.lp_pool2d(x, 2, 2)
        assert [t.shape for t in saved] == [x.shape, y.shape]


def test_second_derivatives_that_there_are_not(generator):
    x = random(generator, 4, 5, grad=True)
    sigma = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    (g,) = torch.autograd.grad(it.filter(x, 6, sigma=sigma).sum(), sigma, create_graph=True)
    with pytest.raises(NotImplementedError, match="twice"):
        torch.autograd.grad(g, sigma)
    with pytest.raises(NotImplementedError, match="forward mode"):
        torch.func.jvp(lambda s: it.filter(x.detach(), 6, sigma=s), (sigma.detach(),), (torch.ones_like(sigma),))


def test_torch_func(generator):
    x = random(generator, 3, 2, 4, 5)
    sigma = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)

    def f(x, s):
        return it.filter(x, 6, sigma=s, border="wrap")

    def loss(x, s):
        return (f(x, s) ** 2).sum()
    want = torch.stack([f(x[i], sigma[i]) for i in range(3)])
    assert torch.equal(torch.func.vmap(f)(x, sigma), want)
    assert torch.equal(torch.func.vmap(f, in_dims=(None, 0))(x[0], sigma), torch.stack([f(x[0], s) for s in sigma]))
    assert torch.equal(torch.func.vmap(f, in_dims=(1, None), out_dims=1)(x, sigma[0]), f(x, sigma[0]))
    gx, gs = torch.func.vmap(torch.func.grad(loss, argnums=(0, 1)))(x, sigma)
    for i in range(3):
        a, s = x[i].clone().requires_grad_(), sigma[i].clone().requires_grad_()
        loss(a, s).backward()
        assert torch.equal(gx[i], a.grad)
        torch.testing.assert_close(gs[i], s.grad, rtol=1e-13, atol=0)
    g = torch.func.vmap(torch.func.grad(loss, argnums=1), in_dims=(0, None))(x, sigma[0])
    assert g.shape == (3,)
    one = x[0, 0]
    forward = torch.func.jacfwd(lambda x: f(x, 2.0))(one)
    torch.testing.assert_close(forward, torch.func.jacrev(lambda x: f(x, 2.0))(one), rtol=0, atol=1e-14)
    hessian = torch.func.hessian(lambda x: loss(x, 2.0))(one)
    matrix = forward.reshape(20, 20)
    torch.testing.assert_close(hessian.reshape(20, 20), 2 * matrix.T @ matrix, rtol=0, atol=1e-13)
    y, dot = torch.func.jvp(lambda x: f(x, 2.0), (one,), (one,))
    assert torch.equal(y, dot)


@pytest.mark.parametrize("dtype", TYPES)
def test_opcheck(generator, dtype):
    dense = random(generator, 2, 3, 6, 8, dtype=dtype)
    precision = 2 if dtype == torch.float64 else 0
    settings = ((), (), (), 6, 0, 0.0, precision, 0, False)
    ops = torch.ops.iir2d
    for x in (dense, dense[..., 1:7], dense[:, :1].expand(2, 3, 6, 8), dense.transpose(-1, -2)):
        for op in (ops.filter, ops.filter_adjoint):
            torch.library.opcheck(op.default, (x.detach().clone().requires_grad_(), None, *settings))
            torch.library.opcheck(op.default, (x, None, *settings))
        packed = torch.tensor([2.0, 0.0], dtype=torch.float64, requires_grad=True)
        torch.library.opcheck(ops.filter.default, (x, packed, *settings))
        torch.library.opcheck(ops.filter_gradient.default, (x, x, packed.detach(), *settings))
        for kind in range(5):
            fields = (kind, 2, 2, 0, 0, 0, 0, 1, 1, 3, 3, 0, 0, 0)
            torch.library.opcheck(ops.pool.default, (x, fields, 2.0, kind in (0, 3)))
            y, places = ops.pool(x, fields, 2.0, kind in (0, 3))
            # dy with the strides of x
            dy = x[..., : y.shape[-2], : y.shape[-1]]
            read = [places] if kind in (0, 3) else [x, y] if kind == 2 else []
            torch.library.opcheck(ops.pool_backward.default, (dy, read, x.shape[-2:], fields, 2.0))


@pytest.mark.parametrize("dynamic", [True, False])
def test_compiled_equals_eager(generator, dynamic):
    def f(x, sigma):
        y = it.filter(x, "deriche", sigma=sigma, border="clamp")
        return it.max_pool2d(it.filter(y, 1, alpha=0.5), 2).relu().sum()

    compiled = torch.compile(f, fullgraph=True, dynamic=dynamic)
    for shape in ((2, 3, 9, 8), (1, 3, 12, 10)):
        x = random(generator, *shape, dtype=torch.float32)
        sigma = torch.tensor([1.0, 2.0, 3.0])
        results = []
        for call in (f, compiled):
            a, s = x.clone().requires_grad_(), sigma.clone().requires_grad_()
            y = call(a, s)
            y.backward()
            results.append((y.detach(), a.grad, s.grad))
        (eager_y, *eager), (other_y, *other) = results
        torch.testing.assert_close(eager_y, other_y, rtol=1e-6, atol=0.0)  # the sum is torch's
        for a, b in zip(eager, other, strict=True):
            assert torch.equal(a, b)
    filtered = torch.compile(lambda x: it.filter(x, 3), fullgraph=True, dynamic=dynamic)
    assert torch.equal(filtered(x), it.filter(x, 3))


def test_export(generator):
    class Module(torch.nn.Module):
        def forward(self, x):
            return it.filter(x, "deriche", sigma=1.5)

    x = random(generator, 1, 1, 8, 8, dtype=torch.float32)
    program = torch.export.export(Module(), (x,))
    assert torch.equal(program.module()(x), Module()(x))


def test_out_autocast_and_refusals(generator):
    x = random(generator, 2, 6, 5, dtype=torch.float32)
    out = torch.empty_like(x)
    assert it.filter(x, 4, out=out) is out and torch.equal(out, it.filter(x, 4))
    with pytest.raises(RuntimeError, match="out="):
        it.filter(x.clone().requires_grad_(), 4, out=out)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert it.filter(x, 4).dtype == torch.float32
    for call, error in [
        (lambda: it.filter(x, 9), iir2d.InvalidFilterIdError),
        (lambda: it.filter(x, border="reflect"), iir2d.InvalidBorderModeError),
        (lambda: it.filter(x, precision="f64"), iir2d.InvalidPrecisionError),
        (lambda: it.filter(x, alpha=2.0), iir2d.InvalidArgumentError),
        (lambda: it.filter(x, alpha=torch.tensor(2.0)), iir2d.InvalidArgumentError),
        (lambda: it.filter(x, alpha=torch.tensor(float("nan"))), iir2d.InvalidArgumentError),
        (lambda: it.filter(x, sigma=2.0), iir2d.InvalidArgumentError),
        (lambda: it.filter(x, alpha=torch.zeros(5)), iir2d.InvalidDimensionError),
        (lambda: it.filter(x[0, 0]), iir2d.InvalidDimensionError),
        (lambda: it.filter(x[:, :0]), iir2d.InvalidDimensionError),
        (lambda: it.filter(x.int()), TypeError),
        (lambda: it.filter(x, alpha=torch.tensor(1)), TypeError),
    ]:
        with pytest.raises(error):
            call()
    assert it.filter(x[:0]).shape == (0, 6, 5)


def test_out_of_pools(generator):
    x = random(generator, 2, 3, 8, 9)
    for op, how in (("max", {"window": 2}), ("avg", {"window": 3}), ("lp", {"window": 2}), ("adaptive_max", {"output_size": 3})):
        want = it.pool(x, op, **how)
        wide = torch.zeros(*want.shape[:-1], want.shape[-1] + 3, dtype=x.dtype)
        out = wide[..., : want.shape[-1]]
        assert it.pool(x, op, out=out, **how) is out
        assert torch.equal(out, want) and not wide[..., want.shape[-1] :].any()
        read = {"lp": {"x": x, "y": want}, "avg": {}}.get(op, {"x": x})
        back = it.pool_backward(want, op, input_size=(8, 9), **read, **how)
        target = torch.empty_like(x)
        assert it.pool_backward(want, op, input_size=(8, 9), out=target, **read, **how) is target and torch.equal(target, back)
    y, places = it.pool(x, "max", 2, return_indices=True, out=torch.empty(2, 3, 4, 4, dtype=x.dtype))
    assert torch.equal(y, it.pool(x, "max", 2)) and places.shape == y.shape
    leaf = x.clone().requires_grad_()
    for call in (lambda: it.pool(leaf, "max", 2, out=y), lambda: it.pool_backward(leaf, "avg", 2, input_size=(16, 18), out=y)):
        with pytest.raises(RuntimeError, match="out="):
            call()
    before = y.clone()
    for call, error in (
        (lambda: it.pool(x, "max", 3, out=y), iir2d.InvalidDimensionError),
        (lambda: it.pool(x.float(), "max", 2, out=y), iir2d.InvalidArgumentError),
        (lambda: it.pool(y, "max", 1, out=y), iir2d.InvalidArgumentError),
        (lambda: it.pool_backward(y, "avg", 1, input_size=(4, 4), out=y), iir2d.InvalidArgumentError),
    ):
        with pytest.raises(error):
            call()
        assert torch.equal(y, before)
    version = y._version
    it.pool(x, "max", 2, out=y)
    assert y._version == version + 1


def test_parameters_that_are_numpys(generator):
    x = random(generator, 2, 3, 6, 5)
    sigma = np.array([1.0, 2.0, 3.0])
    assert torch.equal(it.filter(x, 6, sigma=sigma), it.filter(x, 6, sigma=torch.from_numpy(sigma)))
    assert torch.equal(it.filter(x, 6, sigma=np.float32(2)), it.filter(x, 6, sigma=np.array(2, np.float32)))
    assert it.filter_gradient(x, x, 6, sigma=sigma[::-1])["sigma"].shape == (3,)
    with pytest.raises(TypeError, match="sigma has elements of type int64"):
        it.filter(x, 6, sigma=np.array([1, 2, 3]))


@pytest.mark.filterwarnings("ignore")
def test_tensors_that_are_not_dense(generator):
    x = random(generator, 4, 5)
    for tensor, kind in ((x.to_sparse(), "sparse_coo"), (torch.nested.nested_tensor([x, x]), "nested")):
        with pytest.raises(TypeError, match=f"x is a {kind} tensor: give a dense one"):
            it.filter(tensor)


def test_strided_and_expanded(generator):
    base = random(generator, 2, 3, 8, 10, dtype=torch.float32)
    for x in (base[:, 1:3], base[..., 2:7, 3:9], base.transpose(-1, -2), base.to(memory_format=torch.channels_last),
              base[:, :1].expand(2, 3, 8, 10), base[..., ::2]):
        assert torch.equal(it.filter(x, 5), it.filter(x.contiguous(), 5)) and it.filter(x, 5).is_contiguous()
    x = base.clone().requires_grad_()
    it.filter(x, 5).sum().backward()
    assert torch.equal(x.grad, it.filter_adjoint(torch.ones_like(base), 5))


@pytest.mark.parametrize("dtype", TYPES)
def test_pools_are_torchs(generator, dtype):
    x = random(generator, 2, 3, 9, 8, dtype=dtype)
    tolerance = {torch.float32: 2e-6, torch.float64: 1e-12, torch.float16: 2e-3, torch.bfloat16: 2e-2}[dtype]
    for arguments in ((2,), (3, 2, 1), ((2, 3), (1, 2), 0), (3, 2, 1, 2, True)):
        y, places = it.max_pool2d(x, *arguments, return_indices=True)
        a, b = F.max_pool2d(x, *arguments, return_indices=True)
        assert torch.equal(y, a) and torch.equal(places, b)
    for arguments in ((2,), (3, 2, 1), (3, 2, 1, True), (3, 2, 1, False, False), (2, 2, 0, False, True, 3)):
        torch.testing.assert_close(it.avg_pool2d(x, *arguments), F.avg_pool2d(x, *arguments), rtol=tolerance, atol=tolerance)
    for size in (3, (4, None), (None, 2)):
        y, places = it.adaptive_max_pool2d(x, size, return_indices=True)
        a, b = F.adaptive_max_pool2d(x, size, return_indices=True)
        assert torch.equal(y, a) and torch.equal(places, b)
        torch.testing.assert_close(it.adaptive_avg_pool2d(x, size), F.adaptive_avg_pool2d(x, size), rtol=tolerance, atol=tolerance)
    torch.testing.assert_close(it.lp_pool2d(x, 2, 2), F.lp_pool2d(x, 2, 2), rtol=tolerance * 4, atol=tolerance)


def test_pools_derivatives(generator):
    x = random(generator, 2, 5, 6, grad=True)
    with torch.no_grad():
        x += 0.1
    for f in (lambda x: it.avg_pool2d(x, 3, 2, 1), lambda x: it.adaptive_avg_pool2d(x, 4)):
        assert gradcheck(f, x, check_forward_ad=True) and gradgradcheck(f, x)
    for f in (lambda x: it.max_pool2d(x, 3, 2, 1), lambda x: it.adaptive_max_pool2d(x, 4)):
        assert gradcheck(f, x) and gradgradcheck(f, x)
    for p in (1.5, 2.0, 3.0):
        assert gradcheck(lambda x: it.lp_pool2d(x, p, 2), x)
    with pytest.raises(NotImplementedError, match="second derivative"):
        (g,) = torch.autograd.grad(it.lp_pool2d(x, 2, 2).sum(), x, create_graph=True)
        g.sum().backward()
    assert torch.equal(torch.func.vmap(lambda x: it.max_pool2d(x, 2))(x), it.max_pool2d(x, 2))
    per_sample = torch.func.vmap(torch.func.grad(lambda x: it.avg_pool2d(x, 2).sum()))(x.detach())
    assert per_sample.shape == x.shape


def test_another_default_device_changes_nothing(generator):
    x, dy = random(generator, 2, 3, 8, 9), random(generator, 2, 3, 8, 9)
    sigma = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)

    def everything():
        y, places = it.pool(x, "max", 2, return_indices=True)
        a, s = x.clone().requires_grad_(), sigma.clone().requires_grad_()
        z = it.filter(a, 6, sigma=s, compat_1_0=False)
        z.backward(dy)
        slopes = it.filter_gradient(x, dy, 6, sigma=2.0)
        back = it.pool_backward(y, "max", 2, input_size=(8, 9), indices=places)
        own = torch.empty(x.shape, dtype=x.dtype, device="cpu")
        return [it.filter(x, 1), it.filter_adjoint(x, 6, sigma=sigma), it.filter(x, 1, out=own), z.detach(), a.grad,
                s.grad, slopes["sigma"], y, places, back, iir2d.filter(x, 5)]  # fmt: skip

    want = everything()
    with torch.device("meta"):
        found = everything()
        it.nn.Filter2d(6, learnable=("sigma",))
    for a, b in zip(want, found, strict=True):
        assert b.device.type == "cpu" and torch.equal(a, b)


def test_out_counts_as_written(generator):
    x = random(generator, 4, 5)
    weight = random(generator, 4, 5, grad=True)
    out = torch.zeros_like(x)
    product = (weight * out).sum()
    it.filter(x, 1, out=out)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()
    negated = torch._neg_view(x)
    assert torch.equal(it.filter(negated, 1, out=out), it.filter(-x, 1))
    before = x.clone()
    with pytest.raises(iir2d.InvalidArgumentError, match="negated"):
        it.filter(x.clone(), 1, out=negated)
    assert torch.equal(x, before)
    with torch.inference_mode():
        assert torch.equal(it.filter(x, 1, out=torch.empty_like(x)), it.filter(x, 1))


def test_out_of_an_empty_batch_is_checked():
    x = torch.empty(0, 4, 5)
    assert it.filter(x, out=torch.empty(0, 4, 5)).shape == (0, 4, 5)
    with pytest.raises(iir2d.InvalidDimensionError, match="out has shape"):
        it.filter(x, out=torch.empty(0, 4, 6))
    with pytest.raises(iir2d.InvalidArgumentError, match="out is float64, the result is float32"):
        it.filter_adjoint(x, out=torch.empty(0, 4, 5, dtype=torch.float64))


@pytest.mark.filterwarnings("ignore")
def test_a_trace_calls_the_filter(generator):
    x = random(generator, 2, 6, 5)
    traced = torch.jit.trace(lambda x: it.filter(x, 4) + 1, (x,))
    other = random(generator, 2, 6, 5)
    assert torch.equal(traced(other), it.filter(other, 4) + 1)


def test_sums_of_gradients_are_those_of_arrays(generator):
    x, dy = random(generator, 2, 3, 9, 8), random(generator, 2, 3, 9, 8)
    values = {"b0": random(generator, 2, 3), "b1": random(generator, 3), "a1": random(generator) / 2}
    values = {n: v.requires_grad_() for n, v in values.items()}
    it.filter(x, 3, **values).backward(dy)
    plain = {n: v.detach() for n, v in values.items()}
    own = it.filter_gradient(x, dy, 3, **plain)
    want = iir2d.filter_gradient(x.numpy(), dy.numpy(), 3, **{n: v.numpy() for n, v in plain.items()})
    for name, value in values.items():
        assert value.grad.shape == value.shape
        assert np.array_equal(value.grad.numpy(), want[name]) and np.array_equal(own[name].numpy(), want[name])
    assert gradcheck(lambda *v: it.filter(x, 3, **dict(zip(values, v, strict=True))), tuple(values.values()))
    y = it.filter(x.clone().requires_grad_(), 3, **values)
    (slope,) = torch.autograd.grad(y.square().sum(), values["b1"], create_graph=True)
    with pytest.raises(NotImplementedError):
        slope.sum().backward()


def test_numbers_of_gradients_are_those_of_filter(generator):
    x = random(generator, 5, 6)
    want = it.filter_gradient(x, x, 1, alpha=0.999)["alpha"]
    assert torch.equal(it.filter_gradient(x, x, 1, alpha=np.float32(0.999))["alpha"], want)
    assert torch.equal(it.filter_gradient(x, x, 6, sigma=None)["sigma"], it.filter_gradient(x, x, 6)["sigma"])
    for call in (it.filter, lambda *a, **p: it.filter_gradient(a[0], a[0], a[1], **p)):
        for value in ("0.5", 0.5 + 1j, np.complex64(0.5), np.str_("0.5")):
            with pytest.raises(TypeError, match="alpha is a .*: give a number or an array"):
                call(x, 1, alpha=value)
    with pytest.raises(TypeError):
        it.pool_backward(x, "avg", 1, input_size=(5.0, 6.5))
