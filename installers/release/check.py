#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks a folder of packages as somebody who only has the files: installers/check_release.sh, docs/packaging.md."""
import json
import os
import pathlib
import re
import sys
import tempfile

import bare_debian
import common
import contents
import deb_files
import deb_installed
import portable
import signing
import windows
from common import BAD_ARGUMENT, CHECK_FAILED, NOT_WRITTEN, Failure
from report import Report, expect

TOOL = "check_release"


def check_sums(folder):
    """Every file is in the list, with its hash, and nothing else is there."""
    entries = signing.read(folder / signing.SUMS)
    expect(entries, f"{signing.SUMS} is empty")
    for name, digest in entries:
        path = folder / name
        expect(path.is_file() and not path.is_symlink(), f"{name} is missing")
        expect(common.sha256_of(path) == digest, f"{name} is not the file that {signing.SUMS} is about")
    known = {name for name, _ in entries} | {signing.SUMS, signing.SIGNATURE}
    strange = sorted(path.name for path in folder.iterdir()
                     if path.name not in known and not (path.is_dir() and not path.is_symlink() and path.name == "evidence"))
    expect(not strange, f"in no list: {', '.join(strange)}")
    return f"{len(entries)} files"


def check_signatures(folders, signer):
    """By the signer's key where one is given, else by the key that lies there, which proves no more than that they agree."""
    folder = folders[0]
    signed = [one for one in folders if (one / signing.SIGNATURE).is_file()]
    if not signed:
        expect(signer is None, "not signed, and a signer was given")
        expect(not (folder / signing.PUBLIC_KEY).exists(), f"{signing.PUBLIC_KEY} is there, and no signature")
        return "not signed"
    expect(len(signed) == len(folders), f"{folders[-1] / signing.SIGNATURE} or the one above it is missing")
    key = signer or folder / signing.PUBLIC_KEY
    for one in signed:
        signing.verify(one, key)
    if signer is None:
        return f"signed by {signing.PUBLIC_KEY}, which is only as good as where it came from: give --signer"
    return f"signed by {signer}"


def bill_of(path):
    bill = json.loads(path.read_text(encoding="utf-8"))
    expect(bill["spdxVersion"] == "SPDX-2.3" and bill["dataLicense"] == "CC0-1.0", f"{path.name} is no SPDX 2.3")
    return bill


def sha256_in(entry):
    return next(check["checksumValue"] for check in entry["checksums"] if check["algorithm"] == "SHA256")


def check_bill(package):
    """The bill is of this file, and names every file in it by its hash, and no other."""
    path = package.with_name(package.name + ".spdx.json")
    bill = bill_of(path)
    subject = next(entry for entry in bill["packages"] if entry["name"] == package.name)
    expect(sha256_in(subject) == common.sha256_of(package), f"{path.name} is about another {package.name}")
    if package.name.startswith("iir2d-") and not package.name.startswith("iir2d-workbench-") and package.suffix == ".xz":
        return "the package alone"
    if package.suffix == ".exe":
        # What an installer holds is seen by installing it: installers/check_windows.sh.
        expect(bill.get("files"), f"{path.name} names no file")
        return "the package alone"
    with tempfile.TemporaryDirectory() as scratch:
        tree = pathlib.Path(scratch)
        if package.suffix == ".deb":
            common.run("dpkg-deb", "-x", package, tree)
        elif package.suffix == ".zip":
            tree = windows.unpack_zip(package, tree)
        else:
            tree = portable.unpack(package, tree)
        held = {f"./{name}": common.sha256_of(file) for name, file in contents.all_files(tree).items()}
    said = {entry["fileName"]: sha256_in(entry) for entry in bill.get("files", [])}
    expect(said == held, f"{path.name} names {sorted(set(said.items()) ^ set(held.items()))[:2]} otherwise than {package.name} has")
    return f"{len(held)} files"


def check_packages(folder):
    debs = deb_files.find(folder)
    deb_files.check_names(debs, deb_files.field(debs["libiir2d1"], "Version").rsplit("-", 1)[0])
    return deb_files.check_dependencies(debs)


def check_in_chroot(debs):
    version = re.sub("~", "-", deb_files.field(debs["libiir2d1"], "Version").rsplit("-", 1)[0])
    with bare_debian.BareDebian() as debian:
        deb_installed.check_install(debian, debs)
        return deb_installed.check_use(debian, version)


def parse(arguments):
    parser = common.Parser(prog=TOOL, description="Checks hashes, signature, bills of materials, and an installation in a bare Debian 12.")
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--signer", type=pathlib.Path, metavar="PUB.pem", help="the public key that the release must be signed with")
    parser.add_argument("--no-install", action="store_true", help="install nothing: needs neither root nor debootstrap")
    options = parser.parse_args(arguments)
    if not (options.folder / signing.SUMS).is_file():
        raise Failure(BAD_ARGUMENT, f"{options.folder} has no {signing.SUMS}")
    if options.signer and not options.signer.is_file():
        raise Failure(BAD_ARGUMENT, f"{options.signer} is missing")
    if not options.no_install and os.geteuid() != 0 and any(options.folder.glob("*.deb")):
        raise Failure(BAD_ARGUMENT, "installing in a bare Debian needs root; --no-install does without")
    return options


def main(arguments):
    options = parse(arguments)
    folder = options.folder
    inner = folder / "evidence"
    folders = [folder, inner] if (inner / signing.SUMS).is_file() else [folder]
    report = Report(TOOL, TOOL)
    for one in folders:
        report.check(f"hashes in {one.name}", check_sums, one)
    expect(len(folders) == 2 or not inner.is_dir(), f"{inner} has no {signing.SUMS}")
    report.check("signature", check_signatures, folders, options.signer)
    packages = [path for kind in ("*.deb", "*.AppImage", "*.tar.xz", "*-win64.zip", "*-win64.exe") for path in sorted(folder.glob(kind))]
    expect(packages, f"{folder} has no packages")
    for package in packages:
        report.check(f"bill of {package.name}", check_bill, package)
    if list(folder.glob("*.deb")):
        report.check("packages: four, and none runs anything when it is installed", check_packages, folder)
    if list(folder.glob("*.deb")) and not options.no_install and not report.failures:
        report.check("installs and runs in a bare Debian 12", check_in_chroot, deb_files.find(folder))
    report.refuse_failures()
    if not (folder / signing.SIGNATURE).is_file():
        print("not signed")
    print(f"{len(report.cases)} checks passed")


if __name__ == "__main__":
    sys.exit(common.main_of(TOOL, lambda: main(sys.argv[1:]), CHECK_FAILED))
