#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the portable tree of what `cmake --install` put into a folder: adds the libraries that the programs need, Qt's plugins and
the launcher, and lets everything be found from its own place. usage: bundle.py STAGE TREE LAUNCHER SLIM LIST.json

STAGE has usr/; LAUNCHER is AppRun; SLIM the folder of fetch_openimageio.py. LIST.json gets a line for each file that is not ours:
where it came from. Refused, with exit code 5: what Debian 12 would not run, and libraries that nobody decided about.
"""
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "release"))
import common  # noqa: E402
import contents  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = "usr/lib/x86_64-linux-gnu"
FALLBACK = "usr/lib/fallback"
PLUGINS = f"{LIBRARIES}/qt6/plugins"
SYSTEM_PLUGINS = pathlib.Path("/usr/lib/x86_64-linux-gnu/qt6/plugins")
# Platforms, what they show with, and what reads our own icons. Themes by the desktop's portal: GTK's would bring all of GTK.
WANTED_PLUGINS = ("platforms/libqxcb.so", "platforms/libqoffscreen.so", "platforms/libqwayland-generic.so",
                  "platforms/libqwayland-egl.so", "platformthemes/libqxdgdesktopportal.so", "iconengines/libqsvgicon.so",
                  "imageformats/libqsvg.so", "imageformats/libqjpeg.so", "imageformats/libqgif.so", "imageformats/libqico.so",
                  "xcbglintegrations/libqxcb-egl-integration.so", "xcbglintegrations/libqxcb-glx-integration.so",
                  "wayland-shell-integration/*.so", "wayland-graphics-integration-client/libqt-plugin-wayland-egl.so",
                  "wayland-decoration-client/*.so", "platforminputcontexts/*.so")
NEWEST_GLIBC = (2, 36)
PROCESSORS = {"x86-64-baseline", "x86-64-v2"}  # what may be needed
QT_CONF = "[Paths]\nPrefix=..\nPlugins=lib/x86_64-linux-gnu/qt6/plugins\n"


def refuse(sentence):
    raise common.Failure(common.CHECK_FAILED, sentence)


class Rules:
    """host-libraries.txt."""

    def __init__(self, path):
        self.lines = []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] not in ("never", "fallback") or not 2 <= len(words) <= 3:
                refuse(f"{path.name}:{number} is neither 'never NAME' nor 'fallback NAME [SYMBOLS]'")
            self.lines.append((words[0], words[1], words[2] if len(words) == 3 else None))

    def of(self, name):
        """never, fallback or bundled, and the beginning of its symbol versions."""
        for kind, pattern, symbols in self.lines:
            if fnmatch.fnmatchcase(name, pattern):
                return kind, symbols
        return "bundled", None


def dynamic(path):
    """(needed names, own name) of an ELF file; both empty where it is linked statically."""
    said = common.run("readelf", "-dW", path)
    return re.findall(r"\(NEEDED\).*\[([^\]]+)\]", said), (re.findall(r"\(SONAME\).*\[([^\]]+)\]", said) or [None])[0]


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755 if os.access(source, os.X_OK) and ".so" not in target.name else 0o644)


class Bundle:
    def __init__(self, tree, slim):
        self.tree = tree
        self.slim = slim
        self.rules = Rules(HERE / "host-libraries.txt")
        self.origin = {}  # path in the tree -> {"name", "from": path on this machine, "package" or "wheel"}

    def add(self, place, source, name):
        copy(source, self.tree / place)
        known = {"package": contents.owner_of(str(source))} if not str(source).startswith(str(self.slim)) else {"wheel": "openimageio"}
        self.origin[place] = {"name": name, "from": str(source), **known}

    def place_of(self, name):
        """Where a library comes from on this machine: the slim OpenImageIO's folder, else where the loader looks."""
        if (self.slim / "lib" / name).exists():
            return (self.slim / "lib" / name).resolve()
        path = contents.system_libraries().get(name)
        return pathlib.Path(path).resolve() if path else None

    def add_libraries(self):
        """Until nothing is missing: what programs, plugins and libraries need."""
        ours = {path.name for path in (self.tree / LIBRARIES).glob("*.so*")}
        done, waiting = set(), [path for path in contents.elf_files(self.tree).values()]
        fallback = {}
        while waiting:
            path = waiting.pop()
            for name in dynamic(path)[0]:
                if name in done or name in ours:
                    continue
                done.add(name)
                kind, symbols = self.rules.of(name)
                if kind == "never":
                    continue
                source = self.place_of(name)
                if source is None:
                    refuse(f"{path.name} needs {name}, which is not here")
                if kind == "fallback":
                    place = f"{FALLBACK}/{name}/{source.name}"
                    fallback[name] = (source.name, symbols)
                else:
                    place = f"{LIBRARIES}/{name}"
                self.add(place, source, name)
                if source.name != name and kind == "fallback":
                    (self.tree / FALLBACK / name / name).symlink_to(source.name)
                waiting.append(self.tree / place)
        lines = [f"{name} {file} {self.newest_symbols(name, file, symbols)}\n" for name, (file, symbols) in sorted(fallback.items())]
        (self.tree / FALLBACK / "libraries.txt").write_text("".join(lines), encoding="utf-8")

    def newest_symbols(self, name, file, beginning):
        if beginning is None:
            return "-"
        said = common.run("readelf", "-VW", self.tree / FALLBACK / name / file)
        versions = re.findall(rf"Name: ({re.escape(beginning)}[\d.]+)", said)
        if not versions:
            refuse(f"{name} defines no {beginning}")
        return max(versions, key=lambda text: [int(number) for number in re.findall(r"\d+", text)])

    def add_plugins(self):
        for pattern in WANTED_PLUGINS:
            found = sorted(SYSTEM_PLUGINS.glob(pattern))
            if not found:
                refuse(f"there is no {SYSTEM_PLUGINS / pattern}: install what installers/debian-release-packages.txt lists")
            for plugin in found:
                self.add(f"{PLUGINS}/{plugin.relative_to(SYSTEM_PLUGINS)}", plugin, plugin.name)

    def set_run_paths(self):
        """Each file looks in our library folder, as seen from its own, where it needs something of it; else nowhere."""
        held = {path.name for path in (self.tree / LIBRARIES).iterdir()}
        for name, path in contents.elf_files(self.tree).items():
            needed, _ = dynamic(path)
            if not needed:
                continue  # linked statically, or needs nothing
            relative = os.path.relpath(self.tree / LIBRARIES, path.parent)
            wanted = "$ORIGIN" if relative == "." else f"$ORIGIN/{relative}"
            if set(needed) & held:
                common.run("patchelf", "--set-rpath", wanted, path)
            else:
                common.run("patchelf", "--remove-rpath", path)


