#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes zip and installer for Windows of a build: of the preset `windows`, or, with --workbench, of `msys2`.
usage: package.py BUILD OUT [--version V] [--epoch SECONDS] [--only zip,nsis] [--workbench --libraries FOLDER [--licences FOLDER]]

With the window come, from FOLDER, the DLLs that the programs need and Qt's plugins. The same build gives the same bytes. Needs
makensis for the installer. Ends with 0, or with 6 and one sentence.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parents[1]
PARTS = {"programs": ("library", "tools"), "development": ("development",)}
TARGET = "x86_64-w64-mingw32"
TOOLS = {"name": "iir2d-tools", "id": "IIR2D.Tools", "title": "IIR2D tools", "program": "iir2d.exe", "folder": "IIR2D"}
WORKBENCH = {"name": "iir2d-workbench", "id": "IIR2D.Workbench", "title": "IIR2D Workbench", "program": "iir2d-workbench.exe",
             "folder": "IIR2D Workbench"}
# Qt's plugins that the window uses, in the folder share/qt6/plugins beside that of the libraries.
PLUGINS = ("platforms/qwindows.dll", "styles/qmodernwindowsstyle.dll", "styles/qwindowsvistastyle.dll", "iconengines/qsvgicon.dll",
           "imageformats/qsvg.dll")
IMAGE_TYPES = (".bmp", ".exr", ".hdr", ".jpg", ".jpeg", ".pgm", ".png", ".ppm", ".tga", ".tif", ".tiff")


class NotMade(Exception):
    pass


def run(*command, environment=None):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, encoding="utf-8", errors="replace", check=False,
                          env={**os.environ, **(environment or {})})
    if done.returncode != 0:
        raise NotMade(f"{command[0]} ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-400:]}")
    return done.stdout


def tool(name):
    """A program of binutils, of the cross-compiler's where there is one."""
    crossed = f"{TARGET}-{name}"
    return crossed if shutil.which(crossed) else name


def strip(file, epoch):
    """Takes symbols out. The program that does it writes the time into the file's header: the commit's goes there, and no sum."""
    run(tool("strip"), file)
    data = bytearray(file.read_bytes())
    header = int.from_bytes(data[0x3C:0x40], "little")
    if data[header:header + 4] != b"PE\0\0":
        raise NotMade(f"{file} is not a program for Windows")
    data[header + 8:header + 12] = (epoch & 0xFFFFFFFF).to_bytes(4, "little")
    data[header + 24 + 64:header + 24 + 68] = bytes(4)  # the check sum, which only drivers need
    file.write_bytes(data)


def needed_by(file):
    return re.findall(r"DLL Name: (\S+)", run(tool("objdump"), "-p", file))


def add_libraries(folder, libraries, plugins):
    """Copies the plugins, and every DLL of `libraries` that something in `folder` needs. What is not there is Windows' own."""
    known = {file.name.lower(): file for file in libraries.iterdir() if file.suffix.lower() == ".dll"}
    for name in plugins:
        file = libraries.parent / "share/qt6/plugins" / name
        if file.is_file():
            (folder / "plugins" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, folder / "plugins" / name)
    if plugins:
        (folder / "qt.conf").write_text("[Paths]\nPlugins = plugins\n", encoding="utf-8")
    waiting = [file for file in sorted(folder.rglob("*")) if file.suffix in (".exe", ".dll")]
    have = {file.name.lower() for file in waiting}
    while waiting:
        for name in needed_by(waiting.pop()):
            if name.lower() not in have and name.lower() in known:
                have.add(name.lower())
                copied = folder / known[name.lower()].name
                shutil.copyfile(known[name.lower()], copied)
                waiting.append(copied)


def stage(build, folder, kind, epoch, workbench=None):
    """{part: folder} of what is installed, with the time of the commit on everything."""
    shutil.rmtree(folder, ignore_errors=True)
    parts = {}
    for part, components in PARTS.items():
        parts[part] = folder / part
        for component in (*components, *(("workbench",) if workbench and part == "programs" else ())):
            run("cmake", "--install", build, "--prefix", parts[part], "--component", component,
                environment={"IIR2D_PACKAGE_KIND": kind, "SOURCE_DATE_EPOCH": str(epoch)})
        if workbench and part == "programs":
            add_libraries(parts[part], workbench.libraries, PLUGINS)
            if workbench.licences:
                shutil.copytree(workbench.licences, parts[part] / "licenses", dirs_exist_ok=True)
        for file in sorted(parts[part].rglob("*")):
            if file.suffix in (".exe", ".dll"):
                strip(file, epoch)
            os.utime(file, (epoch, epoch))
            if file.is_file():
                file.chmod(0o644)
    return parts


def files_of(folder):
    return sorted((file.relative_to(folder) for file in folder.rglob("*") if file.is_file()), key=str)


