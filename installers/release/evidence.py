# SPDX-License-Identifier: MIT
"""What a release's gates ask of packages, as `iir2d release attach` takes it: docs/releases.md."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import build
import check
import check_deb
import check_portable
import check_windows
import common
import deb_files
import table
import windows
from report import Report, expect

TOOL = "make_release"
PACKAGED = common.SOURCES / "build/packaged"
# File in evidence/: the kind it is attached as.
KINDS = {"packaging-report.xml": "packaging-report", "rebuild.json": "rebuild", "licence.txt": "licence", "notices.txt": "notices"}
WITH_COMMIT = ("packaging-report", "rebuild")


def write(options, version, stage, debs, made):
    """Fills stage/evidence; returns the names of the checks that failed."""
    folder = stage / "evidence"
    report = Report(TOOL, "packaging")
    if (debs or any(is_zip_for_windows(file) for file in made)) and not options.no_rebuild:
        builds = []
        report.check("rebuild: two clean builds in other folders", rebuild, options, version, made, folder, builds)
        for file in made if builds else ():
            report.check(f"rebuild: {file.name} is the same", expect_same, file, builds)
    if not options.no_tests:
        try_packages(report, options, version, stage, debs, made)
        common.write_whole(folder / "packaging-report.xml", report.junit())
    failures = report.failures
    if failures and not options.no_tests:
        kept = common.SOURCES / "build/packaging-report.xml"  # nothing of this run comes to --out
        kept.parent.mkdir(exist_ok=True)
        common.place_whole(folder / "packaging-report.xml", kept)
        failures.append(f"the report is {kept}")
    if (stage / "NOTICES.txt").is_file():
        licence = (common.SOURCES / "LICENSE").read_text(encoding="utf-8") + "\n" + (common.SOURCES / "installers/deb/copyright").read_text(encoding="utf-8")
        common.write_whole(folder / "licence.txt", licence)
        common.place_whole(stage / "NOTICES.txt", folder / "notices.txt")
        for bill in stage.glob("*.spdx.json"):
            common.place_whole(bill, folder / bill.name)
    return failures


def try_packages(report, options, version, stage, debs, made):
    for package in made:
        report.check(f"bill of {package.name}", check.check_bill, package)
    archive = next((file for file in made if is_source(file, version)), None)
    if archive:
        report.check("source: the archive knows its commit", check_source, archive, version)
    if debs:
        check_deb.check_files(report, debs, [common.SOURCES])
        check_deb.check_installed(report, debs, None, options.quick)
    appimage, tree = check_portable.find(stage)
    if appimage or tree:
        check_portable.check(report, appimage, tree, [common.SOURCES], options.quick, debs)
    if any(is_zip_for_windows(file) for file in made):
        zipped, installer = (next(file for file in made if file.name.endswith(f"-win64.{kind}")) for kind in ("zip", "exe"))
        check_windows.check(report, zipped, installer, PACKAGED)
    if archive and not options.quick:
        report.check("source: builds and passes its tests without .git", check_source_builds, archive, version, options.jobs)


def is_source(file, version):
    return file.name == f"iir2d-{version['PACKAGE_V']}.tar.xz"


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


# Runs a command where the folder $0 stands in the place of the folder $1.
IN_PLACE = 'mount --bind "$0" "$1" && cd "$1" && exec "${@:2}"'


def check_source_builds(archive, version, jobs):
    """As somebody who has the archive alone: the preset "ci", all of it, and the suite but for the Python package's tests. For root the
    archive's tree lies where the checkout is, which then nothing finds, and whose objects the compiler cache knows by their paths."""
    with common.Scratch("source") as scratch:
        common.run("tar", "xf", archive, "-C", scratch)
        tree = next(path for path in scratch.iterdir() if path.is_dir())
        env = {name: value for name, value in os.environ.items() if name != common.STATE}
        within = []
        place = tree
        if os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode == 0:
            within = ["unshare", "--mount", "bash", "-c", IN_PLACE, tree, common.SOURCES]
            place = common.SOURCES
        options = []
        if image := windows.gpu_image(PACKAGED):
            for file in image.parent.glob(f"{image.name}*"):
                shutil.copy(file, scratch)
            options = [f"-DIIR2D_GPU_IMAGE={scratch / image.name}"]
        folder = place / "build/ci"
        common.run(*within, "cmake", "--preset", "ci", "-S", place, "-B", folder, *options, env=env, cwd=tree)
        common.run(*within, "cmake", "--build", folder, "--parallel", jobs, env=env, cwd=tree)
        said = common.run(*within, folder / "bin/iir2d", "--version", env=env, cwd=tree)
        expect(version["COMMIT"] in said, f"--version says: {said}")
        report = scratch / "tests.xml"
        subprocess.run([*map(str, within), "ctest", "--test-dir", folder, "--parallel", str(jobs), "--timeout", "900", "-E", "^python$",
                        "--output-junit", report], env=env, cwd=tree, capture_output=True, check=False)
        found = table.results([report])
    failed = [name for name, passed in found.items() if not passed]
    expect(found and not failed, f"of {len(found)} tests failed: {', '.join(failed)}")
    return f"{len(found)} tests passed"


