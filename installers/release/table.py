#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints which of the contract's checks from outside were seen to hold, as a table. usage: table.py REPORT.xml...

REPORTs are JUnit files: evidence/packaging-report.xml of make_release.sh, the --report of check_portable.sh, check_windows.sh and
check_workflows.py, and `ctest -R ^installers --output-junit`. A check is "passed" when every test that it names is in one of them and
passed, "FAILED" when one failed, else "not tried", with what is missing. Exit code 5 when one failed.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

import common

UNDER_WINE = "on no Windows: under Wine alone"
# Number: what, the tests that show it (regular expressions), what of it cannot be had where this is run.
CHECKS = {
    1: ("four `.deb`, and sums that hold", ("^deb: names and versions", r"^bill of libiir2d1_.*\.deb"), ""),
    2: ("the same bytes from another folder, umask, time zone, language", (r"^rebuild: .*\.deb",), ""),
    3: ("lintian", ("^deb: lintian",), ""),
    4: ("dependencies, no scripts", ("^deb: dependencies",), ""),
    5: ("no path of the build, no run path", ("^deb: no path",), ""),
    6: ("in a bare Debian: install, run, bench, verify, screenshots", ("^deb: installs", "^deb: runs for a user", "^deb: screenshots"), ""),
    7: ("programs of others, C and C++", ("^deb: programs of others",), ""),
    8: ("upgrade, remove, purge", ("^deb: upgrade",), ""),
    9: ("file type, validators, manual, completion", ("^deb: desktop entry", r"^installers\.completion_and_man"), ""),
    10: ("few libraries without images; the module missing", ("^deb: commands without images", "^deb: without the image module"), ""),
    11: ("start within 50 ms", ("^deb: and fast",), ""),
    12: ("AppImage: type, contents, the tar's tree", ("^appimage: type 2", "^portable: both have the same tree"), ""),
    13: ("AppImage and tree in a bare chroot, with and without FUSE", ("^portable: runs in a bare", "^appimage: runs without", "^appimage: runs mounted"), ""),
    14: ("AppImage: results of the `.deb`", ("^portable: results of the Debian",), "a filter in 0.1 s: on an idle machine"),
    15: ("no glibc, baseline, size", ("^portable: AppImage has nothing", "^appimage: type 2", "^portable: an older system"), ""),
    16: ("`info --formats` of both, a `.dng`", ("^deb: info --formats", "^portable: runs in a bare"), ""),
    17: ("Windows: install, use, results, records", ("^windows: programs of 64", "^windows: every filter", "^windows: --version", "^windows: parity", "^windows: keys",
                                                  "^windows: images", "^installer: per user", "^installer: into a folder", "^installer: for all"), UNDER_WINE),
    18: ("what the uninstaller leaves", ("^installer: per user", "^installer: into a folder"), UNDER_WINE),
    19: ("Windows: no aligned moves; the same bytes twice", ("^windows: no aligned move", r"^rebuild: .*win64\.zip", r"^rebuild: .*win64\.exe"), ""),
    20: ("`iir2d.dll`: exports, C programs", ("^windows: iir2d.dll exports", "^windows: C programs"), "no program of Microsoft's compiler"),
    21: ("a flipped byte, another key, \"not signed\"", (r"^installers\.release",), ""),
    22: ("bills name every file, and none besides", (r"^bill of .*\.AppImage", r"^bill of .*\.zip"), ""),
    23: ("`--evidence` fills four requirements", (r"^installers\.release",), ""),
    24: ("killed at 20 moments, whole files", (r"^installers\.release",), ""),
    25: ("workflow: schema, zizmor, bash", ("^workflow: GitHub", "^workflow: zizmor", r"^installers\.workflow"), "no run of it"),
    26: ("no network socket", ("^deb: no network", "^portable: no network"), ""),
    27: ("the source archive builds and tests without `.git`", ("^source: the archive knows", "^source: builds and passes"), ""),
}


def results(files):
    """{name of a test: whether it passed}; of one that is there more than once the last counts."""
    found = {}
    for file in files:
        for case in xml.parse(file).getroot().iter("testcase"):
            if case.find("skipped") is None:
                found[case.get("name")] = case.find("failure") is None and case.find("error") is None and case.get("status") != "fail"
    return found


def state(patterns, found):
    """passed, FAILED or not tried, and of the last two the tests that are the reason."""
    failed, missing = [], []
    for pattern in patterns:
        hits = [name for name in found if re.search(pattern, name)]
        failed += [name for name in hits if not found[name]]
        if not hits:
            missing.append(pattern.lstrip("^").replace("\\", ""))
    if failed:
        return "FAILED", "; ".join(failed)
    return ("not tried", f"no test \"{missing[0]}…\"") if missing else ("passed", "")


def table(found):
    lines, counts = ["| | check | | |", "| --- | --- | --- | --- |"], {}
    for number, (what, patterns, not_here) in CHECKS.items():
        word, why = state(patterns, found)
        counts[word] = counts.get(word, 0) + 1
        lines.append(f"| {number} | {what} | {word} | {'; '.join(text for text in (why, not_here) if text)} |")
    return lines, counts


def main():
    files = [pathlib.Path(word) for word in sys.argv[1:]]
    if not files:
        raise common.Failure(common.BAD_ARGUMENT, "usage: table.py REPORT.xml...")
    lines, counts = table(results(files))
    print("\n".join(lines))
    print(", ".join(f"{count} {word}" for word, count in sorted(counts.items())), file=sys.stderr)
    if counts.get("FAILED"):
        raise common.Failure(common.CHECK_FAILED, f"{counts['FAILED']} of {len(CHECKS)} checks failed")


if __name__ == "__main__":
    sys.exit(common.main_of("table", main, common.NOT_WRITTEN))
