#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tries the four Debian packages in FOLDER: as files, and installed in a bare Debian 12 by a user without rights.
usage: check_deb.py FOLDER [--report FILE.xml] [--screenshots FOLDER] [--quick] [--files-only] [--also-without PATH]...

PATH: a folder whose name no file of the packages may hold, beside the sources'. Needs root, debootstrap, lintian and Debian's
packages. Exit code 0, 5 when a check failed, 2 for a bad argument, 6 when the checks could not be made.
"""
import os
import pathlib
import sys
import tempfile

import bare_debian
import common
import deb_files
import deb_installed
from report import Report

TOOL = "check_deb"


def check_files(report, debs, folders):
    version = deb_files.field(debs["libiir2d1"], "Version").rsplit("-", 1)[0]
    report.check("deb: names and versions", deb_files.check_names, debs, version)
    report.check("deb: lintian finds nothing", deb_files.check_lintian, debs)
    report.check("deb: dependencies and control files", deb_files.check_dependencies, debs)
    report.check("deb: no path of the build, no run path, modes", deb_files.check_contents, debs, folders)


def check_installed(report, debs, screenshots, quick):
    version = deb_files.field(debs["libiir2d1"], "Version").rsplit("-", 1)[0].replace("~", "-")
    with tempfile.TemporaryDirectory() as scratch, bare_debian.BareDebian() as debian:
        before = deb_installed.listing(debian)
        if not report.check("deb: installs in a bare Debian 12", deb_installed.check_install, debian, debs):
            return
        report.check("deb: runs for a user without rights", deb_installed.check_use, debian, version)
        report.check("deb: commands without images start light", deb_installed.check_light_start, debian)
        report.check("deb: and fast", deb_installed.check_start_times, debian)
        report.check("deb: without the image module one line, exit code 4", deb_installed.check_module, debian)
        report.check("deb: info --formats", deb_installed.check_formats, debian)
        report.check("deb: no network socket", deb_installed.check_no_network, debian)
        if not quick:
            report.check("deb: screenshots of the installed window", deb_installed.check_screenshots, debian, screenshots)
        report.check("deb: programs of others build and run", deb_installed.check_consumers, debian)
        report.check("deb: desktop entry, metainfo, file type, manual", deb_installed.check_desktop, debian)
        older = deb_files.older_copies(debs, scratch, "1.1.9-1")
        report.check("deb: upgrade, removal, purge", deb_installed.check_upgrade_and_removal, debian, debs, older, before)


def main():
    parser = common.Parser(prog=TOOL, description="Tries Debian packages.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true", help="leave out the tour through the window")
    parser.add_argument("--files-only", action="store_true")
    parser.add_argument("--also-without", action="append", default=[])
    options = parser.parse_args()
    if os.geteuid() != 0 and not options.files_only:
        raise common.Failure(common.BAD_ARGUMENT, "installing in a bare Debian needs root; --files-only does not")
    report = Report(TOOL, "packaging")
    debs = deb_files.find(options.folder)
    check_files(report, debs, [common.SOURCES, *options.also_without])
    if not options.files_only:
        check_installed(report, debs, options.screenshots, options.quick)
    report.finish(options.report)


if __name__ == "__main__":
    sys.exit(common.main_of(TOOL, main, common.NOT_WRITTEN))
