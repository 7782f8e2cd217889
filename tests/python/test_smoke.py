# SPDX-License-Identifier: MIT
"""python -m iir2d.smoke says what works and what is broken."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import iir2d
import iir2d.smoke


def smoke(*arguments, **environment):
    command = [sys.executable, "-m", "iir2d.smoke", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | environment)


def test_what_works(capsys):
    done = smoke("--gpu", "skip")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[:2] == ["ok library", "ok arrays"] and lines[4].startswith("skip gpu: ")
    for name, line in zip(("torch", "jax"), lines[2:4], strict=True):
        there = importlib.util.find_spec(name) is not None
        assert line == (f"ok {name}" if there else f"skip {name}: {name} is not installed")
    required = smoke("--gpu", "require", "--json")
    assert required.returncode == 1
    gpu = json.loads(required.stdout)["gpu"]
    assert gpu["result"] == "FAIL" and gpu["why"].startswith("there is no usable CUDA device")
    assert iir2d.smoke.main(["--json"]) == 0
    assert json.loads(capsys.readouterr().out)["gpu"]["result"] == "skip"


def test_a_missing_library(tmp_path):
    shutil.copytree(Path(iir2d.__file__).parent, tmp_path / "iir2d", ignore=shutil.ignore_patterns("libiir2d*"))
    done = smoke(PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert done.stdout.startswith("FAIL library: ") and "libiir2d.so.1" in done.stdout
    done = smoke("--json", PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    (name, found), = json.loads(done.stdout).items()
    assert name == "library" and found["result"] == "FAIL" and "libiir2d.so.1" in found["why"]


def test_an_older_library(tmp_path):
    package = tmp_path / "iir2d"
    shutil.copytree(Path(iir2d.__file__).parent, package, ignore=shutil.ignore_patterns("libiir2d*"))
    module, = package.glob("_native*.so")
    symbols = subprocess.run(["nm", "-D", "--undefined-only", str(module)], capture_output=True, text=True, check=True)
    names = [line.split()[-1] for line in symbols.stdout.splitlines() if "iir2d_" in line]
    source = tmp_path / "old.c"
    source.write_text("".join(f"int {n}() {{ return {10100 if n.endswith('packed') else 0}; }}\n" for n in names))
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-Wl,-soname,libiir2d.so.1", "-o", str(package / "libiir2d.so.1"),
                    str(source)], check=True)
    done = smoke(PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert done.stdout.startswith("FAIL library: libiir2d has version 1.1.0, this package needs 1.2.0"), done.stdout
