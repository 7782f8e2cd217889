#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the manifest of the workbench's installer for winget: three files, as github.com/microsoft/winget-pkgs wants them.
usage: winget.py INSTALLER OUT --url FOLDER_URL"""
import argparse
import hashlib
import pathlib
import re
import sys

ID = "IIR2D.Workbench"
SCHEMA = "1.6.0"
HEAD = "# yaml-language-server: $schema=https://aka.ms/winget-manifest.{kind}.{schema}.schema.json\n\n"
VERSION = """PackageIdentifier: {id}
PackageVersion: {version}
DefaultLocale: en-US
ManifestType: version
ManifestVersion: {schema}
"""
INSTALLER = """PackageIdentifier: {id}
PackageVersion: {version}
InstallerType: nullsoft
InstallModes:
- interactive
- silent
- silentWithProgress
UpgradeBehavior: install
FileExtensions:
- iir2d
Installers:
- Architecture: x64
  Scope: user
  InstallerUrl: {url}
  InstallerSha256: {sha256}
- Architecture: x64
  Scope: machine
  InstallerUrl: {url}
  InstallerSha256: {sha256}
  InstallerSwitches:
    Custom: /AllUsers
  ElevationRequirement: elevationRequired
ManifestType: installer
ManifestVersion: {schema}
"""
LOCALE = """PackageIdentifier: {id}
PackageVersion: {version}
PackageLocale: en-US
Publisher: IIR2D Workbench contributors
PackageName: IIR2D Workbench
License: MIT AND GPL-3.0-only
ShortDescription: Recursive image filters and pooling on real images, with benchmarks that others can check
Moniker: iir2d
ManifestType: defaultLocale
ManifestVersion: {schema}
"""
KINDS = {"version": (VERSION, ""), "installer": (INSTALLER, ".installer"), "defaultLocale": (LOCALE, ".locale.en-US")}


def main():
    parser = argparse.ArgumentParser(prog="winget")
    parser.add_argument("installer", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--url", required=True)
    chosen = parser.parse_args()
    name = re.fullmatch(r"iir2d-workbench-(.+)-win64\.exe", chosen.installer.name)
    if name is None:
        parser.error(f"{chosen.installer.name} is not an installer of the workbench: iir2d-workbench-V-win64.exe")
    values = {"id": ID, "version": name[1], "schema": SCHEMA, "url": f"{chosen.url.rstrip('/')}/{chosen.installer.name}",
              "sha256": hashlib.sha256(chosen.installer.read_bytes()).hexdigest().upper()}
    chosen.out.mkdir(parents=True, exist_ok=True)
    for kind, (text, ending) in KINDS.items():
        (chosen.out / f"{ID}{ending}.yaml").write_text((HEAD + text).format(kind=kind, **values), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
