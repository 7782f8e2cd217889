#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes every package of the commit that is checked out: installers/make_release.sh, docs/packaging.md."""
import os
import pathlib
import shutil
import subprocess
import sys
import time

import build
import common
import deb_files
import evidence
import notices
import portable
import signing
import spdx
import windows
from common import BAD_ARGUMENT, CHECK_FAILED, NOT_WRITTEN, Failure

TOOL = "make_release"
MADE_HERE = ("deb", "appimage", "portable", "source", "windows")
BUILT = {"deb", *portable.KINDS, *windows.KINDS}


def parse(arguments):
    parser = common.Parser(prog=TOOL, description="Makes the packages of a release, checks them and says what is in them.")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/packages"), metavar="DIR",
                        help="where they go (out/packages); files of an earlier run are replaced")
    parser.add_argument("--only", action="append", default=[], metavar="deb,appimage,portable,source,windows",
                        help="make these alone; may be given more than once")
    parser.add_argument("--sign", type=pathlib.Path, metavar="KEY.pem", help="sign the sums with a key of `iir2d key new`")
    parser.add_argument("--no-rebuild", action="store_true", help="build once, not twice more to see that the bytes are the same")
    parser.add_argument("--no-tests", action="store_true", help="do not try the packages")
    parser.add_argument("--quick", action="store_true", help="leave the tours through the window and the source archive's suite out of the tests")
    parser.add_argument("--evidence", type=pathlib.Path, metavar="RELEASE_DIR",
                        help="attach the evidence to this release and print the gates that are open")
    parser.add_argument("--allow-dirty", action="store_true", help="package changes that are not committed, too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    options = parser.parse_args(arguments)
    options.kinds = {kind for text in options.only for kind in text.split(",")} or set(MADE_HERE)
    for kind in sorted(options.kinds):
        if kind not in MADE_HERE:
            raise Failure(BAD_ARGUMENT, f"--only {kind} is not one of {', '.join(MADE_HERE)}")
    options.lacking = None  # what could not be had, while the rest was made
    if options.jobs < 1:
        raise Failure(BAD_ARGUMENT, "--jobs must be 1 or more")
    if options.evidence and not (options.evidence / "release.json").is_file():
        raise Failure(BAD_ARGUMENT, f"{options.evidence} is not a release: begin one with iir2d release new")
    if options.evidence and (options.allow_dirty or options.quick):
        raise Failure(BAD_ARGUMENT, "evidence is of a commit and of every check: --evidence goes with neither --allow-dirty nor --quick")
    if options.sign and not options.sign.is_file():
        raise Failure(BAD_ARGUMENT, f"{options.sign} is missing")
    if options.kinds & BUILT and not options.no_tests and os.geteuid() != 0:
        raise Failure(BAD_ARGUMENT, "trying packages in a bare Debian needs root; --no-tests makes them alone")
    return options


def install_what_is_needed(kinds):
    if os.environ.get("IIR2D_SKIP_DEPS") == "1":
        return
    common.run(common.SOURCES / "bootstrap", "deps")
    lists = ["debian-release-packages.txt"] + (["debian-windows-packages.txt"] if "windows" in kinds else [])
    wanted = [name for one in lists for name in common.packages_in(common.SOURCES / "installers" / one)]
    known = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n", *wanted], capture_output=True, text=True, encoding="utf-8",
                           check=False).stdout
    missing = [name for name in wanted if f"{name} installed\n" not in known]
    if missing:
        common.say(TOOL, f"installing {' '.join(missing)}")
        sudo = [] if os.geteuid() == 0 else ["sudo"]
        common.run(*sudo, "apt-get", "update")
        common.run(*sudo, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "--no-install-recommends", *missing)


def refuse_sources_as_out(out):
    """What lies in --out is no change of the sources, so nothing of theirs may."""
    if common.SOURCES.is_relative_to(out):
        raise Failure(BAD_ARGUMENT, f"--out {out} has the sources in it: name a folder of its own")
    held = ["git", "-C", common.SOURCES, "ls-files", "--", f":(literal){out}"]
    if (common.SOURCES / ".git").exists() and out.is_relative_to(common.SOURCES) and common.run(*held):
        raise Failure(BAD_ARGUMENT, f"--out {out} has files of the sources in it: name a folder of its own")


