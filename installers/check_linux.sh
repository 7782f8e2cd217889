#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the packages for Linux of what is checked out and tries them in a bare Debian 12: what .ci/run needs of them.
# usage: check_linux.sh [FOLDER]: the packages and the report go there (build/packaged/checked)
#
# The build is build/packaged, with the GPU kernels of IIR2D_GPU_IMAGE or, where that is not set, those that build/ci has; local
# changes are let through, and the tours through the window are left out. Where the OpenImageIO of AppImage and portable tree is neither
# kept nor to be had, the Debian packages are made alone, which is said in a line.
set -euo pipefail
out=build/packaged/checked
[ -z "${1:-}" ] || out=$(realpath -m -- "$1")  # from where the caller is
cd "$(dirname "${BASH_SOURCE[0]}")/.."
image=$PWD/build/${IIR2D_PRESET:-ci}/kernels/gpu_kernels.fatbin
if [ -z "${IIR2D_GPU_IMAGE:-}" ] && [ -f "$image.txt" ] && [ -f "$image" ]; then
    export IIR2D_GPU_IMAGE=$image
fi
kinds=deb
if python3 -B installers/release/portable.py; then
    kinds=deb,appimage,portable
else
    echo "check_linux: neither AppImage nor portable tree: see above"
fi
installers/make_release.sh --only "$kinds" --no-rebuild --allow-dirty --quick --out "$out"
