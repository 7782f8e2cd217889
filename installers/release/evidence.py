# SPDX-License-Identifier: MIT
"""What a release's gates ask of packages, as `iir2d release attach` takes it: docs/releases.md."""
import json
import pathlib
import tempfile
import time

import build
import check_deb
import check_portable
import check_windows
import common
import deb_files
import windows
from report import Report, expect

TOOL = "make_release"
# File in evidence/: the kind it is attached as.
KINDS = {"packaging-report.xml": "packaging-report", "rebuild.json": "rebuild", "licence.txt": "licence", "notices.txt": "notices"}
WITH_COMMIT = ("packaging-report", "rebuild")


def write(options, version, stage, debs, made):
    """Fills stage/evidence; returns the names of the checks that failed."""
    folder = stage / "evidence"
    failures = []
    rebuilt = {}
    if (debs or any(is_zip_for_windows(file) for file in made)) and not options.no_rebuild:
        rebuilt = rebuild(options, version, made, folder)
        failures += rebuilt["differing"]
    if not options.no_tests:
        report = Report(TOOL, "packaging")
        for archive in made:
            if archive.name == f"iir2d-{version['PACKAGE_V']}.tar.xz":
                report.check("source: the archive knows its commit", check_source, archive, version)
        if debs:
            check_deb.check_files(report, debs, [common.SOURCES])
            check_deb.check_installed(report, debs, None, options.quick)
        appimage, archive = check_portable.find(stage)
        if appimage or archive:
            check_portable.check(report, appimage, archive, [common.SOURCES], options.quick)
        if any(is_zip_for_windows(file) for file in made):
            archive, installer = (next(file for file in made if file.name.endswith(f"-win64.{kind}")) for kind in ("zip", "exe"))
            check_windows.check(report, archive, installer, common.SOURCES / "build/packaged")
        failures += report.failures
        common.write_whole(folder / "packaging-report.xml", report.junit())
        if report.failures:
            kept = common.SOURCES / "build/packaging-report.xml"  # nothing of this run comes to --out
            kept.parent.mkdir(exist_ok=True)
            common.place_whole(folder / "packaging-report.xml", kept)
            failures.append(f"the report is {kept}")
    if debs:
        licence = (common.SOURCES / "LICENSE").read_text(encoding="utf-8") + "\n" + (common.SOURCES / "installers/deb/copyright").read_text(encoding="utf-8")
        common.write_whole(folder / "licence.txt", licence)
        common.place_whole(stage / "NOTICES.txt", folder / "notices.txt")
        for bill in stage.glob("*.spdx.json"):
            common.place_whole(bill, folder / bill.name)
    return failures


def check_source(archive, version):
    """Without .git the archive is called what the checkout is called."""
    with tempfile.TemporaryDirectory() as scratch:
        common.run("tar", "xf", archive, "-C", scratch)
        tree = next(pathlib.Path(scratch).iterdir())
        expect(not (tree / ".git").exists(), "it has a .git")
        said = common.run("cmake", f"-DSOURCE_DIR={tree}", "-P", tree / "cmake/PackageVersion.cmake")
    values = dict(line.split("=", 1) for line in said.splitlines())
    for name in ("PACKAGE_V", "COMMIT"):
        expect(values[name] == version[name].removesuffix(".dirty"), f"it says {name} {values[name]}, not {version[name]}")
    return values["PACKAGE_V"]


def rebuild(options, version, made, folder):
    """Two clean builds in folders of different names, in clones of the sources; their hashes beside those of the first."""
    builds, differing = [], []
    for name in ("one", "another-folder-of-another-length"):
        with common.Scratch(name) as scratch:
            clone = scratch / "sources"
            common.run("git", "clone", "-q", "--no-hardlinks", common.SOURCES, clone)
            common.run("git", "-C", clone, "checkout", "-q", version["COMMIT"])
            place = scratch / "packages"
            common.say(TOOL, f"building again in {clone}")
            command = [clone / "installers/make_release.sh", "--only", ",".join(sorted(options.kinds)), "--no-rebuild", "--no-tests",
                       "--out", place, "--jobs", options.jobs]
            common.run(*command, env={**build.environment(version, False), "IIR2D_SKIP_DEPS": "1",
                                      "IIR2D_WINDOWS_DEPENDENCIES": str(windows.prefix_of_dependencies())})
            hashes = {path.name: common.sha256_of(place / path.name) for path in made}
            builds.append({"library_sha256": library_hash(place), "packages": hashes,
                           "built_utc": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())})
    for path in made:
        if any(one["packages"][path.name] != common.sha256_of(path) for one in builds):
            differing.append(f"rebuild: {path.name} differs")
    reason = None if not differing else "; ".join(differing)
    common.write_whole(folder / "rebuild.json", json.dumps({"builds": builds, "reason": reason}, indent=1) + "\n")
    return {"differing": differing}


def is_zip_for_windows(file):
    return file.name.endswith("-win64.zip")


def library_hash(folder):
    """Of the library within its package; where only those for Windows are made, of iir2d.dll."""
    with tempfile.TemporaryDirectory() as scratch:
        archive = next((file for file in folder.iterdir() if is_zip_for_windows(file)), None)
        if archive and not list(folder.glob("*.deb")):
            return common.sha256_of(windows.unpack_zip(archive, pathlib.Path(scratch)) / "iir2d.dll")
        common.run("dpkg-deb", "-x", deb_files.find(folder)["libiir2d1"], scratch)
        return common.sha256_of(next(path for path in pathlib.Path(scratch).rglob("libiir2d.so.*") if not path.is_symlink()))


def free_name(wanted, taken):
    """The name, or with a number before its ending where other content has it."""
    stem, dot, ending = wanted.partition(".")
    number = 2
    name = wanted
    while name in taken:
        name = f"{stem}-{number}{dot}{ending}"
        number += 1
    return name


def attach(program, out, release, version):
    """Attaches what there is, and not twice; returns what `release evaluate` says. It signs nothing and waives nothing."""
    release = release.resolve()
    base, release_id = release.parent, release.name
    taken = {one["name"]: (one["kind"], one["sha256"])
             for one in json.loads((release / "release.json").read_text(encoding="utf-8"))["attachments"]}
    # Names of evidence have neither "~" nor "+", and 64 characters at most.
    files = [(out / "evidence" / file, kind, file) for file, kind in KINDS.items()]
    files += [(bill, "other", bill.name.replace("~", "-").replace("+", "-")[-60:].lstrip("._-"))
              for bill in sorted((out / "evidence").glob("*.spdx.json"))]
    for file, kind, wanted in files:
        if not file.is_file():
            common.say(TOOL, f"there is no {file.name} to attach")
            continue
        digest = common.sha256_of(file)
        if (kind, digest) in taken.values():
            common.say(TOOL, f"{file.name} is attached already")
            continue
        name = free_name(wanted, taken)
        more = ["--commit", version["COMMIT"]] if kind in WITH_COMMIT else []
        common.run(program, "release", "attach", release_id, kind, file, "--dir", base, "--name", name, *more)
        taken[name] = (kind, digest)
    found = json.loads(common.run_any(program, "release", "evaluate", release_id, "--dir", base, "--json"))
    open_ones = [one for one in found["requirements"] if one["needed"] and not (one["met"] or one["waived"])]
    return "\n".join(f"open: {one['id']}: {one['finding']}" for one in open_ones) or "no gate is open"