def rebuild(options, version, made, folder, builds):
    """Two clean builds in folders of different names, in clones of the sources, without the compiler's cache: their hashes as rebuild.json
    and in `builds`. The second is somebody else's: another umask, time zone and language."""
    others = {"TZ": "Asia/Kolkata", "LANG": "de_DE.UTF-8", "LC_ALL": "C"}
    for name, umask, more in (("one", 0o022, {}), ("another-folder-of-another-length", 0o077, others)):
        with common.Scratch(name) as scratch:
            clone = scratch / "sources"
            common.run("git", "clone", "-q", "--no-hardlinks", common.SOURCES, clone, umask=umask)
            common.run("git", "-C", clone, "checkout", "-q", version["COMMIT"], umask=umask)
            place = scratch / "packages"
            common.say(TOOL, f"building again in {clone}")
            command = [clone / "installers/make_release.sh", "--only", ",".join(sorted(options.kinds)), "--no-rebuild", "--no-tests",
                       "--out", place, "--jobs", options.jobs]
            image = windows.gpu_image(PACKAGED)
            common.run(*command, umask=umask,
                       env={**build.environment(version, False), **more, "IIR2D_SKIP_DEPS": "1", "CCACHE_DISABLE": "1",
                            "IIR2D_WINDOWS_DEPENDENCIES": str(windows.prefix_of_dependencies()),
                            **({"IIR2D_GPU_IMAGE": str(image)} if image else {})})
            hashes = {path.name: common.sha256_of(place / path.name) for path in made}
            builds.append({"library_sha256": library_hash(place), "packages": hashes,
                           "built_utc": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())})
    differing = [f"{path.name} differs" for path in made if not is_same(path, builds)]
    common.write_whole(folder / "rebuild.json", json.dumps({"builds": builds, "reason": "; ".join(differing) or None}, indent=1) + "\n")
    return f"libraries {', '.join(one['library_sha256'][:16] for one in builds)}"


def is_same(file, builds):
    return all(one["packages"][file.name] == common.sha256_of(file) for one in builds)


def expect_same(file, builds):
    expect(is_same(file, builds), f"{file.name} differs from that of another build")
    return f"of {len(builds) + 1} builds"


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
    """Attaches what there is, and not twice; returns which gates that filled, and which are open. It signs nothing and waives nothing."""
    release = release.resolve()
    base, release_id = release.parent, release.name
    before = met(requirements(program, base, release_id))
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
    found = requirements(program, base, release_id)
    filled = sorted(met(found) - before)
    open_ones = [f"open: {one['id']}: {one['finding']}" for one in found if one["needed"] and not (one["met"] or one["waived"])]
    return "\n".join([f"filled: {', '.join(filled) or 'nothing'}", *(open_ones or ["no gate is open"])])


def requirements(program, base, release_id):
    return json.loads(common.run_any(program, "release", "evaluate", release_id, "--dir", base, "--json"))["requirements"]


def met(found):
    return {one["id"] for one in found if one["met"]}
