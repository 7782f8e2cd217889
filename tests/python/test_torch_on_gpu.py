# SPDX-License-Identifier: MIT
"""iir2d.torch on a GPU, as far as a machine without one shows it: registrations and fake tensors of CUDA, and everything
below them over the stand-in driver, with tensors that lie in its memory and are said to be a GPU's."""

import contextlib
import ctypes
import os
import types

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import iir2d  # noqa: E402
import iir2d.torch as it  # noqa: E402
from iir2d.torch import _cuda, _functions  # noqa: E402
from stand_in import ON_STAND_IN, STAND_IN, Driver, inside, run_inside  # noqa: E402
from torch._subclasses import FakeTensorMode  # noqa: E402

OPERATIONS = ["filter", "filter_adjoint", "filter_gradient", "pool", "pool_backward"]


@pytest.mark.skipif(ON_STAND_IN or not STAND_IN, reason="IIR2D_FAKE_CUDA_DIR names no stand-in driver")
@pytest.mark.parametrize("queued", [0, 1])
def test_on_the_stand_in_driver(queued):
    run_inside(__file__, queued)


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_is_registered_for_cuda(name):
    for key in ("CPU", "CUDA"):
        assert torch._C._dispatch_has_kernel_for_dispatch_key(f"iir2d::{name}", key), key


@pytest.mark.skipif(ON_STAND_IN, reason="needs no driver")
def test_fake_tensors_stay_on_their_device():
    """Autograd's engine asks for a real device, so what it would call is called here."""
    with FakeTensorMode():
        x = torch.empty(2, 3, 8, 9, device="cuda")
        for parameter in (torch.empty(3, device="cuda"), torch.empty((), dtype=torch.float64)):
            how = ("deriche", "mirror", 0.0, None, "truncated", False, 0)
            spec, packed = it._spec(x, {"sigma": parameter}, *how)
            assert packed.device == parameter.device
            y = it.filter(x, "deriche", sigma=parameter)
            assert y.device == x.device and y.shape == x.shape and y.is_contiguous()
            dx, dp = _functions._backward(y, x, packed, spec, False, (True, True))
            assert dx.device == x.device and dp.device == parameter.device and dp.shape == packed.shape
            slope = it.filter_gradient(x, y, "deriche", sigma=parameter)["sigma"]
            assert (slope.device, slope.shape, slope.dtype) == (parameter.device, parameter.shape, parameter.dtype)
        slope = it.filter_gradient(x, x, "ema", alpha=0.5)["alpha"]
        assert slope.device == x.device and slope.shape == ()
        y, indices = it.max_pool2d(x, 2, return_indices=True)
        assert y.device == indices.device == x.device and indices.dtype == torch.int64
        assert it.pool_backward(y, "max", 2, input_size=(8, 9), indices=indices).device == x.device
        assert it.lp_pool2d(x, 2, 2).device == x.device
        with pytest.raises(iir2d.InvalidArgumentError, match="dy lies on cpu, x on cuda:0"):
            _cuda.require_one_device("dy", torch.empty(2), "x", x)
        with pytest.raises(NotImplementedError, match="x lies on xla"):
            it.filter(torch.empty(4, 4, device="xla:0"))


def test_calls_use_the_current_stream_of_the_tensors_device(monkeypatch):
    """torch.cuda alone is replaced."""
    current = [0]

    @contextlib.contextmanager
    def device(index):
        before, current[0] = current[0], index
        yield
        current[0] = before

    monkeypatch.setattr(torch.cuda, "device", device)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda index: types.SimpleNamespace(cuda_stream=100 + index))
    with _cuda.current_stream(types.SimpleNamespace(device=1)) as stream:
        assert stream == 101 and current == [1]
    assert current == [0]


@pytest.fixture
def there(monkeypatch):
    """The driver; tensors are said to be a GPU's, and new ones lie in its memory."""
    driver = Driver()
    stream = driver.stream()

    @contextlib.contextmanager
    def current(x):
        yield stream

    monkeypatch.setattr(_cuda, "lies_on_gpu", lambda x: True)
    monkeypatch.setattr(_cuda, "empty", lambda like, shape, dtype=None: driver.tensor(shape, dtype or like.dtype))
    monkeypatch.setattr(_cuda, "current_stream", current)
    driver.is_queued = "queued=1" in os.environ["FAKE_CUDA"]

    def tensor(shape, dtype):
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        count = int(np.prod(shape))
        size = max(count * dtype.itemsize, 1)
        memory = (ctypes.c_byte * size).from_address(driver.allocate(size))
        return torch.frombuffer(memory, dtype=dtype, count=count).reshape(shape) if count else torch.empty(shape, dtype=dtype)

    driver.tensor = tensor
    driver.put = lambda array: tensor(array.shape, torch.from_numpy(array).dtype).copy_(torch.from_numpy(array))
    driver.finish = lambda: driver.wait(stream)
    return driver


