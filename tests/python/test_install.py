# SPDX-License-Identifier: MIT
"""The wheel in environments other than the tests' own: a bare one with NumPy alone, and Debian's Python and NumPy."""

import os
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Paths and libraries of the tests are nobody else's.
BARE = {k: v for k, v in os.environ.items() if k not in ("LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV")}


@pytest.fixture(scope="module")
def wheel():
    found = sorted((ROOT / "build" / "python" / "wheels").glob("iir2d-*.whl"))
    if len(found) != 1:
        pytest.skip("there is no wheel in build/python/wheels: tests/python/run.sh builds it")
    return found[0]


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, env=BARE, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_tag_and_what_the_wheel_asks_of_the_system(wheel):
    pytest.importorskip("auditwheel")
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert wheel.name.endswith("manylinux_2_34_x86_64.whl") and f"-{python}-{python}-" in wheel.name
    shown = run(sys.executable, "-m", "auditwheel", "show", wheel)
    assert "manylinux_2_34_x86_64" in " ".join(shown.split())


def test_nothing_of_cuda_torch_or_jax_is_loaded(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    libraries = sorted(tmp_path.rglob("*.so*"))
    assert {p.name.split(".")[0] for p in libraries} >= {"_native", "libiir2d"}
    for library in libraries:
        loaded = run("ldd", library)
        assert "not found" not in loaded, loaded
        assert not [word for word in ("libcuda", "libtorch", "libjax", "libc10") if word in loaded], loaded


@pytest.fixture(scope="module")
def bare(tmp_path_factory, wheel):
    """An environment with the wheel and NumPy; NumPy as the tests have it, so that nothing is downloaded."""
    folder = tmp_path_factory.mktemp("bare") / "venv"
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin" / "pip", "install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", wheel)
    numpy = distribution("numpy")
    site = next((folder / "lib").glob("python3.*")) / "site-packages"
    for name in sorted({file.parts[0] for file in numpy.files or () if ".." not in file.parts}):
        shutil.copytree(numpy.locate_file(name), site / name)
    return folder / "bin" / "python"


def test_numpy_alone_is_enough(bare):
    lines = run(bare, "-m", "iir2d.smoke", "--gpu", "skip").splitlines()
    assert lines[:2] == ["ok library", "ok arrays"]
    assert [line.split(":")[0] for line in lines[2:]] == ["skip torch", "skip jax", "skip gpu"]
    installed = run(bare, "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check").splitlines()
    assert {line.split("==")[0] for line in installed} == {"iir2d", "numpy", "pip", "setuptools"}


@pytest.mark.parametrize("module", ["torch", "jax"])
def test_what_is_not_installed_is_said_in_one_sentence(bare, module):
    done = subprocess.run([bare, "-c", f"import iir2d.{module}"], capture_output=True, text=True, check=False, env=BARE)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"ImportError: iir2d.{module} needs {module} ") and last.endswith("and there is none")


OLD_NUMPY = """
import sys
import numpy as np
import iir2d, oracle
assert np.__version__.startswith("1.24."), np.__version__
rng = np.random.default_rng(3)
for filter_id in range(1, 9):
    for dtype, tolerance in ((np.float64, 1e-12), (np.float32, 1e-5)):
        x = rng.random((2, 3, 17, 23)).astype(dtype)
        for view in (x, x[..., ::-1], x[:, 1:], x.swapaxes(-1, -2)):
            y = iir2d.filter(view, filter_id, border="clamp")
            assert y.dtype == dtype and type(y) is np.ndarray
            assert np.abs(y - oracle.filter(view.astype(float), filter_id, border="clamp")).max() <= tolerance * max(1, abs(y).max())
            assert np.array_equal(iir2d.filter(view, filter_id, border="clamp", out=np.empty_like(y)), y)
    dy = rng.random(x.shape)
    gradient = iir2d.filter_gradient(x.astype(float), dy, filter_id)
    assert gradient and all(v.dtype == np.float64 for v in gradient.values())
y, places = iir2d.pool(x, "max", 2, return_indices=True)
assert places.dtype == np.int64 and iir2d.pool_backward(y, "max", 2, input_size=x.shape, indices=places).shape == x.shape
assert iir2d.filter(x.astype(np.float16), 4).dtype == np.float16
assert np.array_equal(iir2d.filter(x, 6, sigma=np.array([1.0, 2.0, 3.0]))[:, 1], iir2d.filter(x[:, 1], 6, sigma=2.0))
try:
    iir2d.filter(x.astype(np.int32))
except TypeError as error:
    assert "int32" in str(error)
else:
    raise AssertionError("int32 was taken")
"""


def test_debians_numpy(wheel, tmp_path):
    python = "/usr/bin/python3"
    probe = "import sys, numpy; print(sys.version_info[:2], numpy.__version__)"
    found = subprocess.run([python, "-c", probe], capture_output=True, text=True, check=False, env=BARE)
    if found.returncode != 0 or not found.stdout.startswith("(3, 11) 1.24."):
        pytest.skip(f"{python} has no NumPy 1.24 (Debian 12's python3-numpy): {found.stdout.strip() or 'no NumPy'}")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    environment = BARE | {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT / "tests" / "python")))}
    for arguments in (("-m", "iir2d.smoke", "--gpu", "skip"), ("-c", OLD_NUMPY)):
        done = subprocess.run([python, *arguments], capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
