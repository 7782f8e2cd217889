# SPDX-License-Identifier: MIT
"""What the tests share. The oracle lies beside them."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def rng():
    """Random numbers, the same on every run."""
    return np.random.default_rng(20261122)
