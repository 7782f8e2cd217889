#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Crashes the real window program and looks at the report and at the next start; and looks at a first start.

usage: crash_and_first_start_test.py PROGRAM IMAGE

A crash must leave a report, end by its signal, and be offered once, beside the work that comes back. A first start
without any settings must write nothing but settings, and neither ask nor open a socket of the internet (with strace;
without it that is left out, with a line that says so).
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE_S = 60
CRASHES = {"segv": signal.SIGSEGV, "abort": signal.SIGABRT, "terminate": signal.SIGABRT}


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def run(folder, lines, environment, before=(), meanwhile=lambda: None):
    """The program off screen with a script: its exit code and lines of output."""
    script = folder / "script"
    script.write_text("\n".join(lines) + "\n")
    with subprocess.Popen([*before, sys.argv[1], "--script", str(script)], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as process:
        try:
            meanwhile()
            out, _ = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
    return process.returncode, [line.split() for line in out.splitlines()]


def wait_until_saved(folder, image):
    for _ in range(PATIENCE_S * 50):
        states = [json.loads(path.read_text()) for path in (folder / "state").glob("*.session.json")]
        if any(s["image"] == image and s["steps"] and s["page"] == "benchmark" for s in states):
            return
        time.sleep(0.02)
    sys.exit("FAILED: nothing was saved")


def told(lines, what):
    return [line[1] for line in lines if line[0] == what]


def crashed(image, how):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", IIR2D_CONFIG_DIR=str(folder / "config"),
                           IIR2D_STATE_DIR=str(folder / "state"))
        saved = folder / "saved"

        def let_it_crash():
            wait_until_saved(folder, image)
            saved.touch()
        code, _ = run(folder, [f"open {image}", "add 6", "page benchmark", f"await {saved}", f"crash {how}"], environment,
                      meanwhile=let_it_crash)
        check(code == -CRASHES[how], f"{how}: exit code {code}")
        reports = list((folder / "state" / "log").glob("*"))
        check(len(reports) == 1, f"{how}: {reports}")
        check(re.fullmatch(r"crash-\d{8}T\d{6}Z\.txt", reports[0].name), f"{how}: {reports[0].name}")
        text = reports[0].read_text()
        for wanted in ("iir2d-workbench 1.", "package: ", f"signal: {CRASHES[how].value} {CRASHES[how].name}",
                       "thread: the first", "image: 512 x 512", "page: benchmark"):
            check(wanted in text, f"{how}: no {wanted} in\n{text}")
        check(re.search(r"  0x[0-9a-f]+  iir2d-workbench \+ 0x[0-9a-f]+\n", text), f"{how}: no stack\n{text}")
        check(re.search(r"  libQt6Core\.so\S+\n", text), f"{how}: no modules\n{text}")
        check(pathlib.Path(image).name not in text, f"{how}: the image's name is in it\n{text}")
        code, lines = run(folder, ["wait 300", "state", "restore", "state", "close"], environment)
        check(code == 0, f"{how}: the next start ended with {code}")
        check(told(lines, "offers") == ["1", "0"], f"{how}: work to restore: {lines}")
        check(told(lines, "crashes") == ["1", "1"], f"{how}: both are offered, each by itself: {lines}")
        code, lines = run(folder, ["wait 300", "state", "close"], environment)
        check(told(lines, "crashes") == ["0"], f"{how}: offered again: {lines}")
        check(len(list((folder / "state" / "log").glob("*.txt"))) == 1, f"{how}: it was not asked to be deleted")


def first_start():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        home = folder / "home"
        home.mkdir()
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith(("XDG_", "IIR2D_")) and key != "DBUS_SESSION_BUS_ADDRESS"}
        environment.update(HOME=str(home), QT_QPA_PLATFORM="offscreen", XDG_RUNTIME_DIR=str(folder))
        trace = folder / "trace"
        strace = shutil.which("strace")
        before = [strace, "-f", "-qq", "-e", "trace=network", "-o", str(trace)] if strace else []
        code, lines = run(folder, ["wait 1500", "state", "add 6", "undo", "wait 500", "quit"], environment, before)
        check(code == 0, f"a first start ended with {code}: {lines}")
        check(told(lines, "offers") == ["0"] and told(lines, "crashes") == ["0"], f"a first start offers: {lines}")
        written = sorted(str(path.relative_to(home)) for path in home.rglob("*") if not path.is_dir())
        print("a first start leaves: " + ", ".join(written))
        allowed = (".config/iir2d-workbench/", ".cache/fontconfig/", ".cache/mesa_shader_cache")
        strange = [path for path in written if not path.startswith(allowed)]
        check(not strange, f"a first start left {strange}")
        if not strace:
            print("no strace here: whether a socket of the internet is opened was not looked at")
            return
        sockets = [line for line in trace.read_text().splitlines() if "AF_INET" in line]
        check(not sockets, "sockets: " + "\n".join(sockets[:5]))
        print(f"{len(trace.read_text().splitlines())} calls of the network's, none of AF_INET")


def main():
    for how in CRASHES:
        crashed(sys.argv[2], how)
    first_start()


if __name__ == "__main__":
    main()
