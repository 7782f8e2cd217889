# SPDX-License-Identifier: MIT
"""iir2d.torch.nn: learning recovers a filter, no step leaves the allowed range, modules are Flax's and can be stored."""

import copy
import io
import pickle

import numpy as np
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


MODULES = {
    "fixed": lambda: inn.IIR2D("deriche", init={"sigma": 3.0}, border="constant", border_const=0.5),
    "residual": lambda: inn.IIR2DResidual(3, start="steady"),
    "residual of all channels": lambda: inn.IIR2DResidual(3, 6, per_channel=False, normalise_gain=True),
    "bank": lambda: inn.IIR2DBank(channels=3, border="wrap"),
    "stem": lambda: inn.IIRDenoiseStem(3, channels=8),
}


@pytest.mark.parametrize("name", MODULES)
def test_blocks_can_be_copied_and_stored(name):
    torch.manual_seed(5)
    x = torch.rand(2, 3, 9, 8)
    module = MODULES[name]()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter += torch.randn_like(parameter)
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert torch.equal(other(x), module(x))
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    fresh = MODULES[name]()
    fresh.load_state_dict(torch.load(file, weights_only=True))
    assert torch.equal(fresh(x), module(x))
    module(x.requires_grad_()).sum().backward()
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in module.parameters())


def test_blocks_are_what_they_say():
    x = torch.rand(2, 3, 16, 12)
    assert torch.equal(inn.IIR2D(5, init={"alpha": 0.3}, border="clamp")(x), it.filter(x, 5, alpha=0.3, border="clamp"))
    residual = inn.IIR2DResidual(3)
    assert list(residual.state_dict()) == ["alpha"] and residual.alpha.shape == (3,)
    torch.testing.assert_close(residual(x), x + 0.5 * (it.filter(x, 4) - x))
    bank = inn.IIR2DBank(channels=3)
    assert list(bank.state_dict()) == ["gate_logits"] and bank.gate_logits.shape == (4, 3)
    torch.testing.assert_close(bank(x), sum(it.filter(x, f) for f in (1, 3, 4, 8)) / 4)
    assert inn.IIR2DBank((5, 6), 3, per_channel=False).gate_logits.shape == (2, 1)
    for differentiable in (True, False):
        leaf = x.clone().requires_grad_()
        inn.IIR2DBank(channels=3, differentiable=differentiable)(leaf).sum().backward()
        assert (leaf.grad is not None and leaf.grad.abs().max() > 0) == differentiable
    assert inn.IIR2DResidual(3)(x.to(torch.bfloat16)).dtype == torch.bfloat16


def test_blocks_are_flaxs():
    pytest.importorskip("flax")
    import iir2d.flax

    torch.manual_seed(6)
    x = torch.rand(2, 3, 16, 12)
    images = np.moveaxis(x.numpy(), 1, -1)

    def agree(ours, theirs, variables):
        got = theirs.apply({"params": variables}, images)
        assert np.allclose(np.moveaxis(np.asarray(got), -1, 1), ours(x).detach(), rtol=0, atol=2e-6)

    residual = inn.IIR2DResidual(3)
    torch.nn.init.normal_(residual.alpha)
    agree(residual, iir2d.flax.IIR2DResidual(), {"alpha": residual.alpha.detach().numpy()})
    bank = inn.IIR2DBank(channels=3)
    torch.nn.init.normal_(bank.gate_logits)
    agree(bank, iir2d.flax.IIR2DBank(), {"gate_logits": bank.gate_logits.detach().numpy()})
    stem = inn.IIRDenoiseStem(3, channels=8)
    torch.nn.init.normal_(stem.bank.gate_logits)
    kernel = {n: getattr(stem, n).weight.detach().permute(2, 3, 1, 0).numpy() for n in ("before", "after")}
    agree(stem, iir2d.flax.IIRDenoiseStem(channels=8), {
        "Conv_0": {"kernel": kernel["before"]},
        "IIR2DBank_0": {"gate_logits": stem.bank.gate_logits.detach().numpy()},
        "Conv_1": {"kernel": kernel["after"]},
    })
    learnt = inn.Filter2d(3, learnable=("b0", "a1", "a2"), channels=3, border="constant", border_const=0.25)
    for parameter in learnt.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    agree(learnt, iir2d.flax.Filter2d(3, ("b0", "a1", "a2"), 3, border="constant", border_const=0.25),
          {name[4:]: value.detach().numpy() for name, value in learnt.named_parameters()})


def test_refusals():
    for call in (
        lambda: inn.Filter2d(6, learnable=("alpha",)),
        lambda: inn.Filter2d(6, learnable=("compat_1_0",)),
        lambda: inn.Filter2d(3, learnable=("a1",)),
        lambda: inn.Filter2d(6, learnable=("sigma",), channels=0),
        lambda: inn.Filter2d(1, init={"alpha": 2.0}),
        lambda: inn.Filter2d(1, border="reflect"),
        lambda: inn.Filter2d(9),
        lambda: inn.IIR2D("gauss"),
        lambda: inn.IIR2D(1, init={"sigma": 2.0}),
        lambda: inn.IIR2DBank(()),
        lambda: inn.IIR2DResidual(0),
        lambda: inn.IIR2DResidual(3)(torch.zeros(1, 2, 8, 8)),
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
