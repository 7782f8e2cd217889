#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the Python package with its kernels, installs it into a fresh environment and runs its smoke test. For Linux and
# WSL; needs CMake, a C++23 compiler and oneTBB's headers (./bootstrap deps).
#
# usage: scripts/build_and_smoke.sh [ARGUMENT OF iir2d.smoke...]
# Environment: IIR2D_PYTHON (python3); IIR2D_PYTHON_LIBRARY, a built libiir2d that goes into the wheel in place of one
# built here; IIR2D_PYTHON_JAX=OFF, without iir2d.jax.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

settings=()
[ -z "${IIR2D_PYTHON_LIBRARY:-}" ] ||
    settings+=("--config-settings=cmake.define.IIR2D_PYTHON_LIBRARY=$(realpath "$IIR2D_PYTHON_LIBRARY")")
[ -z "${IIR2D_PYTHON_JAX:-}" ] || settings+=("--config-settings=cmake.define.IIR2D_PYTHON_JAX=$IIR2D_PYTHON_JAX")

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo "build_and_smoke: building the package into a fresh environment; the kernels take some minutes"
"${IIR2D_PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "${settings[@]}" .
# On a GPU the smoke test needs a library that makes arrays there.
case " $* " in *" require "*) "$folder/venv/bin/pip" install --quiet --disable-pip-version-check cupy-cuda13x ;; esac
cd "$folder"
venv/bin/python -m iir2d.smoke "$@"
