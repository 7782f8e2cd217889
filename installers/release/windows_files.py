# SPDX-License-Identifier: MIT
"""The files for Windows as files: nothing runs."""
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import common
import windows as cross_build
from report import expect

sys.path.append(str(common.SOURCES / "installers/windows"))
import package  # noqa: E402

TARGET = "x86_64-w64-mingw32"
RUNTIME = {"libgcc_s_seh-1.dll", "libstdc++-6.dll", "libwinpthread-1.dll"}
# What Windows has itself.
SYSTEM = {"advapi32.dll", "bcrypt.dll", "crypt32.dll", "kernel32.dll", "msvcrt.dll", "ole32.dll", "psapi.dll", "shell32.dll", "user32.dll",
          "ws2_32.dll"}
INTERNAL = re.compile(r"\biir2d::(?:support|pool|iir|device|cuda|convert|embedded|gpu)::")
CHARACTERISTICS = ("HIGH_ENTROPY_VA", "DYNAMIC_BASE", "NX_COMPAT")
ALIGNED_MOVE = re.compile(r"\bvmov(?:aps|apd|dqa\w*)\b.*\[.*[yz]mm|\bvmov(?:aps|apd|dqa\w*)\b.*[yz]mm.*\[")


def output(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, encoding="utf-8", errors="replace", check=True).stdout


def unpack(archive, folder):
    with zipfile.ZipFile(archive) as content:
        names = content.namelist()
        tops = {name.split("/")[0] for name in names}
        expect(len(tops) == 1 and not any(".." in name.split("/") or "\\" in name for name in names), f"its files are not in one folder: {tops}")
        content.extractall(folder)
    return f"{len(names)} files, {archive.stat().st_size / 1e6:.1f} MB"


def programs(tree):
    return [file for file in sorted(tree.iterdir()) if file.suffix in (".exe", ".dll")]


def ours(tree):
    return [file for file in programs(tree) if file.name not in RUNTIME]


def check_programs(tree):
    found = {file.name for file in programs(tree)}
    expect(RUNTIME | {"iir2d.exe", "iir2d.dll"} <= found, f"there are {sorted(found)} alone")
    for file in programs(tree):
        kind = output("file", "-b", file)
        expect(kind.startswith("PE32+ executable") and "x86-64" in kind, f"{file.name} is {kind.strip()}")
    for file in ours(tree):
        headers = output(f"{TARGET}-objdump", "-p", file)
        for flag in CHARACTERISTICS:
            expect(flag in headers, f"{file.name} lacks {flag}")
        needed = {name.lower() for name in re.findall(r"DLL Name: (\S+)", headers)}
        strange = needed - SYSTEM - {name.lower() for name in found} - {name for name in needed if name.startswith("api-ms-win-")}
        expect(not strange, f"{file.name} needs {sorted(strange)}, which is neither Windows' nor beside it")
    for file in tree.rglob("*"):
        data = file.read_bytes() if file.is_file() else b""
        for folder in (common.SOURCES, cross_build.prefix_of_dependencies()):
            in_a_name = re.sub(r"\W", "_", str(folder)) + "_"  # as dlltool has it
            expect(f"{folder}/".encode() not in data and in_a_name.encode() not in data, f"{file.name} holds the path {folder}")
    return ", ".join(file.name for file in ours(tree))


