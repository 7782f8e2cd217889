#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the hosted workflows to GitHub's schema and to zizmor's rules, as far as that can be done without running it.
usage: check_workflows.py [--report FILE.xml]

Both tools come from PyPI, pinned, into an environment in build/. Exit code 0, 5 when one of them finds something, 6 when they cannot be had.
"""
import argparse
import pathlib
import subprocess
import sys
import venv

import common
from report import Report, expect

WORKFLOWS = sorted((common.SOURCES / ".github/workflows").glob("*.yml"))
TOOLS = ("check-jsonschema==0.39.0", "zizmor==1.32.0")


def told(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, encoding="utf-8", check=False)
    expect(done.returncode == 0, common.last_lines(done.stdout + done.stderr, 8))
    return command[0].name


def main():
    parser = argparse.ArgumentParser(prog="check_workflows")
    parser.add_argument("--report", type=pathlib.Path)
    chosen = parser.parse_args()
    folder = common.SOURCES / "build/workflow-tools"
    if not (folder / "bin/pip").exists():
        venv.create(folder, with_pip=True)
    common.run(folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *TOOLS)
    report = Report("check_workflows", "packaging")
    report.check("workflow: GitHub's schema", told, folder / "bin/check-jsonschema", "--builtin-schema", "vendor.github-workflows", *WORKFLOWS)
    report.check("workflow: zizmor finds nothing", told, folder / "bin/zizmor", "--offline", *WORKFLOWS)
    report.finish(chosen.report)


if __name__ == "__main__":
    sys.exit(common.main_of("check_workflows", main, common.NOT_WRITTEN))
