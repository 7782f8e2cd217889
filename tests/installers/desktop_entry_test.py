#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""iir2d-workbench --install-desktop and --remove-desktop, in stand-ins of a portable tree and of an unpacked AppImage: the files come,
start what they should, and go again. usage: desktop_entry_test.py IIR2D-WORKBENCH SOURCES"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

WORKBENCH, SOURCES = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
ID = "org.iir2d.Workbench"


class DesktopEntry(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.place = pathlib.Path(self.scratch.name) / "a $tree\" 100% é"
        share = self.place / "usr/share"
        for name in ("applications", "mime/packages", "icons/hicolor/scalable/apps", "iir2d-workbench/samples"):
            (share / name).mkdir(parents=True)
        shutil.copyfile(SOURCES / "installers/linux/org.iir2d.desktop.in", share / f"applications/{ID}.desktop")
        shutil.copyfile(SOURCES / "installers/linux/org.iir2d.mime.xml.in", share / f"mime/packages/{ID}.xml")
        shutil.copyfile(SOURCES / "resources/icons/iir2d-workbench.svg", share / f"icons/hicolor/scalable/apps/{ID}.svg")
        (self.place / "iir2d-workbench").touch()
        self.share, self.home = share, self.place / "home"

    def tearDown(self):
        self.scratch.cleanup()

    def run_it(self, option, kind="portable", **more):
        (self.share / "iir2d-workbench/package.txt").write_text(f"{kind} 1.2.0\n")
        environment = {**os.environ, "IIR2D_RESOURCE_DIR": str(self.share / "iir2d-workbench"), "HOME": str(self.home), **more}
        environment.pop("XDG_DATA_HOME", None)
        return subprocess.run([WORKBENCH, option], capture_output=True, text=True, env=environment, check=False)

    def files(self):
        """What it wrote itself: caches are of the system's programs."""
        return sorted(str(path.relative_to(self.home)) for path in self.home.rglob("*")
                      if path.is_file() and (ID in path.name or path.suffix in (".svg", ".png")))

    def test_comes_and_goes(self):
        done = self.run_it("--install-desktop")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.files(), [f".local/share/applications/{ID}.desktop", f".local/share/icons/hicolor/scalable/apps/{ID}.svg",
                                        f".local/share/mime/packages/{ID}.xml"])
        entry = (self.home / f".local/share/applications/{ID}.desktop").read_text()
        path = str(self.place / "iir2d-workbench")
        quoted = '"' + path.replace('"', r'\\"').replace("$", r"\\$").replace("%", "%%") + '"'
        self.assertIn(f"\nExec={quoted} %f\n", entry)
        self.assertIn(f"\nTryExec={path}\n", entry)
        if shutil.which("desktop-file-validate"):
            valid = entry.replace("@IIR2D_APP_ID@", ID)
            (self.place / f"{ID}.desktop").write_text(valid)
            subprocess.run(["desktop-file-validate", self.place / f"{ID}.desktop"], check=True)
        self.assertEqual(self.run_it("--install-desktop").returncode, 0)  # again, over itself
        done = self.run_it("--remove-desktop")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.files(), [])
        self.assertEqual(self.run_it("--remove-desktop").stdout, "")

    def test_an_appimage_is_started_as_one(self):
        file = self.place / "x.AppImage"
        file.touch()
        self.assertEqual(self.run_it("--install-desktop", "appimage", APPIMAGE=str(file)).returncode, 0)
        self.assertIn("x.AppImage", (self.home / f".local/share/applications/{ID}.desktop").read_text())
        done = self.run_it("--install-desktop", "appimage", APPIMAGE=str(file) + ".gone")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is not there", done.stderr)

    def test_other_packages_refuse(self):
        for kind in ("deb", "none"):
            done = self.run_it("--install-desktop", kind)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertFalse(self.home.exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
