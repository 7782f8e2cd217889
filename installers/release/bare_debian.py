# SPDX-License-Identifier: MIT
"""A bare Debian 12 to try packages in, as root or as a user without rights. Needs root and debootstrap."""
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile

import common

MIRROR = os.environ.get("IIR2D_DEBIAN_MIRROR", "http://deb.debian.org/debian")
USER = 1000
# Mounts are in a name space of the command's own, and gone with it. No service is started by what is installed.
INSIDE = """set -e
mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"
exec chroot --userspec="$1" "$0" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME="$2" LC_ALL=C.UTF-8 \
  DEBIAN_FRONTEND=noninteractive bash -c "$3"
"""


def archive_of_base():
    """The bare system as an archive, made once and kept in the cache."""
    folder = common.cache_folder()
    archive = folder / "debian-12-minbase.tar"
    if archive.exists():
        return archive
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        root = pathlib.Path(scratch) / "root"
        common.run("debootstrap", "--variant=minbase", "bookworm", root, MIRROR)
        part = pathlib.Path(scratch) / "part.tar"
        common.run("tar", "--numeric-owner", "--one-file-system", "-cf", part, "-C", root, ".")
        os.replace(part, archive)
    return archive


class BareDebian:
    """Use as a context; the folder is removed at its end."""

    def __init__(self, parent=None):
        self.scratch = tempfile.mkdtemp(prefix="iir2d-debian-", dir=parent or "/var/tmp")
        self.root = pathlib.Path(self.scratch)

    def __enter__(self):
        common.run("tar", "--numeric-owner", "-xpf", archive_of_base(), "-C", self.root)
        self.root.chmod(0o755)  # for its users
        sources = f"deb {MIRROR} bookworm main\ndeb {MIRROR} bookworm-updates main\n"
        (self.root / "etc/apt/sources.list").write_text(sources)
        (self.root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        (self.root / "usr/sbin/policy-rc.d").chmod(0o755)
        shutil.copyfile("/etc/resolv.conf", self.root / "etc/resolv.conf")
        self.as_root(f"useradd -m -u {USER} -s /bin/bash user")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def attempt(self, script, user=False):
        """Runs a script of bash inside; returns what subprocess.run() does."""
        who, home = (f"{USER}:{USER}", "/home/user") if user else ("0:0", "/root")
        return subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", INSIDE, str(self.root), who, home,
                               f"cd {shlex.quote(home)}; {script}"],
                              capture_output=True, text=True, encoding="utf-8", errors="replace", check=False, stdin=subprocess.DEVNULL)

    def _whole(self, script, user):
        done = self.attempt(script, user)
        if done.returncode != 0:
            raise common.Failure(common.CHECK_FAILED, f"{script[:200]} ended with {done.returncode}: "
                                 f"{common.last_lines(done.stderr + done.stdout, 6)}")
        return done.stdout

    def as_root(self, script):
        return self._whole(script, False)

    def as_user(self, script):
        return self._whole(script, True)

    def path(self, inside):
        return self.root / inside.lstrip("/")
