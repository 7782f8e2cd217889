#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finishes the Debian packages that CPack made, in place. usage: repack.py SOURCES MAINTAINER FILE.deb...

- adds what each package must have and CPack does not make: changelog, copyright, overrides of lintian's findings
- removes the scripts that CPack adds to packages with a library; the trigger does their work
- compresses pages of the manual, and gives every file the mode, owner and time that it has anywhere

SOURCE_DATE_EPOCH says the time. The same packages give the same bytes. Each file is replaced whole or not at all.
"""
import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time

SCRIPTS = ("preinst", "postinst", "prerm", "postrm")
DATE = "%a, %d %b %Y %H:%M:%S +0000"


def sections_of(changelog):
    """(version, date or None, [items]) of CHANGELOG.md, the newest first."""
    sections = []
    for line in changelog.splitlines():
        heading = re.match(r"## \[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?", line)
        if heading:
            sections.append((heading[1], heading[2], []))
        elif sections and line.startswith("- "):
            sections[-1][2].append(line[2:])
        elif sections and line.startswith("  ") and sections[-1][2]:
            sections[-1][2][-1] += " " + line.strip()
    return sections


def debian_changelog(changelog, version, maintainer, epoch):
    """CHANGELOG.md as Debian's: the newest section is of `version`. Older ones that were never released say so, and are
    dated a second before the one after them."""
    entries = []
    for index, (number, date, items) in enumerate(sections_of(changelog)):
        when = time.strptime(date, "%Y-%m-%d") if index > 0 and date else time.gmtime(epoch - index)
        where = "unstable" if index == 0 or date else "UNRELEASED"
        text = "".join(
            textwrap.fill(item, 78, initial_indent="  * ", subsequent_indent="    ", break_long_words=False,
                          break_on_hyphens=False) + "\n"
            for item in items) or "  * Released.\n"
        name = version if index == 0 else f"{number}-1"
        entries.append(f"iir2d ({name}) {where}; urgency=medium\n\n{text}\n -- {maintainer}  {time.strftime(DATE, when)}\n")
    return "\n".join(entries)


def compress(data):
    return gzip.compress(data, 9, mtime=0)


def fields_of(control):
    return dict(line.split(": ", 1) for line in control.splitlines() if re.match(r"[A-Z][\w-]*: ", line))


def add_documents(tree, package, sources, version, maintainer, epoch):
    folder = tree / "usr/share/doc" / package
    folder.mkdir(parents=True, exist_ok=True)
    changelog = debian_changelog((sources / "CHANGELOG.md").read_text(encoding="utf-8"), version, maintainer, epoch)
    (folder / "changelog.Debian.gz").write_bytes(compress(changelog.encode()))
    shutil.copyfile(sources / "installers/deb/copyright", folder / "copyright")
    overrides = sources / "installers/deb" / f"{package}.lintian-overrides"
    if overrides.exists():
        place = tree / "usr/share/lintian/overrides"
        place.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(overrides, place / package)


def compress_pages(tree):
    for page in tree.glob("usr/share/man/man*/*.[1-8]"):
        page.with_name(page.name + ".gz").write_bytes(compress(page.read_bytes()))
        page.unlink()


def files_of(tree):
    return sorted(p for p in tree.rglob("*") if p.relative_to(tree).parts[0] != "DEBIAN")


def write_control(tree):
    """md5sums and the installed size, for the files that there are now."""
    files = [p for p in files_of(tree) if p.is_file() and not p.is_symlink()]
    sums = "".join(f"{hashlib.md5(p.read_bytes(), usedforsecurity=False).hexdigest()}  {p.relative_to(tree)}\n" for p in files)
    (tree / "DEBIAN/md5sums").write_text(sums)
    size = sum((p.stat().st_size + 1023) // 1024 if p in set(files) else 1 for p in files_of(tree))
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Installed-Size: .*$", f"Installed-Size: {size}", control.read_text(encoding="utf-8")))


def settle(tree, epoch):
    """Modes and times; owners are dpkg-deb's."""
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            folders = path.relative_to(tree).parts[:-1]
            runs = path.is_dir() or "bin" in folders[-1:] or "libexec" in folders
            path.chmod(0o755 if runs else 0o644)
        os.utime(path, (epoch, epoch), follow_symlinks=False)


def repack(deb, sources, maintainer, epoch):
    with tempfile.TemporaryDirectory(dir=deb.parent) as scratch:
        tree = pathlib.Path(scratch) / "tree"
        subprocess.run(["dpkg-deb", "-R", deb, tree], check=True)
        fields = fields_of((tree / "DEBIAN/control").read_text(encoding="utf-8"))
        for script in SCRIPTS:
            (tree / "DEBIAN" / script).unlink(missing_ok=True)
        add_documents(tree, fields["Package"], sources, fields["Version"], maintainer, epoch)
        compress_pages(tree)
        write_control(tree)
        settle(tree, epoch)
        whole = pathlib.Path(scratch) / deb.name
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "-b", tree, whole], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)})
        os.replace(whole, deb)


def main():
    if len(sys.argv) < 4:
        sys.exit("usage: repack.py SOURCES MAINTAINER FILE.deb...")
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    for deb in sys.argv[3:]:
        repack(pathlib.Path(deb), pathlib.Path(sys.argv[1]), sys.argv[2], epoch)


if __name__ == "__main__":
    main()
