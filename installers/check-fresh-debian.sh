#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Proves the README's two lines on a fresh Debian 12: a debootstrap chroot with only git added, a clean clone of
# HEAD, then ./bootstrap test and ./bootstrap run, both timed. Needs root and debootstrap. The chroot is removed
# afterwards unless IIR2D_KEEP_CHROOT=1; what run made is copied to out/fresh-debian/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[ "$(id -u)" -eq 0 ] || { echo "check-fresh-debian: error: run this as root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "check-fresh-debian: error: install debootstrap" >&2; exit 1; }

root=${1:-/var/tmp/iir2d-fresh-debian}
mirror=${IIR2D_DEBIAN_MIRROR:-http://deb.debian.org/debian}
[ ! -e "$root" ] || { echo "check-fresh-debian: error: $root exists; remove it or name another" >&2; exit 1; }

leave() {
    umount "$root/proc" "$root/sys" "$root/dev" 2>/dev/null || true
    [ "${IIR2D_KEEP_CHROOT:-0}" = 1 ] || rm -rf --one-file-system "$root"
}
trap leave EXIT

echo "check-fresh-debian: debootstrap into $root"
debootstrap --variant=minbase --include=git,ca-certificates bookworm "$root" "$mirror" >"$root.log" 2>&1 ||
    { tail -n 20 "$root.log" >&2; exit 1; }
mount --bind /proc "$root/proc"
mount --bind /sys "$root/sys"  # says how large the caches are
mount --bind /dev "$root/dev"
git clone -q --no-hardlinks . "$root/src"

inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root bash -c "cd /src && $1"; }
timed() {
    local start=$SECONDS
    inside "$1"
    echo "check-fresh-debian: $1 took $((SECONDS - start)) s"
}
timed "./bootstrap test"
timed "./bootstrap run"
inside "test -s out/filtered.png && ls out/screenshots/*.png >/dev/null && build/release/bin/iir2d verify out/record-*"
mkdir -p out/fresh-debian
cp -r "$root/src/out/." out/fresh-debian/
echo "check-fresh-debian: passed; results in out/fresh-debian/"
