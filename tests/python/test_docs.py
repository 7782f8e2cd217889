# SPDX-License-Identifier: MIT
"""What the guide and the docstrings show is run; every public name has a docstring."""

import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "python.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
MODULES = ["iir2d", "iir2d.errors", "iir2d._arguments", "iir2d.torch", "iir2d.torch.nn", "iir2d.jax", "iir2d.flax"]


def skip_without_companion(text):
    """What needs a package that is not installed is not tried."""
    for name in ("torch", "jax", "flax"):
        if re.search(rf"\b{name}\b", text):
            pytest.importorskip("jax" if name == "flax" else name)
            pytest.importorskip(name)


@pytest.mark.parametrize("code", EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_guides_examples(code):
    skip_without_companion(code)
    exec(compile(code, str(GUIDE), "exec"), {})


@pytest.mark.parametrize("name", MODULES)
def test_the_docstrings_examples(name):
    skip_without_companion(name)
    module = importlib.import_module(name)
    result = doctest.testmod(module)
    assert result.failed == 0 and result.attempted > 0


@pytest.mark.parametrize("name", [m for m in MODULES if not m.startswith("iir2d._")])
def test_every_public_name_is_described(name):
    skip_without_companion(name)
    module = importlib.import_module(name)
    assert module.__doc__
    for public in module.__all__:
        thing = getattr(module, public)
        if inspect.isfunction(thing) or inspect.isclass(thing):
            assert thing.__doc__ and ">>> " in thing.__doc__, public  # an example, which the doctests above run