def write_zip(parts, file, top, epoch):
    moment = max(time.gmtime(epoch)[:6], (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for folder in parts.values():
            for name in files_of(folder):
                entry = zipfile.ZipInfo(f"{top}/{name.as_posix()}", moment)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o100644 << 16
                archive.writestr(entry, (folder / name).read_bytes(), compresslevel=9)


def windows(path):
    return str(path).replace("/", "\\").replace("$", "$$")


def install_lines(folder):
    lines, place = [], None
    for name in files_of(folder):
        if name.parent != place:
            place = name.parent
            lines.append(f'  SetOutPath "$INSTDIR{"" if str(place) == "." else chr(92) + windows(place)}"')
        lines.append(f'  File "{str(folder / name).replace("$", "$$")}"')
    return "\n".join(lines)


def delete_lines(parts):
    names = sorted({name for folder in parts.values() for name in files_of(folder)}, key=str)
    folders = sorted({parent for name in names for parent in name.parents if str(parent) != "."}, key=lambda path: (-len(path.parts), str(path)))
    return "\n".join([f'  Delete "$INSTDIR\\{windows(name)}"' for name in names] +
                     [f'  RMDir "$INSTDIR\\{windows(folder)}"' for folder in folders])


def write_installer(parts, file, what, version, work, epoch):
    size = sum((folder / name).stat().st_size for folder in parts.values() for name in files_of(folder))
    icon = next(work.parent.rglob("iir2d.ico"), None)
    if icon is None:
        raise NotMade("the build has no iir2d.ico")
    made = work / file.name
    program = what["program"]
    # Double-clicked, a recipe opens in the window.
    opened = '' if what is TOOLS else ('  WriteRegStr SHCTX "Software\\Classes\\IIR2D.Recipe\\shell\\open\\command" "" '
                                       f"'\"$INSTDIR\\{program}\" \"%1\"'")
    values = {"ID": what["id"], "NAME": what["title"], "VERSION": version, "NUMBERS": re.match(r"\d+\.\d+\.\d+", version)[0],
              "OUTPUT": made, "PUBLISHER": "IIR2D Workbench contributors", "ICON": icon, "LICENCE": SOURCES / "LICENSE",
              "PROGRAM": program, "FOLDER": what["folder"], "KIBIBYTES": size // 1024,
              "FILES_PROGRAMS": install_lines(parts["programs"]), "FILES_DEVELOPMENT": install_lines(parts["development"]),
              "DELETE": delete_lines(parts), "OPEN_COMMAND": opened,
              "SUPPORTED_TYPES": "\n".join(f'  WriteRegStr SHCTX "Software\\Classes\\Applications\\{program}\\SupportedTypes" "{suffix}" ""'
                                           for suffix in IMAGE_TYPES)}
    text = (HERE / "NSIS.template.in").read_text(encoding="utf-8")
    text = re.sub(r"@([A-Z_]+)@", lambda match: str(values[match[1]]), text)
    script = work / "installer.nsi"
    script.write_text(text, encoding="utf-8")
    run("makensis", "-V2", "-WX", "-INPUTCHARSET", "UTF8", script, environment={"SOURCE_DATE_EPOCH": str(epoch)})
    os.replace(made, file)


def main():
    parser = argparse.ArgumentParser(prog="package")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--version")
    parser.add_argument("--epoch", type=int)
    parser.add_argument("--only", default="zip,nsis")
    parser.add_argument("--workbench", action="store_true")
    parser.add_argument("--libraries", type=pathlib.Path)
    parser.add_argument("--licences", type=pathlib.Path)
    chosen = parser.parse_args()
    what = WORKBENCH if chosen.workbench else TOOLS
    if chosen.workbench and not (chosen.libraries and chosen.libraries.is_dir()):
        parser.error("--workbench needs --libraries FOLDER, that of the DLLs that the programs need")
    version, epoch = chosen.version, chosen.epoch
    if version is None or epoch is None:
        told = run("cmake", f"-DSOURCE_DIR={SOURCES}", "-DALLOW_DIRTY=ON", "-P", SOURCES / "cmake/PackageVersion.cmake")
        said = dict(line.split("=", 1) for line in told.replace("-- ", "").splitlines() if "=" in line)
        version, epoch = version or said["PACKAGE_V"], epoch or int(said["PACKAGE_EPOCH"])
    build = chosen.build.resolve()
    chosen.out.mkdir(parents=True, exist_ok=True)
    work = build / "package"
    work.mkdir(exist_ok=True)
    for kind in chosen.only.split(","):
        file = chosen.out.resolve() / f"{what['name']}-{version}-win64.{'zip' if kind == 'zip' else 'exe'}"
        parts = stage(build, work / kind, kind, epoch, chosen if chosen.workbench else None)
        if kind == "zip":
            write_zip(parts, work / file.name, f"{what['name']}-{version}", epoch)
            os.replace(work / file.name, file)
        else:
            write_installer(parts, file, what, version, work, epoch)
        print(file)


if __name__ == "__main__":
    try:
        main()
    except (NotMade, OSError) as failed:
        print(f"package: error: {failed}", file=sys.stderr)
        sys.exit(6)