@inside
def test_filters_do_not_wait(there):
    x = np.random.default_rng(1).random((2, 3, 9, 14), dtype=np.float32)
    for number in range(1, 9):
        for name in ("filter", "filter_adjoint"):
            y = getattr(it, name)(there.put(x), number, start="steady", border="wrap")
            assert there.is_queued == bool(torch.isnan(y).all())  # fresh memory is NaN: nothing has waited for the stream
            there.finish()
            np.testing.assert_allclose(y, getattr(iir2d, name)(x, number, start="steady", border="wrap"), atol=1e-5)
    slope = it.filter_gradient(there.put(x), there.put(x), "ema", alpha=0.5)["alpha"]
    pooled = it.avg_pool2d(there.put(x), 2)
    assert there.is_queued == bool(torch.isnan(slope)) == bool(torch.isnan(pooled).all())
    there.finish()
    np.testing.assert_allclose(slope, iir2d.filter_gradient(x, x, "ema", alpha=0.5)["alpha"], rtol=1e-4)
    np.testing.assert_allclose(pooled, iir2d.pool(x, "avg", 2, count_include_pad=True), atol=1e-6)
    out = there.tensor(x.shape, torch.float32)
    assert it.filter(there.put(x), 6, sigma=2.0, out=out) is out
    there.finish()
    np.testing.assert_allclose(out, iir2d.filter(x, 6, sigma=2.0), atol=1e-5)
    with pytest.raises(iir2d.InvalidArgumentError, match="alpha"):
        it.filter(there.put(x), alpha=2.0)


@inside
def test_an_output_that_does_not_fit_is_refused(there):
    x = there.put(np.random.default_rng(4).random((2, 3, 2, 9, 14), dtype=np.float32))
    turned = there.tensor((2, 3, 2, 14, 9), torch.float32).transpose(-1, -2)
    for error, match, out in (
        (iir2d.InvalidArgumentError, "out is float64", turned.double()),
        (iir2d.InvalidArgumentError, "rows must be contiguous", turned),
        (iir2d.InvalidDimensionError, "out has shape", turned.transpose(-1, -2)),
    ):
        for function in (it.filter, it.filter_adjoint):
            with pytest.raises(error, match=match):
                function(x, out=out)
    with pytest.raises(iir2d.InvalidArgumentError, match="dy is float64, x is float32"):
        _cuda.filter_gradient(x, x.double().transpose(0, 1).contiguous().transpose(0, 1), None, None, torch.Size([1]))


@inside
def test_parameters_are_copied_to_the_host_once(there, monkeypatch):
    if there.is_queued:
        pytest.skip("torch's own operations do not wait in the stand-in driver's streams")
    copies, cpu = [], torch.Tensor.cpu

    def counted(tensor):
        copies.append(tensor.shape)
        return cpu(tensor)

    monkeypatch.setattr(torch.Tensor, "cpu", counted)
    x = np.random.default_rng(2).random((2, 3, 9, 14))
    for needs_sigma in (True, False):
        tensor, sigma = there.put(x).requires_grad_(), torch.tensor([1.0, 2.0, 3.0], requires_grad=needs_sigma)
        copies.clear()
        y = it.filter(tensor, "deriche", sigma=sigma)
        y.backward(there.put(x))
        assert len(copies) == 1
        np.testing.assert_allclose(tensor.grad, iir2d.filter_adjoint(x, "deriche", sigma=sigma.detach().numpy()), atol=1e-12)


@inside
def test_backward_passes(there):
    rng = np.random.default_rng(2)
    x, g = rng.random((2, 3, 9, 14)), rng.random((2, 3, 9, 14))
    if there.is_queued:  # what torch itself would queue behind the kernels here runs at once
        pytest.skip("torch's own operations do not wait in the stand-in driver's streams")
    for shape in ((), (3,), (2, 3), (2, 1)):
        values = rng.uniform(0.8, 3.0, shape)
        tensor, sigma = there.put(x).requires_grad_(), torch.tensor(values, requires_grad=True)
        y = it.filter(tensor, "deriche", sigma=sigma, border="clamp")
        dx, dsigma = torch.autograd.grad(y, (tensor, sigma), there.put(g))
        np.testing.assert_allclose(dx, iir2d.filter_adjoint(g, "deriche", sigma=values, border="clamp"), atol=1e-12)
        want = iir2d.filter_gradient(x, g, "deriche", sigma=values, border="clamp")["sigma"]
        np.testing.assert_allclose(dsigma, want, rtol=1e-9)
    # Views: one that folds, one that does not.
    whole = there.put(rng.random((3, 4, 10, 12)))
    for view in (whole[:, 1:3, 2:, 3:], whole.transpose(-1, -2)):
        y = it.filter(view, 3)
        np.testing.assert_allclose(y, iir2d.filter(view.numpy(), 3), atol=1e-12)
        assert y.is_contiguous()


@inside
def test_pooling(there):
    if there.is_queued:
        pytest.skip("torch's own operations do not wait in the stand-in driver's streams")
    rng = np.random.default_rng(3)
    x = rng.random((2, 3, 11, 14))
    for op, options in (("max", {}), ("avg", {}), ("lp", {"p": 3.0}), ("adaptive_avg", {"output_size": 4})):
        window = None if op.startswith("adaptive") else 3
        tensor = there.put(x).requires_grad_()
        y = it.pool(tensor, op, window, **options)
        np.testing.assert_allclose(y.detach(), iir2d.pool(x, op, window, **options), atol=1e-12)
        g = rng.random(tuple(y.shape))
        dx, = torch.autograd.grad(y, tensor, there.put(g))
        reads = {}
        if op == "max":
            reads["indices"] = iir2d.pool(x, op, window, return_indices=True)[1]
        elif op == "lp":
            reads.update(x=x, y=iir2d.pool(x, op, window, **options))
        np.testing.assert_allclose(dx, iir2d.pool_backward(g, op, window, input_size=x.shape, **reads, **options), atol=1e-12)
