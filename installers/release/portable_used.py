# SPDX-License-Identifier: MIT
"""Checks of AppImage and portable tree in use: in a bare Debian that has nothing installed, by a user without rights."""
import json
import re
import shutil
import subprocess
import tempfile
import pathlib

import common
import deb_installed
from report import expect

PLACE = "/opt/a place é"  # read-only for the user
TREE = f"{PLACE}/tree"
APPIMAGE = f"{PLACE}/IIR2D.AppImage"
SHARE = f"{TREE}/usr/share/iir2d-workbench"
BENCH = "bench --sizes 32x32 --filter-ids 1 --precisions f32 --device cpu --warmup 0 --iters 1 --quiet"
CAMERA = "printf 'II*\\0\\10\\0\\0\\0%0100d' 0 > x.dng"
# Formats of PyPI's wheel: no camera raw, HEIF, DICOM, video, OpenVDB, Ptex.
SLIM_READS = {"bmp", "cineon", "dds", "dpx", "fits", "gif", "hdr", "ico", "iff", "jpeg", "jpeg2000", "jpegxl", "openexr", "png", "pnm",
              "psd", "rla", "sgi", "softimage", "targa", "tiff", "webp", "zfile"}
GONE_S = 5


def exit_codes(debian, program, **more):
    """0, 2 and 3 are the program's own."""
    for arguments, wanted in (("--version", 0), ("run --no-such-option", 2), ("info x.dng", 3)):
        done = debian.attempt(f"{CAMERA}; {program} {arguments}", user=True, **more)
        expect(done.returncode == wanted, f"{program} {arguments} ended with {done.returncode}: {common.last_lines(done.stderr, 3)}")
    expect("camera raw" in done.stderr and "info --formats" in done.stderr, f"of a .dng it says: {done.stderr}")


def check_tree(debian, tree):
    place = debian.path(TREE)
    place.parent.mkdir(parents=True, exist_ok=True)
    common.run("cp", "-a", tree, place)
    common.run("chown", "-R", "0:0", place.parent)
    iir2d = f'"{TREE}/iir2d"'
    text = debian.as_user(f"{iir2d} --version")
    expect(re.search(r"^package: portable \S+$", text, re.M), f"--version says: {text}")
    debian.as_user(f'{iir2d} run "{SHARE}/presets/wide-blur.json" "{SHARE}/samples/rocket.jpg" blurred.png && {iir2d} info blurred.png')
    debian.as_user(f"{iir2d} {BENCH} --record record && {iir2d} verify record")
    deb_installed.check_compiler(debian, iir2d)
    exit_codes(debian, iir2d)
    formats = json.loads(debian.as_user(f"{iir2d} info --formats --json"))
    read = {one["name"] for one in formats["formats"] if one["reads"]} - {"null", "term"}
    expect(read == SLIM_READS, f"it reads {sorted(read ^ SLIM_READS)} otherwise than docs/packaging.md says")
    window = debian.as_user(f'QT_QPA_PLATFORM=offscreen timeout -s INT --preserve-status 10 "{TREE}/iir2d-workbench" 2>&1; '
                            f'"{TREE}/iir2d-workbench" --version')
    expect("package: portable " in window, f"the window says: {window}")
    debian.as_user(f'ln -sf {iir2d} command && ln -sf {iir2d} iir2d && ./iir2d info "{SHARE}/samples/rocket.jpg"')
    written = debian.as_root(f'find "{PLACE}" -newer "{TREE}/AppRun" -type f -mmin -5 | head -3').strip()
    expect(not written, f"it wrote {written} beside itself")
    return f"{formats['library']}, reads {len(read)} formats"


