# SPDX-License-Identifier: MIT
"""Types: the module's stub is what the module says, the package and what callers write pass the strict modes of mypy and
basedpyright."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = "tests/python/typing_examples.py"
ROOT = Path(__file__).resolve().parents[2]


def test_the_stub_is_the_modules(tmp_path):
    pytest.importorskip("nanobind")
    stub = tmp_path / "_native.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "iir2d._native", "-o", str(stub)]
    subprocess.run(command, check=True, cwd=tmp_path)
    assert stub.read_text(encoding="utf-8") == (ROOT / "python/iir2d/_native.pyi").read_text(encoding="utf-8")


def test_the_package_passes_mypy(tmp_path):
    pytest.importorskip("mypy")
    for what in (("-p", "iir2d"), (EXAMPLES,)):
        command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path), *what]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        assert done.returncode == 0, done.stdout


def test_the_package_passes_basedpyright():
    checker = shutil.which("basedpyright", path=str(Path(sys.executable).parent))
    if checker is None:
        pytest.skip("basedpyright is not installed")
    command = [checker, "--pythonpath", sys.executable, "--warnings"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout
    assert "0 errors, 0 warnings" in done.stdout


def test_the_examples_run():
    pytest.importorskip("torch")
    pytest.importorskip("jax")
    done = subprocess.run([sys.executable, ROOT / EXAMPLES], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