class Staging:
    """A folder in --out: what is in --out came there whole, by being renamed."""

    def __init__(self, out):
        self.out = out
        self.folder = out / ".making"
        self.lock = common.Locked(out)

    def __enter__(self):
        """Sees that --out can be published to before anything is made."""
        self.lock.__enter__()
        try:
            for folder in (self.out, self.out / "evidence"):
                if folder.is_symlink() and folder != self.out or folder.exists() and not folder.is_dir():
                    raise Failure(BAD_ARGUMENT, f"{folder} is not a folder")
            self.names_before()
            shutil.rmtree(self.folder, ignore_errors=True)  # of a run that was killed
            (self.folder / "evidence").mkdir(parents=True)
        except BaseException:
            self.lock.__exit__()
            raise
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.lock.__exit__()

    def names_before(self):
        """What the run before made, by its lists: nothing else is ever removed."""
        names = set()
        for folder in (self.out, self.out / "evidence"):
            if (folder / signing.SUMS).is_file():
                try:
                    listed = signing.names_in(folder / signing.SUMS)
                except Failure as failure:
                    raise Failure(BAD_ARGUMENT, f"{folder} is of something else: {failure}") from None
                names |= {folder / name for name in (*listed, signing.SUMS, signing.SIGNATURE)}
        return {str(path.relative_to(self.out)) for path in names}

    def publish(self):
        """Sums last: until then --out has those of the run before. What only that run made is removed just before."""
        made = {str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file()}
        last = {name for name in made if pathlib.Path(name).name.startswith(signing.SUMS)}
        if any(name.startswith("evidence/") for name in made):
            (self.out / "evidence").mkdir(exist_ok=True)
        gone = self.names_before() - made
        for name in sorted(made - last):
            os.replace(self.folder / name, self.out / name)
        for name in sorted(gone):
            (self.out / name).unlink(missing_ok=True)
        if any(name.startswith("evidence/") for name in gone - made) and not any((self.out / "evidence").iterdir()):
            (self.out / "evidence").rmdir()
        for name in sorted(last):
            os.replace(self.folder / name, self.out / name)


def changed_meanwhile(before, after):
    return [name for name in ("COMMIT", "DIRTY") if before[name] != after[name]]


def make(options, version, staging):
    begun = time.monotonic()
    folder = common.SOURCES / "build/packaged"
    stage = staging.folder
    made = []
    slim = portable.slim_openimageio() if options.kinds & set(portable.KINDS) else None
    if options.kinds & BUILT or options.evidence:
        common.say(TOOL, f"building {version['PACKAGE_V']} in {folder}")
        windows_alone = options.kinds & BUILT == set(windows.KINDS)
        for_windows = windows.GPU_KERNELS if options.no_tests and not options.evidence else windows.TARGETS
        build.configure_and_build(folder, version, options.allow_dirty, options.jobs, slim, for_windows if windows_alone else build.TARGETS)
        common.say(TOOL, f"built after {time.monotonic() - begun:.0f} s")
    debs = {}
    if "deb" in options.kinds:
        made += build.make_debs(folder, stage, version, options.allow_dirty)
        debs = deb_files.find(stage)
        common.say(TOOL, f"packages after {time.monotonic() - begun:.0f} s")
    if slim:
        files, origin = portable.make(folder, stage, options.kinds, version, options.allow_dirty)
        made += files
        for file in files:
            common.write_whole(stage / f"{file.name}.spdx.json", spdx.of_portable(file, origin, slim, version))
        common.say(TOOL, f"AppImage and portable tree after {time.monotonic() - begun:.0f} s")
    licences = {}
    if options.kinds & set(windows.KINDS):
        try:
            made += windows.make(folder, stage, version, options.allow_dirty, options.jobs)
            licences = windows.licences()
        except windows.CannotBeHad as reason:
            common.say(TOOL, f"nothing for Windows: {reason}")
            options.lacking = f"nothing was made for Windows: {reason}"
        common.say(TOOL, f"Windows after {time.monotonic() - begun:.0f} s")
    if "source" in options.kinds:
        made.append(build.make_source(stage, version))
    for package, deb in debs.items():
        common.write_whole(stage / f"{deb.name}.spdx.json", spdx.of_deb(deb, package, version))
    for archive in made:
        if archive.name == f"iir2d-{version['PACKAGE_V']}.tar.xz":
            common.write_whole(stage / f"{archive.name}.spdx.json", spdx.of_source(archive, version))
    if debs or licences:
        common.write_whole(stage / "NOTICES.txt", notices.text(debs, licences, version, "source" in options.kinds))
    failures = evidence.write(options, version, stage, debs, made)
    signing.sum_and_sign(stage, options.sign)
    if failures:
        raise Failure(CHECK_FAILED, f"checks failed: {'; '.join(failures)}")
    return folder


def main(arguments):
    options = parse(arguments)
    os.umask(0o022)
    os.environ.pop(common.STATE, None)  # of a run that this one is part of: asked again here
    install_what_is_needed(options.kinds)
    if options.sign:
        signing.check_key(options.sign)  # by openssl, which is among what is needed
    left_out = (options.out, options.evidence, options.sign)
    refuse_sources_as_out(options.out.resolve())
    version = common.package_version(options.allow_dirty, left_out)
    if version["DIRTY"] == "1" and options.kinds & BUILT and not options.no_rebuild:
        raise Failure(BAD_ARGUMENT, "changes that are not committed cannot be built again elsewhere: add --no-rebuild")
    with common.Locked(common.SOURCES / "build/packaged"), Staging(options.out.resolve()) as staging:
        folder = make(options, version, staging)
        if not options.allow_dirty and changed_meanwhile(version, common.package_version(True, left_out)):
            raise Failure(NOT_WRITTEN, "the sources changed while packages were made of them")
        staging.publish()
    for path in sorted(options.out.glob("*")):
        if path.is_file():
            print(f"{path.stat().st_size:>12}  {path.name}")
    if options.evidence:
        print(evidence.attach(folder / "bin/iir2d", options.out, options.evidence, version))
    if options.lacking:
        raise Failure(NOT_WRITTEN, options.lacking)


if __name__ == "__main__":
    sys.exit(common.main_of(TOOL, lambda: main(sys.argv[1:]), NOT_WRITTEN))