def check(tree, rules):
    """What must hold of every program and library of a tree; a Failure says what does not."""
    names = {path.name for path in (tree / LIBRARIES).iterdir()}
    fallback = {path.name for path in (tree / FALLBACK).iterdir()}
    for name, path in contents.elf_files(tree).items():
        needed, own = dynamic(path)
        if rules.of(own or path.name)[0] == "never":
            refuse(f"{name} is the system's own and must not be bundled")
        for one in needed:
            if one not in names and one not in fallback and rules.of(one)[0] != "never":
                refuse(f"{name} needs {one}, which is neither in the tree nor in host-libraries.txt")
        for version in re.findall(r"GLIBC_(\d+(?:\.\d+)+)", common.run("readelf", "-VW", path)):
            if tuple(int(number) for number in version.split(".")) > NEWEST_GLIBC:
                refuse(f"{name} needs GLIBC_{version}")
        notes = common.run("readelf", "-nW", path)
        for line in re.findall(r"x86 ISA needed: (.*)", notes):
            strange = {word.strip() for word in line.split(",")} - PROCESSORS
            if any(word.startswith("x86-64") for word in strange):
                refuse(f"{name} needs {', '.join(sorted(strange))}")
        for run_path in re.findall(r"\(R(?:UN)?PATH\).*\[([^\]]*)\]", common.run("readelf", "-dW", path)):
            if not all(part.startswith("$ORIGIN") for part in run_path.split(":")):
                refuse(f"{name} has the run path {run_path}")


def add_desktop_files(tree, launcher, app_id):
    copy(launcher, tree / "AppRun")
    for name in ("iir2d", "iir2d-workbench"):
        (tree / name).symlink_to("AppRun")
    shutil.copyfile(tree / f"usr/share/applications/{app_id}.desktop", tree / f"{app_id}.desktop")
    shutil.copyfile(tree / f"usr/share/icons/hicolor/256x256/apps/{app_id}.png", tree / f"{app_id}.png")
    (tree / ".DirIcon").symlink_to(f"{app_id}.png")
    (tree / "usr/bin/qt.conf").write_text(QT_CONF, encoding="utf-8")


def make(stage, tree, launcher, slim, app_id="org.iir2d.Workbench"):
    """The tree; returns where each file that is not ours came from."""
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(stage / "usr", tree / "usr", symlinks=True)
    bundle = Bundle(tree, slim)
    bundle.add_plugins()
    bundle.add_libraries()
    bundle.set_run_paths()
    add_desktop_files(tree, launcher, app_id)
    for name in ("LICENSE.md", "THIRD-PARTY.md"):
        copy(slim / "licences" / name, tree / "usr/share/doc/iir2d-workbench/licences/openimageio" / name)
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            runs = path.is_dir() or path.name == "AppRun" or path.parent.name == "bin" and contents.is_elf(path) or "libexec" in path.parts
            path.chmod(0o755 if runs else 0o644)
    check(tree, bundle.rules)
    return dict(sorted(bundle.origin.items()))


def main():
    if len(sys.argv) != 6:
        raise common.Failure(common.BAD_ARGUMENT, "usage: bundle.py STAGE TREE LAUNCHER SLIM LIST.json")
    stage, tree, launcher, slim, listed = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    origin = make(stage, tree, launcher, slim)
    common.write_whole(listed, json.dumps(origin, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    sys.exit(common.main_of("bundle", main, common.NOT_WRITTEN))
