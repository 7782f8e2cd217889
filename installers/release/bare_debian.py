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
mount -t proc proc "$0/proc"; mount -t tmpfs -o mode=755,nosuid tmpfs "$0/dev"
for device in null zero full random urandom tty; do
  [ -e "/dev/$device" ] || continue
  touch "$0/dev/$device"; mount --bind "/dev/$device" "$0/dev/$device"
done
[ "$IIR2D_FUSE" != 1 ] || mknod -m 666 "$0/dev/fuse" c 10 229
mkdir -m 1777 "$0/dev/shm"; ln -s /proc/self/fd "$0/dev/fd"
for number in 0 1 2; do ln -s "fd/$number" "$0/dev/$(echo stdin stdout stderr | cut -d " " -f $((number + 1)))"; done
exec chroot --userspec="$1" "$0" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME="$2" LC_ALL=C.UTF-8 \
  DEBIAN_FRONTEND=noninteractive "${@:4}" bash -c "$3"
"""
PROXIES = ("http_proxy", "https_proxy", "ftp_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


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
        self.scratch = common.Scratch("debian", parent or "/var/tmp")

    def __enter__(self):
        self.root = self.scratch.__enter__()
        try:
            self.prepare()
        except BaseException:
            self.scratch.__exit__()
            raise
        return self

    def prepare(self):
        common.run("tar", "--numeric-owner", "-xpf", archive_of_base(), "-C", self.root)
        self.root.chmod(0o755)  # for its users
        sources = f"deb {MIRROR} bookworm main\ndeb {MIRROR} bookworm-updates main\n"
        (self.root / "etc/apt/sources.list").write_text(sources)
        (self.root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        (self.root / "usr/sbin/policy-rc.d").chmod(0o755)
        shutil.copyfile("/etc/resolv.conf", self.root / "etc/resolv.conf")
        self.as_root(f"useradd -m -u {USER} -s /bin/bash user")

    def __exit__(self, *_):
        self.scratch.__exit__()

    def attempt(self, script, user=False, fuse=False):
        """Runs a script of bash inside, with /dev/fuse where that is asked for; returns what subprocess.run() does."""
        who, home = (f"{USER}:{USER}", "/home/user") if user else ("0:0", "/root")
        return subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", INSIDE, str(self.root), who, home,
                               f"cd {shlex.quote(home)}; {script}", *(f"{name}={os.environ[name]}" for name in PROXIES if name in os.environ)],
                              capture_output=True, text=True, encoding="utf-8", errors="replace", check=False, stdin=subprocess.DEVNULL,
                              env={**os.environ, "IIR2D_FUSE": "1" if fuse else ""})

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
