#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Commands that need no image load few libraries, and OpenImageIO not at all. usage: light_start_test.py IIR2D"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

IIR2D = os.path.abspath(sys.argv[1])
MOST = 25  # fewer than these; with OpenImageIO there are 264


def libraries(arguments, folder):
    """Of the program and of all that it starts: the names of the libraries that were opened."""
    trace = pathlib.Path(folder) / "trace"
    run = subprocess.run([IIR2D, *arguments], cwd=folder, capture_output=True, text=True,
                         env={**os.environ, "LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(trace),
                              "IIR2D_CONFIG_DIR": f"{folder}/config"})
    if run.returncode != 0:
        raise AssertionError(f"{arguments} ended with {run.returncode}: {run.stderr}")
    names = set()
    for file in pathlib.Path(folder).glob("trace.*"):
        names |= set(re.findall(r"calling init: (\S+)", file.read_text(errors="replace")))
        file.unlink()
    return {os.path.basename(name) for name in names}


class LightStart(unittest.TestCase):
    def test_commands_without_images(self):
        with tempfile.TemporaryDirectory() as folder:
            bench = ["bench", "--sizes", "32x32", "--filter-ids", "1", "--precisions", "f32", "--device", "cpu", "--warmup",
                     "0", "--iters", "1"]
            for arguments in (["--version"], ["--help"], ["completion", "bash"], ["man"], ["devices"],
                              [*bench, "--record", "record"], [*bench, "--record", "other"],
                              ["parity", "--sizes", "16x16", "--filter-ids", "1", "--device", "cpu"], ["verify", "record"],
                              ["compare-records", "record", "other", "--max-regression", "100%"], ["reproduce", "record", "--record", "again"],
                              ["history", "add", "record"], ["history", "list"], ["key", "new", "key.pem"],
                              ["release", "new", "r1", "--stage", "dev", "--commit", "0" * 40]):
                try:
                    names = libraries(arguments, folder)
                except AssertionError as error:
                    # A verdict of a measurement on a busy machine is not what is looked at.
                    if arguments[0] not in ("compare-records", "reproduce") or "ended with 5" not in str(error):
                        raise
                    continue
                self.assertGreater(len(names), 5, arguments)  # the trace was read
                self.assertLess(len(names), MOST, (arguments, sorted(names)))
                self.assertFalse([n for n in names if "OpenImageIO" in n or "iir2d-images" in n], arguments)

    def test_an_image_brings_openimageio(self):
        samples = pathlib.Path(__file__).resolve().parents[2] / "resources/samples/astronaut.png"
        with tempfile.TemporaryDirectory() as folder:
            self.assertTrue([n for n in libraries(["info", str(samples)], folder) if "OpenImageIO" in n])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
