#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Has mingw look at every source of the window (ui, app/workbench), against the headers of Debian's Qt. It proves that they compile and
no more: there is no Qt for Windows here to link. usage: check_window_sources.py PREFIX GENERATED [--jobs N] [PART...]

PREFIX is the folder of build_dependencies.py, GENERATED a build's folder `generated`; with PARTs, only sources whose path has one of
them. Ends with 0, with 5 when a source does not compile, with 6 when a tool is missing.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

SOURCES = pathlib.Path(__file__).resolve().parents[2]
COMPILER = "x86_64-w64-mingw32-g++-posix"
QT = pathlib.Path("/usr/include/x86_64-linux-gnu/qt6")
MODULES = ("QtCore", "QtGui", "QtWidgets", "QtCharts", "QtSvg", "QtConcurrent", "QtOpenGL", "QtOpenGLWidgets")
WORDS = ("-std=c++23", "-fsyntax-only", "-O0", "-w", "-DNOMINMAX", "-DWIN32_LEAN_AND_MEAN", "-D_WIN32_WINNT=0x0A00", "-DQT_NO_KEYWORDS",
         '-DIIR2D_APP_ID="org.iir2d.Workbench"', '-DQT_NO_VERSION_TAGGING')


def look_at(source, includes):
    done = subprocess.run([COMPILER, *WORDS, *includes, str(source)], capture_output=True, text=True, encoding="utf-8", errors="replace", check=False)
    return next((line for line in done.stderr.splitlines() if "error:" in line), done.stderr[:300] or "?") if done.returncode else None


def main():
    parser = argparse.ArgumentParser(prog="check_window_sources")
    parser.add_argument("prefix", type=pathlib.Path)
    parser.add_argument("generated", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("part", nargs="*")
    chosen = parser.parse_intermixed_args()  # options may stand between
    if shutil.which(COMPILER) is None or not QT.is_dir():
        print(f"check_window_sources: error: {COMPILER} or {QT} is missing", file=sys.stderr)
        return 6
    includes = [f"-I{SOURCES}", f"-I{SOURCES / 'kernels/include'}", f"-I{chosen.generated}", "-isystem", str(chosen.prefix / "include"), "-isystem", str(QT)]
    for module in MODULES:
        includes += ["-isystem", str(QT / module)]
    sources = [source for folder in ("ui", "app/workbench") for source in sorted((SOURCES / folder).rglob("*.cpp"))
               if not chosen.part or any(part in str(source.relative_to(SOURCES)) for part in chosen.part)]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        for source, error in zip(sources, pool.map(lambda one: look_at(one, includes), sources)):
            if error:
                wrong += 1
                print(f"check_window_sources: {source.relative_to(SOURCES)}: {error}", file=sys.stderr)
    print(f"{len(sources) - wrong} of {len(sources)} sources compile")
    return 5 if wrong or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
