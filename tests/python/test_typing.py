# SPDX-License-Identifier: MIT
"""Types: the module's stub is what the module says, and the package passes mypy's strict mode."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_stub_is_the_modules(tmp_path):
    stub = tmp_path / "_native.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "iir2d._native", "-o", str(stub)]
    subprocess.run(command, check=True, cwd=tmp_path)
    assert stub.read_text(encoding="utf-8") == (ROOT / "python/iir2d/_native.pyi").read_text(encoding="utf-8")


def test_the_package_passes_mypy(tmp_path):
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout
