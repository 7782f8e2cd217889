#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kills the real window program at random moments and looks at what the next start gets back.

usage: autosave_kill_test.py PROGRAM IMAGE

The program edits its recipe every 20 ms and says so on stdout. After SIGKILL the state file must hold a recipe
that was in force, and what was done after it must be younger than IIR2D_AUTOSAVE_LIMIT seconds: 1 is what is
promised; the default of 10 allows for a machine that is busy with other tests. IIR2D_KILLS says how often.
SIGTERM, SIGHUP and SIGINT must save everything and end the program without a question.
"""

import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

KILLS = int(os.environ.get("IIR2D_KILLS", "4"))
LIMIT_MS = 1000 * float(os.environ.get("IIR2D_AUTOSAVE_LIMIT", "10"))
PATIENCE_S = 60


STARTED = []


def hear_signals():
    """Under nohup, or in the background, they are ignored, which the program respects."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


class Window:
    """The program off screen, doing what a script says."""

    def __init__(self, folder, lines):
        script = folder / "script"
        script.write_text("\n".join(lines) + "\n")
        environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", IIR2D_CONFIG_DIR=str(folder / "config"),
                           IIR2D_STATE_DIR=str(folder / "state"))
        self.process = subprocess.Popen([sys.argv[1], "--script", str(script)], env=environment,
                                        stdout=subprocess.PIPE, text=True, preexec_fn=hear_signals)
        STARTED.append(self.process)
        self.lines = []
        self.came = threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            with self.came:
                self.lines.append(line.split())
                self.came.notify_all()

    def wait_for(self, condition, what):
        with self.came:
            if not self.came.wait_for(lambda: condition(self.lines), PATIENCE_S):
                self.process.kill()
                sys.exit(f"waited in vain for {what}: {self.lines[-3:]}")

    def wait_for_edits(self, count):
        self.wait_for(lambda lines: sum(line[0] == "edit" for line in lines) >= count, f"{count} edits")

    def end(self, number):
        self.process.send_signal(number)
        at = time.time() * 1000
        self.process.wait(PATIENCE_S)
        self.reader.join(PATIENCE_S)
        return at


def saved_states(folder):
    return [json.loads(path.read_text()) for path in (folder / "state").glob("*.session.json")]


def hash_of(state):
    return hashlib.sha256(state["recipes"][state["position"]].encode()).hexdigest()


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def killed_once(image, moment):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        window = Window(folder, [f"open {image}", "edits 20"])
        window.wait_for_edits(1)
        time.sleep(moment)
        killed_at = window.end(signal.SIGKILL)
        edits = [line for line in window.lines if line[0] == "edit" and len(line) == 4]
        states = saved_states(folder)
        if not states:
            lost = killed_at - int(edits[0][2])
            check(lost <= LIMIT_MS, f"nothing was saved {lost:.0f} ms after the first edit")
            return lost
        check(len(states) == 1, f"{len(states)} states of one window")
        check(states[0]["image"] == image, f"the image is {states[0]['image']}")
        hashes = [line[3] for line in edits]
        saved = hash_of(states[0])
        if saved not in hashes:
            # The state of before the first edit, or of one that was not told any more.
            later = len(states[0]["steps"]) > 0 and states[0]["position"] > 0
            lost = 0 if later else killed_at - int(edits[0][2])
        else:
            following = hashes.index(saved) + 1
            lost = killed_at - int(edits[following][2]) if following < len(edits) else 0
        check(lost <= LIMIT_MS, f"{lost:.0f} ms of work were lost")

        back = Window(folder, ["state", "restore", "wait 1", "state", "undo", "state", "close"])
        back.process.wait(PATIENCE_S)
        back.reader.join(PATIENCE_S)
        told = [line for line in back.lines if line[0] == "state"]
        offers = [line for line in back.lines if line[0] == "offers"]
        check([line[1] for line in offers] == ["1", "0", "0"], f"offers: {offers}")
        check(told[1][1] == saved, "another recipe came back")
        check(told[1][6] == image, f"the image that came back: {told[1]}")
        check(int(told[1][2]) == states[0]["position"] and int(told[1][3]) == len(states[0]["steps"]), "undo steps")
        check(told[1][2] == "0" or told[2][1] != saved, "nothing was undone")
        return lost


def stopped(image, number, lines):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        window = Window(folder, [f"open {image}", "add 6", "page benchmark"] + lines + ["state"])
        window.wait_for(lambda seen: any(line[0] == "offers" for line in seen), "the state")
        window.end(number)
        check(window.process.returncode == 0, f"{number.name}: exit code {window.process.returncode}")
        told = next(line for line in window.lines if line[0] == "state")
        states = saved_states(folder)
        check(len(states) == 1, f"{number.name}: {len(states)} states")
        check(hash_of(states[0]) == told[1], f"{number.name}: another recipe was saved")
        check(states[0]["page"] == "benchmark", f"{number.name}: page {states[0]['page']}")
        back = Window(folder, ["discard", "state", "close"])
        back.process.wait(PATIENCE_S)
        check(not saved_states(folder), f"{number.name}: discarded, and still there")


def main():
    image = sys.argv[2]
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        stopped(image, number, [])
    stopped(image, signal.SIGTERM, ["modal", "wait 200"])
    moments = random.Random(os.environ.get("IIR2D_KILL_SEED"))
    lost = [killed_once(image, moments.uniform(0.0, 2.0)) for _ in range(KILLS)]
    print(f"{KILLS} kills; at most {max(lost):.0f} ms lost, median {sorted(lost)[len(lost) // 2]:.0f} ms")


if __name__ == "__main__":
    try:
        main()
    finally:
        for started in STARTED:
            started.kill()
