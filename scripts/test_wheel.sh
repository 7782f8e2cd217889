#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs a wheel and other packages into a fresh environment, runs the smoke test and the tests. What needs a package
# that is not installed is skipped.
#
# usage: scripts/test_wheel.sh WHEEL [ARGUMENT OF pip install...]
# Environment: IIR2D_PYTHON (python3).
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: scripts/test_wheel.sh WHEEL [ARGUMENT OF pip install...]" >&2; exit 2; }
wheel=$(realpath "$1")
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${IIR2D_PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "$wheel" pytest ml_dtypes "$@"
"$folder/venv/bin/python" -m iir2d.smoke --gpu skip
PYTHONDONTWRITEBYTECODE=1 "$folder/venv/bin/python" -m pytest -p no:cacheprovider tests/python
