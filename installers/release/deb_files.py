# SPDX-License-Identifier: MIT
"""Checks of Debian packages as files: nothing of them is installed."""
import io
import pathlib
import re
import subprocess
import tarfile
import tempfile

import common
from report import expect

NAMES = ("libiir2d1", "libiir2d-dev", "iir2d-tools", "iir2d-workbench")
ELF = b"\x7fELF"


def find(folder):
    """{package: file} of a folder that has each of the four once, and no other package."""
    found = {path.name.split("_")[0]: path for path in sorted(pathlib.Path(folder).glob("*.deb"))}
    expect(sorted(found) == sorted(NAMES) and len(list(pathlib.Path(folder).glob("*.deb"))) == len(NAMES),
           f"there are {', '.join(sorted(found)) or 'no packages'}, not {', '.join(NAMES)}")
    return found


def field(deb, name):
    return common.run("dpkg-deb", "-f", deb, name).strip()


def control_files(deb):
    done = subprocess.run(["dpkg-deb", "--ctrl-tarfile", str(deb)], capture_output=True, check=False)
    expect(done.returncode == 0, f"{deb.name} is no Debian package")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        return {name.removeprefix("./") for name in archive.getnames()} - {"", "."}


def check_names(debs, version):
    for package, deb in debs.items():
        expect(deb.name == f"{package}_{version}-1_amd64.deb", f"{deb.name} is not of version {version}")
        expect(field(deb, "Version") == f"{version}-1", f"{deb.name} says version {field(deb, 'Version')}")
    return ", ".join(f"{deb.name} {deb.stat().st_size / 1e6:.2f} MB" for deb in debs.values())


def check_lintian(debs):
    done = subprocess.run(["lintian", "--fail-on", "error,warning", *map(str, debs.values())], capture_output=True, text=True, encoding="utf-8",
                          check=False)
    expect(done.returncode == 0, common.last_lines(done.stdout + done.stderr, 30))
    overrides = sum(len([line for line in file.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")])
                    for file in (common.SOURCES / "installers/deb").glob("*.lintian-overrides"))
    expect(overrides <= 3, f"{overrides} overrides")
    return f"clean, {overrides} overrides"


def check_dependencies(debs):
    version = field(debs["libiir2d1"], "Version")
    depends = {package: field(deb, "Depends") for package, deb in debs.items()}
    for package, needed in (("libiir2d-dev", "libiir2d1"), ("iir2d-tools", "libiir2d1"), ("iir2d-workbench", "iir2d-tools")):
        expect(f"{needed} (= {version})" in depends[package].split(", "), f"{package} depends on: {depends[package]}")
    for package, text in depends.items():
        expect(("libopenimageio" in text) == (package == "iir2d-tools"), f"{package} depends on: {text}")
    expect("qt6-wayland" in field(debs["iir2d-workbench"], "Recommends"), "the window does not recommend qt6-wayland")
    sections = {package: field(deb, "Section") for package, deb in debs.items()}
    expect(sections == {"libiir2d1": "libs", "libiir2d-dev": "libdevel", "iir2d-tools": "graphics", "iir2d-workbench": "graphics"},
           f"sections: {sections}")
    for package, deb in debs.items():
        wanted = {"control", "md5sums"} | ({"shlibs", "triggers"} if package == "libiir2d1" else set())
        expect(control_files(deb) == wanted, f"{package} has the control files {sorted(control_files(deb))}")
    return "; ".join(f"{package}: {len(text.split(', ')) if text else 0} dependencies" for package, text in depends.items())


def check_contents(debs, build_folders):
    """Modes and owners; no path of the build and no run path in any file."""
    looked = 0
    with tempfile.TemporaryDirectory() as scratch:
        for package, deb in debs.items():
            for line in common.run("dpkg-deb", "-c", deb).splitlines():
                mode, owner = line.split()[:2]
                expect(owner == "root/root", f"{package}: {line}")
                expect(mode[0] == "l" or "w" not in mode[4:], f"{package}: {line}")
                if re.search(r"\.so(\.[\d.]+)?$", line.split()[-1]) and mode[0] == "-":
                    expect(mode == "-rw-r--r--", f"{package}: {line}")
            tree = pathlib.Path(scratch) / package
            common.run("dpkg-deb", "-x", deb, tree)
            for path in tree.rglob("*"):
                if path.is_symlink() or not path.is_file():
                    continue
                data = path.read_bytes()
                for folder in build_folders:
                    expect(not common.names_path(data, folder), f"{path.relative_to(tree)} has the path {folder}")
                if data.startswith(ELF):
                    dynamic = common.run("readelf", "-d", path)
                    expect("RUNPATH" not in dynamic and "RPATH" not in dynamic, f"{path.relative_to(tree)} has a run path")
                    sections = common.run("readelf", "-S", path)
                    expect(".symtab" not in sections, f"{path.relative_to(tree)} is not stripped")
                looked += 1
    return f"{looked} files"


def older_copies(debs, folder, version):
    """The same packages as another version, for upgrades."""
    copies = []
    for deb in debs.values():
        tree = pathlib.Path(folder) / "tree"
        common.run("dpkg-deb", "-R", deb, tree)
        control = tree / "DEBIAN/control"
        now = field(deb, "Version")
        control.write_text(control.read_text(encoding="utf-8").replace(now, version))
        copy = pathlib.Path(folder) / deb.name.replace(now, version)
        common.run("dpkg-deb", "--root-owner-group", "-Znone", "-b", tree, copy)
        common.run("rm", "-rf", tree)
        copies.append(copy)
    return copies
