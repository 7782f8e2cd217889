# SPDX-License-Identifier: MIT
"""The package computes the bytes that the C interface and the command line compute."""

import ctypes
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import oracle
import pytest

import iir2d

PRECISIONS = {"f32": (0, np.float32), "mixed": (1, np.float32), "f64": (2, np.float64)}


class Params(ctypes.Structure):
    """IIR2D_Params of iir2d_core.h."""

    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int), ("filter_id", ctypes.c_int),
                ("border_mode", ctypes.c_int), ("border_const", ctypes.c_float), ("precision", ctypes.c_int)]  # fmt: skip


@pytest.mark.parametrize("filter_id", range(1, 9))
def test_iir2d_forward_cpu(rng, filter_id):
    call = ctypes.CDLL(iir2d.get_library()).iir2d_forward_cpu
    call.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(Params)]
    for border, name in enumerate(oracle.BORDERS):
        for precision, (number, dtype) in PRECISIONS.items():
            for height, width in ((1, 1), (67, 131)):
                x = rng.random((height, width)).astype(dtype)
                want = np.empty_like(x)
                params = Params(width, height, filter_id, border, 0.25, number)
                assert call(x.ctypes.data, want.ctypes.data, ctypes.byref(params)) == 0
                got = iir2d.filter(x, filter_id, border=name, border_const=0.25, precision=precision)
                assert got.tobytes() == want.tobytes(), (name, precision, height, width)


def command():
    program = os.environ.get("IIR2D_COMMAND", "")
    if not program or not os.access(program, os.X_OK):
        pytest.skip("the program iir2d is not built: build it, or name it in IIR2D_COMMAND")
    return program


def recipe_of(filter_id, start, normalise):
    # The edges of the ranges that the library's own defaults leave open.
    values = {n: v for n, v in oracle.FILTERS[filter_id].items() if n != "compat_1_0"}
    return {"type": "filter", "enabled": True, "filter": filter_id, "parameters": values, "border": "clamp",
            "border_const": 0.0, "precision": "f32", "start": start, "normalise_gain": normalise}  # fmt: skip


def run_recipe(program, folder: Path, x, operations):
    from PIL import Image

    Image.fromarray(x, mode="F").save(folder / "in.tif")
    recipe = {"schema_version": 1, "name": "", "keep_alpha": False, "operations": operations}
    (folder / "recipe.json").write_text(json.dumps(recipe), encoding="utf-8")
    # The test's own libraries are not the program's.
    environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    done = subprocess.run([program, "run", "recipe.json", "in.tif", "out.tif"], cwd=folder, env=environment,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    with Image.open(folder / "out.tif") as image:
        assert image.mode == "F"
        return np.asarray(image)


@pytest.mark.parametrize(("start", "normalise"), [("truncated", False), ("steady", True)])
@pytest.mark.filterwarnings("ignore:'mode' parameter is deprecated")
def test_the_command_line_filters(rng, tmp_path, start, normalise):
    program = command()
    pytest.importorskip("PIL")
    x = rng.random((67, 131), dtype=np.float32)
    for filter_id in range(1, 9):
        got = run_recipe(program, tmp_path, x, [recipe_of(filter_id, start, normalise)])
        want = iir2d.filter(x, filter_id, border="clamp", start=start, normalise_gain=normalise)
        assert got.tobytes() == want.tobytes(), filter_id


@pytest.mark.filterwarnings("ignore:'mode' parameter is deprecated")
def test_the_command_line_pools(rng, tmp_path):
    program = command()
    pytest.importorskip("PIL")
    x = rng.random((67, 131), dtype=np.float32)
    for op in ("max", "avg", "lp"):
        pool = {"type": "pool", "enabled": True, "op": op, "window": [3, 2], "stride": [2, 2], "ceil_mode": True, "p": 3.0}
        got = run_recipe(program, tmp_path, x, [pool])
        want = iir2d.pool(x, op, (3, 2), stride=2, ceil_mode=True, p=3.0)
        assert got.tobytes() == want.tobytes(), op