def check_baseline(_, tree):
    """In a folder as root of the system: no C library, then an older one."""
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        shutil.copy(tree / "AppRun", root / "AppRun")
        said = []
        for version in (None, "2.31"):
            if version:
                (root / "lib64").mkdir()
                (root / "lib64/libc.so.6").write_bytes(b"\x7fELF\x02" + f"\0GLIBC_2.4\0GLIBC_{version}\0".encode())
            done = subprocess.run(["chroot", root, "/AppRun", "--version"], capture_output=True, text=True, check=False)
            expect(done.returncode == 1 and done.stderr.count("\n") == 1, f"exit code {done.returncode}: {done.stderr}")
            expect("2.36" in done.stderr and (version or "none") in done.stderr, done.stderr)
            said.append(done.stderr.strip())
    return "; ".join(said)


def check_desktop(debian):
    debian.as_root("apt-get update -q && apt-get install -y --no-install-recommends strace")
    for command, ends_with in ((f'"{TREE}/iir2d" info "{SHARE}/samples/rocket.jpg"', 0), (f'timeout --foreground 8 "{TREE}/iir2d-workbench"', 124)):
        done = debian.attempt(f"QT_QPA_PLATFORM=offscreen strace -f -e trace=network -o network {command}", user=True)
        expect(done.returncode == ends_with, f"{command} ended with {done.returncode}: {common.last_lines(done.stderr, 4)}")
        trace = debian.path("/home/user/network").read_text(encoding="utf-8", errors="replace")
        expect("AF_INET" not in trace, f"{command} opens a network socket")
    expect("AF_UNIX" in trace or "exited" in trace, "the trace is empty")
    said = debian.as_user(f'"{TREE}/iir2d-workbench" --install-desktop')
    entry = debian.as_user("cat .local/share/applications/org.iir2d.Workbench.desktop")
    expect(f'Exec="{TREE}/iir2d-workbench" %f\n' in entry, entry)
    expect(said.count("\n") >= 10 and "mime/packages" in said, said)
    debian.as_user(f'"{TREE}/iir2d-workbench" --remove-desktop')
    left = debian.as_user("find .local/share/applications .local/share/icons .local/share/mime -type f 2>/dev/null || true")
    expect("iir2d" not in left, f"--remove-desktop leaves {left}")
    return f"{said.count(chr(10))} files come and go"


def check_screenshots(debian, keep):
    """A bare system has no font, which both take from the system: it says so, and takes the screenshots once there is one."""
    done = debian.attempt(f'"{TREE}/iir2d-workbench" --screenshots shots', user=True)
    expect(done.returncode == 6 and "has no font" in done.stderr,
           f"without a font it ended with {done.returncode}: {common.last_lines(done.stderr, 3)}")
    debian.as_root("apt-get update -q && apt-get install -y --no-install-recommends fontconfig-config fonts-dejavu-core")
    done = debian.attempt(f'"{TREE}/iir2d-workbench" --screenshots shots', user=True)
    expect(done.returncode == 0, common.last_lines(done.stderr + done.stdout, 8))
    made = sorted(debian.path("/home/user/shots").glob("*.png"))
    expect(len(made) > 50 and "screenshot:" not in done.stderr, f"{len(made)} screenshots: {common.last_lines(done.stderr, 3)}")
    deb_installed.keep_screenshots(made, keep)
    return f"{len(made)} screenshots"


def check_without_fuse(debian, appimage):
    place = debian.path(APPIMAGE)
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(appimage, place)
    program = f'"{APPIMAGE}" --cli'
    for _ in ("unpacked", "used again"):
        done = debian.attempt(f"{program} --version", user=True)
        expect(done.returncode == 0 and "package: appimage " in done.stdout, f"{done.returncode}: {done.stdout} {done.stderr}")
        expect(done.stderr.count("\n") == 1 and "/dev/fuse" in done.stderr, f"on stderr: {done.stderr}")
    cached = debian.as_user("ls -d .cache/iir2d-workbench/appimage-*").split()
    expect(len(cached) == 1, f"in the cache: {cached}")
    exit_codes(debian, program)
    debian.as_user(f'mkdir .cache/iir2d-workbench/appimage-0123456789abcdef; rm -rf {cached[0]}; {program} --version')
    expect(debian.as_user("ls -d .cache/iir2d-workbench/appimage-*").split() == cached, "that of another version was not removed")
    debian.as_user(f"ln -sf '{APPIMAGE}' iir2d; HOME=/nowhere TMPDIR=/tmp ./iir2d --version; ls -d /tmp/iir2d-workbench-1000/appimage-*")
    samples = f"{cached[0]}/usr/share/iir2d-workbench"
    script = (f"s=$(date +%s%N); {cached[0]}/iir2d run {samples}/presets/wide-blur.json {samples}/samples/astronaut.png o.png >/dev/null; "
              "e=$(date +%s%N); echo $(( (e - s) / 1000000 ))")
    times = sorted(int(debian.as_user(script)) for _ in range(3))
    return f"{cached[0].rsplit('/', 1)[-1]}; a filter on a PNG takes {times[1]} ms once cached"


