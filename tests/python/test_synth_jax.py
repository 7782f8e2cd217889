# SPDX-License-Identifier: MIT
"""Synthesised kernels as Python for JAX, lowered and held to the interpreter by the command line."""
import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("jax")
SET = pathlib.Path(__file__).parents[1] / "app" / "golden_set"


@pytest.fixture(scope="module")
def program():
    path = os.environ.get("IIR2D_COMMAND", "")
    if not os.path.exists(path):
        pytest.skip("the program iir2d is not built: build it, or name it in IIR2D_COMMAND")
    return path


def export(program, out, *more, resources=None):
    environment = dict(os.environ, IIR2D_PYTHON=sys.executable)
    if resources:
        environment["IIR2D_RESOURCE_DIR"] = str(resources)
    return subprocess.run([program, "synth", "export", str(SET), "--out", str(out), "--as", "jax", *more],
                          env=environment, capture_output=True, text=True)


def test_kernels_are_lowered_and_compared(program, tmp_path):
    done = export(program, tmp_path / "out", "--lower")
    assert done.returncode == 0, done.stdout + done.stderr
    sources = sorted(tmp_path.glob("out/*.py"))
    assert len(sources) >= 20
    for source in sources:
        lowered = source.with_suffix(".mlir").read_text()
        assert lowered.startswith("module @jit_") and "stablehlo." in lowered
    assert not list(tmp_path.glob("out/*.jsonl"))


def test_another_result_is_dropped(program, tmp_path):
    """With a script whose arrays are off by one in a thousand."""
    script = pathlib.Path(__file__).parents[2] / "resources" / "synth" / "lower_jax.py"
    (tmp_path / "synth").mkdir()
    text = script.read_text()
    changed = text.replace("np.asarray(one).tobytes()", "(np.asarray(one) * 1.001).astype(np.asarray(one).dtype).tobytes()")
    assert changed != text
    (tmp_path / "synth" / "lower_jax.py").write_text(changed)
    done = export(program, tmp_path / "out", "--lower", "--category", "vector", resources=tmp_path)
    assert done.returncode == 5
    assert "1 kernel gives another result in JAX" in done.stderr
    assert "within" in done.stdout and done.stdout.startswith("vector-")
    assert not list(tmp_path.glob("out/*"))
