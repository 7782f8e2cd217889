# SPDX-License-Identifier: MIT
"""What the tests share. The oracle lies beside them."""

import sys
from pathlib import Path

import numpy as np
import pytest

import iir2d

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def rng():
    """Random numbers, the same on every run."""
    return np.random.default_rng(20261122)


def _has_gradients():
    try:
        iir2d.filter_gradient(np.ones((2, 2)), np.ones((2, 2)))
    except iir2d.InvalidArgumentError as error:
        if "no gradients" in str(error):
            return False
        raise
    return True


needs_gradients = pytest.mark.skipif(not _has_gradients(), reason="the library has no gradients of parameters")
