# SPDX-License-Identifier: MIT
"""What callers write, as type checkers see it: read by mypy and basedpyright in their strict modes, and run."""

from typing import assert_type

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import torch

import iir2d
import iir2d.jax
import iir2d.torch
import iir2d.torch.nn


def arrays(x: npt.NDArray[np.float32]) -> dict[str, float]:
    """Arrays: results have the library of what was given, which no checker can say."""
    y: npt.NDArray[np.float32] = iir2d.filter(x, "deriche", sigma=2.0, border="clamp")
    small: npt.NDArray[np.float32] = iir2d.pool(y, "max", (2, 3), stride=1, ceil_mode=True)
    iir2d.pool_backward(small, "max", (2, 3), stride=1, ceil_mode=True, input_size=x.shape, x=y)
    gradient = iir2d.filter_gradient(x, y, "deriche", wrt="sigma", sigma=2.0)
    key: str = iir2d.filters()[0].key
    assert_type(iir2d.api_version(), tuple[int, int, int])
    return {key: float(gradient["sigma"])}


def tensors(x: torch.Tensor) -> torch.Tensor:
    """Tensors: a tensor comes back."""
    sigma = torch.tensor(2.0, requires_grad=True)
    y = iir2d.torch.filter(x, "deriche", sigma=sigma)
    assert_type(y, torch.Tensor)
    assert_type(iir2d.torch.avg_pool2d(y, 2), torch.Tensor)
    assert_type(iir2d.torch.filter_gradient(x, x), dict[str, torch.Tensor])
    module = iir2d.torch.nn.Filter2d("ema", learnable=("alpha",), channels=3)
    assert_type(module.parameters_now(), dict[str, torch.Tensor])
    return iir2d.torch.filter_adjoint(y, "deriche", sigma=sigma)


def traced(x: jax.Array) -> jax.Array:
    """JAX's arrays."""
    y = iir2d.jax.filter(x, "deriche", sigma=2.0)
    assert_type(y, jax.Array)
    assert_type(iir2d.jax.avg_pool2d(y, 2), jax.Array)
    return iir2d.jax.filter_adjoint(y)


def refused() -> int:
    """Errors are exceptions with a status."""
    try:
        iir2d.filter(np.zeros((4, 4)), alpha=2.0)
    except iir2d.InvalidArgumentError as error:
        assert_type(error.status_name, str)
        return error.status
    return 0


if __name__ == "__main__":
    print(arrays(np.ones((8, 9), np.float32)), tensors(torch.ones(1, 3, 8, 9)).shape, traced(jnp.ones((8, 9))).shape, refused())