def check_same_results(debian, debs):
    """With the Debian packages beside it: every preset on every sample gives the samples that theirs give, to the bit."""
    deb_installed.check_install(debian, debs)
    pictures = sorted(file.name for file in debian.path(f"{deb_installed.SHARE}/samples").iterdir() if file.suffix in (".png", ".jpg", ".exr"))
    presets = sorted(file.name for file in debian.path(f"{deb_installed.SHARE}/presets").glob("*.json"))
    expect(len(pictures) >= 4 and len(presets) >= 5, f"there are {len(pictures)} samples and {len(presets)} presets")
    script = ["set -e; mkdir -p results"]
    for picture in pictures:
        # A file that holds every number, and one of 8 bits where the sample is of them.
        for suffix in (".exr", picture[-4:] if picture.endswith(".png") else ".tif"):
            for preset in presets:
                words = f"run {deb_installed.SHARE}/presets/{preset} {deb_installed.SHARE}/samples/{picture}"
                script.append(f'iir2d {words} results/deb{suffix} -q; "{TREE}/iir2d" {words} results/portable{suffix} -q; '
                              f"iir2d compare results/deb{suffix} results/portable{suffix} --tolerance 0 -q || {{ echo {picture} {preset} {suffix} >&2; exit 5; }}; "
                              "rm results/*")
    debian.as_user("\n".join(script))
    return f"{len(pictures)} samples with {len(presets)} presets, each written twice, are equal"


def check_mounted(debian):
    """As a user with fusermount3, then as root, who needs none."""
    # fusermount3 unmounts for users by /etc/mtab only, which systems have and the bare one lacks.
    debian.as_root("apt-get update -q && apt-get install -y --no-install-recommends fuse3 && ln -sfn /proc/self/mounts /etc/mtab")
    swept = "rm -rf /tmp/.mount_*"  # of processes that ended with their name space, before they could
    clean = (f"for i in $(seq {2 * GONE_S}); do if ! grep -q appimage /proc/mounts && ! ls -d /tmp/.mount_* >/dev/null 2>&1; then exit 0; fi; "
             "sleep 0.5; done; cat /proc/mounts; ls -da /tmp/.mount_*; exit 9")
    start = f'QT_QPA_PLATFORM=offscreen "{APPIMAGE}" & p=$!; sleep 4; grep appimage /proc/mounts || exit 8;'
    for user in (True, False):
        exit_codes(debian, f'"{APPIMAGE}" --cli', fuse=True)
        debian.as_root(swept)
        for script in (f'"{APPIMAGE}" --cli --version && {clean}', f"{start} kill -9 $p; {clean}",
                       f"{start} sleep 8; kill -TERM $p; wait $p || exit 7; {clean}",
                       f'"{APPIMAGE}" --appimage-mount > at & p=$!; sleep 2; "$(cat at)/iir2d" --version || exit 6; kill -TERM $p; {clean}'):
            done = debian.attempt(script, user=user, fuse=True)
            expect(done.returncode == 0 and "/dev/fuse" not in done.stderr, f"{script[:100]} ended with {done.returncode}: "
                   f"{common.last_lines(done.stderr + done.stdout, 6)}")
    return f"after kill -9, SIGTERM and the end: no mount and no folder within {GONE_S} s, for user and root"