def check_resources(tree):
    version = re.search(r"VERSION (\d+\.\d+\.\d+)", (common.SOURCES / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    for file in ours(tree):
        expect(version.encode("utf-16-le") in file.read_bytes(), f"{file.name} does not say the version {version}")
    program = (tree / "iir2d.exe").read_bytes()
    for text in (b"<activeCodePage", b"<longPathAware"):
        expect(text in program, f"iir2d.exe has no {text.decode()} in its manifest")
    expect(b"\x89PNG\r\n\x1a\n" in program, "iir2d.exe has no icon")
    said = (tree / "resources/package.txt").read_text(encoding="utf-8")
    expect(said.startswith(f"zip {version}"), f"package.txt says {said!r}")
    licences = {file.name for file in (tree / "licenses").iterdir()}
    for name in ("iir2d.txt", "GPL-3.txt", "gcc-runtime-copyright", "winpthreads-copyright", "oneTBB-LICENSE.txt", "libcrypto-LICENSE.txt"):
        expect(name in licences, f"licenses has no {name}")
    return version


def check_moves(tree):
    """Windows aligns the stack to 16 bytes, and GCC spills as if it were to 32 or 64 (GCC bug 54412)."""
    looked = 0
    for file in ours(tree):
        with subprocess.Popen([f"{TARGET}-objdump", "-d", "-M", "intel", "--no-show-raw-insn", str(file)], stdout=subprocess.PIPE, text=True,
                              encoding="utf-8", errors="replace") as process:
            for line in process.stdout:
                looked += "ymm" in line or "zmm" in line
                expect(not ALIGNED_MOVE.search(line), f"{file.name}: {line.strip()}")
    expect(looked > 1000, f"only {looked} instructions with wide vectors were found")
    return f"{looked} instructions with wide vectors"


def exported_by_dll(file):
    text = output(f"{TARGET}-objdump", "-p", file)
    table = text.split("[Ordinal/Name Pointer] Table", 1)[1]
    return set(re.findall(r"^\s+\[\s*\d+\](?: \+base\[\s*\d+\])?\s+(?:[0-9a-f]+\s+)?(\S+)\s*$", table.split("\n\n")[0], re.MULTILINE))


def spoken(names):
    """The names as C++ has them, of both systems alike: a number of 64 bits is `long long` on Windows and `long` on Linux."""
    told = subprocess.run([f"{TARGET}-c++filt"], input="\n".join(sorted(names)), capture_output=True, text=True, check=True).stdout
    return {re.sub(r"(\d)ull\b", r"\1ul", line.replace("long long", "long")) for line in told.splitlines()}


def check_exports(tree, linux):
    """Linux's has more, because visibility is of a class as a whole: what is inside one, and what the standard library has for all."""
    dll = spoken(exported_by_dll(tree / "iir2d.dll"))
    lines = output("nm", "--dynamic", "--defined-only", linux / "kernels/libiir2d.so").splitlines()
    all_of_linux = spoken(line.split()[2] for line in lines)
    inside = re.compile(r"::State::|^[^(]*\bstd::|^(?:typeinfo|vtable|typeinfo name) for std::")
    library = {name for name in all_of_linux if not inside.search(name)}
    expect(dll <= all_of_linux, f"the DLL alone exports {sorted(dll - all_of_linux)[:5]}")
    expect(library <= dll, f"the DLL does not export {sorted(library - dll)[:5]}")
    internal = sorted(name for name in dll if INTERNAL.search(name))
    expect(not internal, f"the DLL exports what is internal: {internal[:5]}")
    c_names = [name for name in dll if name.startswith("iir2d_")]
    return f"{len(c_names)} C functions, {len(dll) - len(c_names)} of C++"


def check_workbench_installer(scratch):
    """The window is not built here: the installer is made with stand-ins for its files, of the same template."""
    work = scratch / "workbench/work"
    parts = {part: scratch / "workbench" / part for part in package.PARTS}
    for part, name in zip(parts, ("iir2d-workbench.exe", "include/iir2d/iir2d_core.h")):
        file = parts[part] / name
        file.parent.mkdir(parents=True)
        file.write_bytes(b"a stand-in")
    work.mkdir()
    icon = next(pathlib.Path("/usr/share/nsis/Contrib/Graphics/Icons").glob("modern-install.ico"))
    shutil.copyfile(icon, work.parent / "iir2d.ico")
    made = work.parent / "iir2d-workbench-1.2.0-win64.exe"
    package.write_installer(parts, made, package.WORKBENCH, "1.2.0", work, 1)
    script = (work / "installer.nsi").read_text(encoding="utf-8")
    for line in ("IIR2D.Recipe\\shell\\open\\command", "Applications\\iir2d-workbench.exe\\SupportedTypes", "Uninstall\\IIR2D.Workbench"):
        expect(line in script, f"its script has no {line}")
    expect(output("file", "-b", made).startswith("PE32"), "it is not a program for Windows")
    return f"{made.stat().st_size} bytes"
