# SPDX-License-Identifier: MIT
"""The benchmark program runs; its figures are no test."""

import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parent / "bench.py"


def run(*arguments):
    return subprocess.run([sys.executable, BENCH, *arguments], capture_output=True, text=True, check=False, timeout=300)


def test_a_quick_run_has_rows_with_samples_and_its_environment():
    done = run("--json", "--quick", "--only", "overhead,threads")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert {row["section"] for row in report["rows"]} == {"overhead", "threads"}
    for row in report["rows"]:
        assert all(len(of) >= 7 and min(of) > 0 for of in row["samples_us"].values())
        assert row["holds"] in (True, False, None) and (row["goal"] is None) == (row["holds"] is None)
    assert report["environment"]["library"].startswith("iir2d ") and len(report["load"]["before"]) == 3


def test_parameter_gradients_need_no_more_than_two_planes():
    """The one figure that no other program's work changes."""
    done = run("--json", "--only", "memory")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert len(rows) == 8
    for row in rows:
        assert 0 <= row["figure"] <= row["goal"] == 2 and row["holds"], row


def test_an_unknown_section_is_refused():
    done = run("--only", "speed")
    assert done.returncode == 2 and "sections are overhead, large" in done.stderr
