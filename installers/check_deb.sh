#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the Debian packages of what is checked out and tries them in a bare Debian 12: what .ci/run needs of them.
# usage: check_deb.sh [FOLDER]: the packages and the report go there (build/packaged/checked)
#
# The build is build/packaged, with the GPU kernels of IIR2D_GPU_IMAGE or, where that is not set, those that build/ci has; local
# changes are let through, and the tour through the window is left out.
set -euo pipefail
out=build/packaged/checked
[ -z "${1:-}" ] || out=$(realpath -m -- "$1")  # from where the caller is
cd "$(dirname "${BASH_SOURCE[0]}")/.."
image=$PWD/build/${IIR2D_PRESET:-ci}/kernels/gpu_kernels.fatbin
if [ -z "${IIR2D_GPU_IMAGE:-}" ] && [ -f "$image.txt" ] && [ -f "$image" ]; then
    export IIR2D_GPU_IMAGE=$image
fi
installers/make_release.sh --only deb --no-rebuild --allow-dirty --quick --out "$out"
