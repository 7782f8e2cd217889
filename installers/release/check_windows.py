#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tries the zip and the installer for Windows in FOLDER: as files, and under wine beside a build for Linux.
usage: check_windows.py FOLDER [--linux BUILD] [--report FILE.xml] [--make-if-kept]

BUILD is the folder of a build of the same sources for Linux (build/ci): its program and library must give the same results. With
--make-if-kept both are made into FOLDER first, of what is checked out; where a library for Windows is not kept or a tool is missing that is
said in a line, and nothing is tried. Needs wine64 and mingw-w64. Exit code 0, 5 when a check failed, 2 for a bad argument, 6 when a tool is
missing.
"""
import os
import pathlib
import shutil
import sys
import tempfile
import time

import common
import windows
import windows_files
import windows_installed
import windows_used
from report import Report
from wine import WINE, Wine

TOOL = "check_windows"


def check(report, archive, installer, linux):
    with tempfile.TemporaryDirectory(dir="/var/tmp") as scratch, Wine() as wine:
        scratch = pathlib.Path(scratch)
        tree = scratch / "tree"
        if not report.check("windows: the zip unpacks", windows_files.unpack, archive, tree):
            return
        tree = next(tree.iterdir())
        report.check("windows: programs of 64 bits with what guards memory, and no path of the build", windows_files.check_programs, tree)
        report.check("windows: version, manifest and the libraries that are there", windows_files.check_resources, tree)
        report.check("windows: no aligned move of a wide vector to or from memory", windows_files.check_moves, tree)
        report.check("windows: iir2d.dll exports what libiir2d.so does", windows_files.check_exports, tree, linux)
        used = windows_used.Used(wine, tree, linux, scratch)
        report.check("windows: C programs linked with libiir2d.dll.a and iir2d.lib", used.c_programs)
        report.check("windows: every filter and pooling has the bits of Linux, those of the system's pow() its numbers", used.bits)
        report.check("windows: --version, line ends, UTF-8, /unix/path", used.texts)
        report.check("windows: threads by the mask of processors", used.affinity)
        report.check("windows: no name that is there is taken", used.exclusive)
        report.check("windows: Ctrl+C ends with 130 and leaves nothing", used.interrupted)
        report.check("windows: parity, bench, verify, history", used.records)
        report.check("windows: keys for their owner alone, release", used.keys)
        report.check("windows: images", used.images)
        report.check("installer: that of the workbench compiles, with stand-ins for its files", windows_files.check_workbench_installer, scratch)
        if installer:
            installed = windows_installed.Installed(wine, installer, scratch)
            report.check("installer: per user, silently; what it writes; uninstall", installed.per_user)
            report.check("installer: into a folder of one's own, over an earlier version; a stranger's file stays", installed.elsewhere)
            report.check("installer: for all users, on PATH", installed.all_users)


def make(options):
    """Zip and installer into the folder, with the GPU kernels of the build for Linux. Returns why they cannot be made, or nothing."""
    if reason := windows.why_not():
        return reason
    begun = time.monotonic()
    version = common.package_version(allow_dirty=True)
    for old in [*options.folder.glob("*-win64.*")]:
        old.unlink()
    options.folder.mkdir(parents=True, exist_ok=True)
    windows.make(options.linux.resolve(), options.folder.resolve(), version, True, os.cpu_count() or 1)
    common.say(TOOL, f"made after {time.monotonic() - begun:.0f} s")
    return ""


def main():
    parser = common.Parser(prog=TOOL, description="Tries the zip and the installer for Windows.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--linux", type=pathlib.Path, default=common.SOURCES / "build/ci", metavar="BUILD")
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--make-if-kept", action="store_true")
    options = parser.parse_args()
    options.folder = options.folder.resolve()  # programs are started from elsewhere
    if options.make_if_kept and (reason := make(options)):
        print(f"nothing for Windows: {reason}")
        return
    for tool in (WINE, "wineserver", "x86_64-w64-mingw32-gcc-posix"):
        if shutil.which(tool) is None:
            raise common.Failure(common.NOT_WRITTEN, f"{tool} is missing: install what installers/debian-windows-packages.txt lists")
    archives = sorted(options.folder.glob("iir2d-tools-*-win64.zip"))
    installers = sorted(options.folder.glob("iir2d-tools-*-win64.exe"))
    if len(archives) != 1 or len(installers) > 1:
        raise common.Failure(common.BAD_ARGUMENT, f"{options.folder} has {len(archives)} zips and {len(installers)} installers for Windows")
    if not (options.linux / "bin/iir2d").is_file():
        raise common.Failure(common.BAD_ARGUMENT, f"{options.linux} is not a build for Linux: there is no bin/iir2d")
    report = Report(TOOL, "packaging")
    check(report, archives[0], (installers or [None])[0], options.linux.resolve())
    report.finish(options.report)


if __name__ == "__main__":
    sys.exit(common.main_of(TOOL, main, common.NOT_WRITTEN))
