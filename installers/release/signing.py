# SPDX-License-Identifier: MIT
"""SHA256SUMS and its signature, made and checked with OpenSSL's program as a stranger would."""
import re
import subprocess

import common
from common import BAD_ARGUMENT, CHECK_FAILED, Failure

SUMS = "SHA256SUMS"
SIGNATURE = "SHA256SUMS.ed25519"
PUBLIC_KEY = "release.pub.pem"
LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9_.~+-]+(?:/[A-Za-z0-9_.~+-]+)?)")


def check_key(key):
    said = subprocess.run(["openssl", "pkey", "-in", str(key), "-noout", "-text"], capture_output=True, text=True, encoding="utf-8", check=False)
    if said.returncode != 0 or "ED25519 Private-Key" not in said.stdout:
        raise Failure(BAD_ARGUMENT, f"{key} is not a private key of iir2d key new")


def names_in(sums):
    """The files that a list of sums names; none where there is no list."""
    return {name for name, _ in read(sums)} if sums.is_file() else set()


def read(sums):
    """[(name, hash)], held to the form that `sum_and_sign` writes."""
    entries = []
    text = sums.read_text(encoding="ascii", errors="replace")
    for line in text.splitlines():
        match = LINE.fullmatch(line)
        if not match or ".." in match[2]:
            raise Failure(CHECK_FAILED, f"{sums.name}: {line[:100]!r} is not a line of it")
        entries.append((match[2], match[1]))
    if not text.endswith("\n") or entries != sorted(set(entries)):
        raise Failure(CHECK_FAILED, f"{sums.name} is not sorted, or names a file twice")
    return entries


def _write_sums(folder, names):
    entries = sorted((name, common.sha256_of(folder / name)) for name in names)
    common.write_whole(folder / SUMS, "".join(f"{digest}  {name}\n" for name, digest in entries))


def _sign(folder, key):
    part = folder / f".{SIGNATURE}.part"
    common.run("openssl", "pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", folder / SUMS, "-out", part)
    part.rename(folder / SIGNATURE)


def sum_and_sign(folder, key):
    """What holds times, and so differs from run to run, has sums of its own in evidence/."""
    if key:
        common.write_whole(folder / PUBLIC_KEY, common.run("openssl", "pkey", "-in", key, "-pubout"))
    inner = [path.name for path in (folder / "evidence").iterdir()]
    if inner:
        _write_sums(folder / "evidence", inner)
    _write_sums(folder, [path.name for path in folder.iterdir() if path.is_file()])
    if key:
        _sign(folder, key)
        if inner:
            _sign(folder / "evidence", key)


def verify(folder, public_key):
    """Raises where the signature in `folder` is not that key's for its sums."""
    done = subprocess.run(["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", str(public_key), "-rawin", "-in",
                           str(folder / SUMS), "-sigfile", str(folder / SIGNATURE)], capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        raise Failure(CHECK_FAILED, f"{folder / SIGNATURE} is not the signature of {public_key} for {SUMS}")
