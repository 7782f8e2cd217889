# SPDX-License-Identifier: MIT
"""iir2d.torch.nn: learning recovers a filter, and no step leaves the allowed range."""

import copy
import io
import pickle

import pytest

torch = pytest.importorskip("torch")

import oracle  # noqa: E402

import iir2d  # noqa: E402
import iir2d.torch as it  # noqa: E402
import iir2d.torch.nn as inn  # noqa: E402

LEARNABLE = {i: tuple(n for n in values if n != "compat_1_0") for i, values in oracle.FILTERS.items()}


def test_a_hidden_sigma_is_recovered():
    torch.manual_seed(1)
    x = torch.rand(1, 1, 64, 64)
    y = it.filter(x, 6, sigma=3.7)
    module = inn.Filter2d(6, learnable=("sigma",), init={"sigma": 1.0})
    optimiser = torch.optim.Adam(module.parameters(), lr=0.1)
    losses = []
    for _ in range(200):
        optimiser.zero_grad()
        loss = ((module(x) - y) ** 2).mean()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert abs(module.parameters_now()["sigma"].item() - 3.7) < 0.05
    assert losses[-1] < losses[0] / 1e4


@pytest.mark.parametrize("filter_id", range(1, 9))
def test_no_step_leaves_the_range(filter_id):
    torch.manual_seed(filter_id)
    x = torch.rand(2, 3, 8, 8)
    module = inn.Filter2d(filter_id, learnable=LEARNABLE[filter_id], channels=3)
    optimiser = torch.optim.SGD(module.parameters(), lr=1e6)
    for _ in range(200):
        optimiser.zero_grad()
        (module(x) * torch.randn(2, 3, 8, 8)).sum().backward()
        for parameter in module.parameters():
            parameter.grad = torch.nan_to_num(parameter.grad) + torch.randn_like(parameter)
        optimiser.step()
    module(x)


@pytest.mark.parametrize("filter_id", range(1, 9))
def test_initial_values_are_the_filters(filter_id):
    x = torch.rand(2, 3, 9, 8, dtype=torch.float64)
    module = inn.Filter2d(filter_id, learnable=LEARNABLE[filter_id], channels=3)
    torch.testing.assert_close(module(x), it.filter(x, filter_id), rtol=0, atol=1e-5)
    assert torch.equal(inn.Filter2d(filter_id)(x), it.filter(x, filter_id))


def test_copies_and_files():
    x = torch.rand(1, 2, 9, 8)
    module = inn.Filter2d(3, learnable=("b0", "b1", "a1", "a2"), channels=2, init={"b2": 0.1}, border="wrap")
    with torch.no_grad():
        module.raw_b0 += 0.1
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert torch.equal(other(x), module(x))
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    fresh = inn.Filter2d(3, learnable=("b0", "b1", "a1", "a2"), channels=2, init={"b2": 0.1}, border="wrap")
    fresh.load_state_dict(torch.load(file, weights_only=True))
    assert torch.equal(fresh(x), module(x))


def test_refusals():
    for call in (
        lambda: inn.Filter2d(6, learnable=("alpha",)),
        lambda: inn.Filter2d(6, learnable=("compat_1_0",)),
        lambda: inn.Filter2d(3, learnable=("a1",)),
        lambda: inn.Filter2d(1, init={"alpha": 2.0}),
        lambda: inn.Filter2d(1, border="reflect"),
        lambda: inn.Filter2d(9),
    ):
        with pytest.raises(iir2d.Iir2dError):
            call()


def test_pools_are_the_functions():
    x = torch.rand(1, 2, 9, 8)
    for module, theirs in ((inn.MaxPool2d(3, 2, 1), torch.nn.MaxPool2d(3, 2, 1)),
                           (inn.AvgPool2d(3, 2, 1), torch.nn.AvgPool2d(3, 2, 1)),
                           (inn.LPPool2d(2, 3), torch.nn.LPPool2d(2, 3)),
                           (inn.AdaptiveMaxPool2d((4, None)), torch.nn.AdaptiveMaxPool2d((4, None))),
                           (inn.AdaptiveAvgPool2d(3), torch.nn.AdaptiveAvgPool2d(3))):
        torch.testing.assert_close(module(x), theirs(x), rtol=2e-6, atol=2e-6)
