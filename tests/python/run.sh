#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the Python package over a built library, installs it into build/python/venv with the pinned set, and tests it.
#
# usage: tests/python/run.sh LIBRARY [ARGUMENT OF PYTEST...]
#
# Environment: IIR2D_PYTHON (/usr/bin/python3), IIR2D_TORCH=full (torch with its CUDA libraries, 2.3 GB more),
# IIR2D_CACHE_DIR (where what is downloaded is kept for other clones), IIR2D_WHEEL_ONLY=1 (no tests), IIR2D_COMMAND (the
# program iir2d, whose bytes are compared with the package's; the one that is built beside the library), IIR2D_TEST_JOBS (2:
# processes that share the files of tests; 0: this one alone).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf 'python: %s\n' "$*"; }
die() { printf 'python: error: %s\n' "$*" >&2; exit 1; }

[ $# -ge 1 ] || die "usage: tests/python/run.sh LIBRARY [ARGUMENT OF PYTEST...]"
library=$(realpath "$1")
shift
[ -f "$library" ] || die "there is no library $library: build the target iir2d first"
python=${IIR2D_PYTHON:-/usr/bin/python3}
folder=$PWD/build/python
venv=$folder/venv
cache=${IIR2D_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-$PWD/build}/.cache}/iir2d-workbench}
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CACHE_DIR=${PIP_CACHE_DIR:-$cache/pip}
mkdir -p "$folder"

# Two runs of one clone would write the same files.
exec 9>"$folder/lock"
flock 9

[ "$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')" = 3.11 ] ||
    die "the pinned set is Python 3.11's, $python is another"

# The environment, made anew when the pinned set or the interpreter is another one.
wanted=$({ cat tests/python/requirements.txt tests/python/jax-headers.txt; "$python" -VV; echo "${IIR2D_TORCH:-}"; } | sha256sum)
if [ "$(cat "$folder/installed" 2>/dev/null || true)" != "$wanted" ]; then
    say "installing the pinned set into $venv (0.8 GB are downloaded once)"
    rm -rf "$venv" "$folder/jax-headers" "$folder/cuda-stand-ins" "$folder/installed"
    "$python" -m venv "$venv" || die "$python cannot make an environment: install python3-venv"
    "$venv/bin/pip" install --quiet --no-deps --require-hashes -r tests/python/requirements.txt ||
        die "the pinned set could not be installed: check the network and run this again"
    [ "${IIR2D_TORCH:-}" != full ] || "$venv/bin/pip" install --quiet torch==2.15.0
    headers=$(mktemp -d)
    "$venv/bin/pip" download --quiet --no-deps --require-hashes -d "$headers" -r tests/python/jax-headers.txt
    "$venv/bin/python" - "$headers" "$folder/jax-headers" <<'PYTHON'
import pathlib, sys, zipfile
wheel, = pathlib.Path(sys.argv[1]).glob("*.whl")
with zipfile.ZipFile(wheel) as archive:
    archive.extractall(sys.argv[2], [n for n in archive.namelist() if n.startswith("jaxlib/include/xla/ffi/api/")])
PYTHON
    rm -rf "$headers"
    [ "${IIR2D_TORCH:-}" = full ] || "$venv/bin/python" tests/python/cuda_stand_ins.py "$folder/cuda-stand-ins"
    printf '%s\n' "$wanted" >"$folder/installed"
fi
export PATH=$venv/bin:$PATH

say "building the wheel over $library"
rm -rf "$folder/built" "$folder/wheels"
pip wheel --quiet . --no-deps --no-build-isolation -w "$folder/built" \
    "--config-settings=cmake.define.IIR2D_PYTHON_LIBRARY=$library" \
    "--config-settings=cmake.define.IIR2D_PYTHON_JAX_INCLUDE=$folder/jax-headers/jaxlib/include" >"$folder/wheel.log" 2>&1 ||
    { tail -n 40 "$folder/wheel.log" >&2; die "the wheel could not be built (whole log: $folder/wheel.log)"; }
auditwheel --verbose repair --plat manylinux_2_34_x86_64 -w "$folder/wheels" "$folder"/built/*.whl >"$folder/repair.log" 2>&1 ||
    { tail -n 20 "$folder/repair.log" >&2; die "auditwheel refused the wheel (whole log: $folder/repair.log)"; }
pip install --quiet --no-deps --force-reinstall "$folder"/wheels/*.whl
say "installed $(basename "$folder"/wheels/*.whl)"
[ "${IIR2D_WHEEL_ONLY:-0}" = 0 ] || exit 0

# The stand-ins are for torch alone, and only here.
export LD_LIBRARY_PATH=$folder/cuda-stand-ins${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PYTHONDONTWRITEBYTECODE=1
# The program beside the library, where it is built: the tests compare its bytes.
export IIR2D_COMMAND=${IIR2D_COMMAND:-$(dirname "$(dirname "$library")")/bin/iir2d}
exec python -m pytest -p no:cacheprovider -n "${IIR2D_TEST_JOBS:-2}" --dist loadfile tests/python "$@"
