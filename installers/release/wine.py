# SPDX-License-Identifier: MIT
"""Programs for Windows run by wine, in a prefix of their own."""
import os
import pathlib
import shutil
import subprocess
import tempfile

WINE = "/usr/lib/wine/wine64"
TIMEOUT = 300


class Wine:
    """A prefix that lives as long as this; its server is kept running, and is ended with it."""

    def __enter__(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="iir2d-wine-", dir="/var/tmp"))
        self.environment = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TZ") if name in os.environ}
        self.environment |= {"WINEPREFIX": str(self.root / "prefix"), "WINEDEBUG": "-all", "HOME": str(self.root),
                             "WINEDLLOVERRIDES": "mscoree,mshtml,winemenubuilder.exe=d"}
        (self.root / "prefix").mkdir()
        self.server("-p")
        self.run([WINE, "wineboot", "-i"], check=True)
        return self

    def __exit__(self, *_):
        self.server("-k")
        shutil.rmtree(self.root, ignore_errors=True)

    def server(self, option):
        subprocess.run(["wineserver", option], env=self.environment, check=False, timeout=60, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def run(self, command, folder=None, check=False, more=None, timeout=TIMEOUT):
        """Into files, not pipes: what wine starts beside the program keeps them open."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            done = subprocess.run([str(word) for word in command], cwd=folder, env={**self.environment, **(more or {})}, stdin=subprocess.DEVNULL,
                                  stdout=out, stderr=err, check=check, timeout=timeout)
            for stream in (out, err):
                stream.seek(0)
            done.stdout, done.stderr = out.read(), err.read()
        return done

    def start(self, program, *arguments, folder=None, more=None):
        """A program for Windows: (exit code, stdout, stderr) as bytes."""
        done = self.run([WINE, program, *arguments], folder=folder, more=more)
        return done.returncode, done.stdout, done.stderr

    def begin(self, program, *arguments, folder=None, more=None):
        """A program for Windows that goes on: the process."""
        return subprocess.Popen([str(word) for word in (WINE, program, *arguments)], cwd=folder, env={**self.environment, **(more or {})},
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    @property
    def drive(self):
        return self.root / "prefix/drive_c"

    def registry(self, key):
        """{name: value} of a key, empty where there is none."""
        done = self.run([WINE, "reg", "query", key, "/reg:64"])
        found = {}
        for line in done.stdout.decode(errors="replace").splitlines():
            words = line.strip().split("    ")
            if len(words) >= 2 and words[1].startswith("REG_"):
                found[words[0]] = words[2] if len(words) > 2 else ""
        return found
