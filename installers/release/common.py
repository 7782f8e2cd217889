# SPDX-License-Identifier: MIT
"""What the tools for releases share: how they fail, run programs and write files."""
import argparse
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

SOURCES = pathlib.Path(__file__).resolve().parents[2]
STATE = "IIR2D_SOURCE_STATE"  # cmake/SourceCommit.cmake
BAD_ARGUMENT, CHECK_FAILED, NOT_WRITTEN = 2, 5, 6  # exit codes, those of the programs


class Failure(Exception):
    """Ends a tool with one sentence and an exit code."""

    def __init__(self, code, sentence):
        super().__init__(sentence)
        self.code = code


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, as a Failure."""

    def error(self, message):
        raise Failure(BAD_ARGUMENT, message)


def main_of(tool, main, otherwise):
    """Runs a tool's main(): whatever ends it is one line and an exit code; `otherwise` is that of what could not be read."""
    def ended(*_):
        sys.exit(128 + signal.SIGTERM)  # through every context, so that nothing is left behind

    signal.signal(signal.SIGTERM, ended)
    try:
        main()
        return 0
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except Failure as failure:
        code, sentence = failure.code, str(failure)
    except AssertionError as failure:
        code, sentence = CHECK_FAILED, str(failure)
    except OSError as failure:
        code, sentence = NOT_WRITTEN, str(failure)
    except (ValueError, LookupError, StopIteration, subprocess.SubprocessError, tarfile.TarError) as failure:
        code, sentence = otherwise, f"{type(failure).__name__}: {failure}"
    print(f"{tool}: error: {' | '.join(line.strip() for line in sentence.splitlines() if line.strip())}", file=sys.stderr)
    return code


def say(tool, text):
    print(f"{tool}: {text}", file=sys.stderr, flush=True)


class Locked:
    """Holds a folder for this run alone; the lock is on the folder itself, and goes with the process."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        self.held = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(self.held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self.held)
            raise Failure(NOT_WRITTEN, f"another run writes to {self.folder}") from None
        return self

    def __exit__(self, *_):
        os.close(self.held)


class Scratch:
    """A large folder for a while. Those of runs that were killed, whose lock nobody holds, are removed first."""

    PREFIX = "iir2d-scratch-"

    def __init__(self, name, parent="/var/tmp"):
        self.name = name
        self.parent = pathlib.Path(parent)

    def __enter__(self):
        for stale in self.parent.glob(f"{self.PREFIX}*"):
            # A minute is for whoever made its folder and is about to lock it.
            try:
                if stale.is_symlink() or stale.stat().st_uid != os.geteuid() or time.time() - stale.stat().st_mtime < 60:
                    continue
                with Locked(stale):
                    shutil.rmtree(stale, ignore_errors=True)
            except (Failure, OSError):
                continue  # it is in use
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{self.PREFIX}{self.name}-", dir=self.parent))
        self.lock = Locked(self.folder)
        self.lock.__enter__()
        return self.folder

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.lock.__exit__()


def last_lines(text, count=12):
    return "\n".join(text.strip().splitlines()[-count:])


def run(*command, code=NOT_WRITTEN, **more):
    """Runs a program to its end; returns its standard output. A Failure says what it said."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace", check=False,
                              **more)
    except OSError as error:
        raise Failure(code, f"{words[0]} could not be started: {error.strerror}") from None
    except subprocess.TimeoutExpired as error:
        raise Failure(code, f"{words[0]} was ended after {error.timeout:.0f} s") from None
    if done.returncode != 0:
        said = " | ".join(last_lines(done.stderr or done.stdout, 4).splitlines())
        raise Failure(code, f"{' '.join(words)[:300]} ended with {done.returncode}: {said}")
    return done.stdout


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def write_whole(path, content):
    """Writes a file that appears whole or not at all."""
    path = pathlib.Path(path)
    data = content.encode() if isinstance(content, str) else content
    part = path.with_name(f".{path.name}.part")
    with open(part, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(part, 0o644)
    os.replace(part, path)


def names_path(data, folder):
    """Whether bytes have this folder, or a file in it, as an absolute path: not "python/src" for /src, but "-I/src/kernels"."""
    return re.search(rb"(?:(?<![\w.~-])|(?<=-I))" + re.escape(str(folder).encode()) + rb"(?![\w.-])", data) is not None


def place_whole(source, path):
    """Copies a file so that it appears whole or not at all."""
    write_whole(path, pathlib.Path(source).read_bytes())


def within_sources(paths, sources=SOURCES):
    """Those of the paths that are in the sources, relative to them."""
    inside = (path.resolve() for path in paths if path)
    return [str(path.relative_to(sources)) for path in inside if path != sources and path.is_relative_to(sources)]


def package_version(allow_dirty=False, leave_out=(), sources=SOURCES):
    """PACKAGE_V, PACKAGE_V_DEB, PACKAGE_EPOCH, COMMIT, COMMIT_TIME, COMMIT_TAG, DIRTY of the sources; a Failure where they must
    not be packaged. What is at the paths `leave_out` is no change of theirs."""
    done = subprocess.run(["cmake", f"-DSOURCE_DIR={sources}", f"-DALLOW_DIRTY={'ON' if allow_dirty else 'OFF'}",
                           f"-DIIR2D_LEAVE_OUT={';'.join(within_sources(leave_out, sources))}", "-P",
                           str(SOURCES / "cmake/PackageVersion.cmake")], capture_output=True, text=True, encoding="utf-8", check=False,
                          env={name: value for name, value in os.environ.items() if name != STATE})
    if done.returncode != 0:
        words = [line.strip() for line in done.stderr.splitlines() if line.startswith("  ")]
        raise Failure(BAD_ARGUMENT, " ".join(words) or last_lines(done.stderr, 1))
    return dict(line.split("=", 1) for line in done.stdout.splitlines())


def cache_folder():
    """What other clones can use again, as ./bootstrap has it."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME") or str(SOURCES / "build"), ".cache")
    return pathlib.Path(os.environ.get("IIR2D_CACHE_DIR") or os.path.join(base, "iir2d-workbench"))


def packages_in(list_file):
    """The packages of one of installers/debian-*.txt."""
    names = (line.split("#")[0].strip() for line in list_file.read_text(encoding="utf-8").splitlines())
    return [name for name in names if name]


def run_any(*command, env=None):
    """Standard output of a program, whatever it ends with."""
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, encoding="utf-8", check=False, env=env).stdout
