# SPDX-License-Identifier: MIT
"""The hosted workflow and the scripts beside it: it parses, names what is there, and has the jobs that the guide says."""

import os
import re
import subprocess
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/python.yml").read_text(encoding="utf-8"))
JOBS = WORKFLOW["jobs"]
COMMANDS = [step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step]
SCRIPT = re.compile(r"(?<![\w/.-])(?:\./bootstrap|(?:scripts|tests|installers)/[\w./-]+)")
MODULE = re.compile(r"-m (iir2d(?:\.\w+)*)")


def test_every_script_it_names_is_there_and_can_be_run():
    named = sorted({name for command in COMMANDS for name in SCRIPT.findall(command)})
    assert {"./bootstrap", "scripts/build_and_smoke.sh", "scripts/build_and_smoke.ps1"} <= set(named)
    for name in named:
        path = ROOT / name
        assert path.is_file(), name
        assert path.suffix == ".ps1" or os.access(path, os.X_OK), name
        if path.suffix == ".sh":
            subprocess.run(["bash", "-n", path], check=True)


def test_every_module_it_names_is_there():
    named = {name for command in COMMANDS for name in MODULE.findall(command)}
    assert "iir2d.demo" in named
    for name in named:
        path = ROOT / "python" / Path(*name.split("."))
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), name


def test_actions_are_pinned_and_keep_no_credentials():
    actions = [step for job in JOBS.values() for step in job["steps"] if "uses" in step]
    assert len(actions) > 10
    for step in actions:
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"]), step["uses"]
        if step["uses"].startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


def test_the_notebook_is_executed():
    (command,) = [line for text in COMMANDS for line in text.splitlines() if "--execute" in line]
    assert (ROOT / command.split()[-1]).is_file() and command.split()[-1].endswith(".ipynb")


def test_the_jobs():
    assert set(JOBS) == {"linux", "wheels", "companions", "windows", "gpu-linux", "gpu-windows", "report-cpu"}
    for name, job in JOBS.items():
        assert job["steps"] and job["timeout-minutes"] <= 120, name
    assert JOBS["wheels"]["strategy"]["matrix"]["python"] == ["3.12", "3.14", "3.14t"]
    assert [row["name"] for row in JOBS["companions"]["strategy"]["matrix"]["include"]] == ["oldest", "newest"]
    assert "torch==2.6.0" in str(JOBS["companions"]) and "jax==0.6.2" in str(JOBS["companions"])
    for system in ("linux", "windows"):
        job = JOBS[f"gpu-{system}"]
        assert job["runs-on"] == ["self-hosted", system, "x64", "gpu", "cuda"]
        assert job["if"] == "vars.IIR2D_USE_SELF_HOSTED == 'true'"
    assert JOBS["report-cpu"]["if"] == "vars.IIR2D_USE_SELF_HOSTED != 'true'"
    assert any("upload-artifact" in step.get("uses", "") for step in JOBS["report-cpu"]["steps"])
    assert any("--gpu require" in step.get("run", "") for step in JOBS["gpu-linux"]["steps"])
    windows = [step["run"] for step in JOBS["gpu-windows"]["steps"] if "build_and_smoke" in step.get("run", "")]
    assert windows and not any("SkipGpuSmoke" in run for run in windows)  # then the script requires one
    assert any("-SkipGpuSmoke" in step.get("run", "") for step in JOBS["windows"]["steps"])


def test_the_guide_to_runners_names_every_job():
    guide = (ROOT / "docs/runner-setup.md").read_text(encoding="utf-8")
    for name in JOBS:
        assert f"`{name}`" in guide, name
