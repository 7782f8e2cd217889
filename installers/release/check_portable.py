#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tries AppImage and portable tree in FOLDER: as files, and in a bare Debian 12 that has nothing installed.
usage: check_portable.py FOLDER [--report FILE.xml] [--screenshots FOLDER] [--quick]

Debian packages that lie there too are installed beside them, to compare results. Needs root, debootstrap, squashfs-tools. Exit code 0,
5 when a check failed, 2 for a bad argument, 6 when they could not be made.
"""
import os
import pathlib
import sys
import tempfile

import bare_debian
import common
import deb_files
import portable_files
import portable_used
from report import Report

TOOL = "check_portable"


def check(report, appimage, archive, folders, quick, debs=None, keep=None):
    """Either file may be None. With the Debian packages of the same sources their results are compared, too. Screenshots go to the
    folder `keep`, where there is one."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as scratch:
        trees = {}
        for file in (appimage, archive):
            if file and report.check(f"portable: {file.suffix[1:]} unpacks", portable_files.unpack, file, pathlib.Path(scratch), trees):
                report.check(f"portable: {file.suffix[1:]} has nothing of the build, no libc, nothing newer than Debian 12",
                             portable_files.check_tree, trees[file], folders)
        if appimage and appimage in trees:
            report.check("appimage: type 2, size, its own options", portable_files.check_appimage, appimage, trees[appimage])
        if len(trees) == 2:
            report.check("portable: both have the same tree", portable_files.check_same, trees[appimage], trees[archive])
        if report.failures:
            return
        with bare_debian.BareDebian() as debian:
            if archive:
                report.check("portable: runs in a bare Debian, read-only, from a path with a space and an accent",
                             portable_used.check_tree, debian, trees[archive])
                report.check("portable: an older system is told so", portable_used.check_baseline, debian, trees[archive])
                report.check("portable: no network socket; --install-desktop", portable_used.check_desktop, debian)
                if not quick:
                    report.check("portable: screenshots of the window", portable_used.check_screenshots, debian, keep)
            if appimage:
                report.check("appimage: runs without /dev/fuse, from the cache", portable_used.check_without_fuse, debian, appimage)
                if has_fuse():
                    report.check("appimage: runs mounted, and leaves nothing", portable_used.check_mounted, debian)
                else:
                    common.say(TOOL, "this system has no FUSE: the AppImage was not tried mounted")
            if debs and archive:
                report.check("portable: results of the Debian packages on every sample", portable_used.check_same_results, debian, debs)


def has_fuse():
    """Whether the kernel has FUSE: the device can be there without it."""
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError:
        return False
    return True


def find(folder):
    """(AppImage or None, archive or None) of a folder."""
    appimages = sorted(folder.glob("*.AppImage"))
    archives = sorted(folder.glob("iir2d-workbench-*-linux-x86_64.tar.xz"))
    if len(appimages) > 1 or len(archives) > 1:
        raise common.Failure(common.CHECK_FAILED, f"{folder} has {len(appimages)} AppImages and {len(archives)} portable trees")
    return (appimages or [None])[0], (archives or [None])[0]


def main():
    parser = common.Parser(prog=TOOL, description="Tries AppImage and portable tree.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true", help="leave out the tour through the window")
    options = parser.parse_args()
    if os.geteuid() != 0:
        raise common.Failure(common.BAD_ARGUMENT, "a bare Debian needs root")
    appimage, archive = find(options.folder)
    if not appimage and not archive:
        raise common.Failure(common.BAD_ARGUMENT, f"{options.folder} has neither an AppImage nor a portable tree")
    report = Report(TOOL, "packaging")
    debs = deb_files.find(options.folder) if list(options.folder.glob("*.deb")) else None
    check(report, appimage, archive, [common.SOURCES], options.quick, debs, options.screenshots)
    report.finish(options.report)


if __name__ == "__main__":
    sys.exit(common.main_of(TOOL, main, common.NOT_WRITTEN))
