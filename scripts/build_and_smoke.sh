#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the Python package with its kernels, installs it into a fresh environment and runs its smoke test. For Linux and
# WSL; needs CMake, a C++23 compiler and oneTBB's headers (./bootstrap deps).
#
# usage: scripts/build_and_smoke.sh [ARGUMENT OF iir2d.smoke...]
# Environment: IIR2D_PYTHON (python3).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${IIR2D_PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet .
cd "$folder"
venv/bin/python -m iir2d.smoke "$@"
